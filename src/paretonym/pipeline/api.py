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
from paretonym.model.candidate import Candidate
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
    """A job from a mapping with the keys of a job file.

    Args:
        data: What a job file would hold. Numbers and booleans may be real ones; `None` means that
            the key is not there. Paths are relative to the current folder.
        table: A frame (pandas, polars, Arrow) or a path, in place of the key `table`.

    Returns:
        The job, checked as far as that is possible without its table.

    Raises:
        JobError: Something is not understood; the message tells every fault at once.

    Example:
        columns = {
            "school": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "illness": {"role": "sensitive"},
        }
        job = pn.make_job({"table": "ten.csv", "columns": columns, "objectives": ["k", "glm"]})
        assert job.quasi == ("school", "sex")
    """
    return parse_job(data, base=Path(), table=table)


def find_front(job: Job, *, threads: int | None = None, progress: Progress | None = None) -> Front:
    """The best trade-offs between the job's objectives.

    A notebook shows them as a figure and a table.

    Args:
        job: What to search, by which method and budget.
        threads: Compute threads; left out, one for each core, at most eight. Results do not change.
        progress: Is told how far the search is.

    Returns:
        The front; its `exact` says whether these are all the best trade-offs.

    Raises:
        InfeasibleError: No candidate meets the requirements; the message says how near one came.

    Example:
        front = pn.find_front(pn.load_job("ten.yaml"))
        assert front.exact
        assert [entry.values["k"] for entry in front.entries] == [1, 2, 3, 4, 7, 10]
    """
    with open_job(job) as opened:
        return ShownFront.of(fronts.front_of(opened, threads=threads, progress=progress), opened)


def score(job: Job, levels: Mapping[str, int], *, suppress_below: int | None = None) -> Candidate:
    """Every measure of one node, also those that are no objective of the job.

    Args:
        job: The table, its columns and what may be suppressed.
        levels: A level for each quasi-identifier; 0 is the original value.
        suppress_below: Classes with fewer rows are suppressed; left out, no more than is required.

    Returns:
        The measures by name; `feasible` says whether the requirements are met.

    Example:
        found = pn.score(pn.load_job("ten.yaml"), {"school": 1, "sex": 0}, suppress_below=2)
        assert found.suppressed == 1
        assert found.values["k"] == 2
    """
    return fronts.score(job, levels, suppress_below=suppress_below)


def group_signals(job: Job) -> tuple[grouping.Found, ...]:
    """Where each group of a job is, and which areas stand out.

    Args:
        job: A job with `groups`.

    Returns:
        One entry for each group, in the job's order; its `signals` tell counts and outliers by
        area.

    Example:
        (soldiers,) = pn.group_signals(pn.load_job("bases.yaml"))
        assert soldiers.signals.members == 2_670
    """
    return grouping.signals_of(job)


def attack_groups(
    job: Job, *, threads: int | None = None, progress: Progress | None = None
) -> tuple[GroupAttack, ...]:
    """Whether somebody with an auxiliary file finds the groups without their removed columns.

    Args:
        job: A job with `groups`, each with an `auxiliary` file.
        threads: Compute threads; left out, one for each core, at most eight. Results do not change.
        progress: Is told how far the attack is.

    Returns:
        One entry for each group; its `attackers` hold what each adversary restores.
    """
    return attacking.attacks_of(job, threads=threads, progress=progress)


def protect_groups(
    job: Job, *, threads: int | None = None, progress: Progress | None = None
) -> protecting.Protection:
    """Swaps of areas between similar records that mask where the job's groups stand out.

    Args:
        job: A job with `groups`, each with `protect`.
        threads: Compute threads; left out, one for each core, at most eight. Results do not change.
        progress: Is told how far the work is.

    Returns:
        The verdicts by group; `pairs` are the rows of the table that exchange their areas.

    Raises:
        InfeasibleError: The job's distortion does not suffice; the message says what does.
    """
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
    """Write one point of the front and recompute every promise from the file.

    Args:
        job: What to release. It is searched only when `pick` is given.
        out: The folder to make. An earlier release there is replaced, anything else is refused.
        pick: Which point of the front, as for `pick`. Give either this or `levels`.
        levels: A level for each quasi-identifier.
        suppress_below: With `levels`: classes with fewer rows are suppressed.
        format: `csv` or `parquet`.
        neutralise: Quote cells of a CSV that spreadsheets take for formulas.
        threads: Compute threads of the search. Results do not change.

    Returns:
        The folder, what is promised, and what was recomputed.

    Raises:
        InfeasibleError: No candidate meets the requirements or the conditions of `pick`.
        SafetyError: The file would show something that the job does not allow.
        VerificationError: The written file does not bear out a promise. Nothing is left behind.

    Example:
        made = pn.release(pn.load_job("ten.yaml"), pick="k>=2", out="ten-release")
        assert made.public.promises["k"] == 2
        assert made.verification.ok
    """
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
    """The same frozen recoding on a later file, with what has drifted.

    Args:
        plan: A release, or the plan in its folder `internal`. A plan that was edited is refused.
        table: The later file or frame, with the columns of the first one.
        out: The folder to make.
        format: `csv` or `parquet`.
        neutralise: Quote cells of a CSV that spreadsheets take for formulas.
        delimiter: Of a CSV; left out, it is found out.

    Returns:
        The release, and how the later file differs from the one that the plan was made on.

    Raises:
        InfeasibleError: More rows than the plan's limit would have to go.
        VerificationError: The written file does not bear out a promise. Nothing is left behind.

    Example:
        pn.release(pn.load_job("ten.yaml"), pick="k>=2", out="first")
        made, drift = pn.apply("first", "ten.csv", out="later")
        assert made.verification.ok
        assert drift.unknown_rows == 0
    """
    data = Path(table) if isinstance(table, str | os.PathLike) else table
    return applying.apply_plan(
        applying.load_plan(Path(plan)),
        TableSource(data, delimiter=delimiter),
        output=Output(Path(out), format, neutralise=neutralise),
    )


def verify(folder: PathLike, *, against: object | None = None) -> Verification:
    """Recompute a release's promises from its files alone.

    Args:
        folder: The release, with or without its folder `internal`.
        against: The original table or frame; then also that every row comes from it.

    Returns:
        The checks that were made; `ok` when all hold. `stated` and `unchecked` name what these
        files cannot prove.

    Example:
        pn.release(pn.load_job("ten.yaml"), pick="k>=2", out="checked")
        found = pn.verify("checked", against="ten.csv")
        assert found.ok
        assert found.internal_checked
    """
    if isinstance(against, str | os.PathLike):
        against = Path(against)
    source = None if against is None else TableSource(against)
    return verify_release(Path(folder), against=source)
