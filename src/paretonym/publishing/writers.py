"""The data file of a release, holding the released cells and nothing of what they came from."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from paretonym.errors import OutputError
from paretonym.publishing.atomic import PUBLIC_FILE, atomic_file
from paretonym.publishing.cells import as_text, formula_mask, is_text, neutralise, plain_type

Format = Literal["csv", "parquet"]

_CSV_ROWS = 1 << 16  # rows turned into text at once
_GROUP_ROWS = 1 << 17  # rows of a Parquet row group


@dataclass(frozen=True, slots=True)
class WrittenFacts:
    """What was written; `formula_cells` counts cells a spreadsheet would run, per column."""

    rows: int
    sha256: str  # of the bytes as they were written
    formula_cells: Mapping[str, int]
    formula_headers: tuple[str, ...] = ()  # columns whose very name reads like a formula
    with_nulls: frozenset[str] = frozenset()  # CSV columns in which an empty cell is a null


def write_data(
    reader: Any,
    path: Path,
    *,
    format: Format,  # noqa: A002 - the word the job file uses
    delimiter: str = ",",
    neutralise: bool = False,
    missing: Sequence[str] = ("",),
) -> WrittenFacts:
    """Write the batches of a pyarrow.RecordBatchReader atomically to `path`."""
    _refuse_odd_schema(reader.schema, delimiter)
    with atomic_file(path, mode=PUBLIC_FILE) as file:
        stream = _HashedStream(file)
        if format == "parquet":
            rows = _write_parquet(reader, stream)
            return WrittenFacts(rows, stream.sha256, {})
        writer = _CsvWriter(
            reader.schema.names, delimiter, neutralise=neutralise, empty_is_missing="" in missing
        )
        stream.write(writer.header())
        for batch in _batches(reader, _CSV_ROWS):
            stream.write(writer.lines(batch))
        return writer.facts(stream.sha256)


class _HashedStream(io.RawIOBase):
    """A file that is written from its first byte to its last, hashed on the way."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._hash = hashlib.sha256()
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(data)
        self._hash.update(data)
        size = memoryview(data).nbytes
        self._written += size
        return size

    def tell(self) -> int:
        return self._written

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


def _refuse_odd_schema(schema: Any, delimiter: str) -> None:
    names = schema.names
    if not names:
        raise OutputError("a release needs at least one column that is kept")
    if len(set(names)) < len(names):
        raise OutputError("two columns of the release have the same name; rename one of them")
    if len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii():
        raise OutputError("the delimiter must be one ASCII character, not a quote or a line end")
    for field in schema:
        if pa.types.is_nested(plain_type(field.type)):
            raise OutputError(
                f"column '{field.name}': nested values ({field.type}) cannot be checked after "
                f"writing; flatten the column or leave it out"
            )


def _batches(reader: Any, rows: int) -> Iterator[Any]:
    """Tables of about `rows` rows: engines hand out pieces that are too small or too big."""
    waiting: list[Any] = []
    count = 0
    for batch in reader:
        for start in range(0, batch.num_rows, rows):
            piece = batch.slice(start, rows)
            waiting.append(piece)
            count += piece.num_rows
            if count >= rows:
                yield pa.Table.from_batches(waiting, reader.schema)
                waiting, count = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting, reader.schema)


