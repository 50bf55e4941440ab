"""Partitions of a column's domain and the families of them that a search may choose from.

A hierarchy is a chain of partitions; a family (attribute-oriented granulation) is a poset.
Both are one type here. A level is an index in the family: 0 is the finest partition, in
which every value stands alone, and the last is the coarsest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paretonym.errors import HierarchyError
from paretonym.model.arrays import Flags, Ints

STAR = "*"  # label of a block that holds the whole domain
UNNAMED = "level"  # followed by its number: a level of a hierarchy that names none


@dataclass(frozen=True, eq=False)
class Partition:
    """One way to group the leaves: `block_of[leaf]` and a label for each block.

    A label of None is the block of missing values alone; it is written as an empty cell.
    """

    name: str
    block_of: Ints
    labels: tuple[str | None, ...]

    @property
    def blocks(self) -> int:
        return len(self.labels)

    @cached_property
    def leaves_per_block(self) -> Ints:
        return np.bincount(self.block_of, minlength=self.blocks).astype(np.int64)

    def refines(self, other: Partition) -> bool:
        """Every block of this partition lies inside one block of the other."""
        images = np.full(self.blocks, -1, dtype=np.int64)
        images[self.block_of] = other.block_of
        return bool(np.array_equal(images[self.block_of], other.block_of))

    def map_to(self, coarser: Partition) -> Ints:
        """The block of `coarser` that holds each block of this partition."""
        images = np.zeros(self.blocks, dtype=np.int64)
        images[self.block_of] = coarser.block_of
        return images


def level_name(granulation: Granulation, level: int) -> str:
    """How a release tells of a level: `*` where nothing is told apart, its name, or its number."""
    partition, top = granulation.partitions[level], granulation.levels - 1
    if level and partition.labels == (STAR,):
        return STAR
    number = f"{UNNAMED} {level}"
    # a job may call a partition `*` that tells values apart
    return f"{number} of {top}" if partition.name in (number, STAR) else partition.name


def partition_from_labels(name: str, labels: Sequence[str | None]) -> Partition:
    """Leaves with equal labels share a block; blocks are numbered by first appearance."""
    numbers: dict[str | None, int] = {}
    block_of = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)
    return Partition(name, block_of, tuple(numbers))


@dataclass(frozen=True, eq=False)
class Granulation:
    """A column's family of partitions over its leaves (None is the missing value).

    `declared` is True when the domain was stated (a hierarchy file) rather than observed. A missing
    value that the statement leaves out is a leaf where it occurs: then `missing_added` is True.
    """

    column: str
    leaves: tuple[str | None, ...]
    partitions: tuple[Partition, ...]
    declared: bool = False
    open_top: bool = False
    missing_added: bool = False

    def __post_init__(self) -> None:
        if not self.partitions:
            raise HierarchyError(f"column '{self.column}': a hierarchy needs at least one level")
        finest, coarsest = self.partitions[0], self.partitions[-1]
        if len(set(self.leaves)) < len(self.leaves):
            raise HierarchyError(f"column '{self.column}': a value stands twice in the hierarchy")
        if finest.blocks != len(self.leaves):
            raise HierarchyError(
                f"column '{self.column}': level 0 must keep every value apart; it has "
                f"{finest.blocks} blocks for {len(self.leaves)} values"
            )
        # all lengths and labels before any comparison, which needs both sides to be sound
        for level, partition in enumerate(self.partitions):
            self._check_partition(level, partition)
        for level, partition in enumerate(self.partitions):
            if not partition.refines(coarsest):
                raise HierarchyError(
                    f"column '{self.column}': level {level} ('{partition.name}') does not nest "
                    f"in the coarsest level"
                )
        if coarsest.blocks > 1 and not self.open_top:
            raise HierarchyError(
                f"column '{self.column}': the top level has {coarsest.blocks} blocks, not one; "
                f"add a last level '*' or declare open_top: true"
            )

    def _check_partition(self, level: int, partition: Partition) -> None:
        """Every leaf lies in one block, and what is shown tells the blocks apart."""
        where = f"column '{self.column}': level {level}"
        if len(partition.block_of) != len(self.leaves):
            raise HierarchyError(
                f"{where} covers {len(partition.block_of)} of {len(self.leaves)} values"
            )
        if not np.array_equal(np.unique(partition.block_of), np.arange(partition.blocks)):
            raise HierarchyError(f"{where} has a block without values or a value without a block")
        if len(set(partition.labels)) < partition.blocks:
            raise HierarchyError(f"{where} gives two blocks the same label; label each its own")
        if None in partition.labels:
            unlabelled = np.flatnonzero(partition.block_of == partition.labels.index(None))
            if any(self.leaves[int(leaf)] is not None for leaf in unlabelled):
                raise HierarchyError(
                    f"{where} leaves {len(unlabelled)} values without a label; only the missing "
                    f"value may go without"
                )

    @property
    def levels(self) -> int:
        return len(self.partitions)

    def declares(self, leaf: str | None) -> bool:
        """The leaf is part of the stated domain, whether a row holds it or not."""
        return self.declared and not (leaf is None and self.missing_added)

    @cached_property
    def leaf_index(self) -> dict[str | None, int]:
        return {leaf: index for index, leaf in enumerate(self.leaves)}

    @cached_property
    def is_chain(self) -> bool:
        """Each level nests in the next one."""
        pairs = zip(self.partitions, self.partitions[1:], strict=False)
        return all(finer.refines(coarser) for finer, coarser in pairs)

    @cached_property
    def finer(self) -> Flags:
        """`finer[i, j]`: level i lies strictly below level j (equal partitions by index)."""
        count = self.levels
        below = np.zeros((count, count), dtype=np.bool_)
        for i, a in enumerate(self.partitions):
            for j, b in enumerate(self.partitions):
                if i != j and a.refines(b):
                    below[i, j] = i < j or not b.refines(a)
        return below

    @cached_property
    def covers(self) -> tuple[tuple[int, ...], ...]:
        """For each level, the levels directly above it (its upper covers)."""
        below = self.finer
        between = (below.astype(np.int64) @ below.astype(np.int64)) > 0
        direct = below & ~between
        return tuple(tuple(int(j) for j in np.flatnonzero(row)) for row in direct)

    @cached_property
    def up_sets(self) -> tuple[Ints, ...]:
        """For each level, itself and the levels above it."""
        above = self.finer | np.eye(self.levels, dtype=np.bool_)
        return tuple(np.flatnonzero(row) for row in above)

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """For each level, the length of the longest chain of levels below it."""
        below = self.finer
        heights = [0] * self.levels
        for level in np.argsort(below.sum(axis=0), kind="stable"):  # finer levels come first
            heights[level] = max(
                (heights[i] + 1 for i in np.flatnonzero(below[:, level])), default=0
            )
        return tuple(heights)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """A spanning tree rooted at level 0: the level each one is rolled up from.

        The coarsest of the finer levels is taken, because its class tables are smallest.
        """
        below = self.finer
        tree = [-1]
        for level in range(1, self.levels):
            finer = [int(i) for i in np.flatnonzero(below[:, level])]
            tree.append(min(finer, key=lambda i: (self.partitions[i].blocks, -i)))
        return tuple(tree)

    @cached_property
    def digest(self) -> str:
        """A hash of exactly what is applied: leaves, blocks and labels of every level."""
        sha = hashlib.sha256()
        sha.update(repr((self.column, self.leaves)).encode())
        for partition in self.partitions:
            shown = tuple(partition.labels[block] for block in partition.block_of)
            sha.update(repr((partition.name, shown)).encode())
        return sha.hexdigest()
