"""Reads a CSV exactly as the standard library's strict `csv` module does, but faster.

Arrow's reader agrees with the `csv` module on every well-formed file (a property test holds it
to that) but accepts some malformed quoting. A byte-level check beside it catches whatever could
differ; then, and whenever Arrow gives up, the file is read again row by row, which either
succeeds or names the line at fault. DuckDB's own CSV reader is not used: it drops blank lines of
one-column tables and mixes up line ends.
"""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from paretonym.errors import TableError
from paretonym.tables.csvtext import CHUNK, CsvFile

BLOCK_BYTES = 4 << 20  # Arrow cannot read a row longer than this: the careful reader does
CAREFUL_ROWS = 16_384
QUOTE = ord('"')
_IF_RECORD = ". If this row is a record, say so (names: in a job; --names or --no-header for init)"
BLANK_LINES = (b"\n\n", b"\r\r", b"\n\r")  # CR LF alone is one line end


class DoubtError(Exception):
    """The fast reader may not be trusted with this file."""


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """What is known of a CSV before its rows are read."""

    file: CsvFile
    delimiter: str
    names: tuple[str, ...]
    has_header: bool

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(f"c{i}", pa.string()) for i in range(len(self.names))])


def read_layout(file: CsvFile, delimiter: str, names: tuple[str, ...] | None) -> CsvLayout:
    """Read and check the header row (or the names given in its place)."""
    first = next(_rows(file, delimiter), None)
    if first is None:
        raise TableError(f"{file.name}: the file is empty; it needs a header row and rows")
    has_header = names is None
    cells = first[1] if names is None else list(names)
    header = tuple(cell.strip() for cell in cells)
    where = f"{file.name}, line {first[0]}" if has_header else f"{file.name}, names"
    # a first row that is no header holds cells, which no message may quote
    check_names(header, where, hint=_IF_RECORD if has_header else "")
    return CsvLayout(file, delimiter, header, has_header)


def width_of(file: CsvFile, delimiter: str) -> int:
    """Cells of the first row, whatever they are."""
    return len(next(_rows(file, delimiter), (0, []))[1])


