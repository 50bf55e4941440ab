"""Searches for the front of best trade-offs."""

from paretonym.search.archive import Archive
from paretonym.search.boxes import Boxing
from paretonym.search.front_search import PROOFS, ChosenMethod, RunSettings, choose, find
from paretonym.search.progress import Progress, Silent
from paretonym.search.state import Keeper, State
from paretonym.search.target import Target

__all__ = [
    "PROOFS",
    "Archive",
    "Boxing",
    "ChosenMethod",
    "Keeper",
    "Progress",
    "RunSettings",
    "Silent",
    "State",
    "Target",
    "choose",
    "find",
]
