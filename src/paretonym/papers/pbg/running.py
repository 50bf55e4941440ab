"""Dewri et al. 2010 (property based generalizations), section 7, on the bundled Adult table."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from paretonym import datasets, isolation
from paretonym.jobfile.loading import load_job
from paretonym.model.arrays import Array
from paretonym.model.job import Budget, Job
from paretonym.model.schema import Role
from paretonym.papers.facts import Spread
from paretonym.papers.pbg.facts import (
    PbgFacts,
    Points,
    ProblemFacts,
    Quality,
    RunStage,
    VectorFacts,
)
from paretonym.papers.pbg.published import CM, PROBLEMS, VECTORS, Trial
from paretonym.pipeline.open_job import OpenJob, open_job
from paretonym.report.words import glm_maximum
from paretonym.search import Boxing, ChosenMethod, Progress, Silent, find
from paretonym.search.evolve import Evolution
from paretonym.search.exhaustive import Exhaustive
from paretonym.search.meter import Meter
from paretonym.search.nondominated import Vectors, front_of
from paretonym.search.pbg_ea import ITERATIONS, PbgEa
from paretonym.search.quality import convergence_error, quality_indices, representation_ratio
from paretonym.search.scored_nodes import ScoredNodes
from paretonym.search.state import Forgetful
from paretonym.version import __version__

STAGES = (ITERATIONS, 150, 200)
_MOST_ITERATIONS = 400  # then the paper's number of evaluations is waited for no longer


@dataclass(frozen=True, slots=True)
class Reading:
    """An archive at one moment of a run."""

    iterations: int
    ce: float
    rr: float
    evaluations: int
    members: int


@dataclass(frozen=True, slots=True)
class Run:
    """PBG-EA and, where it is compared, evolve from one seed; archives as values of objectives."""

    stages: tuple[Reading, ...]
    reached: Reading | None  # when it has made the paper's number of evaluations
    choices: float  # nodes a tournament draws from, mean of the published iterations
    archive: Points
    evolve: Reading | None
    evolve_archive: Points


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a trial without chance."""

    objectives: tuple[str, ...]
    nodes: int
    rows: int
    limit: int
    glm_maximum: float
    front: Points
    boxes: int  # non-dominated ones
    exact_evaluations: int


def reproduce_pbg(
    *, runs: int, seed: int, threads: int, progress: Progress | None = None
) -> PbgFacts:
    """Every table and figure; run i of a search draws from seed + i, counted from 0."""
    progress = progress or Silent()
    trials = (*PROBLEMS, *VECTORS)
    seeds = range(seed, seed + runs)
    progress.start("reproducing", len(trials) * (runs + 1))
    truths: list[Truth] = []
    found: list[Run] = []
    try:
        with _workers(threads) as each:
            for done in each(_one_task, _tasks(trials, seeds)):
                progress.advance(1)
                if isinstance(done, Truth):
                    truths.append(done)
                else:
                    found.append(done)
    finally:
        progress.finish()
    by_trial = [found[i : i + runs] for i in range(0, len(found), runs)]
    every = list(zip(trials, truths, by_trial, strict=True))
    return PbgFacts(
        __version__,
        runs,
        seed,
        truths[0].rows,
        truths[0].limit,
        tuple(_problem_facts(*parts) for parts in every[: len(PROBLEMS)]),
        tuple(_vector_facts(*parts) for parts in every[len(PROBLEMS) :]),
    )


@contextmanager
def _workers(count: int) -> Iterator[Callable[..., Any]]:
    """A `map` over processes, in order; runs are Python for the most part, so threads do not help.

    Whatever ends the block ends the processes at once.
    """
    if count == 1:
        yield map
        return
    with isolation.guarded():
        # they inherit that Ctrl-C is none of their business, from their first moment on
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            pool = multiprocessing.get_context("spawn").Pool(count)
        finally:
            signal.signal(signal.SIGINT, before)
        with pool:
            yield pool.imap


