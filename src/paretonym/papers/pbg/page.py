"""reproduction.html of Dewri et al. 2010: figures that lay archives over the true front."""

from __future__ import annotations

from paretonym.papers.page import DISC, DOT, RING, PanelFacts, Series, page
from paretonym.papers.pbg.facts import PbgFacts, Points, ProblemFacts
from paretonym.papers.pbg.tables import pbg_tables
from paretonym.report import words

# the paper's names; sums over people are drawn as means, so that they can be read
_AXES = {
    "k": "k", "distinct_l": "ℓ", "s_k": "S_k / rows", "s_l": "S_ℓ / rows",
    "glm": "GLM, % of its maximum", "cm": "CM, rows",
}  # fmt: skip

_FIGURES = {
    1: "Figure 1: k, ℓ and loss",
    2: "Figure 2: S_k, S_ℓ and loss",
    3: "Figure 3: k and two losses",
}


def panels(facts: PbgFacts) -> tuple[PanelFacts, ...]:
    """The paper's three figures: one panel for each objective beside GLM."""
    found = []
    for problem in facts.problems:
        x = problem.objectives.index("glm")
        others = [j for j in range(len(problem.objectives)) if j != x]
        found += [_panel(problem, x, y) for y in others]
    return tuple(found)


def _panel(problem: ProblemFacts, x: int, y: int) -> PanelFacts:
    basis = words.Basis(problem.rows, problem.glm_maximum)
    names = problem.objectives[x], problem.objectives[y]

    def placed(points: Points) -> tuple[tuple[float, float], ...]:
        return tuple(
            (words.drawn(names[0], p[x], basis), words.drawn(names[1], p[y], basis)) for p in points
        )

    return PanelFacts(
        _FIGURES[problem.figure],
        problem.title,
        _AXES[words.known(names[0])[0].name],
        _AXES[words.known(names[1])[0].name],
        (
            Series(f"front ({len(problem.front)})", placed(problem.front), DISC),
            Series(f"PBG-EA ({len(problem.pbg_ea_archive)})", placed(problem.pbg_ea_archive), RING),
            Series(f"evolve ({len(problem.evolve_archive)})", placed(problem.evolve_archive), DOT),
        ),
    )


def pbg_html(facts: PbgFacts) -> str:
    """reproduction.html: the tables and the figures."""
    return page("reproduction_pbg.html", facts, pbg_tables(facts), panels(facts))
