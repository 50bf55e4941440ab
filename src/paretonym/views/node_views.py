"""What an explorer shows of one candidate, of two side by side, and some rows of its release."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from paretonym.lattice.lattice import Node
from paretonym.measures import ClassTable
from paretonym.model.arrays import Array
from paretonym.model.front import Direction
from paretonym.model.schema import Role
from paretonym.pipeline.fronts import Score, score_of, scores_of
from paretonym.pipeline.node_facts import losses_of, lost_by_value, numbered, sizes_of
from paretonym.pipeline.open_job import OpenJob
from paretonym.pipeline.releasing import left_out, plan_of
from paretonym.report import words
from paretonym.report.facts import spread
from paretonym.report.release_bars import class_size_bins
from paretonym.report.words import Basis
from paretonym.views.node_distributions import Distribution, distributions_of

QUANTILES = (5, 25, 50, 75, 95)  # percent of the released people
_STEPS = 200  # points of a cumulated distribution
_UNKNOWN = "–"


if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def _plain(flat: DataclassInstance) -> dict[str, Any]:
    """As `dataclasses.asdict` without its deep copies."""
    return {part.name: getattr(flat, part.name) for part in fields(flat)}


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
class PrivacyView:
    """How a property is distributed over the released people; the suppressed are not counted."""

    property: str
    says: str
    minimum: int
    quantiles: tuple[tuple[float, int], ...]  # share of the people, who have at most this value
    maximum: int
    mean: float
    worst: int  # people who have the minimum
    steps: tuple[tuple[int, int], ...]  # value, people with at most that; evenly spread if many

    def to_json(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in ("property", "says", "minimum")},
            "quantiles": [{"share": share, "value": value} for share, value in self.quantiles],
            "maximum": self.maximum,
            "mean": self.mean,
            "worst": {"value": self.minimum, "people": self.worst},
            "steps": [list(step) for step in self.steps],
        }


@dataclass(frozen=True, slots=True)
class ValueView:
    name: str
    long: str
    value: float | int
    shown: str


@dataclass(frozen=True, slots=True)
class LossView:
    column: str
    level: int
    name: str
    loss: float


@dataclass(frozen=True, slots=True)
class NodeView:
    """One candidate. Without one at its threshold (`feasible` is false) it has no values."""

    levels: tuple[int, ...]
    below: int
    suppressed: int
    released: int
    classes: int
    feasible: bool
    values: tuple[ValueView, ...]
    class_sizes: tuple[tuple[int, int, int, int], ...]  # from, to, classes, rows
    privacy: tuple[PrivacyView, ...]
    losses: tuple[LossView, ...]
    distributions: tuple[Distribution, ...]
    not_compared: Mapping[str, str]  # column, why it has no distribution here
    lost: Mapping[str, Sequence[tuple[str | None, int, int]]]  # value, rows lost, rows

    def to_json(self) -> dict[str, Any]:
        names = ("below", "suppressed", "released", "classes", "feasible")
        size, line = ("from", "to", "classes", "rows"), ("label", "lost", "rows")
        return {
            "levels": list(self.levels),
            **{name: getattr(self, name) for name in names},
            "values": [_plain(value) for value in self.values],
            "class_sizes": [dict(zip(size, each, strict=True)) for each in self.class_sizes],
            "privacy": [each.to_json() for each in self.privacy],
            "losses": [_plain(loss) for loss in self.losses],
            "distributions": [each.to_json() for each in self.distributions],
            "not_compared": [
                {"column": name, "why": why} for name, why in self.not_compared.items()
            ],
            "lost": [
                {"column": name, "rows": [dict(zip(line, each, strict=True)) for each in lines]}
                for name, lines in self.lost.items()
            ],
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A score with the classes behind it, and which of them are released."""

    node: Node
    below: int
    score: Score
    classes: ClassTable
    kept: Array

    @property
    def released(self) -> int:
        return int(self.classes.size[self.kept].sum())


def candidate_of(opened: OpenJob, node: Node, suppress_below: int | None) -> Candidate:
    score = score_of(opened, node, suppress_below=suppress_below)
    return _candidate(opened, node, suppress_below, score)


def candidates_of(opened: OpenJob, places: Sequence[tuple[Node, int]]) -> Iterator[Candidate]:
    """The same of many, scored together."""
    scores = scores_of(opened, places)
    for (node, below), score in zip(places, scores, strict=True):
        yield _candidate(opened, node, below, score)


def _candidate(opened: OpenJob, node: Node, suppress_below: int | None, score: Score) -> Candidate:
    # a node without a candidate there shows what the threshold would leave
    below = score.suppress_below if score.values else max(suppress_below or 1, 1)
    return Candidate(node, below, score, *opened.evaluator().released(node, below))


def properties_of(opened: OpenJob) -> tuple[Property, ...]:
    columns = [c for c in opened.schema.names(Role.SENSITIVE) if c in opened.histogram.counts]
    return (Property("k", None), *(Property(f"s_l({c})", c) for c in columns))


def node_view(opened: OpenJob, node: Node, suppress_below: int | None) -> NodeView:
    """Everything the room of a node draws, at the threshold given or the least suppression."""
    return view_of(opened, candidate_of(opened, node, suppress_below))


