"""Where a table comes from and how its text is to be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class TableSource:
    """A path (CSV, gzipped CSV, Parquet) or a frame (pandas, polars, Arrow) and reading options."""

    data: Path | object
    delimiter: str | None = None  # None: found out among , ; and tab
    encoding: str = "utf-8"
    names: tuple[str, ...] | None = None  # given when a CSV has no header row
    missing: tuple[str, ...] = ("",)  # texts that stand for a missing value


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """Counts about one column; holds no cell values."""

    name: str
    type: str  # the Arrow type of a typed column, "text" in a CSV
    rows: int
    missing: int
    distinct: int  # distinct values that are not missing
    looks_like: str  # "integer", "decimal", "date", "code" or "text"
    shortest: int  # length of the shortest and longest text
    longest: int
    alone: int  # rows that share their value, or its absence, with no other row


@dataclass(frozen=True, slots=True)
class CombinationProfile:
    """Counts about several columns taken together; holds no cell values."""

    columns: tuple[str, ...]
    rows: int
    distinct: int  # distinct combinations; a missing cell counts as a value
    alone: int  # rows that share their combination with no other row
