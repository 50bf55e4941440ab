"""The archive of a search: the exact front, or with boxes a bounded, representative part of it.

Box dominance is that of Dewri et al. 2010 (section 5): different boxes are compared as boxes,
within a box the vectors decide, and a box holds one member.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from paretonym.kernels.dominance import offer_boxes
from paretonym.measures import Values
from paretonym.search.boxes import Boxing
from paretonym.search.nondominated import Vectors, front_of, join, sortable


def largest_size(
    maxima: Sequence[int | float | Fraction],
    epsilon: Sequence[int | float | Fraction],
    *,
    above_zero: bool = False,
) -> int:
    """Theorem 2 with whole boxes: the product of all but the largest number of boxes.

    A cluster of boxes that differ in one dimension only holds one member at most, and any
    dimension may be that one. An index of 0 is a box of its own, unless all are above zero.
    """
    counts = [
        math.ceil(Fraction(k) / Fraction(e)) + (0 if above_zero else 1)
        for k, e in zip(maxima, epsilon, strict=True)
    ]
    return math.prod(sorted(counts)[:-1])


class Archive:
    """What is best of everything offered so far; with boxes if the vectors carry them.

    Without boxes: the exact front, ties counted, each vector shown by its smallest node. With
    boxes: Algorithm 1, at most one member a box, and only in boxes that no other box dominates.
    """

    def __init__(self, *, whole: bool = False) -> None:
        """`whole`: the exact front, whether or not the vectors carry boxes."""
        self._whole = whole
        self._members: Vectors | None = None

    def __len__(self) -> int:
        return 0 if self._members is None else len(self._members)

    @property
    def members(self) -> Vectors:
        """With boxes, in the order in which they were taken in; otherwise by their vectors."""
        return _NOTHING if self._members is None else self._members

    def offer(self, batch: Vectors) -> None:
        """Candidates one after the other; a dominated one can still decide who holds a box."""
        both = batch if self._members is None else join([self._members, batch])
        if self._whole or not batch.is_boxed:
            self._members = front_of(both)
            return
        boxes, vectors = np.ascontiguousarray(both.boxes), np.ascontiguousarray(both.vectors)
        self._members = both.at(offer_boxes(boxes, vectors, len(self)))


def bare_vectors(values: Sequence[Values], boxing: Boxing) -> Vectors:
    """Values without nodes, one `Values` an objective; a vector's rank is its place."""
    count = len(values[0].exact)
    columns = [sortable(v, side.direction) for v, side in zip(values, boxing.sides, strict=True)]
    zeros = np.zeros(count, np.int64)
    return Vectors(
        vectors=np.stack(columns, axis=1),
        rank=np.arange(count),
        below=zeros,
        suppressed=zeros,
        shown=np.stack([v.all_shown() for v in values], axis=1),
        ties=zeros,
        boxes=boxing.boxes(values),
        others=np.empty((count, 0)),
    )


_NONE = np.empty(0, np.int64)
_NO_ROWS = np.empty((0, 0), np.int64)
_NO_VALUES = _NO_ROWS.astype(np.float64)
_NOTHING = Vectors(_NO_ROWS, _NONE, _NONE, _NONE, _NO_VALUES, _NONE, _NO_ROWS, _NO_VALUES)
