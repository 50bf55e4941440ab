"""Bounds in a plan and a manifest: exact, and nothing but what was written."""

from __future__ import annotations

from fractions import Fraction

import pytest

from paretonym.model.bound import Bound, bounds_from_json, bounds_to_json
from paretonym.model.front import Direction

BOUNDS = (
    Bound("distinct_l(a (b), c)", Direction.MAX, Fraction(3)),
    Bound("worst_risk", Direction.MIN, Fraction(1, 3)),
)


def test_bounds_come_back_exactly():
    assert bounds_from_json(bounds_to_json(BOUNDS)) == BOUNDS
    assert [bound.side for bound in BOUNDS] == ["at least 3", "at most 0.333333"]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"k": 5},  # as plans of earlier versions said it
        None,
        ["k"],
        [{"measure": "k"}],
        [{"measure": "k", "at least": "5", "at most": "9"}],
        [{"measure": "k", "at least": 5}],
        [{"measure": "k", "at least": "1e999999999"}],
        [{"measure": "k", "at least": "nan"}],
        [{"measure": "k", "at least": "1/0"}],
        [{"measure": 5, "at least": "5"}],
        [{"measure": "k", "at least": "5", "unless": "sunday"}],
    ],
)
def test_nothing_else_passes_for_bounds(data):
    with pytest.raises((KeyError, TypeError, ValueError)):
        bounds_from_json(data)
