"""The archive of paper 000: its two theorems over random sequences, and the oracles' cases."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.search.archive import BoxArchive, dominates, largest_size


def filled(sequence, epsilon):
    archive = BoxArchive(epsilon)
    for vector in sequence:
        archive.offer(vector)
    return archive


def test_two_incomparable_vectors_share_a_box_and_the_first_stays():
    """pbg_box_bound_ceil: with ceil both lie in box (1, 1); the bound of 1 holds."""
    archive = filled([(0.5, 1.0), (1.0, 0.5)], (1, 1))
    assert archive.members == ((0.5, 1.0),)
    assert archive.boxes == {(1, 1)}


def test_with_floor_the_same_two_would_break_the_bound():
    """pbg_box_bound_floor_counterexample: floor puts them into boxes (0, 1) and (1, 0)."""
    boxes = [tuple(int(value // 1) for value in vector) for vector in [(0.5, 1.0), (1.0, 0.5)]]
    assert boxes == [(0, 1), (1, 0)]
    assert not dominates(boxes[0], boxes[1])


def test_a_bound_that_is_not_a_whole_number_is_rounded_up():
    """pbg_bound_nondivisible: K = 1.5 gives two boxes (three with the one of 0), not 1.5."""
    archive = filled([(1.0, 1.5), (1.5, 1.0)], (1, 1))
    assert archive.members == ((1.0, 1.5), (1.5, 1.0))
    assert len(archive) == 2 <= largest_size((1.5, 1.5), (1, 1)) == 3


def test_boxes_are_exact():
    assert BoxArchive([Fraction(1, 10)]).box_of([Fraction(3, 10)]) == (3,)


@pytest.mark.parametrize("epsilon", [(), (0,), (-1, 1), (float("nan"),), (float("inf"), 1)])
def test_a_box_needs_a_size(epsilon):
    with pytest.raises(JobError, match="above zero"):
        BoxArchive(epsilon)


sizes = st.integers(1, 4)
cases = st.integers(1, 4).flatmap(
    lambda r: st.tuples(
        st.lists(st.tuples(*[st.integers(0, 8)] * r), min_size=1, max_size=40),
        st.tuples(*[sizes] * r),
    )
)


@settings(max_examples=300)
@given(cases)
def test_theorem_1_only_minimal_members_and_exactly_the_best_boxes(case):
    sequence, epsilon = case
    archive = filled(sequence, epsilon)
    assert not any(dominates(seen, held) for seen in sequence for held in archive.members)
    boxes = {archive.box_of(vector) for vector in sequence}
    best = {box for box in boxes if not any(dominates(other, box) for other in boxes)}
    assert archive.boxes == best


@settings(max_examples=300)
@given(cases)
def test_theorem_2_the_archive_is_bounded(case):
    sequence, epsilon = case
    archive = filled(sequence, epsilon)
    assert len(archive) <= largest_size([8] * len(epsilon), epsilon)


@given(cases)
def test_boxes_of_one_keep_every_best_vector(case):
    """Integers in boxes of one: the plain non-dominated set."""
    sequence, _ = case
    archive = filled(sequence, (1,) * len(sequence[0]))
    seen = set(sequence)
    best = {v for v in seen if not any(dominates(other, v) for other in seen)}
    assert set(archive.members) == best
