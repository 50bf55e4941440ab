"""One region masked in every way: by the flow, as published, and by the improved algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from paretonym.errors import InfeasibleError
from paretonym.groups.memetic import centre_of
from paretonym.groups.protection import (
    By,
    Individual,
    Protected,
    ProtectionTask,
    protect_by_evolution,
    protect_by_flow,
)
from paretonym.groups.restrictions import published_fitness
from paretonym.groups.swapping import MILLION
from paretonym.model.job import Job
from paretonym.model.protect import Memetic, ProtectSpec
from paretonym.papers.attack.parts import Part
from paretonym.papers.protect.facts import (
    EvolvedFacts,
    LevelFacts,
    RegionFacts,
    Solution,
)
from paretonym.pipeline.protecting import protect_groups

# compatibilities and what part of C_max may be spent: those of Chertov and Tavrov 2017; and full
# compatibility, where the flow proves the optimum, and which is impossible within 3/10 in some of
# these regions
LEVELS = {0.5: Fraction(3, 10), 1.0: Fraction(2, 5)}
ALPHAS = tuple(Fraction(share, 1000) for share in (1, 2, 5, 10, 20, 50, 100))
SHOWN = 5  # of an algorithm's solutions
_STREAM = 104  # of randomness, apart from those of attacks and of the command
# everything is a solution: the verdicts of the papers follow
_ANYTHING = ProtectSpec(
    compatibility=1e-9, remaining=Fraction(1), distortion=Fraction(1), new_outliers="allow"
)


@dataclass(frozen=True, slots=True)
class Effort:
    """Generations of a run, and the alphas that are tried."""

    published: int = 1000
    improved: int = 50
    alphas: tuple[Fraction, ...] = ALPHAS


def tasks_of(job: Job, by: By, threads: int) -> list[ProtectionTask]:
    """The regions of a job in which something stands out, before anything is asked of them."""
    (group,) = job.groups
    loose = replace(job, groups=(replace(group, protect=_ANYTHING),))
    (made,) = protect_groups(loose, against=by, method="flow", threads=threads).groups
    return [one.task for one in made.regions]


def asked(level: float) -> ProtectSpec:
    return ProtectSpec(compatibility=level, distortion=LEVELS[level])


def try_region(
    task: ProtectionTask,
    effort: Effort,
    *,
    runs: int,
    seed: tuple[int, int],
    threads: int,
    progress: Part,
) -> Tried:
    """What is asked does not change the published algorithm: it runs once for all levels."""
    progress.start("", runs * (effort.published + len(LEVELS) * effort.improved))
    evolve = _Evolution(task, runs, seed, threads, progress)
    published = evolve(Memetic(generations=effort.published, runs=runs), _ANYTHING.compatibility, 0)
    levels = tuple(
        _Level(
            level,
            _flow(replace(task, spec=asked(level)), threads),
            published,
            evolve(Memetic(generations=effort.improved, runs=runs, improved=True), level, number),
        )
        for number, level in enumerate(LEVELS, start=1)
    )
    return Tried(task, effort, levels)


@dataclass(frozen=True, slots=True)
class _Failed:
    """Nothing came out, and why."""

    fault: str


Evolved = tuple[Individual, ...] | _Failed


@dataclass(frozen=True, eq=False, slots=True)
class _Level:
    compatible: float
    flow: Protected | _Failed
    published: Evolved
    improved: Evolved


@dataclass(frozen=True, eq=False, slots=True)
class _Evolution:
    """Runs of either algorithm on one region."""

    task: ProtectionTask
    runs: int
    seed: tuple[int, int]
    threads: int
    progress: Part

    def __call__(self, options: Memetic, level: float, stream: int) -> Evolved:
        spec = replace(_ANYTHING, compatibility=level, memetic=options)
        draw = np.random.default_rng([*self.seed, stream, _STREAM])
        heard = [0]

        def progress(steps: int) -> None:
            heard[0] += steps
            self.progress.advance(steps)

        try:
            made: Evolved = protect_by_evolution(
                replace(self.task, spec=spec), draw=draw, threads=self.threads, progress=progress
            ).evolved
        except InfeasibleError as error:
            if not heard[0]:  # refused before the first generation
                return _Failed(str(error))
            made = _Failed(str(error))
        if heard[0] < options.generations * self.runs:
            raise KeyboardInterrupt  # evolution ends with what it has; a reproduction does not
        return made


def _flow(task: ProtectionTask, threads: int) -> Protected | _Failed:
    try:
        return protect_by_flow(task, threads=threads)
    except InfeasibleError as error:
        return _Failed(str(error))


@dataclass(frozen=True, eq=False, slots=True)
class Tried:
    """A region and all that was tried on it."""

    task: ProtectionTask
    effort: Effort
    levels: tuple[_Level, ...]

    def facts(self, title: str, by: By) -> RegionFacts:
        task = self.task
        return RegionFacts(
            title=title,
            against=by,
            name=task.name or "",
            areas=task.region.areas,
            before=tuple(task.region.signal.tolist()),
            outliers=_numbered(task, task.outliers),
            thresholds=tuple(float(one.threshold) for one in task.restrictions),
            centre=centre_of(task.restrictions, Memetic()),
            most=task.most_distorted / MILLION,
            alpha=float(task.rule.alpha),
            levels=tuple(map(self._level, self.levels)),
        )

    def _level(self, one: _Level) -> LevelFacts:
        task = replace(self.task, spec=asked(one.compatible))
        found = None if isinstance(one.flow, _Failed) else one.flow
        return LevelFacts(
            one.compatible,
            float(LEVELS[one.compatible]),
            None if found is None else _solution(task, _individual(found)),
            None if found is None else found.lower_bound / MILLION,
            one.flow.fault if isinstance(one.flow, _Failed) else "",
            _evolved("published", task, self.effort.published, one.published),
            _evolved("improved", task, self.effort.improved, one.improved),
        )


def _evolved(name: str, task: ProtectionTask, generations: int, made: Evolved) -> EvolvedFacts:
    if isinstance(made, _Failed):
        return EvolvedFacts(name, generations, 0, 0, 0, 0, (), (), made.fault)
    judged = [_solution(task, one) for one in made]
    kept = sorted((one for one in judged if one.masked), key=_order)
    return EvolvedFacts(
        name=name,
        generations=generations,
        size=len(judged),
        masked=len(kept),
        feasible_paper=sum(one.feasible_paper for one in judged),
        feasible_job=sum(one.feasible_job for one in judged),
        best=tuple(dict.fromkeys(kept))[:SHOWN],
        distortions=tuple(one.distortion for one in kept),
    )


def _order(one: Solution) -> tuple[float, int, tuple[int, ...]]:
    return one.distortion, one.swaps, one.signal


def _individual(made: Protected) -> Individual:
    return Individual(
        made.distortion, made.compatibility, 0.0, len(made.pairs), tuple(made.after.tolist()),
        made.remaining, feasible_paper=True, feasible_job=not made.job_faults,
    )  # fmt: skip


def _solution(task: ProtectionTask, one: Individual) -> Solution:
    """Judged by what is asked; the candidate itself says only that its swaps are possible."""
    spec = task.spec
    old = [area for area in one.outliers if area in task.outliers]
    masked = one.compatibility >= spec.compatibility and not old
    paper = masked and one.distortion <= spec.distortion * task.most_distorted
    return Solution(
        signal=one.signal,
        distortion=one.distortion / MILLION,
        compatibility=one.compatibility,
        fitness=published_fitness(
            one.distortion, task.most_distorted, one.compatibility, one.swaps,
            centre=centre_of(task.restrictions, Memetic()),
        ),
        swaps=one.swaps,
        outliers=_numbered(task, one.outliers),
        masked=masked,
        feasible_paper=paper,
        feasible_job=paper and one.feasible_job and not one.outliers,
    )  # fmt: skip


def _numbered(task: ProtectionTask, areas: Sequence[str]) -> tuple[int, ...]:
    return tuple(task.region.areas.index(area) + 1 for area in areas)
