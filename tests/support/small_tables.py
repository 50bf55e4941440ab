"""Random small tables with random hierarchies, chains and posets, and their engine twins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from paretonym.encode.histogram import Histogram, count_column
from paretonym.lattice import Lattice
from paretonym.measures import build, make_context, parse
from paretonym.model.granulation import Granulation, partition_from_labels
from tests.support.brute_force import SmallTable

ALL = [
    "k", "suppressed", "distinct_l(sensitive)", "s_k", "s_l(sensitive)", "glm", "cm(target)",
    "discernibility", "average_class_size", "loss_arithmetic", "loss_geometric",
    "worst_group_suppression(sensitive)",
]  # fmt: skip


@st.composite
def hierarchies(draw, values: list[str]) -> tuple[dict[str, str], ...]:
    """Levels as label maps: a chain, or (sometimes) a poset with two incomparable levels."""
    levels = [{v: v for v in values}]
    for level in range(draw(st.integers(0, 2))):
        below = sorted(set(levels[-1].values()))
        groups = {
            label: f"{level}-{draw(st.integers(0, max(0, len(below) - 2)))}" for label in below
        }
        levels.append({v: groups[levels[-1][v]] for v in values})
    if draw(st.integers(0, 3)) == 0:  # a sibling that need not nest with the others
        levels.append({v: f"side-{draw(st.integers(0, 1))}" for v in values})
    levels.append(dict.fromkeys(values, "*"))
    return tuple(levels)


@st.composite
def small_tables(draw, max_rows: int = 14, sensitive_values: int = 4) -> SmallTable:
    quasi = draw(st.integers(1, 4))
    domains = [[f"v{i}" for i in range(draw(st.integers(1, 4)))] for _ in range(quasi)]
    labels = tuple(draw(hierarchies(domain)) for domain in domains)
    row = st.tuples(
        *(st.sampled_from(domain) for domain in domains),
        st.sampled_from([f"s{i}" for i in range(sensitive_values)]),
        st.sampled_from(["t0", "t1", "t2"]),
    )
    rows = tuple(draw(st.lists(row, min_size=2, max_size=max_rows)))
    weights = tuple(draw(st.integers(1, 3)) for _ in range(quasi))
    return SmallTable(rows, labels, weights)


def granulations_of(table: SmallTable) -> tuple[Granulation, ...]:
    return tuple(
        Granulation(
            f"q{j}",
            tuple(levels[0]),
            tuple(
                partition_from_labels(f"level {i}", [level[v] for v in levels[0]])
                for i, level in enumerate(levels)
            ),
        )
        for j, levels in enumerate(table.labels)
    )


def histogram_of(table: SmallTable) -> Histogram:
    codes = np.array(
        [
            [list(table.labels[j][0]).index(row[j]) for j in range(table.quasi)]
            for row in table.rows
        ],
        np.int32,
    )
    distinct, inverse, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    ones = np.ones(len(table.rows), np.int64)
    counts = {}
    for name in ("sensitive", "target"):
        values = tuple(sorted(set(table.column(name))))
        code = np.array([values.index(v) for v in table.column(name)])
        counts[name] = count_column(
            values, inverse.ravel().astype(np.int64), code, ones, len(sizes)
        )
    names = tuple(f"q{j}" for j in range(table.quasi))
    return Histogram(
        len(table.rows), names, distinct.astype(np.int32), sizes.astype(np.int64), counts
    )


def engine_parts(table: SmallTable, names=ALL):
    histogram = histogram_of(table)
    lattice = Lattice.of(granulations_of(table))
    weights = {f"q{j}": Fraction(w) for j, w in enumerate(table.weights)}
    context = make_context(histogram, lattice, weights)
    return histogram, lattice, context, [build(parse(name), context) for name in names]
