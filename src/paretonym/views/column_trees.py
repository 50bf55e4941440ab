"""A column's hierarchy as a tree for a page, from the coarsest level down to the values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from paretonym.model.arrays import Ints
from paretonym.model.granulation import Granulation, Partition

MOST_CHILDREN = 60  # of one block; the page says how many more there are
MOST_BLOCKS = 5_000  # of a whole tree, so that a page can draw it
MOST_LISTED = 5_000  # values


@dataclass(frozen=True, slots=True)
class LevelView:
    name: str
    blocks: int


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block and what it is made of; `more` of its children are not listed."""

    label: str | None  # None: missing
    rows: int
    leaves: int
    children: tuple[BlockView, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class ValueView:
    value: str | None
    rows: int


@dataclass(frozen=True, slots=True)
class TreeView:
    """`levels` are those of the tree, the coarsest first: one for each depth."""

    column: str
    rows: int
    levels: tuple[LevelView, ...]
    root: tuple[BlockView, ...]
    values: tuple[ValueView, ...]
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def level_views(granulation: Granulation) -> tuple[LevelView, ...]:
    """Every level, the finest first, as levels are numbered."""
    return tuple(LevelView(level.name, level.blocks) for level in granulation.partitions)


def tree_view(
    granulation: Granulation, counts: Mapping[str | None, int], *, ordered: bool = False
) -> TreeView:
    """The tree of a hierarchy; `counts` are the rows of each value.

    Blocks come by their rows, the largest first, or in the order of their values. Levels that
    do not nest in each other make no tree: then it follows `Granulation.parents`.
    """
    path = _path(granulation)
    tree = _Tree(granulation, path, counts, ordered=ordered)
    beside = [
        level.name for number, level in enumerate(granulation.partitions) if number not in path
    ]
    notes = [f"not drawn, because they do not nest: {', '.join(beside)}"] if beside else []
    if tree.more:
        notes.append(f"{tree.more:,} more blocks at the top are not listed")
    values = sorted(counts.items(), key=lambda item: _by_rows(*item))
    if ordered:
        values.sort(key=lambda item: granulation.leaf_index[item[0]])
    return TreeView(
        column=granulation.column,
        rows=sum(counts.values()),
        levels=tuple(LevelView(level.name, level.blocks) for level in tree.levels),
        root=tree.root(),
        **_listed(values, notes),
    )


def values_view(column: str, counts: Mapping[str | None, int]) -> TreeView:
    """A column without a hierarchy."""
    values = sorted(counts.items(), key=lambda item: _by_rows(*item))
    return TreeView(column, sum(counts.values()), (), (), **_listed(values, []))


def _listed(values: list[tuple[str | None, int]], notes: list[str]) -> dict[str, Any]:
    if len(values) > MOST_LISTED:
        notes = [*notes, f"{len(values) - MOST_LISTED:,} more values are not listed"]
    shown = tuple(ValueView(value, rows) for value, rows in values[:MOST_LISTED])
    return {"values": shown, "note": "; ".join(notes) or None}


def _by_rows(value: str | None, rows: int) -> tuple[int, bool, str]:
    return -rows, value is None, value or ""


def _path(granulation: Granulation) -> list[int]:
    """Levels from the coarsest to the finest, each rolled up from the next."""
    path = [granulation.levels - 1]
    while path[-1] > 0:
        path.append(granulation.parents[path[-1]])
    return path


class _Tree:
    """Blocks by depth, cut where a page could not draw them."""

    def __init__(
        self,
        granulation: Granulation,
        path: list[int],
        counts: Mapping[str | None, int],
        *,
        ordered: bool,
    ) -> None:
        self.ordered = ordered
        self.levels = [granulation.partitions[level] for level in path]
        leaf_rows = np.array([counts.get(leaf, 0) for leaf in granulation.leaves], np.int64)
        self.rows = [_rows(level, leaf_rows) for level in self.levels]
        self.top = self._sorted(0, np.arange(self.levels[0].blocks))
        self.more = max(len(self.top) - MOST_CHILDREN, 0)
        self.limits: list[int] = []  # children of one block that are listed, by depth
        self.below = self._below()

    def root(self) -> tuple[BlockView, ...]:
        return tuple(self._block(0, block) for block in self.top[:MOST_CHILDREN])

    def _below(self) -> list[dict[int, list[int]]]:
        """For each depth but the last, all children of the blocks that are listed there.

        Depth by depth, so that what is coarse is listed first.
        """
        found: list[dict[int, list[int]]] = []
        listed = self.top[:MOST_CHILDREN]
        left = MOST_BLOCKS - len(listed)
        for depth, (coarser, finer) in enumerate(zip(self.levels, self.levels[1:], strict=False)):
            inside = finer.map_to(coarser)
            together = np.argsort(inside, kind="stable")
            ends = np.searchsorted(inside[together], np.arange(coarser.blocks + 1))
            children = {
                block: self._sorted(depth + 1, together[ends[block] : ends[block + 1]])
                for block in listed
            }
            found.append(children)
            self.limits.append(min(MOST_CHILDREN, left // max(len(listed), 1)))
            listed = [child for block in listed for child in children[block][: self.limits[-1]]]
            left -= len(listed)
        return found

    def _sorted(self, depth: int, blocks: Ints) -> list[int]:
        """Blocks are numbered in the order of their values."""
        rows = self.rows[depth]
        found = [int(block) for block in blocks]
        return found if self.ordered else sorted(found, key=lambda block: (-rows[block], block))

    def _block(self, depth: int, block: int) -> BlockView:
        level = self.levels[depth]
        children = self.below[depth][block] if depth < len(self.below) else []
        listed = children[: self.limits[depth]] if children else []
        return BlockView(
            label=level.labels[block],
            rows=int(self.rows[depth][block]),
            leaves=int(level.leaves_per_block[block]),
            children=tuple(self._block(depth + 1, child) for child in listed),
            more=len(children) - len(listed),
        )


def _rows(level: Partition, leaf_rows: Ints) -> Ints:
    rows = np.zeros(level.blocks, np.int64)
    np.add.at(rows, level.block_of, leaf_rows)
    return rows
