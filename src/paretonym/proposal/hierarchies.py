"""A hierarchy for a column by what it holds, with simpler ones to fall back on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

import pyarrow as pa

from paretonym.encode.hierarchies import build
from paretonym.encode.hierarchies.intervals import plain
from paretonym.errors import HierarchyError
from paretonym.model.granulation import STAR
from paretonym.model.hierarchy import (
    Dates,
    DateUnit,
    Groups,
    HierarchySpec,
    Intervals,
    Mask,
    Suppress,
)
from paretonym.proposal.kinds import Look
from paretonym.proposal.numbers import intervals_for
from paretonym.proposal.words import CODED, POSTAL

MOST_NODES = 200_000  # of the lattice
MOST_WORK = 2 * 10**9  # nodes times distinct combinations: every node is visited within seconds
_SOME_NODES = 5_000  # fewer would offer little choice; a search that may take long has a budget
_FEW = 10  # fewer numbers than this are rather codes than quantities
_LONGEST_CODE = 10
_SHORTEST_CODE = 3  # two characters rather number categories than places, unless the name says so
_UNITS: tuple[DateUnit, ...] = ("day", "month", "quarter", "year", "decade")
_MANY_DECADES = 3
_MOST_CATEGORIES = 64
_FREQUENT = 0.05  # share of the rows from which a category keeps its name
NAMED_ROWS = 10  # a value in fewer rows is never named
_LONGEST_NAME = 60
_OTHER = ("other", "other values", "none of these")  # the first that is no value of the column

Part = TypeVar("Part")


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


@dataclass(frozen=True, slots=True)
class _Column:
    """What an option is made from."""

    look: Look
    texts: Sequence[str | None]
    rows: Sequence[int]

    def changing(self, spec: HierarchySpec) -> list[int]:
        """Levels above the raw one that merge something and leave something apart, from 0."""
        partitions = build(spec, self.look.profile.name, self.texts).partitions
        apart = 2 + (None in self.texts)  # a missing value is a block of its own
        blocks = [len(self.texts)]
        useful = []
        for level, partition in enumerate(partitions[1:]):
            if apart <= partition.blocks < blocks[-1]:
                blocks.append(partition.blocks)
                useful.append(level)
        return useful


def ladder_for(look: Look, values: pa.Table) -> Ladder:
    """Options that the column's values are known to fit; the last one fits any."""
    column = _Column(look, values["value"].to_pylist(), values["rows"].to_pylist())
    note = look.note
    try:
        options = _options(column)
    except HierarchyError:
        options = []
        note = "not every value can be read as such, so there is no finer hierarchy"
    return Ladder((*options, _suppress(look, note)))


