"""From a histogram and its hierarchies to the arrays of the compiled pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.encode.histogram import CountColumn, Histogram
from paretonym.kernels import shapes
from paretonym.kernels.shapes import Array, Pools, Space, Table, Tally
from paretonym.model.granulation import Granulation, Ints

TOLD_APART = 255  # class sizes counted one by one; few suppressed classes are larger
DENSE_VALUES = 64  # a column with more values is kept as sparse lists
_SAMPLE = 20_000  # combinations looked at to order the attributes


@dataclass(frozen=True, slots=True)
class Derived:
    """A number to derive from the counts of one column in every class."""

    kind: int  # DISTINCT, SUM_SQUARES or MINORITY of kernels.shapes
    column: str
    at_least: int = 0  # a class below this violates a requirement


@dataclass(frozen=True, slots=True)
class Losses:
    """Cost of one row in every block, in integers.

    One lane adds up all attributes at a common scale; or each attribute has a lane of its
    own, which counts leaves - 1.
    """

    apart: bool
    per_block: tuple[tuple[Ints, ...], ...]  # [attribute][level][block]

    @property
    def lanes(self) -> int:
        return len(self.per_block) if self.apart else 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Arrays for a pass, and the order in which it visits the attributes."""

    space: Space
    root: Table
    pools: Pools  # holds just the root's rows
    order: tuple[int, ...]  # engine position -> job position; -1 for padding
    derived: tuple[Derived, ...]
    vectors: tuple[str, ...]
    losses: Losses


def losses_of(granulations: Sequence[Granulation], factors: Sequence[int] | None) -> Losses:
    """Losses at a common scale (`factors` times leaves - 1), or apart when there is none."""
    tables = tuple(
        tuple((p.leaves_per_block - 1) * (factors[j] if factors else 1) for p in g.partitions)
        for j, g in enumerate(granulations)
    )
    return Losses(factors is None, tables)


