"""Frames and Parquet files keep their types; their keys are plain texts."""

from __future__ import annotations

import datetime as dt
import hashlib
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paretonym.errors import TableError
from paretonym.model.steps import Drop
from paretonym.tables import opening
from paretonym.tables.staging import StagedRows

NOW = dt.datetime(2020, 1, 2, 3, 4, 5)
NOTHING = pa.table({})

TYPED = [
    pa.array([1, None, 3], pa.int8()),
    pa.array([2**64 - 1, 0, None], pa.uint64()),
    pa.array([1.0, None, 0.1]),
    pa.array([np.float16(1.5), None], pa.float16()),
    pa.array([0.1, None], pa.float32()),
    pa.array(["a", "", None]),
    pa.array(["a", "", None], pa.large_string()),
    pa.array([True, None, False]),
    pa.array([NOW, None], pa.timestamp("s")),
    pa.array([NOW, None], pa.timestamp("ns")),
    pa.array([NOW, None], pa.timestamp("ms", "Europe/Berlin")),
    pa.array([2**60 + 1, None], pa.int64()).cast(pa.timestamp("ns", "UTC")),
    pa.array([NOW.date(), None], pa.date32()),
    pa.array([NOW.date(), None], pa.date64()),
    pa.array([NOW.time(), None], pa.time32("s")),
    pa.array([1, None], pa.int64()).cast(pa.time64("ns")),
    pa.array([dt.timedelta(1), None], pa.duration("us")),
    pa.array([Decimal("1.20"), None], pa.decimal128(5, 2)),
    pa.array([Decimal("1.20"), None], pa.decimal256(50, 2)),
    pa.array([b"\x00\xff", None]),
    pa.array([b"ab", None], pa.binary(2)),
    pa.array([None, None], pa.null()),
    pa.array(["a", None, "b", "a"]).dictionary_encode(),
    pa.array([7, None, 5]).dictionary_encode(),
    pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), ["low", "high"], ordered=True),
]


@pytest.mark.parametrize("form", ["frame", "parquet", "parquet on disk"])
@pytest.mark.parametrize("values", TYPED, ids=lambda array: str(array.type))
def test_untouched_columns_come_out_identical(opened, tmp_path, monkeypatch, values, form):
    table = pa.table({"x": values, "row": [str(i) for i in range(len(values))]})
    data = table
    if form != "frame":
        data = tmp_path / "t.parquet"
        pq.write_table(table, data)
        table = pq.read_table(data)
    if form == "parquet on disk":
        monkeypatch.setattr(opening, "StagedRows", lambda s, f: StagedRows(s, f, budget=0))
    source = opened(data)
    out = source.apply([], suppress=NOTHING, order_key=b"1")
    released = out.read_all().sort_by("row")
    assert released.schema.field("x").type == table.schema.field("x").type
    assert released["x"].to_pylist() == table["x"].to_pylist()
    assert source.types["x"] == str(table["x"].type)
    assert source.kind == form.split()[0]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([1, 20, None]), ["1", "20", None]),
        (pa.array([1.0, float("nan"), None, 0.5]), ["0.5", "1.0", None]),
        (pa.array([NOW.date()]), ["2020-01-02"]),
        (pa.array([True, False]), ["false", "true"]),
        (pa.array([NOW], pa.timestamp("us", "Europe/Berlin")), ["2020-01-02 03:04:05+00"]),
        (pa.array(["NA", "", "x", None]), ["NA", "x", None]),
        (pa.array(["b", "a", None]).dictionary_encode(), ["a", "b", None]),
    ],
)
def test_keys_are_texts(opened, values, texts):
    assert opened(pa.table({"x": values})).values_of("x")["value"].to_pylist() == texts


def test_declared_missing_applies_to_the_text_of_a_number(opened):
    counted = opened(pa.table({"x": [-1, -1, 5]}), missing=("-1",)).values_of("x")
    assert counted.to_pydict() == {"value": ["5", None], "rows": [1, 2]}


