"""Chertov and Tavrov 2017 and Tavrov and Chertov 2016, protection: their printed figures, and swaps
on generated and real people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from paretonym.groups.protection import By, ProtectionTask
from paretonym.jobfile.loading import parse_job
from paretonym.model.job import Job
from paretonym.papers.attack.facts import SurveyFile
from paretonym.papers.attack.parts import Part, bundled
from paretonym.papers.attack.running import SPLITS, survey_job
from paretonym.papers.attack.survey_files import STATES, find_files
from paretonym.papers.protect.alpha import alpha_rows
from paretonym.papers.protect.facts import ProtectFacts, RegionFacts
from paretonym.papers.protect.published import PAPERS, printed_alpha, printed_solutions
from paretonym.papers.protect.tasks import ALPHAS, Effort, Tried, tasks_of, try_region
from paretonym.search import Progress, Silent
from paretonym.version import __version__

REGION = "south"  # two outliers, as in New York; the other regions have three
SPLIT = SPLITS[0]
FILES: tuple[SurveyFile, ...] = (*SPLIT.target, *SPLIT.auxiliary)
EXPERIMENTS: tuple[tuple[str, By], ...] = ((PAPERS[0], "attributes"), (PAPERS[1], "model"))
_STEPS = 100  # of progress: a region of generated people, or all of the survey's


def reproduce_protect(
    *,
    runs: int,
    seed: int,
    threads: int,
    progress: Progress | None = None,
    acs: Path | None = None,
    effort: Effort | None = None,
) -> ProtectFacts:
    """Everything printed, then one region of the bundled population, then the survey's files."""
    progress = progress or Silent()
    files = find_files(acs)
    missing = tuple(one.name for one in FILES if one not in files)
    work = _Work(runs, seed, threads, progress, effort or Effort())
    progress.start("reproducing", _STEPS * (len(EXPERIMENTS) + (not missing)))
    try:
        regions = tuple(work.generated(paper, by) for paper, by in EXPERIMENTS)
        survey = () if missing else tuple(work.surveyed(survey_job(SPLIT, files, seed)))
    finally:
        progress.finish()
    return ProtectFacts(
        software=__version__,
        runs=runs,
        seed=seed,
        printed=printed_solutions(),
        printed_alphas=tuple(map(printed_alpha, ALPHAS)),
        regions=regions,
        survey=survey,
        files=FILES,
        missing=missing,
    )


def generated_job(seed: int) -> Job:
    """The bundled job; the seed is that of the rules' evolution, the people stay the same."""
    data, _, base = bundled("groups/bases.yaml")
    data["search"] = {"seed": str(seed)}
    return parse_job(data, base=base)


class _Work:
    """What all regions share."""

    def __init__(
        self, runs: int, seed: int, threads: int, progress: Progress, effort: Effort
    ) -> None:
        self._runs, self._seed, self._threads = runs, seed, threads
        self._progress, self._effort = progress, effort
        self._done = 0  # regions so far, each of which draws from a stream of its own

    def generated(self, paper: str, by: By) -> RegionFacts:
        tasks = tasks_of(generated_job(self._seed), by, self._threads)
        (task,) = (one for one in tasks if one.name == REGION)
        return self._region(f"{paper} on generated people", by, task, _STEPS)

    def surveyed(self, job: Job) -> Iterator[RegionFacts]:
        tasks = tasks_of(job, "attributes", self._threads)
        ends = [_STEPS * place // max(len(tasks), 1) for place in range(len(tasks) + 1)]
        for place, task in enumerate(tasks):
            made = self._region(
                f"{PAPERS[0]} on real people", "attributes", task, ends[place + 1] - ends[place]
            )
            yield replace(made, name=STATES.get(made.name, made.name))

    def _region(self, title: str, by: By, task: ProtectionTask, steps: int) -> RegionFacts:
        tried = try_region(
            task, self._effort, runs=self._runs, seed=(self._seed, self._done),
            threads=self._threads, progress=Part(self._progress, steps),
        )  # fmt: skip
        self._done += 1
        return self._facts(title, by, tried)

    def _facts(self, title: str, by: By, tried: Tried) -> RegionFacts:
        made = tried.facts(title, by)
        rows = alpha_rows(tried.task, made.levels[0], self._effort, threads=self._threads)
        return replace(made, alphas=tuple(rows))
