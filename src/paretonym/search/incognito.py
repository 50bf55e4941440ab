"""All minimal secure nodes by way of subsets of attributes: Incognito, attribute-oriented
granulation, section 3.4.

Three properties save work. Subset: a node can be secure only if it is secure with any attribute
left out, so subsets of growing size leave few candidates. Generalization: above a secure node all
are secure. Roll-up: tables come from finer tables.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence, Set
from itertools import combinations

import numpy as np
import numpy.typing as npt

from paretonym.lattice.lattice import Lattice, Node
from paretonym.measures.characteristic import SecurityTests
from paretonym.model.arrays import Flags, Ints
from paretonym.model.granulation import Granulation
from paretonym.search.progress import Progress
from paretonym.search.secure_nodes import SecureNodes, refuse_if_too_big

Attributes = tuple[int, ...]  # positions in the lattice, ascending


def incognito(tests: SecurityTests, *, progress: Progress) -> SecureNodes:
    """The same nodes as breadth-first search; few of them by tests of all attributes together.

    The empty subset comes first: if the people of the table taken together expose a rule,
    nothing is secure and one test is enough.
    """
    shape = tuple(level + 1 for level in tests.left_out)
    refuse_if_too_big(math.prod(shape), "the lattice")
    tests.restart()
    secure = np.zeros(shape, np.bool_)
    progress.start("testing granulations", secure.size)
    try:
        _climb_all(tests, secure, progress)
    finally:
        progress.finish()
    found = _minimal(tests.lattice, secure[tuple(map(slice, tests.lattice.levels))])
    return SecureNodes(tuple(found), tuple(tests.by_width))


def _climb_all(tests: SecurityTests, secure: Flags, progress: Progress) -> None:
    """Subset after subset, the smaller ones first."""
    secure[tests.left_out] = not tests.exposed_rules(tests.left_out)
    alive: Set[Attributes] = {()} if secure[tests.left_out] else set()
    while alive:
        wider = set()
        for chosen in sorted(_joined(alive, secure.ndim)):
            subset = _Subset(tests, chosen, secure)
            if subset.climb():
                wider.add(chosen)
            progress.advance(math.prod(subset.levels))
        alive = wider


def _joined(alive: Set[Attributes], count: int) -> Iterator[Attributes]:
    """Subsets with one attribute more, none of whose own subsets is without a secure node."""
    for chosen in alive:
        for j in range(max(chosen, default=-1) + 1, count):
            wider = (*chosen, j)
            if all(part in alive for part in combinations(wider, len(chosen))):
                yield wider


class _Subset:
    """The nodes of some attributes, the others left out."""

    def __init__(self, tests: SecurityTests, chosen: Attributes, secure: Flags) -> None:
        self.levels = tuple(tests.left_out[j] for j in chosen)  # those that leave nothing out
        self._granulations = [tests.lattice.granulations[j] for j in chosen]
        self._tests = tests
        self._chosen = chosen
        self._secure = secure

    def climb(self) -> bool:
        """Test candidates from below and note what is secure; False when nothing is."""
        candidates = self._candidates()
        if not candidates.any():
            return False
        self._tests.begin_at(self._whole(self._common_floor(candidates)))
        secure = np.zeros_like(candidates)
        is_secure = secure.reshape(-1)  # the same memory, by rank
        for rank in self._from_below(candidates):
            if is_secure[rank]:
                continue
            node = tuple(map(int, np.unravel_index(rank, self.levels)))
            if not self._tests.exposed_rules(self._whole(node)):
                secure[self._up_set(node)] = True
        self._secure[self._place(self._chosen)] = secure
        return bool(secure.any())

    def _candidates(self) -> Flags:
        """Secure with any one attribute left out; all above a candidate are candidates too."""
        candidates = np.ones(self.levels, np.bool_)
        for axis, j in enumerate(self._chosen):
            others = tuple(i for i in self._chosen if i != j)
            candidates &= np.expand_dims(self._secure[self._place(others)], axis)
        return candidates

    def _from_below(self, candidates: Flags) -> npt.NDArray[np.intp]:
        """Ranks of the candidates by height, because no two nodes of one height are comparable."""
        by_rank = _heights(self._granulations, self.levels).reshape(-1)
        ranks = np.flatnonzero(candidates)
        return ranks[np.argsort(by_rank[ranks], kind="stable")]

    def _common_floor(self, candidates: Flags) -> Node:
        """A coarse node below all candidates: to make their tables from its own takes less."""
        floor = []
        for axis, granulation in enumerate(self._granulations):
            others = tuple(i for i in range(candidates.ndim) if i != axis)
            floor.append(_coarsest_below(granulation, np.flatnonzero(candidates.any(axis=others))))
        return tuple(floor)

    def _up_set(self, node: Node) -> tuple[Ints, ...]:
        """The node and all coarser ones of the subset, as an index."""
        above = [g.up_sets[level] for g, level in zip(self._granulations, node, strict=True)]
        kept = zip(above, self.levels, strict=True)
        return np.ix_(*(levels[levels < left_out] for levels, left_out in kept))

    def _whole(self, node: Node) -> Node:
        """The node over all attributes of the table."""
        levels = list(self._tests.left_out)
        for j, level in zip(self._chosen, node, strict=True):
            levels[j] = level
        return tuple(levels)

    def _place(self, chosen: Attributes) -> tuple[slice | int, ...]:
        """Where the nodes of a subset stand among those of all subsets."""
        left_out = self._tests.left_out
        return tuple(slice(level) if j in chosen else level for j, level in enumerate(left_out))


def _coarsest_below(granulation: Granulation, levels: Ints) -> int:
    below = granulation.finer | np.eye(granulation.levels, dtype=np.bool_)
    common = np.flatnonzero(below[:, levels].all(axis=1))
    return int(min(common, key=lambda level: granulation.partitions[level].blocks))


def _heights(granulations: Sequence[Granulation], levels: Sequence[int]) -> npt.NDArray[np.int16]:
    """The longest way up to each node, in an array shaped like the levels."""
    pairs = zip(granulations, levels, strict=True)
    parts = [np.array(g.heights[:count], np.int16) for g, count in pairs]
    return functools.reduce(np.add.outer, parts)


def _minimal(lattice: Lattice, secure: Flags) -> list[Node]:
    """Secure nodes with nothing secure directly below, from below."""
    minimal = secure.copy()
    for axis, granulation in enumerate(lattice.granulations):
        below, above = np.moveaxis(secure, axis, 0), np.moveaxis(minimal, axis, 0)
        for level, covers in enumerate(granulation.covers):
            for cover in covers:
                above[cover] &= ~below[level]
    heights = _heights(lattice.granulations, lattice.levels)[minimal]
    nodes = np.argwhere(minimal)[np.argsort(heights, kind="stable")]
    return [tuple(map(int, node)) for node in nodes]
