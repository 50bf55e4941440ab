"""What a report of a front says, as plain numbers and words; figures and pages draw it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paretonym.model.candidate import Candidate
from paretonym.model.front import Direction, Front, Objective
from paretonym.model.granulation import Granulation
from paretonym.report import words
from paretonym.report.scale import suits_log
from paretonym.report.words import Basis, Weight

CLOUD_DRAWN = 4000  # points of the cloud in one figure
FRONT_DRAWN = 2000  # points of the front in one figure
ROWS_SHOWN = 1000  # lines of the front's table
TITLE = "The front of trade-offs"
STEPS_OF_K = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)

_RULES = {
    "required": "only classes that violate a requirement are suppressed",
    "staircase": "every threshold of the class sizes within the limit is a candidate of its own",
    "paper": "the largest k that the limit allows",
}


@dataclass(frozen=True, slots=True)
class MeasureFacts:
    name: str
    long: str
    short: str
    direction: str | None  # "larger is better", "smaller is better"; None: not an objective


@dataclass(frozen=True, slots=True)
class LevelFacts:
    level: int
    name: str
    blocks: int


@dataclass(frozen=True, slots=True)
class HierarchyFacts:
    column: str
    digest: str
    declared: bool
    leaves: int
    levels: tuple[LevelFacts, ...]

    @property
    def domain(self) -> str:
        return "declared" if self.declared else "observed in the table"


@dataclass(frozen=True, slots=True)
class FrontRow:
    """One point of the front, and its values as people read them, by name."""

    candidate: Candidate
    suppressed_share: float
    shown: Mapping[str, str]

    @property
    def says(self) -> str:
        levels = ", ".join(f"{column} {level}" for column, level in self.candidate.levels.items())
        lost = words.plural(self.candidate.suppressed, "row")
        values = "; ".join(f"{words.short_name(name)} {text}" for name, text in self.shown.items())
        return f"{values}; {lost} suppressed; levels: {levels}"


@dataclass(frozen=True, slots=True)
class PriceFacts:
    """The point that `--pick "k>=…"` would take."""

    at_least: int
    row: FrontRow


@dataclass(frozen=True, slots=True)
class DrawnPoint:
    x: float
    y: float
    says: str
    best: bool  # no other point of the front is better in both drawn objectives


@dataclass(frozen=True, slots=True)
class ScatterFacts:
    """Two objectives against each other, in the units people read."""

    x_name: str
    y_name: str
    points: tuple[DrawnPoint, ...]
    cloud: tuple[tuple[float, float], ...]
    steps: tuple[tuple[float, float], ...]
    x_log: bool
    y_log: bool
    left_out: int  # points of the front that are not drawn
    candidates: int  # that the cloud stands for

    @property
    def title(self) -> str:
        return f"{self.x_name} against {self.y_name}"

    @property
    def cloud_told(self) -> str:
        drawn, every = len(self.cloud), words.number(self.candidates)
        if drawn < self.candidates:
            return f"candidates: a sample of {words.number(drawn)} of {every}"
        return f"candidates: all {every}"


@dataclass(frozen=True, slots=True)
class FrontFacts:
    title: str
    method: str
    exact: bool
    exactness: str
    nodes: int
    evaluated: int
    rows: int
    seconds: float
    points: int
    ties: int
    rule: str
    limit_rows: int
    limit_share: float
    objectives: tuple[MeasureFacts, ...]
    measures: tuple[MeasureFacts, ...]  # asked for beside the objectives
    table: tuple[FrontRow, ...]  # evenly spread when the front is longer
    prices: tuple[PriceFacts, ...]
    price_by: str | None  # long name of the objective that decides among them
    figures: tuple[ScatterFacts, ...]
    hierarchies: tuple[HierarchyFacts, ...]
    notes: tuple[str, ...]
    fingerprint: str
    software: str


def front_facts(
    front: Front,
    *,
    hierarchies: Sequence[Granulation],
    limit_rows: int,
    rule: str,
    notes: Sequence[str] = (),
    weights: Mapping[str, Weight] | None = None,
    title: str = TITLE,
) -> FrontFacts:
    """Everything the page of a front shows. `weights` are the job's, 1 where none is given."""
    from paretonym.publishing.manifest import software_version

    columns = [granulation.column for granulation in hierarchies]
    basis = Basis(front.rows, words.glm_maximum(front.rows, columns, weights))
    table = [_row(entry, basis) for entry in front.entries]
    asked = {o.name for o in front.objectives} | {"suppressed"}
    others = [name for name in (table[0].candidate.values if table else ()) if name not in asked]
    return FrontFacts(
        title=title,
        method=front.method,
        exact=front.exact,
        exactness=exactness(front),
        nodes=front.nodes,
        evaluated=front.evaluated,
        rows=front.rows,
        seconds=front.seconds,
        points=len(table),
        ties=sum(entry.ties for entry in front.entries),
        rule=rule_in_words(rule),
        limit_rows=limit_rows,
        limit_share=limit_rows / front.rows if front.rows else 0.0,
        objectives=tuple(_measure(o.name, o.direction) for o in front.objectives),
        measures=tuple(_measure(name, None) for name in others),
        table=tuple(table[i] for i in spread(len(table), ROWS_SHOWN)),
        prices=_prices(front, table),
        price_by=_price_by(front),
        figures=tuple(
            _scatter(front, table, 0, other, basis) for other in range(1, len(front.objectives))
        ),
        hierarchies=tuple(_hierarchy(granulation) for granulation in hierarchies),
        notes=tuple(notes),
        fingerprint=front.table,
        software=software_version(),
    )


