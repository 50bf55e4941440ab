"""From a histogram and its hierarchies to the arrays of the compiled pass."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.encode.histogram import Histogram
from paretonym.kernels import regroup, shapes
from paretonym.kernels.extremes import UNKNOWN
from paretonym.kernels.shapes import Extremes, Pools, RollupTable, Space, Tally
from paretonym.measures.measure import Context, Extreme
from paretonym.measures.rules import NO_RULES, Confidential
from paretonym.measures.trees import Losses, suffixes_of, trees_of
from paretonym.model.arrays import Array, Ints
from paretonym.model.granulation import Granulation

TOLD_APART = (255, 1023)  # class sizes counted one by one: up to the limit, within these bounds
DENSE_VALUES = 64  # a column with more values is kept as sparse lists


@dataclass(frozen=True, slots=True)
class Derived:
    """A number to derive from the counts of one column in every class."""

    kind: int  # DISTINCT, SUM_SQUARES or MINORITY of kernels.shapes
    column: str
    at_least: int = 0  # a class below this violates a requirement


@dataclass(frozen=True, slots=True)
class ExtremeOf:
    """The worst class by a number that a kind works out from its counts of a column."""

    extreme: Extreme
    column: str | None  # None: the counts of the confidentiality rules
    is_largest: bool  # the worst class is the one with the largest number
    bound: float | None = None  # a class beyond this violates a requirement

    @property
    def at_least(self) -> int:
        """The bound as the pass sees it, where a smaller number is always worse."""
        if self.bound is None:
            return int(UNKNOWN)
        return math.ceil(-self.bound if self.is_largest else self.bound)


@dataclass(frozen=True, slots=True)
class PassRequest:
    """What the pass is to work out, and what it may suppress."""

    strides: Sequence[int]  # what one level of each attribute adds to a node's rank
    derived: tuple[Derived, ...]
    vectors: tuple[str, ...]  # columns whose suppressed rows are counted value by value
    losses: Losses
    limit: int
    rule: int
    smallest_size: int
    confidential: Confidential = NO_RULES
    figures: bool = False  # whether what the rules make of all classes together is asked for
    extremes: tuple[ExtremeOf, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns whose counts a class carries."""
        extremes = (e.column for e in self.extremes if e.column is not None)
        return tuple(dict.fromkeys([*(d.column for d in self.derived), *extremes, *self.vectors]))


@dataclass(frozen=True, slots=True)
class PassLayout:
    """Arrays for a pass: what stays the same, the finest node's classes, their counts."""

    space: Space
    root: RollupTable
    pools: Pools  # holds just the root's classes
    order: Ints  # which combination of the histogram each of them is
    request: PassRequest

    @property
    def figures(self) -> int:
        """How many figures about confidentiality rules a candidate has."""
        return shapes.FIGURES if self.request.figures else 0

    @property
    def first_derived(self) -> int:
        """Where each part of a candidate's statistics begins."""
        return shapes.FIRST_LOSS + self.space.loss_lanes

    @property
    def first_extreme(self) -> int:
        return self.first_derived + len(self.request.derived)

    @property
    def first_figure(self) -> int:
        return self.first_extreme + len(self.request.extremes)

    @property
    def columns(self) -> int:
        """Statistics of a candidate."""
        return self.first_figure + self.figures