TrialRun = tuple[Trial, int, bool]


def _tasks(trials: Sequence[Trial], seeds: Sequence[int]) -> list[TrialRun]:
    """For each trial the truth, then a run from each seed."""
    found = []
    for trial in trials:
        found += [(trial, seeds[0], True), *((trial, seed, False) for seed in seeds)]
    return found


def _one_task(task: TrialRun) -> Truth | Run:
    trial, seed, is_truth = task
    ground = _prepared(trial)
    return ground.truth(seed) if is_truth else ground.run(seed)


@lru_cache(maxsize=1)  # tasks come trial by trial
def _prepared(trial: Trial) -> PreparedTrial:
    with open_job(_job_for(trial.objectives)) as opened:
        epsilon = {
            target.objective.name: Fraction(size)
            for target, size in zip(opened.targets, trial.sizes, strict=True)
        }
        boxing = Boxing.of(opened.targets, epsilon, opened.context)
        assert boxing is not None  # noqa: S101  (every objective has a size)
        visit = Exhaustive(
            opened.evaluator(), opened.targets, Meter(None, Silent()), Forgetful(), 1, boxing
        )
        visit.run()
        assert visit.front is not None  # noqa: S101  (nothing is required, so there is a front)
        return PreparedTrial(trial, opened, boxing, visit.front)


def _job_for(objectives: tuple[str, ...]) -> Job:
    """The bundled job with the rule of the paper: a node stands for its largest k.

    CM is measured on salary-class, which is then no quasi-identifier: half the nodes.
    """
    job = load_job(datasets.path("adult/job.yaml"))
    columns = tuple(
        replace(c, roles=frozenset({Role.TARGET}), hierarchy=None)
        if CM in objectives and c.name == "salary-class"
        else c
        for c in job.columns
    )
    rule = replace(job.suppression, rule="paper")
    return replace(job, objectives=objectives, columns=columns, suppression=rule)


@dataclass(frozen=True, slots=True)
class PreparedTrial:
    """A table and objectives on which searches are run, with the true front to hold them to."""

    trial: Trial
    opened: OpenJob  # its table is closed: searches need the histogram only
    boxing: Boxing
    front: Vectors  # of an exhaustive search

    def truth(self, seed: int) -> Truth:
        opened = self.opened
        return Truth(
            objectives=tuple(target.objective.name for target in opened.targets),
            nodes=opened.lattice.size,
            rows=opened.histogram.rows,
            limit=opened.limit,
            glm_maximum=glm_maximum(opened.histogram.rows, opened.lattice.columns, None),
            front=_points(self.front),
            boxes=len(front_of(replace(self.front, vectors=self.front.boxes))),
            exact_evaluations=self._proof(seed) if self.trial.is_compared else 0,
        )

    def _proof(self, seed: int) -> int:
        """Evaluations of `exact`, whose front is that of the exhaustive search."""
        how = ChosenMethod("exact", None, "to be compared")
        found = find(self.opened.evaluator(), self.opened.targets, how, seed=seed)
        if found.interrupted:
            raise KeyboardInterrupt
        assert found.exact  # noqa: S101
        assert len(found.entries) == len(self.front)  # noqa: S101
        return found.evaluated

    def run(self, seed: int) -> Run:
        stages, reached, choices, archive = self._run_published(seed)
        if not self.trial.is_compared:
            return Run(stages, reached, choices, archive, None, ())
        budget = self.opened.lattice.size * self.trial.evolve_percent // 100
        scored_nodes = self._scored_nodes(Budget(evaluations=budget))
        Evolution.begin(scored_nodes, seed=seed).run()
        end, members = self._read(scored_nodes), _points(scored_nodes.archive.members)
        return Run(stages, reached, choices, archive, end, members)

    def _run_published(
        self, seed: int
    ) -> tuple[tuple[Reading, ...], Reading | None, float, Points]:
        """Read after each stage, and when the paper's number of evaluations is made."""
        wanted = self.trial.published.evaluations
        stages = STAGES if self.trial.is_compared else STAGES[:1]
        scored_nodes = self._scored_nodes(None)
        search = PbgEa.begin(scored_nodes, seed=seed)
        read: list[Reading] = []
        reached: Reading | None = None
        archive: Points = ()
        choices = []
        for iteration in range(1, _MOST_ITERATIONS + 1):
            search.iterations = iteration
            search.run()  # by one iteration at a time: a run in one go does the same
            if iteration <= ITERATIONS:
                choices.append(_choices(search))
            if iteration == ITERATIONS:
                archive = _points(scored_nodes.archive.members)
            if iteration in stages:
                read.append(self._read(scored_nodes, iteration))
            if wanted and reached is None and len(scored_nodes) >= wanted:
                reached = self._read(scored_nodes, iteration)
            if len(read) == len(stages) and (reached or not wanted):
                break
        return tuple(read), reached, float(np.mean(choices)), archive

    def _scored_nodes(self, budget: Budget | None) -> ScoredNodes:
        meter = Meter(budget, Silent())
        evaluator, targets = self.opened.evaluator(), self.opened.targets
        return ScoredNodes(evaluator, targets, meter, threads=1, boxing=self.boxing)

    def _read(self, scored_nodes: ScoredNodes, iterations: int = 0) -> Reading:
        found = scored_nodes.archive.members
        indices = [quality_indices(v.shown, self.boxing) for v in (found, self.front)]
        return Reading(
            iterations,
            convergence_error(*indices),
            representation_ratio(found.boxes, self.front.boxes),
            len(scored_nodes),
            len(found),
        )


