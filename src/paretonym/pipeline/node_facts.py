"""Counts of one candidate that reports and views share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from paretonym.encode import CountColumn
from paretonym.measures import ClassTable
from paretonym.model.arrays import Array, Ints
from paretonym.model.granulation import Partition
from paretonym.pipeline.open_job import FEW_VALUES, OpenJob

Line = tuple[str | None, int, int]  # a value and two counts of its rows
_RARE = "(rare values, all of their rows left out)"


def losses_of(opened: OpenJob, classes: ClassTable, kept: Array) -> dict[str, float]:
    """Of each quasi-identifier, the share of what it can lose; a row left out loses all."""
    rows = opened.histogram.rows
    gone = rows - int(classes.size[kept].sum())
    losses = {}
    for j, granulation in enumerate(opened.lattice.granulations):
        span = len(granulation.leaves) - 1
        lost = int(((classes.leaves(j) - 1) * classes.size)[kept].sum())
        losses[granulation.column] = (lost + gone * span) / (rows * span or 1)
    return losses


def sizes_of(groups: Ints) -> list[tuple[int, int]]:
    """Each size of a class with the number of classes that have it."""
    sizes, numbers = np.unique(groups, return_counts=True)
    return [(int(size), int(number)) for size, number in zip(sizes, numbers, strict=True)]


def distance(before: Ints, after: Ints) -> float:
    """Total variation distance of two distributions, given as counts of the same values.

    Neither may be empty.
    """
    rows, left = int(before.sum()), int(after.sum())
    apart = int(np.abs(before * left - after * rows).sum())  # whole numbers: no rounding
    return apart / (2 * rows * left)


def released_by_value(opened: OpenJob, gone: Array, column: str) -> Array:
    """Rows of each value of a counted column that are left without the combinations `gone`."""
    return released_of(opened.histogram.counts[column], opened.context.totals[column], gone)


def released_of(raw: CountColumn, totals: Array, gone: Array) -> Array:
    length = raw.offset[gone + 1] - raw.offset[gone]
    first = np.repeat(raw.offset[gone] - (np.cumsum(length) - length), length)
    pairs = first + np.arange(len(first))
    lost = np.bincount(raw.code[pairs], weights=raw.count[pairs], minlength=len(raw.values))
    return np.asarray(totals - lost.astype(np.int64))


def left_out_combinations(classes: ClassTable, kept: Array) -> Array:
    """Places in the histogram of what a candidate does not release."""
    return np.flatnonzero(~kept[classes.class_of])


def numbered(opened: OpenJob, column: str, lines: Sequence[Line], level: int = 0) -> list[Line]:
    """The same without cells of the table, for a file that gets passed around.

    A value of the column has one number, whatever list it stands in; labels of several values stay.
    """
    place = _places(opened, column, level)

    def shown(label: str | None) -> str | None:
        return label if label is None or label not in place else f"value {place[label] + 1}"

    return [(shown(label), first, second) for label, first, second in lines]


def _places(opened: OpenJob, column: str, level: int) -> Mapping[str | None, int]:
    if column in opened.lattice.columns:
        granulation = opened.lattice.granulations[opened.lattice.columns.index(column)]
        return {**_disguised(granulation.partitions[level]), **granulation.leaf_index}
    counts = opened.histogram.counts if column in opened.histogram.counts else opened.passed.counts
    return {value: place for place, value in enumerate(counts[column].values)}


def _disguised(partition: Partition) -> dict[str | None, int]:
    """Labels of one value alone: a mask may leave all of it but its end to be seen."""
    leaves = np.bincount(partition.block_of, minlength=partition.blocks)
    return {
        partition.labels[block]: leaf
        for leaf, block in enumerate(partition.block_of.tolist())
        if leaves[block] == 1
    }


def lost_by_value(
    opened: OpenJob, classes: ClassTable, kept: Array, *, rare: int
) -> dict[str, list[Line]]:
    """Rows lost and rows in all, for every value of the columns with few values.

    A value of fewer than `rare` rows, all of them left out, stays unnamed: it stands nowhere in
    the release, and a report is passed around more easily than a table.
    """
    found = {}
    gone = left_out_combinations(classes, kept)
    for name, column in opened.histogram.counts.items():
        if len(column.values) > FEW_VALUES:
            continue
        released = released_by_value(opened, gone, name)
        totals = opened.context.totals[name]
        hidden = (released == 0) & (totals < rare)
        found[name] = [
            (value, int(total - out), int(total))
            for value, out, total, hide in zip(column.values, released, totals, hidden, strict=True)
            if not hide
        ]
        if hidden.any():
            rows = int(totals[hidden].sum())
            found[name].append((_RARE, rows, rows))
    return found
