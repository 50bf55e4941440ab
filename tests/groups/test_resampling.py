"""Ranks and intervals of an attack: against pairs, loops and published values."""

from __future__ import annotations

import math
import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.groups import Adequacy
from paretonym.groups.adequacy import FIGURES
from paretonym.groups.resampling import (
    Interval,
    adequacy_intervals,
    auc,
    auc_interval,
    binomial_interval,
)

TIED = st.integers(0, 4).map(float)
AREAS = st.lists(st.tuples(TIED, st.booleans(), st.integers(0, 3)), min_size=1, max_size=25)
MATRICES = st.lists(
    st.builds(Adequacy, *(st.integers(0, 4) for _ in range(4))), min_size=1, max_size=6
)


def of_pairs(values, positive, times) -> float:
    """A positive above another one wins, an equal one half; each pair as often as drawn."""
    wins = pairs = 0.0
    for a, b in product(range(len(values)), repeat=2):
        if positive[a] and not positive[b]:
            pairs += times[a] * times[b]
            wins += times[a] * times[b] * ((values[a] > values[b]) + (values[a] == values[b]) / 2)
    return wins / pairs if pairs else math.nan


def told(figures: list[float]) -> Interval | None:
    """From the 2.5th to the 97.5th percentile, where at least half are defined."""
    there = [figure for figure in figures if not math.isnan(figure)]
    if not there or 2 * len(there) < len(figures):
        return None
    return Interval(*map(float, np.percentile(there, [2.5, 97.5])))


def arrays(areas) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values, positive, unit = zip(*areas, strict=True)
    return np.array(values), np.array(positive, bool), np.array(unit, np.int64)


def test_a_rank_by_hand():
    """Of 2 x 2 pairs two are won, one is a tie, one is lost."""
    assert auc(np.array([3.0, 1.0, 1.0, 2.0]), np.array([True, True, False, False])) == 2.5 / 4


@given(AREAS)
def test_ranks_equal_brute_force(areas):
    values, positive, _ = arrays(areas)
    expected = of_pairs(values, positive, np.ones(len(values)))
    assert auc(values, positive) == (None if math.isnan(expected) else expected)


@pytest.mark.parametrize("positive", [True, False])
def test_one_kind_alone_cannot_be_ranked(positive):
    values, kinds = np.array([1.0, 2.0]), np.full(2, positive)
    assert auc(values, kinds) is None
    units, draw = np.arange(2), np.random.default_rng(1)
    assert auc_interval(values, kinds, units, draw=draw, resamples=100) is None


def test_nothing_to_rank():
    assert auc(np.array([]), np.array([], bool)) is None


@settings(max_examples=50)
@given(AREAS, st.integers(0, 2**32))
def test_intervals_of_ranks_equal_a_loop(areas, seed):
    values, positive, unit = arrays(areas)
    units = int(unit.max()) + 1
    drawn = np.random.default_rng(seed).multinomial(units, np.full(units, 1 / units), size=40)
    expected = told([of_pairs(values, positive, row[unit]) for row in drawn])
    draw = np.random.default_rng(seed)
    assert auc_interval(values, positive, unit, draw=draw, resamples=40) == expected


def test_one_unit_is_always_itself():
    values, positive = np.array([3.0, 1.0, 2.0]), np.array([True, False, True])
    draw, unit = np.random.default_rng(1), np.zeros(3, np.int64)
    assert auc_interval(values, positive, unit, draw=draw, resamples=100) == Interval(1, 1)
    table = Adequacy(3, 1, 2, 10)
    found = adequacy_intervals([table], draw=draw, resamples=100)
    for name in FIGURES:
        own = getattr(table, name)
        assert found[name] == Interval(pytest.approx(own), pytest.approx(own))


def test_a_region_of_many_areas_takes_little_memory():
    """20,000 areas of one region: a table of all their pairs would fill 3 GB."""
    draw = np.random.default_rng(1)
    values, positive = draw.random(20_000), draw.random(20_000) < 0.1
    tracemalloc.start()
    found = auc_interval(values, positive, np.arange(20_000), draw=draw, resamples=100)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert found.low < auc(values, positive) < found.high
    assert most < 400e6


@settings(max_examples=50)
@given(MATRICES, st.integers(0, 2**32))
def test_intervals_of_figures_equal_a_loop(units, seed):
    count = len(units)
    drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=40)
    samples = [
        sum((unit for unit, times in zip(units, row, strict=True) for _ in range(times)),
            Adequacy(0, 0, 0, 0))
        for row in drawn
    ]  # fmt: skip
    found = adequacy_intervals(units, draw=np.random.default_rng(seed), resamples=40)
    for name in FIGURES:
        own = [getattr(sample, name) for sample in samples]
        expected = told([math.nan if figure is None else figure for figure in own])
        got = found[name]
        assert (got is None) == (expected is None)
        if got is not None and expected is not None:
            assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_figures_without_a_meaning_have_no_interval():
    """No true outlier and none found: only the agreement is a share of something."""
    draw = np.random.default_rng(1)
    found = adequacy_intervals([Adequacy(0, 0, 0, 5)] * 3, draw=draw, resamples=100)
    assert found == dict.fromkeys(FIGURES) | {"pa": Interval(1, 1)}


@pytest.mark.parametrize(
    ("hits", "tries", "low", "high"),
    [(8, 8, 0.67559, 1), (0, 8, 0, 0.32441), (1, 2, 0.09453, 0.90547), (81, 263, 0.2553, 0.3662)],
)
def test_wilsons_interval(hits, tries, low, high):
    """Newcombe 1998, Table I, for 81 of 263: 0.2553 to 0.3662."""
    found = binomial_interval(hits, tries)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_a_share_of_no_tries():
    assert binomial_interval(0, 0) is None


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilsons_interval_holds_the_share(hits, more):
    found = binomial_interval(hits, hits + more)
    if found is None:
        assert hits + more == 0
    else:
        assert 0 <= found.low <= hits / (hits + more) <= found.high <= 1
        assert (found.low == 0, found.high == 1) == (hits == 0, more == 0)