def build_layout(
    histogram: Histogram,
    granulations: Sequence[Granulation],
    request: PassRequest,
    context: Context,
) -> PassLayout:
    trees = trees_of(histogram, granulations, request.strides, request.losses)
    code_of, next_of, suffix = suffixes_of(trees.codes)
    columns = _Columns.of(histogram, request)
    space = Space(
        suffix_start=np.cumsum([0, *map(len, code_of)]).astype(np.int64),
        suffix_code=np.concatenate(code_of),
        suffix_next=np.concatenate(next_of),
        levels=trees.levels,
        first_child=trees.first_child,
        next_sibling=trees.next_sibling,
        is_path=np.all(trees.next_sibling < 0, axis=1),
        map_start=trees.map_start,
        maps=trees.maps,
        loss_start=trees.loss_start,
        losses=trees.losses,
        loss_lane=trees.loss_lane,
        loss_lanes=request.losses.lanes,
        derived_kind=_ints(d.kind for d in request.derived),
        derived_sparse=_ints(columns.sparse_place(d.column) for d in request.derived),
        derived_low=_ints(columns.low(d.column) for d in request.derived),
        derived_high=_ints(columns.high(d.column) for d in request.derived),
        sparse_values=_ints(len(histogram.counts[name].values) for name in columns.sparse),
        vector_low=_ints(columns.low(name) for name in request.vectors),
        vector_high=_ints(columns.high(name) for name in request.vectors),
        vectors=sum(len(histogram.counts[name].values) for name in request.vectors),
        rows=histogram.rows,
        limit=request.limit,
        rule=request.rule,
        smallest_size=request.smallest_size,
        at_least=_requirements(request),
        told_apart=min(max(request.limit, TOLD_APART[0]), TOLD_APART[1]),
        value_start=_value_starts(histogram, request.derived),
        rank_stride=trees.rank_stride,
        rules=request.confidential.rules(columns.width),
        extremes=_extremes(request.extremes, columns, context),
    )
    order = np.argsort(suffix, kind="stable")
    root, pools = _root(histogram, space, suffix, order, columns)
    return PassLayout(space, root, pools, order, request)


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which counted columns are dense lanes (and where), and which are sparse lists."""

    start: dict[str, int]
    end: dict[str, int]
    sparse: tuple[str, ...]
    predicates: tuple[str, ...]  # counts of conditions stand behind those of columns

    @classmethod
    def of(cls, histogram: Histogram, request: PassRequest) -> _Columns:
        start, end, sparse, width = {}, {}, [], 0
        for name in request.columns:
            values = len(histogram.counts[name].values)
            if values > DENSE_VALUES and name not in request.vectors:
                sparse.append(name)
                continue
            start[name], end[name] = width, width + values
            width += values
        return cls(start, end, tuple(sparse), request.confidential.counts)

    @property
    def width(self) -> int:
        return max(self.end.values(), default=0)

    @property
    def all_lanes(self) -> int:
        return self.width + len(self.predicates)

    def low(self, name: str) -> int:
        return self.start.get(name, 0)

    def high(self, name: str) -> int:
        return self.end.get(name, 0)

    def sparse_place(self, name: str) -> int:
        return self.sparse.index(name) if name in self.sparse else -1

    def lanes(self, histogram: Histogram) -> Array:
        lanes = np.zeros((histogram.combinations, self.all_lanes), np.int32)
        for lane, name in enumerate(self.predicates, start=self.width):
            lanes[:, lane] = histogram.predicates[name]
        for name, start in self.start.items():
            column = histogram.counts[name]
            row = np.repeat(np.arange(histogram.combinations), np.diff(column.offset))
            lanes[row, start + column.code] = column.count
        return lanes


def _requirements(request: PassRequest) -> Ints:
    """Empty when there are none, so that the pass does not look at all."""
    derived = [item.at_least for item in request.derived]
    extremes = [item.at_least for item in request.extremes]
    if not any(derived) and all(bound == UNKNOWN for bound in extremes):
        return np.empty(0, np.int64)
    return _ints([*derived, *extremes])


def _extremes(wanted: Sequence[ExtremeOf], columns: _Columns, context: Context) -> Extremes:
    """What kinds are given may be one and the same array, which is then kept once."""
    given = [item.extreme.given(context) for item in wanted]
    arrays = {id(array): array for array in given}
    ends = dict(zip(arrays, np.cumsum([len(a) for a in arrays.values()]).tolist(), strict=True))
    low = [columns.width if e.column is None else columns.low(e.column) for e in wanted]
    high = [columns.all_lanes if e.column is None else columns.high(e.column) for e in wanted]
    return Extremes(
        kind=_ints(item.extreme.kind for item in wanted),
        sparse=_ints(-1 if e.column is None else columns.sparse_place(e.column) for e in wanted),
        low=_ints(low),
        high=_ints(high),
        begin=_ints(ends[id(array)] - len(array) for array in given),
        end=_ints(ends[id(array)] for array in given),
        given=np.concatenate([np.empty(0, np.int64), *arrays.values()]),
        lane=np.arange(columns.all_lanes, dtype=np.int32),
    )


def _value_starts(histogram: Histogram, derived: Sequence[Derived]) -> Ints:
    """Where each minimised number's counts by value begin; a class holds 1 to all values."""
    spans = [
        len(histogram.counts[d.column].values) + 1 if d.kind == shapes.DISTINCT else 0
        for d in derived
    ]
    return np.cumsum([0, *spans]).astype(np.int64)


def _root(
    histogram: Histogram, space: Space, suffix: Ints, order: Ints, columns: _Columns
) -> tuple[RollupTable, Pools]:
    """The finest node: one class a combination, in the order in which the pass meets them."""
    count = histogram.combinations
    record = np.zeros((count, 1 + len(space.derived_kind) + len(space.extremes.kind)), np.int64)
    record[:, 0] = histogram.sizes[order]
    sparse = [histogram.counts[name] for name in columns.sparse]
    lists = np.zeros((count, len(sparse), 3), np.int64)
    base = 0
    for c, column in enumerate(sparse):
        lists[:, c, 0] = base + column.offset[:-1]
        lists[:, c, 1] = lists[:, c, 2] = np.diff(column.offset)
        base += len(column.code)
    domain = int(space.sparse_values.max(initial=0))
    empty = np.empty(0, np.int32)
    pools = Pools(
        record=record,
        dense=columns.lanes(histogram)[order],
        sparse=lists[order],
        sparse_code=np.concatenate([empty, *(c.code for c in sparse)]),
        sparse_count=np.concatenate([empty, *(c.count.astype(np.int32) for c in sparse)]),
        top=np.array([count, base], np.int64),
        counter=np.zeros(domain, np.int32),
        touched=np.zeros(domain, np.int32),
    )
    regroup.derive(space, pools)
    tally = Tally(
        np.zeros(space.told_apart + 2, np.int64),
        np.zeros(1 + len(space.derived_kind), np.int64),
        np.zeros(int(space.value_start[-1]), np.int64),
    )
    regroup.take_stock(space, record, tally)
    root = RollupTable(
        start=np.array([0, count], np.int64),
        loss=np.zeros((1, space.loss_lanes), np.int64),
        entries=(suffix[order] << 32) | np.arange(count),
        tally=tally,
    )
    return root, pools
