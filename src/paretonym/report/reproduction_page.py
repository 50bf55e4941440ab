"""reproduction.html: the tables, and the figures that lay archives over the true front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paretonym.report import words
from paretonym.report.html import drawn, render
from paretonym.report.reproduction import Points, ProblemFacts, ReproductionFacts
from paretonym.report.reproduction_tables import tables
from paretonym.report.scale import make_axis, suits_log
from paretonym.report.svg import BLUE, CLOUD, ORANGE, Canvas, Frame, axes


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one origin, and how each is drawn."""

    name: str
    points: tuple[tuple[float, float], ...]
    paint: str


@dataclass(frozen=True, slots=True)
class PanelFacts:
    """Two objectives of a problem: the true front and two archives over each other."""

    figure: str
    title: str
    x_name: str
    y_name: str
    series: tuple[Series, ...]


# a disc, a ring around it and a dot in it: all three can be told apart where they coincide
_DISC = f'r="4.6" fill="{CLOUD}" opacity="0.75"'
_RING = f'r="4.6" fill="none" stroke="{BLUE}" stroke-width="1.5"'
_DOT = f'r="1.9" fill="{ORANGE}"'

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


def panels(facts: ReproductionFacts) -> tuple[PanelFacts, ...]:
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
        _AXES[words.parts(names[0])[0]],
        _AXES[words.parts(names[1])[0]],
        (
            Series(f"front ({len(problem.front)})", placed(problem.front), _DISC),
            Series(
                f"PBG-EA ({len(problem.pbg_ea_archive)})", placed(problem.pbg_ea_archive), _RING
            ),
            Series(f"evolve ({len(problem.evolve_archive)})", placed(problem.evolve_archive), _DOT),
        ),
    )


def draw(panel: PanelFacts, *, width: int = 540, height: int = 380) -> str:
    xs = [x for series in panel.series for x, _ in series.points]
    ys = [y for series in panel.series for _, y in series.points]
    x_axis = make_axis(xs)
    y_axis = make_axis(ys, log=suits_log(ys))
    canvas = Canvas(width, height, f"{panel.title}: the front and two archives over each other")
    widest = max((len(name) for _, name in y_axis.ticks), default=1)
    frame = Frame(width, height, left=34 + 7 * widest, top=40)
    axes(canvas, frame, x_axis, y_axis, panel.x_name, panel.y_name)
    for place, series in enumerate(panel.series):
        x = frame.left + 8 + 140 * place
        canvas.titled(f'<circle cx="{x}" cy="16" {series.paint}', "", "circle")
        canvas.text(x + 10, 20, series.name, anchor="start")
        for px, py in dict.fromkeys(series.points):
            at = f'cx="{frame.x(x_axis, px):.1f}" cy="{frame.y(y_axis, py):.1f}"'
            canvas.titled(f"<circle {at} {series.paint}", "", "circle")
    return canvas.render()


def reproduction_html(facts: ReproductionFacts) -> str:
    """reproduction.html: the tables and the figures."""
    drawings: dict[str, list[tuple[PanelFacts, Any]]] = {}
    for panel in panels(facts):
        drawings.setdefault(panel.figure, []).append((panel, drawn(draw(panel))))
    return render("reproduction.html", facts=facts, tables=tables(facts), figures=drawings)
