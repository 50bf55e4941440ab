"""front.csv, front.json and report.html."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from paretonym.app.bench import Bench
from paretonym.model.front import Front
from paretonym.publishing.atomic import write_text
from paretonym.report import front_facts, front_html


def write_front(front: Front, bench: Bench, folder: Path) -> list[Path]:
    """Each file atomically; front.json is the same on every machine for the same job and table."""
    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps(
        front.to_json(with_seconds=False), ensure_ascii=False, indent=1, allow_nan=False
    )
    facts = front_facts(
        front,
        hierarchies=bench.lattice.granulations,
        limit_rows=bench.limit,
        rule=bench.job.suppression.rule,
        weights={c.name: c.weight for c in bench.job.columns},
    )
    texts = {
        "front.csv": front_csv(front),
        "front.json": data + "\n",
        "report.html": front_html(facts),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


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
