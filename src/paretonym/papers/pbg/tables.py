"""The tables of the reproduction of Dewri et al. 2010 as text, for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.papers.facts import NOTHING, PrintedTable, Spread
from paretonym.papers.pbg.facts import PbgFacts, ProblemFacts, Published, VectorFacts
from paretonym.report.words import number


def pbg_tables(facts: PbgFacts) -> tuple[PrintedTable, ...]:
    return (
        _qualities(facts.problems),
        _vectors(facts.vectors),
        _evaluations(facts.problems),
        _stages(facts.problems),
    )


def _qualities(problems: Sequence[ProblemFacts]) -> PrintedTable:
    return PrintedTable(
        "Table 1(b): convergence error and representation ratio",
        "Mean (variance) over the runs. CE: less is better, 0 is best. RR: more is better, 1 is "
        "best. Discretization vector of all ones.",
        (
            "objectives", "front", "CE, paper", "CE, PBG-EA", "CE, evolve",
            "RR, paper", "RR, PBG-EA", "RR, evolve",
        ),
        tuple(
            (
                p.title, number(len(p.front)),
                _published(p.published.ce), _ce(p.pbg_ea.ce), _ce(p.evolve.ce),
                _published(p.published.rr, 2), _rr(p.pbg_ea.rr), _rr(p.evolve.rr),
            )
            for p in problems
        ),
    )  # fmt: skip


def _vectors(vectors: Sequence[VectorFacts]) -> PrintedTable:
    lost = (
        " * The text lost this row's vector; it is guessed from the other ones."
        if any(v.guessed for v in vectors)
        else ""
    )
    return PrintedTable(
        "Table 2(a): discretization vectors",
        f"Mean (variance) over the runs of PBG-EA. Boxes: non-dominated ones of the front.{lost}",
        ("vector", "boxes", "CE, paper", "CE, PBG-EA", "RR, paper", "RR, PBG-EA"),
        tuple(
            (
                v.title + (" *" if v.guessed else ""), number(v.boxes),
                _published(v.published.ce), _ce(v.pbg_ea.ce),
                _published(v.published.rr, 2), _rr(v.pbg_ea.rr),
            )
            for v in vectors
        ),
    )  # fmt: skip


def _evaluations(problems: Sequence[ProblemFacts]) -> PrintedTable:
    def shown(count: float, nodes: int) -> str:
        return _share(count, 100 * count / nodes)

    def printed(of: Published) -> str:
        if of.evaluations is None or of.percent is None:
            return NOTHING
        return _share(of.evaluations, of.percent)

    return PrintedTable(
        "Table 2(b): unique node evaluations",
        "Mean over the runs, and their share of the lattice. evolve stops at its budget; exact has "
        "then proven that nothing is missing from the front. Drawn from: nodes of population and "
        "archive among which a tournament of PBG-EA chooses.",
        ("objectives", "nodes", "paper", "PBG-EA", "evolve", "exact", "drawn from"),
        tuple(
            (
                p.title,
                number(p.nodes),
                printed(p.published),
                shown(p.pbg_ea.evaluations.mean, p.nodes),
                shown(p.evolve.evaluations.mean, p.nodes),
                shown(p.exact_evaluations, p.nodes),
                f"{p.drawn_from.mean:.0f}",
            )
            for p in problems
        ),
    )


def _stages(problems: Sequence[ProblemFacts]) -> PrintedTable:
    return PrintedTable(
        "More iterations, and CE for each member",
        "The same runs of PBG-EA when they go on: unique nodes evaluated, and RR as mean ± "
        "standard error of the mean. The last line of each set: when a run has made as many "
        "evaluations as the paper's. CE per member: CE divided by the size of the archive.",
        (
            "objectives",
            "iterations",
            "evaluations",
            "RR, paper",
            "RR, PBG-EA",
            "CE, paper",
            "CE per member",
        ),
        tuple(line for problem in problems for line in _stage_lines(problem)),
    )


def _stage_lines(problem: ProblemFacts) -> list[tuple[str, ...]]:
    shown = [(f"{stage.iterations:.0f}", stage) for stage in problem.stages]
    if problem.reached:
        of, runs = problem.reached.quality.rr.runs, problem.pbg_ea.rr.runs
        some = "" if of == runs else f", {of} of {runs} runs"
        shown.append((f"{problem.reached.iterations:.0f} (mean{some})", problem.reached))
    lines: list[tuple[str, ...]] = []
    for place, (iterations, stage) in enumerate(shown):
        rr = stage.quality.rr
        about = "" if rr.error is None else f" ± {rr.error:.3f}"
        evaluations = stage.quality.evaluations.mean
        lines.append(
            (
                problem.title,
                iterations,
                _share(evaluations, 100 * evaluations / problem.nodes),
                # the paper stops after 100 iterations
                NOTHING if place else _published(problem.published.rr, 2),
                f"{_ratio(rr.mean)}{about}",
                NOTHING if place else _published(problem.published.ce),
                _ce(stage.quality.ce_per_member),
            )
        )
    return lines


def _share(count: float, percent: float) -> str:
    return f"{number(round(count))} ({percent:.1f} %)"


def _ce(spread: Spread) -> str:
    return _with_variance(_short(spread.mean), spread.variance)


def _rr(spread: Spread) -> str:
    return _with_variance(_ratio(spread.mean), spread.variance)


def _published(pair: tuple[float, float] | None, digits: int | None = None) -> str:
    if pair is None:
        return NOTHING
    mean = _short(pair[0]) if digits is None else f"{pair[0]:.{digits}f}"
    return _with_variance(mean, pair[1])


def _with_variance(mean: str, of: float | None) -> str:
    return mean if of is None else f"{mean} ({_short(of)})"


def _ratio(value: float) -> str:
    return f"{value:.3f}"


def _short(value: float) -> str:
    """Two digits and a power of ten: 3.7e-4."""
    if not value:
        return "0"
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits}e{int(power)}"
