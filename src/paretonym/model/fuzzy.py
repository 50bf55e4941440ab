"""Linguistic variables of Tavrov and Chertov 2016: a column, and the words that say something of
its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

from paretonym.errors import JobError, nearest
from paretonym.model.numbers import parse_number

FuzzyKind = Literal["gauss", "trapezoid", "pi", "z", "s", "triangle", "range", "is"]
FUZZY_KINDS: tuple[FuzzyKind, ...] = get_args(FuzzyKind)
KNOTS: dict[FuzzyKind, int] = {
    "gauss": 2, "trapezoid": 4, "pi": 4, "z": 2, "s": 2, "triangle": 3, "range": 2,
}  # fmt: skip
ANY = "any"  # the value with index 0 of every variable: its grade is 1, also of missing values


def shape_fault(kind: FuzzyKind, parameters: Sequence[str]) -> str | None:
    """What is wrong with the parameters of a fuzzy value; nothing if they fit its kind."""
    if kind == "is":
        return None if parameters else "is: expected a list of codes, such as is: [1, 2]"
    numbers = [parse_number(text, decimal_comma=False) for text in parameters]
    knots = [number for number in numbers if number is not None]
    if len(knots) < len(numbers):
        return f"{kind} takes numbers, such as 22.5"
    if len(knots) != KNOTS[kind]:
        return f"{kind} takes {KNOTS[kind]} numbers"
    if kind == "gauss":
        fine = knots[0] > 0
        return None if fine else "gauss takes the width, which is above zero, and then the centre"
    if knots != sorted(knots):
        return f"the numbers of {kind} never fall; write the smaller ones first"
    return None


@dataclass(frozen=True, slots=True)
class FuzzyValue:
    """A name such as "young", and what it means; parameters are texts, as a job states them.

    Numbers stand in the order that Tavrov and Chertov 2016 prints; the parameters of `is` are
    codes.
    """

    name: str
    kind: FuzzyKind
    parameters: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.kind not in FUZZY_KINDS:
            known: list[str] = list(FUZZY_KINDS)
            fault: str | None = f"unknown kind{nearest(self.kind, known)}; use {', '.join(known)}"
        else:
            fault = shape_fault(self.kind, self.parameters)
        if fault:
            raise JobError(f"fuzzy value '{self.name}': {fault}")

    @property
    def knots(self) -> tuple[Decimal, ...]:
        """The parameters as exact numbers; not for `is`."""
        numbers = (parse_number(text, decimal_comma=False) for text in self.parameters)
        return tuple(number for number in numbers if number is not None)


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
            raise JobError(
                f"variable '{self.column}': a fuzzy value needs a name, and '{ANY}' is there "
                f"already"
            )

    @property
    def numeric(self) -> bool:
        """Whether the column must hold numbers."""
        return any(value.kind != "is" for value in self.values)
