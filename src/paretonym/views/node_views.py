"""What an explorer shows of one candidate, of two side by side, and some rows of its release."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paretonym.lattice.lattice import Node
from paretonym.measures import ClassTable
from paretonym.model.arrays import Array
from paretonym.model.candidate import Candidate, Counts, SuppressBelow
from paretonym.model.front import Direction
from paretonym.model.schema import Role
from paretonym.pipeline.fronts import score_of, scores_of
from paretonym.pipeline.node_facts import losses_of, lost_by_value, numbered, sizes_of
from paretonym.pipeline.open_job import OpenJob
from paretonym.pipeline.releasing import left_out, plan_of
from paretonym.report import words
from paretonym.report.facts import spread
from paretonym.report.release_bars import class_size_bins
from paretonym.report.words import Basis
from paretonym.views.node_distributions import distributions_of
from paretonym.views.node_shapes import (
    ComparedView,
    CompareView,
    LossView,
    LostValue,
    LostView,
    MeasureView,
    NodeView,
    NotComparedView,
    PlaceView,
    PreviewView,
    PrivacyView,
    QuantileView,
    SizesView,
    SpreadView,
    WorstView,
)

QUANTILES = (5, 25, 50, 75, 95)  # percent of the released people
_STEPS = 200  # points of a cumulated distribution
_UNKNOWN = "–"


@dataclass(frozen=True, slots=True)
class Property:
    """A number that every released person has: a property vector and what it says."""

    name: str  # of the measure that adds it up: k stands for the size of the class
    column: str | None

    @property
    def says(self) -> str:
        same = "" if self.column is None else f" with the same {self.column}"
        return f"people in the own class{same}"


@dataclass(frozen=True, slots=True)
class CandidateClasses:
    """A candidate with the classes behind it, and which of them are released."""

    candidate: Candidate
    classes: ClassTable
    kept: Array


def classes_at(opened: OpenJob, node: Node, suppress_below: int | None) -> CandidateClasses:
    found = score_of(opened, node, suppress_below=suppress_below)
    return with_classes(opened, found, asked=suppress_below)


def classes_at_each(
    opened: OpenJob, places: Sequence[tuple[Node, int]]
) -> Iterator[CandidateClasses]:
    """The same of many, scored together."""
    for (_, below), found in zip(places, scores_of(opened, places), strict=True):
        yield with_classes(opened, found, asked=below)


def with_classes(
    opened: OpenJob, found: Candidate, *, asked: int | None = None
) -> CandidateClasses:
    """Where there is no candidate, what the threshold that was asked for would leave."""
    below = found.suppress_below if found.beyond else max(asked or 1, 1)
    node = opened.lattice.node_of(found.levels)
    classes, kept = opened.evaluator().released(node, below)
    released = int(classes.size[kept].sum())
    counts = Counts(released, opened.histogram.rows - released, int(kept.sum()))
    candidate = replace(found, beyond=(SuppressBelow(below),), counts=counts)
    return CandidateClasses(candidate, classes, kept)


def properties_of(opened: OpenJob) -> tuple[Property, ...]:
    columns = [c for c in opened.schema.names(Role.SENSITIVE) if c in opened.histogram.counts]
    return (Property("k", None), *(Property(f"s_l({c})", c) for c in columns))


def node_view(opened: OpenJob, node: Node, suppress_below: int | None) -> NodeView:
    """Everything the room of a node draws, at the threshold given or the least suppression."""
    return view_of(opened, classes_at(opened, node, suppress_below))


def view_of(opened: OpenJob, shown: CandidateClasses, *, named: bool = True) -> NodeView:
    """Without `named`, cells of the table are numbered instead: labels of the job stay."""
    candidate, classes, kept = shown.candidate, shown.classes, shown.kept
    counts, basis, below = candidate.counts, opened.basis, candidate.suppress_below
    lost = lost_by_value(opened, classes, kept, rare=below)
    if not named:
        lost = {name: numbered(opened, name, rows) for name, rows in lost.items()}
    return NodeView(
        levels=tuple(candidate.levels.values()),
        below=below,
        suppressed=counts.suppressed,
        released=counts.released,
        classes=int(kept.sum()),
        feasible=candidate.feasible,
        values=tuple(
            MeasureView(name, words.long_name(name, basis), value, words.human(name, value, basis))
            for name, value in candidate.values.items()
        ),
        class_sizes=tuple(SizesView(*one) for one in class_size_bins(sizes_of(classes.size[kept]))),
        privacy=tuple(
            _privacy(each, *_numbers(classes, kept, each))
            for each in (properties_of(opened) if counts.released else ())
        ),
        losses=_losses(opened, classes, kept),
        distributions=distributions_of(
            opened, classes.node, classes, kept, rare=below, named=named
        ),
        not_compared=tuple(NotComparedView(*one) for one in opened.passed.not_compared.items()),
        lost=tuple(
            LostView(name, tuple(LostValue(*line) for line in lines))
            for name, lines in lost.items()
        ),
    )


def _losses(opened: OpenJob, classes: ClassTable, kept: Array) -> tuple[LossView, ...]:
    losses = losses_of(opened, classes, kept)
    return tuple(
        LossView(granulation.column, level, granulation.partitions[level].name, loss)
        for granulation, level, loss in zip(
            opened.lattice.granulations, classes.node, losses.values(), strict=True
        )
    )


def _numbers(classes: ClassTable, kept: Array, each: Property) -> tuple[Array, Array]:
    """Values of a property and the people who have them."""
    if each.column is None:
        sizes = classes.size[kept]
        return sizes, sizes
    lists = classes.count_lists(each.column)
    counts = lists.count[kept[lists.combination]]
    return counts, counts


def _privacy(each: Property, numbers: Array, people: Array) -> PrivacyView:
    values, place = np.unique(numbers, return_inverse=True)
    having = np.bincount(place, weights=people).astype(np.int64)
    at_most = np.cumsum(having)
    total = int(at_most[-1])
    kept = spread(len(values), _STEPS)
    quantiles = (
        QuantileView(p / 100, int(values[np.searchsorted(100 * at_most, p * total)]))
        for p in QUANTILES
    )
    return PrivacyView(
        property=each.name,
        says=each.says,
        minimum=int(values[0]),
        quantiles=tuple(quantiles),
        maximum=int(values[-1]),
        mean=int((values * having).sum()) / total,
        worst=WorstView(int(values[0]), int(having[0])),
        steps=tuple(zip(values[kept].tolist(), at_most[kept].tolist(), strict=True)),
    )


def vector_of(shown: CandidateClasses, each: Property) -> Array:
    """A property vector without repetitions: one entry for all rows that are counted together."""
    if each.column is None:
        return shown.classes.own_number(shown.kept, shown.classes.size)
    return shown.classes.same_value(shown.kept, each.column)


def people_behind(opened: OpenJob, each: Property) -> Array:
    """How many rows each entry of such a vector stands for."""
    return (
        opened.histogram.sizes
        if each.column is None
        else opened.histogram.counts[each.column].count
    )


Place = tuple[Node, int | None]  # a node and a threshold; None: the least suppression


def compare_views(opened: OpenJob, a: Place, b: Place) -> CompareView:
    """Two candidates: who gains how much, and which measures are better where."""
    first, second = classes_at(opened, *a), classes_at(opened, *b)
    directions = {m.name: m.direction for m in opened.every_measure()}
    directions |= {t.objective.name: t.objective.direction for t in opened.targets}
    basis = opened.basis
    return CompareView(
        _place(first.candidate),
        _place(second.candidate),
        tuple(_spread_view(opened, first, second, each) for each in properties_of(opened)),
        tuple(
            _compared(name, direction, first.candidate.values, second.candidate.values, basis)
            for name, direction in directions.items()
        ),
    )


def _place(candidate: Candidate) -> PlaceView:
    return PlaceView(tuple(candidate.levels.values()), candidate.suppress_below)


def _spread_view(
    opened: OpenJob, a: CandidateClasses, b: CandidateClasses, each: Property
) -> SpreadView:
    """A suppressed row has 0, as in the paper's property vectors."""
    gain = vector_of(a, each) - vector_of(b, each)
    people = people_behind(opened, each)
    return SpreadView(
        each.name,
        each.says,
        a_over_b=int((np.maximum(gain, 0) * people).sum()),
        b_over_a=int((np.maximum(-gain, 0) * people).sum()),
        better_a=int(people[gain > 0].sum()),
        better_b=int(people[gain < 0].sum()),
        equal=int(people[gain == 0].sum()),
    )


