"""The released rows are the table's rows: recoded, some left out, shuffled, nothing else."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.errors import TableError
from paretonym.model.source import TableSource
from paretonym.model.steps import Drop, Recode, Suppress
from paretonym.tables import open_table, opening
from paretonym.tables.staging import StagedRows


def recode(column, labels):
    return Recode(column, 1, "test", labels, {}, len(labels), "")


def classes(**columns):
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def released(reader):
    table = reader.read_all()
    return sorted(zip(*(c.to_pylist() for c in table.columns), strict=True), key=repr)


PEOPLE = "name,zip,sex,note\nAnn,101,F,\nBob,102,M,x\nCy,201,M,\nDee,,F,y\n"
ZIP = recode("zip", {"101": "10*", "102": "10*", "201": "20*", None: None})
SEX = recode("sex", {"F": "F", "M": "M"})
LEAVE_OUT = Suppress(0)


def test_recode_suppress_and_keep_the_order_of_columns(opened):
    out = opened(PEOPLE).apply(
        [Drop(("name",)), ZIP, SEX, LEAVE_OUT],
        suppress=classes(zip=["20*", None, "10*"], sex=["M", "F", "x"]),
        order_key=b"k",
    )
    assert out.schema.names == ["zip", "sex", "note"]
    assert released(out) == [("10*", "F", ""), ("10*", "M", "x")]


def test_missing_is_null_in_every_quasi_identifier(opened):
    identity = recode("sex", {"F": "F", "M": "M", None: None})
    text = "zip,sex\n101,\n,F\n"
    out = opened(text).apply(
        [ZIP, identity, LEAVE_OUT],
        suppress=classes(zip=[], sex=[]),
        order_key=b"",
    )
    assert released(out) == [("10*", None), (None, "F")]


def test_other_missing_texts_become_one_missing_value(opened):
    identity = recode("sex", {"F": "F", None: None})
    out = opened("sex,note\nF,NA\nNA,F\n,x\n", missing=("", "NA")).apply(
        [identity, LEAVE_OUT], suppress=classes(sex=[]), order_key=b""
    )
    assert released(out) == [("F", "NA"), (None, "F"), (None, "x")]


def test_typed_column_passes_or_becomes_text(opened):
    table = opened(pa.table({"age": [31, 42, None], "n": [1, 2, 3]}))
    same = recode("age", {"31": "31", "42": "42", None: None})
    coarse = recode("age", {"31": "30-39", "42": "40-49", None: "*"})
    out = table.apply([same, LEAVE_OUT], suppress=classes(age=["42"]), order_key=b"1")
    assert out.schema.field("age").type == pa.int64()
    assert released(out) == [(31, 1), (None, 3)]
    out = table.apply([coarse, LEAVE_OUT], suppress=classes(age=["*"]), order_key=b"1")
    assert released(out) == [("30-39", 1), ("40-49", 2)]


def test_unknown_values_stop_the_release(opened):
    partial = recode("zip", {"101": "1*"})
    with pytest.raises(TableError, match="3 rows have a value of column 'zip'") as error:
        opened(PEOPLE).apply(
            [Drop(("name", "note")), partial, SEX], suppress=classes(), order_key=b""
        )
    assert "201" not in str(error.value)


def test_the_key_decides_the_order_of_rows(opened, monkeypatch):
    """The same for memory and disk, whatever the threads; another key, another order."""
    text = "i,q\n" + "".join(f"{i},{i % 3}\n" for i in range(200_000))
    label = recode("q", {"0": "a", "1": "b", "2": "c"})

    def order(table, key):
        out = table.apply([label, LEAVE_OUT], suppress=classes(q=["b"]), order_key=key)
        return out.read_all()["i"].to_pylist()

    in_memory = opened(text)
    monkeypatch.setattr(opening, "StagedRows", lambda s, f: StagedRows(s, f, budget=0))
    on_disk = opened(text)
    first = order(in_memory, b"one")
    assert first == order(in_memory, b"one") == order(on_disk, b"one")
    assert first != order(in_memory, b"two")
    assert first[:100] != sorted(first[:100], key=int)
    assert sorted(map(int, first)) == [i for i in range(200_000) if i % 3 != 1]


cell = st.sampled_from(["", "a", "b", "c", "NA"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=25),
    st.lists(st.tuples(*[st.sampled_from([None, "A", "B", "*"])] * 2), max_size=5),
    st.binary(max_size=4),
)
def test_in_is_out_plus_suppressed(rows, dropped, key):
    """Against plain Python: every row comes out once, unless its labels are suppressed."""
    x = {None: None, "a": "A", "b": "A", "c": "B"}
    y = {None: "*", "a": "A", "b": "B", "c": "B"}

    def normal(value):
        return None if value in ("", "NA") else value

    expected = Counter(
        (x[normal(a)], y[normal(b)], c)
        for a, b, c in rows
        if (x[normal(a)], y[normal(b)]) not in set(dropped)
    )
    frame = pa.table({name: [row[i] for row in rows] for i, name in enumerate("xyz")})
    suppress = classes(y=[b for _, b in dropped], x=[a for a, _ in dropped])
    with open_table(TableSource(frame, missing=("", "NA"))) as table:
        out = table.apply(
            [recode("y", y), recode("x", x), LEAVE_OUT],
            suppress=suppress,
            order_key=key,
        )
        assert Counter(released(out)) == expected
