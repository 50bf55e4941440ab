"""Two files made alike: attributes renamed, merged and recoded, records out of range dropped.

In Tavrov and Chertov 2016 (section 4) the main and the auxiliary file are harmonised before
anything is learnt, so that their basic attributes agree in name and in codes. Each distinct value
is recoded once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from paretonym.errors import JobError
from paretonym.groups.records import Column, Records, distinct, ordered
from paretonym.model.arrays import Flags
from paretonym.model.group import Recipe
from paretonym.model.numbers import parse_number

_JOIN = "-"  # between merged texts
_APART = 0.05  # share of a file's records whose codes the other file may lack


@dataclass(frozen=True, slots=True)
class Harmonised:
    """A file after its recipes: attributes and, in the main file, places."""

    records: Records
    attributes: tuple[str, ...]
    before: int  # records looked at
    members_before: int
    dropped: Mapping[str, int]  # records that each range drops by itself

    def to_json(self) -> dict[str, Any]:
        return {
            "records_before": self.before,
            "records_after": self.records.total,
            "members_before": self.members_before,
            "members_after": self.records.total_members,
            "combinations": len(self.records.records),
            "dropped": dict(self.dropped),
        }


def sources_of(recipes: Sequence[Recipe]) -> tuple[str, ...]:
    """The columns that the recipes need."""
    return tuple(dict.fromkeys(column for recipe in recipes for column in recipe.columns))


def harmonise(
    records: Records,
    recipes: Sequence[Recipe],
    *,
    attributes: Sequence[str],
    places: Sequence[str] = (),
    where: str,
) -> Harmonised:
    """Records by harmonised attributes and places; `where` names the file in messages."""
    made, kept, dropped = recoded(records, recipes, where)
    rows = np.flatnonzero(kept)
    if not len(rows):
        raise JobError(
            f"{where}: the ranges drop every one of {records.total:,} records "
            f"({_each(dropped)}); widen them"
        )
    wanted = {name: made[name] for name in attributes}
    wanted |= {name: records.columns[name] for name in places if name not in wanted}
    left = records.at(rows).collapsed({name: column.at(rows) for name, column in wanted.items()})
    return Harmonised(left, tuple(attributes), records.total, records.total_members, dropped)


def recoded(
    records: Records, recipes: Sequence[Recipe], where: str
) -> tuple[dict[str, Column], Flags, dict[str, int]]:
    """What each recipe makes, which combinations the ranges leave, and what each range drops."""
    kept = np.ones(len(records.records), np.bool_)
    made: dict[str, Column] = {}
    dropped = {}
    for recipe in recipes:
        column = _merged([records.columns[name] for name in recipe.columns])
        texts, inside = _Reader(recipe, where).read(column)
        if recipe.range is not None:
            dropped[recipe.name] = int(records.records[~inside[column.codes]].sum())
        kept &= inside[column.codes]
        made[recipe.name] = Column.of(texts, column.codes)
    return made, kept, dropped


def _each(dropped: Mapping[str, int]) -> str:
    return ", ".join(f"{name} alone {count:,}" for name, count in dropped.items())


def _merged(columns: Sequence[Column]) -> Column:
    """Texts joined; missing where one of them is."""
    if len(columns) == 1:
        return columns[0]
    first, inverse = distinct(columns, len(columns[0].codes))
    rows = zip(*([c.values[code] for code in c.codes[first]] for c in columns), strict=True)
    texts = [None if None in row else _JOIN.join(map(str, row)) for row in rows]
    return Column.of(texts, inverse)


class _Reader:
    """Reads the values of one attribute as its recipe says."""

    def __init__(self, recipe: Recipe, where: str) -> None:
        self._recipe = recipe
        self._where = f"{where}, attribute '{recipe.name}'"
        self._recode = dict(recipe.recode)
        self._unread: set[str] = set()

    def read(self, column: Column) -> tuple[list[str | None], Flags]:
        """What each value becomes, and whether its records stay."""
        texts = [self._text(value) for value in column.values]
        inside = np.array([self._stays(value) for value in column.values], np.bool_)
        if self._unread:
            raise JobError(
                f"{self._where}: {len(self._unread):,} of {len(column.values):,} values cannot be "
                f"read as a number; map them, declare them missing, or leave number, range and "
                f"intervals out"
            )
        return texts, inside

    def _stays(self, value: str | None) -> bool:
        if self._recipe.range is None:
            return True
        number, (least, most) = self._number(value), self._recipe.range
        return number is not None and least <= number <= most

    def _text(self, value: str | None) -> str | None:
        recipe = self._recipe
        if recipe.edges:
            number = self._number(value)
            return None if number is None else _interval(number, recipe.edges)
        if value is not None and self._recode:
            value = self._recode.get(value, value if recipe.rest is None else recipe.rest)
        if recipe.numeric:
            number = self._number(value)
            return None if number is None else canonical(number)
        return value

    def _number(self, value: str | None) -> Decimal | None:
        number = None if value is None else parse_number(value, decimal_comma=False)
        if number is None and value is not None:
            self._unread.add(value)
        return number


def canonical(number: Decimal) -> str:
    """One text for each number: 045, 45.0 and 45 are 45."""
    return format(number.normalize(), "f") if number else "0"


def _interval(number: Decimal, edges: Sequence[Decimal]) -> str:
    place = bisect_right(edges, number)
    texts = [canonical(edge) for edge in edges]
    if place == 0:
        return f"< {texts[0]}"
    return f">= {texts[-1]}" if place == len(edges) else f"[{texts[place - 1]}, {texts[place]})"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Both files with equal codes for equal values, and what only one of them has."""

    main: Harmonised
    auxiliary: Harmonised
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "attributes": list(self.main.attributes),
            "main": self.main.to_json(),
            "auxiliary": self.auxiliary.to_json(),
            "notes": list(self.notes),
        }


