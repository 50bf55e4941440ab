from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.report import words
from paretonym.report.words import Basis

BASIS = Basis(rows=100, glm_maximum=200.0)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("k", 12345, "12,345"),
        ("distinct_l(x)", 3, "3"),
        ("glm", 50.0, "25.0 %"),
        ("s_k", 1200, "12"),
        ("s_l(x)", 250, "2.50"),
        ("suppressed", 1, "1 (1.00 %)"),
        ("worst_group_suppression(race)", 0.153, "15.3 %"),
        ("loss_arithmetic", 0.0, "0 %"),
        ("loss_arithmetic", 1e-9, "<0.01 %"),
        ("average_class_size", 2.25, "2.25"),
        ("my_own(x)", 0.125, "0.125"),
    ],
)
def test_values_as_people_read_them(name, value, shown):
    assert words.human(name, value, BASIS) == shown


def test_glm_without_a_known_maximum_stays_a_plain_number():
    assert words.human("glm", 50.0, Basis(rows=100)) == "50"
    assert words.long_name("glm", Basis(rows=100)) == "information loss (GLM)"


def test_glm_maximum_is_rows_times_weights():
    """100 · (1 + 2.5)."""
    assert words.glm_maximum(100, ["age", "zip"], {"zip": Fraction(5, 2)}) == 350.0


def test_names_hold_the_column_whatever_it_is_called():
    assert words.long_name("distinct_l(a (b))") == "distinct values of a (b) in a class (ℓ)"
    assert words.long_name("distinct_l({x})") == "distinct values of {x} in a class (ℓ)"
    assert words.long_name("my_own(x)") == "my_own(x)"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (10**30, "1×10³⁰"),
        (-5, "−5"),
        (9.9999e17, "1×10¹⁸"),
        (float("inf"), "∞"),
        (float("nan"), "not a number"),
        (1234.6, "1,235"),
        (0.000012, "1.2×10⁻⁵"),
    ],
)
def test_extreme_numbers(value, shown):
    assert words.number(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0, "0 %"),
        (0.00004, "<0.01 %"),
        (0.9994, "99.9 %"),
        (0.9997, "99.97 %"),
        (0.99997, ">99.99 %"),
        (1, "100 %"),
        (1.0003, "100.03 %"),
        (1.00001, ">100 %"),
        (-0.9997, "−99.97 %"),
    ],
)
def test_a_share_reads_nothing_or_all_only_when_it_is(share, shown):
    assert words.percent(share) == shown


@given(st.integers(2, 10**12).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n))))
def test_a_part_never_reads_as_nothing_or_all(part):
    said = words.percent(part[0] / part[1]).removesuffix(" %")
    assert said in ("<0.01", ">99.99") or 0 < float(said) < 100


def test_listing():
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert words.listed(["a"]) == "a"
    assert words.listed([]) == ""
