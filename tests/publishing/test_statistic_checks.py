"""The checker's own statistics: known ones by hand, any others against the engine's."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.encode.statistics import with_statistics
from paretonym.errors import HierarchyError
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.model.steps import UNLISTED, Recode
from paretonym.model.writing import ValueOrder, WrittenStatistics
from paretonym.publishing.codes import code_table
from paretonym.publishing.statistics import one_to_one_checks, statistic_checks

NUMBER = ValueOrder("number")


def wrong(recode, cells, released=None):
    table = code_table(pa.table({"x": pa.array(cells, pa.string())}))
    kept = np.ones(len(cells), np.bool_) if released is None else np.array(released)
    (check,) = statistic_checks(recode, table, kept)
    assert check.holds == (check.recomputed == 0)
    return check.recomputed


def recode(texts, *, way, order=NUMBER, frozen=False):
    """Texts of blocks with their values, which are labelled g0, g1 and so on."""
    labels = {value: text for text, values in texts.items() for value in values}
    named = {f"g{i}": text for i, text in enumerate(texts)}
    leaves = {text: len(values) for text, values in texts.items()}
    made = Recode("x", 1, "groups", labels, leaves, len(labels), "d")
    return replace(made, written=WrittenStatistics(way, order, named, frozen=frozen))


def test_statistics_by_hand():
    assert wrong(recode({"1.67": ["1", "2"], "9": ["9"]}, way="mean"), ["1", "2", "2", "9"]) == 0
    assert wrong(recode({"1.66": ["1", "2"], "9": ["9"]}, way="mean"), ["1", "2", "2", "9"]) == 1
    assert wrong(recode({"0.12": ["0", "1"]}, way="mean"), ["0"] * 7 + ["1"]) == 0
    assert wrong(recode({"1.5": ["1", "2"]}, way="median"), ["1", "2"]) == 0
    text = ValueOrder()
    assert wrong(recode({"1": ["1", "2"]}, way="median", order=text), ["1", "2"]) == 0
    assert wrong(recode({"2": ["1", "2"]}, way="median", order=text), ["1", "2"]) == 1
    assert wrong(recode({"1": ["1", "2"]}, way="mode"), ["2", "1"]) == 0
    assert wrong(recode({None: ["1", None]}, way="mode"), ["1", None]) == 1
    assert wrong(recode({None: ["1", None]}, way="mode"), ["1", None, None]) == 0
    assert wrong(recode({"1": ["1", None]}, way="mean"), ["1", None, None]) == 0


def test_only_released_rows_count():
    step = recode({"1": ["1", "3"]}, way="mean")
    assert wrong(step, ["1", "3"]) == 1
    assert wrong(step, ["1", "3"], [True, False]) == 0


def test_a_text_whose_block_has_no_released_row_is_wrong():
    assert wrong(recode({"1": ["1"], "3": ["3"]}, way="mean"), ["1"]) == 1


@pytest.mark.parametrize(
    ("order", "cells"),
    [
        (NUMBER, ["1", "1_0"]),
        (NUMBER, ["1", "1/2"]),
        (NUMBER, ["1", "1e9999999"]),
        (NUMBER, ["1", "1.2.3"]),
        (ValueOrder("number", decimal_comma=True), ["1", "1.5"]),
        (ValueOrder("date", format="%Y-%m-%d"), ["2001-01-01", "never"]),
        (ValueOrder("date", format="%Y%Y"), ["2001"]),
        (ValueOrder("listed", listed=("a",)), ["a", "b"]),
    ],
)
def test_what_cannot_be_read_does_not_pass(order, cells):
    assert wrong(recode({"1": cells}, way="median", order=order), cells) == "unreadable"


def test_frozen_statistics_are_named_as_such():
    table = code_table(pa.table({"x": ["1"]}))
    step = recode({"5": ["1"]}, way="mean", frozen=True)
    (check,) = statistic_checks(step, table, np.array([True]))
    assert (check.holds, check.recomputed) == (True, "not checked")
    assert "earlier table" in check.note


def test_one_text_for_one_block():
    good = recode({"1": ["1"], "3": ["3"]}, way="mean")
    known = {**good.labels, "7": UNLISTED}
    for step, count in (
        (good, 0),
        (replace(good, labels=known), 0),
        (replace(good, labels={**good.labels, "7": "7"}), 1),
        (replace(good, leaves={"1": 1}), 1),
        (replace(good, written=replace(good.written, texts={"g0": "1", "g1": "1"})), 2),
    ):
        (check,) = one_to_one_checks(step)
        assert (check.recomputed, check.holds) == (count, count == 0)


numbers = st.builds(
    lambda sign, whole, part: sign + whole + ("." + part if part else ""),
    st.sampled_from(["", "-", "+"]),
    st.text("0123456789", min_size=1, max_size=4),
    st.text("0123456789", max_size=3),
)
days = st.integers(0, 40).map(lambda n: (date(1999, 12, 1) + timedelta(n)).strftime("%d.%m.%Y"))
words = st.sampled_from(["none", "low", "middle", "high", "top"])
CASES = [
    (NUMBER, numbers),
    (ValueOrder("number", decimal_comma=True), numbers.map(lambda text: text.replace(".", ","))),
    (ValueOrder("date", format="%d.%m.%Y"), days),
    (ValueOrder("listed", listed=("none", "low", "middle", "high", "top")), words),
    (ValueOrder(), words),
]


@st.composite
def columns(draw):
    """Cells, the group of each value, the order that they are compared by, and a statistic."""
    order, values = draw(st.sampled_from(CASES))
    cells = draw(st.lists(st.none() | values, min_size=1, max_size=12))
    groups = {value: draw(st.integers(0, 2)) for value in dict.fromkeys(cells)}
    ways = ["median", "mode", *(["mean"] if order.kind == "number" else [])]
    return cells, groups, order, draw(st.sampled_from(ways))


@settings(deadline=None)
@given(columns(), st.data())
def test_the_checker_agrees_with_the_engine_and_with_nothing_else(column, data):
    cells, groups, order, way = column
    leaves = list(groups)
    labels = [f"g{groups[leaf]}" for leaf in leaves]
    granulation = Granulation(
        "x",
        tuple(leaves),
        (
            partition_from_labels("value", leaves),
            partition_from_labels("groups", labels),
            partition_from_labels("*", ["*"] * len(leaves)),
        ),
    )
    released = data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells)))
    rows = Counter(c for c, kept in zip(cells, released, strict=True) if kept)
    counts = np.array([rows[leaf] for leaf in leaves])
    step = Recode("x", 1, "groups", {}, {}, len(leaves), "d")
    try:
        made = with_statistics(step, granulation, counts, way=way, order=order, missing=("",))
    except HierarchyError:
        return  # two groups of the same statistic
    assert wrong(made, cells, released) == 0
    (check,) = one_to_one_checks(made)
    assert check.holds
    for old in made.leaves:
        changed = {v: "other" if text == old else text for v, text in made.labels.items()}
        renamed = {"other" if t == old else t: n for t, n in made.leaves.items()}
        assert wrong(replace(made, labels=changed, leaves=renamed), cells, released) == 1
