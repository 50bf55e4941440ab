"""Single nodes, scored from the smallest finer table at hand.

A search that picks its nodes evaluates few of them, and each has finer nodes among those seen
before. Class tables are kept in a bounded cache; which one a node is made from changes the time
it takes and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from paretonym.kernels import regroup
from paretonym.kernels.regroup import Costs
from paretonym.kernels.shapes import (
    FIRST_LOSS,
    SUM_SQUARES,
    Output,
    Pools,
    Scratch,
    Space,
)
from paretonym.lattice.lattice import Node
from paretonym.measures.evaluator import Candidates, Evaluator
from paretonym.measures.keys import fields_of, packed
from paretonym.measures.passes import RawCandidates, output_for, scratch_for, steps_of, taken
from paretonym.measures.trees import Losses
from paretonym.model.arrays import Array
from paretonym.model.granulation import Granulation

MOST_BYTES = 512_000_000  # class tables kept
MOST_TABLES = 4_000
_LARGE = 4_000, 8  # classes, and which part of the finest table, that make a table large
_WAYPOINT_QUANTILES = (0.2, 0.5)  # quantiles of the levels of recent nodes, one waypoint each
_STRAY = 2  # attributes in which a node may lie below them
_RECENT = 1_000


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of one node: packed keys, and their numbers in the same order."""

    node: tuple[int, ...]
    keys: Array  # uint64 [classes, words]
    pools: Pools

    @property
    def bytes(self) -> int:
        return self.keys.nbytes + sum(part.nbytes for part in self.pools[:5])

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates of some nodes, and what each node says of all nodes above and below it."""

    candidates: Candidates
    counts: Array  # candidates of each node
    ceiling: Candidates | None  # one entry a node: no finer node does better; None: not known
    floor: Candidates | None  # one entry a node: no coarser node loses less


class NodeScorer:
    """Scores nodes in the order given; results never depend on threads or on the cache."""

    def __init__(
        self, evaluator: Evaluator, *, threads: int = 1, most_bytes: int = MOST_BYTES
    ) -> None:
        self.evaluator = evaluator
        self._threads = threads
        self.classes_read = 0  # classes of finer tables that were passed over
        self.nodes_scored = 0
        self.uses_waypoints = True  # a search that evaluates fine nodes itself needs none
        self._recent = np.empty((0, len(evaluator.lattice.levels)), np.int64)
        if evaluator.is_fast:
            self._cache = _Cache(evaluator.lattice.granulations, most_bytes)
            self._engine = _Engine(evaluator, threads)
            self._cache.keep(self._engine.base)
            self._large = max(_LARGE[0], len(self._engine.base) // _LARGE[1])

    def score(self, nodes: Sequence[Node]) -> Scored:
        self.nodes_scored += len(nodes)
        if not self.evaluator.is_fast:
            return self._score_plainly(nodes)
        if self.uses_waypoints:
            self._add_waypoints(nodes)
        sources = [self._cache.finer(node) for node in nodes]
        self.classes_read += sum(len(source) for source in sources)
        made = self._engine.run(sources, nodes)
        for one in made:
            self._cache.keep(one.classes)
        return self._collect(made)

    def _add_waypoints(self, nodes: Sequence[Node]) -> None:
        """Tables between a large one and the nodes asked for, on the way that many will take.

        A waypoint has each attribute at the level that most recent nodes reach, or lower where the
        node at hand is: finer than the node, and than most that will come. It pays for nodes
        that lie where the others do, not for stray ones.
        """
        self._recent = np.concatenate([self._recent, nodes])[-_RECENT:]
        if len(self._recent) < _RECENT // 10:
            return
        in_order = np.sort(self._recent, axis=0)
        for share in _WAYPOINT_QUANTILES:
            usual = in_order[int(share * len(in_order))]
            wanted: dict[Node, Classes] = {}
            for node in nodes:
                source = self._cache.finer(node)
                if len(source) <= self._large:
                    continue
                waypoint = self._cache.meet(node, usual)
                lowered = int((np.array(waypoint) != usual).sum())
                if (
                    lowered <= _STRAY
                    and waypoint != node
                    and not self._cache.is_below(waypoint, source.node)
                ):
                    wanted.setdefault(waypoint, self._cache.finer(waypoint))
            self.classes_read += sum(len(source) for source in wanted.values())
            for table in self._engine.tables(list(wanted.values()), list(wanted)):
                self._cache.keep(table)

    def _collect(self, made: Sequence[_Made]) -> Scored:
        raw = RawCandidates(
            np.concatenate([m.raw.rank for m in made]),
            np.concatenate([m.raw.suppressed for m in made]),
            np.concatenate([m.raw.statistics for m in made]),
            np.concatenate([m.raw.vectors for m in made]),
            len(made),
        )
        rank = np.array([m.rank for m in made], np.int64)
        whole = np.stack([m.whole for m in made])
        ceiling, floor = self._engine.bounds(whole)
        nothing = np.zeros(len(made), np.int64)
        vectors = np.zeros((len(made), raw.vectors.shape[1]), np.int64)
        from_pass = self.evaluator.from_pass
        return Scored(
            from_pass(raw),
            np.array([len(m.raw.rank) for m in made], np.int64),
            from_pass(RawCandidates(rank, nothing, ceiling, vectors, len(made))),
            from_pass(RawCandidates(rank, nothing, floor, vectors, len(made))),
        )

    def _score_plainly(self, nodes: Sequence[Node]) -> Scored:
        """A user's own measure in Python: node by node, and nothing is known of the others."""
        found = self.evaluator.score_all(nodes)
        ranks = np.array([self.evaluator.lattice.rank(node) for node in nodes])
        counts = np.array([int((found.rank == rank).sum()) for rank in ranks], np.int64)
        return Scored(found, counts, None, None)


