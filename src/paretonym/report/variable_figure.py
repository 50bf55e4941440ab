"""Fuzzy values of a numeric variable as curves over its range."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from paretonym.groups.fuzzy import memberships
from paretonym.model.fuzzy import Variable
from paretonym.report.scale import make_axis
from paretonym.report.svg import BLUE, INK, ORANGE, Canvas, Frame, axes, shortened

_COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)  # Okabe and Ito's
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4", "4 4")
_POINTS = 240
_WIDTH, _LEFT, _LETTER, _LONGEST = 540, 52, 6.8, 60
_FIRST_LINE, _LINE = 20, 16


def curves(variable: Variable, least: Decimal, most: Decimal) -> str:
    """Grades between the least and the largest value that occur; `is` has no curve."""
    shown = [place for place, value in enumerate(variable.values, 1) if value.kind != "is"]
    steps = [least + (most - least) * step / _POINTS for step in range(_POINTS + 1)]
    grades = memberships(variable, [format(step, "f") for step in steps])
    names = [shortened(variable.values[place - 1].name, _LONGEST) for place in shown]
    spots = _legend(names)
    more = spots[-1][1] - _FIRST_LINE if spots else 0  # lines of the legend beyond the first
    canvas = Canvas(_WIDTH, 240 + more, f"fuzzy values of {variable.column}")
    frame = Frame(_WIDTH, 240 + more, left=_LEFT, top=40 + more, bottom=50)
    x_axis, y_axis = make_axis([float(least), float(most)]), make_axis([0.0, 1.0], from_zero=True)
    axes(canvas, frame, x_axis, y_axis, variable.column, "grade")
    for number, (place, name, (x, y)) in enumerate(zip(shown, names, spots, strict=True)):
        paint = _paint(number)
        path = "L".join(
            f"{frame.x(x_axis, float(step)):.1f} {frame.y(y_axis, float(grade)):.1f}"
            for step, grade in zip(steps, grades[place], strict=True)
        )
        canvas.items.append(f'<path d="M{path}" fill="none" stroke-width="1.8" {paint}/>')
        canvas.items.append(f'<path d="M{x:.1f} {y - 4}h18" stroke-width="1.8" {paint}/>')
        canvas.text(x + 23, y, name, anchor="start")
    return canvas.render()


def _legend(names: Sequence[str]) -> list[tuple[float, int]]:
    """Where each name stands; what does not fit goes on the next line."""
    spots = []
    x, y = float(_LEFT), _FIRST_LINE
    for name in names:
        wide = 34 + _LETTER * len(name)
        if x > _LEFT and x + wide > _WIDTH:
            x, y = float(_LEFT), y + _LINE
        spots.append((x, y))
        x += wide
    return spots


def _paint(number: int) -> str:
    colour, dash = (choice[number % len(choice)] for choice in (_COLOURS, _DASHES))
    return f'stroke="{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")


def extent(numbers: Sequence[Decimal]) -> tuple[Decimal, Decimal] | None:
    """The range to draw over; nothing where there is one number or none."""
    return (min(numbers), max(numbers)) if len(set(numbers)) > 1 else None
