"""The product of the quasi-identifiers' families: what may be chosen, and what lies above what."""

from paretonym.lattice.lattice import Lattice

__all__ = ["Lattice"]
