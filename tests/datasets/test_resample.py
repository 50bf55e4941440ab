"""Larger tables made from Adult."""

from __future__ import annotations

import pyarrow.compute as pc
import pytest

import paretonym.datasets as datasets
from paretonym.errors import JobError


def test_equal_arguments_give_equal_tables():
    first = datasets.resample(1_000, seed=7)
    assert first.equals(datasets.resample(1_000, seed=7))
    assert not first.equals(datasets.resample(1_000, seed=8))


def test_values_and_their_shares_stay_those_of_adult():
    """Redrawing from a column's own distribution leaves its shares in place."""
    original, sample = datasets.adult(), datasets.resample(100_000, seed=1)
    assert sample.column_names == original.column_names
    assert sample.num_rows == 100_000
    for name in original.column_names:
        assert set(sample[name].unique().to_pylist()) <= set(original[name].unique().to_pylist())
    share = pc.mean(pc.equal(sample["sex"].cast("string"), "Male").cast("int8")).as_py()
    assert share == pytest.approx(20_380 / 30_162, abs=0.01)


def test_a_twentieth_of_the_cells_is_redrawn():
    """A row keeps all nine of its cells with probability 0.95^9 = 0.63 or a little more."""
    original = {tuple(row.values()) for row in datasets.adult().to_pylist()}
    sample = [tuple(row.values()) for row in datasets.resample(20_000, seed=1).to_pylist()]
    known = sum(row in original for row in sample) / len(sample)
    assert 0.63 < known < 0.9


def test_no_rows_and_fewer():
    assert datasets.resample(0, seed=1).num_rows == 0
    with pytest.raises(JobError, match="-1 rows"):
        datasets.resample(-1, seed=1)


def test_a_cell_takes_one_byte():
    assert datasets.resample(200_000, seed=1).nbytes < 9 * 200_000 + 10_000
