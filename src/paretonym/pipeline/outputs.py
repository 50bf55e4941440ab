"""Where results may go: never onto something that the job reads, never into a release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paretonym.errors import OutputError
from paretonym.model.hierarchy import Family, FromFile
from paretonym.model.job import Job
from paretonym.pipeline.checkpoints import CHECKPOINT

FRONT_FILES = ("front.csv", "front.json", "report.html", "explorer.html")


def refuse_inputs(
    job: Job, folder: Path, names: Sequence[str] = (*FRONT_FILES, CHECKPOINT)
) -> None:
    """None of the files to write may take the place of something the job reads."""
    taken = {(folder / name).resolve() for name in names}
    if any(path.resolve() in taken for path in inputs_of(job)):
        raise OutputError(
            f"the output '{folder}' would replace a file that the job reads; choose another folder"
        )
    if (folder / "manifest.json").exists():
        raise OutputError(f"'{folder}' holds a release; choose another folder")


def inputs_of(job: Job) -> list[Path]:
    """Every file that the job reads, and itself."""
    found = [*(source.data for source in job.sources), job.path]
    for column in job.columns:
        spec = column.hierarchy
        chains = [chain for _, chain in spec.partitions] if isinstance(spec, Family) else [spec]
        found += [chain.path for chain in chains if isinstance(chain, FromFile)]
    for group in job.groups:
        others = group.auxiliary.sources if group.auxiliary else ()
        found += [source.data for source in (*group.reference, *others)]
    return [path for path in found if isinstance(path, Path)]
