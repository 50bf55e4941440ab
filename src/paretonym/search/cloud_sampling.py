"""The cloud behind a front: which candidates are kept to be drawn when there are too many.

Every candidate has a priority that depends on itself alone: those that suppress least and most
at their node come first, then the order is that of a hash. The candidates kept are those of the
highest priority among all that were seen, so neither threads, nor the order of visits, nor an
interruption changes them, and they lie evenly over the lattice whatever its shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from paretonym.model.arrays import Array
from paretonym.model.front import Cloud
from paretonym.search.nondominated import Vectors

MOST = 100_000  # candidates kept
_LOWEST = np.uint64(2**64 - 1)
_ODD = tuple(np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@dataclass(frozen=True, slots=True)
class _Sample:
    """Candidates with their priorities, smaller first; the arrays that a checkpoint keeps."""

    priority: Array  # uint64
    rank: Array
    below: Array
    suppressed: Array
    values: Array  # float64 [count, measures]

    @classmethod
    def of(cls, found: Vectors) -> _Sample:
        values = np.concatenate([found.shown, found.others], axis=1)
        priority = _priorities(found.rank, found.below)
        return cls(priority, found.rank, found.below, found.suppressed, values)

    def __len__(self) -> int:
        return len(self.rank)

    def at(self, index: Array) -> _Sample:
        return _Sample(*(getattr(self, part.name)[index] for part in fields(self)))


_NONE = np.empty(0, np.int64)
_NOTHING = _Sample(_NONE.astype(np.uint64), _NONE, _NONE, _NONE, np.empty((0, 0)))


@dataclass(slots=True)
class CloudSampler:
    """Candidates are offered as they are found; at most twice `most` of them are in memory."""

    most: int = MOST
    seen: int = 0
    _parts: list[_Sample] = field(default_factory=list)
    _held: int = 0
    _last: np.uint64 = _LOWEST  # the lowest priority that can still be kept

    def offer(self, found: Vectors) -> None:
        """Candidates of whole nodes; those of one node stand together, least suppressed first."""
        if not len(found):
            return
        self.seen += len(found)
        part = _Sample.of(found)
        self._add(part.at(part.priority <= self._last))

    def _add(self, part: _Sample) -> None:
        self._parts.append(part)
        self._held += len(part)
        if self._held > 2 * self.most:
            self._prune()

    def _prune(self) -> None:
        kept = _joined(self._parts)
        if len(kept) > self.most:
            order = np.argsort(kept.priority, kind="stable")[: self.most]
            kept = kept.at(order)
            self._last = kept.priority[-1]
        self._parts, self._held = [kept], len(kept)

    def arrays(self) -> dict[str, Array]:
        """What a checkpoint keeps of it."""
        self._prune()
        kept = {
            f"cloud.{part.name}": getattr(self._parts[0], part.name) for part in fields(_Sample)
        }
        return {**kept, "cloud.seen": np.array([self.seen])}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        part = _Sample(*(arrays[f"cloud.{each.name}"] for each in fields(_Sample)))
        self.seen = int(arrays["cloud.seen"][0])
        self._parts, self._held = [part], len(part)
        self._prune()

    def cloud(self, members: Vectors, names: Sequence[str]) -> Cloud:
        """What was kept, by rank and threshold; the front's `members` are always among it."""
        self._prune()
        front, rest = _Sample.of(members), self._parts[0]
        both = _joined([front, rest])
        order = np.lexsort([both.below, both.rank])
        same = (np.diff(both.rank[order]) == 0) & (np.diff(both.below[order]) == 0)
        order = order[np.concatenate([[True], ~same])] if len(order) else order
        over = len(order) - self.most
        if over > 0:  # the lowest priorities make room
            spare = order[order >= len(front)]
            gone = spare[np.argsort(both.priority[spare], kind="stable")][-over:]
            order = order[~np.isin(order, gone)]
        kept = both.at(order)
        return Cloud(
            rank=kept.rank,
            suppress_below=kept.below,
            suppressed=kept.suppressed,
            values={name: kept.values[:, j] for j, name in enumerate(names)},
            seen=self.seen,
        )


def _joined(parts: Sequence[_Sample]) -> _Sample:
    filled = [part for part in parts if len(part)] or [_NOTHING]
    names = [part.name for part in fields(_Sample)]
    return _Sample(*(np.concatenate([getattr(p, name) for p in filled]) for name in names))


def _priorities(rank: Array, below: Array) -> Array:
    """The first and the last candidate of each node before all others, then by a hash."""
    first = np.ones(len(rank), np.bool_)
    first[1:] = rank[1:] != rank[:-1]
    last = np.ones(len(rank), np.bool_)
    last[:-1] = first[1:]
    between = np.where(first | last, np.uint64(0), np.uint64(2**63))
    mixed = _mixed(_mixed(rank.astype(np.uint64)) ^ below.astype(np.uint64))
    return np.asarray(between | (mixed >> np.uint64(1)))


def _mixed(numbers: Array) -> Array:
    """Well spread 64-bit numbers from neighbouring ones (the finalizer of splitmix64)."""
    numbers = numbers + _ODD[0]
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _ODD[1]
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _ODD[2]
    return np.asarray(numbers ^ (numbers >> np.uint64(31)))
