"""From a job to its front, and to the score of one node."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from paretonym.lattice.lattice import Node
from paretonym.measures import Candidates, Evaluator, Statistic
from paretonym.measures.builtin import LOSSES
from paretonym.measures.confidential import AT_RISK, EXPOSED, POSTERIOR, RISK
from paretonym.measures.nodes import NodeScorer
from paretonym.model.candidate import Candidate, Counts, SuppressBelow
from paretonym.model.front import Front
from paretonym.model.job import Job
from paretonym.pipeline.checkpoints import Checkpoints
from paretonym.pipeline.open_job import FEW_VALUES, OpenJob, open_job
from paretonym.report import words
from paretonym.report.words import Basis
from paretonym.search import (
    ChosenMethod,
    Progress,
    RunSettings,
    Silent,
    choose,
    cloud_sampling,
    find,
)
from paretonym.search.estimate import Estimate, estimate, memory_of_nodes
from paretonym.search.exhaustive import refuse_if_too_big
from paretonym.search.outcome import as_number
from paretonym.search.state import Forgetful

_MOST_THREADS = 8
_FIGURES = {statistic.key for statistic in (EXPOSED, AT_RISK, RISK, POSTERIOR)}
# statistics of one number a class, which a pass adds up beside others
_CHEAP = (
    "classes",
    "squares",
    "smallest",
    "loss",
    "quality",
    "distinct",
    "sum_squares",
    "minority",
)


def default_threads() -> int:
    return max(1, min(_MOST_THREADS, os.cpu_count() or 1))


def find_front(job: Job, *, threads: int | None = None, progress: Progress | None = None) -> Front:
    """Every best trade-off between the job's objectives."""
    with open_job(job) as opened:
        return front_of(opened, threads=threads, progress=progress)


def chosen_method(opened: OpenJob) -> ChosenMethod:
    """Which search the job asks for, or its sizes call for."""
    search = opened.job.search
    return choose(opened.evaluator(), search.method, search.budget)


def search_evaluator(opened: OpenJob, how: ChosenMethod) -> Evaluator:
    """For the objectives, and for what can be shown beside them at little or no cost.

    A measure is free when its statistics are worked out anyway. A pass over a small lattice also
    takes those that cost some time, so that a figure's axes can be chosen among them.
    """
    asked = [target.measure for target in opened.targets]
    plain = opened.evaluator(asked)
    if not plain.is_fast:
        return plain
    small = how.method == "exhaustive" and opened.lattice.size <= cloud_sampling.MOST
    free = {statistic.key for statistic in plain.statistics}
    if free & _FIGURES:
        free |= _FIGURES  # all of them come with any of them
    counted = {column for statistic in plain.statistics for column in statistic.columns}
    few = {c for c, column in opened.histogram.counts.items() if len(column.values) <= FEW_VALUES}

    def is_cheap(statistic: Statistic) -> bool:
        if statistic.key in free:
            return statistic.key != LOSSES.key  # put together value by value, not in arrays
        kind = statistic.fast.kind if statistic.fast else ""
        return small and kind in _CHEAP and set(statistic.columns) <= counted | few

    others = [m for m in opened.every_measure() if all(is_cheap(s) for s in m.statistics)]
    names = {measure.name for measure in asked}
    return opened.evaluator([*asked, *(m for m in others if m.name not in names)])


def front_of(
    opened: OpenJob,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    checkpoints: Checkpoints | None = None,
    resume: bool = False,
) -> Front:
    """`resume` goes on from the last checkpoint; the result is that of a run in one go."""
    settings = RunSettings(
        threads=threads or default_threads(),
        progress=progress or Silent(),
        keeper=checkpoints or Forgetful(),
        state=checkpoints.load() if checkpoints and resume else None,
    )
    how = chosen_method(opened)
    return find(
        search_evaluator(opened, how),
        opened.targets,
        how,
        seed=opened.job.search.seed or 0,
        epsilon=opened.job.epsilon,
        settings=settings,
        table=opened.table.fingerprint,
    )


def expected(opened: OpenJob, *, threads: int | None = None) -> Estimate:
    """Time and memory of an exhaustive search; a lattice too big is refused here."""
    evaluator = search_evaluator(opened, chosen_method(opened))
    refuse_if_too_big(evaluator)
    return estimate(evaluator, threads=threads or default_threads())


def expected_memory(opened: OpenJob, *, threads: int | None = None) -> int:
    """Bytes of any other search, at most about."""
    evaluator = search_evaluator(opened, chosen_method(opened))
    return memory_of_nodes(evaluator, threads=threads or default_threads())


def score(job: Job, levels: Mapping[str, int], *, suppress_below: int | None = None) -> Candidate:
    """All measures of one node, at the threshold given or the least suppression that is allowed."""
    with open_job(job) as opened:
        return score_of(opened, opened.lattice.node_of(levels), suppress_below=suppress_below)


def score_of(opened: OpenJob, node: Node, *, suppress_below: int | None = None) -> Candidate:
    evaluator = opened.evaluator(opened.every_measure())
    return _Scores(evaluator, evaluator.score(node), opened.basis).at(node, suppress_below)


def in_full(opened: OpenJob, found: Candidate) -> Candidate:
    """The same with every measure: a search works out little more than its objectives."""
    known = found.values.keys() if found.classes is not None else ()
    if not found.feasible or all(m.name in known for m in opened.every_measure()):
        return found
    return score_of(
        opened, opened.lattice.node_of(found.levels), suppress_below=found.suppress_below or None
    )


def scores_of(opened: OpenJob, places: Sequence[tuple[Node, int]]) -> list[Candidate]:
    """The same of many nodes and thresholds, by compiled code where the measures allow it."""
    evaluator = opened.evaluator(opened.every_measure())
    nodes = list(dict.fromkeys(node for node, _ in places))
    found = _Scores(evaluator, NodeScorer(evaluator).score(nodes).candidates, opened.basis)
    return [found.at(node, below) for node, below in places]


class _Scores:
    """Every measure of some nodes' candidates."""

    def __init__(self, evaluator: Evaluator, candidates: Candidates, basis: Basis) -> None:
        self._lattice, self._candidates, self._basis = evaluator.lattice, candidates, basis
        self._rows = evaluator.histogram.rows
        measures = evaluator.measures if len(candidates) else ()
        self._values = {m.name: candidates.values(m) for m in measures}
        self._feasible = evaluator.meets(candidates)

    def at(self, node: Node, suppress_below: int | None) -> Candidate:
        candidates, levels = self._candidates, self._lattice.named(node)
        place = self._chosen(self._lattice.rank(node), suppress_below)
        if place is None:
            return Candidate(levels, counts=Counts(classes=0), feasible=False)
        lost, classes = int(candidates.suppressed[place]), candidates.reduced["classes"][place]
        values = {name: as_number(values.shown(place)) for name, values in self._values.items()}
        return Candidate(
            levels=levels,
            beyond=(SuppressBelow(int(candidates.suppress_below[place])),),
            counts=Counts(self._rows - lost, lost, int(classes)),
            values=values,
            feasible=bool(self._feasible[place]),
            shown=words.shown_values(values, self._basis),
        )

    def _chosen(self, rank: int, suppress_below: int | None) -> int | None:
        """The first candidate at or above the threshold: the fewest rows are lost there."""
        for place in np.flatnonzero(self._candidates.rank == rank):
            below = int(self._candidates.suppress_below[place])
            if suppress_below is None or below >= suppress_below:
                return int(place)
        return None
