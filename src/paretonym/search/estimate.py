"""How long an exhaustive search will take and how much memory, from a few sampled nodes."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from paretonym.measures import ClassTable, Evaluator
from paretonym.measures.nodes import MOST_BYTES

_SAMPLE = 8
_LARGEST_SAMPLE = 200_000  # combinations looked at in a sampled node
# one class of one node, measured on a two-core virtual machine: see docs/performance.md
_SECONDS_PER_CLASS = 2.5e-8
_SECONDS_PER_CLASS_PLAIN = 1e-6


@dataclass(frozen=True, slots=True)
class Estimate:
    """An order of magnitude, said before the work starts."""

    nodes: int
    classes: float  # classes of all nodes together
    seconds: float
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.nodes:,} nodes, about {self.classes:,.0f} classes: about "
            f"{_seconds(self.seconds)} and {self.bytes / 1e6:,.0f} MB"
        )


def _seconds(value: float) -> str:
    if value < 1:
        return "a second"
    return f"{value:,.0f} s" if value < 120 else f"{value / 60:,.0f} minutes"


def _counted(evaluator: Evaluator) -> list[str]:
    return list(dict.fromkeys(c for s in evaluator.statistics for c in s.columns))


def _lanes(evaluator: Evaluator, column: str) -> int:
    """Long lists are kept sparse, unless rows are counted value by value."""
    values = len(evaluator.histogram.counts[column].values)
    by_value = any(s.fast and s.fast.kind == "released" and column in s.columns
                   for s in evaluator.statistics)  # fmt: skip
    return values if by_value else min(values, 64)


def memory_of_nodes(evaluator: Evaluator, *, threads: int) -> int:
    """Bytes for a search that picks its nodes: the finest table, work room, tables kept."""
    lanes = sum(_lanes(evaluator, name) for name in _counted(evaluator))
    per_class = 4 * lanes + 8 * (len(evaluator.statistics) + 12)
    return evaluator.histogram.combinations * per_class * (2 + threads) + MOST_BYTES


def estimate(evaluator: Evaluator, *, threads: int) -> Estimate:
    """Mean class count of seeded random nodes times nodes; memory of tables and results."""
    lattice, histogram = evaluator.lattice, evaluator.histogram
    draw = random.Random(0)  # noqa: S311  (a sample of nodes, nothing secret)
    nodes = [lattice.unrank(draw.randrange(lattice.size)) for _ in range(_SAMPLE)]
    if histogram.combinations <= _LARGEST_SAMPLE:
        classes = [len(ClassTable(histogram, lattice.granulations, node)) for node in nodes]
    else:  # an upper bound from the blocks that each node has
        classes = [
            min(
                histogram.combinations,
                int(np.prod([float(g.partitions[level].blocks)
                             for g, level in zip(lattice.granulations, node, strict=True)])),
            )
            for node in nodes
        ]  # fmt: skip
    total = float(np.mean(classes)) * lattice.size
    per_class = _SECONDS_PER_CLASS if evaluator.is_fast else _SECONDS_PER_CLASS_PLAIN
    lanes = sum(_lanes(evaluator, name) for name in _counted(evaluator))
    per_combination = 4 * lanes + 8 * (len(evaluator.statistics) + 12)
    tables = histogram.combinations * per_combination * (2 + threads)
    results = lattice.size * 8 * (len(evaluator.statistics) + 6)
    return Estimate(lattice.size, total, total * per_class / threads, tables + results)
