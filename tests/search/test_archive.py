"""The archive: Dewri et al.'s (2010) two theorems over random sequences, the oracles, a plain
reference.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.box_archive import BoxArchive, dominates, minimal
from tests.support.oracles import needs_oracles, oracle

from paretonym.measures import Values
from paretonym.model.front import Direction
from paretonym.search.archive import Archive, bare_vectors, largest_size
from paretonym.search.boxes import Boxing, Side
from paretonym.search.nondominated import Vectors, front_of

MOST = 8  # the largest index of a random sequence


def boxing_of(epsilon, directions=None) -> Boxing:
    directions = directions or [Direction.MAX] * len(epsilon)
    return Boxing(
        tuple(
            Side(f"m{j}", direction, Fraction(size), Fraction(MOST))
            for j, (direction, size) in enumerate(zip(directions, epsilon, strict=True))
        )
    )


def vectors(sequence, boxing: Boxing) -> Vectors:
    """Indices as values: those of minimised measures are K - index."""
    columns = np.array(sequence).T
    signed = [
        Values(column if side.direction is Direction.MAX else MOST - column)
        for column, side in zip(columns, boxing.sides, strict=True)
    ]
    return bare_vectors(signed, boxing)


def filled(sequence, epsilon, cuts=(), directions=None) -> Archive:
    return in_parts(vectors(sequence, boxing_of(epsilon, directions)), cuts)


def in_parts(batch: Vectors, cuts) -> Archive:
    """A cut ends a part, two equal ones make an empty part."""
    archive = Archive()
    edges = [0, *sorted(min(cut, len(batch)) for cut in cuts), len(batch)]
    for first, last in pairwise(edges):
        archive.offer(batch.at(np.arange(first, last)))
    return archive


def held(archive: Archive, sequence) -> list[tuple]:
    return [tuple(sequence[place]) for place in archive.members.rank]


def boxes_of(archive: Archive) -> set[tuple[int, ...]]:
    """The paper's box numbers."""
    return {tuple(row) for row in (-archive.members.boxes).tolist()}


def test_two_incomparable_vectors_share_a_box_and_the_first_stays():
    """With ceil both lie in box (1, 1); the bound of 1 holds."""
    sequence = [(0.5, 1.0), (1.0, 0.5)]
    archive = filled(sequence, (1, 1))
    assert held(archive, sequence) == [(0.5, 1.0)]
    assert boxes_of(archive) == {(1, 1)}
    assert len(archive) <= largest_size((1, 1), (1, 1), above_zero=True) == 1


def test_with_floor_the_same_two_would_break_the_bound():
    """Floor puts them into boxes (0, 1) and (1, 0), of which neither dominates the other."""
    boxes = [tuple(int(value // 1) for value in vector) for vector in [(0.5, 1.0), (1.0, 0.5)]]
    assert boxes == [(0, 1), (1, 0)]
    assert not dominates(boxes[0], boxes[1])


def test_a_bound_that_is_not_a_whole_number_is_rounded_up():
    """K = 1.5 gives two boxes (three with the one of 0), not 1.5."""
    sequence = [(1.0, 1.5), (1.5, 1.0)]
    assert held(filled(sequence, (1, 1)), sequence) == sequence
    assert largest_size((1.5, 1.5), (1, 1), above_zero=True) == 2
    assert largest_size((1.5, 1.5), (1, 1)) == 3


@needs_oracles
@pytest.mark.parametrize("name", ["pbg_box_bound_ceil", "pbg_bound_nondivisible"])
def test_the_oracles(name):
    case = oracle(name)
    given_, expected = case["inputs"], case["expected"]
    archive = filled(given_["seq"], given_["eps"])
    assert [list(v) for v in held(archive, given_["seq"])] == expected["archive"]
    bound = expected.get("correct_bound", expected.get("bound"))
    assert largest_size(given_["K"], given_["eps"], above_zero=True) == bound


def test_a_better_vector_takes_its_box_over_and_goes_to_the_end():
    """Boxes (1, 2), (2, 1); then a vector that dominates the first inside its box."""
    sequence = [(1, 3), (3, 1), (2, 3), (2, 3)]
    assert list(filled(sequence, (2, 2)).members.rank) == [1, 2]


def test_nothing_offered_is_nothing_held():
    archive = Archive()
    assert len(archive) == len(archive.members) == 0
    archive.offer(vectors([(1, 1)], boxing_of((1, 1))).at(np.empty(0, np.int64)))
    assert len(archive) == 0


sizes = st.sampled_from([Fraction(1, 2), *(Fraction(n) for n in (1, 2, 3, 4)), Fraction(7, 3)])
cases = st.integers(1, 4).flatmap(
    lambda r: st.tuples(
        st.lists(st.tuples(*[st.integers(0, MOST)] * r), min_size=1, max_size=40),
        st.tuples(*[sizes] * r),
        st.lists(st.integers(0, 40), max_size=4),
        st.tuples(*[st.sampled_from(Direction)] * r),
    )
)


@settings(max_examples=500, deadline=None)
@given(cases)
def test_batches_equal_the_reference_member_by_member(case):
    sequence, epsilon, cuts, directions = case
    reference = BoxArchive(epsilon)
    for vector in sequence:
        reference.offer(vector)
    archive = filled(sequence, epsilon, cuts, directions)
    assert list(archive.members.rank) == reference.places


@settings(max_examples=300, deadline=None)
@given(cases)
def test_theorem_1_only_minimal_members_and_exactly_the_best_boxes(case):
    sequence, epsilon, cuts, _ = case
    archive = filled(sequence, epsilon, cuts)
    assert set(held(archive, sequence)) <= minimal(sequence)
    box_of = BoxArchive(epsilon).box_of
    assert boxes_of(archive) == minimal([box_of(vector) for vector in sequence])


@settings(max_examples=300, deadline=None)
@given(cases)
def test_theorem_2_the_archive_is_bounded(case):
    sequence, epsilon, cuts, _ = case
    archive = filled(sequence, epsilon, cuts)
    assert len(archive) <= largest_size([MOST] * len(epsilon), epsilon)


@settings(max_examples=300, deadline=None)
@given(cases)
def test_the_best_boxes_of_all_are_those_of_the_front(case):
    """Whoever is dominated lies in a box no better than that of a front's vector."""
    sequence, epsilon, _, _ = case
    box_of = BoxArchive(epsilon).box_of
    every = minimal([box_of(vector) for vector in sequence])
    assert every == minimal([box_of(vector) for vector in minimal(sequence)])


@settings(max_examples=200, deadline=None)
@given(cases)
def test_boxes_of_one_keep_every_best_vector(case):
    """Integers in boxes of one: the plain non-dominated set, each by the first that had it."""
    sequence, _, cuts, _ = case
    ones = (1,) * len(sequence[0])
    archive = filled(sequence, ones, cuts)
    assert set(held(archive, sequence)) == minimal(sequence)
    plain = front_of(vectors(sequence, boxing_of(ones)))
    assert sorted(archive.members.rank) == sorted(plain.rank)


@settings(max_examples=200, deadline=None)
@given(cases)
def test_without_boxes_the_parts_do_not_matter(case):
    """The front of all at once: the same vectors, the same nodes, the same ties."""
    sequence, epsilon, cuts, _ = case
    boxed = vectors(sequence, boxing_of(epsilon))
    plain = replace(boxed, boxes=boxed.boxes[:, :0])
    archive, once = in_parts(plain, cuts), front_of(plain)
    assert list(archive.members.rank) == list(once.rank)
    assert list(archive.members.ties) == list(once.ties)
    assert set(held(archive, sequence)) == minimal(sequence)