def engine_order(granulations: Sequence[Granulation], codes: npt.NDArray[np.int32]) -> list[int]:
    """Strong reducers outermost: their levels shrink the table for everything inside.

    The strength of an attribute is the factor by which one of its levels shrinks the table
    on average; measured on a sample, from the combinations left without the attribute. The
    innermost attribute must be a chain, because it is swept level by level.
    """
    sample = codes[:: max(1, len(codes) // _SAMPLE)].astype(np.int64)

    def shrinking(position: int) -> float:
        levels = granulations[position].levels
        if levels == 1:
            return 1.0
        group = np.zeros(len(sample), np.int64)
        for j in range(sample.shape[1]):
            if j != position:
                _, group = np.unique(
                    group * len(granulations[j].leaves) + sample[:, j], return_inverse=True
                )
        left = (int(group.max(initial=0)) + 1) / max(len(sample), 1)
        return float(left ** (1 / (levels - 1)))

    order = sorted(range(len(granulations)), key=lambda j: (shrinking(j), j))
    chains = [j for j in order if granulations[j].is_chain]
    if chains:
        order.remove(chains[-1])
        order.append(chains[-1])
    return order


def _engine_leaves(granulation: Granulation) -> tuple[Ints, list[Ints]]:
    """Leaf codes ordered so that, in a chain, blocks are runs; blocks renumbered to match."""
    keys = [p.block_of for p in granulation.partitions]
    order = np.lexsort(keys) if granulation.is_chain else np.lexsort(keys[:1] + keys[-1:])
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    blocks = []
    for partition in granulation.partitions:
        along = partition.block_of[order]
        _, first = np.unique(along, return_index=True)
        number = np.empty(partition.blocks, np.int64)
        number[along[np.sort(first)]] = np.arange(partition.blocks)
        blocks.append(number)  # block of the model -> block of the engine
    return position, blocks


def _suffixes(codes: npt.NDArray[np.int64]) -> tuple[list[Array], list[Array], Ints]:
    """Number the distinct suffixes of every depth so that numbers sort like combinations."""
    depth = codes.shape[1]
    code_of: list[Array] = [np.empty(0)] * depth
    next_of: list[Array] = [np.empty(0)] * depth
    suffix = np.zeros(len(codes), np.int64)
    width = 1
    for d in range(depth - 1, -1, -1):
        distinct, suffix = np.unique(codes[:, d] * width + suffix, return_inverse=True)
        code_of[d] = (distinct // width).astype(np.int32)
        next_of[d] = (distinct % width).astype(np.int32)
        width = len(distinct)
    return code_of, next_of, suffix


def _dense(columns: Sequence[CountColumn], combinations: int) -> tuple[Array, list[int]]:
    starts, width = [], 0
    for column in columns:
        starts.append(width)
        width += len(column.values)
    lanes = np.zeros((combinations, width), np.int32)
    for start, column in zip(starts, columns, strict=True):
        row = np.repeat(np.arange(combinations), np.diff(column.offset))
        lanes[row, start + column.code] = column.count
    return lanes, starts


def _derive(item: Derived, column: CountColumn, sizes: Ints) -> Ints:
    begin = column.offset[:-1]
    if item.kind == shapes.DISTINCT:
        return np.diff(column.offset)
    if item.kind == shapes.SUM_SQUARES:
        return np.add.reduceat(column.count * column.count, begin)
    return sizes - np.maximum.reduceat(column.count, begin)


class LayoutBuilder:
    """Puts a Layout together; one builder a layout, so that each step reads what it needs."""

    def __init__(
        self, histogram: Histogram, granulations: Sequence[Granulation], order: Sequence[int]
    ) -> None:
        self.histogram = histogram
        self.granulations = [granulations[i] for i in order]
        self.order = list(order)
        padding = max(0, 2 - len(order)) + (0 if self.granulations[-1].is_chain else 1)
        self.depth = len(order) + padding
        self.padding_last = not self.granulations[-1].is_chain

    def _at_depth(self) -> list[int]:
        """Engine depth of each attribute; padding attributes have a single block and level."""
        shift = self.depth - len(self.order) - (1 if self.padding_last else 0)
        return [shift + i for i in range(len(self.order))]

    def build(
        self,
        *,
        strides: Sequence[int],
        derived: Sequence[Derived],
        vectors: Sequence[str],
        losses: Losses,
        limit: int,
        rule: int,
        smallest_size: int,
    ) -> Layout:
        h = self.histogram
        depths = self._at_depth()
        codes = np.zeros((h.combinations, self.depth), np.int64)
        most = max(g.levels for g in self.granulations)
        shape = (self.depth, most)
        levels = np.ones(self.depth, np.int64)
        first_child = np.full(shape, -1, np.int32)
        next_sibling = np.full(shape, -1, np.int32)
        map_start, loss_start = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        maps: list[Array] = [np.zeros(1, np.int32)]
        costs: list[Array] = [np.zeros(1, np.int64)]
        stride = np.zeros(self.depth, np.int64)
        lane_of = np.zeros(self.depth, np.int64)
        map_size, cost_size = 1, 1
        for d, job, g in zip(depths, self.order, self.granulations, strict=True):
            position, number = _engine_leaves(g)
            codes[:, d] = position[h.codes[:, job]]
            levels[d] = g.levels
            stride[d] = strides[job]
            lane_of[d] = job if losses.lanes > 1 else 0
            for level, partition in enumerate(g.partitions):
                cost = np.empty(partition.blocks, np.int64)
                cost[number[level]] = losses.per_block[job][level]
                loss_start[d, level] = cost_size
                costs.append(cost)
                cost_size += partition.blocks
                parent = g.parents[level]
                if parent < 0:
                    continue
                image = np.empty(g.partitions[parent].blocks, np.int32)
                image[number[parent]] = number[level][g.partitions[parent].map_to(partition)]
                map_start[d, level] = map_size
                maps.append(image)
                map_size += len(image)
                next_sibling[d, level] = first_child[d, parent]
                first_child[d, parent] = level
        code_of, next_of, suffix = _suffixes(codes)
        by_suffix = np.argsort(suffix, kind="stable")
        dense_names, sparse_names = self._kinds(derived, vectors)
        dense, starts = _dense([h.counts[name] for name in dense_names], h.combinations)
        low = dict(zip(dense_names, starts, strict=True))
        width = {name: len(h.counts[name].values) for name in dense_names}
        spans = [
            len(h.counts[d.column].values) + 1 if d.kind == shapes.DISTINCT else 0 for d in derived
        ]
        value_start = np.cumsum([0, *spans]).astype(np.int64)
        space = Space(
            suffix_start=np.cumsum([0, *map(len, code_of)]).astype(np.int64),
            suffix_code=np.concatenate(code_of),
            suffix_next=np.concatenate(next_of),
            levels=levels,
            first_child=first_child,
            next_sibling=next_sibling,
            map_start=map_start,
            maps=np.concatenate(maps),
            loss_start=loss_start,
            losses=np.concatenate(costs),
            loss_lane=lane_of,
            loss_lanes=losses.lanes,
            derived_kind=np.array([d.kind for d in derived], np.int64),
            derived_sparse=np.array(
                [sparse_names.index(d.column) if d.column in sparse_names else -1 for d in derived],
                np.int64,
            ),
            derived_low=np.array([low.get(d.column, 0) for d in derived], np.int64),
            derived_high=np.array(
                [low.get(d.column, 0) + width.get(d.column, 0) for d in derived], np.int64
            ),
            sparse_values=np.array([len(h.counts[n].values) for n in sparse_names], np.int64),
            vector_low=np.array([low[name] for name in vectors], np.int64),
            vector_high=np.array([low[name] + width[name] for name in vectors], np.int64),
            vectors=sum(width[name] for name in vectors),
            rows=h.rows,
            limit=limit,
            rule=rule,
            smallest_size=smallest_size,
            smallest_derived=self._requirements(derived),
            told_apart=TOLD_APART,
            value_start=value_start,
            rank_stride=stride,
        )
        root, pools = self._root(
            space, suffix, by_suffix, derived, dense, [h.counts[n] for n in sparse_names]
        )
        order = tuple(self._engine_order())
        return Layout(space, root, pools, order, tuple(derived), tuple(vectors), losses)

    def _engine_order(self) -> list[int]:
        positions = [-1] * self.depth
        for d, job in zip(self._at_depth(), self.order, strict=True):
            positions[d] = job
        return positions

    def _kinds(
        self, derived: Sequence[Derived], vectors: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        wanted = dict.fromkeys([*(d.column for d in derived), *vectors])
        sparse = [
            name
            for name in wanted
            if name not in vectors and len(self.histogram.counts[name].values) > DENSE_VALUES
        ]
        return [name for name in wanted if name not in sparse], sparse

    @staticmethod
    def _requirements(derived: Sequence[Derived]) -> Ints:
        """Empty when there are none, so that the pass does not look at all."""
        if not any(item.at_least for item in derived):
            return np.empty(0, np.int64)
        return np.array([item.at_least for item in derived], np.int64)

    def _root(
        self,
        space: Space,
        suffix: Ints,
        by_suffix: Ints,
        derived: Sequence[Derived],
        dense: Array,
        sparse: Sequence[CountColumn],
    ) -> tuple[Table, Pools]:
        h = self.histogram
        count = h.combinations
        record = np.empty((count, 1 + len(derived)), np.int64)
        record[:, 0] = h.sizes
        for q, item in enumerate(derived):
            record[:, 1 + q] = _derive(item, h.counts[item.column], h.sizes)
        lists = np.zeros((count, len(sparse), 2), np.int64)
        base = 0
        for c, column in enumerate(sparse):
            lists[:, c, 0] = base + column.offset[:-1]
            lists[:, c, 1] = np.diff(column.offset)
            base += len(column.code)
        root = Table(
            start=np.array([0, count], np.int64),
            loss=np.zeros((1, space.loss_lanes), np.int64),
            entries=(suffix[by_suffix] << 32) | np.arange(count),
            tally=_tally(space, record),
        )
        domain = int(space.sparse_values.max(initial=0))
        # classes stand in the pools as the pass meets them, so that it reads along the memory
        pools = Pools(
            record=record[by_suffix],
            dense=dense[by_suffix],
            sparse=lists[by_suffix],
            sparse_code=np.concatenate([np.empty(0, np.int32), *(c.code for c in sparse)]),
            sparse_count=np.concatenate(
                [np.empty(0, np.int32), *(c.count.astype(np.int32) for c in sparse)]
            ),
            top=np.array([count, base], np.int64),
            counter=np.zeros(domain, np.int32),
            touched=np.zeros(domain, np.int32),
        )
        return root, pools


def _tally(space: Space, record: Ints) -> Tally:
    """Counts and sums over all classes of the finest node."""
    sizes = np.bincount(np.minimum(record[:, 0], TOLD_APART + 1), minlength=TOLD_APART + 2).astype(
        np.int64
    )
    sums = np.zeros(record.shape[1], np.int64)
    sums[0] = np.sum(record[:, 0] * record[:, 0])
    values = np.zeros(int(space.value_start[-1]), np.int64)
    for q, kind in enumerate(space.derived_kind):
        if kind == shapes.DISTINCT:
            np.add.at(values, space.value_start[q] + record[:, 1 + q], 1)
        else:
            sums[1 + q] = record[:, 1 + q].sum()
    return Tally(sizes, sums, values)
