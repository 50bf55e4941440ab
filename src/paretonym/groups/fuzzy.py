"""Linguistic variables and their fuzzy values (001, "Input variables identification").

A column's fuzzy value says of each of its values how well it fits, from 0 to 1. Grades are
computed exactly and rounded once: a cut at 0.5 must find the middle of a slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from paretonym.errors import JobError, nearest
from paretonym.model.numbers import parse_number

Kind = Literal["gauss", "trapezoid", "pi", "z", "s", "triangle", "range", "is"]
Floats = npt.NDArray[np.float64]
ANY = "any"  # the value with index 0 of every variable: its grade is 1, also of missing values
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
    """1 up to a, 0 from b on, two parabolas between (001, ZMF below eq. 28)."""
    if x <= a:
        return 1.0
    if x >= b:
        return 0.0
    part = _part(x, a, b)
    return float(1 - 2 * part**2 if part <= Fraction(1, 2) else 2 * (1 - part) ** 2)


def pi_shape(x: Decimal, a: Decimal, b: Decimal, c: Decimal, d: Decimal) -> float:
    """Rises from a to b, 1 up to c, falls to d (001, PIMF).

    Where a = b or c = d the printed cases overlap: there the plateau counts, since variable 11
    of 001 would have no "normal" otherwise.
    """
    return s_shape(x, a, b) if x < b else z_shape(x, c, d)


def trapezoid(x: Decimal, a: Decimal, b: Decimal, c: Decimal, d: Decimal) -> float:
    """The same with straight lines (001, TRAPMF)."""
    if x < b:
        return float(_part(x, a, b)) if x > a else 0.0
    if x > c:
        return float(1 - _part(x, c, d)) if x < d else 0.0
    return 1.0


def triangle(x: Decimal, a: Decimal, b: Decimal, c: Decimal) -> float:
    return trapezoid(x, a, b, b, c)


def gauss(x: Decimal, a: Decimal, b: Decimal) -> float:
    """exp(-(x - b)² / 2a²): the width comes first, then the centre (001, GAUSSMF)."""
    widths = (Fraction(x) - Fraction(b)) / Fraction(a)
    return math.exp(-float(widths**2 / 2)) if abs(widths) < _FAR else 0.0


def crisp_range(x: Decimal, a: Decimal, b: Decimal) -> float:
    return float(a <= x <= b)


def _part(x: Decimal, a: Decimal, b: Decimal) -> Fraction:
    return (Fraction(x) - Fraction(a)) / (Fraction(b) - Fraction(a))


_SHAPES: dict[Kind, tuple[int, Callable[..., float]]] = {
    "gauss": (2, gauss),
    "trapezoid": (4, trapezoid),
    "pi": (4, pi_shape),
    "z": (2, z_shape),
    "s": (2, s_shape),
    "triangle": (3, triangle),
    "range": (2, crisp_range),
}


@dataclass(frozen=True, slots=True)
class FuzzyValue:
    """A name such as "young", and what it means; parameters are texts, as a job states them."""

    name: str
    kind: Kind
    parameters: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            known = list(get_args(Kind))
            raise JobError(f"{self._named}: a fuzzy value is {_listed(known)}, not "
                           f"{self.kind}{nearest(self.kind, known)}")  # fmt: skip
        if self.kind == "is":
            if not self.parameters:
                raise JobError(f"{self._named}: is needs at least one of the column's values")
        else:
            self._check_knots()

    def _check_knots(self) -> None:
        wanted = _SHAPES[self.kind][0]
        knots = self.knots
        if len(knots) != wanted:
            raise JobError(f"{self._named}: {self.kind} needs {wanted} numbers, not {len(knots)}")
        if self.kind == "gauss" and knots[0] <= 0:
            raise JobError(f"{self._named}: gauss needs a width above 0, then the centre")
        if self.kind != "gauss" and list(knots) != sorted(knots):
            raise JobError(f"{self._named}: the numbers of {self.kind} must not fall")

    @property
    def knots(self) -> tuple[Decimal, ...]:
        """The parameters as exact numbers; not for `is`."""
        numbers = tuple(parse_number(text, decimal_comma=False) for text in self.parameters)
        if any(number is None for number in numbers):
            raise JobError(f"{self._named}: {self.kind} needs numbers, such as 22.5")
        return tuple(number for number in numbers if number is not None)

    @property
    def _named(self) -> str:
        return f"fuzzy value '{self.name}'"


@dataclass(frozen=True, slots=True)
class Variable:
    """A column and its fuzzy values; index 0 of a rule is `any`, k the k-th of these."""

    column: str
    values: tuple[FuzzyValue, ...]

    def __post_init__(self) -> None:
        names = [value.name for value in self.values]
        if not names:
            raise JobError(f"variable '{self.column}' needs at least one fuzzy value")
        if len(set(names)) < len(names):
            raise JobError(f"variable '{self.column}': two fuzzy values have the same name")
        if ANY in names or not all(name.strip() for name in names):
            raise JobError(f"variable '{self.column}': a fuzzy value needs a name, and "
                           f"'{ANY}' is there already")  # fmt: skip


def memberships(
    variable: Variable, texts: Sequence[str | None], *, decimal_comma: bool = False
) -> Floats:
    """The grade of each distinct value of the column in `any` and in each fuzzy value, as rows.

    A missing value (None) has no grade in anything but `any`.
    """
    grades = np.zeros((len(variable.values) + 1, len(texts)))
    grades[0] = 1.0
    numbers: list[Decimal | None] = []
    if any(value.kind != "is" for value in variable.values):
        numbers = read_numbers(variable.column, texts, decimal_comma=decimal_comma)
    for row, value in zip(grades[1:], variable.values, strict=True):
        if value.kind == "is":
            row[:] = [text is not None and text in value.parameters for text in texts]
            continue
        shape, knots = _SHAPES[value.kind][1], value.knots
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


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
