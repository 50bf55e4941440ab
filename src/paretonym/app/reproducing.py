"""`paretonym reproduce`: a paper's tables and figures, computed again and written down."""

from __future__ import annotations

import json
import os
from pathlib import Path

from paretonym.app.fronts import default_threads
from paretonym.app.reproducing_pbg import reproduce_pbg
from paretonym.errors import JobError, OutputError, nearest
from paretonym.publishing.atomic import PUBLIC_FILE, make_folder, write_text
from paretonym.report import ReproductionFacts, reproduction_html, reproduction_markdown
from paretonym.search import Progress

PAPERS = {"pbg": reproduce_pbg}  # by what the papers are about
FILES = ("reproduction.html", "reproduction.md", "reproduction.json")
RUNS, SEED = 20, 1


def reproduce(
    paper: str,
    *,
    runs: int = RUNS,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ReproductionFacts:
    """Every figure of a paper's evaluation that can be computed from the bundled table."""
    refuse_unknown(paper)
    if runs < 1:
        raise JobError(f"runs of {runs} compute nothing; ask for 1 or more")
    return PAPERS[paper](
        runs=runs, seed=seed, threads=threads or default_threads(), progress=progress
    )


def refuse_unknown(paper: str) -> None:
    if paper not in PAPERS:
        raise JobError(
            f"there is no reproduction of this name{nearest(paper, list(PAPERS))}; there is: "
            f"{', '.join(PAPERS)} (property based generalizations, paper 000)"
        )


def refuse_place(folder: Path) -> None:
    """Told before minutes of work, not after them."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise OutputError(f"'{there}' is a file; choose another folder")
    if not os.access(there, os.W_OK):
        raise OutputError(f"'{there}' cannot be written to; choose another folder")
    if (folder / "manifest.json").exists():
        raise OutputError(f"'{folder}' holds a release; choose another folder")


def write_reproduction(facts: ReproductionFacts, folder: Path) -> list[Path]:
    """Each file atomically; the same bytes on every machine for the same seed and runs."""
    refuse_place(folder)
    data = json.dumps(facts.to_json(), ensure_ascii=False, indent=1, allow_nan=False)
    texts = (reproduction_html(facts), reproduction_markdown(facts), data + "\n")
    make_folder(folder)
    for name, text in zip(FILES, texts, strict=True):
        write_text(folder / name, text, mode=PUBLIC_FILE)
    return [folder / name for name in FILES]
