"""Dates truncated to ever longer units."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from itertools import pairwise

from paretonym.encode.hierarchies.draft import Draft, Level, plural
from paretonym.errors import HierarchyError
from paretonym.model.hierarchy import Dates


def _week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


LABELS: dict[str, Callable[[date], str]] = {
    "day": date.isoformat,
    "week": _week,
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10 * 10:04d}s",
}

# units in which each one nests; a week lies across months and, at New Year, across years
NESTS_IN: dict[str, tuple[str, ...]] = {
    "day": ("week", "month", "quarter", "year", "decade"),
    "week": (),
    "month": ("quarter", "year", "decade"),
    "quarter": ("year", "decade"),
    "year": ("decade",),
    "decade": (),
}

# dates that a format must be able to write and read back; the last two differ in the year only
PROBES = (date(2001, 11, 23), date(1987, 5, 31), date(2012, 5, 31))


def draft_dates(spec: Dates, column: str, values: Sequence[str]) -> Draft:
    """One level per unit; the text of a date is read with the stated format only."""
    check_units(spec, column)
    check_format(spec, column)
    days: dict[str, date] = {}
    for value in values:
        try:
            days[value] = datetime.strptime(value, spec.format).date()
        except (ValueError, OverflowError):
            continue
    refused = len(values) - len(days)
    if refused:
        raise HierarchyError(
            f"column '{column}': {plural(refused, 'value')} of {len(values)} cannot be read as a "
            f"date of the format '{spec.format}'; correct the format, or declare such texts "
            f"under missing:"
        )
    levels = tuple(
        Level(unit, tuple(LABELS[unit](days[value]) for value in values)) for unit in spec.units
    )
    return Draft(leaves=tuple(values), levels=levels, keys=days)


def check_units(spec: Dates, column: str) -> None:
    known = ", ".join(LABELS)
    if not spec.units:
        raise HierarchyError(f"column '{column}': dates need at least one unit of {known}")
    if any(unit not in LABELS for unit in spec.units):
        raise HierarchyError(f"column '{column}': a date unit is unknown; the units are {known}")
    for short, long in pairwise(spec.units):
        if long not in NESTS_IN[short]:
            follow = ", ".join(NESTS_IN[short]) or "nothing"
            raise HierarchyError(
                f"column '{column}': {short} does not nest in {long}; after {short} may follow: "
                f"{follow}"
            )


def check_format(spec: Dates, column: str) -> None:
    """The format must carry the finest unit: without a year, every date would be of 1900."""
    finest = LABELS[spec.units[0]]
    try:
        texts = [day.strftime(spec.format) for day in PROBES]
        # before any reading: newer Pythons warn about formats with a day and no year
        faithful = texts[1] != texts[2] and all(
            finest(datetime.strptime(text, spec.format).date()) == finest(day)
            for text, day in zip(texts, PROBES, strict=True)
        )
    except (ValueError, re.error):  # a repeated directive breaks strptime's own expression
        raise HierarchyError(
            f"column '{column}': '{spec.format}' is not a date format; write it with strptime's "
            f"directives, for example '%Y-%m-%d'"
        ) from None
    if not faithful:
        raise HierarchyError(
            f"column '{column}': the date format '{spec.format}' does not state the "
            f"{spec.units[0]} of a date in full; the year (%Y or %y) is always needed"
        )
