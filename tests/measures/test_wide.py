"""Nothing is hard-coded: many attributes, wide keys, long value lists, a user's own measure."""

from __future__ import annotations

import numpy as np
import pytest

from paretonym.encode.histogram import Histogram, count_column
from paretonym.errors import LatticeTooBigError
from paretonym.lattice import Lattice
from paretonym.measures import (
    Evaluator,
    Measure,
    Monotone,
    Reduce,
    Statistic,
    build,
    direct,
    make_context,
    objective_of,
    parse,
    register,
    registry,
)
from paretonym.model.front import Direction
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.search import ChosenMethod, Target, find

ROWS = 300
MEASURES = ["k", "s_k", "glm", "distinct_l(x)", "s_l(x)", "cm(x)", "loss_geometric"]


def starred(name: str, values: int) -> Granulation:
    leaves = [f"{name}-{i}" for i in range(values)]
    raw, star = partition_from_labels("value", leaves), partition_from_labels("*", ["*"] * values)
    return Granulation(name, tuple(leaves), (raw, star))


def random_histogram(columns: int, values: int, sensitive: int, seed: int) -> Histogram:
    """Rows that are alike in pairs, so that classes of every kind occur."""
    draw = np.random.default_rng(seed)
    half = draw.integers(0, values, (ROWS // 2, columns))
    rows = np.concatenate([half, np.where(draw.random(half.shape) < 0.1, 0, half)])
    codes, inverse, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    code = draw.integers(0, sensitive, ROWS)
    x = count_column(
        tuple(f"s{i}" for i in range(sensitive)),
        inverse.ravel().astype(np.int64), code, np.ones(ROWS, np.int64), len(sizes),
    )  # fmt: skip
    names = tuple(f"q{j}" for j in range(columns))
    return Histogram(ROWS, names, codes.astype(np.int32), sizes.astype(np.int64), {"x": x})


def evaluator_for(columns: int, values: int, sensitive: int, names=MEASURES, limit=20):
    histogram = random_histogram(columns, values, sensitive, seed=columns)
    lattice = Lattice.of([starred(f"q{j}", values) for j in range(columns)])
    context = make_context(histogram, lattice, {})
    measures = [build(parse(name), context) for name in names]
    return Evaluator(histogram, lattice, measures, context, limit=limit)


def assert_pass_equals_plain(evaluator, nodes):
    found = {}
    for part in evaluator.sweep(threads=2):
        for i in range(len(part)):
            key = (int(part.rank[i]), int(part.suppress_below[i]))
            found[key] = [part.values(m).exact[i] for m in evaluator.measures]
    for node in nodes:
        plain = evaluator.score(node)
        for i in range(len(plain)):
            key = (evaluator.lattice.rank(node), int(plain.suppress_below[i]))
            assert found[key] == [plain.values(m).exact[i] for m in evaluator.measures]


def some_nodes(lattice, count=40):
    draw = np.random.default_rng(0)
    return [lattice.unrank(int(r)) for r in draw.integers(0, lattice.size, count)]


@pytest.mark.slow
def test_keys_of_120_bits():
    """Twelve attributes of a thousand values each."""
    evaluator = evaluator_for(12, 1_000, 4)
    assert_pass_equals_plain(evaluator, some_nodes(evaluator.lattice))


def test_five_thousand_sensitive_values():
    evaluator = evaluator_for(5, 6, 5_000)
    assert len(evaluator.layout.space.sparse_values) == 1
    assert_pass_equals_plain(evaluator, list(map(evaluator.lattice.unrank, range(32))))


def test_losses_without_a_common_denominator_stay_exact():
    """Weights of large coprime denominators: their least common multiple does not fit 64 bits."""
    histogram = random_histogram(5, 6, 3, seed=1)
    lattice = Lattice.of([starred(f"q{j}", size) for j, size in enumerate([7, 8, 10, 12, 14])])
    primes = [2**31 - 1, 2**29 - 3, 2**27 - 39, 3, 7]
    context = make_context(histogram, lattice, {f"q{j}": f"1/{p}" for j, p in enumerate(primes)})
    measures = [build(parse("glm"), context)]
    evaluator = Evaluator(histogram, lattice, measures, context, limit=5)
    assert [s.key for s in measures[0].statistics] == ["losses"]
    assert_pass_equals_plain(evaluator, list(map(lattice.unrank, range(32))))


def test_64_attributes_are_refused_by_size_but_scored():
    evaluator = evaluator_for(64, 2, 3, names=["k", "glm"])
    target = Target(objective_of(parse("k"), evaluator.measures[0]), evaluator.measures[0])
    with pytest.raises(LatticeTooBigError, match="18,446,744,073,709,551,616 nodes"):
        find(evaluator, [target], ChosenMethod("exhaustive", None, ""))
    top = evaluator.score(evaluator.lattice.coarsest)
    assert top.values(evaluator.measures[0]).shown(0) == ROWS


def test_a_users_own_measure_is_one_function_and_one_registration():
    """The largest class, to be kept small: plain numpy on class tables, searched like any other."""

    @register("largest_class")
    def largest_class() -> Measure:
        statistic = Statistic("largest", lambda classes, _: classes.size, Reduce.MAX)
        return Measure(
            "largest_class", Direction.MIN, (statistic,), direct("largest"), Monotone.NO, "largest"
        )

    try:
        evaluator = evaluator_for(3, 5, 3, names=["largest_class", "k"])
        targets = [Target(objective_of(parse(m.name), m), m) for m in evaluator.measures]
        front = find(evaluator, targets, ChosenMethod("exhaustive", None, ""))
        assert not evaluator.is_fast
        assert front.evaluated == 8
        best = {}
        for node in map(evaluator.lattice.unrank, range(8)):
            size = evaluator.class_table(node).size
            best[node] = (int(size.max()), int(size.min()))
        assert (front.entries[-1].values["largest_class"], front.entries[-1].values["k"]) == (
            ROWS, ROWS,
        )  # fmt: skip
        assert min(e.values["largest_class"] for e in front.entries) == min(
            big for big, _ in best.values()
        )
    finally:
        del registry._REGISTRY["largest_class"]
