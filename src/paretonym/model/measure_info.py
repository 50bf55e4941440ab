"""What is known of a measure beside how it is computed, and how its name is written.

Job faults, picking, words, reports, pages and docs read a `MeasureInfo`; none of them knows a
measure by its name. Those that come with the program stand in `model/measure_catalog.py`; a measure
of a user's own brings its info when it is registered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any

from paretonym.model.front import Direction
from paretonym.model.schema import Role

Number = int | float | Decimal | Fraction


class Unit(StrEnum):
    """How a person sees a value."""

    COUNT = "count"  # of people or of values
    ROWS = "rows"  # a count, with its share of all rows
    SHARE = "share"  # between 0 and 1, seen as a percentage
    PER_ROW = "per_row"  # a sum over rows, seen as a mean per person
    LOSS = "loss"  # a sum over cells, seen as a percentage of its maximum
    FLAG = "flag"  # 1 or 0, seen as yes or no
    NUMBER = "number"

    @property
    def in_words(self) -> str:
        """What the exact values are, as a table of measures says it."""
        return _UNITS[self]


_UNITS = {
    Unit.COUNT: "count",
    Unit.ROWS: "rows",
    Unit.SHARE: "share, 0 to 1",
    Unit.PER_ROW: "rows, summed over rows",
    Unit.LOSS: "cells",
    Unit.FLAG: "1 or 0",
    Unit.NUMBER: "number",
}


@dataclass(frozen=True, slots=True)
class DirectionWords:
    """How a direction is said."""

    better: str  # what improves
    side: str  # of a bound
    sign: str


DIRECTION_WORDS = {
    Direction.MAX: DirectionWords("more", "at least", "≥"),
    Direction.MIN: DirectionWords("less", "at most", "≤"),
}


def direction_words() -> dict[str, dict[str, str]]:
    """The same for a page."""
    return {
        str(direction): {"better": words.better, "side": words.side, "sign": words.sign}
        for direction, words in DIRECTION_WORDS.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureInfo:
    """One measure. Words may hold {column}, which stands for the column in brackets."""

    name: str  # without the column
    takes_column: bool = False
    direction: Direction | None  # which way is better; None: the job must say `max:` or `min:`
    unit: Unit = Unit.NUMBER
    long: str = ""  # what a table or an axis calls it
    short: str = ""  # the same where room is scarce
    left_out: str = ""  # what a row left out counts, where one may think otherwise
    says: str = ""  # a sentence about a release with this value
    roles: frozenset[Role] = field(default_factory=frozenset)  # of columns it is offered for
    few_values: bool = False  # offered for columns of few values only, whatever their role
    needs_rules: bool = False  # speaks of the job's confidential rules
    class_wise: bool = False  # a single class can violate a bound on it
    whole: bool = False  # only whole numbers make sense as a bound
    least: Fraction | None = None  # bounds below and above make no sense
    most: Fraction | None = None
    first_bound: str | None = None  # what a page proposes as a requirement; None: proposes none
    risk: bool = False  # speaks of risk, otherwise of utility
    public: bool = False  # whether its value may stand in a public report
    note: str = ""  # what a report of risks says beside it; {at_risk} is the posterior allowed
    repeat: str = ""  # how a recipient repeats it on the data file; {quasi} are the key columns
    repeat_without_quasi: str = ""  # the same for a file without key columns

    @property
    def is_share(self) -> bool:
        """Between 0 and 1, so that 5 would be a slip for 5 %."""
        return self.unit is Unit.SHARE

    def bound_fault(self, value: Number, name: str = "") -> str | None:
        """Why this value makes no sense as a bound; None when it does. `name`: with a column."""
        name, exact = name or self.name, Fraction(value)
        if self.is_share and not 0 <= exact <= 1:
            return f"{name} is a share between 0 and 1; for five in a hundred write 5% or 0.05"
        if self.least is not None and exact < self.least:
            return _beyond(name, "below", self.least, exact, idle=self.direction is Direction.MAX)
        if self.most is not None and exact > self.most:
            return _beyond(name, "above", self.most, exact, idle=self.direction is Direction.MIN)
        if self.whole and exact.denominator != 1:
            return f"{name} is a whole number, not a fraction"
        return None

    def to_json(self) -> dict[str, Any]:
        """For a page: how it is offered, said and bounded."""
        return {
            "name": self.name,
            "takes_column": self.takes_column,
            "direction": None if self.direction is None else str(self.direction),
            "unit": str(self.unit),
            "long": self.long or self.name + ("({column})" if self.takes_column else ""),
            "short": self.short or self.name + ("({column})" if self.takes_column else ""),
            "says": self.says,
            "roles": sorted(map(str, self.roles)),
            "needs_rules": self.needs_rules,
            "first_bound": self.first_bound,
        }


def _beyond(name: str, side: str, end: Fraction, value: Fraction, *, idle: bool) -> str:
    """A bound that everything meets, or nothing."""
    told = f"{_plain(value)} asks for nothing" if idle else f"nothing meets {_plain(value)}"
    more = "more" if side == "below" else "less"
    return f"{name} is never {side} {_plain(end)}, so {told}; write {_plain(end)} or {more}"


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


_NAME = re.compile(
    r"\s*(?:(min|max)\s*:)?\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\((.*)\))?\s*", re.DOTALL
)

_PLACE = re.compile(r"\{(\w+)\}")  # filled in one pass: what is filled in may look like a place


@dataclass(frozen=True, slots=True)
class MeasureName:
    """A measure as written: `k`, `distinct_l(occupation)`, `max:s_l(occupation)`."""

    base: str
    column: str | None = None
    direction: Direction | None = None

    @property
    def plain(self) -> str:
        """Without the direction: how results name it."""
        return self.base if self.column is None else f"{self.base}({self.column})"

    @property
    def written(self) -> str:
        return self.plain if self.direction is None else f"{self.direction}:{self.plain}"

    def fill(self, words: str, **others: str) -> str:
        """Words of an info with the column, and others, in their places."""
        told = {"column": self.column or "", **others}
        return _PLACE.sub(lambda place: told.get(place[1], place[0]), words)


def parse_name(text: str) -> MeasureName | None:
    """The parts of a measure's name, or None when it has another form. The one place that reads it.

    A column may hold brackets and commas: it is everything between the outer brackets.
    """
    match = _NAME.fullmatch(text)
    if match is None:
        return None
    direction, base, column = match.groups()
    if column is not None and not column.strip():
        return None
    return MeasureName(
        base,
        None if column is None else column.strip(),
        None if direction is None else Direction(direction),
    )


_KNOWN: dict[str, MeasureInfo] = {}


def declare(info: MeasureInfo) -> MeasureInfo:
    """Make an info known; a later one of the same name takes its place."""
    _KNOWN[info.name] = info
    return info


def info_of(name: str) -> MeasureInfo | None:
    """The info of a measure by its name, with or without a column; None when nobody declared it."""
    parsed = parse_name(name)
    return None if parsed is None else _KNOWN.get(parsed.base)


def is_share(name: str) -> bool:
    """A measure between 0 and 1, by its name."""
    info = info_of(name)
    return info is not None and info.is_share


def bound_fault(name: str, value: Number) -> str | None:
    """Why this value makes no sense as a bound on the measure; nothing is known of others'."""
    info = info_of(name)
    return None if info is None else info.bound_fault(value, name)


def known_infos() -> Iterator[MeasureInfo]:
    """In the order in which they were declared."""
    yield from _KNOWN.values()
