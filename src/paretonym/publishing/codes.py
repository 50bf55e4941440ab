"""Reading a table back as small integers, with the standard library and pyarrow alone.

Every column becomes codes and the distinct values behind them. A missing cell (null, NaN or a
text declared missing) is one value like any other; it is never dropped.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from paretonym.errors import TableError
from paretonym.model.arrays import Ints
from paretonym.publishing.bytestream import Utf8Blocks, open_text
from paretonym.publishing.cells import as_text, is_text, plain_type, restore

_BLOCK = 1 << 24  # bytes pyarrow parses at once; a row must fit
_FIELD_LIMIT = 1 << 30


@dataclass(frozen=True, eq=False, slots=True)
class Coded:
    """One column: `values[codes[row]]` is the cell; a missing one is null."""

    codes: Ints
    values: Any  # pyarrow.Array without repetition
    type: Any  # the Arrow type as stored; text in a CSV

    @property
    def size(self) -> int:
        return len(self.values)

    def texts(self, column: str) -> list[str | None]:
        if pa.types.is_binary(self.values.type) or pa.types.is_fixed_size_binary(self.values.type):
            return [None if v is None else _readable(v) for v in self.values.to_pylist()]
        texts: list[str | None] = as_text(self.values, column).to_pylist()
        return texts

    def counts(self) -> Ints:
        return np.bincount(self.codes, minlength=self.size).astype(np.int64)


def _readable(data: bytes) -> str:
    """Bytes as the text they hold, or else in hexadecimal digits."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.hex()


@dataclass(frozen=True, eq=False, slots=True)
class CodedTable:
    """The names of all columns in their order, and the codes of those asked for."""

    names: tuple[str, ...]
    rows: int
    columns: Mapping[str, Coded]
    types: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CsvDialect:
    delimiter: str = ","
    encoding: str = "utf-8"
    names: tuple[str, ...] | None = None  # given when there is no header row
    skip_blank_lines: bool = False
    strip_names: bool = False


def code_column(
    array: Any,
    *,
    missing: Collection[str] = (),
    undo: Callable[[Any], Any] | None = None,
    as_stored: bool = False,
) -> Coded:
    """Factorise one pyarrow.ChunkedArray; `undo` is applied to distinct texts first.

    `as_stored` tells cells apart as any reader would: NaN and null are two values.
    """
    stored = array.type
    kind = plain_type(stored)
    if pa.types.is_dictionary(stored) and pa.types.is_string_view(stored.value_type):
        # Arrow decodes every dictionary but one of views
        chunks = [c.dictionary.cast(kind).take(c.indices) for c in array.chunks]
        array = pa.chunked_array(chunks, kind)
    elif not pa.types.is_dictionary(stored) or plain_type(stored) != stored.value_type:
        array = array.cast(kind)
    if pa.types.is_float16(kind):  # Arrow cannot compare halves; as singles they are exact
        kind = pa.float32()
        array = array.cast(kind)
    encoded = array.dictionary_encode().unify_dictionaries()
    chunks = encoded.chunks or [pa.array([], kind).dictionary_encode()]
    values = chunks[0].dictionary
    indices = [pc.fill_null(c.indices.cast(pa.int64()), len(values)).to_numpy() for c in chunks]
    codes = np.concatenate(indices) if len(indices) > 1 else indices[0]
    with_null = pa.concat_arrays([values, pa.nulls(1, kind)])
    values = _with_missing(with_null, missing, undo, as_stored=as_stored)
    # equal after normalising: one value; only values that occur are kept
    merged = values.dictionary_encode(null_encoding="encode")
    codes = merged.indices.to_numpy().astype(np.int64)[codes]
    used = np.flatnonzero(np.bincount(codes, minlength=len(merged.dictionary)))
    place = np.zeros(len(merged.dictionary), np.int64)
    place[used] = np.arange(len(used))
    return Coded(place[codes], merged.dictionary.take(pa.array(used)), stored)


def _with_missing(
    values: Any,
    missing: Collection[str],
    undo: Callable[[Any], Any] | None,
    *,
    as_stored: bool = False,
) -> Any:
    kind = values.type
    if is_text(kind):
        if undo is not None:
            values = undo(values.cast(pa.large_string())).cast(kind)
        if missing:
            declared = pc.is_in(values, value_set=pa.array(sorted(missing), kind))
            values = pc.if_else(declared, pa.scalar(None, kind), values)
        return values
    if as_stored:
        return values
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values)
    declared, _ = _cast_texts(sorted(missing), kind)  # such as -9 in a column of integers
    if declared is not None and len(declared):
        values = pc.if_else(pc.is_in(values, value_set=declared), pa.scalar(None, kind), values)
    return values


