"""Linguistic variables and their fuzzy values (Tavrov and Chertov 2016, "Input variables
identification").

A column's fuzzy value says of each of its values how well it fits, from 0 to 1. Grades are
computed exactly and rounded once: a cut at 0.5 must find the middle of a slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from paretonym.errors import JobError
from paretonym.model.arrays import Floats
from paretonym.model.fuzzy import FuzzyKind, Variable
from paretonym.model.numbers import parse_number

_FAR = 40  # widths from the centre where a Gaussian is less than the least float


def s_shape(x: Decimal, a: Decimal, b: Decimal) -> float:
    """0 up to a, 1 from b on, two parabolas between."""
    if x >= b:
        return 1.0
    if x <= a:
        return 0.0
    part = _part(x, a, b)
    return float(2 * part**2 if part <= Fraction(1, 2) else 1 - 2 * (1 - part) ** 2)


def z_shape(x: Decimal, a: Decimal, b: Decimal) -> float:
    """1 up to a, 0 from b on, two parabolas between (Tavrov and Chertov 2016, ZMF below eq. 28)."""
    if x <= a:
        return 1.0
    if x >= b:
        return 0.0
    part = _part(x, a, b)
    return float(1 - 2 * part**2 if part <= Fraction(1, 2) else 2 * (1 - part) ** 2)


def pi_shape(x: Decimal, a: Decimal, b: Decimal, c: Decimal, d: Decimal) -> float:
    """Rises from a to b, 1 up to c, falls to d (Tavrov and Chertov 2016, PIMF).

    Where a = b or c = d the printed cases overlap: there the plateau counts, since variable 11
    of Tavrov and Chertov 2016 would have no "normal" otherwise.
    """
    return s_shape(x, a, b) if x < b else z_shape(x, c, d)


def trapezoid(x: Decimal, a: Decimal, b: Decimal, c: Decimal, d: Decimal) -> float:
    """The same with straight lines (Tavrov and Chertov 2016, TRAPMF)."""
    if x < b:
        return float(_part(x, a, b)) if x > a else 0.0
    if x > c:
        return float(1 - _part(x, c, d)) if x < d else 0.0
    return 1.0


def triangle(x: Decimal, a: Decimal, b: Decimal, c: Decimal) -> float:
    return trapezoid(x, a, b, b, c)


def gauss(x: Decimal, a: Decimal, b: Decimal) -> float:
    """exp(-(x - b)² / 2a²): the width comes first, then the centre (Tavrov and Chertov 2016,
    GAUSSMF).
    """
    widths = (Fraction(x) - Fraction(b)) / Fraction(a)
    return math.exp(-float(widths**2 / 2)) if abs(widths) < _FAR else 0.0


def crisp_range(x: Decimal, a: Decimal, b: Decimal) -> float:
    return float(a <= x <= b)


def _part(x: Decimal, a: Decimal, b: Decimal) -> Fraction:
    return (Fraction(x) - Fraction(a)) / (Fraction(b) - Fraction(a))


_SHAPES: dict[FuzzyKind, Callable[..., float]] = {
    "gauss": gauss,
    "trapezoid": trapezoid,
    "pi": pi_shape,
    "z": z_shape,
    "s": s_shape,
    "triangle": triangle,
    "range": crisp_range,
}


def memberships(
    variable: Variable, texts: Sequence[str | None], *, decimal_comma: bool = False
) -> Floats:
    """The grade of each distinct value of the column in `any` and in each fuzzy value, as rows.

    A missing value (None) has no grade in anything but `any`.
    """
    grades = np.zeros((len(variable.values) + 1, len(texts)))
    grades[0] = 1.0
    numbers: list[Decimal | None] = []
    if variable.numeric:
        numbers = read_numbers(variable.column, texts, decimal_comma=decimal_comma)
    for row, value in zip(grades[1:], variable.values, strict=True):
        if value.kind == "is":
            row[:] = [text is not None and text in value.parameters for text in texts]
            continue
        shape, knots = _SHAPES[value.kind], value.knots
        row[:] = [0.0 if x is None else shape(x, *knots) for x in numbers]
    return grades


def read_numbers(
    column: str, texts: Sequence[str | None], *, decimal_comma: bool
) -> list[Decimal | None]:
    """Exact numbers, None for missing values; other texts are counted and refused."""
    numbers = [
        None if text is None else parse_number(text, decimal_comma=decimal_comma) for text in texts
    ]
    bad = sum(n is None and t is not None for n, t in zip(numbers, texts, strict=True))
    if bad:
        raise JobError(
            f"variable '{column}': {bad} of its {len(texts)} distinct values are no numbers, but "
            "its fuzzy values need them; recode them, declare them missing, or name values by `is`"
        )
    return numbers