def fit(ladders: Mapping[str, Ladder], combinations: int) -> dict[str, Ladder]:
    """Simpler hierarchies, where there are most levels, until the lattice can be searched."""
    fitting = dict(ladders)
    most = min(MOST_NODES, max(_SOME_NODES, MOST_WORK // combinations))
    while node_count(fitting) > most:
        reducible = [name for name, ladder in fitting.items() if ladder.reducible]
        if not reducible:
            break
        longest = max(reducible, key=lambda name: _spare(fitting[name]))
        fitting[longest] = fitting[longest].reduced()
    return fitting


def _spare(ladder: Ladder) -> tuple[bool, bool, int]:
    """What can be missed most: middle levels where there are many, then groups that know nothing
    of what they pool, and only then all levels of an age, a date or a place."""
    return len(ladder.options) > 2, isinstance(ladder.first.spec, Groups), ladder.first.levels


def node_count(ladders: Mapping[str, Ladder]) -> int:
    return math.prod(ladder.first.levels for ladder in ladders.values())


def _suppress(look: Look, note: str | None) -> Option:
    says = "the value, then *"
    if note:
        says = f"{note}; {says}"
    elif look.profile.distinct > 2 and look.kind in ("text", "code", "whole"):
        says += "; groups or a hierarchy file would keep more detail"
    return Option(Suppress(), 2, says)


def _options(column: _Column) -> list[Option]:
    """Without the last resort."""
    look = column.look
    if look.kind == "date" and look.format:
        return _dates(column, Dates(look.format, _UNITS))
    if "month" in look.words and _are_months(column.texts):
        widths = tuple(Decimal(months) for months in (3, 6))
        spec = Intervals(widths, origin=Decimal(1))
        return [Option(spec, 4, "quarters and halves of a year, then *")]
    if _is_code(look) and column.changing(Mask("right")):
        says = "one more character hidden at each level"
        return [Option(Mask("right"), look.profile.longest + 1, says)]
    if look.kind in ("whole", "number") and look.profile.distinct >= _FEW:
        return _intervals(column)
    return _pooled(column)


def _are_months(texts: Sequence[str | None]) -> bool:
    months = {str(month) for month in range(1, 13)}
    return {text for text in texts if text is not None} == months


def _thinned(parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    """All of them, the outer two, the middle one."""
    choices = [parts] if parts else []
    if len(parts) > 2:
        choices.append((parts[0], parts[-1]))
    if len(parts) > 1:
        choices.append((parts[len(parts) // 2],))
    return choices


def _chosen(
    parts: Sequence[Part], column: _Column, make: Callable[[tuple[Part, ...]], HierarchySpec]
) -> list[tuple[Part, ...]]:
    """Ever fewer of the levels that change something."""
    useful = column.changing(make(tuple(parts)))
    return _thinned(tuple(parts[level] for level in useful if level < len(parts)))


def _dates(column: _Column, spec: Dates) -> list[Option]:
    units = spec.units
    decades = build(replace(spec, units=("decade",)), column.look.profile.name, column.texts)
    if decades.partitions[1].blocks - (None in column.texts) < _MANY_DECADES:
        units = units[:-1]
    return [
        Option(replace(spec, units=chosen), len(chosen) + 2, f"by {', '.join(chosen)}, then *")
        for chosen in _chosen(units, column, lambda parts: replace(spec, units=parts))
    ]


def _is_code(look: Look) -> bool:
    """Codes with leading zeros or letters; plain digits only where the name says so.

    Postcodes such as EC1A 1BB differ in length and hold blanks.
    """
    named = bool(CODED & set(look.words))
    if not (2 if named else _SHORTEST_CODE) <= look.profile.longest <= _LONGEST_CODE:
        return False
    if look.kind == "text":
        return bool(POSTAL & set(look.words))
    fixed = look.profile.shortest == look.profile.longest
    return look.kind == "code" or (look.kind == "whole" and fixed and named)


def _intervals(column: _Column) -> list[Option]:
    spec = intervals_for(
        column.texts,
        column.rows,
        whole=column.look.integral,
        decimal_comma=column.look.decimal_comma,
    )
    if spec is None:
        return []
    ends = [f"below {plain(spec.bottom)}"] if spec.bottom is not None else []
    ends += [f"from {plain(spec.top)} on"] if spec.top is not None else []
    tails = f", all {' and all '.join(ends)} together (few rows, far out)" if ends else ""
    return [
        Option(
            replace(spec, widths=chosen),
            len(chosen) + 2,
            f"intervals of width {', '.join(map(plain, chosen))}{tails}, then *",
        )
        for chosen in _chosen(spec.widths, column, lambda parts: replace(spec, widths=parts))
    ]


def _pooled(column: _Column) -> list[Option]:
    """Frequent categories apart, all others together: nothing is known of their meaning.

    Only values that stand in many rows are named.
    """
    counted = [
        (text, count)
        for text, count in zip(column.texts, column.rows, strict=True)
        if text is not None
    ]
    if column.look.note or not 2 < len(counted) <= _MOST_CATEGORIES:
        return []
    present = sum(count for _, count in counted)
    ordered = sorted(counted, key=lambda pair: -pair[1])
    # at least two are pooled, or the level would change nothing
    frequent = {
        text: count for text, count in ordered[:-2] if count >= max(NAMED_ROWS, _FREQUENT * present)
    }
    taken = {text.casefold() for text, _ in counted}
    other = next((label for label in _OTHER if label not in taken), None)
    telling = 3 * sum(frequent.values()) >= present  # or nearly all would be pooled
    if other is None or not telling or not all(map(_nameable, frequent)):
        return []
    spec = Groups((tuple((text, (text,)) for text in sorted(frequent)),), other=other)
    pooled = len(counted) - len(frequent)
    says = f"frequent values apart and the {pooled} others together, then *; write better groups"
    return [Option(spec, 3, says)]


def _nameable(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and text.isprintable() and text not in ("<<", STAR)
