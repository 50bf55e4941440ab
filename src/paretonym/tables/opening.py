"""Finds out what a source is and brings its cells where the engine can see them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from paretonym.errors import TableError
from paretonym.model.source import TableSource
from paretonym.tables import csvread, frames
from paretonym.tables.carriers import Field, categories_of, field_for, load, text_field
from paretonym.tables.csvtext import find_csv, find_delimiter
from paretonym.tables.staging import StagedRows

PARQUET_MAGIC = b"PAR1"
PARQUET_SUFFIXES = (".parquet", ".pq")


@dataclass(frozen=True)
class Content:
    """A table's cells under the names c0, c1, … and what is known about them."""

    kind: str  # "csv", "parquet" or "frame"
    fields: tuple[Field, ...]
    relation: pa.Table | Path
    rows: int
    fingerprint: str
    locate: Callable[[int], str]  # says where a row (from 1) stands, for messages


def read(source: TableSource, folder: Path) -> Content:
    """The source's cells; whatever does not fit in memory is put into the private folder."""
    if not isinstance(source.data, str | os.PathLike):
        content = _read_frame(source.data)
    else:
        path = Path(source.data)
        before = _state(path)
        digest = _digest(path)
        content = _read_parquet(path, folder) if _is_parquet(path) else _read_csv(source, folder)
        if _state(path) != before:
            raise TableError(f"{path.name}: the file changed while it was read; try again")
        content = replace(content, fingerprint=digest)
    if content.rows == 0:
        raise TableError(f"{_name(source)} has no rows; there is nothing to release")
    return content


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a CSV is cut into cells."""

    delimiter: str
    width: int  # cells of its first row


def csv_form(source: TableSource) -> CsvForm | None:
    """None for what is no CSV."""
    if not isinstance(source.data, str | os.PathLike):
        return None
    path = Path(source.data)
    _state(path)
    if _is_parquet(path):
        return None
    file = find_csv(path, source.encoding)
    delimiter = find_delimiter(file, source.delimiter)
    return CsvForm(delimiter, csvread.width_of(file, delimiter))


def _name(source: TableSource) -> str:
    return Path(source.data).name if isinstance(source.data, str | os.PathLike) else "the frame"


def _read_csv(source: TableSource, folder: Path) -> Content:
    file = find_csv(Path(source.data), source.encoding)  # type: ignore[arg-type]
    delimiter = find_delimiter(file, source.delimiter)
    layout = csvread.read_layout(file, delimiter, source.names)
    stage = StagedRows(layout.schema, folder)
    try:
        for batch in csvread.fast_batches(layout):
            stage.add(batch)
    except csvread.DoubtError:
        stage.discard()
        stage = StagedRows(layout.schema, folder)
        for batch in csvread.careful_batches(layout):
            stage.add(batch)
    fields = tuple(map(text_field, layout.names))

    def locate(row: int) -> str:
        return f"{file.name}, line {csvread.line_of_row(layout, row)}"

    return Content("csv", fields, stage.finish(), stage.rows, "", locate)


def _read_parquet(path: Path, folder: Path) -> Content:
    source = frames.ParquetSource(path)
    try:
        fields = [field_for(name.strip(), source.schema.field(i).type)
                  for i, name in enumerate(source.schema.names)]  # fmt: skip
        schema = _engine_schema(fields)
        stage = StagedRows(schema, folder)
        categories: dict[int, list[pa.Array]] = {}
        for batch in source.batches():
            for i, column in enumerate(batch.columns):
                if pa.types.is_dictionary(column.type):
                    _remember(categories.setdefault(i, []), column)
            arrays = [load(c, f) for c, f in zip(batch.columns, fields, strict=True)]
            stage.add(pa.RecordBatch.from_arrays(arrays, schema=schema))
    finally:
        source.close()
    for i, chunks in categories.items():
        fields[i] = replace(fields[i], categories=categories_of(chunks, fields[i].type))
    relation = stage.finish()
    return Content("parquet", tuple(fields), relation, stage.rows, "", _in(path.name))


def _remember(seen: list[pa.Array], column: pa.DictionaryArray) -> None:
    """Keep one index of each category, not the rows."""
    seen.append(pa.DictionaryArray.from_arrays(column.indices.unique(), column.dictionary))


def _read_frame(data: object) -> Content:
    table = frames.to_arrow(data)
    fields = frames.frame_fields(table)
    columns = [load(c, f) for c, f in zip(table.columns, fields, strict=True)]
    relation = pa.Table.from_arrays(columns, schema=_engine_schema(fields))
    digest = frames.fingerprint(table)
    return Content("frame", fields, relation, table.num_rows, digest, _in("the frame"))


def _engine_schema(fields: list[Field] | tuple[Field, ...]) -> pa.Schema:
    return pa.schema([(f"c{i}", f.carrier or pa.string()) for i, f in enumerate(fields)])


def _in(name: str) -> Callable[[int], str]:
    return lambda row: f"{name}, row {row}"


def _is_parquet(path: Path) -> bool:
    if path.suffix.lower() in PARQUET_SUFFIXES:
        return True
    with path.open("rb") as stream:
        starts = stream.read(4) == PARQUET_MAGIC
        return starts and stream.seek(-4, os.SEEK_END) > 4 and stream.read(4) == PARQUET_MAGIC


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        raise TableError(f"{path}: there is no such file; check the path") from None
    if not path.is_file():
        raise TableError(f"{path}: this is not a file; give the path of a table")
    if found.st_size == 0:
        raise TableError(f"{path.name}: the file is empty; it needs a header row and rows")
    return found.st_size, found.st_mtime_ns


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise TableError(f"{path}: cannot be read ({error.strerror})") from None
