"""Whole pipelines on tables that once went wrong."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paretonym as pn
from paretonym.errors import JobError, SafetyError, VerificationError

STARRED = {"role": "quasi", "hierarchy": "suppress"}


def two_columns(values, **extra):
    table = pa.table({"q": values, "s": ["a", "b"] * (len(values) // 2)})
    data = {"columns": {"q": STARRED, "s": {"role": "sensitive"}}, "objectives": ["k"]}
    return table, pn.make_job(data | extra, table=table)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([None, "", "", "", "x", "x", "x", "x"]),
        pa.array([None, math.nan, math.nan, math.nan, 1.0, 1.0, 1.0, 1.0]),
    ],
    ids=["empty text and null", "NaN and null"],
)
def test_forms_of_missing_do_not_split_a_class_in_the_file(tmp_path, values):
    """Four missing cells are one class of four, whoever reads the file."""
    _, job = two_columns(values, require={"k": 4})
    made = pn.release(job, levels={"q": 0}, out=tmp_path / "out", format="parquet")
    stored = pq.read_table(tmp_path / "out" / "data.parquet")["q"]
    assert made.public.promises["k"] == 4
    assert stored.null_count == 4
    assert len(set(stored.to_pylist())) == 2


def test_a_file_with_two_forms_of_missing_fails_its_check(tmp_path, monkeypatch):
    """The checker counts cells as stored, so that it would notice if the engine did not."""
    from paretonym.tables.applying import Release

    monkeypatch.setattr(Release, "_raw", lambda self, name: self.keys.raw(name))
    _, job = two_columns(pa.array([None, "", "", "", "x", "x", "x", "x"]), require={"k": 4})
    with pytest.raises(VerificationError):
        pn.release(job, levels={"q": 0}, out=tmp_path / "out", format="parquet")
    assert not (tmp_path / "out").exists()


def test_large_classes_with_many_sensitive_values():
    """300 rows, 120 sensitive values, four columns that merge into one class."""
    columns = {f"q{j}": [str((i * (j + 3)) % 7) for i in range(300)] for j in range(4)}
    table = pa.table({**columns, "s": [f"s{i % 120}" for i in range(300)]})
    data = {
        "columns": dict.fromkeys(columns, STARRED) | {"s": {"role": "sensitive"}},
        "objectives": ["k", "distinct_l(s)", "max:s_l(s)"],
    }
    front = pn.find_front(pn.make_job(data, table=table))
    top = front.entries[-1]
    assert (top.values["k"], top.values["distinct_l(s)"]) == (300, 120)
    assert top.values["s_l(s)"] == 60 * 9 + 60 * 4  # 60 values thrice, 60 twice


def test_a_quasi_target_with_many_values_can_be_scored():
    table = pa.table({"q": [str(i // 2) for i in range(200)], "s": ["a", "b"] * 100})
    column = {"role": ["quasi", "target"], "hierarchy": "suppress"}
    data = {"columns": {"q": column, "s": {"role": "sensitive"}}, "objectives": ["k"]}
    found = pn.score(pn.make_job(data, table=table), {"q": 1})
    assert found.values["cm(q)"] == 198  # two rows share the most frequent of 100 values


def test_a_bound_that_is_met_exactly_is_met():
    """50 cells of weight 0.0116 lose everything: glm is exactly 0.58, as the bound says."""
    table = pa.table({"q": ["a"] * 29 + ["b"] * 21, "s": ["x", "y"] * 25})
    column = STARRED | {"weight": "0.0116"}
    data = {"columns": {"q": column, "s": {"role": "sensitive"}}, "objectives": ["k"]}
    for bound, k in (("0.58", 50), ("0.57", 21)):
        job = pn.make_job(data | {"require": {"glm": bound}}, table=table)
        assert pn.find_front(job).entries[-1].values["k"] == k


def test_a_later_file_is_searched_for_identifying_columns_too(tmp_path):
    table = pa.table({"q": ["a", "b"] * 30, "note": ["seen", "not seen"] * 30})
    data = {"columns": {"q": STARRED, "note": {"role": "insensitive"}}, "objectives": ["k"]}
    pn.release(pn.make_job(data, table=table), levels={"q": 0}, out=tmp_path / "first")
    later = table.set_column(1, "note", pa.array([f"case {i}" for i in range(60)]))
    with pytest.raises(SafetyError, match="nearly unique"):
        pn.apply(tmp_path / "first", later, out=tmp_path / "later")


def test_an_unknown_api_argument_combination_is_refused(tmp_path):
    _, job = two_columns(pa.array(["a", "b"]))
    with pytest.raises(JobError, match="either levels or pick"):
        pn.release(job, out=tmp_path / "out")


def test_a_format_that_is_not_known_is_refused_and_not_taken_for_csv(tmp_path):
    _, job = two_columns(pa.array(["a", "b"]))
    with pytest.raises(JobError, match="not csv or parquet"):
        pn.release(job, levels={"q": 0}, out=tmp_path / "out", format="xlsx")
