"""What a builder knows, and how it becomes a Granulation whose blocks lie side by side.

The engine packs leaf numbers into sort keys, so that a roll-up is a linear merge only when
the leaves of every block are neighbours. The order of the leaves is therefore part of the
result and is settled here, once, for all builders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paretonym.model.granulation import STAR, Granulation, Partition, partition_from_labels

RAW = "value"  # name of the level that keeps every value apart

Label = str | None
SortKey = Any  # Decimal, date, int or text: comparable within one column


@dataclass(frozen=True, slots=True)
class Level:
    """One level above the raw values; `labels` runs parallel to the draft's leaves."""

    name: str
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A builder's answer: leaves in any order and their labels at each level above the raw one.

    `keys` orders the leaves where their kind has an order (numbers, dates, a stated list);
    without it, labels are ordered as text. `missing_added` tells that the missing value is a leaf
    because it occurs, and not because the builder placed it.
    """

    leaves: tuple[str | None, ...]
    levels: tuple[Level, ...]
    keys: Mapping[str, SortKey] | None = None
    declared: bool = False
    open_top: bool = False
    missing_added: bool = False


def distinct_values(observed: Sequence[str | None]) -> list[str]:
    """The observed values once each, without the missing one, in an order of their own."""
    return sorted({value for value in observed if value is not None})


def is_top(level: Level) -> bool:
    """All leaves of this level share the block that stands for the whole domain."""
    return bool(level.labels) and set(level.labels) == {STAR}


def with_missing(draft: Draft) -> Draft:
    """Add the missing value as a leaf: apart at every level, part of a closing `*`.

    A last level with one block of another name, such as [0, 100), is no place for it: that
    label would be a false statement about the missing value.
    """
    if None in draft.leaves:
        return draft
    last = len(draft.levels) - 1
    levels = tuple(
        Level(level.name, (*level.labels, STAR if i == last and is_top(level) else None))
        for i, level in enumerate(draft.levels)
    )
    return replace(draft, leaves=(*draft.leaves, None), levels=levels, missing_added=True)


def with_top(draft: Draft) -> Draft:
    """Close the hierarchy with one block for everything, unless it ends in one or stays open.

    Over observed values only `*` counts: that they happen to share an interval must not change
    the number of levels from one file to the next.
    """
    last = set(draft.levels[-1].labels) if draft.levels else set()
    closed = len(last) == 1 and None not in last if draft.declared else last == {STAR}
    if draft.open_top or closed:
        return draft
    top = Level(STAR, (STAR,) * len(draft.leaves))
    return replace(draft, levels=(*draft.levels, top))


def block_keys(draft: Draft, level: Level) -> dict[Label, SortKey]:
    """A sort key per block: that of its smallest leaf, or its label as text; missing last."""
    if draft.keys is None:
        return {label: (label is None, label or "") for label in level.labels}
    smallest: dict[Label, SortKey] = {}
    for leaf, label in zip(draft.leaves, level.labels, strict=True):
        key = leaf_key(draft, leaf)
        if label not in smallest or key < smallest[label]:
            smallest[label] = key
    return smallest


def leaf_key(draft: Draft, leaf: str | None) -> SortKey:
    """Missing last, then the value's own order, then its text ("39" and "039" are equal numbers).

    The missing value and unordered values never reach the middle part together with ordered
    ones, so the parts compared are always of one kind.
    """
    if leaf is None:
        return (True,)
    return (False, leaf) if draft.keys is None else (False, draft.keys[leaf], leaf)


def order_of_leaves(draft: Draft, chain: Sequence[Level]) -> list[int]:
    """Positions of the leaves such that the blocks of every level of `chain` are contiguous.

    Sorting by the blocks from the coarsest level down to the leaf itself does it, because
    each level of the chain nests in the next.
    """
    keys = [block_keys(draft, level) for level in reversed(chain)]
    columns = [level.labels for level in reversed(chain)]

    def key(position: int) -> SortKey:
        path = [of_block[labels[position]] for of_block, labels in zip(keys, columns, strict=True)]
        return (*path, leaf_key(draft, draft.leaves[position]))

    return sorted(range(len(draft.leaves)), key=key)


def assemble(column: str, draft: Draft, chain: Sequence[Level] | None = None) -> Granulation:
    """Order the leaves along `chain` (all levels unless given) and number the blocks."""
    order = order_of_leaves(draft, draft.levels if chain is None else chain)
    leaves = tuple(draft.leaves[i] for i in order)
    partitions: list[Partition] = [partition_from_labels(RAW, leaves)]
    for level in draft.levels:
        partitions.append(partition_from_labels(level.name, [level.labels[i] for i in order]))
    return Granulation(
        column=column,
        leaves=leaves,
        partitions=tuple(partitions),
        declared=draft.declared,
        open_top=draft.open_top,
        missing_added=draft.missing_added,
    )


def broken_nesting(finer: Sequence[Label], coarser: Sequence[Label]) -> list[int]:
    """Positions of the leaves that share a finer label with the first of their block but not
    its coarser label; empty when the finer level nests in the coarser one."""
    first: dict[Label, Label] = {}
    return [
        i
        for i, (below, above) in enumerate(zip(finer, coarser, strict=True))
        if first.setdefault(below, above) != above
    ]


def repeated(values: Sequence[str]) -> int:
    """How many distinct values stand more than once."""
    return sum(1 for count in Counter(values).values() if count > 1)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
