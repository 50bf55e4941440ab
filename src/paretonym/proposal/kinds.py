"""What a column holds: numbers, dates, codes or texts, found in its distinct values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import pyarrow as pa

from paretonym.errors import TableError
from paretonym.model.logic.predicate import ValueIn
from paretonym.model.numbers import parse_number
from paretonym.model.source import ColumnProfile
from paretonym.proposal.words import words_of
from paretonym.tables import Table

Kind = Literal["whole", "number", "date", "code", "text", "unreadable"]

ISO = "%Y-%m-%d"
_TIME = r"[ T]\d{2}:\d{2}:\d{2}"
# strptime alone would also take blanks, and fewer digits than a format seems to ask for
FORMATS = {
    "%Y/%m/%d": re.compile(r"\d{4}/\d{1,2}/\d{1,2}", re.ASCII),
    "%d/%m/%Y": re.compile(r"\d{1,2}/\d{1,2}/\d{4}", re.ASCII),
    "%m/%d/%Y": re.compile(r"\d{1,2}/\d{1,2}/\d{4}", re.ASCII),
    "%d.%m.%Y": re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}", re.ASCII),
    "%d-%m-%Y": re.compile(r"\d{1,2}-\d{1,2}-\d{4}", re.ASCII),
    "%m-%d-%Y": re.compile(r"\d{1,2}-\d{1,2}-\d{4}", re.ASCII),
    "%Y-%m-%d %H:%M:%S": re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}{_TIME}", re.ASCII),
    "%Y-%m-%dT%H:%M:%S": re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}{_TIME}", re.ASCII),
    "%Y%m%d": re.compile(r"(18[5-9]|19\d|20\d)\d{5}", re.ASCII),  # or any eight digits would do
}
COMMA_NUMBER = re.compile(r"-?\d+(,\d+)?", re.ASCII)
THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})*", re.ASCII)
WHOLE = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?", re.ASCII)
WITHOUT_FRACTION = re.compile(r"-?\d+(\.0*)?", re.ASCII)
_SAMPLE = 100  # values tried before all of them are
_LONGEST = 25  # no date and no number that people write is longer
_MOSTLY = 0.9  # share of the values from which a column is called one of numbers with exceptions

NOUNS: dict[Kind, str] = {
    "whole": "whole number",
    "number": "number",
    "date": "date",
    "code": "code",
    "text": "text",
    "unreadable": "value",
}


@dataclass(frozen=True, slots=True)
class Look:
    """A column as a guess sees it: its counts, the words of its name, what it holds."""

    profile: ColumnProfile
    words: tuple[str, ...]
    kind: Kind
    format: str | None = None  # of dates
    decimal_comma: bool = False
    integral: bool = False  # numbers without a fraction, also those written 12.0
    note: str | None = None  # what else was seen

    @property
    def present(self) -> int:
        return self.profile.rows - self.profile.missing


def look_at(table: Table, profile: ColumnProfile) -> Look:
    words = words_of(profile.name)
    if not _readable(table, profile.name):
        return Look(profile, words, "unreadable")
    match profile.looks_like:
        case "date":
            return Look(profile, words, "date", ISO)
        case "decimal":
            values = table.values_of(profile.name)["value"]
            return Look(profile, words, "number", integral=_every(values, WITHOUT_FRACTION))
        case "integer" if profile.shortest < 8 or profile.longest > 8:
            return Look(profile, words, "whole", integral=True)
    kind: Kind = {"integer": "whole", "code": "code"}.get(profile.looks_like, "text")  # type: ignore[assignment]
    if not profile.distinct or profile.longest > _LONGEST:
        return Look(profile, words, kind, integral=kind == "whole")
    return _look_closer(profile, words, kind, table.values_of(profile.name)["value"])


def _readable(table: Table, name: str) -> bool:
    """Lists, structures, bytes and the like have no text to count or to generalise."""
    if table.kind == "csv":
        return True
    if "binary" in table.types[name]:
        return False
    try:
        table.histogram([], predicates={"missing": ValueIn(name, frozenset({None}))})
    except TableError:
        return False
    return True


def _look_closer(
    profile: ColumnProfile, words: tuple[str, ...], kind: Kind, column: pa.ChunkedArray
) -> Look:
    sample = _present(column.slice(0, _SAMPLE))
    formats = _formats(sample, FORMATS)
    if formats and (formats := _formats(_present(column), formats)):
        if len(formats) == 1:
            return Look(profile, words, "date", formats[0])
        note = f"these look like dates, but {' and '.join(formats)} can both read all of them"
        return Look(profile, words, kind, note=note)
    if kind == "text" and _comma_numbers(sample) and _comma_numbers(values := _present(column)):
        if not all(map(THOUSANDS.fullmatch, values)):
            return Look(profile, words, "number", decimal_comma=True)
        note = "commas may be decimal or stand between thousands"
        return Look(profile, words, kind, note=note)
    if kind == "text":
        return _look_for_numbers(profile, words, column)
    return Look(profile, words, kind, integral=kind == "whole")


def _look_for_numbers(
    profile: ColumnProfile, words: tuple[str, ...], column: pa.ChunkedArray
) -> Look:
    """Numbers that blanks or a few other values hide: ` 34`, `90+`."""
    if _every(column, WHOLE):
        return Look(profile, words, "whole", integral=True)
    if _every(column, NUMBER):
        return Look(profile, words, "number")
    others = sum(not NUMBER.fullmatch(value.strip()) for value in _present(column))
    if others > (1 - _MOSTLY) * profile.distinct:
        return Look(profile, words, "text")
    note = (
        f"all but {others:,} of the values are numbers; written as numbers, or named under "
        f"missing:, they would let intervals be used"
    )
    return Look(profile, words, "text", note=note)


def _every(column: pa.ChunkedArray, form: re.Pattern[str]) -> bool:
    """Whether every value that is there has the form, blanks around it aside."""

    def fits(values: list[str]) -> bool:
        return all(form.fullmatch(value.strip()) for value in values)

    sample = _present(column.slice(0, _SAMPLE))
    return bool(sample) and fits(sample) and fits(_present(column))


def _present(column: pa.ChunkedArray) -> list[str]:
    return [value for value in column.to_pylist() if value is not None]


def _formats(
    values: Sequence[str], formats: Sequence[str] | dict[str, re.Pattern[str]]
) -> list[str]:
    return [form for form in formats if all(is_date(value, form) for value in values)]


def is_date(value: str, form: str) -> bool:
    """Whether the text reads so; what the profile calls a date has the form of ISO."""
    shape = FORMATS.get(form)
    if shape is not None and not shape.fullmatch(value):
        return False
    try:
        datetime.strptime(value, form)
    except ValueError:
        return False
    return True


def _comma_numbers(values: Sequence[str]) -> bool:
    return all(
        COMMA_NUMBER.fullmatch(value) and parse_number(value, decimal_comma=True) is not None
        for value in values
    )
