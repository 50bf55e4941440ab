"""What cannot be read faithfully is an error with file, line and remedy, and without values."""

from __future__ import annotations

import gzip
import traceback

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretonym.errors import TableError

SECRET = "s3cr3t"  # noqa: S105 - a canary, not a password


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "people.csv: the file is empty"),
        (b"\xef\xbb\xbf", "people.csv: the file is empty"),
        (b"a,b\n", "people.csv has no rows"),
        (b"a,a\n1,2\n", "people.csv, line 1: columns 1 and 2 have the same name"),
        (b"a, a\n1,2\n", "people.csv, line 1: columns 1 and 2 have the same name"),
        (b"a,,b\n1,2,3\n", "people.csv, line 1: column 2 has no name"),
        (b"\na,b\n", "people.csv, line 1: column 1 has no name"),
        (b"a,b\n1,2\ns3cr3t\n", "people.csv, line 3: the row has 1 cells"),
        (b"a,b\n1,2\n\n3,4\n", "people.csv, line 3: the line is blank"),
        (b"a,b\n1,2\n\n", "people.csv, line 3: the line is blank"),
        (b"a,b\n1,2,s3cr3t\n", "people.csv, line 2: the row has 3 cells"),
        (b'a,b\n"1\n2",x\ns3cr3t\n', "people.csv, line 4: the row has 1 cells"),
        (b'a,b\n1,2\n"s3cr3t,3\n4,5\n', "people.csv, line 3: a quote"),
        (b'a,b\n1,2\n"s3cr3t"x,3\n', "people.csv, line 3: a closing quote is followed"),
        (b"a,b\n1,2\n3,s3cr3t\0\n", "people.csv, line 3: holds a NUL byte"),
        (b"a,b\n1,2\n3,s3cr3t\xff\n", "people.csv, line 3: holds bytes that are not utf-8"),
        (b"a,b\r1,2\r3,s3cr3t\xff\r", "people.csv, line 3: holds bytes that are not utf-8"),
        (b"a,b\n1,2\n3,s3cr3t\xc3", "people.csv, line 3: holds bytes that are not utf-8"),
        (
            gzip.compress(b"a,b\ns3cr3t,2\n" * 99, mtime=0)[:-9],
            "people.csv: the gzip file is damaged",
        ),
    ],
)
def test_bad_files(opened, data, says):
    with pytest.raises(TableError) as caught:
        opened(data)
    assert str(caught.value).startswith(says)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.slow
def test_line_of_a_fault_far_into_the_file(opened):
    """Half a million lines ahead, over several chunks."""
    good = b"1,22\r\n" * 500_000
    for bad, says in [(b"3\n", "line 500002: the row"), (b"3,\xff\n", "line 500002: holds bytes")]:
        with pytest.raises(TableError, match=says):
            opened(b"a,b\r\n" + good + bad)


def test_no_such_file(opened, tmp_path):
    with pytest.raises(TableError, match="there is no such file"):
        opened(tmp_path / "absent.csv")
    with pytest.raises(TableError, match="not a file"):
        opened(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-9", "rot13", "base64"])
def test_unknown_encoding(opened, encoding):
    with pytest.raises(TableError, match="is not known"):
        opened("a\n1\n", encoding=encoding)


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", "§"])
def test_impossible_delimiter(opened, delimiter):
    with pytest.raises(TableError, match="one ASCII character"):
        opened("a\n1\n", delimiter=delimiter)


def test_names_of_the_wrong_number(opened):
    with pytest.raises(TableError, match="line 1: the row has 2 cells, but the job gives names"):
        opened("1,2\n", names=("a", "b", "c"))


def test_unknown_column_is_named_with_the_nearest(opened):
    with pytest.raises(TableError, match=r"no column 'agee' .did you mean 'age'"):
        opened("age\n1\n").values_of("agee")


def test_closed_table(opened):
    table = opened("age\n1\n")
    table.close()
    table.close()
    with pytest.raises(TableError, match="closed"):
        table.values_of("age")


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=40), st.sampled_from(["utf-8", "latin-1", "utf-16"]))
def test_any_bytes_open_or_raise_a_table_error(opened, data, encoding):
    try:
        table = opened(data, encoding=encoding)
    except TableError:
        return
    assert table.rows() == table.histogram([])["rows"][0].as_py()
    table.close()