def rule_in_words(rule: str) -> str:
    return f"{rule}: {_RULES[rule]}" if rule in _RULES else rule


def exactness(front: Front) -> str:
    if front.exact:
        return "complete for these hierarchies and objectives"
    done, all_nodes = words.number(front.evaluated), words.number(front.nodes)
    if front.interrupted:
        return f"not exact: stopped after {done} of {all_nodes} nodes"
    if front.method in ("exact", "exhaustive"):
        settled = words.number(front.proven)
        return f"not proven within the budget: {settled} of {all_nodes} nodes are settled"
    return f"an approximation: {done} of {all_nodes} nodes were evaluated"


def spread(count: int, most: int) -> list[int]:
    """At most `most` indexes below `count`, evenly spread, both ends among them."""
    if count <= most:
        return list(range(count))
    if most < 2:
        return list(range(most))
    return [round(i * (count - 1) / (most - 1)) for i in range(most)]


def _measure(name: str, direction: Direction | None) -> MeasureFacts:
    told = {Direction.MAX: "larger is better", Direction.MIN: "smaller is better"}
    direction_words = None if direction is None else told[direction]
    return MeasureFacts(name, words.long_name(name), words.short_name(name), direction_words)


def _row(entry: Candidate, basis: Basis) -> FrontRow:
    return FrontRow(
        candidate=entry,
        suppressed_share=entry.suppressed / basis.rows if basis.rows else 0.0,
        shown={name: words.human(name, value, basis) for name, value in entry.values.items()},
    )


def _hierarchy(granulation: Granulation) -> HierarchyFacts:
    levels = tuple(
        LevelFacts(level, partition.name, partition.blocks)
        for level, partition in enumerate(granulation.partitions)
    )
    return HierarchyFacts(
        granulation.column,
        granulation.digest,
        granulation.declared,
        len(granulation.leaves),
        levels,
    )


def _decider(front: Front) -> Objective | None:
    """With k among the objectives, the first other one decides what a given k costs."""
    names = [objective.name for objective in front.objectives]
    if "k" not in names:
        return None
    return next((o for o in front.objectives if o.name != "k"), None)


def _price_by(front: Front) -> str | None:
    decider = _decider(front)
    return None if decider is None else words.long_name(decider.name)


