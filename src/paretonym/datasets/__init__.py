"""The bundled Adult table with its hierarchies, and seeded generators of larger tables."""

from paretonym.datasets.bases import base_areas, bases
from paretonym.datasets.bundled import adult, path
from paretonym.datasets.made_up import made_up
from paretonym.datasets.sampling import resample

__all__ = ["adult", "base_areas", "bases", "made_up", "path", "resample"]
