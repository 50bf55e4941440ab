"""Choosing a point of a front whose six numbers one can see."""

from __future__ import annotations

import pytest

from paretonym.decide import pick
from paretonym.errors import InfeasibleError, JobError
from paretonym.model.candidate import Candidate, Counts, SuppressBelow
from paretonym.model.front import Direction, Front, Objective


def entry(k: int, glm: float, diversity: int, suppressed: int = 0) -> Candidate:
    values = {"k": k, "glm": glm, "distinct_l(a, b)": diversity}
    return Candidate({"age": k}, (SuppressBelow(1),), Counts(suppressed=suppressed), values)


FRONT = Front(
    method="exhaustive", exact=True, nodes=4, evaluated=4, rows=1_000, table="",
    objectives=(
        Objective("k", Direction.MAX),
        Objective("glm", Direction.MIN),
        Objective("distinct_l(a, b)", Direction.MAX),
    ),
    entries=(
        entry(1, 0, 1), entry(4, 20, 2, 30), entry(6, 30, 2), entry(6, 35, 5), entry(10, 100, 5),
    ),
)  # fmt: skip


def test_the_first_other_objective_decides():
    assert pick(FRONT, "k>=5").values["glm"] == 30


def test_a_condition_on_two_objectives_leaves_the_third_to_decide():
    assert pick(FRONT, "k>=5, glm<=40").values["distinct_l(a, b)"] == 5


def test_a_column_with_a_comma_in_its_name_can_be_named():
    assert pick(FRONT, "distinct_l(a, b)>=5").values["k"] == 10


@pytest.mark.parametrize(("how", "k"), [("suppressed>2%", 4), ("suppressed = 30", 4), ("k<4", 1)])
def test_suppression_in_rows_or_percent(how, k):
    assert pick(FRONT, how).values["k"] == k


def test_the_knee_is_closest_to_the_best_of_everything():
    """(6, 35, 5): 4/9 of k's range, 0.35 of glm's and nothing of the third's is given up."""
    assert pick(FRONT, "knee").values["glm"] == 35


def test_weights_count_shares_of_the_range():
    assert pick(FRONT, "weights k=1").values["k"] == 10
    assert pick(FRONT, "weights glm=1").values["k"] == 1
    assert pick(FRONT, "weights k=1 glm=0.1 distinct_l(a, b)=1").values["k"] == 10


@pytest.mark.parametrize(
    "how",
    ["", "k", "k>=", "k>=five", "kk>=5", "glm<=5%", "weights", "weights x=1", "weights k=x",
     "weights k=-1", "weights k=nan", "best"],
)  # fmt: skip
def test_what_cannot_be_understood_is_an_error(how):
    with pytest.raises(JobError):
        pick(FRONT, how)


@pytest.mark.parametrize(
    "how", ["k>=0", "k>=2.5", "distinct_l(a, b)>=0.5", "glm<=-1", "suppressed<=-1%", "k>=1e999"]
)
def test_a_bound_lies_where_its_measure_can(how):
    """What `require` refuses, a condition refuses."""
    with pytest.raises(JobError, match=r"never below|whole number|too large"):
        pick(FRONT, how)


def test_a_condition_nothing_meets_says_how_far_the_front_reaches():
    with pytest.raises(InfeasibleError, match="reaches k = 10"):
        pick(FRONT, "k>=50")
