"""Ranks, covers and the product order, on lattices one can draw."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from paretonym.errors import JobError
from paretonym.lattice import Lattice
from paretonym.model.granulation import Granulation, partition_from_labels


def family(column: str, *levels: str) -> Granulation:
    """Levels as strings of one label a leaf: family("a", "1234", "1122", "****")."""
    partitions = [partition_from_labels(str(i), list(text)) for i, text in enumerate(levels)]
    return Granulation(column, tuple(levels[0]), tuple(partitions))


CHAIN = family("age", "1234", "1122", "****")
DIAMOND = family("date", "1234", "1122", "1212", "****")
LATTICE = Lattice.of([CHAIN, DIAMOND])


def test_ranks_number_the_nodes_in_lexicographic_order():
    nodes = list(itertools.product(range(3), range(4)))
    assert LATTICE.size == 12
    assert [LATTICE.rank(node) for node in nodes] == list(range(12))
    assert [LATTICE.unrank(rank) for rank in range(12)] == nodes


def test_direct_successors_move_one_attribute_to_one_of_its_covers():
    assert set(LATTICE.upper_covers((0, 0))) == {(1, 0), (0, 1), (0, 2)}
    assert set(LATTICE.upper_covers((2, 1))) == {(2, 3)}
    assert set(LATTICE.upper_covers(LATTICE.coarsest)) == set()


def test_order_is_the_product_of_the_attributes_orders():
    assert LATTICE.below((0, 1), (1, 3))
    assert not LATTICE.below((0, 1), (1, 2))  # 1122 and 1212 do not nest
    assert LATTICE.below((1, 1), (1, 1))
    assert all(LATTICE.below(LATTICE.finest, LATTICE.unrank(r)) for r in range(12))


def test_levels_by_name():
    assert LATTICE.node_of({"date": 2, "age": 1}) == (1, 2)
    assert LATTICE.named((1, 2)) == {"age": 1, "date": 2}


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"age": 1}, "no level is given for date"),
        ({"age": 3, "date": 0}, "levels 0 to 2"),
        ({"agee": 0, "age": 0, "date": 0}, "did you mean 'age'"),
    ],
)
def test_wrong_levels_are_explained(levels, message):
    with pytest.raises(JobError, match=message):
        LATTICE.node_of(levels)


def test_a_lattice_may_be_larger_than_any_machine_integer():
    many = Lattice.of([CHAIN] * 64)
    assert many.size == 3**64
    assert many.unrank(many.size - 1) == many.coarsest


def test_an_up_set_is_an_index_of_all_nodes_at_least_as_coarse():
    for node in itertools.product(range(3), range(4)):
        marked = np.zeros(LATTICE.levels, np.bool_)
        marked[LATTICE.up_set(node)] = True
        assert {tuple(other) for other in np.argwhere(marked)} == {
            other for other in itertools.product(range(3), range(4)) if LATTICE.below(node, other)
        }
