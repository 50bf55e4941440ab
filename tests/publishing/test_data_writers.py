"""The data file holds the released cells and nothing else."""

from __future__ import annotations

import csv
import datetime as dt
import io
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.errors import OutputError
from paretonym.publishing import codes
from paretonym.publishing.cells import neutralise, restore
from paretonym.publishing.codes import CsvDialect, read_csv
from paretonym.publishing.writers import clean_array, write_data

CANARY = "CANARY-7f3a9c"


def write(table, path, **options):
    return write_data(table.to_reader(), path, format="csv", **options)


def plain_read(path, delimiter=","):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream, delimiter=delimiter, strict=True))


def test_minimal_quoting_and_empty_cells(tmp_path):
    table = pa.table({"a b": ["x", 'say "hi"', None], "c": ["1,5", "two\nlines", "é"]})
    write(table, tmp_path / "d.csv")
    text = (tmp_path / "d.csv").read_bytes().decode()
    assert text == 'a b,c\nx,"1,5"\n"say ""hi""","two\nlines"\n,é\n'


def test_only_the_delimiter_in_use_needs_quotes(tmp_path):
    table = pa.table({"a": ["1,5", "x;y"], "b": ["p", "q\tr"]})
    write(table, tmp_path / "d.csv", delimiter=";")
    assert (tmp_path / "d.csv").read_text() == 'a;b\n1,5;p\n"x;y";q\tr\n'
    write(table, tmp_path / "t.csv", delimiter="\t")
    assert (tmp_path / "t.csv").read_text() == 'a\tb\n1,5\tp\nx;y\t"q\tr"\n'


def test_a_single_column_has_no_blank_lines(tmp_path):
    write(pa.table({"a": ["x", None, "y"]}), tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text() == 'a\nx\n""\ny\n'


def test_typed_cells_as_text(tmp_path):
    table = pa.table(
        {
            "i": pa.array([1, None], pa.int64()),
            "f": [1.0, float("nan")],
            "d": [dt.date(2020, 1, 2), None],
            "t": [dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5, 500000)],
            "m": [Decimal("1.50"), None],
            "b": [True, False],
            "n": pa.nulls(2),
            "c": pa.array(["u", None]).dictionary_encode(),
        }
    )
    facts = write(table, tmp_path / "d.csv")
    assert plain_read(tmp_path / "d.csv")[1:] == [
        ["1", "1.0", "2020-01-02", "2020-01-02 00:00:00", "1.50", "true", "", "u"],
        ["", "", "", "2020-01-02 03:04:05.5", "", "false", "", ""],
    ]
    assert facts.rows == 2


texts = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ['"', '""', ",", "\r", "\n", "\r\n", "\ufeff", "\x00", "'=1", "-5", "=a", " x ", "NA"]
)


@settings(deadline=None)  # every example is forced to disk
@given(
    st.lists(st.tuples(texts, st.none() | texts, texts), max_size=8),
    st.lists(texts, min_size=3, max_size=3, unique=True),
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
    st.sampled_from([40, 1 << 20]),
)
def test_both_readers_give_back_what_was_written(
    tmp_path_factory, rows, names, delimiter, guard, block
):
    """Whatever the cells hold and wherever pyarrow cuts the file into blocks."""
    path = tmp_path_factory.mktemp("w") / "d.csv"
    table = pa.table(
        {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)}
    )
    write(table, path, delimiter=delimiter, neutralise=guard)
    header, *lines = plain_read(path, delimiter)
    assert header == names
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "_BLOCK", block)
        coded = read_csv(path, CsvDialect(delimiter), missing=(), neutralised=guard)
    ours = [
        [coded.columns[name].values[int(coded.columns[name].codes[i])].as_py() for name in names]
        for i in range(coded.rows)
    ]
    assert ours == [[cell or "" for cell in row] for row in rows]
    if not guard:
        assert lines == ours


@settings(deadline=None)
@given(st.lists(texts | st.from_regex(r"\A'{0,3}[=+\-@]?[0-9a]{0,2}\Z"), max_size=20))
def test_neutralising_never_makes_two_cells_equal(cells):
    before = pa.array(cells, pa.large_string())
    assert restore(neutralise(before)).to_pylist() == cells


def test_formula_cells_are_counted_and_negative_numbers_are_not(tmp_path):
    cells = ["=1+1", "+1", "@x", "\tx", "\rx", "-x", "-5-3", "-5", "-1.5e3", "-0,5", "a=b", None]
    table = pa.table({"t": cells, "n": list(range(-6, 6))})
    assert write(table, tmp_path / "d.csv").formula_cells == {"t": 7}
    assert [row[0] for row in plain_read(tmp_path / "d.csv")[1:8]] == cells[:7]
    write(table, tmp_path / "d.csv", neutralise=True)
    written = [row[0] for row in plain_read(tmp_path / "d.csv")[1:]]
    assert written[:7] == [f"'{cell}" for cell in cells[:7]]
    assert written[7:] == ["-5", "-1.5e3", "-0,5", "a=b", ""]


