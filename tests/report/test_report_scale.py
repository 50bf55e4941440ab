from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.report.scale import make_axis, nice_step, suits_log


def labels(axis):
    return [label for _, label in axis.ticks]


def test_ticks_are_round():
    assert labels(make_axis([0.0, 97.3])) == ["0", "20", "40", "60", "80", "100"]
    assert labels(make_axis([1, 2, 3])) == ["1", "2", "3"]


def test_log_ticks_are_powers_of_ten():
    assert labels(make_axis([1, 30_162], log=True)) == ["1", "10", "100", "1,000", "10,000"]


@pytest.mark.parametrize("value", [0.0, 5.0, -3.0, 1e-9, 1e18])
@pytest.mark.parametrize("log", [False, True])
def test_equal_values_lie_in_the_middle(value, log):
    axis = make_axis([value, value], log=log)
    assert axis.low < axis.high
    assert 0 <= axis.share(value) <= 1
    assert axis.ticks


def test_log_only_for_wide_positive_ranges():
    assert suits_log([1, 1000])
    assert not suits_log([1, 40])
    assert not suits_log([0, 1000])
    assert not suits_log([])


def test_nice_step():
    assert [nice_step(raw) for raw in (0.7, 1.0, 1.3, 4, 7)] == [1, 1, 2, 5, 10]


@given(st.lists(st.floats(-1e200, 1e200), min_size=1, max_size=8), st.booleans(), st.booleans())
def test_every_value_has_a_place(values, log, from_zero):
    axis = make_axis(values, log=log, from_zero=from_zero)
    for value in values:
        assert -1e-6 <= axis.share(value) <= 1 + 1e-6
    assert len(axis.ticks) <= 30
    assert all(math.isfinite(value) for value, _ in axis.ticks)