def agree(
    main: Harmonised, auxiliary: Harmonised, *, numeric: Collection[str], where: str
) -> Agreement:
    """Equal codes in both; an error lists every attribute whose codes do not match.

    A number may occur in one file only. Other codes may where few records have them, which is
    noted; when many have, the files are coded differently.
    """
    faults: list[str] = []
    notes: list[str] = []
    for name in main.attributes:
        if name in numeric:
            continue
        apart = [_apart(name, a, b) for a, b in ((main, auxiliary), (auxiliary, main))]
        for file, (codes, share) in zip(("main", "auxiliary"), apart, strict=True):
            if codes:
                said = (
                    f"{name}: {codes:,} codes ({share:.1%} of its records) in the {file} file only"
                )
                (faults if share > _APART else notes).append(said)
    if faults:
        listed = "\n".join(f"- {fault}" for fault in faults)
        raise JobError(
            f"{where}: the files do not match after harmonisation; map their codes to the same "
            f"ones, or leave the attribute out:\n{listed}"
        )
    return Agreement(*_same_codes(main, auxiliary), notes=tuple(notes))


def _apart(name: str, one: Harmonised, other: Harmonised) -> tuple[int, float]:
    """Codes that the other file lacks, and the share of records that have them."""
    column, known = one.records.columns[name], set(other.records.columns[name].values)
    lacking = np.array([value not in known for value in column.values], np.bool_)
    records = int(one.records.records[lacking[column.codes]].sum())
    return int(lacking.sum()), records / one.records.total


def _same_codes(main: Harmonised, auxiliary: Harmonised) -> tuple[Harmonised, Harmonised]:
    columns = [dict(main.records.columns), dict(auxiliary.records.columns)]
    for name in main.attributes:
        values = ordered(value for file in columns for value in file[name].values)
        place = {value: code for code, value in enumerate(values)}
        for file in columns:
            images = np.array([place[value] for value in file[name].values], np.int32)
            file[name] = Column(values, images[file[name].codes])
    first, second = (
        replace(file, records=replace(file.records, columns=made))
        for file, made in zip((main, auxiliary), columns, strict=True)
    )
    return first, second
