"""The evaluator: measures of candidates, by the compiled pass or node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.encode.histogram import Histogram
from paretonym.errors import JobError
from paretonym.kernels import shapes
from paretonym.lattice import Lattice
from paretonym.lattice.lattice import Node
from paretonym.measures import plain
from paretonym.measures.classes import ClassTable
from paretonym.measures.layout import Derived, ExtremeOf, PassLayout, PassRequest, build_layout
from paretonym.measures.losses import shared_losses
from paretonym.measures.measure import (
    Context,
    Fast,
    Measure,
    Reduce,
    Reduced,
    Statistic,
    Values,
    statistics_of,
)
from paretonym.measures.passes import RawCandidates, run_pass
from paretonym.measures.quality import qualities_of
from paretonym.measures.rules import NO_RULES, Confidential
from paretonym.measures.trees import losses_of
from paretonym.model.arrays import Array
from paretonym.model.bound import Bound
from paretonym.model.job import Rule

_KINDS = {
    "distinct": shapes.DISTINCT,
    "sum_squares": shapes.SUM_SQUARES,
    "minority": shapes.MINORITY,
}
_FIGURES = {
    "exposed": shapes.EXPOSED,
    "at_risk": shapes.AT_RISK,
    "risk": shapes.RISK,
}
_BY_LEVELS = {"loss", "losses", "quality"}  # known of a node before any class is
_RULES = {
    "required": shapes.RULE_REQUIRED,
    "staircase": shapes.RULE_STAIRCASE,
    "paper": shapes.RULE_PAPER,
}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound with the measure that it speaks of."""

    measure: Measure
    bound: Bound

    @classmethod
    def of(cls, measure: Measure, value: float | Fraction) -> Requirement:
        """The bound on the side on which the measure gets worse."""
        if measure.direction is None:
            raise JobError(
                f"require: '{measure.name}' has no natural direction and cannot be required"
            )
        return cls(measure, Bound(measure.name, measure.direction, Fraction(value)))

    def met(self, values: Values) -> Array:
        return values.met(self.bound.value, self.bound.direction)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Nodes with a suppression threshold each, and their statistics."""

    rank: Array  # node numbers in the lattice
    suppress_below: Array  # the smallest released class size
    reduced: Reduced
    nodes: int  # nodes looked at, with or without a candidate

    @property
    def suppressed(self) -> Array:
        return self.reduced.suppressed

    def values(self, measure: Measure) -> Values:
        return measure.combine(self.reduced)

    def __len__(self) -> int:
        return len(self.rank)


class Evaluator:
    """Scores nodes of a lattice; `measures` are those asked for, objectives and all."""

    def __init__(
        self,
        histogram: Histogram,
        lattice: Lattice,
        measures: Sequence[Measure],
        context: Context,
        *,
        require: Sequence[Requirement] = (),
        limit: int = 0,
        rule: Rule = "staircase",
    ) -> None:
        if limit >= histogram.rows:
            raise JobError(
                f"the suppression limit of {limit} rows would allow leaving out all "
                f"{histogram.rows} rows; set it below 100 %"
            )
        self.histogram = histogram
        self.lattice = lattice
        self.context = context
        self.limit = limit
        self.rule: Rule = rule
        self.measures = tuple(measures)
        self.class_rules = tuple(
            plain.ClassRule(r.measure.statistics[0], r.bound)
            for r in require
            if r.measure.class_wise
        )
        self.node_rules = tuple(r for r in require if not r.measure.class_wise)
        every = [*measures, *(r.measure for r in require), *_always()]
        self.statistics = statistics_of(every)
        if limit and self._rules.counts:
            raise JobError(
                "confidential rules hold for everybody, so nothing may be suppressed; leave out "
                "suppression, or set its limit to 0 rows"
            )

    @property
    def _rules(self) -> Confidential:
        """The rules where a statistic asks for them."""
        asked = any(
            f.kind in _FIGURES or (f.kind == "extreme" and f.column is None) for f in self._fast
        )
        return self.context.confidential or NO_RULES if asked else NO_RULES

    @property
    def _fast(self) -> list[Fast]:
        return [s.fast for s in self.statistics if s.fast]

    @property
    def is_fast(self) -> bool:
        """Whether the compiled pass knows every statistic (a user's own may be plain Python)."""
        return all(s.fast is not None for s in self.statistics)

    def sweep(
        self,
        *,
        threads: int = 1,
        progress: Callable[[int], None] | None = None,
        skip: int = 0,
    ) -> Iterator[Candidates]:
        """Every candidate of every node, a part of the lattice at a time.

        The parts are always the same, so that a pass can go on behind the first `skip` of them.
        """
        if not self.is_fast:
            yield from self._sweep_plainly(progress, skip)
            return
        for raw in run_pass(self.layout, threads=threads, progress=progress, skip=skip):
            yield self.from_pass(raw)

    def score(self, node: Node) -> Candidates:
        """The candidates of one node, from its class table."""
        return self.score_all([node])

    def class_table(self, node: Node) -> ClassTable:
        return ClassTable(self.histogram, self.lattice.granulations, node)

    def released(self, node: Node, suppress_below: int) -> tuple[ClassTable, Array]:
        """The classes of a node and which of them a candidate releases."""
        classes = self.class_table(node)
        violating = np.zeros(len(classes), np.bool_)
        for rule in self.class_rules:
            violating |= rule.violated(classes, self.context)
        return classes, plain.released_classes(classes.size, violating, suppress_below)

    def meets(self, candidates: Candidates) -> Array:
        """Which candidates meet the requirements that concern a node as a whole."""
        good = np.ones(len(candidates), np.bool_)
        for rule in self.node_rules:
            good &= rule.met(candidates.values(rule.measure))
        return good

    @property
    def parts_violate_too(self) -> bool:
        """Whether a class that violates a requirement does so in every part of it.

        Parts have fewer rows and no more values, but may be more even than the class.
        """
        return not any(r.statistic.fast and r.statistic.fast.extreme for r in self.class_rules)

    def can_meet(self, bounds: Candidates, *, above: bool) -> Array:
        """The same of bounds: whether finer nodes (`above` helps) or coarser ones can meet them."""
        good = np.ones(len(bounds), np.bool_)
        for class_rule in self.class_rules if above else ():
            good &= ~class_rule.falls_short(bounds.reduced[class_rule.statistic.key])
        for rule in self.node_rules:
            measure = rule.measure
            if (
                measure.bounded
                and measure.direction
                and (measure.is_better_above(measure.direction) == above)
            ):
                good &= rule.met(bounds.values(measure))
        return good

    @cached_property
    def layout(self) -> PassLayout:
        """Arrays of the compiled pass for exactly the statistics asked for."""
        fast = self._fast
        smallest = max(
            (r.at_least for r in self.class_rules if r.statistic.key == "smallest"), default=0
        )
        at_least = {r.statistic.key: r.at_least for r in self.class_rules}
        extremes = [
            ExtremeOf(s.fast.extreme, s.fast.column, s.reduce is Reduce.MAX, at_least.get(s.key))
            for s in self.statistics
            if s.fast and s.fast.extreme
        ]
        derived = [
            Derived(_KINDS[s.fast.kind], s.fast.column, int(np.ceil(at_least.get(s.key, 0))))
            for s in self.statistics
            if s.fast and s.fast.kind in _KINDS and s.fast.column
        ]
        apart = any(f.kind == "losses" for f in fast)
        factors = None if apart else shared_losses(self.context).factors
        vectors = [f.column for f in fast if f.kind == "released" and f.column]
        request = PassRequest(
            strides=self.lattice.strides,
            derived=tuple(derived),
            vectors=tuple(vectors),
            losses=losses_of(self.lattice.granulations, factors),
            limit=self.limit,
            rule=_RULES[self.rule],
            smallest_size=int(np.ceil(smallest)),
            confidential=self._rules,
            figures=any(f.kind in _FIGURES for f in fast),
            extremes=tuple(extremes),
        )
        return build_layout(self.histogram, self.lattice.granulations, request, self.context)

    @cached_property
    def _level_losses(self) -> list[Array]:
        """Loss of all rows at each level of each attribute, one row of lanes a level."""
        losses = self.layout.request.losses
        tables = []
        for j, granulation in enumerate(self.lattice.granulations):
            rows = np.bincount(
                self.histogram.codes[:, j],
                weights=self.histogram.sizes,
                minlength=len(granulation.leaves),
            ).astype(np.int64)
            table = np.zeros((granulation.levels, losses.lanes), np.int64)
            for level, partition in enumerate(granulation.partitions):
                cost = losses.per_block[j][level][partition.block_of]
                table[level, j if losses.apart else 0] = int((cost * rows).sum())
            tables.append(table)
        return tables

    def from_pass(self, raw: RawCandidates) -> Candidates:
        """Statistics of the released rows, from what compiled code says of the suppressed ones."""
        released = self._released_losses(raw)
        found = {s.key: self._pick(s, raw, released) for s in self.statistics}
        return Candidates(
            raw.rank,
            raw.statistics[:, shapes.SMALLEST],
            Reduced(self.context, raw.suppressed, found),
            raw.nodes,
        )

    def _released_losses(self, raw: RawCandidates) -> Array:
        """Loss of all rows at each node, less that of the suppressed ones."""
        lanes = self.layout.request.losses.lanes
        released = -raw.statistics[:, shapes.FIRST_LOSS : shapes.FIRST_LOSS + lanes]
        rest = raw.rank
        for stride, table in zip(self.lattice.strides, self._level_losses, strict=True):
            level, rest = np.divmod(rest, stride)
            released = released + table[level]
        return released

    def is_loss(self, measure: Measure) -> bool:
        """Whether a measure adds up what levels lose: then it is known before any class is."""
        kinds = {s.fast.kind for s in measure.statistics if s.fast}
        return measure.bounded and bool(kinds) and kinds <= _BY_LEVELS

    def losses_alone(self, rank: Array) -> Reduced:
        """The losses of whole nodes, nothing suppressed; no other statistic."""
        lanes = self.layout.request.losses.lanes
        nothing = np.zeros(len(rank), np.int64)
        empty = np.zeros((len(rank), shapes.FIRST_LOSS + lanes), np.int64)
        raw = RawCandidates(rank, nothing, empty, empty[:, :0], len(rank))
        released = self._released_losses(raw)
        found = {
            s.key: self._pick(s, raw, released)
            for s in self.statistics
            if s.fast and s.fast.kind in _BY_LEVELS
        }
        return Reduced(self.context, nothing, found)

    def _pick(self, statistic: Statistic, raw: RawCandidates, released: Array) -> Array:
        fast = statistic.fast
        assert fast is not None  # noqa: S101  (the pass runs only when all are fast)
        columns = {
            "classes": shapes.COUNT,
            "squares": shapes.SQUARES,
            "smallest": shapes.SMALLEST,
        }
        if fast.kind in columns:
            return raw.statistics[:, columns[fast.kind]]
        if fast.kind == "losses":
            return released
        if fast.kind == "loss":
            if not self.layout.request.losses.apart:
                return released[:, 0]
            factors = np.array(shared_losses(self.context).factors, np.int64)
            return np.asarray((released * factors).sum(axis=1))
        if fast.kind == "released":
            first = 0
            for name in self.layout.request.vectors:
                width = len(self.histogram.counts[name].values)
                if name == fast.column:
                    totals = self.context.totals[name]
                    return np.asarray(totals - raw.vectors[:, first : first + width])
                first += width
        if fast.kind == "quality":
            return self.context.qualities.of_ranks(raw.rank, self.lattice.strides)
        if fast.kind in _FIGURES:
            return raw.statistics[:, self.layout.first_figure + _FIGURES[fast.kind]]
        request = self.layout.request
        if fast.extreme:
            place = [(e.extreme, e.column) for e in request.extremes].index(
                (fast.extreme, fast.column)
            )
            numbers = raw.statistics[:, self.layout.first_extreme + place]
            return -numbers if statistic.reduce is Reduce.MAX else numbers
        wanted = (_KINDS[fast.kind], str(fast.column))
        place = [(d.kind, d.column) for d in request.derived].index(wanted)
        return raw.statistics[:, self.layout.first_derived + place]

    def _sweep_plainly(
        self, progress: Callable[[int], None] | None, skip: int
    ) -> Iterator[Candidates]:
        for rank in range(skip, self.lattice.size):
            yield self.score_all([self.lattice.unrank(rank)])
            if progress:
                progress(1)

    def score_all(self, nodes: Sequence[Node]) -> Candidates:
        """The same for several nodes, in their order."""
        ranks: list[int] = []
        steps: list[int] = []
        gone: list[int] = []
        found: dict[str, list[Array]] = {s.key: [] for s in self.statistics}
        for node in nodes:
            below, suppressed, reduced = plain.evaluate_node(
                self.class_table(node),
                self.context,
                self.statistics,
                self.class_rules,
                limit=self.limit,
                rule=self.rule,
            )
            ranks += [self.lattice.rank(node)] * len(below)
            steps += below
            gone += suppressed
            for key, values in reduced.items():
                found[key].append(values)
        arrays = {key: np.concatenate(values) for key, values in found.items()}
        lost = np.array(gone, np.int64)
        return Candidates(
            np.array(ranks, dtype=np.int64 if self.lattice.size < 2**62 else object),
            np.array(steps, np.int64),
            Reduced(self.context, lost, arrays),
            len(nodes),
        )


def _always() -> list[Measure]:
    """Statistics every candidate carries, so that a score always shows them."""
    from paretonym.measures.builtin import average_class_size, k

    return [k(), average_class_size()]


def make_context(
    histogram: Histogram,
    lattice: Lattice,
    weights: Mapping[str, object],
    *,
    confidential: Confidential | None = None,
    observed: bool = False,
) -> Context:
    """`observed`: quality is over the values that occur, even where more are declared."""
    shares = tuple(Fraction(str(weights.get(c, 1))) for c in lattice.columns)
    domains = [
        np.unique(histogram.codes[:, j]).astype(np.int64)
        if observed
        else np.arange(len(g.leaves), dtype=np.int64)
        for j, g in enumerate(lattice.granulations)
    ]
    return Context(
        rows=histogram.rows,
        granulations=lattice.granulations,
        weights=shares,
        totals={name: column.totals for name, column in histogram.counts.items()},
        confidential=confidential,
        qualities=qualities_of(lattice.granulations, shares, domains),
    )