def test_a_header_that_reads_like_a_formula_is_named(tmp_path):
    assert write(pa.table({"=x": ["1"], "y": ["2"]}), tmp_path / "d.csv").formula_headers == ("=x",)


def test_missing_and_empty_text_are_not_confused(tmp_path):
    table = pa.table({"a": ["", None], "b": ["x", "y"]})
    write(table, tmp_path / "d.csv", missing=("",))
    with pytest.raises(OutputError, match="column 'a'"):
        write(table, tmp_path / "e.csv", missing=("NA",))
    assert not (tmp_path / "e.csv").exists()


@pytest.mark.parametrize(
    "table",
    [pa.table({}), pa.table([["1"], ["2"]], names=["a", "a"]), pa.table({"a": [[1], [2]]})],
)
def test_odd_schemas_are_refused(tmp_path, table):
    with pytest.raises(OutputError):
        write(table, tmp_path / "d.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_failing_reader_leaves_nothing(tmp_path):
    def batches():
        yield pa.record_batch({"a": ["x"]})
        raise RuntimeError

    for form in ("csv", "parquet"):
        reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.string())]), batches())
        with pytest.raises(RuntimeError):
            write_data(reader, tmp_path / "d", format=form)
    assert list(tmp_path.iterdir()) == []


def decompressed(path) -> bytes:
    """The file, and every cell and dictionary a reader can get out of it."""
    raw = path.read_bytes()
    for options in ({}, {"read_dictionary": ["c"]}):
        with pq.ParquetFile(path, **options) as file:
            sink = io.BytesIO()
            table = file.read()
            with pa.ipc.new_stream(sink, table.schema) as stream:
                stream.write_table(table)
            raw += sink.getvalue() + str(file.metadata.metadata).encode()
            raw += str(file.schema_arrow.to_string(show_schema_metadata=True)).encode()
            raw += str(file.metadata.to_dict()).encode()
    return raw


def test_no_canary_reaches_a_parquet_file(tmp_path):
    """Unused categories, sliced-off rows, bytes under nulls and metadata stay behind."""
    text = pa.array([CANARY + "-1", "kept", "kept too", CANARY + "-2"])
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    category = pa.DictionaryArray.from_arrays(
        pa.array([2, 1, None, 0], pa.int8()), [CANARY, "b", CANARY + "x"], ordered=True
    )
    numbers = pa.array([1, 2, 3, 4], pa.int64())
    number = pa.Array.from_buffers(
        pa.int64(), 4, [pa.array([True, True, False, True]).buffers()[1], numbers.buffers()[1]]
    )
    field = pa.field("t", pa.string(), metadata={"comment": CANARY})
    schema = pa.schema([field, ("c", kind), ("n", pa.int64())], metadata={"pandas": CANARY})
    table = pa.table([text, category, number], schema=schema).slice(1, 2)
    facts = write_data(table.to_reader(), tmp_path / "d.parquet", format="parquet")
    assert facts.rows == 2
    assert CANARY.encode() not in decompressed(tmp_path / "d.parquet")
    with pq.ParquetFile(tmp_path / "d.parquet") as file:
        assert set(file.metadata.metadata or {}) <= {b"ARROW:schema"}
        back = file.read()
    assert back.schema == pa.schema([("t", pa.string()), ("c", kind), ("n", pa.int64())])
    assert back.schema.metadata is None
    assert back.to_pydict() == {"t": ["kept", "kept too"], "c": ["b", None], "n": [2, None]}
    assert back.column("c").chunk(0).dictionary.to_pylist() == ["b"]


def test_nothing_lies_under_a_null():
    values = pa.array([7, 8, 9], pa.int32())
    holed = pa.Array.from_buffers(
        pa.int32(), 3, [pa.array([True, False, True]).buffers()[1], values.buffers()[1]]
    )
    clean = clean_array(holed.slice(1))
    assert clean.to_pylist() == [None, 9]
    assert np.frombuffer(clean.buffers()[1], np.int32)[:2].tolist() == [0, 9]


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a", None, "bb"], pa.string_view()),
        pa.array(["a", None, "bb"], pa.large_string()),
        pa.array([True, None, False]),
        pa.array([dt.date(2020, 1, 1), None]),
        pa.array([Decimal("1.5"), None]),
        pa.array([b"x", None]),
        pa.nulls(3),
        pa.array([1.5, None, float("inf")]),
        pa.array(["x", None, "y"]).cast(pa.dictionary(pa.uint16(), pa.large_string())),
    ],
    ids=lambda array: str(array.type),
)
def test_cleaning_changes_no_cell_and_no_type(array):
    clean = clean_array(array)
    assert clean.type == array.type
    assert clean.to_pylist() == array.to_pylist()
    clean.validate(full=True)


def test_small_pieces_become_big_row_groups(tmp_path):
    batches = [pa.record_batch({"a": [str(i)]}) for i in range(50)]
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    write_data(reader, tmp_path / "d.parquet", format="parquet")
    with pq.ParquetFile(tmp_path / "d.parquet") as file:
        assert file.num_row_groups == 1
        assert pc.count_distinct(file.read().column("a")).as_py() == 50
