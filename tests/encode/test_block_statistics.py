"""Statistics of blocks: each a number or a text that a hand can check."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from paretonym.encode.statistics import block_texts, sort_keys, with_statistics
from paretonym.errors import HierarchyError
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.model.steps import UNLISTED, Recode
from paretonym.model.writing import ValueOrder

NUMBER, TEXT = ValueOrder("number"), ValueOrder()
COMMA = ValueOrder("number", decimal_comma=True)
DAYS = ValueOrder("date", format="%d/%m/%y")


def granulation(groups):
    """Groups of values, as the rows hold them; every distinct value is a leaf."""
    leaves = list(dict.fromkeys(value for rows in groups.values() for value in rows))
    label = {value: name for name, rows in groups.items() for value in rows}
    partitions = (
        partition_from_labels("value", leaves),
        partition_from_labels("groups", [label[leaf] for leaf in leaves]),
        partition_from_labels("*", ["*"] * len(leaves)),
    )
    return Granulation("x", tuple(leaves), partitions)


def counts(made, groups):
    rows = Counter(value for rows in groups.values() for value in rows)
    return np.array([rows[leaf] for leaf in made.leaves])


def texts(way, order, *groups, level=1):
    named = {f"g{i}": list(rows) for i, rows in enumerate(groups)}
    made = granulation(named)
    found = block_texts(made, level, counts(made, named), way=way, order=order)
    return list(found.values())


def test_a_mean_has_two_decimals_more_than_the_values():
    """(1 + 2 + 2) / 3 = 1.666…; 1/3 of 0.1 + 0.2 + 0.2 in a column with one decimal."""
    assert texts("mean", NUMBER, ["1", "2", "2"], ["10", "20"]) == ["1.67", "15"]
    assert texts("mean", NUMBER, ["0.1", "0.2", "0.2"]) == ["0.167"]
    assert texts("mean", NUMBER, ["1", "1", "2"], ["7.25"]) == ["1.3333", "7.25"]


def test_a_mean_is_rounded_half_to_even():
    """1/8 = 0.125 and 3/8 = 0.375 with two decimals; the same below zero."""
    eighths = ["0"] * 7
    assert texts("mean", NUMBER, [*eighths, "1"]) == ["0.12"]
    assert texts("mean", NUMBER, [*eighths, "3"]) == ["0.38"]
    assert texts("mean", NUMBER, [*eighths, "-1"]) == ["-0.12"]
    assert texts("mean", NUMBER, [*eighths, "-3"]) == ["-0.38"]


def test_a_mean_is_exact_where_floats_are_not():
    big = str(2**53)
    assert texts("mean", NUMBER, [big, str(2**53 + 2)]) == [str(2**53 + 1)]
    assert texts("mean", NUMBER, ["1e20", "1"]) == ["50000000000000000000.5"]
    assert texts("mean", NUMBER, ["-1", "1"]) == ["0"]


def test_trailing_zeros_are_spelling_and_not_decimals():
    assert texts("mean", NUMBER, ["1.00", "2.0", "2"]) == ["1.67"]


def test_a_decimal_comma_is_read_and_written():
    assert texts("mean", COMMA, ["1,5", "2"]) == ["1,75"]
    assert texts("median", COMMA, ["1,5", "2"]) == ["1,75"]


def test_medians_of_numbers():
    """By value and not by text; of an even count, what lies between the two in the middle."""
    assert texts("median", NUMBER, ["9", "10", "100"]) == ["10"]
    assert texts("median", NUMBER, ["9", "10", "10", "100"]) == ["10"]
    assert texts("median", NUMBER, ["9", "10", "11", "100"]) == ["10.5"]
    assert texts("median", NUMBER, ["007", "9", "9"], ["20"]) == ["9", "20"]


def test_medians_of_what_only_has_an_order_are_the_lower_ones():
    assert texts("median", TEXT, ["10427", "10431", "10466"]) == ["10431"]
    assert texts("median", TEXT, ["10427", "10431", "10466", "10500"]) == ["10431"]
    assert texts("median", TEXT, ["b", "b", "a", "c"]) == ["b"]


def test_dates_are_compared_as_dates():
    """As text 30/09/56 would be the largest and 01/12/56 the smallest."""
    assert texts("median", DAYS, ["30/09/56", "01/12/56", "24/09/56"]) == ["30/09/56"]
    assert texts("median", DAYS, ["30/09/56", "01/12/56"]) == ["30/09/56"]
    assert texts("mode", DAYS, ["01/12/56", "30/09/56"]) == ["30/09/56"]


def test_a_stated_order_is_the_order():
    order = ValueOrder("listed", listed=("none", "primary", "higher"))
    assert texts("median", order, ["higher", "none", "primary"]) == ["primary"]
    assert texts("mode", order, ["higher", "none"]) == ["none"]


def test_modes_and_their_ties():
    assert texts("mode", TEXT, ["a", "b", "b"]) == ["b"]
    assert texts("mode", TEXT, ["b", "a"]) == ["a"]
    assert texts("mode", NUMBER, ["10", "9"]) == ["9"]
    assert texts("mode", NUMBER, ["9.0", "9"]) == ["9"]


def test_missing_cells():
    """Ignored by mean and median; a category of the mode, which wins only when most frequent."""
    assert texts("mean", NUMBER, ["1", "2", None]) == ["1.5"]
    assert texts("median", TEXT, ["a", "b", "b", None, None, None]) == ["b"]
    assert texts("mode", TEXT, ["a", "a", None, None]) == ["a"]
    assert texts("mode", TEXT, ["a", "a", None, None, None]) == [None]
    for way in ("mean", "median", "mode"):
        assert texts(way, NUMBER, ["1"], [None, None]) == ["1", None]


@pytest.mark.parametrize("way", ["mean", "median", "mode"])
def test_alone_a_value_is_its_own_statistic(way):
    assert texts(way, NUMBER, ["3", "5", "5"], ["8"], level=0) == ["3", "5", "8"]


def test_at_the_top_it_is_the_statistic_of_the_column():
    assert texts("mean", NUMBER, ["1", "2"], ["9"], level=2) == ["4"]


def recode(made, groups, way, order, *, rows=None, missing=("",)):
    step = Recode("x", 1, "groups", {}, {}, len(made.leaves), "d")
    found = counts(made, groups) if rows is None else np.array(rows)
    return with_statistics(step, made, found, way=way, order=order, missing=missing)


def test_labels_and_leaves_are_keyed_by_what_is_written():
    groups = {"low": ["1", "2", "3"], "high": ["8", "9"]}
    step = recode(granulation(groups), groups, "mean", NUMBER)
    assert step.labels == {"1": "2", "2": "2", "3": "2", "8": "8.5", "9": "8.5"}
    assert step.leaves == {"2": 3, "8.5": 2}
    assert step.written.texts == {"low": "2", "high": "8.5"}
    assert (step.write, step.rule, step.shown("high")) == ("mean", None, "8.5")


def test_blocks_without_a_released_row_have_no_text():
    """Their values, however odd, leave no trace: not even in the number of decimals."""
    groups = {"low": ["1", "2"], "high": ["8.125"]}
    made = granulation(groups)
    step = recode(made, groups, "mean", NUMBER, rows=[1, 2, 0])
    assert step.labels == {"1": "1.67", "2": "1.67", "8.125": UNLISTED}
    assert step.leaves == {"1.67": 2}
    assert step.shown("high") == UNLISTED


@pytest.mark.parametrize("way", ["mean", "median"])
def test_equal_statistics_are_refused_with_counts_and_no_values(way):
    groups = {"a": ["4711", "4713"], "b": ["4712"], "c": ["9"]}
    with pytest.raises(HierarchyError) as caught:
        recode(granulation(groups), groups, way, NUMBER)
    said = str(caught.value)
    assert "column 'x': at level 1 ('groups') 3 blocks would be written as 2" in said
    assert "choose another write:" in said
    assert "47" not in said


@pytest.mark.parametrize("taken", ["-9", UNLISTED])
def test_a_statistic_that_reads_like_missing_is_refused(taken):
    groups = {"a": [taken, taken, "b"], "c": ["c"]}
    with pytest.raises(HierarchyError, match="1 block is a text with a meaning of its own"):
        recode(granulation(groups), groups, "mode", TEXT, missing=("", "-9"))


@pytest.mark.parametrize(
    ("order", "values", "words"),
    [
        (NUMBER, ["1", "secret", "1,5"], "2 values of 3 cannot be read as a number"),
        (DAYS, ["24/09/56", "secret"], "1 value of 2 cannot be read as a date"),
        (
            ValueOrder("listed", listed=("a",)),
            ["a", "secret"],
            "1 value of 2 cannot be read as one",
        ),
        (ValueOrder("date", format="%d/%m"), ["secret"], "does not state the year"),
    ],
)
def test_values_without_a_place_in_the_order_are_counted(order, values, words):
    with pytest.raises(HierarchyError, match=words) as caught:
        sort_keys(order, "x", values)
    assert "secret" not in str(caught.value)
