"""Convergence error and representation ratio, by hand (Dewri et al. 2010, section 7)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from paretonym.model.front import Direction
from paretonym.search.boxes import Boxing, Side
from paretonym.search.quality import convergence_error, quality_indices, representation_ratio

TRUE = np.array([[10.0, 0.0], [5.0, 4.0], [0.0, 8.0]])  # maxima 10 and 8


def test_what_is_on_the_front_has_no_error() -> None:
    assert convergence_error(TRUE[[2, 0]], TRUE) == 0
    assert convergence_error(TRUE[:0], TRUE) == 0


def test_distances_are_scaled_by_the_maxima_and_added_up() -> None:
    """(7, 0) is .3 from (10, 0), (5, 0) is .5 from (5, 4), (2, 8) is .2 from (0, 8)."""
    assert convergence_error(np.array([[7.0, 0.0]]), TRUE) == pytest.approx(0.3)
    assert convergence_error(np.array([[5.0, 0.0]]), TRUE) == pytest.approx(0.5)
    all_three = np.array([[7.0, 0.0], [5.0, 0.0], [2.0, 8.0]])
    assert convergence_error(all_three, TRUE) == pytest.approx(0.3 + 0.5 + 0.2)


def test_distances_are_euclidean() -> None:
    """(7, -3.2) misses (10, 0) by .3 and .4: .5 in all."""
    assert convergence_error(np.array([[7.0, -3.2]]), TRUE) == pytest.approx(0.5)


def test_an_index_that_is_zero_everywhere_is_not_scaled() -> None:
    true = np.array([[2.0, 0.0], [1.0, 0.0]])
    assert convergence_error(np.array([[2.0, 0.0]]), true) == 0
    assert convergence_error(np.array([[1.5, 0.0]]), true) == pytest.approx(0.25)


def test_the_ratio_counts_boxes_that_no_other_box_dominates() -> None:
    """(0, 9), (1, 4) and (5, 0) stand; (2, 4) is behind (1, 4). Smaller is better."""
    true = np.array([[5, 0], [1, 4], [2, 4], [0, 9], [1, 4]])
    assert representation_ratio(true, true) == 1
    assert representation_ratio(np.array([[1, 4], [2, 4]]), true) == pytest.approx(1 / 3)
    assert representation_ratio(np.array([[1, 4], [0, 9], [0, 9]]), true) == pytest.approx(2 / 3)
    assert representation_ratio(np.empty((0, 2), np.int64), true) == 0
    assert representation_ratio(np.array([[2, 4]]), true) == 0


def test_a_loss_enters_as_what_is_left_of_its_maximum() -> None:
    """GLM of 3 out of 20 leaves 17; k stays k."""
    one = Fraction(1)
    boxing = Boxing((Side("k", Direction.MAX, one), Side("glm", Direction.MIN, one, Fraction(20))))
    values = np.array([[5.0, 3.0], [1.0, 0.0]])
    assert quality_indices(values, boxing).tolist() == [[5, 17], [1, 20]]
    assert values.tolist() == [[5, 3], [1, 0]]