def _prices(front: Front, table: Sequence[FrontRow]) -> tuple[PriceFacts, ...]:
    """For round values of k, the cheapest point that reaches it."""
    decider = _decider(front)
    if decider is None:
        return ()
    sign = -1 if decider.direction == Direction.MAX else 1
    prices = []
    for at_least in STEPS_OF_K:
        reached = [row for row in table if row.candidate.values["k"] >= at_least]
        if reached:
            best = min(reached, key=lambda row: sign * row.candidate.values[decider.name])
            prices.append(PriceFacts(at_least, best))
    return tuple(prices)


def _scatter(
    front: Front, table: Sequence[FrontRow], first: int, second: int, basis: Basis
) -> ScatterFacts:
    x, y = front.objectives[first], front.objectives[second]

    def place(x_value: float, y_value: float) -> tuple[float, float]:
        return words.drawn(x.name, x_value, basis), words.drawn(y.name, y_value, basis)

    placed = [
        (place(row.candidate.values[x.name], row.candidate.values[y.name]), row) for row in table
    ]
    placed = [item for item in placed if is_finite(item[0])]
    best = best_places([point for point, _ in placed], x.direction, y.direction)
    kept = _drawn_rows([point in best for point, _ in placed])
    cloud = cloud_places(front, x.name, y.name, basis)
    everything = [point for point, _ in placed] + cloud
    return ScatterFacts(
        x_name=words.axis_name(x.name, basis),
        y_name=words.axis_name(y.name, basis),
        points=tuple(
            DrawnPoint(*placed[i][0], placed[i][1].says, best=placed[i][0] in best) for i in kept
        ),
        cloud=tuple(cloud),
        steps=steps_through(sorted(best), x.direction),
        x_log=suits_log(point[0] for point in everything),
        y_log=suits_log(point[1] for point in everything),
        left_out=len(placed) - len(kept),
        candidates=front.cloud.seen,
    )


def is_finite(point: tuple[float, float]) -> bool:
    return math.isfinite(point[0]) and math.isfinite(point[1])


def cloud_places(front: Front, x: str, y: str, basis: Basis) -> list[tuple[float, float]]:
    """Where two measures put the cloud: an even spread of it, as much as a figure can show."""
    cloud = front.cloud
    chosen = spread(len(cloud), CLOUD_DRAWN)
    if not chosen:
        return []
    pairs = zip(cloud.values[x][chosen].tolist(), cloud.values[y][chosen].tolist(), strict=True)
    places = [(words.drawn(x, a, basis), words.drawn(y, b, basis)) for a, b in pairs]
    return [point for point in places if is_finite(point)]


def _drawn_rows(best: Sequence[bool]) -> list[int]:
    """The best points of the drawn pair, and an even spread of the others."""
    first = [i for i, is_best in enumerate(best) if is_best]
    first = [first[i] for i in spread(len(first), FRONT_DRAWN)]
    others = [i for i, is_best in enumerate(best) if not is_best]
    room = FRONT_DRAWN - len(first)
    return sorted(first + [others[i] for i in spread(len(others), room)])


def best_places(
    points: Sequence[tuple[float, float]], x: Direction, y: Direction
) -> set[tuple[float, float]]:
    """The points that no other point beats in both coordinates."""
    x_sign = -1 if x == Direction.MAX else 1
    y_sign = -1 if y == Direction.MAX else 1
    best: set[tuple[float, float]] = set()
    lowest = math.inf
    for point in sorted(points, key=lambda p: (x_sign * p[0], y_sign * p[1])):
        if y_sign * point[1] < lowest:
            lowest = y_sign * point[1]
            best.add(point)
    return best


def steps_through(
    points: Sequence[tuple[float, float]], x: Direction
) -> tuple[tuple[float, float], ...]:
    """The staircase of what can be reached, for points ascending in x.

    Asking for more of a larger-is-better x jumps to the next point; a smaller-is-better x
    stays at the last point that is still allowed.
    """
    path: list[tuple[float, float]] = []
    for point in points:
        if path:
            before = path[-1]
            corner = (before[0], point[1]) if x == Direction.MAX else (point[0], before[1])
            path.append(corner)
        path.append(point)
    return tuple(path)
