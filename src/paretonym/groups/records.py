"""Records of a file as distinct combinations of some columns, each with its counts.

Everything about groups works on these, never on rows: a value is looked at once, a combination
once, however many people share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from paretonym.model.arrays import AnyInts, Codes, Floats, Ints

SEEN, MEMBERS = "seen", "members"  # names of the two conditions in a table's histogram
_ROOM = 2**62  # packed codes stay below


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """Which of its values each combination has; values ascend, missing (None) first."""

    values: tuple[str | None, ...]
    codes: Codes

    @staticmethod
    def of(values: Sequence[str | None], codes: AnyInts) -> Column:
        """Values in any order, also repeated or unused ones."""
        used = ordered(values[code] for code in np.unique(codes))
        place = {value: code for code, value in enumerate(used)}
        images = np.array([place.get(value, -1) for value in values], np.int32)
        return Column(used, images[codes] if len(codes) else codes.astype(np.int32))

    def at(self, rows: AnyInts) -> Column:
        return Column.of(self.values, self.codes[rows])


def ordered(values: Iterable[str | None]) -> tuple[str | None, ...]:
    """Each once, missing first."""
    return tuple(sorted(set(values), key=lambda value: (value is not None, value or "")))


@dataclass(frozen=True, eq=False, slots=True)
class Records:
    """Combinations, how many records have each, and how many of those are in the group."""

    columns: Mapping[str, Column]
    records: Ints
    members: Ints
    weights: Floats  # sums of survey weights; the counts again where there are none
    member_weights: Floats
    weighted: bool = False

    @property
    def total(self) -> int:
        return int(self.records.sum())

    @property
    def total_members(self) -> int:
        return int(self.members.sum())

    def at(self, rows: AnyInts) -> Records:
        """Some of the combinations."""
        return Records(
            {name: column.at(rows) for name, column in self.columns.items()},
            self.records[rows], self.members[rows], self.weights[rows],
            self.member_weights[rows], self.weighted,
        )  # fmt: skip

    def collapsed(self, columns: Mapping[str, Column]) -> Records:
        """The same records by other columns: equal combinations become one, in order."""
        first, inverse = distinct(list(columns.values()), len(self.records))
        size = len(first)
        return Records(
            {name: Column(column.values, column.codes[first]) for name, column in columns.items()},
            sums(inverse, self.records, size).astype(np.int64),
            sums(inverse, self.members, size).astype(np.int64),
            sums(inverse, self.weights, size),
            sums(inverse, self.member_weights, size),
            self.weighted,
        )


def sums(place: Ints | Codes, counts: Ints | Floats, size: int) -> Floats:
    """What falls on each of so many places."""
    return np.asarray(np.bincount(place, weights=counts, minlength=size), np.float64)


def records_of(histogram: pa.Table, keys: Sequence[str]) -> Records:
    """From a table's histogram that counts who is looked at and who of these is a member."""
    seen = histogram[f"count:{SEEN}"].to_numpy()
    members = histogram[f"count:{MEMBERS}"].to_numpy()
    weighted = "weight" in histogram.column_names
    rows = np.flatnonzero(seen)
    found = Records(
        {key: key_column(histogram[f"key:{key}"]) for key in keys},
        seen,
        members,
        histogram[f"weight:{SEEN}"].to_numpy() if weighted else seen.astype(np.float64),
        histogram[f"weight:{MEMBERS}"].to_numpy() if weighted else members.astype(np.float64),
        weighted,
    )
    return found.at(rows)


def joined(parts: Sequence[Records]) -> Records:
    """Several files as one."""
    if len(parts) == 1:
        return parts[0]
    columns = {name: chained([part.columns[name] for part in parts]) for name in parts[0].columns}
    whole = Records(
        columns,
        np.concatenate([part.records for part in parts]),
        np.concatenate([part.members for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.member_weights for part in parts]),
        parts[0].weighted,
    )
    return whole.collapsed(columns)


def chained(columns: Sequence[Column]) -> Column:
    """Several files' columns as one."""
    values = [value for column in columns for value in column.values]
    starts = np.cumsum([0, *(len(column.values) for column in columns)])
    codes = [column.codes + start for column, start in zip(columns, starts, strict=False)]
    return Column.of(values, np.concatenate(codes))


def key_column(array: pa.ChunkedArray) -> Column:
    """A key of a table's histogram or of its records."""
    encoded = array.combine_chunks()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Column.of([*encoded.dictionary.to_pylist(), None], codes)  # -1 is the last: missing


def distinct(columns: Iterable[Column], rows: int) -> tuple[Ints, Ints]:
    """The first place of each combination, and the combination of each place."""
    packed, size = np.zeros(rows, np.int64), 1
    for column in columns:
        base = max(len(column.values), 1)
        if size * base >= _ROOM:
            known, packed = np.unique(packed, return_inverse=True)
            size = len(known)
        packed = packed * base + column.codes
        size *= base
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    return first, inverse
