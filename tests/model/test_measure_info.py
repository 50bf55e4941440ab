"""What is known of measures, their names, and bounds on them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.model import measure_catalog
from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.measure_info import info_of, parse_name


@pytest.mark.parametrize(
    ("text", "base", "column", "direction"),
    [
        ("k", "k", None, None),
        (" max: s_l( job ) ", "s_l", "job", Direction.MAX),
        ("min:glm", "glm", None, Direction.MIN),
        ("distinct_l(a (b), c)", "distinct_l", "a (b), c", None),
        ("distinct_l(a\nb)", "distinct_l", "a\nb", None),
    ],
)
def test_names_are_read(text: str, base: str, column: str | None, direction: object) -> None:
    name = parse_name(text)
    assert name is not None
    assert (name.base, name.column, name.direction) == (base, column, direction)
    assert parse_name(name.written) == name


@pytest.mark.parametrize("text", ["", "k()", "distinct_l( )", "1k", "most:k", "k)", "k(a"])
def test_what_is_no_name(text: str) -> None:
    assert parse_name(text) is None


@given(st.text(min_size=1).map(str.strip).filter(bool))
def test_any_column_can_be_named(column: str) -> None:
    name = parse_name(f"distinct_l({column})")
    assert name is not None
    assert name.column == column


def test_every_info_has_its_words() -> None:
    for info in measure_catalog.BUILT_IN:
        assert info.long, info.name
        assert info.short, info.name
        assert info.says, info.name
        assert info.takes_column == ("{column}" in info.long), info.name
        assert info.takes_column == bool(info.roles), info.name
    assert info_of("distinct_l(job)") is measure_catalog.DISTINCT_L
    assert info_of("unheard_of") is None


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [("sf", 5, "5% or 0.05"), ("k", 2.5, "whole number"), ("k", 0, "never below 1")],
)
def test_bounds_that_make_no_sense(name: str, value: float, part: str) -> None:
    info = info_of(name)
    assert info is not None
    assert part in str(info.bound_fault(value))


def test_bounds_know_their_side() -> None:
    """A worst risk of 40 % keeps a bound of 50 % as "at most" and breaks it as "at least"."""
    most = Bound("worst_risk", Direction.MIN, Fraction(1, 2))
    assert most.holds(0.4)
    assert not most.holds(0.6)
    least = Bound("k", Direction.MAX, Fraction(5))
    assert least.holds(5)
    assert not least.holds(4)
    assert (least.says(), most.says()) == ("k ≥ 5", "worst_risk ≤ 0.5")


@given(st.sampled_from(Direction), st.fractions())
def test_bounds_read_back(direction: Direction, value: Fraction) -> None:
    bound = Bound("distinct_l(job)", direction, value)
    assert Bound.from_json(bound.to_json()) == bound


@pytest.mark.parametrize(
    "data",
    [
        {"measure": "k"},
        {"measure": "k", "at least": "5", "at most": "5"},
        {"measure": "k", "at least": "5", "note": ""},
        {"measure": 5, "at least": "5"},
        {"at least": "5"},
    ],
)
def test_a_damaged_bound_is_refused(data: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Bound.from_json(data)
