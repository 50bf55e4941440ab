"""The front of a stream of candidates: exact comparisons, ties counted, order fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from paretonym.kernels.dominance import keep_nondominated
from paretonym.measures import Values
from paretonym.model.arrays import Array
from paretonym.model.front import Direction

_SIGN = np.int64(-(2**63))


def sortable(values: Values, direction: Direction) -> Array:
    """64-bit integers in the order of the values, smaller is better; equal values stay equal.

    The bits of a float sort like the float itself once those of negative ones are turned.
    """
    exact = values.exact
    if exact.dtype.kind == "f":
        bits = (exact + 0.0).view(np.int64)  # + 0.0: there is one zero
        exact = np.where(bits < 0, _SIGN - bits, bits)
    exact = exact.astype(np.int64)
    return -exact if direction is Direction.MAX else exact


@dataclass(frozen=True, slots=True)
class Vectors:
    """Candidates as objective vectors, with who stands for each and how many more there are."""

    vectors: Array  # int64 [count, objectives], smaller is better
    rank: Array
    below: Array
    suppressed: Array
    shown: Array  # float64 [count, objectives]
    ties: Array
    boxes: Array  # int64 [count, objectives], smaller is better; [count, 0] without boxes
    others: Array  # float64 [count, measures beside the objectives], only to be shown

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def is_boxed(self) -> bool:
        return bool(self.boxes.shape[1])

    def at(self, index: Array) -> Vectors:
        return Vectors(*(getattr(self, part.name)[index] for part in fields(self)))


def join(parts: Sequence[Vectors]) -> Vectors:
    names = [part.name for part in fields(Vectors)]
    return Vectors(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def front_of(candidates: Vectors) -> Vectors:
    """One entry a non-dominated vector: the smallest node, then the smallest threshold."""
    if not len(candidates):
        return candidates
    columns = [candidates.vectors[:, j] for j in range(candidates.vectors.shape[1])]
    order = np.lexsort([candidates.below, candidates.rank, *reversed(columns)])
    ordered = candidates.at(order)
    new = np.ones(len(ordered), np.bool_)
    new[1:] = np.any(ordered.vectors[1:] != ordered.vectors[:-1], axis=1)
    first = np.flatnonzero(new)
    # those represented: every member of the group with its own ties, less the one shown
    ties = np.add.reduceat(ordered.ties + 1, first) - 1
    distinct = ordered.at(first)
    keep = keep_nondominated(np.ascontiguousarray(distinct.vectors))
    return replace(distinct.at(keep), ties=ties[keep])