def test_pandas_without_its_index(opened):
    frame = pd.DataFrame(
        {"a": pd.Categorical(["x", "y", None]), "b": [1.5, np.nan, 2], "c": ["p", None, "q"]},
        index=[7, 8, 9],
    )
    table = opened(frame)
    assert table.names == ("a", "b", "c")
    assert table.values_of("a")["value"].to_pylist() == ["x", "y", None]
    assert table.values_of("b")["value"].to_pylist() == ["1.5", "2.0", None]
    assert table.values_of("c")["value"].to_pylist() == ["p", "q", None]


def test_pandas_not_a_time_is_missing(opened):
    frame = pd.DataFrame({"t": pd.to_datetime(["2020-01-02", None])})
    assert opened(frame).profile()[0].missing == 1


@pytest.mark.parametrize("values", [[1, "s3cr3t"], [b"x", "s3cr3t"], [1, 1.5], [object()]])
def test_mixed_objects_are_named_and_not_shown(opened, values):
    frame = pd.DataFrame({"odd": pd.Series(values, dtype=object)})
    with pytest.raises(TableError, match="column 'odd'") as caught:
        opened(frame)
    assert "s3cr3t" not in str(caught.value)


def test_polars(opened):
    frame = pl.DataFrame(
        {"s": ["x", None], "c": pl.Series(["u", "v"], dtype=pl.Categorical), "f": [1.0, np.nan]}
    )
    table = opened(frame)
    assert table.types["s"] == "string"
    assert table.values_of("c")["value"].to_pylist() == ["u", "v"]
    assert [p.missing for p in table.profile()] == [1, 0, 1]
    out = table.apply([], suppress=NOTHING, order_key=b"").read_all()
    assert sorted(out["c"].to_pylist()) == ["u", "v"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (pd.DataFrame({1: [1]}), "named by a int"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "have the same name"),
        (pd.DataFrame({"a": []}), "the frame has no rows"),
        (pa.table([[1], [2]], names=["a", "a"]), "have the same name"),
        (pa.table([[1]], names=[""]), "column 1 has no name"),
        (pl.DataFrame({"a": [1]}).lazy(), "collect"),
        (42, "a table cannot be made from a int"),
        (pd.Series([1]), "cannot be"),
    ],
)
def test_bad_frames(opened, data, says):
    with pytest.raises(TableError, match=says):
        opened(data)


def test_damaged_parquet(opened, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["s3cr3t"] * 100}), path)
    data = path.read_bytes()
    assert opened(data, name="t.parquet").fingerprint == hashlib.sha256(data).hexdigest()
    for bad in (data[:-20], b"not parquet", data[:10] + b"\xff" * 30 + data[40:]):
        with pytest.raises(TableError, match=r"Parquet|no rows") as caught:
            opened(bad, name="t.parquet")
        assert "s3cr3t" not in str(caught.value)


def test_parquet_is_known_by_its_bytes(opened, tmp_path):
    path = tmp_path / "data.bin"
    pq.write_table(pa.table({"a": [1]}), path)
    assert opened(path).kind == "parquet"


def test_fingerprint_of_a_frame_depends_on_content_alone(opened):
    whole = pa.table({"a": ["x", None, "y"], "b": [True, False, True]})
    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    other = pa.table({"a": ["x", "", "y"], "b": [True, False, True]})
    assert opened(whole).fingerprint == opened(pieces).fingerprint
    assert opened(whole).fingerprint != opened(other).fingerprint


def test_columns_the_engine_cannot_hold(opened):
    """A nested column may lie in the table, but neither be a key nor be released."""
    table = opened(pa.table({"n": [[1], [2]], "d": pa.array([1, 2], pa.duration("s"))}))
    with pytest.raises(TableError, match=r"'n'.*cannot be released"):
        table.apply([Drop(("d",))], suppress=NOTHING, order_key=b"")
    for name in ("n", "d"):
        with pytest.raises(TableError, match="no plain text form"):
            table.histogram([name])
