"""The bundled Adult table with its hierarchies, and a seeded generator of larger ones."""

from paretonym.datasets.bundled import adult, path
from paretonym.datasets.sampling import resample

__all__ = ["adult", "path", "resample"]
