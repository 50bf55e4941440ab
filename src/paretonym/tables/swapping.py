"""A table after its swaps: pairs of rows have exchanged some of their cells.

Only the columns that are exchanged are touched, and no row changes its place. A table that waits
on disk is written anew in one pass, beside a small store of the cells that move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from paretonym.errors import JobError, TableError, nearest
from paretonym.model.arrays import Ints
from paretonym.model.swap import Swaps
from paretonym.tables.opening import Content
from paretonym.tables.staging import StagedRows

SWAPPED_FILE = "swapped.parquet"
BATCH_ROWS = 65_536


def swapped(content: Content, swaps: Swaps, folder: Path) -> Content:
    """The same table with the swaps made; refused where they were made for another one."""
    _refuse_strangers(content, swaps)
    names = [field.name for field in content.fields]
    moved = [names.index(name) for name in swaps.columns]
    held = content.relation
    relation = (
        _on_disk(held, moved, swaps, folder)
        if isinstance(held, Path)
        else _in_memory(held, moved, swaps)
    )
    return replace(content, relation=relation, fingerprint=swaps.fingerprint_after)


def _refuse_strangers(content: Content, swaps: Swaps) -> None:
    names = [field.name for field in content.fields]
    for name in swaps.named:
        if name not in names:
            raise JobError(
                f"swaps: the table has no column '{name}'{nearest(name, names)}; compute the "
                f"swaps again on this table"
            )
    # rows are named by number: a row that moved would exchange somebody else's cells
    if (swaps.fingerprint, swaps.rows) != (content.fingerprint, content.rows):
        raise JobError(
            "swaps: they were computed on another table, or the table was changed since; compute "
            "them again on this table"
        )


def _sources(swaps: Swaps, rows: int) -> Ints:
    """For each row the row whose cells it shows, after one pair has followed the other."""
    index = np.arange(rows, dtype=np.int64)
    for one, other in swaps.pairs:
        index[one], index[other] = index[other], index[one]
    return index


def _in_memory(table: pa.Table, moved: Sequence[int], swaps: Swaps) -> pa.Table:
    index = pa.array(_sources(swaps, table.num_rows))
    for place in moved:
        table = table.set_column(place, table.schema.field(place), table.column(place).take(index))
    return table


def _on_disk(path: Path, moved: Sequence[int], swaps: Swaps, folder: Path) -> Path:
    index = _sources(swaps, swaps.rows)
    rows = np.flatnonzero(index != np.arange(swaps.rows))  # those that take part, ascending
    cells = _cells_at(path, moved, rows)
    with _reading(path) as file:
        stage = StagedRows(file.schema_arrow, folder, budget=0, name=SWAPPED_FILE)
        for start, batch in _batches(file):
            low, high = np.searchsorted(rows, [start, start + batch.num_rows])
            own = rows[low:high]
            stage.add(_exchanged(batch, own - start, np.searchsorted(rows, index[own]), cells))
        found = stage.finish()
    path.unlink()
    assert isinstance(found, Path)  # noqa: S101  (without a budget nothing stays in memory)
    return found


def _cells_at(path: Path, moved: Sequence[int], rows: Ints) -> dict[int, pa.Array]:
    """The cells of these rows in the columns that move."""
    parts: dict[int, list[pa.Array]] = {place: [] for place in moved}
    with _reading(path) as file:
        types = {place: file.schema_arrow.field(place).type for place in moved}
        names = [file.schema_arrow.names[place] for place in moved]
        for start, batch in _batches(file, names):
            low, high = np.searchsorted(rows, [start, start + batch.num_rows])
            wanted = pa.array(rows[low:high] - start)
            for place, name in zip(moved, names, strict=True):
                parts[place].append(batch.column(name).take(wanted))
    return {
        place: pa.concat_arrays(chunks) if chunks else pa.array([], types[place])
        for place, chunks in parts.items()
    }


def _exchanged(
    batch: pa.RecordBatch, places: Ints, partners: Ints, cells: dict[int, pa.Array]
) -> pa.RecordBatch:
    """The batch with the cells at `places` taken from the partners' places in `cells`."""
    if not len(places):
        return batch
    index = np.arange(batch.num_rows, dtype=np.int64)
    index[places] = batch.num_rows + np.arange(len(places))
    arrays = list(batch.columns)
    for column, kept in cells.items():
        arriving = kept.take(pa.array(partners))
        arrays[column] = pa.concat_arrays([arrays[column], arriving]).take(pa.array(index))
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)


def _batches(
    file: pq.ParquetFile, columns: Sequence[str] | None = None
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Each batch with the number of its first row."""
    start = 0
    for batch in file.iter_batches(BATCH_ROWS, columns=columns):
        yield start, batch
        start += batch.num_rows


def _reading(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException):
        raise TableError("the temporary folder cannot be read; check TMPDIR") from None
