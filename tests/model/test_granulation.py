"""Partitions, chains and posets, on domains a hand can check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.errors import HierarchyError
from paretonym.model.granulation import Granulation, Partition, partition_from_labels


def granulation(*rows: str, **options: bool) -> Granulation:
    """A row is a level, a letter the label of a leaf."""
    parts = tuple(partition_from_labels(f"p{i}", list(row)) for i, row in enumerate(rows))
    return Granulation("c", tuple(rows[0]), parts, **options)


# months as letters; a quarter starts with a (January), a season with l (December)
MONTHS = "abcdefghijkl"
QUARTERS = "111222333444"
SEASONS = "wwsssuuuvvvw"
TOP = "*" * 12


def test_blocks_are_numbered_by_first_appearance():
    p = partition_from_labels("p", ["y", "x", "y", None])
    assert p.block_of.tolist() == [0, 1, 0, 2]
    assert p.labels == ("y", "x", None)
    assert p.leaves_per_block.tolist() == [2, 1, 1]


def test_refines():
    fine, coarse = partition_from_labels("f", "abcc"), partition_from_labels("c", "xxyy")
    assert fine.refines(coarse)
    assert fine.refines(fine)
    assert not coarse.refines(fine)
    assert fine.map_to(coarse).tolist() == [0, 0, 1]


def test_incomparable_partitions_refine_neither_way():
    quarter, season = partition_from_labels("q", QUARTERS), partition_from_labels("s", SEASONS)
    assert not quarter.refines(season)
    assert not season.refines(quarter)


def test_a_chain():
    g = granulation("abcd", "xxyy", "****")
    assert g.levels == 3
    assert g.is_chain
    assert g.covers == ((1,), (2,), ())
    assert g.parents == (-1, 0, 1)
    assert g.leaf_index == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_quarters_and_seasons_make_a_poset():
    g = granulation(MONTHS, QUARTERS, SEASONS, TOP)
    assert not g.is_chain
    assert g.covers == ((1, 2), (3,), (3,), ())
    assert g.parents == (-1, 0, 0, 2)
    assert g.finer.sum() == 5


def test_a_level_above_two_others_is_rolled_from_the_coarser():
    """aabbcdef has 6 blocks and xxxxyyzz has 3: the top rolls from the second."""
    g = granulation("12345678", "aabbcdef", "xxxxyyzz", "********")
    assert g.parents[3] == 2


def test_equal_partitions_are_ordered_by_their_index():
    g = granulation("ab", "cd", "**", "++")
    assert g.is_chain
    assert g.covers == ((1,), (2,), (3,), ())
    assert g.parents == (-1, 0, 1, 2)


def test_one_value():
    g = granulation("a", "*")
    assert g.covers == ((1,), ())
    assert g.partitions[1].leaves_per_block.tolist() == [1]


def test_an_open_top_must_be_declared():
    with pytest.raises(HierarchyError, match=r"top level has 2 blocks.*open_top"):
        granulation("abc", "xxy")
    assert granulation("abc", "xxy", open_top=True).levels == 2


@pytest.mark.parametrize(
    ("leaves", "partitions", "says"),
    [
        ("ab", (), "at least one level"),
        ("ab", ("xx",), "level 0 must keep every value apart"),
        ("aa", ("ab", "**"), "stands twice"),
        ("ab", ("ab", "***"), "level 1 covers 3 of 2"),
        ("ab", ("ab", "*", "**"), "level 1 covers 1 of 2"),
        ("abc", ("abc", "xyy", "pqp"), r"level 1 \('p1'\) does not nest"),
    ],
)
def test_unsound_hierarchies_are_refused(leaves, partitions, says):
    parts = tuple(partition_from_labels(f"p{i}", list(row)) for i, row in enumerate(partitions))
    with pytest.raises(HierarchyError, match=f"column 'c': .*{says}"):
        Granulation("c", tuple(leaves), parts, open_top=True)


@pytest.mark.parametrize(
    ("block_of", "labels", "says"),
    [
        ([0, 1], ("x", "x"), "same label"),
        ([0, 0], ("x", "y"), "block without values"),
        ([0, 2], ("x", "y"), "block without values"),
        ([0, -1], ("x",), "value without a block"),
        ([0, 0], (None,), "2 values without a label"),
    ],
)
def test_unsound_partitions_are_refused(block_of, labels, says):
    raw = partition_from_labels("raw", ["a", "b"])
    with pytest.raises(HierarchyError, match=says):
        Granulation("c", ("a", "b"), (raw, Partition("p", np.array(block_of), labels)))


def test_the_missing_value_may_go_without_a_label():
    raw = partition_from_labels("raw", ["a", None])
    g = Granulation("c", ("a", None), (raw, partition_from_labels("*", ["*", "*"])))
    assert g.leaf_index[None] == 1


def test_digest_tells_what_is_shown():
    base = granulation("abcd", "xxyy", "****")
    others = [
        replace(base, column="d"),
        replace(base, leaves=("a", "b", "c", "e")),
        granulation("abcd", "xxyz", "****"),
        granulation("abcd", "xxzz", "****"),
        granulation("abcd", "xxxy", "****"),
        granulation("abcd", "****"),
    ]
    assert len({base.digest, *(g.digest for g in others)}) == 1 + len(others)
    assert granulation("abcd", "xxyy", "****").digest == base.digest


def test_digest_tells_a_missing_value_from_the_word_none():
    raw = [["a", None], ["a", "None"], ["a", ""]]
    top = partition_from_labels("*", ["*", "*"])
    made = [Granulation("c", tuple(v), (partition_from_labels("r", v), top)) for v in raw]
    assert len({g.digest for g in made}) == 3


labellings = st.lists(st.lists(st.sampled_from("pqr"), min_size=6, max_size=6), max_size=5)


@given(labellings)
def test_covers_and_parents_agree_with_the_definition(rows):
    """j covers i when i < j and no level lies between; a parent is finer; all by brute force."""
    g = granulation("abcdef", *map("".join, rows), "******")
    blocks = [[p.block_of.tolist() for p in g.partitions][i] for i in range(g.levels)]

    def refines(i: int, j: int) -> bool:
        pairs = [(x, y) for x in range(6) for y in range(6) if blocks[i][x] == blocks[i][y]]
        return all(blocks[j][x] == blocks[j][y] for x, y in pairs)

    def below(i: int, j: int) -> bool:
        return i != j and refines(i, j) and (not refines(j, i) or i < j)

    every = range(g.levels)
    for i in every:
        expected = [
            j for j in every if below(i, j) and not any(below(i, m) and below(m, j) for m in every)
        ]
        assert list(g.covers[i]) == expected
    for level in range(1, g.levels):
        assert below(g.parents[level], level)


@given(labellings)
def test_heights_and_up_sets_agree_with_the_order(rows):
    """A height is one more than the largest below; an up-set is a level and all above it."""
    g = granulation("abcdef", *map("".join, rows), "******")
    for level in range(g.levels):
        below = [i for i in range(g.levels) if g.finer[i, level]]
        assert g.heights[level] == max((1 + g.heights[i] for i in below), default=0)
        above = [j for j in range(g.levels) if j == level or g.finer[level, j]]
        assert list(g.up_sets[level]) == above
