"""Searches for the front of best trade-offs."""

from paretonym.search.archive import Archive
from paretonym.search.boxes import Boxing
from paretonym.search.exhaustive import search_exhaustively
from paretonym.search.outcome import Target
from paretonym.search.progress import Progress, Silent

__all__ = ["Archive", "Boxing", "Progress", "Silent", "Target", "search_exhaustively"]
