"""Combinations with counts say the same as rows, however they are split or packed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.groups import records as module
from paretonym.groups.records import Column, Records, joined

Row = tuple[str | None, str | None, bool]
ROWS = st.lists(
    st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from(["1", "2"]), st.booleans()),
    min_size=1,
    max_size=30,
)


def by_row(rows: list[Row]) -> Records:
    """Every row a combination of its own."""
    ones, member = np.ones(len(rows), np.int64), np.array([row[2] for row in rows], np.int64)
    columns = {
        name: Column.of([row[place] for row in rows], np.arange(len(rows)))
        for place, name in enumerate(("x", "y"))
    }
    return Records(columns, ones, member, ones.astype(float), member.astype(float))


def counted(found: Records) -> dict[tuple[str | None, ...], tuple[int, int]]:
    texts = [[c.values[code] for code in c.codes] for c in found.columns.values()]
    keys = list(zip(*texts, strict=True))
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, zip(found.records, found.members, strict=True), strict=True))


def by_hand(rows: list[Row]) -> dict[tuple[str | None, ...], tuple[int, int]]:
    all_of = Counter(row[:2] for row in rows)
    members = Counter(row[:2] for row in rows if row[2])
    return {key: (count, members[key]) for key, count in all_of.items()}


@given(ROWS)
def test_collapsed_counts_rows(rows):
    found = by_row(rows)
    assert counted(found.collapsed(found.columns)) == by_hand(rows)


@given(ROWS, st.integers(0, 30))
def test_files_joined_are_one_file(rows, cut):
    parts = [part for part in (rows[:cut], rows[cut:]) if part]
    whole = joined([by_row(part).collapsed(by_row(part).columns) for part in parts])
    assert counted(whole) == by_hand(rows)


@pytest.mark.parametrize("room", [2, 4])
@given(rows=ROWS)
def test_codes_that_do_not_fit_one_number(rows, room):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ROOM", room)
        found = by_row(rows)
        assert counted(found.collapsed(found.columns)) == by_hand(rows)


def test_values_ascend_with_missing_first():
    column = Column.of(["b", None, "a", "b"], np.array([0, 1, 2, 3]))
    assert column.values == (None, "a", "b")
    assert column.codes.tolist() == [2, 0, 1, 2]