class _CsvWriter:
    """Minimal quoting, `\\n` line ends, UTF-8, an empty cell for a missing value.

    Written column by column because Python's csv module (3.11) leaves a lone carriage return
    unquoted, which readers take for the end of a row.
    """

    def __init__(
        self, names: Sequence[str], delimiter: str, *, neutralise: bool, empty_is_missing: bool
    ) -> None:
        self._names = tuple(names)
        self._delimiter = delimiter
        self._neutralise = neutralise
        self._empty_is_missing = empty_is_missing
        self._rows = 0
        self._formulas = dict.fromkeys(self._names, 0)
        self._with_null: set[str] = set()
        self._with_empty: set[str] = set()

    def header(self) -> bytes:
        return self._joined([pa.array([name], pa.large_string()) for name in self._names])

    def lines(self, table: Any) -> bytes:
        cells = [
            self._cells(name, table.column(index).combine_chunks())
            for index, name in enumerate(self._names)
        ]
        self._rows += table.num_rows
        return self._joined(cells)

    def facts(self, sha256: str) -> WrittenFacts:
        counted = {name: count for name, count in self._formulas.items() if count}
        flags = formula_mask(pa.array(self._names, pa.large_string())).to_pylist()
        headers = tuple(name for name, flag in zip(self._names, flags, strict=True) if flag)
        return WrittenFacts(self._rows, sha256, counted, headers, frozenset(self._with_null))

    def _cells(self, name: str, array: Any) -> Any:
        text = as_text(array, name)
        if is_text(plain_type(array.type)):  # a typed number is no formula
            self._formulas[name] += pc.sum(formula_mask(text)).as_py() or 0
            if self._neutralise:
                text = neutralise(text)
        self._note_empty(name, text)
        return pc.fill_null(text, "")

    def _note_empty(self, name: str, text: Any) -> None:
        """A CSV cannot tell a missing cell from an empty text: refuse where they differ."""
        if text.null_count:
            self._with_null.add(name)
        if pc.any(pc.equal(text, "")).as_py():
            self._with_empty.add(name)
        if not self._empty_is_missing and name in self._with_null & self._with_empty:
            raise OutputError(
                f"column '{name}' holds both missing cells and empty texts, which a CSV cannot "
                f'tell apart; release Parquet or declare "" as missing'
            )

    def _joined(self, cells: Sequence[Any]) -> bytes:
        if len(cells) == 1:
            # a row that is one empty cell would be a blank line
            lines = pc.if_else(pc.equal(cells[0], ""), '""', self._quoted(cells[0]))
        else:
            quoted = [self._quoted(cell) for cell in cells]
            lines = pc.binary_join_element_wise(*quoted, _text(self._delimiter))
        if not len(lines):
            return b""
        whole = pc.binary_join_element_wise(lines, _text(""), _text("\n"))
        # consecutive values share one buffer: the lines follow each other in it
        offsets = np.frombuffer(whole.buffers()[1], np.int64)
        first, last = offsets[whole.offset], offsets[whole.offset + len(whole)]
        return memoryview(whole.buffers()[2])[first:last].tobytes()

    def _quoted(self, text: Any) -> Any:
        # U+FEFF at the start of a file would be taken for a byte-order mark
        special = f'["\\r\\n\\x{ord(self._delimiter):02x}\\x{{feff}}]'
        wanted = pc.match_substring_regex(text, special)
        if not pc.any(wanted).as_py():
            return text
        doubled = pc.replace_substring(text, '"', '""')
        wrapped = pc.binary_join_element_wise(_text('"'), doubled, _text('"'), _text(""))
        return pc.if_else(wanted, wrapped, text)


def _text(value: str) -> Any:
    return pa.scalar(value, pa.large_string())


def _write_parquet(reader: Any, stream: io.RawIOBase) -> int:
    schema = pa.schema([pa.field(f.name, _stored_type(f.type)) for f in reader.schema])
    rows = 0
    # `schema` carries no metadata, so the only key pyarrow adds is its own description of types
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        for table in _batches(reader, _GROUP_ROWS):
            columns = [
                clean_array(table.column(index).combine_chunks(), field.type)
                for index, field in enumerate(schema)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            rows += table.num_rows
    return rows


def _stored_type(kind: Any) -> Any:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def clean_array(array: Any, kind: Any | None = None) -> Any:
    """The same cells in fresh memory: no unused dictionary entry, nothing under a null.

    A slice keeps its parent's buffers and a dictionary keeps every value it ever had; both
    would carry cells of suppressed rows into a file.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    kind = array.type if kind is None else kind
    if pa.types.is_dictionary(array.type):
        return _pruned(array).cast(kind)
    if pa.types.is_string_view(array.type) or pa.types.is_binary_view(array.type):
        # a view points into its parent's memory; the plain form copies what it needs
        plain = pa.large_string() if pa.types.is_string_view(array.type) else pa.large_binary()
        return _fresh(array.cast(plain)).cast(kind)
    return _fresh(array)


def _fresh(array: Any) -> Any:
    taken = array.take(pa.array(np.arange(len(array), dtype=np.int64)))
    buffers = taken.buffers()
    if taken.null_count == 0 or len(buffers) != 2 or pa.types.is_null(taken.type):
        return taken  # texts under a null are empty after a take
    blank = pa.Array.from_buffers(taken.type, 1, [None, pa.py_buffer(bytes(64))])[0]
    zeroed = pc.fill_null(taken, blank)
    return pa.Array.from_buffers(taken.type, len(taken), [buffers[0], zeroed.buffers()[1]])


def _pruned(array: Any) -> Any:
    """Keep the dictionary values in use, in their order (which an ordered category means)."""
    kind = array.type
    indices = array.indices.cast(pa.int64())
    values = _fresh_values(array.dictionary)
    used = np.unique(indices.drop_null().to_numpy())
    place = np.zeros(len(values) + 1, np.int64)
    place[used] = np.arange(len(used))
    moved = pc.take(pa.array(place), indices)
    return pa.DictionaryArray.from_arrays(
        _fresh(moved.cast(kind.index_type)),
        _fresh(values.take(pa.array(used))),
        ordered=kind.ordered,
    )


def _fresh_values(values: Any) -> Any:
    if pa.types.is_string_view(values.type):
        return values.cast(pa.large_string())
    return values
