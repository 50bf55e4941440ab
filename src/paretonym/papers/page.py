"""reproduction.html of any paper: its tables, and pictures of points, lines or bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.papers.bars import BarsFacts, draw_bars
from paretonym.papers.facts import PrintedTable, ReproductionFacts
from paretonym.papers.lines import LinesFacts, draw_lines
from paretonym.report.html import drawn, render
from paretonym.report.scale import make_axis, suits_log
from paretonym.report.svg import BLUE, CLOUD, ORANGE, Canvas, Frame, axes

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one origin, and how each is drawn."""

    name: str
    points: tuple[tuple[float, float], ...]
    paint: str


@dataclass(frozen=True, slots=True)
class PanelFacts:
    """One picture: points of several origins over each other."""

    figure: str
    title: str
    x_name: str
    y_name: str
    series: tuple[Series, ...]
    log_x: bool = False


# a disc, a ring around it and a dot in it: all three can be told apart where they coincide
DISC = f'r="4.6" fill="{CLOUD}" opacity="0.75"'
RING = f'r="4.6" fill="none" stroke="{BLUE}" stroke-width="1.5"'
DOT = f'r="1.9" fill="{ORANGE}"'


def draw(panel: PanelFacts, *, width: int = 540, height: int = 380) -> str:
    xs = [x for series in panel.series for x, _ in series.points]
    ys = [y for series in panel.series for _, y in series.points]
    x_axis = make_axis(xs, log=panel.log_x)
    y_axis = make_axis(ys, log=suits_log(ys))
    canvas = Canvas(width, height, f"{panel.title}: {panel.y_name} over {panel.x_name}")
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


Panel = PanelFacts | LinesFacts | BarsFacts


def drawing_of(panel: Panel) -> str:
    if isinstance(panel, LinesFacts):
        return draw_lines(panel)
    return draw_bars(panel) if isinstance(panel, BarsFacts) else draw(panel)


def page(
    template: str,
    facts: ReproductionFacts,
    tables: Sequence[PrintedTable],
    panels: Iterable[Panel],
) -> str:
    """The whole page; panels of the same figure stand side by side."""
    figures: dict[str, list[tuple[Panel, Any]]] = {}
    for panel in panels:
        figures.setdefault(panel.figure, []).append((panel, drawn(drawing_of(panel))))
    return render(template, beside=TEMPLATES, facts=facts, tables=tables, figures=figures)
