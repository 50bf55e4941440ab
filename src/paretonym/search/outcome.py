"""What every search shares: candidates to vectors, a front to entries, and why there is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.measures import (
    Candidates,
    Evaluator,
    Measure,
    Values,
    build,
    parse,
)
from paretonym.model.arrays import Array
from paretonym.model.bound import Bound
from paretonym.model.candidate import Candidate, Counts, SuppressBelow
from paretonym.model.front import Direction
from paretonym.search.boxes import Boxing
from paretonym.search.nondominated import Vectors, sortable
from paretonym.search.target import Target


def vectors_of(
    evaluator: Evaluator,
    candidates: Candidates,
    targets: Sequence[Target],
    boxing: Boxing | None = None,
) -> Vectors:
    """Objective vectors of the candidates that meet every requirement, with their boxes if any."""
    count = len(candidates)
    values = [candidates.values(target.measure) for target in targets]
    columns = [sortable(v, t.objective.direction) for v, t in zip(values, targets, strict=True)]
    found = Vectors(
        np.stack(columns, axis=1),
        candidates.rank,
        candidates.suppress_below,
        candidates.suppressed,
        _shown(values, count),
        np.zeros(count, np.int64),
        boxing.boxes(values) if boxing else np.empty((count, 0), np.int64),
        _shown([candidates.values(m) for m in measures_beside(evaluator, targets)], count),
    )
    good = evaluator.meets(candidates)
    return found if good.all() else found.at(good)


def measures_beside(evaluator: Evaluator, targets: Sequence[Target]) -> list[Measure]:
    """What the evaluator was built for beside the objectives: shown, never compared."""
    names = {target.measure.name for target in targets}
    return [measure for measure in evaluator.measures if measure.name not in names]


def _shown(values: Sequence[Values], count: int) -> Array:
    columns = [v.all_shown() for v in values]
    return np.stack(columns, axis=1) if columns else np.empty((count, 0))


def in_order(front: Vectors) -> Vectors:
    """By the objectives' values, then by levels: the order in which a front is shown."""
    columns = [front.shown[:, j] for j in range(front.shown.shape[1])]
    return front.at(np.lexsort([front.below, front.rank, *reversed(columns)]))


def entries_of(
    evaluator: Evaluator, front: Vectors, targets: Sequence[Target]
) -> tuple[Candidate, ...]:
    """Ordered by the objectives' values, then by levels."""
    lattice, front = evaluator.lattice, in_order(front)
    rows = evaluator.histogram.rows
    return tuple(
        Candidate(
            levels=lattice.named(lattice.unrank(int(front.rank[i]))),
            beyond=(SuppressBelow(int(front.below[i])),),
            counts=Counts(rows - lost, lost, ties=int(front.ties[i])),
            values={
                target.objective.name: as_number(front.shown[i, j])
                for j, target in enumerate(targets)
            },
        )
        for i, lost in enumerate(map(int, front.suppressed))
    )


def as_number(value: float) -> float | int:
    """Whole numbers as integers, so that k reads 5 and not 5.0."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else float(value)


def how_far(evaluator: Evaluator) -> str:
    """What the best node reaches when the requirements on classes are dropped."""
    asked = [rule.bound for rule in evaluator.class_rules]
    asked += [rule.bound for rule in evaluator.node_rules]
    freed = Evaluator(
        evaluator.histogram, evaluator.lattice, evaluator.measures, evaluator.context,
        limit=evaluator.limit, rule="paper",
    )  # fmt: skip
    # the largest k within a limit never falls under generalisation
    coarsest = evaluator.lattice.coarsest
    best_k = int(freed.score(coarsest).suppress_below.max(initial=0))
    levels = evaluator.lattice.named(coarsest)
    shown = ", ".join(f"{column}={level}" for column, level in levels.items())
    return (
        f"no node meets the requirements ({_told(asked)}) with at most {evaluator.limit} "
        f"suppressed rows; the largest k within that limit is {best_k} ({shown}). "
        f"{_remedy(evaluator)}"
    )


def _told(bounds: Sequence[Bound]) -> str:
    """In the signs of a keyboard, which an error may show anywhere."""
    signs = {Direction.MAX: ">=", Direction.MIN: "<="}
    return ", ".join(f"{b.measure} {signs[b.direction]} {float(b.value):g}" for b in bounds)


def _remedy(evaluator: Evaluator) -> str:
    """Under rules nothing can be suppressed, and no level makes a secret rarer than it is."""
    context = evaluator.context
    if context.confidential is None:
        return (
            "Raise the suppression limit, lower the requirement, or add coarser levels to the "
            "hierarchies."
        )
    risk = build(parse("worst_risk"), context)
    alike = Evaluator(evaluator.histogram, evaluator.lattice, (risk,), context)
    worst = alike.score(evaluator.lattice.coarsest).values(risk).shown(0)
    return (
        f"Even there somebody can be {float(worst):.1%} sure of a confidential statement "
        f"(worst_risk). Ask for less, or correct the rules."
    )
