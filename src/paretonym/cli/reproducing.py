"""`paretonym reproduce`: what the command says and writes."""

from __future__ import annotations

from pathlib import Path

from paretonym.cli.show import Screen
from paretonym.papers import reproducing


def reproduce(
    screen: Screen,
    paper: str,
    out: Path | None,
    *,
    runs: int | None,
    seed: int,
    threads: int | None,
    acs: Path | None,
) -> None:
    reproducing.refuse_unknown(paper)
    reproducing.refuse_survey(paper, acs)
    folder = out or Path(f"reproduction-{paper}")
    reproducing.refuse_place(folder)
    known = reproducing.PAPERS[paper]
    screen.say(f"{runs or known.runs} runs of each search; {known.runs} take {known.takes}")
    facts = reproducing.reproduce(
        paper, runs=runs, seed=seed, threads=threads, progress=screen.progress(), acs=acs
    )
    files = reproducing.write_reproduction(paper, facts, folder)
    screen.show(reproducing.markdown_of(paper, facts))
    screen.say("wrote " + ", ".join(str(file) for file in files))
    screen.give(facts.to_json())
