"""Running the compiled pass: subtrees as tasks, a workspace a thread, results in fixed order.

The outer attributes are rolled up here, one task for each choice of their levels; the rest
of the lattice below a task is explored by one call. What a thread does never depends on the
other threads, so the candidates are the same whatever their number.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from paretonym.kernels import rollup
from paretonym.kernels.shapes import (
    OK,
    POOL_FULL,
    RULE_STAIRCASE,
    Blocks,
    Output,
    Pools,
    RollupTable,
    Scratch,
    Space,
    Tally,
)
from paretonym.measures.layout import PassLayout
from paretonym.model.arrays import Array

_SUBTREES = 24  # at least this many subtrees, so that threads and progress are even
_WORK = 5 * 10**8  # nodes times classes of a subtree at most: budgets and checkpoints wait for one
_LOW = np.int64((1 << 32) - 1)
_CANCELLED = 3  # a status that no kernel sets: they stop at the next table


@dataclass(frozen=True, slots=True)
class RawCandidates:
    """What the pass found in one subtree."""

    rank: Array
    suppressed: Array
    statistics: Array
    vectors: Array
    nodes: int


@dataclass(slots=True)
class Subtree:
    """A subtree: the outer attributes are decided, `depth` is the next one."""

    rank: int
    depth: int
    nodes: int
    table: RollupTable
    pools: Pools


@dataclass(slots=True)
class Workspace:
    """The memory of one thread, grown when a task needs more."""

    layout: PassLayout
    spread: float = 1.0  # doubled when the pools turned out too small
    outputs: list[Output] = field(default_factory=list)
    cancelled: bool = False

    def run(self, subtree: Subtree) -> RawCandidates:
        room = 1
        while True:
            steps = min(steps_of(self.layout.space), 32 * room)
            out = output_for(self.layout, subtree.nodes * steps)
            self.outputs.append(out)
            self._explore(subtree, out)
            status = _CANCELLED if self.cancelled else int(out.status[0])
            if status == POOL_FULL:
                self.spread *= 2
            elif status in (OK, _CANCELLED):
                self.outputs.clear()
                return taken(out)
            else:
                room *= 4

    def cancel(self) -> None:
        self.cancelled = True
        for out in self.outputs:
            out.status[0] = _CANCELLED

    def _explore(self, subtree: Subtree, out: Output) -> None:
        space = self.layout.space
        depths = len(space.levels) - subtree.depth
        pools = roomy(subtree.pools, self.spread * (depths + 1), self._list_room(subtree.depth))
        scratch = scratch_for(self.layout, len(subtree.table.entries))
        cut, table = rollup.split(space, subtree.depth, subtree.table)
        rollup.explore(space, subtree.depth, cut, table, subtree.rank, pools, scratch, out)

    def _list_room(self, depth: int) -> float:
        """Every level may write each list once more, and merging pairs writes some twice."""
        return self.spread * (2 + 2 * float(self.layout.space.levels[depth:].sum()))


def steps_of(space: Space) -> int:
    """How many candidates a node can have."""
    return math.isqrt(2 * space.limit) + 2 if space.rule == RULE_STAIRCASE else 1


def output_for(layout: PassLayout, capacity: int) -> Output:
    """Room for so many candidates."""
    return Output(
        used=np.zeros(1, np.int64),
        rank=np.empty(capacity, np.int64),
        suppressed=np.empty(capacity, np.int64),
        statistics=np.empty((capacity, layout.columns), np.int64),
        vectors=np.empty((capacity, layout.space.vectors), np.int64),
        status=np.zeros(1, np.int64),
        nodes=np.zeros(1, np.int64),
    )


def taken(out: Output) -> RawCandidates:
    """A copy of what was found, so that the room can be used again."""
    used = int(out.used[0])
    return RawCandidates(
        out.rank[:used].copy(), out.suppressed[:used].copy(),
        out.statistics[:used].copy(), out.vectors[:used].copy(), int(out.nodes[0]),
    )  # fmt: skip


def roomy(pools: Pools, class_factor: float, list_factor: float) -> Pools:
    """A copy with free room; memory that is never written is never used."""
    classes, lists = len(pools.record), len(pools.sparse_code)
    capacity = int(classes * class_factor) + 1
    list_capacity = int(lists * list_factor)
    record = np.empty((capacity, pools.record.shape[1]), np.int64)
    dense = np.empty((capacity, pools.dense.shape[1]), np.int32)
    sparse = np.empty((capacity, *pools.sparse.shape[1:]), np.int64)
    code, count = np.empty(list_capacity, np.int32), np.empty(list_capacity, np.int32)
    record[:classes], dense[:classes], sparse[:classes] = pools.record, pools.dense, pools.sparse
    code[:lists], count[:lists] = pools.sparse_code, pools.sparse_count
    return Pools(
        record, dense, sparse, code, count,
        top=np.array([classes, lists], np.int64),
        counter=np.zeros_like(pools.counter), touched=np.zeros_like(pools.touched),
    )  # fmt: skip


def scratch_for(layout: PassLayout, entries: int) -> Scratch:
    space = layout.space
    columns = layout.columns + space.vectors
    tally = layout.root.tally

    def ints(count: int) -> Array:
        return np.empty(count, np.int64)

    return Scratch(
        key=ints(entries), member=ints(entries), packed=ints(entries), spare=ints(entries),
        small=ints(entries), offset=ints(space.told_apart + 3), sizes=ints(space.told_apart + 2),
        tally=Tally(*(np.empty_like(part) for part in tally)),
        suppressed=ints(columns), values=np.zeros_like(tally.values),
        bucket=np.zeros((space.told_apart + 1, columns), np.int64),
        bucket_values=np.zeros((space.told_apart + 1, len(tally.values)), np.int64),
        figures=np.zeros(layout.figures, np.int64),
    )  # fmt: skip


def _compact(table: RollupTable, pools: Pools) -> tuple[RollupTable, Pools]:
    """Only the classes the table still refers to, in its own order."""
    member = table.entries & _LOW
    sparse = pools.sparse[member]
    length = sparse[:, :, 1].ravel()
    start = np.cumsum(length) - length
    total = int(length.sum())
    place = np.repeat(sparse[:, :, 0].ravel() - start, length) + np.arange(total)
    lists = np.stack([start.reshape(sparse.shape[:2]), sparse[:, :, 1], sparse[:, :, 1]], axis=2)
    packed = Pools(
        pools.record[member], pools.dense[member], np.ascontiguousarray(lists),
        pools.sparse_code[place], pools.sparse_count[place],
        top=np.array([len(member), total], np.int64), counter=pools.counter, touched=pools.touched,
    )  # fmt: skip
    entries = (table.entries & ~_LOW) | np.arange(len(member))
    return RollupTable(table.start, table.loss, entries, table.tally), packed


def outer_depth(levels: Array, classes: int) -> int:
    """How many attributes are decided before a task begins; two at least are left to it."""
    wanted = max(_SUBTREES, math.prod(map(int, levels)) * classes // _WORK)
    depth, subtrees = 0, 1
    while depth < len(levels) - 2 and subtrees < wanted:
        subtrees *= int(levels[depth])
        depth += 1
    return depth


class _PoolsFullError(Exception):
    """The outer roll-up needs larger pools."""


def subtrees_of(layout: PassLayout) -> Iterator[Subtree]:
    """Every subtree once, depth-first; begun again with larger pools where they are too small."""
    done, spread = 0, 1
    while True:
        try:
            for number, subtree in enumerate(_subtrees(layout, spread)):
                if number >= done:
                    done = number + 1
                    yield subtree
        except _PoolsFullError:
            spread *= 2
        else:
            return


def _subtrees(layout: PassLayout, spread: int) -> Iterator[Subtree]:
    """Depth-first, so that few tables are alive at a time."""
    space = layout.space
    last = outer_depth(space.levels, len(layout.root.entries))
    nodes = math.prod(int(count) for count in space.levels[last:])
    lists = 2 + 2 * float(space.levels[:last].sum())
    pools = roomy(layout.pools, spread * (last + 1), spread * lists)
    scratch = scratch_for(layout, len(layout.root.entries))

    def visit(depth: int, rank: int, table: RollupTable) -> Iterator[Subtree]:
        if depth == last:
            own_table, own_pools = _compact(table, pools)
            yield Subtree(rank, depth, nodes, own_table, own_pools)
            return
        cut, inner = rollup.split(space, depth, table)
        yield from levels_of(depth, 0, rank, int(pools.top[0]), cut, inner)

    def levels_of(
        depth: int, level: int, rank: int, floor: int, cut: Blocks, table: RollupTable
    ) -> Iterator[Subtree]:
        here = rank + level * int(space.rank_stride[depth])
        yield from visit(depth + 1, here, rollup.by_prefix(space, depth, level, cut, table))
        child = int(space.first_child[depth, level])
        while child >= 0:
            top = pools.top.copy()
            new_cut, new_table, full = rollup.roll(
                space, depth, child, cut, table, floor, pools, scratch
            )
            if full:
                raise _PoolsFullError
            yield from levels_of(depth, child, rank, floor, new_cut, new_table)
            pools.top[:] = top
            child = int(space.next_sibling[depth, child])

    yield from visit(0, 0, layout.root)


def run_pass(
    layout: PassLayout,
    *,
    threads: int,
    progress: Callable[[int], None] | None = None,
    skip: int = 0,
) -> Iterator[RawCandidates]:
    """Candidates of all nodes, subtree by subtree; `progress` hears of nodes as they are done.

    The first `skip` subtrees are left out: an interrupted pass goes on behind them.
    Even a single thread is not the caller's own: an interrupt must reach the caller while
    compiled code runs, and then stops that code at its next table.
    """
    idle = deque(Workspace(layout) for _ in range(threads))
    every = list(idle)

    def run(subtree: Subtree) -> RawCandidates:
        workspace = idle.popleft()
        try:
            return workspace.run(subtree)
        finally:
            idle.append(workspace)

    waiting: deque[Future[RawCandidates]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for subtree in islice(subtrees_of(layout), skip, None):
                waiting.append(pool.submit(run, subtree))
                if len(waiting) > 2 * threads:  # few tables wait, so that memory stays bounded
                    yield _take(waiting, progress)
            while waiting:
                yield _take(waiting, progress)
        finally:
            for future in waiting:
                future.cancel()
            for workspace in every:
                workspace.cancel()


def _take(
    waiting: deque[Future[RawCandidates]], progress: Callable[[int], None] | None
) -> RawCandidates:
    found = waiting.popleft().result()
    if progress:
        progress(found.nodes)
    return found
