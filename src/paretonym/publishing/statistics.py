"""Columns that show a statistic of each block instead of its label, computed once more.

Attribute-oriented granulation (section 3.1) asks one thing of such a table: two cells are equal
exactly when their values lie in the same block. The plan alone shows whether texts and labels are
one to one; the input shows whether each text is what it claims to be. Numbers are fractions here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np

from paretonym.model.arrays import Flags
from paretonym.model.steps import UNLISTED, Recode
from paretonym.model.writing import ValueOrder, WriteAs, WrittenStatistics
from paretonym.publishing.checker import Check
from paretonym.publishing.codes import CodedTable, positions

# Fraction reads more than a table may hold ("1/2", "1_000"), and 1e99999999 at any cost
_NUMBER = re.compile(r"[+-]?[0-9.]{1,700}([eE][+-]?[0-9]{1,3})?")

Rows = Mapping[str | None, int]  # value -> released rows that hold it


def one_to_one_checks(recode: Recode) -> list[Check]:
    """Each statistic stands for one block, and nothing else is shown."""
    if recode.written is None:
        return []
    texts = list(recode.written.texts.values())
    shown = {text for text in recode.labels.values() if text != UNLISTED}
    strange = (shown ^ set(texts)) | (set(recode.leaves) ^ set(texts))
    wrong = len(texts) - len(set(texts)) + len(strange)
    name = f"texts of {recode.column} that do not stand for one block"
    return [Check(name, 0, wrong, holds=not wrong)]


def statistic_checks(recode: Recode, before: CodedTable, released: Flags) -> list[Check]:
    """Every statistic, from the raw values of the input rows whose class was released."""
    if recode.written is None:
        return []
    name = f"texts of {recode.column} that are not the {recode.write} of their block"
    if recode.written.frozen:
        note = "taken from an earlier table, and not recomputed from this one"
        return [Check(name, "not checked", "not checked", holds=True, note=note)]
    wrong = _wrong(recode, recode.written, _released_values(recode, before, released))
    return [Check(name, 0, wrong, holds=wrong == 0)]


def _released_values(recode: Recode, before: CodedTable, released: Flags) -> dict[str | None, int]:
    """Rows of each value, spelled as in the plan: types are compared, not their spellings."""
    column = before.columns[recode.column]
    values = list(recode.labels)
    places = positions(column, values, recode.column)
    found = np.bincount(column.codes[released], minlength=column.size)
    rows = np.zeros(len(values), np.int64)
    np.add.at(rows, places[places >= 0], found[places >= 0])
    return {v: int(n) for v, n in zip(values, rows, strict=True) if n}


def _wrong(recode: Recode, written: WrittenStatistics, rows: Rows) -> int | str:
    """How many texts are not the statistic of their rows; a text without rows is none."""
    try:
        reader = _Reader.of(written.order, rows)
    except (
        KeyError,
        ValueError,
        OverflowError,
        re.error,
    ):  # of a value or of the format: never quoted
        return "unreadable"
    missing = {recode.labels[None]: rows[None]} if None in rows else {}
    blocks: dict[str | None, list[str]] = {text: [] for text in (*recode.leaves, *missing)}
    for value in reader.ranked:
        blocks.setdefault(recode.labels[value], []).append(value)
    wrong = 0
    for text, values in blocks.items():
        gaps = missing.get(text, 0)
        occurs = bool(values or gaps)
        wrong += not occurs or reader.statistic(written.way, values, gaps) != text
    return wrong


@dataclass(frozen=True, slots=True)
class _Reader:
    """The released values of one column, read and in order."""

    rows: Rows
    numbers: Mapping[str, Fraction]  # of a column of numbers
    ranked: tuple[str, ...]
    decimals: int
    comma: bool

    @classmethod
    def of(cls, order: ValueOrder, rows: Rows) -> _Reader:
        values = [value for value in rows if value is not None]
        numbers: dict[str, Fraction] = {}
        rank: Mapping[str, Any] = {}
        if order.kind == "number":
            rank = numbers = {v: _number(v, comma=order.decimal_comma) for v in values}
        elif order.kind == "date":
            rank = {v: datetime.strptime(v, order.format) for v in values}
        elif order.kind == "listed":
            places = {v: place for place, v in enumerate(order.listed)}
            rank = {v: places[v] for v in values}
        ranked = sorted(values, key=lambda v: (rank[v], v) if rank else v)
        decimals = max(map(_decimals, numbers.values()), default=0)
        return cls(rows, numbers, tuple(ranked), decimals, order.decimal_comma)

    def statistic(self, way: WriteAs, values: Sequence[str], missing: int) -> str | None:
        """Of a block whose values stand in order; missing cells have a say in the mode only."""
        if way == "mode":
            most = max((self.rows[value] for value in values), default=0)
            if missing > most:
                return None
            return next(value for value in values if self.rows[value] == most)
        if not values:
            return None
        total = sum(self.rows[value] for value in values)
        if way == "mean":
            summed = sum((self.numbers[v] * self.rows[v] for v in values), Fraction(0))
            return self._plain(summed / total)
        low = self._at(values, (total - 1) // 2)
        if not self.numbers:
            return low
        high = self._at(values, total // 2)
        return self._plain((self.numbers[low] + self.numbers[high]) / 2)

    def _at(self, values: Sequence[str], place: int) -> str:
        """The value of one row when the rows stand in order, counted from 0."""
        for value in values:
            place -= self.rows[value]
            if place < 0:
                return value
        raise ValueError("there are fewer rows")

    def _plain(self, number: Fraction) -> str:
        """Two decimals more than the values have, half to even, no trailing zeros."""
        places = self.decimals + 2
        digits = str(abs(round(number * 10**places))).zfill(places + 1)
        text = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")
        signed = f"-{text}" if number < 0 and text != "0" else text
        return signed.replace(".", ",") if self.comma else signed


def _number(text: str, *, comma: bool) -> Fraction:
    stated = text.strip(" ")
    if comma and "." in stated:
        raise ValueError("a point in a number with a decimal comma")
    stated = stated.replace(",", ".") if comma else stated
    if not _NUMBER.fullmatch(stated):
        raise ValueError("not a number")
    return Fraction(stated)


def _decimals(number: Fraction) -> int:
    """How often ten has to be taken for a whole number; halves and fifths take one each."""
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives)
