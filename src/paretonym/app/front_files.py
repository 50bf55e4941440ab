"""front.csv, front.json, report.html, and explorer.html to look around in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from paretonym.app.bench import Bench
from paretonym.app.checkpoints import CHECKPOINT
from paretonym.app.front_views import front_view, with_details
from paretonym.app.shown_fronts import ShownFront
from paretonym.errors import OutputError
from paretonym.model.front import Front
from paretonym.model.hierarchy import Family, FromFile
from paretonym.model.job import Job
from paretonym.publishing.atomic import make_folder, write_text
from paretonym.report import front_html
from paretonym.report.explorer_page import explorer_html

CANDIDATES = 20_000  # behind the front in the one-file explorer, which gets sent around
FILES = ("front.csv", "front.json", "report.html", "explorer.html")


def refuse_inputs(job: Job, folder: Path, names: Sequence[str] = (*FILES, CHECKPOINT)) -> None:
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


def write_front(front: Front, bench: Bench, folder: Path) -> list[Path]:
    """Each file atomically; front.json is the same on every machine for the same job and table."""
    refuse_inputs(bench.job, folder)
    make_folder(folder)
    data = json.dumps(
        front.to_json(with_seconds=False), ensure_ascii=False, indent=1, allow_nan=False
    )
    view = front_view(front, bench, most=CANDIDATES)
    page = explorer_html(with_details(view, front, bench))
    texts = (front_csv(front), data + "\n", front_html(ShownFront.of(front, bench).facts()), page)
    for name, text in zip(FILES, texts, strict=True):
        write_text(folder / name, text)
    return [folder / name for name in FILES]


def front_csv(front: Front) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = list(front.entries[0].levels)
    names = [objective.name for objective in front.objectives]
    writer.writerow(
        [*names, "suppress_below", "suppressed", "ties", *(f"level {c}" for c in columns)]
    )
    for entry in front.entries:
        writer.writerow(
            [*(entry.values[n] for n in names), entry.suppress_below, entry.suppressed, entry.ties,
             *entry.levels.values()]
        )  # fmt: skip
    return text.getvalue()
