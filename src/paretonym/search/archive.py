"""The box-dominance archive of paper 000 (section 5): a bounded, representative set of the best.

Quality indices are "higher is better"; a loss L enters as K - L, K its largest possible value.
A box is the vector of ceil(index / epsilon): with floor, Theorem 2 would not hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from paretonym.errors import JobError

Index = int | float | Fraction
Box = tuple[int, ...]


def dominates(first: Sequence[Index], second: Sequence[Index]) -> bool:
    """At least as good everywhere and better somewhere."""
    pairs = list(zip(first, second, strict=True))
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def largest_size(maxima: Sequence[Index], epsilon: Sequence[Index]) -> int:
    """Theorem 2 with whole boxes: the product of all but the largest number of boxes.

    A cluster of boxes that differ in one dimension only holds one member at most, and any
    dimension may be that one. An index may be 0, which is a box of its own.
    """
    counts = [
        math.ceil(Fraction(k) / Fraction(e)) + 1 for k, e in zip(maxima, epsilon, strict=True)
    ]
    return math.prod(sorted(counts)[:-1])


class BoxArchive:
    """Algorithm 1: at most one member a box, and only in boxes that no other box dominates."""

    def __init__(self, epsilon: Sequence[Index]) -> None:
        if not epsilon or any(not math.isfinite(e) or e <= 0 for e in epsilon):
            raise JobError("epsilon: every box needs a size above zero")
        self._epsilon = tuple(Fraction(e) for e in epsilon)
        self._members: dict[Box, tuple[Index, ...]] = {}

    def __len__(self) -> int:
        return len(self._members)

    @property
    def members(self) -> tuple[tuple[Index, ...], ...]:
        """In the order in which they were taken in."""
        return tuple(self._members.values())

    @property
    def boxes(self) -> frozenset[Box]:
        return frozenset(self._members)

    def box_of(self, indices: Sequence[Index]) -> Box:
        # exact: 0.3 / 0.1 in floats is a little less than 3
        return tuple(
            math.ceil(Fraction(value) / size)
            for value, size in zip(indices, self._epsilon, strict=True)
        )

    def offer(self, indices: Sequence[Index]) -> bool:
        """Take a candidate in, or leave the archive as it is; says whether it was taken."""
        vector, box = tuple(indices), self.box_of(indices)
        rival = self._members.get(box)
        if rival is not None:
            if not dominates(vector, rival):
                return False
            del self._members[box]
        elif any(dominates(other, box) for other in self._members):
            return False
        for other in [held for held in self._members if dominates(box, held)]:
            del self._members[other]
        self._members[box] = vector
        return True
