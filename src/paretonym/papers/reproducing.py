"""`paretonym reproduce`: a paper's tables and figures, computed again and written down."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from paretonym.errors import JobError, OutputError, nearest
from paretonym.papers.aog.page import aog_html
from paretonym.papers.aog.running import reproduce_aog
from paretonym.papers.aog.tables import aog_tables
from paretonym.papers.attack.page import attack_reproduction_html
from paretonym.papers.attack.running import reproduce_attack
from paretonym.papers.attack.survey_files import find_files
from paretonym.papers.attack.tables import attack_tables
from paretonym.papers.facts import PrintedTable, ReproductionFacts, markdown
from paretonym.papers.pbg.page import pbg_html
from paretonym.papers.pbg.running import reproduce_pbg
from paretonym.papers.pbg.tables import pbg_tables
from paretonym.papers.protect.page import protect_html
from paretonym.papers.protect.running import reproduce_protect
from paretonym.papers.protect.tables import protect_tables
from paretonym.pipeline.fronts import default_threads
from paretonym.publishing.atomic import PUBLIC_FILE, make_folder, write_text
from paretonym.search import Progress

FILES = ("reproduction.html", "reproduction.md", "reproduction.json")
RUNS, SEED = 20, 1

Facts = TypeVar("Facts", bound=ReproductionFacts)


@dataclass(frozen=True, slots=True)
class Paper(Generic[Facts]):
    """A paper that can be computed again, and how its facts are shown."""

    about: str
    takes: str  # that many runs, in time
    compute: Callable[..., Facts]
    tables: Callable[[Facts], tuple[PrintedTable, ...]]
    page: Callable[[Facts], str]
    runs: int = RUNS
    reads_survey: bool = False  # files of the American Community Survey, where they are at hand


PAPERS: dict[str, Paper[Any]] = {  # by what the papers are about
    "pbg": Paper(
        "property based generalizations, Dewri et al. 2010", "about three minutes",
        reproduce_pbg, pbg_tables, pbg_html,
    ),
    "aog": Paper(
        "attribute-oriented granulation", "less than a minute",
        reproduce_aog, aog_tables, aog_html,
    ),
    "attack": Paper(
        "finding a group whose column was removed, Tavrov and Chertov 2016",
        "about a minute, and with the survey's files about two",
        reproduce_attack, attack_tables, attack_reproduction_html, reads_survey=True,
    ),
    "protect": Paper(
        "hiding where a group stands out, Chertov and Tavrov 2017 and Tavrov and Chertov 2016",
        "two to three minutes, and with the survey's files three to five",
        reproduce_protect, protect_tables, protect_html, runs=10, reads_survey=True,
    ),
}  # fmt: skip


def reproduce(
    paper: str,
    *,
    runs: int | None = None,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    acs: Path | None = None,
) -> ReproductionFacts:
    """Every figure of a paper's evaluation that can be computed from the bundled tables.

    `runs` left out are as many as the paper made. `acs` is a folder with files of the American
    Community Survey, for the papers that read them.
    """
    refuse_unknown(paper)
    refuse_survey(paper, acs)
    runs = PAPERS[paper].runs if runs is None else runs
    if runs < 1:
        raise JobError(f"runs of {runs} compute nothing; ask for 1 or more")
    survey = {"acs": acs} if PAPERS[paper].reads_survey else {}
    found: ReproductionFacts = PAPERS[paper].compute(
        runs=runs, seed=seed, threads=threads or default_threads(), progress=progress, **survey
    )
    return found


def refuse_unknown(paper: str) -> None:
    if paper not in PAPERS:
        known = ", ".join(f"{name} ({one.about})" for name, one in PAPERS.items())
        hint = nearest(paper, list(PAPERS))
        raise JobError(f"there is no reproduction of this name{hint}; there are: {known}")


def refuse_survey(paper: str, acs: Path | None) -> None:
    """A folder that no table of the paper comes from, or that lacks a file."""
    if acs is None:
        return
    if not PAPERS[paper].reads_survey:
        readers = ", ".join(name for name, one in PAPERS.items() if one.reads_survey)
        raise JobError(f"--acs: '{paper}' reads no survey; leave it out, or reproduce {readers}")
    find_files(acs)


def refuse_place(folder: Path) -> None:
    """Told before minutes of work, not after them."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise OutputError(f"'{there}' is a file; choose another folder")
    if not os.access(there, os.W_OK):
        raise OutputError(f"'{there}' cannot be written to; choose another folder")
    if (folder / "manifest.json").exists():
        raise OutputError(f"'{folder}' holds a release; choose another folder")


def markdown_of(paper: str, facts: ReproductionFacts) -> str:
    return markdown(PAPERS[paper].tables(facts))


def write_reproduction(paper: str, facts: ReproductionFacts, folder: Path) -> list[Path]:
    """Each file atomically; the same bytes on every machine for the same seed and runs."""
    refuse_place(folder)
    data = json.dumps(facts.to_json(), ensure_ascii=False, indent=1, allow_nan=False)
    texts = (PAPERS[paper].page(facts), markdown_of(paper, facts), data + "\n")
    make_folder(folder)
    for name, text in zip(FILES, texts, strict=True):
        write_text(folder / name, text, mode=PUBLIC_FILE)
    return [folder / name for name in FILES]
