"""Searches for the front of best trade-offs."""

from paretonym.search.exhaustive import Target, search_exhaustively
from paretonym.search.progress import Progress, Silent

__all__ = ["Progress", "Silent", "Target", "search_exhaustively"]