def _choices(search: PbgEa) -> int:
    """Nodes of population and archive, each counted once."""
    scored_nodes = search.scored_nodes
    ranks: Array = search.population @ np.array(scored_nodes.lattice.strides)
    return len(np.union1d(ranks, scored_nodes.archive.members.rank))


def _points(found: Vectors) -> Points:
    return tuple(tuple(float(value) for value in row) for row in found.shown)


def _problem_facts(trial: Trial, truth: Truth, runs: Sequence[Run]) -> ProblemFacts:
    reached = [run.reached for run in runs if run.reached]
    return ProblemFacts(
        title=trial.title,
        figure=trial.figure,
        objectives=truth.objectives,
        nodes=truth.nodes,
        rows=truth.rows,
        glm_maximum=truth.glm_maximum,
        published=trial.published,
        pbg_ea=_quality([run.stages[0] for run in runs]),
        evolve=_quality([run.evolve for run in runs if run.evolve]),
        exact_evaluations=truth.exact_evaluations,
        stages=tuple(_stage([run.stages[i] for run in runs]) for i in range(len(STAGES))),
        reached=_stage(reached) if reached else None,
        drawn_from=Spread.of([run.choices for run in runs]),
        front=truth.front,
        pbg_ea_archive=runs[0].archive,
        evolve_archive=runs[0].evolve_archive,
    )


def _vector_facts(trial: Trial, truth: Truth, runs: Sequence[Run]) -> VectorFacts:
    return VectorFacts(
        trial.title,
        dict(zip(truth.objectives, trial.sizes, strict=True)),
        trial.guessed,
        truth.boxes,
        trial.published,
        _quality([run.stages[0] for run in runs]),
    )


def _quality(readings: Sequence[Reading]) -> Quality:
    return Quality(
        ce=Spread.of([r.ce for r in readings]),
        ce_per_member=Spread.of([r.ce / r.members for r in readings]),
        rr=Spread.of([r.rr for r in readings]),
        evaluations=Spread.of([float(r.evaluations) for r in readings]),
        members=Spread.of([float(r.members) for r in readings]),
    )


def _stage(readings: Sequence[Reading]) -> RunStage:
    return RunStage(Spread.of([float(r.iterations) for r in readings]).mean, _quality(readings))
