"""A release compared with its input, over random tables and random faults."""

from __future__ import annotations

import csv
import itertools
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.model.plan import Plan, steps_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.source import TableSource
from paretonym.model.steps import Recode, Suppress
from paretonym.publishing.bytestream import Utf8Blocks
from paretonym.publishing.codes import CsvDialect, read_csv
from paretonym.publishing.manifest import DataFile
from paretonym.publishing.source_check import check_source
from paretonym.publishing.writers import write_data

SCHEMA = Schema.of(
    [
        Column("q", frozenset({Role.QUASI})),
        Column("n", frozenset({Role.QUASI})),
        Column("s", frozenset({Role.SENSITIVE})),
    ]
)
LETTERS = {"a": "ab", "b": "ab", "c": "c", None: None}
NUMBERS = {"1": "low", "2": "low", "3": "high", None: "high"}
PLAN = Plan(
    SCHEMA,
    ("", "?"),
    steps_of(
        SCHEMA,
        (
            Recode("q", 1, "x", LETTERS, {"ab": 2, "c": 1, None: 1}, 4, ""),
            Recode("n", 1, "y", NUMBERS, {"low": 2, "high": 2}, 4, ""),
        ),
        Suppress(2),
    ),
    "",
    0,
)
rows = st.lists(
    st.tuples(
        st.sampled_from(list(LETTERS)),
        st.sampled_from([1, 2, 3, None]),
        st.sampled_from(["x", "y", "?", "", None]),
    ),
    min_size=1,
    max_size=20,
)


def recoded(table):
    """Recode and suppress classes of one row, in plain Python."""
    every = [(LETTERS[q], NUMBERS[None if n is None else str(n)], s) for q, n, s in table]
    sizes = Counter((q, n) for q, n, _ in every)
    return [row for row in every if sizes[row[:2]] >= 2]


def as_table(cells, *, number=False):
    kinds = [pa.string(), pa.int16() if number else pa.string(), pa.string()]
    return pa.table(
        {
            name: pa.array([row[i] for row in cells], kinds[i])
            for i, name in enumerate(SCHEMA.names())
        }
    )


def compare(path, source, released, suppressed, form="parquet"):
    write_data(as_table(released).to_reader(), path, format=form, missing=PLAN.missing)
    data = DataFile(f"data.{form}", "", form, missing=PLAN.missing)
    return check_source(TableSource(source), path, data, PLAN, suppressed=suppressed)


@settings(max_examples=150, deadline=None)  # every example is forced to disk
@given(rows, st.sampled_from(["csv", "parquet"]), st.randoms(use_true_random=False))
def test_true_releases_pass_and_any_changed_row_fails(tmp_path_factory, table, form, random):
    folder = tmp_path_factory.mktemp("s")
    released = recoded(table)
    random.shuffle(released)
    source = as_table(table, number=True)
    gone = len(table) - len(released)
    result = compare(folder / "d", source, released, gone, form)
    assert all(check.holds for check in result.checks)
    assert result.rows == len(table)
    if released:
        at = random.randrange(len(released))
        changed = list(released)
        changed[at] = (*changed[at][:2], "never seen")
        result = compare(folder / "d", source, changed, gone, form)
        assert not all(check.holds for check in result.checks)
        fewer = compare(folder / "d", source, released[1:], gone + 1, form)
        assert not all(check.holds for check in fewer.checks)  # a class torn apart


def test_raw_values_of_a_recoded_column():
    """Classes (ab, low): a1 a1 b2; the row c3 is suppressed: half of nothing, all of c."""
    table = [("a", 1, "x"), ("a", 1, "x"), ("b", 2, "y"), ("c", 3, "x")]
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        result = compare(Path(folder) / "d", as_table(table, number=True), recoded(table), 1)
    assert result.values["distinct_l(q)"] == 2
    assert result.values["s_l(q)"] == 5
    assert result.values["cm(q)"] == 2  # b, and the suppressed row
    assert result.values["worst_group_suppression(q)"] == 1.0
    assert result.values["worst_group_suppression(s)"] == pytest.approx(1 / 3)


def test_a_value_the_plan_does_not_know_must_be_suppressed(tmp_path):
    """Later files hold new values; such rows match no label, not even a missing one."""
    table = [("a", 1, "x"), ("a", 2, "x"), ("new", 1, "x")]
    kept = [("ab", "low", "x"), ("ab", "low", "x")]
    result = compare(tmp_path / "d", as_table(table, number=True), kept, 1)
    assert all(check.holds for check in result.checks)
    result = compare(tmp_path / "d", as_table(table, number=True), [*kept, (None, "low", "x")], 0)
    assert not all(check.holds for check in result.checks)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "cp1252"])
@pytest.mark.parametrize("size", [2, 3, 7, 1000])
def test_blocks_hold_every_byte_and_never_cut_a_line_end(tmp_path, encoding, size):
    text = 'a,b\r\n"ü\r\nx",\r\r\n,"é\r"\r\n' * 3 + "\r"
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    blocks = []
    with Utf8Blocks(path, encoding) as stream:
        while block := stream.read(size):
            assert len(block) <= size
            blocks.append(block)
    assert b"".join(blocks) == text.encode()
    pairs = itertools.pairwise(blocks)
    assert not any(one.endswith(b"\r") and two.startswith(b"\n") for one, two in pairs)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig"])
def test_other_encodings_read_like_the_csv_module(tmp_path, encoding):
    path = tmp_path / "t.csv"
    lines = [["naïve", "b"], ["é\r\n", "1"], ["", 'q"']]
    with path.open("w", newline="", encoding=encoding) as stream:
        csv.writer(stream).writerows(lines)
    table = read_csv(path, CsvDialect(encoding=encoding), missing=())
    assert table.names == ("naïve", "b")
    first = table.columns["naïve"]
    assert [first.values[int(code)].as_py() for code in first.codes] == ["é\r\n", ""]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_quoted_header_is_read_with_the_delimiter_that_fits(tmp_path, delimiter):
    """`"q";"n";"s"` has broken quotes where commas are expected; that is no reason to stop."""
    records = [("a", "1", "x"), ("b", "2", "y"), ("a", "2", "x")]
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in (SCHEMA.names(), *records)]
    source = tmp_path / "source.csv"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    released = tmp_path / "data.csv"
    released.write_text("q,n,s\nab,low,x\nab,low,y\nab,low,x\n", encoding="utf-8")
    data = DataFile("data.csv", "", "csv")
    found = check_source(TableSource(source, missing=("", "?")), released, data, PLAN, suppressed=0)
    assert all(check.holds for check in found.checks)
