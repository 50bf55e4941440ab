"""What `paretonym group protect` leaves behind: a verified file, or swaps for `release`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paretonym.errors import InfeasibleError, JobError
from paretonym.groups.classifiers import installed
from paretonym.groups.detector import Detected, detect
from paretonym.groups.protection import GroupProtection
from paretonym.groups.records import SEEN, Column
from paretonym.jobfile.swap_files import write_swaps
from paretonym.model.job import Job
from paretonym.pipeline.assembly import Output
from paretonym.pipeline.outputs import refuse_inputs
from paretonym.pipeline.protecting import Protection, attacked_again, left_standing, refuse_undone
from paretonym.pipeline.swap_promises import swaps_of
from paretonym.pipeline.swapped import publish_swapped
from paretonym.publishing import Publication
from paretonym.publishing.atomic import (
    PRIVATE_FILE,
    make_folder,
    refuse_foreign_folder,
    write_text,
)
from paretonym.report.html import drawn, render
from paretonym.report.protect import ProtectFacts, protect_sections
from paretonym.search import Progress
from paretonym.version import __version__

SWAPS, REPORT = "swaps.json", "report.html"
_DETECTING = 104  # a stream of randomness


def refuse_place(job: Job, folder: Path) -> None:
    """What would stop the writing is told before the work."""
    if job.columns:
        refuse_inputs(job, folder, (SWAPS, REPORT))
    else:
        refuse_foreign_folder(folder)
    named = [c for g in job.groups if g.protect is not None for c in g.parameter]
    if any(column in named for g in job.groups for column in g.remove):
        raise JobError("remove: a column that is exchanged stays in the release; leave it out")
    if job.more:
        raise JobError("table: protect writes one file, so that it reads one; join the files first")


def judged(
    job: Job, made: Protection, *, threads: int | None = None, progress: Progress | None = None
) -> list[ProtectFacts]:
    """Every group with the attacks on it before and after, and what a detector makes of it."""
    before, after = attacked_again(job, made, threads=threads, progress=progress)
    earlier = {one.spec.name: one for one in before}
    later = {one.spec.name: one for one in after}
    return [
        ProtectFacts(
            group,
            made.before.count,
            earlier.get(group.spec.name),
            later.get(group.spec.name),
            _detected(job, made, group) if installed() else None,
            left_standing(made, group),
        )
        for group in made.groups
    ]


def _detected(job: Job, made: Protection, group: GroupProtection) -> Detected | None:
    rows, at = made.after, np.flatnonzero(made.after.flags[group.spec.name, SEEN])
    swapped = np.zeros(rows.count, np.bool_)
    swapped[group.pairs] = True
    columns = {name: Column(c.values, c.codes[at]) for name, c in rows.columns.items()}
    draw = np.random.default_rng([job.search.seed or 0, _DETECTING])
    return detect(columns, swapped[at], draw=draw)


def refuse_infeasible(made: Protection) -> None:
    """A file that does not keep what the job asks is not written."""
    for group in made.groups:
        for one in group.regions:
            if one.job_faults:
                where = "all areas" if one.task.name is None else f"region {one.task.name}"
                raise InfeasibleError(
                    f"group {group.spec.name}, {where}: {', '.join(one.job_faults)}; the best "
                    f"solution found does not keep what the job asks, so that nothing was written"
                )
    refuse_undone(made)


@dataclass(frozen=True, slots=True)
class ProtectionFiles:
    """Where things are now; a publication where a file was released."""

    files: tuple[Path, ...]
    publication: Publication | None


def write_protection(
    job: Job, made: Protection, facts: list[ProtectFacts], output: Output
) -> ProtectionFiles:
    """A verified release where the job states no columns, else swaps that `release` takes."""
    refuse_infeasible(made)
    swaps = swaps_of(made)
    removed = tuple(dict.fromkeys(c for group in made.groups for c in group.spec.remove))
    if not job.columns:
        done = publish_swapped(
            job.source, swaps, removed, output, job_digest=job.digest, seed=job.search.seed,
            groups=[(one.group.spec, one.adversaries) for one in facts],
            sections=lambda: protect_sections(facts), about=job.about,
        )  # fmt: skip
        return ProtectionFiles((done.folder,), done)
    folder = output.folder
    make_folder(folder)
    write_swaps(swaps, folder / SWAPS)
    page = render(
        "protect_page.html", facts={"software": __version__},
        sections=drawn(protect_sections(facts, parameters=True)),
    )  # fmt: skip
    write_text(folder / REPORT, page, mode=PRIVATE_FILE)
    return ProtectionFiles((folder / SWAPS, folder / REPORT), None)
