"""A region's signals below each other: the true one, and what each adversary restores of it.

An area has the same place in every row, and what stands out is orange with a wedge over it, so
that a reader sees at a glance which outliers line up.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from paretonym.report.scale import Axis, make_axis
from paretonym.report.svg import BLUE, CLOUD, INK, ORANGE, Canvas, Frame, shortened
from paretonym.report.words import number

_ROW, _GAP, _LEFT, _RIGHT = 92, 30, 58, 14
_WIDTH, _LEAST_PITCH = 720, 9
_LETTERS, _LETTER = 15, 5.0  # of an area's name, and the height of each when it is turned


@dataclass(frozen=True, slots=True)
class Signal:
    """One row: values in the order of the areas, and the areas that stand out."""

    name: str
    values: Sequence[float]
    outliers: Collection[str]
    strong: bool = False  # the truth, drawn darker


def signals(
    areas: Sequence[str], rows: Sequence[Signal], *, label: str, same_scale: bool = False
) -> str:
    """The rows, with the areas named under the last one; on one scale where heights compare."""
    every = [value for row in rows for value in row.values] if same_scale else []
    pitch = max((_WIDTH - _LEFT - _RIGHT) / max(len(areas), 1), _LEAST_PITCH)
    width = round(_LEFT + _RIGHT + pitch * len(areas))
    longest = max((len(shortened(area, _LETTERS)) for area in areas), default=0)
    height = round((_ROW + _GAP) * len(rows) + 22 + _LETTER * longest)
    canvas = Canvas(width, height, label)
    for place, row in enumerate(rows):
        top = (_ROW + _GAP) * place + _GAP
        frame = Frame(width, top + _ROW, left=_LEFT, right=_RIGHT, top=top, bottom=0)
        _row(canvas, frame, areas, row, pitch, make_axis(every or row.values, from_zero=True))
    _names(canvas, areas, pitch, (_ROW + _GAP) * len(rows) + 10)
    return canvas.render()


def _row(
    canvas: Canvas, frame: Frame, areas: Sequence[str], row: Signal, pitch: float, axis: Axis
) -> None:
    canvas.text(frame.left, frame.top - 12, row.name, anchor="start", extra=' font-weight="600"')
    for value, name in _ends(axis):
        y = frame.y(axis, value)
        canvas.line(frame.left, y, frame.edge, y)
        canvas.text(frame.left - 6, y + 4, name, anchor="end", extra=' font-size="10"')
    for index, (area, value) in enumerate(zip(areas, row.values, strict=True)):
        out = area in row.outliers
        colour = ORANGE if out else (BLUE if row.strong else CLOUD)
        x, y = frame.left + pitch * (index + 0.14), frame.y(axis, value)
        shape = (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{pitch * 0.72:.1f}" '
            f'height="{max(frame.base - y, 0):.1f}" fill="{colour}"'
        )
        title = f"{area}: {number(value)}{', stands out' if out else ''}"
        canvas.titled(shape, title, "rect")
        if out:
            middle = x + pitch * 0.36
            wedge = f"M{middle:.1f} {y - 2:.1f}l-4 -6h8z"
            canvas.titled(f'<path d="{wedge}" fill="{ORANGE}"', title, "path")
    canvas.line(frame.left, frame.base, frame.edge, frame.base, INK)


def _ends(axis: Axis) -> list[tuple[float, str]]:
    """The least and the largest tick are enough beside so low a row."""
    return [axis.ticks[0], axis.ticks[-1]] if len(axis.ticks) > 1 else list(axis.ticks)


def _names(canvas: Canvas, areas: Sequence[str], pitch: float, y: int) -> None:
    """Every area's name, or every second, third, … where they would run into each other."""
    step = max(1, round(11 / pitch + 0.49))
    for index, area in enumerate(areas):
        if index % step:
            continue
        x = _LEFT + pitch * (index + 0.5)
        turn = f' transform="rotate(-60 {x:.1f} {y})" font-size="10"'
        canvas.text(x + 3, y, shortened(area, _LETTERS), anchor="end", extra=turn)
