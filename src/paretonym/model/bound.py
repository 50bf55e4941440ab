"""A requirement on a measure: one type from the job to the checker and the reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from paretonym.model.front import Direction
from paretonym.model.measure_info import DIRECTION_WORDS, Number

_AT = {direction: words.side for direction, words in DIRECTION_WORDS.items()}
_NUMBER = re.compile(r"-?[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")  # as str() writes a Fraction


@dataclass(frozen=True, slots=True)
class Bound:
    """`k ≥ 5`: what a value must reach (a measure that is maximised) or must not exceed.

    The direction is part of the bound: who only knows the number could check it the wrong way.
    """

    measure: str  # `distinct_l(occupation)`, without a direction
    direction: Direction
    value: Fraction

    def holds(self, found: Number) -> bool:
        exact = Fraction(found)
        return exact >= self.value if self.direction is Direction.MAX else exact <= self.value

    @property
    def number(self) -> int | float:
        """The value as JSON and people see it."""
        return int(self.value) if self.value.denominator == 1 else float(self.value)

    @property
    def side(self) -> str:
        """`at least 5`"""
        return f"{_AT[self.direction]} {self.number:g}"

    def says(self) -> str:
        return f"{self.measure} {DIRECTION_WORDS[self.direction].sign} {self.number:g}"

    def to_json(self) -> dict[str, Any]:
        return {"measure": self.measure, _AT[self.direction]: str(self.value)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Bound:
        """The reverse of `to_json`; a bound of any other form is a KeyError or a ValueError."""
        sides = [side for side, words in _AT.items() if words in data]
        if len(sides) != 1 or set(data) != {"measure", _AT[sides[0]]}:
            raise ValueError("a bound names its measure and one side")
        if not isinstance(data["measure"], str):
            raise TypeError("a bound names its measure by a text")
        value = data[_AT[sides[0]]]
        if not isinstance(value, str) or not _NUMBER.fullmatch(value):
            raise ValueError("a bound is a number as this file writes it")
        return cls(data["measure"], sides[0], Fraction(value))


def bounds_to_json(bounds: Iterable[Bound]) -> list[dict[str, Any]]:
    return [bound.to_json() for bound in bounds]


def bounds_from_json(data: Any) -> tuple[Bound, ...]:
    """The reverse; an error as of `Bound.from_json` when it is no list of bounds."""
    if not isinstance(data, list):
        raise TypeError("bounds are a list")
    return tuple(map(Bound.from_json, data))
