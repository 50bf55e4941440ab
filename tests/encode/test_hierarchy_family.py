"""Families of partitions that form a poset."""

from __future__ import annotations

import pytest

from paretonym.encode.hierarchies import build
from paretonym.errors import HierarchyError
from paretonym.model.hierarchy import (
    Dates,
    Family,
    FromFile,
    Groups,
    OrderedGroups,
    Suppress,
)

MONTHS = tuple(f"{month:02d}/2020" for month in range(1, 13))
SEASONS = Groups(
    (
        (
            ("winter", (MONTHS[11], MONTHS[0], MONTHS[1])),
            ("spring", MONTHS[2:5]),
            ("summer", MONTHS[5:8]),
            ("autumn", MONTHS[8:11]),
        ),
    )
)
MONTH = Dates("%m/%Y", ("month",))
QUARTER = Dates("%m/%Y", ("quarter",))


def test_month_quarter_season():
    spec = Family((("month", MONTH), ("quarter", QUARTER), ("season", SEASONS)))
    g = build(spec, "birth", [*MONTHS, None])
    assert [p.name for p in g.partitions] == ["value", "month", "quarter", "season", "*"]
    assert [p.blocks for p in g.partitions] == [13, 13, 5, 5, 1]
    assert g.declared
    assert not g.is_chain
    assert g.covers == ((1,), (2, 3), (4,), (4,), ())
    # ordered along raw < month < quarter < *, in time; seasons lie across
    assert g.leaves == (*MONTHS, None)
    assert g.partitions[2].block_of.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4]
    assert g.partitions[3].block_of.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 4]
    assert g.partitions[3].labels[4] is None


def test_a_declared_domain_is_everyones():
    """Only one month occurs, but the seasons declare twelve, and quarters cover them all."""
    g = build(Family((("quarter", QUARTER), ("season", SEASONS))), "birth", [MONTHS[0]])
    assert len(g.leaves) == 12
    assert g.partitions[1].blocks == 4


def test_leaves_follow_the_longest_chain():
    """Season is listed first, but quarter and half make the longer chain."""
    half = Groups(((("first", MONTHS[:6]), ("second", MONTHS[6:])),))
    spec = Family((("season", SEASONS), ("quarter", QUARTER), ("half", half)))
    g = build(spec, "birth", MONTHS)
    assert g.covers == ((1, 2), (4,), (3,), (4,), ())
    assert (g.partitions[2].block_of[1:] >= g.partitions[2].block_of[:-1]).all()
    assert (g.partitions[1].block_of[1:] < g.partitions[1].block_of[:-1]).any()


def test_without_dates_leaves_are_ordered_by_label(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text("a;y\nb;x\nc;y\n")
    g = build(Family((("f", FromFile(file)),)), "x", ["a", None])
    assert g.leaves == ("b", "a", "c", None)
    assert [p.labels for p in g.partitions][1:] == [("x", "y", None), ("*",)]


def test_a_file_may_place_the_missing_value_for_one_partition(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text("a;x\n;x\nb;y\n")
    spec = Family((("f", FromFile(file)), ("runs", OrderedGroups(("a", "b"), (2,)))))
    g = build(spec, "x", ["a"])
    assert g.partitions[1].blocks == 2
    assert set(g.partitions[2].labels) == {"a to b", None}
    assert g.partitions[3].labels == ("*",)


def test_one_value():
    g = build(Family((("month", MONTH), ("quarter", QUARTER))), "birth", ["01/2020"])
    assert [p.blocks for p in g.partitions] == [1, 1, 1, 1]
    assert g.covers == ((1,), (2,), (3,), ())


@pytest.mark.parametrize(
    ("partitions", "says"),
    [
        ((), "at least one partition"),
        ((("m", MONTH), ("m", QUARTER)), "share a name"),
        ((("m", MONTH), ("n", MONTH)), "defined alike"),
        ((("none", Suppress()),), "'none': it has no level"),
        ((("q", QUARTER), ("m", MONTH)), "'m' nests in 'q', which stands before it"),
        ((("s", SEASONS), ("r", OrderedGroups(MONTHS[:2], (2,)))), "10 values of the column"),
    ],
)
def test_bad_families(partitions, says):
    with pytest.raises(HierarchyError, match=f"column 'birth'.*{says}"):
        build(Family(partitions), "birth", MONTHS[:2])


def test_no_value_and_no_declared_domain():
    with pytest.raises(HierarchyError, match="no value occurs"):
        build(Family((("m", MONTH),)), "birth", [])