def read_csv(
    path: Path,
    dialect: CsvDialect,
    *,
    wanted: Collection[str] | None = None,
    missing: Collection[str] = ("",),
    neutralised: bool = False,
    as_stored: Collection[str] = (),
) -> CodedTable:
    """All cells as text, exactly as the csv module reads them.

    In the columns `as_stored` only the empty cell counts as missing.
    """
    names = csv_names(path, dialect)
    if len(set(names)) < len(names):
        raise TableError(f"'{path.name}': two columns have the same name")
    chosen = [name for name in names if wanted is None or name in wanted] or list(names[:1])
    try:
        table = _parse_fast(path, dialect, names, chosen)
    except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeError, LookupError, EOFError):
        # pyarrow's own message quotes the line; the plain reader names its number instead
        table = _parse_plainly(path, dialect, names, chosen)
    except OSError:
        raise TableError(f"'{path.name}': the file cannot be read") from None
    columns = {
        name: code_column(
            table.column(index),
            missing=("",) if name in as_stored else missing,
            undo=restore if neutralised else None,
        )
        for index, name in enumerate(chosen)
    }
    return CodedTable(names, table.num_rows, columns, dict.fromkeys(names, pa.string()))


def csv_names(path: Path, dialect: CsvDialect) -> tuple[str, ...]:
    if dialect.names is not None:
        return dialect.names
    first = next(_plain_rows(path, dialect), [])
    if not first:
        raise TableError(f"'{path.name}': the file is empty; a header row is needed")
    return tuple(name.strip() for name in first) if dialect.strip_names else tuple(first)


def _parse_fast(
    path: Path, dialect: CsvDialect, names: Sequence[str], chosen: Sequence[str]
) -> Any:
    labels = [str(index) for index in range(len(names))]  # names of any spelling are safe
    picked = [str(names.index(name)) for name in chosen]
    text = pa.dictionary(pa.int32(), pa.string())
    with Utf8Blocks(path, dialect.encoding) as stream:
        table = pa_csv.read_csv(
            stream,
            read_options=pa_csv.ReadOptions(column_names=labels, block_size=_BLOCK),
            parse_options=pa_csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char='"',
                double_quote=True,
                escape_char=False,
                newlines_in_values=True,
                ignore_empty_lines=dialect.skip_blank_lines and len(names) > 1,
            ),
            convert_options=pa_csv.ConvertOptions(
                include_columns=picked,
                column_types=dict.fromkeys(picked, text),
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
                null_values=[],
            ),
        )
    # the header is cut off here: pyarrow's own skipping loses rows after a NUL in it
    return table if dialect.names is not None else table.slice(1)


def _parse_plainly(
    path: Path, dialect: CsvDialect, names: Sequence[str], chosen: Sequence[str]
) -> Any:
    picked = [names.index(name) for name in chosen]
    cells: list[list[str]] = [[] for _ in picked]
    rows = _plain_rows(path, dialect)
    if dialect.names is None:
        next(rows, None)
    for number, row in enumerate(rows, start=1):
        if not row and dialect.skip_blank_lines and len(names) > 1:
            continue
        whole = row or [""] * len(names)  # pyarrow reads a blank line as empty cells
        if len(whole) != len(names):
            raise TableError(
                f"'{path.name}': row {number} has {len(whole)} cells instead of {len(names)}"
            )
        for column, index in zip(cells, picked, strict=True):
            column.append(whole[index])
    return pa.table(
        [pa.chunked_array([pa.array(column, pa.string())]) for column in cells],
        names=[str(index) for index in range(len(cells))],
    )


def _plain_rows(path: Path, dialect: CsvDialect) -> Iterator[list[str]]:
    csv.field_size_limit(_FIELD_LIMIT)
    number = 0
    try:
        with open_text(path, dialect.encoding) as stream:
            for row in csv.reader(stream, delimiter=dialect.delimiter, strict=True):
                number += 1
                yield row
    except (csv.Error, UnicodeError, LookupError, EOFError, gzip.BadGzipFile):
        raise TableError(
            f"'{path.name}': the text after row {number} cannot be read (encoding or quotes)"
        ) from None
    except OSError:
        raise TableError(f"'{path.name}': the file cannot be read") from None