def check_names(names: tuple[str, ...], where: str, *, hint: str = "") -> None:
    """Every column needs a name of its own."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise TableError(f"{where}: column {position} has no name; give it one{hint}")
        if name in seen:
            raise TableError(
                f"{where}: columns {seen[name]} and {position} have the same name; rename one{hint}"
            )
        seen[name] = position


def fast_batches(layout: CsvLayout) -> Iterator[pa.RecordBatch]:
    """All rows as text, read by Arrow; DoubtError when the file needs the careful reader."""
    names = layout.schema.names
    with layout.file.bytes() as stream:
        checked = pa.PythonFile(io.BufferedReader(CheckedStream(stream, layout)), mode="r")
        try:
            reader = pacsv.open_csv(
                checked,
                read_options=pacsv.ReadOptions(
                    column_names=names,
                    skip_rows_after_names=int(layout.has_header),
                    block_size=BLOCK_BYTES,
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=layout.delimiter,
                    newlines_in_values=True,
                    ignore_empty_lines=False,
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types=layout.schema,
                    strings_can_be_null=False,
                    quoted_strings_can_be_null=False,
                ),
            )
            yield from reader
        except pa.ArrowCancelled:
            raise KeyboardInterrupt from None
        except pa.ArrowException:  # quotes the row it failed on
            raise DoubtError from None


def careful_batches(layout: CsvLayout) -> Iterator[pa.RecordBatch]:
    """All rows as text, read one by one; the first fault is an error with its line."""
    width = len(layout.names)
    rows = _rows(layout.file, layout.delimiter)
    if layout.has_header:
        next(rows, None)
    while block := list(islice(rows, CAREFUL_ROWS)):
        for line, row in block:
            if len(row) != width:
                raise _ragged(layout, line, row)
        columns = zip(*(row for _, row in block), strict=True)
        arrays = [pa.array(column, pa.string()) for column in columns]
        yield pa.RecordBatch.from_arrays(arrays, schema=layout.schema)


def line_of_row(layout: CsvLayout, number: int) -> int:
    """The physical line on which a row starts; rows are counted from 1 after the header."""
    rows = _rows(layout.file, layout.delimiter)
    skipped = number - 1 + int(layout.has_header)
    return next(islice(rows, skipped, None))[0]


def _rows(file: CsvFile, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Every row with the physical line it starts on."""
    reader = csv.reader(file.lines(), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        # the limit is global to the process: it is only lifted while a row is being read
        limit = csv.field_size_limit(sys.maxsize)
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _misquoted(file, line, reader.line_num, str(error)) from None
        finally:
            csv.field_size_limit(limit)
        yield line, row or [""]  # a blank line is a row with one empty cell


def _misquoted(file: CsvFile, start: int, end: int, reason: str) -> TableError:
    if "unexpected end" in reason:
        return TableError(
            f'{file.name}, line {start}: a quote (") opened in the row that starts here is never '
            f"closed; close it, or double quotes that belong to the text"
        )
    return TableError(
        f"{file.name}, line {end}: a closing quote is followed by more text in the same cell; "
        f'double quotes that belong to the text ("")'
    )


def _ragged(layout: CsvLayout, line: int, row: list[str]) -> TableError:
    known = "the header names" if layout.has_header else "the job gives names for"
    width = len(layout.names)
    if row == [""]:
        return TableError(
            f"{layout.file.name}, line {line}: the line is blank, but {known} {width} columns; "
            f"remove the line"
        )
    return TableError(
        f"{layout.file.name}, line {line}: the row has {len(row)} cells, but {known} {width} "
        f"columns; quote cells that contain the delimiter, or repair the row"
    )


class CheckedStream(io.RawIOBase):
    """UTF-8 bytes for Arrow; raises DoubtError on anything Arrow might read differently."""

    def __init__(self, stream: BinaryIO, layout: CsvLayout) -> None:
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(layout.file.encoding)()
        self._as_is = layout.file.is_utf8
        self._quotes = QuoteCheck(layout.delimiter)
        self._blank_is_row = len(layout.names) == 1
        self._last = b""
        self._at_start = True
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready:
            chunk = self._stream.read(CHUNK)
            self._ready = memoryview(self._checked(chunk))
            if not chunk:
                self._quotes.finish()
                break
        size = min(len(target), len(self._ready))
        target[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _checked(self, chunk: bytes) -> bytes:
        try:
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeError:
            raise DoubtError from None
        data = chunk if self._as_is else text.encode()
        if self._at_start:
            data = data.removeprefix(codecs.BOM_UTF8)
            self._at_start = not chunk
        if b"\0" in data or self._may_hold_blank_line(data):
            raise DoubtError
        self._quotes.feed(data)
        return data

    def _may_hold_blank_line(self, data: bytes) -> bool:
        """Arrow passes over blank lines of a table with several columns."""
        joined, self._last = self._last + data, data[-1:] or self._last
        return not self._blank_is_row and any(ends in joined for ends in BLANK_LINES)


class QuoteCheck:
    """Accepts bytes whose every quote opens, closes or is doubled inside a quoted cell.

    With quotes numbered from 0, even ones open and odd ones close; a doubled quote closes and
    opens again at once. An opening quote must follow a delimiter or line end, a closing one
    must precede one (or the end). Files with quotes inside unquoted cells fail here although
    they may be well formed: they are left to the careful reader.
    """

    def __init__(self, delimiter: str) -> None:
        self._edges = np.zeros(256, dtype=np.bool_)
        self._edges[[ord(delimiter), ord("\r"), ord("\n"), QUOTE]] = True
        self._seen = 0
        self._last = b"\n"

    def feed(self, data: bytes) -> None:
        if not data:
            return
        joined = np.frombuffer(self._last + data, np.uint8)
        at = np.flatnonzero(joined[1:] == QUOTE) + 1
        opening, closing = at[self._seen % 2 :: 2], at[1 - self._seen % 2 :: 2]
        if self._last == b'"' and self._seen % 2 == 0:  # it closed at the end of the last chunk
            closing = np.concatenate(([0], closing))
        closing = closing[closing + 1 < len(joined)]
        if not (self._edges[joined[opening - 1]].all() and self._edges[joined[closing + 1]].all()):
            raise DoubtError
        self._seen += len(at)
        self._last = data[-1:]

    def finish(self) -> None:
        if self._seen % 2:
            raise DoubtError