def view_of(opened: OpenJob, candidate: Candidate, *, named: bool = True) -> NodeView:
    """Without `named`, cells of the table are numbered instead: labels of the job stay."""
    classes, kept, score = candidate.classes, candidate.kept, candidate.score
    basis, released = opened.basis, candidate.released
    partitions = zip(opened.lattice.granulations, candidate.node, strict=True)
    names = [granulation.partitions[level].name for granulation, level in partitions]
    losses = losses_of(opened, classes, kept)
    lost = lost_by_value(opened, classes, kept, rare=candidate.below)
    return NodeView(
        levels=tuple(candidate.node),
        below=candidate.below,
        suppressed=opened.histogram.rows - released,
        released=released,
        classes=int(kept.sum()),
        feasible=score.feasible,
        values=tuple(
            ValueView(name, words.long_name(name, basis), value, words.human(name, value, basis))
            for name, value in score.values.items()
        ),
        class_sizes=tuple(class_size_bins(sizes_of(classes.size[kept]))),
        privacy=tuple(
            _privacy(each, *_numbers(classes, kept, each))
            for each in (properties_of(opened) if released else ())
        ),
        losses=tuple(
            LossView(column, level, name, loss)
            for (column, loss), level, name in zip(
                losses.items(), candidate.node, names, strict=True
            )
        ),
        distributions=distributions_of(
            opened, candidate.node, classes, kept, rare=candidate.below, named=named
        ),
        not_compared=opened.passed.not_compared,
        lost=lost if named else {name: numbered(opened, name, rows) for name, rows in lost.items()},
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
    quantiles = [int(values[np.searchsorted(100 * at_most, p * total)]) for p in QUANTILES]
    return PrivacyView(
        property=each.name,
        says=each.says,
        minimum=int(values[0]),
        quantiles=tuple((p / 100, value) for p, value in zip(QUANTILES, quantiles, strict=True)),
        maximum=int(values[-1]),
        mean=int((values * having).sum()) / total,
        worst=int(having[0]),
        steps=tuple(zip(values[kept].tolist(), at_most[kept].tolist(), strict=True)),
    )


def vector_of(candidate: Candidate, each: Property) -> Array:
    """A property vector without repetitions: one entry for all rows that are counted together."""
    if each.column is None:
        return candidate.classes.own_number(candidate.kept, candidate.classes.size)
    return candidate.classes.same_value(candidate.kept, each.column)


def people_behind(opened: OpenJob, each: Property) -> Array:
    """How many rows each entry of such a vector stands for."""
    return (
        opened.histogram.sizes
        if each.column is None
        else opened.histogram.counts[each.column].count
    )


@dataclass(frozen=True, slots=True)
class SpreadView:
    """The spread index both ways, and for how many people each side is better."""

    property: str
    says: str
    a_over_b: int
    b_over_a: int
    better_a: int
    better_b: int
    equal: int


@dataclass(frozen=True, slots=True)
class ComparedValue:
    name: str
    long: str
    a: str
    b: str
    better: str | None  # "a", "b" or "equal"; None: the measure has no direction


@dataclass(frozen=True, slots=True)
class CompareView:
    a: tuple[Node, int]
    b: tuple[Node, int]
    spread: tuple[SpreadView, ...]
    values: tuple[ComparedValue, ...]

    def to_json(self) -> dict[str, Any]:
        sides = {"a": self.a, "b": self.b}
        return {
            **{side: {"levels": list(node), "below": k} for side, (node, k) in sides.items()},
            "spread": [_plain(each) for each in self.spread],
            "values": [_plain(each) for each in self.values],
        }


Place = tuple[Node, int | None]  # a node and a threshold; None: the least suppression


def compare_views(opened: OpenJob, a: Place, b: Place) -> CompareView:
    """Two candidates: who gains how much, and which measures are better where."""
    first, second = candidate_of(opened, *a), candidate_of(opened, *b)
    directions = {m.name: m.direction for m in opened.every_measure()}
    directions |= {t.objective.name: t.objective.direction for t in opened.targets}
    basis = opened.basis
    return CompareView(
        (first.node, first.below),
        (second.node, second.below),
        tuple(_spread_view(opened, first, second, each) for each in properties_of(opened)),
        tuple(
            _compared(name, direction, first.score.values, second.score.values, basis)
            for name, direction in directions.items()
        ),
    )


def _spread_view(opened: OpenJob, a: Candidate, b: Candidate, each: Property) -> SpreadView:
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
) -> ComparedValue:
    shown = [words.human(name, v[name], basis) if name in v else _UNKNOWN for v in (a, b)]
    better = None
    if name in a and name in b and direction is not None:
        sign = 1 if direction is Direction.MAX else -1
        ahead = sign * (a[name] - b[name])
        better = "equal" if a[name] == b[name] else "a" if ahead > 0 else "b"
    return ComparedValue(name, words.long_name(name, basis), shown[0], shown[1], better)


@dataclass(frozen=True, slots=True)
class PreviewView:
    """Rows of a release for its publisher's eyes; it is checked by nothing."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    released: int

    def to_json(self) -> dict[str, Any]:
        lists = {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}
        return {**lists, "released": self.released}


def preview(
    opened: OpenJob, node: Node, suppress_below: int | None, *, rows: int = 20
) -> PreviewView:
    """Some rows as the release would show them, in an order that owes nothing to the table's."""
    candidate = candidate_of(opened, node, suppress_below)
    classes, kept = candidate.classes, candidate.kept
    if not candidate.released:
        return PreviewView(opened.schema.kept, (), 0)
    plan = plan_of(opened, node, candidate.below, classes, kept)
    found = opened.table.apply(
        plan.steps,
        suppress=left_out(opened, node, classes, kept, plan),
        order_key=secrets.token_bytes(32),
        most=rows,
    ).read_all()
    columns = [[None if v is None else str(v) for v in c.to_pylist()] for c in found.columns]
    lines = tuple(zip(*columns, strict=True))
    return PreviewView(tuple(found.column_names), lines, candidate.released)
