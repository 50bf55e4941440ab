"""Distributions of columns before and after rows are left out, value by released value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from paretonym.encode import CountColumn
from paretonym.lattice.lattice import Node
from paretonym.measures import ClassTable
from paretonym.model.arrays import Array
from paretonym.model.schema import Role
from paretonym.pipeline.node_facts import distance, left_out_combinations, numbered, released_of
from paretonym.pipeline.open_job import OpenJob
from paretonym.views.node_shapes import BarView, DistributionView, OthersView

BARS = 30


def distributions_of(
    opened: OpenJob, node: Node, classes: ClassTable, kept: Array, *, rare: int, named: bool
) -> tuple[DistributionView, ...]:
    """Quasi-identifiers at their level, then the other columns as they are.

    Columns of too many values are missing; `OpenJob.passed` says which.
    """
    found = []
    for j, granulation in enumerate(opened.lattice.granulations):
        labels = granulation.partitions[node[j]].labels
        block, size = classes.blocks[:, j], classes.size
        before = np.bincount(block, weights=size, minlength=len(labels)).astype(np.int64)
        after = np.bincount(block[kept], weights=size[kept], minlength=len(labels))
        counts = before, after.astype(np.int64)
        values = int(np.count_nonzero(np.bincount(opened.histogram.codes[:, j])))
        found.append(_distribution(opened, granulation.column, labels, *counts, values, rare))
    gone = left_out_combinations(classes, kept)
    for name, column, totals in _unchanged(opened):
        counts = totals, released_of(column, totals, gone)
        values = int(np.count_nonzero(totals))
        found.append(_distribution(opened, name, column.values, *counts, values, rare))
    return tuple(found) if named else tuple(_unnamed(one, opened, node) for one in found)


def _unchanged(opened: OpenJob) -> Iterator[tuple[str, CountColumn, Array]]:
    """Columns that are released as they are, with the rows of each value: measured ones first."""
    for name, column in opened.histogram.counts.items():
        if name not in opened.lattice.columns:
            yield name, column, opened.context.totals[name]
    for name, column in opened.passed.counts.items():
        yield name, column, column.totals


def _unnamed(one: DistributionView, opened: OpenJob, node: Node) -> DistributionView:
    """Labels come from the job and stay; cells, at whatever level they still stand, do not."""
    columns = opened.lattice.columns
    level = node[columns.index(one.column)] if one.column in columns else 0
    lines = [(bar.label, bar.before, bar.after) for bar in one.bars]
    told = numbered(opened, one.column, lines, level)
    return replace(one, bars=tuple(BarView(*line) for line in told))


def _distribution(
    opened: OpenJob,
    name: str,
    labels: Sequence[str | None],
    before: Array,
    after: Array,
    values: int,
    rare: int,
) -> DistributionView:
    """A value of fewer than `rare` rows, all of them left out, stays unnamed."""
    named = (before > 0) & ((after > 0) | (before >= rare))
    order = np.argsort(-before, kind="stable")
    shown = np.sort(order[named[order]][:BARS])  # the most frequent ones, in their own order
    rest = before > 0
    rest[shown] = False
    roles = opened.schema[name].roles
    return DistributionView(
        column=name,
        role=", ".join(role for role in Role if role in roles),
        values=values,
        blocks=int(np.count_nonzero(after)),
        distance=distance(before, after) if after.any() else None,
        bars=tuple(BarView(labels[i], int(before[i]), int(after[i])) for i in shown),
        others=OthersView(int(rest.sum()), int(before[rest].sum()), int(after[rest].sum()))
        if rest.any()
        else None,
    )
