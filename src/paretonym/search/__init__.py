"""Searches for the front of best trade-offs."""

from paretonym.search.budget import Progress, Silent
from paretonym.search.exhaustive import Target, search_exhaustively

__all__ = ["Progress", "Silent", "Target", "search_exhaustively"]
