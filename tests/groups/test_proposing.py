"""Fuzzy values proposed from the data."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.groups import memberships, propose


def shapes(variable) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {value.name: (value.kind, value.parameters) for value in variable.values}


def test_numbers_become_low_middle_and_high_at_their_quantiles():
    """1 to 100, once each: the quantiles at 25, 42, 58 and 75 % are these numbers."""
    found = propose("x", [str(i) for i in range(1, 101)], [1] * 100)
    assert shapes(found) == {
        "low": ("z", ("25", "42")),
        "middle": ("pi", ("25", "42", "58", "75")),
        "high": ("s", ("58", "75")),
    }


def test_counts_move_the_quantiles():
    texts = [str(i) for i in range(1, 101)]
    found = propose("x", texts, [1] * 99 + [901])  # nine in ten have 100: all quantiles agree
    assert shapes(found) == {"low": ("range", ("1", "99")), "high": ("range", ("100", "100"))}


def test_where_some_quantiles_agree_two_values_are_left():
    """Half of all people have 0: the lower two quantiles agree."""
    found = propose("x", [str(i) for i in range(100)], [100] + [1] * 99)
    assert shapes(found) == {"low": ("z", ("0", "50")), "high": ("s", ("0", "50"))}


def test_what_many_have_is_low_and_the_rest_high():
    found = propose("x", [str(i) for i in range(12)], [900] + [1] * 11)
    assert shapes(found) == {"low": ("range", ("0", "0")), "high": ("range", ("1", "11"))}


def test_few_numbers_are_codes():
    assert shapes(propose("sex", ["1", "2"], [5, 7])) == {"1": ("is", ("1",)), "2": ("is", ("2",))}


def test_texts_are_named_the_most_frequent_ones_and_equal_ones_by_their_order():
    texts = ["h", "g", "f", "e", "d", "c", "b", "any", None]
    found = propose("x", texts, [1, 1, 1, 1, 1, 1, 9, 9, 99])
    assert list(shapes(found)) == ["'any'", "b", "c", "d", "e", "f"]


def test_a_column_without_values_is_refused():
    with pytest.raises(JobError, match="'x' has no values"):
        propose("x", [None, "1"], [5, 0])


@given(st.lists(st.tuples(st.integers(-99, 99), st.integers(1, 50)), min_size=1), st.randoms())
def test_any_numeric_column_gets_the_same_proposal_in_any_order(pairs, rng: random.Random):
    counts = {str(number): count for number, count in pairs}
    found = propose("x", list(counts), list(counts.values()))
    shuffled = rng.sample(sorted(counts.items()), len(counts))
    assert propose("x", [t for t, _ in shuffled], [c for _, c in shuffled]) == found
    assert (memberships(found, list(counts))[1:].max(axis=1) == 1).all()  # each fits somebody
