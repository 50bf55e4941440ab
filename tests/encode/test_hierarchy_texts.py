"""Masks, dates, groups and suppression, each on values a hand can check."""

from __future__ import annotations

import pytest

from paretonym.encode.hierarchies import build
from paretonym.errors import HierarchyError
from paretonym.model.hierarchy import Dates, Groups, Mask, OrderedGroups, Suppress


def labels(granulation):
    return [p.labels for p in granulation.partitions]


def test_mask_right():
    g = build(Mask("right"), "zip", ["12345", "12399", "20000"])
    assert labels(g)[1:] == [
        ("1234*", "1239*", "2000*"),
        ("123**", "200**"),
        ("12***", "20***"),
        ("1****", "2****"),
        ("*",),
    ]
    assert g.levels == 6


def test_mask_left():
    assert labels(build(Mask("left"), "x", ["ab", "cb"]))[1:] == [("*b",), ("*",)]


def test_mask_pads_short_values_on_the_masked_side():
    """With a longest length of 3, the third character of '1' and '12' is a blank."""
    assert labels(build(Mask("right"), "x", ["1", "12", "123"])) == [
        ("1", "12", "123"),
        ("1*", "12*"),
        ("1**",),
        ("*",),
    ]
    assert labels(build(Mask("left"), "x", ["1", "21", "321"]))[1:] == [
        ("*1", "*21"),
        ("**1",),
        ("*",),
    ]


def test_missing_joins_the_masked_top():
    g = build(Mask("right"), "x", ["ab", None, "ac"])
    assert labels(g) == [("ab", "ac", None), ("a*", None), ("*",)]


def test_mask_of_an_empty_text_alone():
    assert labels(build(Mask("right"), "x", [""])) == [("",), ("*",)]


def test_mask_refuses_very_long_values():
    with pytest.raises(HierarchyError, match="longest value has 101"):
        build(Mask("right"), "x", ["y" * 101])


def test_dates_of_every_unit():
    spec = Dates("%d/%m/%Y", ("day", "month", "quarter", "year", "decade"))
    g = build(spec, "birth", ["01/03/2020"])
    assert labels(g)[1:-1] == [("2020-03-01",), ("2020-03",), ("2020-Q1",), ("2020",), ("2020s",)]
    g = build(Dates("%d/%m/%Y", ("week",)), "birth", ["01/03/2020", "30/12/2019", "02/01/2020"])
    assert labels(g)[1] == ("2020-W01", "2020-W09")


def test_dates_are_in_order_of_time():
    g = build(Dates("%d/%m/%y", ("month", "year")), "birth", ["02/01/99", "01/02/98", "03/03/03"])
    assert g.leaves == ("01/02/98", "02/01/99", "03/03/03")
    assert labels(g)[1:] == [("1998-02", "1999-01", "2003-03"), ("1998", "1999", "2003"), ("*",)]


def test_a_day_may_lie_in_weeks():
    assert build(Dates("%Y-%m-%d", ("day", "week")), "d", ["2020-01-01", "2021-01-01"]).is_chain


def test_a_format_needs_only_the_units_asked_for():
    assert labels(build(Dates("%Y", ("decade",)), "d", ["1999", "2001"]))[1] == ("1990s", "2000s")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (Dates("%Y-%m-%d", ()), "at least one unit"),
        (Dates("%Y-%m-%d", ("fortnight",)), "unknown"),  # type: ignore[arg-type]
        (Dates("%Y-%m-%d", ("week", "month")), "week does not nest in month.*follow: nothing"),
        (Dates("%Y-%m-%d", ("week", "year")), "week does not nest"),
        (Dates("%Y-%m-%d", ("month", "week")), "month does not nest in week"),
        (Dates("%Y-%m-%d", ("year", "month")), "year does not nest in month"),
        (Dates("%Y-%m-%d", ("month", "month")), "month does not nest in month"),
        (Dates("%d/%m", ("month",)), "does not state the month"),
        (Dates("%Y", ("month",)), "does not state the month"),
        (Dates("%Y-%m", ("day",)), "does not state the day"),
        (Dates("%Y-%Q", ("year",)), "not a date format"),
        (Dates("%Y %Y", ("year",)), "not a date format"),
        (Dates("%Y%", ("year",)), "not a date format"),
        (Dates("", ("year",)), "does not state the year"),
    ],
)
def test_bad_date_specifications(spec, says):
    with pytest.raises(HierarchyError, match=f"column 'birth'.*{says}"):
        build(spec, "birth", ["2020-01-01"])