def read_parquet(
    path: Path,
    *,
    wanted: Collection[str] | None = None,
    missing: Collection[str] = ("",),
    as_stored: Collection[str] = (),
) -> CodedTable:
    try:
        with pq.ParquetFile(path) as file:
            names = list(file.schema_arrow.names)
            chosen = [name for name in names if wanted is None or name in wanted] or names[:1]
            table = file.read(columns=chosen)
            schema = file.schema_arrow
    except (pa.ArrowException, OSError):
        raise TableError(f"'{path.name}': not a whole, readable Parquet file") from None
    coded = code_table(table, missing=missing, as_stored=as_stored)
    types = {field.name: field.type for field in schema}
    return CodedTable(tuple(names), coded.rows, coded.columns, types)


def code_table(
    table: Any,
    *,
    wanted: Collection[str] | None = None,
    missing: Collection[str] = ("",),
    as_stored: Collection[str] = (),
) -> CodedTable:
    names = tuple(table.column_names)
    if len(set(names)) < len(names):
        raise TableError("two columns of the table have the same name")
    columns = {}
    for name in names:
        if wanted is not None and name not in wanted:
            continue
        try:
            stored = name in as_stored
            columns[name] = code_column(
                table.column(name), missing=() if stored else missing, as_stored=stored
            )
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
            raise TableError(
                f"column '{name}': values of type {table.column(name).type} cannot be compared; "
                f"a column that names nobody can be left out with role: omitted"
            ) from None
    types = {field.name: field.type for field in table.schema}
    return CodedTable(names, table.num_rows, columns, types)


def positions(column: Coded, texts: Sequence[str | None], name: str) -> Ints:
    """For each distinct value of the column its place in `texts`, or -1.

    A typed column is compared in its own type, because engines spell numbers and times
    differently. A missing value matches None, or else the empty text, and an empty cell the
    other way round, because a CSV writes both alike.
    """
    found = np.full(column.size, -1, np.int64)
    places = {text: place for place, text in enumerate(texts)}
    missing, empty = places.get(None, places.get("", -1)), places.get("", places.get(None, -1))
    if is_text(column.values.type):
        for index, value in enumerate(column.values.to_pylist()):
            found[index] = missing if value is None else places.get(value, -1) if value else empty
        return found
    known, where = _cast_texts(texts, column.values.type)
    if known is None:
        spelled = [places.get(text, -1) for text in column.texts(name)]
        found = np.array(spelled, np.int64)
    elif len(known):
        match = pc.index_in(column.values, value_set=known)
        index = pc.fill_null(match, -1).to_numpy().astype(np.int64)
        found = np.where(index >= 0, where[index], -1)
    nulls = column.values.is_null().to_numpy(zero_copy_only=False)
    return np.where(nulls, missing, found)


def _cast_texts(texts: Sequence[str | None], kind: Any) -> tuple[Any, Ints]:
    """The texts that can be read as `kind`, and their places; None when none ever can."""
    places = [place for place, text in enumerate(texts) if text is not None]
    given = pa.array([texts[place] for place in places], pa.string())
    try:
        return given.cast(kind), np.array(places, np.int64)
    except pa.ArrowNotImplementedError:
        return None, np.empty(0, np.int64)
    except pa.ArrowInvalid:
        pass
    good: list[int] = []
    cast: list[Any] = []
    for place, text in zip(places, given, strict=True):
        try:
            cast.append(text.cast(kind))
        except pa.ArrowInvalid:
            continue
        good.append(place)
    return pa.array([c.as_py() for c in cast], kind), np.array(good, np.int64)


def added(place: Ints, rows: Ints, number: int) -> Ints:
    """The rows of each of so many places, as whole numbers added up exactly."""
    found = np.zeros(number, np.int64)
    np.add.at(found, place, rows)
    return found


def row_ids(columns: Sequence[tuple[Ints, int]], rows: int) -> tuple[Ints, int]:
    """Number the distinct rows of several code columns (codes, number of codes)."""
    ids = np.zeros(rows, np.int64)
    size = 1
    for codes, count in columns:
        if size * max(count, 1) >= 1 << 62:
            ids, size = _compressed(ids)
        ids = ids * max(count, 1) + codes
        size *= max(count, 1)
    return _compressed(ids)


def _compressed(ids: Ints) -> tuple[Ints, int]:
    distinct, inverse = np.unique(ids, return_inverse=True)
    return inverse.astype(np.int64).reshape(-1), len(distinct)
