"""Fuzzy values of a numeric variable as curves over its range."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from paretonym.groups.fuzzy import memberships
from paretonym.model.fuzzy import Variable
from paretonym.report.scale import make_axis
from paretonym.report.svg import BLUE, INK, ORANGE, Canvas, Frame, axes

_COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)  # Okabe and Ito's
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4", "4 4")
_POINTS = 240


def curves(variable: Variable, least: Decimal, most: Decimal) -> str:
    """Grades between the least and the largest value that occur; `is` has no curve."""
    shown = [place for place, value in enumerate(variable.values, 1) if value.kind != "is"]
    steps = [least + (most - least) * step / _POINTS for step in range(_POINTS + 1)]
    grades = memberships(variable, [format(step, "f") for step in steps])
    canvas = Canvas(540, 240, f"fuzzy values of {variable.column}")
    frame = Frame(540, 240, left=52, top=40, bottom=50)
    x_axis, y_axis = make_axis([float(least), float(most)]), make_axis([0.0, 1.0], from_zero=True)
    axes(canvas, frame, x_axis, y_axis, variable.column, "grade")
    left = float(frame.left)
    for number, place in enumerate(shown):
        paint = _paint(number)
        path = "L".join(
            f"{frame.x(x_axis, float(x)):.1f} {frame.y(y_axis, float(grade)):.1f}"
            for x, grade in zip(steps, grades[place], strict=True)
        )
        canvas.items.append(f'<path d="M{path}" fill="none" stroke-width="1.8" {paint}/>')
        name = variable.values[place - 1].name
        canvas.items.append(f'<path d="M{left:.1f} 16h18" stroke-width="1.8" {paint}/>')
        canvas.text(left + 23, 20, name, anchor="start")
        left += 34 + 6.8 * len(name)
    return canvas.render()


def _paint(number: int) -> str:
    colour, dash = (choice[number % len(choice)] for choice in (_COLOURS, _DASHES))
    return f'stroke="{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")


def extent(numbers: Sequence[Decimal]) -> tuple[Decimal, Decimal] | None:
    """The range to draw over; nothing where there is one number or none."""
    return (min(numbers), max(numbers)) if len(set(numbers)) > 1 else None
