"""The classes of one node as plain arrays: what a measure's definition is written against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from paretonym.encode.histogram import CountColumn, Histogram, count_column
from paretonym.lattice.lattice import strides_of
from paretonym.model.arrays import Flags, Ints
from paretonym.model.granulation import Granulation

_WIDEST = 2**63  # a key of all blocks fits a 64-bit integer below this


def classes_of(blocks: Ints, widths: Sequence[int], *, widest: int = _WIDEST) -> tuple[Ints, Ints]:
    """The classes of equal rows in the order of their blocks: a first row of each, each row's own.

    One key for all attributes where it fits, else one attribute after the other.
    """
    if math.prod(widths) <= widest:
        key = blocks @ np.array(strides_of(widths), np.int64)
        _, first, class_of = np.unique(key, return_index=True, return_inverse=True)
        return first, class_of
    class_of = np.zeros(len(blocks), np.int64)
    for j, width in enumerate(widths):  # renumbered each time: keys stay narrow
        _, class_of = np.unique(class_of * width + blocks[:, j], return_inverse=True)
    _, first = np.unique(class_of, return_index=True)
    return first, class_of


class ClassTable:
    """Equivalence classes of a node: sizes, counts per value, cost of a row."""

    def __init__(
        self, histogram: Histogram, granulations: Sequence[Granulation], node: Sequence[int]
    ) -> None:
        self._histogram = histogram
        self.node = tuple(node)
        self._partitions = [
            g.partitions[level] for g, level in zip(granulations, node, strict=True)
        ]
        blocks = np.stack(
            [p.block_of[histogram.codes[:, j]] for j, p in enumerate(self._partitions)], axis=1
        )
        widths = [partition.blocks for partition in self._partitions]
        first, self.class_of = classes_of(blocks, widths)
        self.blocks: Ints = blocks[first]
        self._counts: dict[str, CountColumn] = {}

    @cached_property
    def size(self) -> Ints:
        """Rows of each class."""
        return np.bincount(self.class_of, weights=self._histogram.sizes).astype(np.int64)

    def __len__(self) -> int:
        return len(self.blocks)

    def count_lists(self, column: str) -> CountColumn:
        """Counts per value of a column in each class, as sorted sparse rows."""
        if column not in self._counts:
            raw = self._histogram.counts[column]
            classes = self.class_of[raw.combination]
            self._counts[column] = count_column(raw.values, classes, raw.code, raw.count, len(self))
        return self._counts[column]

    def counts(self, column: str) -> Ints:
        """The same as a full table: one row a class, one column a value."""
        raw = self._histogram.counts[column]
        width = len(raw.values)
        cell = self.class_of[raw.combination] * width + raw.code
        full = np.bincount(cell, weights=raw.count, minlength=len(self) * width)
        return full.astype(np.int64).reshape(len(self), width)

    def predicate(self, name: str) -> Ints:
        """Rows of each class that fulfil a condition which the histogram counted."""
        counted = self._histogram.predicates[name]
        return np.bincount(self.class_of, weights=counted, minlength=len(self)).astype(np.int64)

    def leaves(self, position: int) -> Ints:
        """Leaves under the generalised value of the quasi-identifier at this position."""
        partition = self._partitions[position]
        return partition.leaves_per_block[self.blocks[:, position]]

    def distinct(self, column: str) -> Ints:
        """Different values of a column in each class."""
        return np.diff(self.count_lists(column).offset)

    def sum_squares(self, column: str) -> Ints:
        """Σ count² over the values of a column in each class."""
        lists = self.count_lists(column)
        return np.add.reduceat(lists.count * lists.count, lists.offset[:-1])

    def majority(self, column: str) -> Ints:
        """Rows of each class that have its most frequent value of a column."""
        lists = self.count_lists(column)
        return np.maximum.reduceat(lists.count, lists.offset[:-1])

    def property_vector(self, kept: Flags, per_class: Ints) -> Ints:
        """One entry a row of the table: its class's number, 0 when suppressed (Dewri et al. 2010,
        def. 1).
        """
        return np.repeat(self.own_number(kept, per_class), self._histogram.sizes)

    def own_number(self, kept: Flags, per_class: Ints) -> Ints:
        """The same with one entry a combination of the histogram."""
        return np.where(kept, per_class, 0)[self.class_of]

    def same_value(self, kept: Flags, column: str) -> Ints:
        """Rows of the class with the same value, for each pair that the histogram counts."""
        raw = self._histogram.counts[column]
        class_of, lists = self.class_of[raw.combination], self.count_lists(column)
        pairs = lists.combination * len(lists.values) + lists.code
        place = np.searchsorted(pairs, class_of * len(lists.values) + raw.code)
        return np.where(kept[class_of], lists.count[place], 0)
