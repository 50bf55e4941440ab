"""Choosing one point of a front."""

from paretonym.decide.pick import pick

__all__ = ["pick"]
