"""`init`, `check`, `front`, `release` on tables as they come: Adult, surveys, test files."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from benchmarks.commands import timed
from paretonym import datasets

DATA = Path(__file__).parents[2] / "shared" / "data"  # beside the clone, where it is at hand
FOLDERS = ("acs2015", "acs2018", "sdc")


def run() -> dict[str, tuple[float, float, float, float]]:
    """A command that does not accept what the one before it wrote ends the run."""
    tables = [datasets.path("adult/adult.csv.gz")]
    tables += [file for name in FOLDERS for file in sorted((DATA / name).glob("*.csv*"))]
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for table in tables:
            name = f"{table.parent.name}/{table.name}"
            looked, _ = timed("init", str(table), "-o", "job.yaml", "--quiet", folder=folder)
            checked, _ = timed("check", "job.yaml", "--quiet", folder=folder)
            found, text = timed("front", "job.yaml", "-o", "front", "--json", folder=folder)
            front = json.loads(text)
            made, _ = timed("release", "job.yaml", "--pick", "knee", "-o", "made", folder=folder)
            figures[name] = (looked, checked, found, made)
            print(
                f"  {name:32} init {looked:5.1f} s, check {checked:4.1f} s, front {found:5.1f} s, "
                f"release {made:5.1f} s ({front['nodes']:,} nodes, {len(front['front'])} points)",
                flush=True,
            )
            (Path(folder) / "job.yaml").unlink()
            shutil.rmtree(Path(folder) / "made")
    return figures
