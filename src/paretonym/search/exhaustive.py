"""Exhaustive search: every node, every threshold, the exact front."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.errors import CancelledError, InfeasibleError, LatticeTooBigError
from paretonym.measures import Candidates, Evaluator, Measure, Reduce, Statistic
from paretonym.measures.measure import Array
from paretonym.model.front import Evaluation, Front, Objective
from paretonym.search.nondominated import Vectors, front_of, join, sortable
from paretonym.search.progress import Progress

MOST_NODES = 50_000_000  # beyond this, enumerating takes hours on any table worth protecting
MOST_NODES_PLAIN = 200_000  # a user's Python measure is evaluated node by node
_CLOUD = 6_000  # candidates kept to draw the cloud behind the front


@dataclass(frozen=True, slots=True)
class Target:
    """An objective and the measure behind it."""

    objective: Objective
    measure: Measure


def refuse_if_too_big(evaluator: Evaluator) -> None:
    most = MOST_NODES if evaluator.is_fast else MOST_NODES_PLAIN
    size = evaluator.lattice.size
    if size <= most:
        return
    slow = "" if evaluator.is_fast else " with a measure written in Python"
    raise LatticeTooBigError(
        f"the lattice has {size:,} nodes, and the exhaustive search visits at most {most:,}{slow}. "
        f"Use fewer levels or fewer quasi-identifiers; single nodes can be scored and released "
        f"with --levels whatever the lattice's size."
    )


def search_exhaustively(
    evaluator: Evaluator,
    targets: Sequence[Target],
    *,
    threads: int,
    progress: Progress,
    table: str = "",
) -> Front:
    """The exact front; interrupted, what is known so far, marked as not exact."""
    refuse_if_too_big(evaluator)
    started = time.perf_counter()
    lattice = evaluator.lattice
    parts: list[Vectors] = []
    cloud: list[Array] = []
    every = max(1, lattice.size // _CLOUD)
    evaluated, exact = 0, True
    progress.start("searching", lattice.size)
    try:
        for candidates in evaluator.sweep(threads=threads, progress=progress.advance):
            evaluated += candidates.nodes
            found = vectors_of(evaluator, candidates, targets)
            cloud.append(found.shown[found.rank % every == 0])
            parts = [front_of(join([*parts, front_of(found)]))]
    except KeyboardInterrupt:
        exact = False
        if not parts or not len(parts[0]):
            raise CancelledError("stopped before any candidate was found") from None
    finally:
        progress.finish()
    front = parts[0] if parts else None
    if front is None or not len(front):
        raise InfeasibleError(_how_far(evaluator))
    return Front(
        method="exhaustive",
        exact=exact,
        nodes=lattice.size,
        evaluated=evaluated,
        objectives=tuple(target.objective for target in targets),
        entries=entries_of(evaluator, front, targets),
        rows=evaluator.histogram.rows,
        table=table,
        seconds=time.perf_counter() - started,
        cloud=_thin(cloud),
    )


def vectors_of(evaluator: Evaluator, candidates: Candidates, targets: Sequence[Target]) -> Vectors:
    """Objective vectors of the candidates that meet every requirement."""
    columns, shown = [], []
    for target in targets:
        values = candidates.values(target.measure)
        columns.append(sortable(values, target.objective.direction))
        shown.append(values.exact / float(values.scale) if values.scale != 1 else values.exact)
    count = len(candidates)
    found = Vectors(
        np.stack(columns, axis=1) if count else np.empty((0, len(targets)), np.int64),
        candidates.rank,
        candidates.suppress_below,
        candidates.suppressed,
        np.stack([s.astype(np.float64) for s in shown], axis=1)
        if count
        else np.empty((0, len(targets))),
        np.zeros(count, np.int64),
    )
    good = evaluator.meets(candidates)
    return found if good.all() else found.at(good)


def entries_of(
    evaluator: Evaluator, front: Vectors, targets: Sequence[Target]
) -> tuple[Evaluation, ...]:
    """Ordered by the objectives' values, then by levels."""
    lattice = evaluator.lattice
    order = np.lexsort(
        [front.below, front.rank, *(front.shown[:, j] for j in reversed(range(len(targets))))]
    )
    return tuple(
        Evaluation(
            levels=lattice.named(lattice.unrank(int(front.rank[i]))),
            suppress_below=int(front.below[i]),
            suppressed=int(front.suppressed[i]),
            values={
                target.objective.name: as_number(front.shown[i, j])
                for j, target in enumerate(targets)
            },
            ties=int(front.ties[i]),
        )
        for i in order
    )


def as_number(value: float) -> float | int:
    """Whole numbers as integers, so that k reads 5 and not 5.0."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else float(value)


def _thin(cloud: list[Array]) -> tuple[tuple[float, ...], ...]:
    points = np.concatenate(cloud) if cloud else np.empty((0, 1))
    step = -(-len(points) // _CLOUD) or 1
    return tuple(tuple(float(v) for v in point) for point in points[::step])


def _sign(statistic: Statistic) -> str:
    return "<=" if statistic.reduce is Reduce.MAX else ">="


def _how_far(evaluator: Evaluator) -> str:
    """What the best node reaches when the requirements on classes are dropped."""
    asked = [f"{r.name} {_sign(r.statistic)} {r.at_least:g}" for r in evaluator.class_rules]
    for rule in evaluator.node_rules:
        sign = ">=" if rule.measure.direction == "max" else "<="
        asked.append(f"{rule.measure.name} {sign} {float(rule.bound):g}")
    freed = Evaluator(
        evaluator.histogram, evaluator.lattice, evaluator.measures, evaluator.context,
        limit=evaluator.limit, rule="paper",
    )  # fmt: skip
    best_k, best_rank = 0, 0
    for candidates in freed.sweep():
        if len(candidates) and int(candidates.suppress_below.max()) > best_k:
            place = int(candidates.suppress_below.argmax())
            best_k, best_rank = int(candidates.suppress_below[place]), int(candidates.rank[place])
    levels = evaluator.lattice.named(evaluator.lattice.unrank(best_rank))
    shown = ", ".join(f"{column}={level}" for column, level in levels.items())
    return (
        f"no node meets the requirements ({', '.join(asked)}) with at most {evaluator.limit} "
        f"suppressed rows; the largest k within that limit is {best_k} ({shown}). Raise the "
        f"suppression limit, lower the requirement, or add coarser levels to the hierarchies."
    )
