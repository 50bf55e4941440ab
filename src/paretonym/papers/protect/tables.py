"""The tables of the reproduction of protection by swaps, for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from paretonym.papers.attack.survey_tables import WHERE
from paretonym.papers.facts import NOTHING, PrintedTable
from paretonym.papers.protect.alpha_facts import alpha_tables, printed_alphas
from paretonym.papers.protect.facts import (
    CLOSE,
    FEASIBLE,
    EvolvedFacts,
    LevelFacts,
    PrintedSolution,
    ProtectFacts,
    RegionFacts,
    Solution,
)
from paretonym.papers.protect.published import PAPERS
from paretonym.report.words import listed, number, percent

_SUMMARY = ("experiment", "μ asked", "method", "generations", "least distortion", "of largest",
            "gap to bound", "above flow", "mean", "masked", "feasible, paper",
            "feasible, job")  # fmt: skip


def protect_tables(facts: ProtectFacts) -> tuple[PrintedTable, ...]:
    return (
        _table_3(facts.printed),
        printed_alphas(facts),
        _summary(facts),
        *map(_solutions, facts.every_region),
        *map(alpha_tables, facts.every_region),
        *_absent(facts),
    )


def _table_3(rows: tuple[PrintedSolution, ...]) -> PrintedTable:
    same = sum(one.is_same for one in rows)
    off = max(abs(one.fitness - one.printed.fitness) for one in rows)
    off_mean = max(abs(one.mean_fitness - one.printed.fitness) for one in rows)
    mu = max(abs(one.compatibility - one.printed.compatibility) for one in rows)
    mean = fmean(one.printed.metric for one in rows)
    digits = sum(_three(one.mean_fitness) == _three(one.printed.fitness) for one in rows)
    return PrintedTable(
        f"Chertov and Tavrov 2017, Table 3: its {len(rows)} solutions",
        f"Fitness by eq. 3 with 130 in the place of the printed 25, which is Tavrov and "
        f"Chertov's (2016) and would make every fitness 0. Swaps: how many members less there "
        f"are in areas 5 and 29. By the "
        f"printed formula, the product of both compatibilities, μ is off by {mu:.3f} at most and "
        f"fitness by {off:.4f}; by the geometric mean of the two, fitness is off by "
        f"{off_mean:.5f} at most, and {digits} of {len(rows)} values are as printed. So the "
        f"authors seem to have computed that. {same} of {len(rows)} sets of outliers are as "
        f"printed, and so is the mean metric, {mean:.3f}.",
        ("No.", "metric", "swaps", "fitness, paper", "formula", "geometric mean", "μ, paper",
         "formula", "geometric mean", "OUT, paper", "OUT, here"),
        tuple(map(_printed, rows)),
    )  # fmt: skip


def _printed(one: PrintedSolution) -> tuple[str, ...]:
    fitness = (one.printed.fitness, one.fitness, one.mean_fitness)
    compatible = (one.printed.compatibility, one.compatibility, one.mean_compatibility)
    return (
        str(one.number), number(one.printed.metric), number(one.swaps), *map(_three, fitness),
        *map(_three, compatible), places(one.printed.outliers), places(one.outliers),
    )  # fmt: skip


def _summary(facts: ProtectFacts) -> PrintedTable:
    worst = facts.worst_improved
    improved = NOTHING if worst is None else percent(worst)
    met = worst is not None and worst <= CLOSE
    half, full = (level.share for level in facts.regions[0].levels)
    return PrintedTable(
        "Evolution against the flow",
        f"{facts.runs} runs from seed {facts.seed}. μ asked: the compatibility that a solution "
        f"must reach, 0.5 as in Chertov and Tavrov 2017, and 1, where the flow's distortion "
        f"is proven least. Masked: compatible enough, and no old outlier is left; of these come "
        f"distortions, of "
        f"largest being the part of C_max. Feasible, paper: also the third condition of "
        f"Chertov and Tavrov 2017, eq. 2, with its {percent(half)} of C_max; with {percent(full)} "
        f"where μ is 1, since that "
        f"cannot be had for {percent(half)} in all regions. Feasible, job: nothing new stands out "
        f"either. Feasible by the paper are, of the published algorithm's last populations on "
        f"generated people, {_feasible(facts)}; Chertov and Tavrov 2017 reports 24 of "
        f"1,000, and Tavrov and Chertov 2016, which looks at masking only, 983 of 1,000. The "
        f"improved algorithm is at most {improved} "
        f"above a proven optimum on generated people (asked: at most {percent(CLOSE)}: "
        f"{_met(is_met=met)}).",
        _SUMMARY,
        tuple(row for one in facts.every_region for row in _region_rows(one)),
    )


def _feasible(facts: ProtectFacts) -> str:
    return listed(
        f"{number(made.feasible_paper)} of {number(made.size)} in the experiment of "
        f"{paper} (asked: at least {percent(FEASIBLE)}: {_met(is_met=made.share >= FEASIBLE)}; "
        f"masked: {number(made.masked)})"
        for paper, made in zip(PAPERS, facts.published, strict=True)
    )


def named(one: RegionFacts) -> str:
    """Paper, whom the swaps hide from, and where."""
    paper, _, _ = one.title.partition(" on ")
    return f"{paper}, {one.name}"


def _region_rows(one: RegionFacts) -> Iterable[tuple[str, ...]]:
    for level in one.levels:
        yield _flow_row(one, level)
        yield _evolved_row(one, level, level.published)
        yield _evolved_row(one, level, level.improved)


def _flow_row(one: RegionFacts, level: LevelFacts) -> tuple[str, ...]:
    flow = level.flow
    spent = None if flow is None else flow.distortion
    verdicts = () if flow is None else (flow.masked, flow.feasible_paper, flow.feasible_job)
    return (
        named(one), f"{level.compatible:g}", "flow", NOTHING, *_spent(one, level, spent),
        *[NOTHING] * 2, *(["yes" if holds else "no" for holds in verdicts] or ["no"] * 3),
    )  # fmt: skip


def _spent(one: RegionFacts, level: LevelFacts, spent: float | None) -> tuple[str, str, str]:
    if spent is None:
        return (NOTHING,) * 3
    gap = level.gap(spent)
    return number(spent), percent(spent / one.most), NOTHING if gap is None else percent(gap)


def _evolved_row(one: RegionFacts, level: LevelFacts, made: EvolvedFacts) -> tuple[str, ...]:
    above = level.above_flow(made)
    counts = (made.masked, made.feasible_paper, made.feasible_job)
    return (
        named(one), f"{level.compatible:g}", made.name, number(made.generations),
        *_spent(one, level, made.least), NOTHING if above is None else percent(above),
        NOTHING if made.mean is None else f"{made.mean:,.1f}",
        *(f"{number(count)} of {number(made.size)}" for count in counts),
    )  # fmt: skip


def _solutions(one: RegionFacts) -> PrintedTable:
    whom = {"attributes": "the group itself", "model": "people who fit the evolved fuzzy rules"}
    sunk = listed(
        f"area {place} from {number(one.before[place - 1])} to {threshold:g}"
        for place, threshold in zip(one.outliers, one.thresholds, strict=True)
    )
    faults = [level.fault for level in one.levels if level.fault]
    return PrintedTable(
        f"{one.title}: {one.name}, in the layout of Table 3",
        f"What is counted: {whom[one.against]}. Restrictions: {sunk}, where μ is "
        f"1. C_max is {number(one.most)}, c is {one.centre:g}, alpha {percent(one.alpha)}. "
        f"Fitness by eq. 3 for all. Of each algorithm up to five solutions that mask, least "
        f"distortion first. Feasible: by the job, only by the paper, or not: too distorted."
        + "".join(f" The flow says: {fault}." for fault in faults),
        ("method", "μ asked", "modified signal", "fitness", "metric", "μ", "swaps", "OUT",
         "feasible"),
        (
            ("before", "", _signal(one.before), "", "", "", "", places(one.outliers), ""),
            *(row for level in one.levels for row in _level_rows(level)),
        ),
        of_numbers=False,
    )  # fmt: skip


def _level_rows(level: LevelFacts) -> Iterable[tuple[str, ...]]:
    wanted = f"{level.compatible:g}"
    if level.flow is not None:
        yield ("flow", wanted, *_cells(level.flow))
    for made in (level.improved, level.published):
        if not made.best:
            yield (made.name, wanted, made.fault or "nothing is masked", *[""] * 6)
        for one in made.best:
            yield (made.name, wanted, *_cells(one))


def _cells(one: Solution) -> tuple[str, ...]:
    return (
        _signal(one.signal), _three(one.fitness), number(one.distortion),
        _three(one.compatibility), number(one.swaps), places(one.outliers),
        "job" if one.feasible_job else "paper" if one.feasible_paper else "no",
    )  # fmt: skip


def _absent(facts: ProtectFacts) -> tuple[PrintedTable, ...]:
    """What to fetch where files are not there."""
    lacking = [one for one in facts.files if one.name in facts.missing]
    if not lacking:
        return ()
    return (
        PrintedTable(
            "Protection of real people: files that were not there",
            "This part was not computed. Its files are in the public domain but not in this "
            f"software. Fetch the archives below {WHERE} and unzip them into a folder `acs`, as "
            "the comment in examples/acs.yaml says; then run this command beside that folder, or "
            "name it with `--acs`.",
            ("file", "state", "archive"),
            tuple((one.name, one.place, one.archive) for one in lacking),
            of_numbers=False,
        ),
    )


def _signal(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def places(found: Iterable[int]) -> str:
    return ", ".join(map(str, found)) or "none"


def _three(value: float) -> str:
    return f"{value:.3f}"


def _met(*, is_met: bool) -> str:
    return "met" if is_met else "not met"
