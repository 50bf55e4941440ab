"""Signals over the areas of a region as lines, the true one solid and the restored one dashed."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.report.scale import Axis, make_axis
from paretonym.report.svg import BLUE, INK, ORANGE, Canvas, Frame, axes
from paretonym.report.words import number

_WIDTH, _HEIGHT = 540, 380


@dataclass(frozen=True, slots=True)
class Line:
    """Values in the order of the areas; those that stand out get a mark."""

    name: str
    values: tuple[float, ...]
    outliers: tuple[str, ...]
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class LinesFacts:
    """One picture."""

    figure: str
    title: str
    x_name: str
    y_name: str
    areas: tuple[str, ...]
    lines: tuple[Line, ...]


def draw_lines(panel: LinesFacts) -> str:
    values = [value for line in panel.lines for value in line.values]
    y_axis = make_axis(values, from_zero=True)
    x_axis = _places(panel.areas)
    canvas = Canvas(_WIDTH, _HEIGHT, f"{panel.title}: {panel.y_name} over {panel.x_name}")
    widest = max((len(name) for _, name in y_axis.ticks), default=1)
    frame = Frame(_WIDTH, _HEIGHT, left=34 + 7 * widest, top=40)
    axes(canvas, frame, x_axis, y_axis, panel.x_name, panel.y_name)
    for place, line in enumerate(panel.lines):
        left = frame.left + 8 + 150 * place
        canvas.items.append(f'<path d="M{left} 16h22" {_paint(line)}/>')
        canvas.text(left + 28, 20, line.name, anchor="start")
        _draw(canvas, frame, x_axis, y_axis, panel.areas, line)
    return canvas.render()


def _places(areas: tuple[str, ...]) -> Axis:
    """Areas are numbered from 1, as in the paper's figures; a title on each point names it."""
    count = len(areas)
    step = max(1, -(-count // 12))
    ticks = tuple((float(place), str(place)) for place in range(1, count + 1, step))
    return Axis(0.5, count + 0.5, ticks)


def _draw(
    canvas: Canvas, frame: Frame, x_axis: Axis, y_axis: Axis, areas: tuple[str, ...], line: Line
) -> None:
    points = [
        (frame.x(x_axis, float(place)), frame.y(y_axis, value))
        for place, value in enumerate(line.values, start=1)
    ]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    canvas.items.append(f'<path d="M{path}" {_paint(line)}/>')
    for (x, y), area, value in zip(points, areas, line.values, strict=True):
        stands_out = area in line.outliers
        paint = f'r="4" fill="{ORANGE}"' if stands_out else f'r="2.2" fill="{_colour(line)}"'
        said = f"{area}, {line.name}: {number(value)}{', stands out' if stands_out else ''}"
        canvas.titled(f'<circle cx="{x:.1f}" cy="{y:.1f}" {paint}', said, "circle")


def _colour(line: Line) -> str:
    return BLUE if line.is_dashed else INK


def _paint(line: Line) -> str:
    dash = ' stroke-dasharray="6 4"' if line.is_dashed else ""
    return f'fill="none" stroke="{_colour(line)}" stroke-width="1.8"{dash}'