def _compared(
    name: str,
    direction: Direction | None,
    a: Mapping[str, float | int],
    b: Mapping[str, float | int],
    basis: Basis,
) -> ComparedView:
    shown = [words.human(name, v[name], basis) if name in v else _UNKNOWN for v in (a, b)]
    better = None
    if name in a and name in b and direction is not None:
        sign = 1 if direction is Direction.MAX else -1
        ahead = sign * (a[name] - b[name])
        better = "equal" if a[name] == b[name] else "a" if ahead > 0 else "b"
    return ComparedView(name, words.long_name(name, basis), shown[0], shown[1], better)


def preview(
    opened: OpenJob, node: Node, suppress_below: int | None, *, rows: int = 20
) -> PreviewView:
    """Some rows as the release would show them, in an order that owes nothing to the table's."""
    shown = classes_at(opened, node, suppress_below)
    candidate, classes, kept = shown.candidate, shown.classes, shown.kept
    if not candidate.counts.released:
        return PreviewView(opened.schema.kept, (), 0)
    plan = plan_of(opened, node, candidate.suppress_below, classes, kept)
    found = opened.table.apply(
        plan.steps,
        suppress=left_out(opened, node, classes, kept, plan),
        order_key=secrets.token_bytes(32),
        most=rows,
    ).read_all()
    columns = [[None if v is None else str(v) for v in c.to_pylist()] for c in found.columns]
    lines = tuple(zip(*columns, strict=True))
    return PreviewView(tuple(found.column_names), lines, candidate.counts.released)
