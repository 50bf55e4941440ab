"""Frames and Parquet files as Arrow: pandas, polars and anything that speaks Arrow's protocol.

pandas and polars are recognised by what they offer, never imported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from paretonym.errors import TableError
from paretonym.tables.carriers import Field, categories_of, field_for, plain
from paretonym.tables.csvread import check_names

SLICE_ROWS = 65_536


def to_arrow(frame: Any) -> pa.Table:
    """Any supported frame as an Arrow table with its own column names and types."""
    if type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "columns"):
        return _from_pandas(frame)
    try:
        table = _from_protocol(frame)
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError):
        raise TableError(
            "the frame cannot be turned into an Arrow table; convert its columns to plain types"
        ) from None
    _check_columns(table.column_names)
    return pa.table([plain(column) for column in table.columns], names=table.column_names)


def _from_protocol(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, pa.RecordBatchReader):
        return frame.read_all()
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame).read_all()
    if hasattr(frame, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(frame)
    remedy = "call .collect() on it first" if hasattr(frame, "collect") else "give a path or frame"
    raise TableError(f"a table cannot be made from a {type(frame).__name__}; {remedy}")


def _from_pandas(frame: Any) -> pa.Table:
    """Column by column, without the index; a column must hold one type of value."""
    if not hasattr(frame, "iloc") or getattr(frame, "ndim", 0) != 2:
        raise TableError(f"a table cannot be made from a {type(frame).__name__}; give a frame")
    names = list(frame.columns)
    _check_columns(names)
    arrays = []
    for position, name in enumerate(names):
        series = frame.iloc[:, position]
        mixed = series.dtype == object and len(set(map(type, series.dropna()))) > 1
        try:
            array = None if mixed else pa.array(series, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            array = None
        if array is None:
            raise TableError(
                f"column '{name}' of the frame mixes types or holds objects that are not plain "
                f"values; convert it to one type, such as text"
            )
        arrays.append(array)
    return pa.table(arrays, names=names)


def _check_columns(names: list[Any]) -> None:
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise TableError(
                f"column {position} of the frame is named by a {type(name).__name__}; "
                f"column names must be text"
            )
    check_names(tuple(name.strip() for name in names), "the frame")


def frame_fields(table: pa.Table) -> tuple[Field, ...]:
    """The columns' fields, with the categories that occur in dictionary columns."""
    fields = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        is_dictionary = pa.types.is_dictionary(column.type)
        categories = categories_of(column.chunks, column.type) if is_dictionary else None
        fields.append(field_for(name.strip(), column.type, categories))
    return tuple(fields)


def fingerprint(table: pa.Table) -> str:
    """A hash of names, types and values; chunks, unused categories and null slots do not count."""
    sha = hashlib.sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        own = column.type
        value_type = own.value_type if pa.types.is_dictionary(own) else own
        sha.update(repr((name.strip(), str(own), len(column))).encode())
        for start in range(0, len(column), SLICE_ROWS):
            part = column.slice(start, SLICE_ROWS)
            values = part.cast(value_type).combine_chunks()
            for piece in (values.is_null(), values.drop_null()):
                sha.update(_canonical_bytes(piece))
    return sha.hexdigest()


def _canonical_bytes(array: pa.Array) -> bytes:
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())  # the spare bits of a bitmap are undefined
    sink = pa.BufferOutputStream()
    batch = pa.record_batch([array], names=["c"])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


class ParquetSource:
    """A Parquet file, streamed batch by batch."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = pq.ParquetFile(path)
            self.schema: pa.Schema = self._file.schema_arrow
        except pa.ArrowException:
            raise TableError(
                f"{path.name}: this is not a readable Parquet file; write it again"
            ) from None
        except OSError as error:
            reason = error.strerror or "not a Parquet file"
            raise TableError(f"{path}: cannot be read ({reason})") from None
        check_names(tuple(name.strip() for name in self.schema.names), path.name)

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._file.iter_batches(SLICE_ROWS)
        except (pa.ArrowException, OSError):
            raise TableError(
                f"{self._path.name}: the Parquet file is damaged or cut short; fetch it again"
            ) from None

    def close(self) -> None:
        self._file.close()
