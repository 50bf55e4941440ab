"""The checker's formulas: batches add up to the file, and entropy ℓ is the engine's to the bit."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from release_cases import PLAN, ROWS, released_table

from paretonym.measures.attribute import ENTROPY_CODE, entropy_numbers, log_number
from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.measure_info import known_infos
from paretonym.publishing.class_counts import ClassCounts, ValueCounts
from paretonym.publishing.codes import code_table
from paretonym.publishing.entropy import entropy_l, scaled_log
from paretonym.publishing.formulas import FORMULAS, Told, computed, formula_of, reaches


def counted(table, quasi=("q", "r"), names=("x", "n")):
    found = code_table(table, as_stored=quasi)
    return ClassCounts.of(
        {name: found.columns[name] for name in quasi},
        {name: found.columns[name] for name in names},
        found.rows,
    )


CELLS = st.tuples(
    st.sampled_from(["a", "b", "", None]),
    st.sampled_from([1.0, 2.5, float("nan"), None]),
    st.sampled_from(["x", "y", "z", "", None]),
    st.sampled_from([1, 2, None]),
)


def table_of(rows):
    kinds = [pa.string(), pa.float64(), pa.string(), pa.int64()]
    columns = [[row[j] for row in rows] for j in range(4)]
    arrays = [pa.array(c, kind) for c, kind in zip(columns, kinds, strict=True)]
    return pa.table(dict(zip(("q", "r", "x", "n"), arrays, strict=True)))


def as_sets(counts):
    """Classes and values by what they are, in no order."""
    keys = list(
        zip(*(map(str, c.values.take(pa.array(c.codes)).to_pylist()) for c in
              counts.quasi.values()), strict=True)
    )  # fmt: skip
    inside = {
        (name, keys[owner], str(one.values[code].as_py())): rows
        for name, one in counts.counted.items()
        for owner, code, rows in zip(
            one.owner.tolist(), one.code.tolist(), one.rows.tolist(), strict=True
        )
    }
    return dict(zip(keys, counts.rows.tolist(), strict=True)), inside


@settings(max_examples=200)
@given(st.lists(CELLS, max_size=30), st.lists(st.integers(0, 30), max_size=5))
def test_merged_batches_are_the_whole_file(rows, cuts):
    table, ends = table_of(rows), [0, *sorted(min(c, len(rows)) for c in cuts), len(rows)]
    parts = [counted(table.slice(start, end - start)) for start, end in pairwise(ends)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    whole = counted(table)
    assert as_sets(merged) == as_sets(whole)
    assert computed(Told(merged)) == computed(Told(whole))


@given(st.integers(0, 8), st.integers(0, 8))
def test_what_needs_the_plan_is_the_same_of_batches(first, second):
    table, (low, high) = released_table(), sorted((first, second))

    def told(part):
        return counted(part, ("age", "zip"), ("illness",))

    batches = told(table.slice(0, low)).merge(told(table.slice(low, high - low)))
    batches = batches.merge(told(table.slice(high)))
    values = computed(Told(batches, PLAN, len(ROWS)))
    assert values == computed(Told(told(table), PLAN, len(ROWS)))
    assert {"glm", "loss_geometric", "discernibility", "average_class_size"} <= set(values)


def test_without_key_columns_all_rows_are_one_class():
    counts = counted(table_of([("a", 1.0, "x", 1), ("b", 2.5, "y", 1)]), quasi=())
    assert computed(Told(counts.merge(counts)))["k"] == 4


# ---- entropy ℓ


def of_counts(classes):
    """Counts of values in each class, as the checker holds them."""
    owner = [i for i, counts in enumerate(classes) for _ in counts]
    code = [j for counts in classes for j in range(len(counts))]
    rows = [n for counts in classes for n in counts]
    width = max(map(len, classes), default=1)
    return ValueCounts(range(width), *(np.array(each, np.int64) for each in (owner, code, rows)))


def by_engine(classes):
    offset = np.cumsum([0, *map(len, classes)]).astype(np.int64)
    count = np.array([n for counts in classes for n in counts], np.int64)
    lists = SimpleNamespace(offset=offset, count=count)
    numbers = entropy_numbers(SimpleNamespace(count_lists=lambda _: lists), "x")
    return ENTROPY_CODE.shown(int(numbers.min()))


SIZES = st.integers(1, 40) | st.integers(1, 10**9)


@settings(max_examples=200)
@given(st.lists(st.lists(SIZES, min_size=1, max_size=6), min_size=1, max_size=5))
def test_entropy_is_the_engines(classes):
    assert entropy_l(of_counts(classes)) == by_engine(classes)


@pytest.mark.parametrize("size", [2**16 - 1, 2**16, 2**16 + 1, 2**17, 2**31 + 7])
def test_entropy_around_the_end_of_the_table(size):
    for classes in ([[size]], [[1, size - 1]], [[size - 1, 1], [2, 3]], [[3, size], [size, 1]]):
        assert entropy_l(of_counts(classes)) == by_engine(classes)


def test_logarithms_are_the_engines():
    draw = random.Random(0)
    sizes = [*range(1, 3000), *range(65500, 65600), *(draw.randrange(1, 2**40) for _ in range(500))]
    assert [scaled_log(n) for n in sizes] == [log_number(n) for n in sizes]


@pytest.mark.parametrize("values", [1, 2, 3, 5, 7, 12, 100])
@pytest.mark.parametrize("each", [1, 2, 50, 70_001])
def test_a_uniform_class_meets_its_number_of_values(values, each):
    found = entropy_l(of_counts([[each] * values]))
    assert found == values
    assert reaches(Bound("entropy_l(x)", Direction.MAX, Fraction(values)), found)
    assert not reaches(Bound("entropy_l(x)", Direction.MAX, values + Fraction(1, 10**11)), found)


def test_one_row_off_is_less():
    """No tolerance lets a class pass that falls short by one row in 60,000."""
    for rows in (3, 1000, 30_000):
        found = entropy_l(of_counts([[rows, rows + 1]]))
        assert not reaches(Bound("entropy_l(x)", Direction.MAX, Fraction(2)), found), rows


def test_no_class_has_no_entropy():
    assert entropy_l(of_counts([])) == 0.0


# ---- the table


def test_every_measure_of_the_program_has_a_formula():
    for info in known_infos():
        if info.name in FORMULAS:
            assert FORMULAS[info.name].takes_column == info.takes_column
    assert {"k", "glm", "entropy_l", "worst_group_suppression", "sf"} <= set(FORMULAS)


def test_a_name_without_its_column_has_no_formula():
    assert formula_of("entropy_l(a (b), c)") is FORMULAS["entropy_l"]
    for name in ("entropy_l", "k(x)", "mine(x)", "", "not a name"):
        assert formula_of(name) is None
