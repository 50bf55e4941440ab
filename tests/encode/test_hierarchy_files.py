"""Hierarchy files: what they declare and every way in which they can be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretonym.encode.hierarchies import build
from paretonym.errors import HierarchyError
from paretonym.model.hierarchy import FromFile


@pytest.fixture
def write(tmp_path: Path):
    def put(text: str | bytes) -> Path:
        path = tmp_path / "h.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def rows_of(granulation):
    return [p.labels for p in granulation.partitions]


def test_every_row_is_a_leaf_whether_it_occurs_or_not(write):
    g = build(FromFile(write("a;x;*\nb;x;*\nc;y;*\n")), "col", ["c"])
    assert g.declared
    assert g.leaves == ("a", "b", "c")
    assert rows_of(g) == [("a", "b", "c"), ("x", "y"), ("*",)]
    assert [p.name for p in g.partitions] == ["value", "level 1", "level 2"]


def test_leaves_are_ordered_so_that_blocks_are_neighbours(write):
    g = build(FromFile(write("a;y;*\nb;x;*\nc;y;*\nd;x;*\n")), "col", [])
    assert g.leaves == ("b", "d", "a", "c")
    assert g.partitions[1].block_of.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_delimiters_line_ends_and_byte_order_marks(write, delimiter, end, bom):
    text = end.join(delimiter.join(row) for row in (["ä", "x", "*"], ["b", "x", "*"]))
    g = build(FromFile(write(bom + text.encode())), "col", ["ä"])
    assert set(g.leaves) == {"ä", "b"}


def test_quoted_cells_may_hold_delimiters_and_newlines(write):
    g = build(FromFile(write('"a;1";"x\ny";*\nb;"say ""hi""";*\n')), "col", ["a;1"])
    assert set(g.partitions[1].labels) == {"x\ny", 'say "hi"'}


def test_a_given_delimiter_is_not_guessed(write):
    g = build(FromFile(write("a,b|x,y\nc|x,y\n"), delimiter="|"), "col", ["a,b", "c"])
    assert g.partitions[1].labels == ("x,y",)


def test_commas_inside_cells_of_a_semicolon_file(write):
    g = build(FromFile(write("Married, at home;Married;*\nSingle;Single;*\n")), "col", [])
    assert "Married, at home" in g.leaves


def test_an_empty_value_is_the_missing_leaf(write):
    g = build(FromFile(write("a;x;*\n;unknown;*\nb;unknown;*\n")), "col", ["a", None])
    assert None in g.leaves
    assert set(g.partitions[1].labels) == {"unknown", "x"}
    assert g.partitions[0].labels[g.leaf_index[None]] is None


def test_missing_joins_the_closing_star_only(write):
    path = write("a;x;*\nb;y;*\n")
    assert rows_of(build(FromFile(path), "c", ["a", None])) == [
        ("a", "b", None),
        ("x", "y", None),
        ("*",),
    ]
    assert rows_of(build(FromFile(path), "c", ["a"])) == [("a", "b"), ("x", "y"), ("*",)]


def test_missing_does_not_join_a_top_that_says_something_else(write):
    """A missing country is not 'World': a level * is added above both."""
    g = build(FromFile(write("a;World\nb;World\n")), "c", [None])
    assert rows_of(g) == [("a", "b", None), ("World", None), ("*",)]


def test_open_top(write):
    path = write("a;x\nb;x\nc;y\n")
    with pytest.raises(HierarchyError, match=r"last column has 2 labels.*open_top: true"):
        build(FromFile(path), "c", [])
    g = build(FromFile(path, open_top=True), "c", [None])
    assert g.open_top
    assert rows_of(g) == [("a", "b", "c", None), ("x", "y", None)]


def test_values_the_file_lacks_are_counted_not_quoted(write):
    path = write("a;*\nb;*\n")
    with pytest.raises(HierarchyError) as caught:
        build(FromFile(path), "job", ["a", "secret1", "secret2", "b "])
    text = str(caught.value)
    assert "column 'job'" in text
    assert str(path) in text
    assert "3 values" in text
    assert "1 would match without blanks" in text
    assert "secret" not in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("a;x;*\nb;*\nc;*\n", r"line 2: 2 cells where the first row has 3 \(2 rows"),
        ("a;x;*\nb;x;*\na;x;*\n", "line 3: the value of line 1 stands here again"),
        (";x;*\nb;x;*\n;x;*\n", "line 3: the value of line 1 stands here again"),
        ("a;x;*\nb;;*\n", "line 2: an empty label"),
        ("a;x;p;*\nb;y;q;*\nc;x;q;*\n", r"line 3: the same label as line 1 at level 1, another"),
        ('a;"x\nx";p;*\nb;y;q;*\nc;y;p;*\n', r"line 4: the same label as line 3 at level 1"),
        ("a\nb\n", "last column has 2 labels"),
        ('a;"x;*\nb;x;*\n', "not a well-formed file"),
        (b"a;x;*\nb;\xff;*\n", "line 2: not UTF-8"),
        ("a;x;*\nb;\0;*\n", "line 2: a NUL"),
    ],
)
def test_faulty_files_name_column_file_and_line(write, text, says):
    path = write(text)
    with pytest.raises(HierarchyError, match=says) as caught:
        build(FromFile(path), "job", ["a"])
    assert f"column 'job': {path}" in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_missing_file_and_a_folder(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(HierarchyError, match="check the path"):
            build(FromFile(path), "job", ["a"])


def test_a_delimiter_of_two_characters_is_refused(write):
    with pytest.raises(HierarchyError, match="delimiter"):
        build(FromFile(write("a;;x\n"), delimiter=";;"), "job", ["a"])


def test_no_message_quotes_a_cell(write):
    for text in ("top;secret;*\nother;*\n", "top;secret;*\ntop;secret;*\n", "top;secret\nb;x\n"):
        with pytest.raises(HierarchyError) as caught:
            build(FromFile(write(text)), "job", ["a"])
        assert "secret" not in str(caught.value)
