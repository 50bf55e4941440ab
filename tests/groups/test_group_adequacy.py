"""Confusion matrices of outliers: published figures, and the Bayes test by its double sum."""

from __future__ import annotations

import importlib
import json
import math
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.groups import Adequacy, adequacy
from paretonym.groups.adequacy import MOST_TESTED, log_bayes_factors

# the package has a function of this name
adequacy_module = importlib.import_module("paretonym.groups.adequacy")

SHARED = Path(__file__).resolve().parents[3] / "shared" / "oracles.json"
FOUND = json.loads(SHARED.read_text()) if SHARED.exists() else []
SMALL = [one for one in FOUND if one["id"].startswith("MB_small")]
TABLES = [one for one in FOUND if one["id"] in ("table6_001", "table7_001")]

FIRST = Adequacy(tp=60, fn=38, fp=4, tn=785)  # 2000, Tavrov and Chertov's (2016) Table 6
SECOND = Adequacy(tp=42, fn=39, fp=8, tn=564)  # 2013, Tavrov and Chertov's (2016) Table 7


def of(matrix: list[list[int]]) -> Adequacy:
    (tp, fn), (fp, tn) = matrix
    return Adequacy(tp=tp, fn=fn, fp=fp, tn=tn)


@pytest.mark.parametrize(
    ("table", "pa", "printed_j", "youden_j", "mb", "first", "last"),
    [
        (FIRST, 0.9526493799, 0.8913274605, 0.6071751895, 98.04699819836627, 136.0064935985573,
         98.04699819836627),
        (SECOND, 0.9280245023, 0.7753233831, 0.5045325045, 55.06665076442059, 75.59807620620818,
         55.06665076442059),
    ],
    ids=["2000", "2013"],
)  # fmt: skip
def test_the_published_matrices(table, pa, printed_j, youden_j, mb, first, last):
    """What the paper prints as J is the predictive variant; its 0.930 is 606 of 653, 0.928."""
    assert table.pa == pytest.approx(pa, abs=1e-9)
    assert table.predictive_j == pytest.approx(printed_j, abs=1e-9)
    assert table.youden_j == pytest.approx(youden_j, abs=1e-9)
    factors = log_bayes_factors(table)
    assert table.mb == pytest.approx(mb, abs=1e-8)
    assert factors[0, 0] == pytest.approx(first, abs=1e-8)
    assert factors[-1, -1] == pytest.approx(last, abs=1e-8)


def test_the_self_test_of_the_published_program():
    """Olivetti's own figure for ten and ten, all classified rightly."""
    factors = log_bayes_factors(Adequacy(10, 0, 0, 10))
    assert factors[10, 10] == pytest.approx(6.84847922794, abs=1e-9)


@pytest.mark.parametrize("oracle", SMALL, ids=lambda one: one["id"])
def test_small_matrices(oracle):
    table, expected = of(oracle["inputs"]["Z"]), oracle["expected"]
    factors = log_bayes_factors(table)
    assert table.mb == pytest.approx(expected["MB"], abs=1e-9)
    assert factors[0, 0] == pytest.approx(expected["logB00"], abs=1e-9)
    assert factors[-1, -1] == pytest.approx(expected["logB_n1n2"], abs=1e-9)


def test_the_least_factor_is_not_always_in_the_corner():
    table = Adequacy(tp=3, fn=5, fp=4, tn=6)
    assert table.mb == pytest.approx(-0.6551640913270198, abs=1e-9)
    assert log_bayes_factors(table)[-1, -1] == pytest.approx(-0.44042517713083384, abs=1e-9)


@pytest.mark.parametrize("oracle", TABLES, ids=lambda one: one["id"])
def test_the_states_of_the_published_tables_add_up(oracle):
    """Outliers, undisclosed, found, false: the matrix of each state, and all of them together."""
    total = Adequacy(0, 0, 0, 0)
    for _, outliers, undisclosed, found, false in oracle["inputs"]["rows"]:
        assert outliers - undisclosed == found - false
        total += Adequacy(tp=outliers - undisclosed, fp=false, fn=undisclosed, tn=0)
    assert [total.tp + total.fn, total.fn, total.tp + total.fp, total.fp] == (
        oracle["expected"]["totals"]
    )


