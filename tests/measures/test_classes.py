"""Classes by one key for all attributes are those by one attribute after the other."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.support.small_tables import engine_parts, small_tables

from paretonym.encode.histogram import count_column
from paretonym.measures import ClassTable
from paretonym.measures.classes import classes_of


@st.composite
def block_tables(draw):
    widths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    row = st.tuples(*(st.integers(0, width - 1) for width in widths))
    rows = draw(st.lists(row, min_size=1, max_size=30))
    return np.array(rows, np.int64).reshape(len(rows), len(widths)), widths


@given(block_tables())
def test_one_key_and_one_attribute_after_the_other_agree(table):
    """The classes, their order, and the rows that stand for them."""
    blocks, widths = table
    first, group = classes_of(blocks, widths)
    first_apart, group_apart = classes_of(blocks, widths, widest=0)
    assert group.tolist() == group_apart.tolist()
    assert blocks[first].tolist() == blocks[first_apart].tolist()
    assert [tuple(row) for row in blocks[first]] == sorted({tuple(row) for row in blocks})
    assert np.array_equal(blocks[first][group], blocks)


def test_widths_that_no_64_bits_hold():
    """Seven columns of a thousand values are 10²¹ keys; two rows differ in the first alone."""
    blocks = np.zeros((3, 7), np.int64)
    blocks[1, 0] = 999
    first, group = classes_of(blocks, [1000] * 7)
    assert group.tolist() == [0, 1, 0]
    assert first.tolist() == [0, 1]
    edge = np.zeros((2, 63), np.int64)  # 2⁶³ keys: the largest is the largest integer
    edge[0] = 1
    assert classes_of(edge, [2] * 63)[1].tolist() == [1, 0]


@given(small_tables(), st.data())
def test_counts_and_lists_agree(table, data):
    """Dense counting and sorting give the same lists; a full table holds the same numbers."""
    histogram, lattice, _, _ = engine_parts(table, [])
    node = lattice.unrank(data.draw(st.integers(0, lattice.size - 1)))
    classes = ClassTable(histogram, lattice.granulations, node)
    lists, full = classes.count_lists("sensitive"), classes.counts("sensitive")
    sparse = np.zeros_like(full)
    sparse[lists.combination, lists.code] = lists.count
    assert full.tolist() == sparse.tolist()
    raw = histogram.counts["sensitive"]
    many = 100 * len(raw.code) + len(classes)  # so many classes, most of them empty, are sorted
    slow = count_column(raw.values, classes.class_of[raw.combination], raw.code, raw.count, many)
    assert slow.code.tolist() == lists.code.tolist()
    assert slow.count.tolist() == lists.count.tolist()
    assert slow.offset[: len(classes) + 1].tolist() == lists.offset.tolist()
