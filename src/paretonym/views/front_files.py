"""front.csv, front.json, report.html, and explorer.html to look around in."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from paretonym.model.front import Front
from paretonym.pipeline.open_job import OpenJob
from paretonym.pipeline.outputs import FRONT_FILES, refuse_inputs
from paretonym.pipeline.shown_fronts import ShownFront
from paretonym.publishing.atomic import make_folder, write_text
from paretonym.report import front_html
from paretonym.report.explorer_page import explorer_html
from paretonym.views.front_views import front_view, with_details

CANDIDATES = 20_000  # behind the front in the one-file explorer, which gets sent around


def write_front(front: Front, opened: OpenJob, folder: Path) -> list[Path]:
    """Each file atomically; front.json is the same on every machine for the same job and table."""
    refuse_inputs(opened.job, folder)
    make_folder(folder)
    shown = ShownFront.of(front, opened)
    data = json.dumps(
        shown.to_json(with_seconds=False), ensure_ascii=False, indent=1, allow_nan=False
    )
    view = front_view(front, opened, most=CANDIDATES)
    page = explorer_html(with_details(view, front, opened))
    texts = (front_csv(front), data + "\n", front_html(shown.facts()), page)
    for name, text in zip(FRONT_FILES, texts, strict=True):
        write_text(folder / name, text)
    return [folder / name for name in FRONT_FILES]


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
