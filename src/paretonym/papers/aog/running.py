"""Attribute-oriented granulation: its running example, and its search on Adult."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np

from paretonym import datasets
from paretonym.encode.hierarchies import build as build_granulation
from paretonym.jobfile.loading import parse_job
from paretonym.jobfile.yaml import read_yaml
from paretonym.lattice import Lattice
from paretonym.lattice.lattice import Node
from paretonym.measures.quality import qualities_of
from paretonym.model.arrays import Array
from paretonym.model.granulation import Granulation
from paretonym.model.job import Job
from paretonym.model.secret import Secret
from paretonym.papers.aog.facts import (
    AogFacts,
    CodeFacts,
    FigureFacts,
    GranulationFacts,
    Groups,
    LogicFacts,
    OptimumFacts,
    Rows,
    RunFacts,
    SecrecyFacts,
)
from paretonym.papers.aog.published import (
    ADULT,
    CODES,
    FIG_8,
    FIGURE_1,
    FIGURE_2,
    FIGURE_4,
    HEALTH_1_OF_U1,
    HEALTH_2,
    HEALTH_ANY,
    LOGIC,
    PARENTS,
    TAU,
    Secrecy,
)
from paretonym.pipeline.open_job import OpenJob, open_job
from paretonym.pipeline.releasing import plan_of
from paretonym.pipeline.securing import evaluator_of, exposure_at, genetic_of, minimal_of
from paretonym.search import Progress, Silent
from paretonym.search.aog_ga import Coding, one_point, two_points
from paretonym.search.benefit import Benefit
from paretonym.search.best_granulation import best_secure
from paretonym.version import __version__

QUASI = ("birth", "zip", "height")  # of the running example
_FIRST_DAY, _DAYS = date(1955, 1, 1), 731


def reproduce_aog(
    *, runs: int, seed: int, threads: int, progress: Progress | None = None
) -> AogFacts:
    """Every table and example; run i of the genetic algorithm draws from seed + i, from 0 on."""
    progress = progress or Silent()
    full = _full_domains(job_under(HEALTH_2))
    seeds = range(seed, seed + runs)
    progress.start("reproducing", 3 * (runs + 1))
    try:
        examples = tuple(
            _searched(secrecy, seeds, threads, progress.advance, full)
            for secrecy in (HEALTH_2, HEALTH_ANY)
        )
        adult = _searched(ADULT, seeds, threads, progress.advance)
    finally:
        progress.finish()
    figures = _figures()
    return AogFacts(
        software=__version__,
        runs=runs,
        seed=seed,
        domains={
            "observed": tuple(len({row[1 + j] for row in FIGURE_1}) for j in range(len(QUASI))),
            "full": tuple(len(granulation.leaves) for granulation in full),
        },
        figures=figures,
        logic=(LOGIC, _logic(figures[1].computed)),
        codes=(CODES, _codes()),
        examples=examples,
        adult=adult,
    )


def job_under(secrecy: Secrecy) -> Job:
    """A bundled job under other rules; the granulation search suppresses nothing."""
    file = datasets.path(secrecy.job)
    data = read_yaml(file.read_text(encoding="utf-8"), file.name).data
    changed = {"confidential": secrecy.rules, "suppression": {"limit": "0 rows"}, "require": {}}
    return parse_job({**data, **changed}, base=file.parent)


def _figures() -> tuple[FigureFacts, ...]:
    """Figures 1, 2 and 4: the table itself, then generalised and microaggregated by TAU."""
    with datasets.path("granulation").open(encoding="utf-8", newline="") as file:
        header, *rows = (tuple(row) for row in csv.reader(file))
    people = tuple(rows)
    job = job_under(HEALTH_2)
    by_labels = replace(job, columns=tuple(replace(c, write="label") for c in job.columns))
    return (
        FigureFacts("Figure 1: the table", header, FIGURE_1, people),
        FigureFacts(
            "Figure 2: generalised to months, two digits of the ZIP and 10 cm",
            ("", *header[1:]), FIGURE_2, _released(by_labels, people),
            "Only the labels are written another way; a year of two digits counts as 20..",
        ),
        FigureFacts(
            "Figure 4: microaggregated by median, median and mean",
            ("", *header[1:]), FIGURE_4, _released(job, people),
            "26617 is a misprint: the median of 26015, 26032, 26328, 26617 and 26628 is 26328.",
        ),
    )  # fmt: skip


def _released(job: Job, people: Rows) -> Rows:
    """The table as a release by TAU would show it, in its own order, rows numbered."""
    with open_job(job) as opened:
        recodes = plan_of(opened, TAU, 1, *opened.evaluator().released(TAU, 1)).recodes
    shown = {QUASI.index(recode.column): recode.labels for recode in recodes}
    return tuple(
        (str(number), *(str(shown[j][v]) if j in shown else v for j, v in enumerate(values)))
        for number, (_, *values) in enumerate(people, start=1)
    )


def _logic(generalised: Rows) -> LogicFacts:
    """Section 3.2, from the generalised table and the test of security."""
    attributes = range(1, 1 + len(QUASI))
    ind = _groups(generalised, attributes)
    health = {f"u{row[0]}": row[-1] for row in generalised}
    return LogicFacts(
        ind=ind,
        ind_of={name: _groups(generalised, [j]) for name, j in zip(QUASI, attributes, strict=True)},
        certain={
            f"health = {value}": tuple(
                one for group in ind for one in group if {health[who] for who in group} == {value}
            )
            for value in ("2", "1")
        },
        is_secure_for_all=_is_secure(HEALTH_2),
        is_secure_for_u1=_is_secure(HEALTH_1_OF_U1),
    )


def _groups(rows: Rows, columns: Sequence[int]) -> Groups:
    """People who look alike in some columns."""
    found: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        found.setdefault(tuple(row[j] for j in columns), []).append(f"u{row[0]}")
    return tuple(map(tuple, found.values()))


def _is_secure(secrecy: Secrecy) -> bool:
    with open_job(job_under(secrecy)) as opened:
        return exposure_at(opened, TAU).people == 0


def _codes() -> CodeFacts:
    """Section 4.3 and Fig. 8; the parents of Fig. 8 stand so that the children do as printed."""
    with open_job(job_under(HEALTH_2)) as opened:
        coding = Coding(opened.lattice.levels)
    children = one_point(_bits(PARENTS[0]), _bits(PARENTS[1]), 3)
    first, second = map(_bits, FIG_8)
    return CodeFacts(
        decoded=coding.raw(_bits(PARENTS[0])),
        second_parent=coding.raw(_bits(PARENTS[1])),
        offspring=tuple(map(_text, children)),
        offspring_decoded=tuple(map(coding.raw, children)),
        repaired=tuple(_text(coding.encode(coding.decode(child))) for child in children),
        one_point=tuple(map(_text, one_point(second, first, 5))),
        two_points=tuple(map(_text, two_points(second, first, 3, 7))),
    )


def _bits(text: str) -> Array:
    return np.array([int(bit) for bit in text], np.int64)


def _text(code: Array) -> str:
    return "".join(map(str, code))


def _searched(
    secrecy: Secrecy,
    seeds: Sequence[int],
    threads: int,
    advance: Callable[[int], None],
    full: Sequence[Granulation] = (),
) -> SecrecyFacts:
    """Minimal secure granulations by both searches, the proven optimum, and runs of chance.

    With full domains given, every granulation is measured as well.
    """
    with open_job(job_under(secrecy)) as opened:
        found = minimal_of(opened, "both")
        by_breadth = found["breadth_first"]
        assert by_breadth.minimal == found["incognito"].minimal  # noqa: S101
        best = best_secure(Benefit(evaluator_of(opened, ()), threads=threads), by_breadth.minimal)
        advance(1)
        runs = []
        for seed in seeds:
            made = genetic_of(opened, seed=seed, threads=threads)
            runs.append(RunFacts(seed, made.node, made.benefit, made.evaluations))
            advance(1)
    return SecrecyFacts(
        title=secrecy.title,
        rules=tuple(map(_rule, opened.secrets)),
        nodes=opened.lattice.size,
        secure=_secure_nodes(opened.lattice, by_breadth.minimal),
        minimal=by_breadth.found_in_order,
        tests={name: one.tests for name, one in found.items()},
        full_width={name: one.full_width for name, one in found.items()},
        optimum=OptimumFacts(best.node, best.benefit, best.evaluations),
        runs=tuple(runs),
        granulations=_granulations(opened, full) if full else (),
    )


def _rule(secret: Secret) -> str:
    about = "" if secret.condition is None else f", for {secret.condition}"
    return secret.text + about + ("" if secret.damage == 1 else f", damage {secret.damage}")


def _secure_nodes(lattice: Lattice, minimal: Sequence[Node]) -> int:
    """The nodes above a minimal one."""
    secure = np.zeros(lattice.levels, np.bool_)
    for node in minimal:
        secure[lattice.up_set(node)] = True
    return int(secure.sum())


def _granulations(opened: OpenJob, full: Sequence[Granulation]) -> tuple[GranulationFacts, ...]:
    """sf and ql of every granulation (section 4), ql over observed and over full domains."""
    lattice = opened.lattice
    nodes = [lattice.unrank(rank) for rank in range(lattice.size)]
    evaluator = evaluator_of(opened, ("secure", "sf", "ql"))
    scored = evaluator.score_all(nodes)
    secure, sf, ql = (scored.values(measure) for measure in evaluator.measures)
    over_full = qualities_of(full, opened.context.weights, [np.arange(len(g.leaves)) for g in full])
    return tuple(
        GranulationFacts(
            code=node,
            names=tuple(
                g.partitions[level].name
                for g, level in zip(lattice.granulations, node, strict=True)
            ),
            is_secure=bool(secure.shown(place)),
            sf=float(sf.shown(place)),
            ql={
                "observed": float(ql.shown(place)),
                "full": over_full.of(node) / over_full.scale,
            },
        )
        for place, node in enumerate(nodes)
    )


def _full_domains(job: Job) -> tuple[Granulation, ...]:
    """Fig. 3's partitions over all days of 1955 and 1956, all ZIPs and heights of 100 to 199."""
    days = (_FIRST_DAY + timedelta(days=n) for n in range(_DAYS))
    domains = {
        "birth": [day.strftime("%d/%m/%y") for day in days],
        "zip": [f"{number:05}" for number in range(100_000)],
        "height": [str(height) for height in range(100, 200)],
    }
    found = []
    for column in job.columns:
        if column.name in domains and column.hierarchy is not None:
            found.append(build_granulation(column.hierarchy, column.name, domains[column.name]))
    return tuple(found)
