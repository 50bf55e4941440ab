"""What the checker counts in a file: the rows of every class, and of every value in it.

Counts of two batches of rows add up to the counts of both, so that a file can be counted a batch
at a time. A class is named by its values, which mean the same in every batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from paretonym.model.arrays import Ints
from paretonym.publishing.codes import Coded, added, row_ids


@dataclass(frozen=True, eq=False, slots=True)
class ValueCounts:
    """Rows of each value of one column in each class; values that a class lacks are not listed."""

    values: Any  # pyarrow.Array without repetition
    owner: Ints  # the class, in ascending order
    code: Ints  # the place of the value
    rows: Ints  # at least 1

    @property
    def starts(self) -> Ints:
        """Where the values of each class begin; no class is without a value."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))


@dataclass(frozen=True, eq=False, slots=True)
class ClassCounts:
    """The classes of some rows, in no order that means anything."""

    rows: Ints  # of each class, at least 1
    quasi: Mapping[str, Coded]  # the value of each class in each quasi-identifier
    counted: Mapping[str, ValueCounts]

    @classmethod
    def of(cls, quasi: Mapping[str, Coded], counted: Mapping[str, Coded], rows: int) -> ClassCounts:
        """Count the rows of one batch; without quasi-identifiers they are one class."""
        ones = np.ones(rows, np.int64)
        classes, number = row_ids([(c.codes, c.size) for c in quasi.values()], rows)
        return cls(
            added(classes, ones, number),
            _of_classes(quasi, classes, number),
            {n: _counted(c.values, classes, c.codes, ones) for n, c in counted.items()},
        )

    def merge(self, other: ClassCounts) -> ClassCounts:
        """The counts of both batches together."""
        keys = {n: _stacked(mine, other.quasi[n]) for n, mine in self.quasi.items()}
        rows = np.concatenate([self.rows, other.rows])
        classes, number = row_ids([(c.codes, c.size) for c in keys.values()], len(rows))
        first = len(self.rows)
        counted = {
            name: _merged(mine, other.counted[name], classes[:first], classes[first:])
            for name, mine in self.counted.items()
        }
        return ClassCounts(
            added(classes, rows, number), _of_classes(keys, classes, number), counted
        )

    @property
    def total(self) -> int:
        return int(self.rows.sum())

    def rows_of_values(self, name: str) -> Ints:
        """Rows of each value of a quasi-identifier."""
        column = self.quasi[name]
        return added(column.codes, self.rows, column.size)


def _of_classes(keys: Mapping[str, Coded], classes: Ints, number: int) -> dict[str, Coded]:
    member = np.zeros(number, np.int64)
    member[classes] = np.arange(len(classes))
    return {name: Coded(c.codes[member], c.values, c.type) for name, c in keys.items()}


def _counted(values: Any, owner: Ints, code: Ints, rows: Ints) -> ValueCounts:
    size = max(len(values), 1)
    pairs, place = np.unique(owner * size + code, return_inverse=True)
    return ValueCounts(
        values, pairs // size, pairs % size, added(place.reshape(-1), rows, len(pairs))
    )


def _merged(mine: ValueCounts, others: ValueCounts, first: Ints, second: Ints) -> ValueCounts:
    """`first` and `second` number the classes of each side among those of both."""
    both = _stacked(Coded(mine.code, mine.values, None), Coded(others.code, others.values, None))
    owner = np.concatenate([first[mine.owner], second[others.owner]])
    return _counted(both.values, owner, both.codes, np.concatenate([mine.rows, others.rows]))


def _stacked(mine: Coded, others: Coded) -> Coded:
    """One column below the other, over one list of values."""
    together = pa.concat_arrays([mine.values, others.values])
    unified = together.dictionary_encode(null_encoding="encode")
    place = unified.indices.to_numpy().astype(np.int64)
    codes = np.concatenate([place[mine.codes], place[mine.size :][others.codes]])
    return Coded(codes, unified.dictionary, mine.type)