def double_sum(table: Adequacy, t1: int, t2: int) -> Fraction:
    """B(t1, t2) as printed (Tavrov and Chertov 2016, eq. 21), rows being the true classes."""
    n1, n2 = table.tp + table.fn, table.fp + table.tn
    total = sum(
        Fraction(
            comb(t1, i) ** 2 * comb(t2, j) ** 2,
            comb(t1 + t2, i + j) * comb(n1 + t1, table.tp + i) * comb(n2 + t2, table.fp + j),
        )
        for i in range(t1 + 1)
        for j in range(t2 + 1)
    )
    shape = Fraction((n1 + n2 + 1) * (t1 + 1) * (t2 + 1), (n1 + t1 + 1) * (n2 + t2 + 1))
    return shape / (t1 + t2 + 1) * comb(n1 + n2, table.tp + table.fp) * total


@settings(max_examples=60, deadline=None)
@given(st.builds(Adequacy, *(st.integers(0, 5) for _ in range(4))))
def test_every_factor_equals_the_double_sum(table: Adequacy):
    factors = log_bayes_factors(table)
    exact = {
        (t1, t2): double_sum(table, t1, t2)
        for t1 in range(table.tp + table.fn + 1)
        for t2 in range(table.fp + table.tn + 1)
    }
    for place, factor in exact.items():
        assert factors[place] == pytest.approx(math.log(factor), abs=1e-9)
    assert table.mb == pytest.approx(math.log(min(exact.values())), abs=1e-9)


def test_outliers_are_compared_by_their_places():
    """Of 10 places 1, 2, 3 are true and 3, 4 found: one hit, one wrong, two missed, six left."""
    assert adequacy([1, 2, 3], [3, 4], 10) == Adequacy(tp=1, fp=1, fn=2, tn=6)
    assert adequacy([], [], 0).pa is None


def test_a_share_of_nothing_is_none():
    """Nobody found: what was found cannot be right or wrong, but half of all places agree."""
    table = adequacy([0], [], 2)
    assert table.pa == 0.5
    assert table.predictive_j is None
    assert table.youden_j == 0
    assert adequacy([], [], 2).youden_j is None


@pytest.mark.parametrize("place", [-1, 3])
def test_a_place_outside_is_refused(place):
    with pytest.raises(JobError, match="outside the 3 values"):
        adequacy([place], [], 3)


def test_a_matrix_is_tested_once(monkeypatch):
    """A result is written, drawn and printed, and 3,000 areas take seconds."""
    tested = []

    def counted(table: Adequacy):
        tested.append(table)
        return log_bayes_factors(table)

    monkeypatch.setattr(adequacy_module, "log_bayes_factors", counted)
    for _ in range(3):
        table = Adequacy(tp=17, fp=3, fn=5, tn=71)
        assert table.evidence == "decisive"
        assert table.to_json()["mb"] == table.mb
    assert len(tested) == 1


def test_long_sums_equal_exact_ones():
    """The corners and the middle of 300 and 300, where thousands of terms vanish."""
    table = Adequacy(tp=200, fp=20, fn=100, tn=280)
    factors = log_bayes_factors(table)
    for place in ((0, 0), (300, 0), (150, 30), (60, 60)):
        exact = double_sum(table, *place)
        assert factors[place] == pytest.approx(log_of(exact), abs=1e-9)


def log_of(number: Fraction) -> float:
    """Also of what no float can hold."""
    return math.log(number.numerator) - math.log(number.denominator)


def test_too_many_areas_are_not_tested():
    """Nothing is said rather than something that may be wrong."""
    table = Adequacy(10, 10, 10, MOST_TESTED - 29)
    assert (table.mb, table.evidence) == (None, "not computed")
    assert table.to_json()["mb"] is None
    assert table.youden_j is not None