def test_texts_that_are_no_dates_are_counted_not_quoted():
    with pytest.raises(HierarchyError, match="2 values of 3") as caught:
        build(Dates("%Y-%m-%d", ("year",)), "birth", ["2020-01-01", "2020-02-30", "secret"])
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_ordered_groups():
    spec = OrderedGroups(("low", "mid", "high", "top", "peak"), (2, 4))
    g = build(spec, "x", ["mid", None])
    assert g.declared
    assert g.leaves == ("low", "mid", "high", "top", "peak", None)
    assert labels(g)[1:] == [
        ("low to mid", "high to top", "peak", None),
        ("low to top", "peak", None),
        ("*",),
    ]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (OrderedGroups((), (2,)), "list of order"),
        (OrderedGroups(("a", "b"), ()), "list of sizes"),
        (OrderedGroups(("a", "a", "b"), (2,)), "1 value of the order listed more than once"),
        (OrderedGroups(("a", ""), (2,)), "empty value"),
        (OrderedGroups(("a", "b"), (0,)), "start at 2"),
        (OrderedGroups(("a", "b"), (1, 2)), "start at 2"),
        (OrderedGroups(("a", "b"), (2, 3)), "divide the next"),
        (OrderedGroups(("a", "b"), (4, 2)), "ascend"),
        (OrderedGroups(("a", "b to c", "a to b", "c"), (2,)), "same label"),
        (OrderedGroups(("a", "b"), (2,)), "1 value of the column is not among the 2"),
    ],
)
def test_bad_ordered_groups(spec, says):
    with pytest.raises(HierarchyError, match=f"column 'x'.*{says}"):
        build(spec, "x", ["zzz"])


PETS = (("pet", ("cat", "dog")), ("farm", ("cow",)), ("wild", ("fox", "")))


def test_groups_of_groups():
    spec = Groups((PETS, (("tame", ("pet", "farm")), ("free", ("wild",)))))
    g = build(spec, "animal", ["cow"])
    assert g.declared
    assert g.leaves == ("fox", None, "cow", "cat", "dog")
    assert labels(g)[1:] == [("wild", "farm", "pet"), ("free", "tame"), ("*",)]


def test_open_groups():
    g = build(Groups((PETS,), open_top=True), "animal", [])
    assert g.levels == 2
    assert g.partitions[-1].blocks == 3


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        ((), "at least one level"),
        (((),), "no members"),
        (((("pet", ()),),), "group 1 has no members"),
        (((("pet", ("cat",)), ("pet", ("dog",))),), "1 group name used twice"),
        (((("pet", ("cat",)), ("wild", ("cat",))),), "1 member listed more than once"),
        (((("", ("cat",)),),), "empty name"),
        ((PETS, (("tame", ("pet", "farm")),)), "level 2: 1 group of the level below is in none"),
        (
            (PETS, (("all", ("pet", "farm", "wild", "cat")),)),
            "level 2: 1 member named no group of the level below",
        ),
        ((PETS,), "1 value of the column is not among the 5"),
    ],
)
def test_bad_groups(levels, says):
    with pytest.raises(HierarchyError, match=f"column 'animal'.*{says}"):
        build(Groups(levels), "animal", ["zebra"])


def test_other_takes_every_value_that_no_group_names():
    """cat and dog are pets; emu and owl are named nowhere; the missing value stays apart."""
    spec = Groups(((("pet", ("cat", "dog")),),), other="rest")
    g = build(spec, "animal", ["owl", "cat", None, "emu"])
    assert g.leaves == ("cat", "dog", "emu", "owl", None)
    assert labels(g)[1:] == [("pet", "rest", None), ("*",)]
    named = (("pet", ("cat",)), ("gone", ("",)))
    assert labels(build(Groups((named,), other="rest"), "animal", ["owl", None]))[1] == (
        "gone",
        "pet",
        "rest",
    )


def test_a_level_above_must_place_other_whether_it_holds_a_value_or_not():
    low = (("pet", ("cat",)),)
    high = (("all", ("pet", "rest")),)
    for seen in (["cat"], ["cat", "owl"]):
        assert build(Groups((low, high), other="rest"), "animal", seen).partitions[-1].blocks == 1
        with pytest.raises(HierarchyError, match="level 2: 1 group of the level below is in none"):
            build(Groups((low, (("all", ("pet",)),)), other="rest"), "animal", seen)


@pytest.mark.parametrize(("label", "says"), [("", "empty label"), ("pet", "name of a group")])
def test_bad_other(label, says):
    with pytest.raises(HierarchyError, match=f"column 'animal'.*other.*{says}"):
        build(Groups((PETS,), other=label), "animal", ["cat"])


def test_suppress_has_two_levels():
    assert labels(build(Suppress(), "x", ["b", "a"])) == [("a", "b"), ("*",)]
    assert labels(build(Suppress(), "x", ["a"])) == [("a",), ("*",)]
    assert labels(build(Suppress(), "x", ["a", None])) == [("a", None), ("*",)]


@pytest.mark.parametrize(
    "spec", [Suppress(), Mask("left"), Dates("%Y", ("year",))], ids=lambda s: type(s).__name__
)
def test_no_value_and_no_declared_domain_is_an_error(spec):
    with pytest.raises(HierarchyError, match="no value occurs"):
        build(spec, "x", [])


def test_no_value_with_a_declared_domain_is_fine():
    assert build(OrderedGroups(("a", "b"), (2,)), "x", []).leaves == ("a", "b")
