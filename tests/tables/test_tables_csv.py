"""A CSV is read as text, cell for cell."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.staged import all_cells

from paretonym.errors import TableError
from paretonym.model.source import TableSource
from paretonym.tables import csvread, open_table, opening
from paretonym.tables.csvread import DoubtError, QuoteCheck
from paretonym.tables.staging import StagedRows


def read_cells(path: Path, **options):
    with open_table(TableSource(path, **options)) as table:
        return all_cells(table)


def test_nothing_is_guessed(opened, cells):
    """Leading zeros, NA, None, NULL, exponents and long integers stay the text they are."""
    row = ("01001", "NA", "None", "NULL", "1e5", "9007199254740993", "", "true", " x ")
    table = opened("a,b,c,d,e,f,g,h,i\n" + ",".join(row) + "\n")
    assert cells(table) == [row]
    assert set(table.types.values()) == {"text"}
    assert table.kind == "csv"


def test_fingerprint_is_the_hash_of_the_file(opened):
    data = b"a\n1\n"
    assert opened(data).fingerprint == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiter_is_found(opened, cells, delimiter):
    table = opened(f"zip{delimiter}age\n1{delimiter}2\n")
    assert table.names == ("zip", "age")
    assert cells(table) == [("1", "2")]


def test_delimiters_inside_quotes_do_not_count(opened):
    assert opened('"a,b,\n,c";d\n1;2\n').names == ("a,b,\n,c", "d")


def test_most_frequent_delimiter_wins(opened):
    assert opened("a;b;c,d\n1;2;3\n").names == ("a", "b", "c,d")


def test_given_delimiter(opened, cells):
    assert cells(opened("a|b\n1|2\n", delimiter="|")) == [("1", "2")]


def test_mark_and_header_whitespace_are_removed(opened):
    assert opened(b"\xef\xbb\xbf zip\t, age \n1,2\n").names == ("zip", "age")


def test_mark_before_a_quoted_name(opened, cells):
    table = opened(b'\xef\xbb\xbf"zip","age"\n"1","2"\n')
    assert table.names == ("zip", "age")
    assert cells(table) == [("1", "2")]


def test_names_replace_a_header(opened, cells):
    table = opened("1,2\n3,4", names=("a", "b"))
    assert table.names == ("a", "b")
    assert cells(table) == [("1", "2"), ("3", "4")]


def test_names_that_differ_in_case_only(opened):
    table = opened("Age,age\n1,2\n")
    assert table.values_of("Age")["value"].to_pylist() == ["1"]
    assert table.values_of("age")["value"].to_pylist() == ["2"]


def test_gzip_with_two_members(opened, cells):
    table = opened(gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"), name="t.csv.gz")
    assert cells(table) == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8", "utf-8-sig"])
def test_encodings(opened, cells, encoding):
    table = opened("größe;b\n é;\n".encode(encoding), encoding=encoding)
    assert table.names == ("größe", "b")
    assert cells(table) == [(" é", "")]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a\n\n1\n\n", [("",), ("1",), ("",)]),
        ('a\n""\n', [("",)]),
        ("a\r\n1\r\n2", [("1",), ("2",)]),
        ("a,b\r1,2\r3,4\r", [("1", "2"), ("3", "4")]),
        ("a,b\n1,2\r\n3,4\n", [("1", "2"), ("3", "4")]),
        ('a,b\n"\n1","x,""y"""\n', [("\n1", 'x,"y"')]),
        ('a,b\n5" pipe,x"y"\n', [('5" pipe', 'x"y"')]),
        ('a,b\n"1\r2","3\r\n4"\n', [("1\r2", "3\r\n4")]),
        ("a,b\n 1 ,#2\n\\,'\n", [(" 1 ", "#2"), ("\\", "'")]),
    ],
)
def test_rows_as_a_hand_reads_them(opened, cells, text, rows):
    assert cells(opened(text)) == rows


def test_a_cell_longer_than_any_block(opened, cells):
    long = "x" * (csvread.BLOCK_BYTES + 10)
    assert cells(opened(f"a,b\n1,{long}\n2,y\n")) == [("1", long), ("2", "y")]


def test_a_table_over_the_memory_budget_waits_in_a_private_file(opened, cells, monkeypatch):
    monkeypatch.setattr(opening, "StagedRows", lambda s, f: StagedRows(s, f, budget=0))
    table = opened("a,b\n" + "".join(f"{i},é{i % 7}\n" for i in range(1000)))
    path = table._content.relation
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert cells(table) == [(str(i), f"é{i % 7}") for i in range(1000)]
    assert table.histogram(["b"])["rows"].to_pylist() == [143] * 6 + [142]
    table.close()
    assert not path.parent.exists()


def test_a_failed_opening_leaves_no_folder(opened, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(TableError):
        opened("a,b\n1\n")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


texts = st.text(
    st.one_of(
        st.sampled_from("\",;\t\n\r #\\'ax0é"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    ),
    max_size=6,
)


@st.composite
def tables(draw):
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.tuples(*[texts] * width), min_size=1, max_size=8))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    tables(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from([",", ";", "\t"]),
)
@example([("\ufeff",)], "\n", csv.QUOTE_MINIMAL, ",")
@example([('"',), ("\n",)], "\r\n", csv.QUOTE_ALL, ",")
def test_what_is_written_comes_back(rows, line_end, quoting, delimiter):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end, quoting=quoting, delimiter=delimiter)
    writer.writerow([f"c{i}" for i in range(len(rows[0]))])
    if quoting == csv.QUOTE_MINIMAL:  # the writer leaves a bare CR unquoted, which ends a row
        rows = [tuple(cell.replace("\r", "") for cell in row) for row in rows]
    writer.writerows(rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        path.write_bytes(text.getvalue().encode())
        assert read_cells(path, delimiter=delimiter) == rows


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from('ab",\n\r '), max_size=24))
def test_fast_and_careful_readers_agree_or_the_fast_one_doubts(body):
    """On any text whatever: same rows, or doubt, never a difference."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        path.write_bytes(f"x,y\n{body}".encode())
        file = csvread.CsvFile(path, "utf-8", gzipped=False)
        layout = csvread.read_layout(file, ",", None)
        try:
            fast = [row for b in csvread.fast_batches(layout) for row in b.to_pylist()]
        except DoubtError:
            return
        careful = [row for b in csvread.careful_batches(layout) for row in b.to_pylist()]
        assert fast == careful


@given(st.text(st.sampled_from('a",\n'), max_size=16), st.integers(1, 5))
def test_quote_check_does_not_depend_on_chunks(text, size):
    def accepts(chunks):
        check = QuoteCheck(",")
        try:
            for chunk in chunks:
                check.feed(chunk)
            check.finish()
        except DoubtError:
            return False
        return True

    data = text.encode()
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    assert accepts(parts) == accepts([data])
