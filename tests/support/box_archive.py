"""Algorithm 1 of Dewri et al. 2010 as one would write it down: fractions, a dictionary, one at a
time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Index = int | float | Fraction
Box = tuple[int, ...]


def dominates(first: Sequence[Index], second: Sequence[Index]) -> bool:
    """At least as good everywhere and better somewhere; higher is better."""
    pairs = list(zip(first, second, strict=True))
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def minimal(vectors: Sequence[Sequence[Index]]) -> set[tuple[Index, ...]]:
    """Those that no other one dominates."""
    every = {tuple(vector) for vector in vectors}
    return {v for v in every if not any(dominates(other, v) for other in every)}


class BoxArchive:
    """At most one member a box, and only in boxes that no other box dominates."""

    def __init__(self, epsilon: Sequence[Index]) -> None:
        self._epsilon = tuple(Fraction(e) for e in epsilon)
        self._members: dict[Box, tuple[int, tuple[Index, ...]]] = {}
        self._offered = 0

    @property
    def places(self) -> list[int]:
        """Which of the offered ones are members, in the order in which they were taken in."""
        return [place for place, _ in self._members.values()]

    @property
    def boxes(self) -> set[Box]:
        return set(self._members)

    def box_of(self, indices: Sequence[Index]) -> Box:
        pairs = zip(indices, self._epsilon, strict=True)
        return tuple(math.ceil(Fraction(value) / size) for value, size in pairs)

    def _box_dominates(self, first: Sequence[Index], second: Sequence[Index]) -> bool:
        boxes = self.box_of(first), self.box_of(second)
        return dominates(first, second) if boxes[0] == boxes[1] else dominates(*boxes)

    def offer(self, indices: Sequence[Index]) -> None:
        vector, box = tuple(indices), self.box_of(indices)
        kept = {
            held: member
            for held, member in self._members.items()
            if not self._box_dominates(vector, member[1])
        }
        beaten = any(self._box_dominates(member[1], vector) for member in kept.values())
        if not beaten and box not in kept:
            kept[box] = (self._offered, vector)
        self._members = kept
        self._offered += 1
