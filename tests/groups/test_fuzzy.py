"""Membership functions at their knots, and variables over a column's values (Tavrov and Chertov
2016).
"""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.groups.fuzzy import memberships
from paretonym.model.fuzzy import FuzzyKind, FuzzyValue, Variable


def value(kind: FuzzyKind, *parameters: str) -> FuzzyValue:
    return FuzzyValue("it", kind, parameters)


def grades(kind: FuzzyKind, parameters: str, at: str) -> list[float]:
    found = memberships(Variable("x", (value(kind, *parameters.split()),)), at.split())
    assert (found[0] == 1).all()
    return found[1].tolist()


@pytest.mark.parametrize(
    ("kind", "parameters", "at", "expected"),
    [
        ("trapezoid", "1 3 5 9", "0 1 2 3 4 5 7 9 10", [0, 0, 0.5, 1, 1, 1, 0.5, 0, 0]),
        ("pi", "1 3 5 9", "0 1 1.5 2 2.5 3 5 6 7 8 9 10",
         [0, 0, 0.125, 0.5, 0.875, 1, 1, 0.875, 0.5, 0.125, 0, 0]),
        ("z", "2 12", "1 2 4.5 7 9.5 12 13", [1, 1, 0.875, 0.5, 0.125, 0, 0]),
        ("s", "2 12", "1 2 4.5 7 9.5 12 13", [0, 0, 0.125, 0.5, 0.875, 1, 1]),
        ("triangle", "1 3 7", "0 1 2 3 5 7 8", [0, 0, 0.5, 1, 0.5, 0, 0]),
        ("range", "1 2", "0.99 1 1.5 2.0 2.01", [0, 1, 1, 1, 0]),
        ("is", "1 7", "1 7 07 1.0 2", [1, 1, 0, 0, 0]),
    ],
)  # fmt: skip
def test_grades_at_the_knots(kind, parameters, at, expected):
    assert grades(kind, parameters, at) == expected


def test_a_gaussian_states_its_width_first():
    """GAUSSMF(x, 2, 27.5): 1 in the centre, e^-1/2 one width away."""
    found = grades("gauss", "2.0 27.5", "27.5 25.5 29.5 1e299")
    assert found == [1, math.exp(-0.5), math.exp(-0.5), 0]


@pytest.mark.parametrize(
    ("kind", "parameters", "at", "expected"),
    [
        ("trapezoid", "1 1 8 10", "0 1 8 9 10", [0, 1, 1, 0.5, 0]),  # L2, low
        ("trapezoid", "5 6 6 6", "5 5.5 6 7", [0, 0.5, 1, 0]),  # L11, normal
        ("pi", "0.0 0.0 29.9 40.3", "-1 0 29.9 40.3", [0, 1, 1, 0]),  # L5, low
        ("pi", "40.2 50.1 100.0 100.0", "40.2 50.1 100 101", [0, 1, 1, 0]),  # L5, high
        ("z", "3 3", "2 3 4", [1, 1, 0]),
        ("s", "3 3", "2 3 4", [0, 1, 1]),
    ],
)
def test_a_shoulder_belongs_to_its_plateau(kind, parameters, at, expected):
    """As printed, 0 and 1 both hold where two knots agree; 1 is meant."""
    assert grades(kind, parameters, at) == expected


def test_the_middle_of_a_slope_is_a_half_exactly():
    """(7.05 + 15.40) / 2 = 11.225: with floats the grade misses 0.5, and the cut would miss it."""
    assert grades("pi", "7.05 15.40 22.50 27.18", "11.225 24.84") == [0.5, 0.5]


@given(
    st.lists(st.decimals(-50, 50, places=2), min_size=4, max_size=4).map(sorted),
    st.decimals(-60, 60, places=2),
)
def test_shapes_stay_between_0_and_1_and_mirror_each_other(knots, x):
    a, b, c, d = map(str, knots)
    mirrored = [str(-knot) for knot in reversed(knots)]
    for kind in ("pi", "trapezoid"):
        (found,) = grades(kind, f"{a} {b} {c} {d}", str(x))
        assert 0 <= found <= 1
        assert [found] == grades(kind, " ".join(mirrored), str(-x))
    if Decimal(a) < Decimal(b):
        (up,), (down,) = grades("s", f"{a} {b}", str(x)), grades("z", f"{a} {b}", str(x))
        assert up + down == pytest.approx(1, abs=1e-15)


def test_a_missing_value_fits_nothing_but_any():
    variable = Variable("x", (value("pi", "0", "0", "9", "9"), FuzzyValue("one", "is", ("1",))))
    assert memberships(variable, ["1", None]).T.tolist() == [[1, 1, 1], [1, 0, 0]]


def test_texts_that_are_no_numbers_are_counted_and_not_shown():
    variable = Variable("hours", (value("pi", "0", "0", "9", "9"),))
    with pytest.raises(JobError, match="'hours': 2 of its 4 distinct values are no numbers") as no:
        memberships(variable, ["1", "secret-a", "secret-b", None])
    assert "secret" not in str(no.value)


def test_named_values_need_no_numbers():
    variable = Variable("means", (FuzzyValue("walks", "is", ("on foot",)),))
    assert memberships(variable, ["on foot", "bus"])[1].tolist() == [1, 0]


def test_decimal_commas_are_read_where_the_column_has_them():
    variable = Variable("x", (value("range", "1.5", "2"),))
    assert memberships(variable, ["1,5", "1,4"], decimal_comma=True)[1].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("kind", "parameters", "problem"),
    [
        ("pi", ("1", "2", "3"), "pi takes 4 numbers"),
        ("pi", ("1", "3", "2", "4"), "never fall"),
        ("gauss", ("0", "3"), "above zero"),
        ("range", ("1", "many"), "range takes numbers"),
        ("is", (), "a list of codes"),
        ("trapezium", ("1", "2", "3", "4"), "did you mean 'trapezoid'"),
    ],
)
def test_a_fuzzy_value_that_means_nothing_is_refused(kind, parameters, problem):
    with pytest.raises(JobError, match=problem):
        FuzzyValue("young", kind, parameters)


@pytest.mark.parametrize("names", [(), ("low", "low"), ("any",), (" ",)])
def test_a_variable_needs_names_of_its_own(names):
    with pytest.raises(JobError, match="variable 'age'"):
        Variable("age", tuple(FuzzyValue(name, "is", ("1",)) for name in names))