class _Cache:
    """Class tables, the longest unused of them forgotten; the finest node stays."""

    def __init__(self, granulations: Sequence[Granulation], most_bytes: int) -> None:
        levels = max(g.levels for g in granulations)
        self._above = np.zeros((len(granulations), levels, levels), np.bool_)
        for j, granulation in enumerate(granulations):
            size = granulation.levels
            self._above[j, :size, :size] = granulation.finer | np.eye(size, dtype=np.bool_)
        self._levels = np.zeros((MOST_TABLES, len(granulations)), np.int64)
        self._counts = np.zeros(MOST_TABLES, np.int64)
        self._used = np.zeros(MOST_TABLES, np.int64)
        self._tables: list[Classes] = []
        self._room = most_bytes
        self._clock = 0

    def finer(self, node: Node) -> Classes:
        """The smallest table at hand that is at most as coarse; the finest node's always is."""
        size = len(self._tables)
        place = regroup.smallest_ancestor(
            self._levels[:size], self._counts[:size], self._above, np.array(node, np.int64)
        )
        self._clock += 1
        self._used[place] = self._clock
        return self._tables[place]

    def meet(self, node: Node, other: Array) -> Node:
        """The coarsest node found at once that is finer than two: level by level the finer one."""
        levels = []
        for j, (a, b) in enumerate(zip(node, map(int, other), strict=True)):
            below = a if self._above[j, a, b] else b if self._above[j, b, a] else 0
            levels.append(below)
        return tuple(levels)

    def is_below(self, node: Node, other: Node) -> bool:
        pairs = enumerate(zip(node, other, strict=True))
        return all(bool(self._above[j, a, b]) for j, (a, b) in pairs)

    def keep(self, table: Classes) -> None:
        place = len(self._tables)
        while self._tables and (table.bytes > self._room or place >= MOST_TABLES):
            if len(self._tables) == 1:
                return
            self._forget(1 + int(self._used[1 : len(self._tables)].argmin()))
            place = len(self._tables)
        self._tables.append(table)
        self._put(place, table)
        self._clock += 1
        self._used[place] = self._clock
        self._room -= table.bytes

    def _put(self, place: int, table: Classes) -> None:
        self._levels[place] = table.node
        self._counts[place] = len(table)

    def _forget(self, place: int) -> None:
        """The last table takes the place of the one that goes."""
        self._room += self._tables[place].bytes
        last = self._tables.pop()
        if place < len(self._tables):
            self._tables[place] = last
            self._put(place, last)
            self._used[place] = self._used[len(self._tables)]


