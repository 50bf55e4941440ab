"""The classes of one node as plain arrays: what a measure's definition is written against."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from paretonym.encode.histogram import CountColumn, Histogram, count_column
from paretonym.model.granulation import Granulation, Ints


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
        group = np.zeros(histogram.combinations, np.int64)
        for j, partition in enumerate(self._partitions):  # renumbered each time: keys stay narrow
            _, group = np.unique(group * partition.blocks + blocks[:, j], return_inverse=True)
        self.group = group
        _, first = np.unique(group, return_index=True)
        self.blocks: Ints = blocks[first]
        self._counts: dict[str, CountColumn] = {}

    @cached_property
    def size(self) -> Ints:
        """Rows of each class."""
        return np.bincount(self.group, weights=self._histogram.sizes).astype(np.int64)

    def __len__(self) -> int:
        return len(self.blocks)

    def count_lists(self, column: str) -> CountColumn:
        """Counts per value of a column in each class, as sorted sparse rows."""
        if column not in self._counts:
            raw = self._histogram.counts[column]
            combination = np.repeat(self.group, np.diff(raw.offset))
            self._counts[column] = count_column(
                raw.values, combination, raw.code, raw.count, len(self)
            )
        return self._counts[column]

    def counts(self, column: str) -> Ints:
        """The same as a full table: one row a class, one column a value."""
        lists = self.count_lists(column)
        full = np.zeros((len(self), len(lists.values)), np.int64)
        full[np.repeat(np.arange(len(self)), np.diff(lists.offset)), lists.code] = lists.count
        return full

    def predicate(self, name: str) -> Ints:
        """Rows of each class that fulfil a condition which the histogram counted."""
        counted = self._histogram.predicates[name]
        return np.bincount(self.group, weights=counted, minlength=len(self)).astype(np.int64)

    def leaves(self, position: int) -> Ints:
        """Leaves under the generalised value of the quasi-identifier at this position."""
        partition = self._partitions[position]
        return partition.leaves_per_block[self.blocks[:, position]]

    def distinct(self, column: str) -> Ints:
        return np.diff(self.count_lists(column).offset)

    def sum_squares(self, column: str) -> Ints:
        lists = self.count_lists(column)
        return np.add.reduceat(lists.count * lists.count, lists.offset[:-1])

    def majority(self, column: str) -> Ints:
        lists = self.count_lists(column)
        return np.maximum.reduceat(lists.count, lists.offset[:-1])

    def property_vector(self, kept: npt.NDArray[np.bool_], per_class: Ints) -> Ints:
        """One entry a row of the table: its class's number, 0 when suppressed (000, def. 1)."""
        per_combination = np.where(kept[self.group], per_class[self.group], 0)
        return np.repeat(per_combination, self._histogram.sizes)
