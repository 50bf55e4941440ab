"""Boxes are exact: integers of any width, floats at a box's very edge, every built-in measure."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.small_tables import ALL, engine_parts, small_tables

from paretonym.errors import JobError
from paretonym.measures import Evaluator, Measure, Monotone, Values, direct
from paretonym.model.front import Direction, Objective
from paretonym.search import Boxing, Target
from paretonym.search.boxes import Side


def papers_boxes(values: Values, direction: Direction, epsilon: Fraction, most: Fraction):
    """The definition, in fractions."""
    found = []
    for number in values.exact.tolist():
        value = Fraction(number) / values.scale
        index = value if direction is Direction.MAX else most - value
        found.append(math.ceil(index / epsilon))
    return found


def check(values: Values, direction: Direction, epsilon: Fraction, most: Fraction) -> None:
    boxes = Side("m", direction, epsilon, most).boxes(values)
    assert boxes.dtype == np.int64
    assert (-boxes).tolist() == papers_boxes(values, direction, epsilon, most)


def test_three_tenths_are_three_boxes_of_a_tenth():
    """In floats, 0.3 / 0.1 is a little less than 3, and 0.7 / 0.1 a little less than 7."""
    side = Side("m", Direction.MAX, Fraction(1, 10))
    assert side.boxes(Values(np.array([3, 7, 8]), 10)).tolist() == [-3, -7, -8]
    assert side.boxes(Values(np.array([0.3, 0.25, 0.5]))).tolist() == [-3, -3, -5]


def test_a_loss_is_counted_down_from_its_largest_value():
    """K = 10 and boxes of 4: losses 0, 1, 2, 10 are indices 10, 9, 8, 0, boxes 3, 3, 2, 0."""
    side = Side("m", Direction.MIN, Fraction(4), Fraction(10))
    assert side.boxes(Values(np.array([0, 1, 2, 10]))).tolist() == [-3, -3, -2, 0]


def test_without_a_largest_value_boxes_are_counted_from_zero():
    """Indices 0, -1, -4, -5 lie in boxes 0, 0, -1, -1."""
    side = Side("m", Direction.MIN, Fraction(4))
    assert side.boxes(Values(np.array([0, 1, 4, 5]))).tolist() == [0, 0, 1, 1]


def test_an_objective_without_a_size_is_compared_as_it_is():
    side = Side("m", Direction.MAX, None)
    assert side.boxes(Values(np.array([3, 1, 2]))).tolist() == [-3, -1, -2]


epsilons = st.fractions(Fraction(1, 1000), 1000, max_denominator=1000)
directions = st.sampled_from(Direction)
largest = st.fractions(0, 2**64, max_denominator=1000)


@settings(max_examples=500)
@given(
    st.lists(st.integers(-(2**62), 2**62), max_size=6),
    st.integers(1, 10**9), directions, epsilons, largest,
)  # fmt: skip
def test_integers_of_any_size_are_exact(numbers, scale, direction, epsilon, most):
    values = Values(np.array(numbers, np.int64), scale)
    truth = papers_boxes(values, direction, epsilon, most)
    if any(not -(2**63) <= -box < 2**63 for box in truth):
        with pytest.raises(JobError, match="too small"):
            Side("m", direction, epsilon, most).boxes(values)
    else:
        check(values, direction, epsilon, most)


@pytest.mark.parametrize("direction", Direction)
def test_numbers_at_the_end_of_64_bits(direction):
    ends = np.array([2**62 - 1, 2**62, 2**63 - 1, -(2**62), -(2**63) + 1])
    check(Values(ends), direction, Fraction(14, 5), Fraction(2**63))
    check(Values(ends, 10**6), direction, Fraction(3, 10**5), Fraction(10**13))


def test_a_grid_too_fine_for_64_bits_is_refused():
    with pytest.raises(JobError, match="too small for m"):
        Side("m", Direction.MAX, Fraction(1, 2)).boxes(Values(np.array([2**62, 2**63 - 1])))
    with pytest.raises(JobError, match="too small for m"):
        Side("m", Direction.MAX, Fraction(1, 10**400)).boxes(Values(np.array([0.5])))


@settings(max_examples=500)
@given(
    st.lists(st.integers(0, 2000), min_size=1, max_size=6),
    st.sampled_from([-1, 0, 1]), directions, epsilons, st.sampled_from([0, 1, 1000]),
)  # fmt: skip
def test_floats_at_the_edge_of_a_box_are_exact(steps, nudge, direction, epsilon, most):
    """Whole multiples of epsilon as floats, and their neighbours above and below."""
    edges = np.array([float(step * epsilon) for step in steps])
    floats = np.nextafter(edges, nudge * math.inf) if nudge else edges
    check(Values(floats), direction, epsilon, Fraction(most))


@settings(max_examples=300)
@given(
    st.lists(st.floats(-1e15, 1e15), max_size=6), directions, epsilons, st.sampled_from([0, 10**9])
)
def test_floats_of_any_size_are_exact(floats, direction, epsilon, most):
    check(Values(np.array(floats, np.float64)), direction, epsilon, Fraction(most))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_has_no_box(value):
    with pytest.raises(JobError, match="not finite"):
        Side("m", Direction.MIN, Fraction(1)).boxes(Values(np.array([1.0, value])))


OWN = Measure("own", Direction.MIN, (), direct("own"), Monotone.NO, "a user's own")


def grid(epsilon):
    targets = [Target(Objective("own", Direction.MIN), OWN)]
    return Boxing.of(targets, epsilon, context=None)


def test_no_sizes_no_grid():
    assert grid({}) is None


@pytest.mark.parametrize("size", [0, -1])
def test_a_box_needs_a_size(size):
    with pytest.raises(JobError, match="above zero"):
        grid({"own": Fraction(size)})


def test_only_objectives_have_boxes():
    with pytest.raises(JobError, match=r"'owm' is not an objective.*'own'"):
        grid({"owm": Fraction(1)})


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(small_tables(), st.integers(0, 3))
def test_no_measure_exceeds_its_largest_value(table, limit):
    histogram, lattice, context, measures = engine_parts(table, ALL)
    limit = min(limit, len(table.rows) - 1)
    evaluator = Evaluator(histogram, lattice, measures, context, limit=limit)
    for rank in range(lattice.size):
        candidates = evaluator.score(lattice.unrank(rank))
        for measure in measures:
            values = candidates.values(measure)
            most = float(measure.most(context))
            assert (values.exact / values.scale <= most * (1 + 1e-12)).all(), measure.name
