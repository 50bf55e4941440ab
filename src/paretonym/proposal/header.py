"""Is the first row of a CSV a header, or somebody's record?

Names of columns are shown, written into jobs and published. A record that is taken for names would
go the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from paretonym.errors import HeaderError
from paretonym.model.logic.predicate import ValueIn
from paretonym.model.numbers import parse_number
from paretonym.model.source import TableSource
from paretonym.proposal.kinds import Look, is_date
from paretonym.tables import Table, csv_form

_SUSPECT = 3  # one name in so many reads like a cell of its column
_MOST = 100  # columns that are looked at


def read_as(source: TableSource, *, header: bool | None) -> TableSource:
    """The source with everything said that was found out about its form.

    `header` is False where the first row is a record: its columns are numbered then.
    """
    form = csv_form(source)
    if form is None:
        return source
    names = source.names
    if header is False and names is None:
        names = tuple(f"column_{number}" for number in range(1, form.width + 1))
    delimiter = source.delimiter or (form.delimiter if form.delimiter != "," else None)
    return replace(source, names=names, delimiter=delimiter)


def refuse_record(table: Table, looks: Sequence[Look]) -> None:
    """Stop where the names read like cells; the message holds none of them."""
    seen = looks[:_MOST]
    alike = {*_values_themselves(table), *_of_their_kind(seen)} - _in_series(table.names)
    if _SUSPECT * len(alike) < len(seen):
        return
    raise HeaderError(
        f"the first row does not read like names of columns: {len(alike)} of {len(seen)} "
        f"cells look like the cells below them. If it is a record, give names, or have the columns "
        f"numbered; if it does hold the names, say so (init: --names, --no-header, --header)"
    )


def _values_themselves(table: Table) -> list[str]:
    """Names that stand as a value in their own column."""
    # a name is read without the blanks around it, a cell with them
    asked = {name: ValueIn(name, frozenset({name, f" {name}"})) for name in table.names[:_MOST]}
    counted = table.histogram([], predicates=asked)
    return [name for name in asked if counted[f"count:{name}"][0].as_py()]


def _of_their_kind(looks: Sequence[Look]) -> list[str]:
    """Names that are a number or a date, as the values are."""
    return [look.profile.name for look in looks if _is_dated(look) or _is_number(look)]


def _in_series(names: Sequence[str]) -> set[str]:
    """Columns for years, or simply counted, are named by numbers that follow each other."""
    numbers = [(name, parse_number(name, decimal_comma=False)) for name in names]
    return {
        name
        for (first, one), (second, other) in pairwise(numbers)
        if one is not None and other is not None and abs(other - one) == 1
        for name in (first, second)
    }


def _is_dated(look: Look) -> bool:
    return look.format is not None and is_date(look.profile.name, look.format)


def _is_number(look: Look) -> bool:
    if look.kind not in ("whole", "number", "code"):
        return False
    return parse_number(look.profile.name, decimal_comma=look.decimal_comma) is not None
