"""The encoded histogram: distinct quasi-identifier combinations as codes, with their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from paretonym.model.arrays import AnyInts, Codes, Floats, Ints

_DENSE = 8  # cells a pair up to which a full table is counted


@dataclass(frozen=True, eq=False, slots=True)
class CountColumn:
    """How often each value of a column occurs in each combination, as sorted sparse rows.

    Combination i holds the pairs (code[j], count[j]) for j in offset[i] .. offset[i + 1].
    """

    values: tuple[str | None, ...]
    offset: Ints
    code: Codes
    count: Ints

    @property
    def combination(self) -> Ints:
        """The combination of each pair."""
        return np.repeat(np.arange(len(self.offset) - 1), np.diff(self.offset))

    @property
    def totals(self) -> Ints:
        """Rows of the whole table that hold each value."""
        sums = np.bincount(self.code, weights=self.count, minlength=len(self.values))
        return sums.astype(np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Histogram:
    """Everything a search needs to know of a table; rows themselves are never looked at again.

    `codes[i, j]` is the leaf of the j-th quasi-identifier in the i-th combination.
    """

    rows: int
    quasi: tuple[str, ...]
    codes: Codes
    sizes: Ints
    counts: Mapping[str, CountColumn]
    predicates: Mapping[str, Ints] = field(default_factory=dict)
    weights: Floats | None = None

    @property
    def combinations(self) -> int:
        return len(self.sizes)


def count_column(
    values: tuple[str | None, ...],
    combination: Ints,
    code: AnyInts,
    rows: Ints,
    combinations: int,
) -> CountColumn:
    """Collect (combination, code) pairs with multiplicities into sorted sparse rows."""
    width = max(len(values), 1)
    packed = combination * width + code.astype(np.int64)
    if combinations * width <= _DENSE * len(packed):  # few cells: counting is faster than sorting
        cells = np.bincount(packed, weights=rows, minlength=combinations * width)
        pairs = np.flatnonzero(cells)
        count = cells[pairs]
    else:
        order = np.argsort(packed, kind="stable")
        packed, rows = packed[order], rows[order]
        first = np.flatnonzero(np.diff(packed, prepend=-1))
        count = np.add.reduceat(rows, first) if len(rows) else rows
        pairs = packed[first]
    offset = np.searchsorted(pairs, np.arange(combinations + 1, dtype=np.int64) * width)
    return CountColumn(
        values, offset.astype(np.int64), (pairs % width).astype(np.int32), count.astype(np.int64)
    )
