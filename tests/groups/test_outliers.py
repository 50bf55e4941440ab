"""The modified Thompson tau technique: all published cases (Chertov and Tavrov 2017, Table 3), and
the edges.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.groups import find_outliers, thompson_tau
from paretonym.groups.outliers import tau

SHARED = Path(__file__).resolve().parents[3] / "shared" / "oracles.json"
FOUND = json.loads(SHARED.read_text()) if SHARED.exists() else []
ROWS = [one for one in FOUND if one["id"].startswith("mttt_004_row")]
CONVENTIONS = [one for one in FOUND if one["id"].startswith("mttt_convention")]

# rows 1 and 24 of Chertov and Tavrov's (2017) Table 3; places counted from 1 as printed
FIRST = "2 2 1 7 14 1 14 0 5 0 2 8 0 1 1 1 4 11 1 9 0 3 2 3 2 0 3 0 13 0 4 14 4 5 23 7 12 6"
LAST = "2 2 1 6 0 1 13 0 4 0 2 9 0 2 2 1 4 13 1 11 0 5 3 4 4 0 5 0 4 0 5 17 4 5 23 8 15 9"


def printed(values, **options) -> list[int]:
    return [place + 1 for place in thompson_tau(values, **options)]


@pytest.mark.parametrize(
    ("signal", "out"), [(FIRST, [35]), (LAST, [7, 18, 20, 32, 35, 37])], ids=["row 1", "row 24"]
)
def test_two_rows_of_the_published_table(signal, out):
    assert printed([int(value) for value in signal.split()], alpha=0.01) == out


@pytest.mark.parametrize("oracle", ROWS, ids=lambda one: one["id"])
def test_all_rows_of_the_published_table(oracle):
    assert printed(**_arguments(oracle)) == oracle["expected"]["out"]


@pytest.mark.parametrize("oracle", CONVENTIONS, ids=lambda one: one["id"])
def test_what_the_papers_leave_open_is_settled_one_way(oracle):
    assert printed(**_arguments(oracle)) == oracle["expected"]["default"]
    if "upper_only" in oracle["expected"]:
        upper = printed(**_arguments(oracle), side="upper")
        assert upper == oracle["expected"]["upper_only"]


def _arguments(oracle) -> dict:
    return {"values": oracle["inputs"]["q"], "alpha": oracle["inputs"]["alpha"]}


def test_the_threshold_for_38_values():
    assert tau(38, 0.01) == pytest.approx(2.477842527184262, abs=1e-9)


def test_only_values_above_the_centre_when_asked():
    signal = [11, 24, 27, 8, 0, 7, 3]
    assert thompson_tau(signal) == [1, 2, 4]
    assert thompson_tau(signal, side="upper") == [1, 2]


@pytest.mark.parametrize("signal", [[], [5], [5, 900]])
def test_fewer_than_three_values_cannot_be_judged(signal):
    assert find_outliers(signal).indexes == ()


def test_equal_quartiles_flag_whatever_is_off_the_median():
    """Five times 7 and one 8: no spread, so the 8 stands out, and that is said."""
    found = find_outliers([7, 7, 8, 7, 7, 7])
    assert found.indexes == (2,)
    assert found.flat
    assert find_outliers([7, 7, 7]) == find_outliers([])  # nothing is off the median


def test_of_equal_distances_the_first_goes_first():
    """0 and 20 lie as far from 10; once the first is gone the other is judged anew."""
    assert thompson_tau([0, 20, 10, 10, 10, 10, 10]) == [0, 1]
    assert thompson_tau([0, 25, 8, 9, 10, 8, 2]) == [1]


def test_mean_and_deviation_on_request():
    """The plain technique: 40 among 1 to 9 pulls the mean up, and is found all the same."""
    signal = [1, 2, 3, 4, 5, 6, 7, 8, 9, 40]
    assert thompson_tau(signal, centre="mean") == [9]
    assert thompson_tau([5, 5, 5, 5], centre="mean") == []


@given(st.lists(st.integers(-50, 50), max_size=20), st.integers(-9, 9), st.integers(1, 5))
def test_moving_and_stretching_changes_nothing(values, shift, factor):
    found = find_outliers(values)
    assert find_outliers([factor * value + shift for value in values]).indexes == found.indexes
    assert find_outliers([-value for value in values]).indexes == found.indexes
    assert len(values) - len(found.indexes) >= min(2, len(values))


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_signal_is_of_finite_numbers(value):
    with pytest.raises(JobError, match="finite"):
        thompson_tau([1, 2, value])


@pytest.mark.parametrize("options", [{"alpha": 0}, {"alpha": 1}, {"side": "lower"}])
def test_options_that_are_unknown_are_refused(options):
    with pytest.raises(JobError):
        thompson_tau([1, 2, 3], **options)
