"""Microaggregation (attribute-oriented granulation, section 3.1): a block shown by a statistic.

The statistic of a block is taken from the raw values of the released rows that fall into it,
whatever their other columns hold. Nothing here is rounded but the mean, once, at the very end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import accumulate
from typing import Any

import numpy as np

from paretonym.encode.hierarchies.dates import check_format
from paretonym.encode.hierarchies.draft import plural
from paretonym.encode.hierarchies.intervals import EXACT, plain
from paretonym.errors import HierarchyError
from paretonym.model.arrays import Ints
from paretonym.model.granulation import Granulation
from paretonym.model.hierarchy import Dates
from paretonym.model.numbers import DIGITS, parse_number
from paretonym.model.steps import UNLISTED, Recode
from paretonym.model.writing import ValueOrder, WriteAs, WrittenStatistics

MORE_DECIMALS = 2  # of a mean, beyond those of the values it is taken from

Key = Any  # Decimal, datetime, int or text: comparable within one column


def with_statistics(
    recode: Recode,
    granulation: Granulation,
    counts: Ints,
    *,
    way: WriteAs,
    order: ValueOrder,
    missing: Collection[str],
) -> Recode:
    """The recoding with a statistic in the place of each label; `counts` are rows by leaf.

    A block without a released row has no statistic: it gets a text that is never written, so
    that what is suppressed leaves no trace.
    """
    partition = granulation.partitions[recode.level]
    texts = block_texts(granulation, recode.level, counts, way=way, order=order)
    check_apart(recode, way, list(texts.values()), missing)
    blocks = list(_blocks(granulation, recode.level))
    names = partition.labels
    return replace(
        recode,
        labels={leaf: texts.get(block, UNLISTED) for leaf, block in blocks},
        leaves={text: int(partition.leaves_per_block[block]) for block, text in texts.items()},
        rule=None,  # a value that did not occur was part of no statistic
        written=WrittenStatistics(
            way,
            order,
            {names[block]: text for block, text in texts.items()},
            hidden={leaf: names[block] for leaf, block in blocks if block not in texts},
        ),
    )


def block_texts(
    granulation: Granulation, level: int, counts: Ints, *, way: WriteAs, order: ValueOrder
) -> dict[int, str | None]:
    """The statistic of every block with rows, None where it is the missing value."""
    rows = dict(zip(granulation.leaves, counts.tolist(), strict=True))
    members: dict[int, list[str | None]] = {}
    for leaf, block in _blocks(granulation, level):
        if rows[leaf]:
            members.setdefault(block, []).append(leaf)
    values = [leaf for leaf, number in rows.items() if number and leaf is not None]
    keys = sort_keys(order, granulation.column, values)
    writer = _Writer(order, keys, rows, _decimals(keys) if order.kind == "number" else 0)
    return {block: writer.text(way, members[block]) for block in sorted(members)}


def _blocks(granulation: Granulation, level: int) -> Iterator[tuple[str | None, int]]:
    return zip(granulation.leaves, granulation.partitions[level].block_of.tolist(), strict=True)


def check_apart(
    recode: Recode, way: WriteAs, texts: Sequence[str | None], missing: Collection[str]
) -> None:
    """Blocks that show the same text would be one class to every reader of the file."""
    where = f"column '{recode.column}': at level {recode.level} ('{recode.partition}')"
    remedy = "choose another write: for this column (label always tells blocks apart)"
    same = len(texts) - len(set(texts))
    if same:
        raise HierarchyError(
            f"{where} {plural(len(texts), 'block')} would be written as {len(set(texts))} "
            f"different texts, because {way}s come out the same; {remedy}"
        )
    taken = {*missing, UNLISTED}
    hidden = sum(1 for text in texts if text in taken)
    if hidden:
        raise HierarchyError(
            f"{where} the {way} of {plural(hidden, 'block')} is a text with a meaning of its own, "
            f"such as one declared under missing:; {remedy}"
        )


def sort_keys(order: ValueOrder, column: str, values: Sequence[str]) -> dict[str, Key]:
    """What each value is compared by; fails when the column's order cannot place one of them."""
    keys: dict[str, Key] = {}
    if order.kind == "date":
        check_format(Dates(order.format, ("year",)), column)
    places = {value: place for place, value in enumerate(order.listed)}
    for value in values:
        key = _key(order, value, places)
        if key is not None:
            keys[value] = key
    refused = len(values) - len(keys)
    if refused:
        raise HierarchyError(
            f"column '{column}': {plural(refused, 'value')} of {len(values)} cannot be read as "
            f"{_KINDS[order.kind]}; declare such texts under missing:, or choose write: label"
        )
    return keys


_KINDS = {
    "number": f"a number of at most {DIGITS} digits (see type: and decimal_comma:)",
    "date": "a date of the column's format",
    "listed": "one of the values of the column's order",
}


def _key(order: ValueOrder, value: str, places: Mapping[str, int]) -> Key | None:
    match order.kind:
        case "number":
            return parse_number(value, decimal_comma=order.decimal_comma)
        case "date":
            try:
                return datetime.strptime(value, order.format)
            except (ValueError, OverflowError):
                return None
        case "listed":
            return places.get(value)
        case "text":
            return value


@dataclass(frozen=True, slots=True)
class _Writer:
    """Turns the released values of a block into one text."""

    order: ValueOrder
    keys: Mapping[str, Key]
    rows: Mapping[str | None, int]
    decimals: int  # of the column's released numbers

    def text(self, way: WriteAs, block: Sequence[str | None]) -> str | None:
        # equal keys of different spelling ("39" and "039") are told apart by their texts
        values = sorted((v for v in block if v is not None), key=lambda v: (self.keys[v], v))
        if way == "mode":
            return self._mode(values, missing=self.rows[None] if None in block else 0)
        if not values:
            return None
        return self._mean(values) if way == "mean" else self._median(values)

    def _mode(self, values: Sequence[str], *, missing: int) -> str | None:
        """The most frequent; among equals the first in order, and any value before missing."""
        best = max(values, key=lambda value: self.rows[value], default=None)
        return None if missing > (self.rows[best] if best is not None else 0) else best

    def _median(self, values: Sequence[str]) -> str:
        """The middle row's value; of two, the lower, but of two numbers what lies between."""
        upto = list(accumulate(self.rows[value] for value in values))
        total = upto[-1]
        low = values[int(np.searchsorted(upto, (total + 1) // 2))]
        if self.order.kind != "number":
            return low
        high = values[int(np.searchsorted(upto, total // 2 + 1))]
        middle = EXACT.divide(EXACT.add(self.keys[low], self.keys[high]), Decimal(2))
        return self._number(middle)

    def _mean(self, values: Sequence[str]) -> str:
        """Half to even, two decimals beyond those of the values; whole numbers all the way."""
        decimals = self.decimals + MORE_DECIMALS
        total = sum(
            int(EXACT.scaleb(self.keys[value], decimals)) * self.rows[value] for value in values
        )
        rows = sum(self.rows[value] for value in values)
        rounded, rest = divmod(total, rows)
        rounded += 2 * rest > rows or (2 * rest == rows and rounded % 2 == 1)
        return self._number(EXACT.scaleb(Decimal(rounded), -decimals))

    def _number(self, number: Decimal) -> str:
        text = plain(number)
        return text.replace(".", ",") if self.order.decimal_comma else text


def _decimals(numbers: Mapping[str, Decimal]) -> int:
    """The most decimals of any number; trailing zeros are spelling and do not count."""
    return max((len(plain(n).partition(".")[2]) for n in numbers.values()), default=0)
