"""Hierarchies fit what a column holds: each level changes something, no rare value is named."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.proposing import column

from paretonym.model.hierarchy import Dates, Groups, Intervals, Mask, Suppress
from paretonym.proposal.numbers import round_widths, spread


def test_widths_are_round_and_each_divides_the_next() -> None:
    assert round_widths(Decimal(73), whole=True) == (5, 10, 20)
    assert round_widths(Decimal(16000), whole=True) == (1000, 5000)
    assert round_widths(Decimal("1.6"), whole=False) == (Decimal("0.1"), Decimal("0.5"))
    assert round_widths(Decimal(9), whole=True) == (2, 4)
    assert round_widths(Decimal(0), whole=True) == ()
    assert round_widths(Decimal("1e200"), whole=False) == ()


@given(st.decimals(min_value="1e-40", max_value="1e40", allow_nan=False), st.booleans())
def test_widths_nest(span: Decimal, whole: bool) -> None:
    widths = round_widths(span, whole=whole)
    assert widths
    assert all(wide % narrow == 0 for narrow, wide in pairwise(widths))


def test_a_few_huge_values_do_not_stretch_the_widths() -> None:
    counted = [(Decimal(i), 1) for i in range(100)] + [(Decimal(10**9), 1)]
    assert spread(counted) < 100


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        ([f"{i % 12 + 1:02d}/{i % 28 + 1:02d}/1999" for i in range(84)], "%m/%d/%Y"),
        ([f"{i % 28 + 1}.{i % 12 + 1}.1999" for i in range(84)], "%d.%m.%Y"),
        ([f"1999-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(84)], "%Y-%m-%d"),
        ([f"1999{i % 12 + 1:02d}{i % 28 + 1:02d}" for i in range(84)], "%Y%m%d"),
    ],
)
def test_dates_of_one_format(tmp_path: Path, cells: list[str], form: str) -> None:
    """All of one year, so that a level of years would change nothing."""
    assert column(tmp_path, "birth", cells)[1].hierarchy == Dates(form, ("month", "quarter"))


@pytest.mark.parametrize(
    ("cells", "units"),
    [
        ([f"{1990 + i % 5}-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(400)],
         ("month", "quarter", "year")),
        ([f"{1930 + i % 70}-{i // 70 % 5 + 1:02d}-{i // 350 + 1:02d}" for i in range(1050)],
         ("month", "quarter", "year", "decade")),
        ([f"{1930 + i % 70}-01-01" for i in range(900)], ("decade",)),
        ([f"2020-{i % 3 + 1:02d}-{i % 28 + 1:02d} 10:{i % 60:02d}:00" for i in range(900)],
         ("day", "month")),
    ],
)  # fmt: skip
def test_units_of_dates_follow_their_span(
    tmp_path: Path, cells: list[str], units: tuple[str, ...]
) -> None:
    spec = column(tmp_path, "visit date", cells)[1].hierarchy
    assert isinstance(spec, Dates)
    assert spec.units == units


def test_far_out_numbers_share_one_block(tmp_path: Path) -> None:
    """Most numbers up to 39,500, one in a hundred or one in thirty far above, or below."""
    near = [str(i % 80 * 500) for i in range(990)]
    said, spec = column(tmp_path, "hours", [*near, *[str(10**7 + i * 10**6) for i in range(10)]])
    assert spec.hierarchy == Intervals((Decimal(5000), Decimal(10000)), top=Decimal(40000))
    assert "all from 40000 on together" in said
    more = [*near, *[str(10**7 + i * 10**6) for i in range(33)]]
    assert column(tmp_path, "hours", more)[1].hierarchy == spec.hierarchy
    low = [*near, *[str(-(10**7) - i * 10**6) for i in range(10)]]
    both = [*low, *[str(10**7 + i * 10**6) for i in range(10)]]
    bottom = column(tmp_path, "hours", low)[1].hierarchy
    assert isinstance(bottom, Intervals)
    assert (bottom.bottom, bottom.top) == (Decimal(0), None)
    ends = column(tmp_path, "hours", both)[1].hierarchy
    assert isinstance(ends, Intervals)
    assert None not in (ends.bottom, ends.top)
    even = column(tmp_path, "hours", near)[1].hierarchy
    assert isinstance(even, Intervals)
    assert (even.bottom, even.top) == (None, None)


def test_a_width_that_merges_nothing_is_left_out(tmp_path: Path) -> None:
    """Ages rounded to tens: a width of five, or of ten, is the number itself."""
    spec = column(tmp_path, "age", [str(i % 10 * 10) for i in range(400)])[1].hierarchy
    assert spec == Intervals((Decimal(20), Decimal(40)))


def test_frequent_categories_are_named_and_the_others_pooled(tmp_path: Path) -> None:
    """Half, a third, and three rare ones with 10, 5 and 1 of 120 rows."""
    cells = ["a"] * 64 + ["b"] * 40 + ["rare1"] * 10 + ["rare2"] * 5 + ["rare3"]
    said, spec = column(tmp_path, "work", cells)
    assert spec.hierarchy == Groups(
        ((("a", ("a",)), ("b", ("b",)), ("rare1", ("rare1",))),), other="other"
    )
    assert "frequent values apart and the 2 others together" in said
    assert "rare2" not in said
    assert "rare3" not in said


def test_two_categories_are_pooled_even_where_all_are_frequent(tmp_path: Path) -> None:
    spec = column(tmp_path, "work", ["a"] * 40 + ["b"] * 30 + ["Other"] * 20)[1].hierarchy
    assert spec == Groups(((("a", ("a",)),),), other="other values")


@pytest.mark.parametrize(
    "cells",
    [
        ["a", "b"] * 40,  # nothing between the value and *
        [f"t{i % 40}" for i in range(400)],  # none is frequent
        ["a"] * 9 + ["b"] * 8 + ["c"] * 7,  # too few rows to name any
        ["x" * 61] * 40 + ["b"] * 8 + ["c"] * 7,  # no name but a text
        ["<<"] * 40 + ["b"] * 8 + ["c"] * 7,  # no job can hold it
        ["*"] * 40 + ["b"] * 8 + ["c"] * 7,  # reads as suppressed
        ["a"] * 40 + ["Other"] * 8 + ["other values"] * 7 + ["none of these"] * 9,
    ],
)  # fmt: skip
def test_texts_without_a_group_level(tmp_path: Path, cells: list[str]) -> None:
    assert column(tmp_path, "work", cells)[1].hierarchy == Suppress()


def test_ambiguous_or_impossible_dates_are_only_suppressed(tmp_path: Path) -> None:
    either = [f"{i % 12 + 1:02d}/{i % 11 + 1:02d}/1999" for i in range(60)]
    said, spec = column(tmp_path, "birth", either)
    assert spec.hierarchy == Suppress()
    assert "%d/%m/%Y and %m/%d/%Y can both read" in said
    impossible = ["1999-02-31", *[f"1999-01-{i % 28 + 1:02d}" for i in range(60)]]
    said, spec = column(tmp_path, "birth", impossible)
    assert spec.hierarchy == Suppress()
    assert "not every value can be read" in said


def test_codes_numbers_and_missing_values(tmp_path: Path) -> None:
    zips = [f"0{i % 3}{i % 2}{i % 5}0" for i in range(600)]
    assert column(tmp_path, "zip", zips)[1].hierarchy == Mask("right")
    plain = [f"1{i % 3}{i % 2}{i % 5}0" for i in range(600)]
    assert column(tmp_path, "zip", plain)[1].hierarchy == Mask("right")
    assert isinstance(column(tmp_path, "amount", plain)[1].hierarchy, Intervals)
    # masking would hide all or nothing; two characters number categories unless named a code
    assert isinstance(
        column(tmp_path, "zip", [f"0000{i % 6}" for i in range(90)])[1].hierarchy, Groups
    )
    pairs = [f"{i % 3}{i % 4}" for i in range(600)]
    assert column(tmp_path, "zip", pairs)[1].hierarchy == Mask("right")
    assert isinstance(column(tmp_path, "origin", pairs)[1].hierarchy, Groups)
    ages = ["" if i % 10 == 0 else str(i % 40 - 20) for i in range(400)]
    said, spec = column(tmp_path, "age", ages)
    assert isinstance(spec.hierarchy, Intervals)
    assert "40 missing (a category of their own)" in said
    assert column(tmp_path, "sex", ["f", "m"] * 30)[1].hierarchy == Suppress()


def test_decimal_commas_are_proposed_only_when_they_cannot_be_thousands(tmp_path: Path) -> None:
    heights = [f"1,{i % 40 + 50}" for i in range(400)]
    said, spec = column(tmp_path, "height", heights)
    assert isinstance(spec.hierarchy, Intervals)
    assert spec.hierarchy.decimal_comma
    assert "with a decimal comma" in said
    either = [f"1,{i % 40 + 500}" for i in range(400)]
    assert column(tmp_path, "height", either)[1].hierarchy == Suppress()
