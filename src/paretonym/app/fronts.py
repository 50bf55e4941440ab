"""From a job to its front, and to the score of one node."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.app.bench import Bench, open_bench
from paretonym.app.checkpoints import Checkpoints
from paretonym.lattice.lattice import Node
from paretonym.measures import Candidates
from paretonym.model.front import Front
from paretonym.model.job import Job
from paretonym.search import Help, Progress, Silent, Way, choose, find
from paretonym.search.estimate import Estimate, estimate, memory_of_nodes
from paretonym.search.exhaustive import refuse_if_too_big
from paretonym.search.outcome import as_number
from paretonym.search.state import Forgetful

_MOST_THREADS = 8


def default_threads() -> int:
    return max(1, min(_MOST_THREADS, os.cpu_count() or 1))


def find_front(job: Job, *, threads: int | None = None, progress: Progress | None = None) -> Front:
    """Every best trade-off between the job's objectives."""
    with open_bench(job) as bench:
        return front_of(bench, threads=threads, progress=progress)


def way_of(bench: Bench) -> Way:
    """Which search the job asks for, or its sizes call for."""
    search = bench.job.search
    return choose(bench.evaluator(), search.method, search.budget)


def front_of(
    bench: Bench,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    checkpoints: Checkpoints | None = None,
    resume: bool = False,
) -> Front:
    """`resume` goes on from the last checkpoint; the result is that of a run in one go."""
    around = Help(
        threads=threads or default_threads(),
        progress=progress or Silent(),
        keeper=checkpoints or Forgetful(),
        state=checkpoints.load() if checkpoints and resume else None,
    )
    return find(
        bench.evaluator(),
        bench.targets,
        way_of(bench),
        seed=bench.job.search.seed or 0,
        epsilon=bench.job.epsilon,
        around=around,
        table=bench.table.fingerprint,
    )


def expected(bench: Bench, *, threads: int | None = None) -> Estimate:
    """Time and memory of an exhaustive search; a lattice too big is refused here."""
    evaluator = bench.evaluator()
    refuse_if_too_big(evaluator)
    return estimate(evaluator, threads=threads or default_threads())


def expected_memory(bench: Bench, *, threads: int | None = None) -> int:
    """Bytes of any other search, at most about."""
    return memory_of_nodes(bench.evaluator(), threads=threads or default_threads())


@dataclass(frozen=True, slots=True)
class Score:
    """Every measure of one candidate."""

    levels: Mapping[str, int]
    suppress_below: int
    suppressed: int
    classes: int
    values: Mapping[str, float | int]
    feasible: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "levels": dict(self.levels),
            "suppress_below": self.suppress_below,
            "values": dict(self.values),
            "suppressed": self.suppressed,
            "classes": self.classes,
            "feasible": self.feasible,
        }


def score(job: Job, levels: Mapping[str, int], *, suppress_below: int | None = None) -> Score:
    """All measures of one node, at the threshold given or the least suppression that is allowed."""
    with open_bench(job) as bench:
        return score_of(bench, bench.lattice.node_of(levels), suppress_below=suppress_below)


def score_of(bench: Bench, node: Node, *, suppress_below: int | None = None) -> Score:
    evaluator = bench.evaluator(bench.every_measure())
    candidates = evaluator.score(node)
    place = _chosen(candidates, suppress_below)
    levels = bench.lattice.named(node)
    if place is None:
        return Score(levels, 0, 0, 0, {}, feasible=False)
    return Score(
        levels=levels,
        suppress_below=int(candidates.suppress_below[place]),
        suppressed=int(candidates.suppressed[place]),
        classes=int(candidates.reduced["classes"][place]),
        values={
            measure.name: as_number(candidates.values(measure).shown(place))
            for measure in evaluator.measures
        },
        feasible=bool(evaluator.meets(candidates)[place]),
    )


def _chosen(candidates: Candidates, suppress_below: int | None) -> int | None:
    """The first candidate at or above the threshold: the fewest rows are lost there."""
    for place in range(len(candidates)):
        if suppress_below is None or int(candidates.suppress_below[place]) >= suppress_below:
            return place
    return None
