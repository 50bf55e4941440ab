"""The Python interface: the same pipelines as the commands, on paths or frames."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paretonym.decide import pick
from paretonym.groups.attack import GroupAttack
from paretonym.jobfile.loading import load_job, parse_job
from paretonym.measures import register
from paretonym.model.front import Front
from paretonym.model.job import Job
from paretonym.model.source import TableSource
from paretonym.pipeline import applying, attacking, fronts, grouping, protecting, releasing
from paretonym.pipeline.assembly import Output
from paretonym.pipeline.open_job import open_job
from paretonym.pipeline.shown_fronts import ShownFront
from paretonym.publishing import Publication, Verification
from paretonym.publishing import verify as verify_release
from paretonym.search import Progress

__all__ = [
    "apply",
    "attack_groups",
    "find_front",
    "group_signals",
    "load_job",
    "make_job",
    "pick",
    "protect_groups",
    "register",
    "release",
    "score",
    "verify",
]

PathLike = str | os.PathLike[str]


def make_job(data: Mapping[str, Any], *, table: object | None = None) -> Job:
    """A job from a mapping with the keys of a job file; `table` may be a path or a frame."""
    return parse_job(data, base=Path(), table=table)


def find_front(job: Job, *, threads: int | None = None, progress: Progress | None = None) -> Front:
    """The best trade-offs between the job's objectives; `exact` says whether these are all.

    A notebook shows it as a figure and a table.
    """
    with open_job(job) as opened:
        return ShownFront.of(fronts.front_of(opened, threads=threads, progress=progress), opened)


def score(
    job: Job, levels: Mapping[str, int], *, suppress_below: int | None = None
) -> fronts.Score:
    """Every measure of one node."""
    return fronts.score(job, levels, suppress_below=suppress_below)


def group_signals(job: Job) -> tuple[grouping.Found, ...]:
    """Where each group of a job is, and which areas stand out."""
    return grouping.signals_of(job)


def attack_groups(
    job: Job, *, threads: int | None = None, progress: Progress | None = None
) -> tuple[GroupAttack, ...]:
    """Whether somebody with an auxiliary file finds the groups; each has `attackers`."""
    return attacking.attacks_of(job, threads=threads, progress=progress)


def protect_groups(
    job: Job, *, threads: int | None = None, progress: Progress | None = None
) -> protecting.Protection:
    """Swaps that mask where the job's groups stand out; `pairs` are rows of its table."""
    return protecting.protect_groups(job, threads=threads, progress=progress)


def release(
    job: Job,
    *,
    out: PathLike,
    pick: str | None = None,
    levels: Mapping[str, int] | None = None,
    suppress_below: int | None = None,
    format: str = "csv",  # noqa: A002
    neutralise: bool = False,
    threads: int | None = None,
) -> Publication:
    """Write one point of the front and recompute every promise from the file."""
    point = releasing.Point(pick, levels, suppress_below)
    output = Output(Path(out), format, neutralise=neutralise)
    with open_job(job) as opened:
        return releasing.release_point(
            opened,
            point,
            output=output,
            search=lambda: fronts.front_of(opened, threads=threads),
        )


def apply(
    plan: PathLike,
    table: object,
    *,
    out: PathLike,
    format: str = "csv",  # noqa: A002
    neutralise: bool = False,
    delimiter: str | None = None,
) -> tuple[Publication, applying.Drift]:
    """The same frozen recoding on a later file, with what has drifted."""
    data = Path(table) if isinstance(table, str | os.PathLike) else table
    return applying.apply_plan(
        applying.load_plan(Path(plan)),
        TableSource(data, delimiter=delimiter),
        output=Output(Path(out), format, neutralise=neutralise),
    )


def verify(folder: PathLike, *, against: object | None = None) -> Verification:
    """Recompute a release's promises from its files alone."""
    if isinstance(against, str | os.PathLike):
        against = Path(against)
    source = None if against is None else TableSource(against)
    return verify_release(Path(folder), against=source)
