"""A hierarchy for a column by what it holds, with simpler ones to fall back on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

import pyarrow as pa

from paretonym.app.proposal_kinds import Look
from paretonym.app.proposal_words import CODED
from paretonym.encode.hierarchies import build
from paretonym.encode.hierarchies.intervals import plain
from paretonym.errors import HierarchyError
from paretonym.model.hierarchy import Dates, DateUnit, HierarchySpec, Intervals, Mask, Suppress
from paretonym.model.numbers import parse_number

MOST_NODES = 500_000  # a first front should come within minutes, whatever the table
_FEW = 10  # fewer numbers than this are rather codes than quantities
_LONGEST_CODE = 10
_BLOCKS = 16  # intervals of the narrowest width over most of the rows
_LARGEST_EXPONENT = 50  # a job writes its numbers in full
_ROUND = {1: (1, 5, 10), 2: (1, 5, 10), 5: (1, 2, 4)}  # widths above 1, 2 and 5: all are round


@dataclass(frozen=True, slots=True)
class Option:
    """One hierarchy: what the engine builds, how many levels at most, and what to say of it."""

    spec: HierarchySpec
    levels: int
    says: str


@dataclass(frozen=True, slots=True)
class Ladder:
    """Hierarchies from detailed to simple."""

    options: tuple[Option, ...]

    @property
    def first(self) -> Option:
        return self.options[0]

    @property
    def reducible(self) -> bool:
        return len(self.options) > 1

    def reduced(self) -> Ladder:
        return Ladder(self.options[1:])


def ladder_for(look: Look, values: pa.Table) -> Ladder:
    """Options that the column's values are known to fit; the last one fits any."""
    texts: list[str | None] = values["value"].to_pylist()
    options = _options(look, texts, values["rows"].to_pylist())
    note = look.note
    if options:
        try:
            build(options[0].spec, look.profile.name, texts)
            return Ladder((*options, _suppress(look, note)))
        except HierarchyError:
            note = "not every value can be read as such, so there is no finer hierarchy"
    return Ladder((_suppress(look, note),))


def fit(ladders: Mapping[str, Ladder]) -> dict[str, Ladder]:
    """Simpler hierarchies, where there are most levels, until the lattice can be searched."""
    fitting = dict(ladders)
    while node_count(fitting) > MOST_NODES:
        reducible = [name for name, ladder in fitting.items() if ladder.reducible]
        longest = max(reducible, key=lambda name: fitting[name].first.levels)
        fitting[longest] = fitting[longest].reduced()
    return fitting


def node_count(ladders: Mapping[str, Ladder]) -> int:
    return math.prod(ladder.first.levels for ladder in ladders.values())


def _suppress(look: Look, note: str | None) -> Option:
    says = "the value, then *"
    if note:
        says = f"{note}; {says}"
    elif look.profile.distinct > 2 and look.kind in ("text", "code", "whole"):
        says += "; groups or a hierarchy file would keep more detail"
    return Option(Suppress(), 2, says)


def _options(look: Look, texts: Sequence[str | None], rows: Sequence[int]) -> list[Option]:
    """Without the last resort."""
    if look.kind == "date" and look.format:
        return [
            _dates(look.format, ("month", "year")),
            _dates(look.format, ("year",)),
        ]
    if _is_code(look):
        longest = look.profile.longest
        return [Option(Mask("right"), longest + 1, "one more character hidden at each level")]
    if look.kind in ("whole", "number") and look.profile.distinct >= _FEW:
        return _intervals(look, texts, rows)
    return []


def _dates(form: str, units: tuple[DateUnit, ...]) -> Option:
    return Option(Dates(form, units), len(units) + 2, f"by {', then by '.join(units)}, then *")


def _is_code(look: Look) -> bool:
    """Codes with leading zeros or letters; plain digits only where the name says so."""
    if not 2 <= look.profile.longest <= _LONGEST_CODE:
        return False
    fixed = look.profile.shortest == look.profile.longest
    return look.kind == "code" or (look.kind == "whole" and fixed and bool(CODED & set(look.words)))


def _intervals(look: Look, texts: Sequence[str | None], rows: Sequence[int]) -> list[Option]:
    counted: list[tuple[Decimal, int]] = []
    for text, count in zip(texts, rows, strict=True):
        number = None if text is None else parse_number(text, decimal_comma=look.decimal_comma)
        if number is not None:
            counted.append((number, count))
    widths = round_widths(spread(counted), whole=look.kind == "whole")
    if not widths:
        return []
    choices = [widths]
    if len(widths) > 2:
        choices.append((widths[0], widths[-1]))
    if len(widths) > 1:
        choices.append((widths[len(widths) // 2],))
    return [
        Option(
            Intervals(chosen, decimal_comma=look.decimal_comma),
            len(chosen) + 2,
            f"intervals of width {', then '.join(map(plain, chosen))}, then *",
        )
        for chosen in choices
    ]


def spread(counted: Sequence[tuple[Decimal, int]]) -> Decimal:
    """What the middle nine tenths of the rows span, so that a few huge values decide nothing."""
    ordered = sorted(counted)
    if not ordered:
        return Decimal(0)
    total = sum(count for _, count in ordered)
    low = _at(ordered, total * 5 // 100)
    high = _at(ordered, total * 95 // 100)
    with localcontext(prec=28):  # only a size: rounding is fine
        return high - low or ordered[-1][0] - ordered[0][0]


def _at(ordered: Sequence[tuple[Decimal, int]], row: int) -> Decimal:
    """The number in this row (from 0) of the sorted column."""
    for number, count in ordered:
        row -= count
        if row < 0:
            return number
    return ordered[-1][0]


def round_widths(span: Decimal, *, whole: bool) -> tuple[Decimal, ...]:
    """1, 2 or 5 times a power of ten and round multiples of it, up to half the span."""
    if span <= 0 or abs(span.adjusted()) > _LARGEST_EXPONENT:
        return ()
    with localcontext(prec=28):
        target = span / _BLOCKS
        if whole:
            target = max(target, Decimal(2))  # a width of one is the number itself
        unit = Decimal(1).scaleb(target.adjusted())
        digit = next((d for d in _ROUND if d * unit >= target), None)
        if digit is None:
            digit, unit = 1, unit * 10
        narrow = digit * unit
        return tuple(
            narrow * factor
            for factor in _ROUND[digit]
            if factor == 1 or narrow * factor * 2 <= span
        )