@dataclass(frozen=True, slots=True)
class _Made:
    rank: int
    classes: Classes
    raw: RawCandidates
    whole: Array


class _Engine:
    """The compiled side: arrays for keys and hierarchies, and a workspace for each thread."""

    def __init__(self, evaluator: Evaluator, threads: int) -> None:
        layout = evaluator.layout
        self._lattice = evaluator.lattice
        self._space, self._columns = _stand_in(layout.space), layout.columns
        granulations = self._lattice.granulations
        self._fields = fields_of(granulations)
        self._costs = _costs_of(granulations, layout.request.losses)
        keys = packed(evaluator.histogram.codes[layout.order], granulations, self._fields)
        self.base = Classes(self._lattice.finest, keys, layout.pools)
        self._map = ThreadPoolExecutor(threads).map if threads > 1 else map
        self._idle: SimpleQueue[tuple[Scratch, Output]] = SimpleQueue()
        for _ in range(threads):
            out = output_for(layout, steps_of(layout.space))
            self._idle.put((scratch_for(layout, len(self.base)), out))

    def run(self, sources: Sequence[Classes], nodes: Sequence[Node]) -> list[_Made]:
        return list(self._map(self._make, sources, nodes))

    def tables(self, sources: Sequence[Classes], nodes: Sequence[Node]) -> list[Classes]:
        """Class tables alone, without candidates."""
        return list(self._map(self._table, sources, nodes))

    def _table(self, source: Classes, node: Node) -> Classes:
        keys, pools = regroup.regroup(
            self._space, self._fields, source.keys, source.pools,
            np.array(source.node, np.int64), np.array(node, np.int64),
        )  # fmt: skip
        return Classes(tuple(node), keys, pools)

    def _make(self, source: Classes, node: Node) -> _Made:
        classes = self._table(source, node)
        after = np.array(node, np.int64)
        rank = self._lattice.rank(node)
        whole = np.zeros(self._columns + len(self._space.derived_kind), np.int64)
        scratch, out = self._idle.get()
        try:
            out.used[0] = out.nodes[0] = 0
            regroup.score_classes(
                self._space, self._fields, self._costs, classes.keys, classes.pools, after, rank,
                scratch, out, whole,
            )  # fmt: skip
            raw = taken(out)
        finally:
            self._idle.put((scratch, out))
        return _Made(rank, classes, raw, whole)

    def bounds(self, whole: Array) -> tuple[Array, Array]:
        """Statistics for nodes below (no more than this) and above (no less) each node."""
        columns, first = self._columns, FIRST_LOSS + self._space.loss_lanes
        ceiling, floor = whole[:, :columns], whole[:, :columns].copy()
        for q, kind in enumerate(self._space.derived_kind):
            if kind == SUM_SQUARES:
                floor[:, first + q] = whole[:, columns + q]
        return ceiling, floor


def _stand_in(space: Space) -> Space:
    """One attribute that costs nothing, because single nodes know their classes' losses whole."""
    nothing = np.zeros(1, np.int64)
    return space._replace(
        levels=np.ones(1, np.int64), loss_start=np.zeros((1, 1), np.int64), losses=nothing,
        loss_lane=nothing,
    )  # fmt: skip


def _costs_of(granulations: Sequence[Granulation], losses: Losses) -> Costs:
    count, levels = len(granulations), max(g.levels for g in granulations)
    start = np.zeros((count, levels), np.int64)
    per_row: list[Array] = []
    for j, granulation in enumerate(granulations):
        for level in range(granulation.levels):
            start[j, level] = sum(map(len, per_row))
            per_row.append(losses.per_block[j][level])
    lane = np.array([j if losses.apart else 0 for j in range(count)], np.int64)
    return Costs(start, np.concatenate(per_row), lane)
