"""Searches for the front of best trade-offs."""

from paretonym.search.archive import Archive
from paretonym.search.boxes import Boxing
from paretonym.search.finding import PROOFS, Help, Way, choose, find
from paretonym.search.progress import Progress, Silent
from paretonym.search.state import Keeper, State
from paretonym.search.target import Target

__all__ = [
    "PROOFS",
    "Archive",
    "Boxing",
    "Help",
    "Keeper",
    "Progress",
    "Silent",
    "State",
    "Target",
    "Way",
    "choose",
    "find",
]
