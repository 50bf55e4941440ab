"""Numeric intervals: exact edges, nesting, bottom and top coding."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.encode.hierarchies import build
from paretonym.errors import HierarchyError
from paretonym.model.granulation import Granulation
from paretonym.model.hierarchy import Intervals


def intervals(*widths: str, **options: object) -> Intervals:
    numbers = {k: Decimal(v) if isinstance(v, str) else v for k, v in options.items()}
    return Intervals(tuple(map(Decimal, widths)), **numbers)  # type: ignore[arg-type]


def shown(granulation: Granulation, value: str | None, level: int) -> str | None:
    partition = granulation.partitions[level]
    return partition.labels[partition.block_of[granulation.leaf_index[value]]]


def test_an_edge_belongs_to_the_interval_it_opens():
    ages = build(intervals("10"), "age", ["19", "20", "29", "30"])
    assert [shown(ages, v, 1) for v in ("19", "20", "29", "30")] == [
        "[10, 20)",
        "[20, 30)",
        "[20, 30)",
        "[30, 40)",
    ]


def test_decimal_widths_are_exact_where_binary_ones_are_not():
    """0.3 / 0.1 is 2.9999… in binary; the value 0.3 opens [0.3, 0.4)."""
    g = build(intervals("0.1"), "x", ["0.3", "0.29999999999999999999999999999999", "0.7"])
    assert shown(g, "0.3", 1) == "[0.3, 0.4)"
    assert shown(g, "0.29999999999999999999999999999999", 1) == "[0.2, 0.3)"
    assert shown(g, "0.7", 1) == "[0.7, 0.8)"


def test_negative_numbers_fall_into_the_interval_below():
    g = build(intervals("10"), "x", ["-0", "-1", "-10", "-11", "0"])
    assert [shown(g, v, 1) for v in ("-0", "-1", "-10", "-11")] == [
        "[0, 10)",
        "[-10, 0)",
        "[-10, 0)",
        "[-20, -10)",
    ]


def test_labels_are_plain_numbers():
    g = build(intervals("1E+2", "500.00"), "x", ["1e5", "2.50"])
    assert shown(g, "1e5", 1) == "[100000, 100100)"
    assert shown(g, "2.50", 2) == "[0, 500)"
    assert [p.name for p in g.partitions] == ["value", "width 100", "width 500", "*"]


def test_text_of_a_value_is_kept_and_equal_numbers_stay_apart_at_level_0():
    g = build(intervals("10"), "x", ["039", "39", "41"])
    assert g.leaves == ("039", "39", "41")
    assert g.partitions[0].labels == ("039", "39", "41")
    assert shown(g, "039", 1) == "[30, 40)"


def test_leaves_are_in_numeric_order():
    assert build(intervals("10"), "x", ["100", "9", None, "-3"]).leaves == ("-3", "9", "100", None)


def test_origin_shifts_the_edges():
    g = build(intervals("5", origin="3"), "x", ["2", "3", "8"])
    assert [shown(g, v, 1) for v in ("2", "3", "8")] == ["[-2, 3)", "[3, 8)", "[8, 13)"]


def test_bottom_and_top_coding():
    g = build(
        intervals("5", "10", bottom="20", top="80"), "age", ["3", "19", "20", "79", "80", "99"]
    )
    for level, middle in ((1, ["[20, 25)", "[75, 80)"]), (2, ["[20, 30)", "[70, 80)"])):
        assert [shown(g, v, level) for v in g.leaves] == ["< 20", "< 20", *middle, ">= 80", ">= 80"]
    assert g.partitions[0].blocks == 6


def test_decimal_comma():
    g = build(intervals("0.5", decimal_comma=True), "x", ["1,5", "1,49", "-0,5"])
    assert [shown(g, v, 1) for v in g.leaves] == ["[-0.5, 0)", "[1, 1.5)", "[1.5, 2)"]
    with pytest.raises(HierarchyError, match="1 value of 1"):
        build(intervals("1", decimal_comma=True), "x", ["1.5"])
    with pytest.raises(HierarchyError, match="1 value of 1"):
        build(intervals("1"), "x", ["1,5"])


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "-inf", "1_000", "12a", "", "٣", "1e999999", "1e-400", "0x1F"]
)
def test_what_is_not_a_plain_number_is_counted_and_not_quoted(text):
    with pytest.raises(HierarchyError, match="2 values of 3") as caught:
        build(intervals("10"), "age", ["1", text, "secret"])
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (intervals(), "at least one width"),
        (intervals("0"), "above zero"),
        (intervals("-5"), "above zero"),
        (intervals("NaN"), "finite"),
        (intervals("1e900000"), "finite"),
        (intervals("10", "5"), "ascend"),
        (intervals("5", "5"), "ascend"),
        (intervals("4", "10"), "4 does not divide 10"),
        (intervals("5", "10", bottom="15"), "bottom 15 is not an edge .* width 10 .* 10 or 20"),
        (intervals("5", top="81"), "top 81 is not an edge .* width 5"),
        (intervals("5", bottom="20", top="20"), "below top"),
    ],
)
def test_bad_specifications(spec, says):
    with pytest.raises(HierarchyError, match=f"column 'age'.*{says}"):
        build(spec, "age", ["1"])


def test_one_value_makes_levels_of_one_block():
    g = build(intervals("5", "10"), "x", ["7"])
    assert [p.labels for p in g.partitions] == [("7",), ("[5, 10)",), ("[0, 10)",), ("*",)]


def test_the_number_of_levels_does_not_depend_on_the_values():
    """A later file whose ages all lie in one interval has the levels of the first."""
    wide = build(intervals("5", "10"), "x", ["7", "23", "41"])
    assert wide.levels == build(intervals("5", "10"), "x", ["7"]).levels == 4


def test_missing_is_apart_until_the_top():
    """All numbers lie in [0, 10), but missing does not: it joins them at * only."""
    g = build(intervals("10"), "x", ["7", None, "8"])
    assert [p.labels for p in g.partitions] == [("7", "8", None), ("[0, 10)", None), ("*",)]


def test_only_missing_values():
    g = build(intervals("10"), "x", [None])
    assert [p.labels for p in g.partitions] == [(None,), (None,), ("*",)]


decimals = st.decimals(
    min_value=-(10**6), max_value=10**6, places=3, allow_nan=False, allow_infinity=False
)


@given(
    values=st.lists(decimals.map(str), min_size=1, unique=True),
    width=st.decimals(min_value="0.001", max_value=1000, places=3),
    factor=st.integers(2, 7),
    origin=decimals,
)
def test_every_value_lies_in_its_interval(values, width, factor, origin):
    """Checked with fractions, which share no arithmetic with the builder."""
    spec = Intervals((width, width * factor), origin=origin)
    g = build(spec, "x", values)
    for value in values:
        for level, size in ((1, width), (2, width * factor)):
            label = shown(g, value, level)
            assert label is not None
            low, high = (Fraction(part) for part in label[1:-1].split(", "))
            assert low <= Fraction(value) < high
            assert high - low == Fraction(size)
            assert (low - Fraction(origin)) % Fraction(size) == 0
            assert "e" not in label.lower()
