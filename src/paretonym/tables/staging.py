"""Where a table's cells wait between reading and querying.

A file is read once, exactly; small tables then stay in memory and large ones go to a Parquet
file in the engine's private folder, so that every later query sees the same bytes.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from paretonym.errors import TableError

IN_MEMORY_BYTES = 128 << 20
GROUP_BYTES = 32 << 20  # a row group: large enough to compress, small enough to hold


class StagedRows:
    """Takes batches; keeps them in memory up to a budget, on disk beyond it."""

    def __init__(
        self,
        schema: pa.Schema,
        folder: Path,
        *,
        budget: int = IN_MEMORY_BYTES,
        name: str = "table.parquet",
    ) -> None:
        self.rows = 0
        self._schema = schema
        self._path = folder / name
        self._budget = budget
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        self.rows += batch.num_rows
        self._held.append(batch)
        self._held_bytes += batch.get_total_buffer_size()
        if self._writer is None and self._held_bytes > self._budget:
            self._writer = self._open()
        if self._writer is not None and self._held_bytes > GROUP_BYTES:
            self._flush()

    def finish(self) -> pa.Table | Path:
        """What the engine registers as its source."""
        if self._writer is None:
            return pa.Table.from_batches(self._held, self._schema)
        self._flush()
        with _disk_errors():
            self._writer.close()
        return self._path

    def discard(self) -> None:
        self._held.clear()
        if self._writer is not None:
            with _disk_errors():
                self._writer.close()
            self._path.unlink(missing_ok=True)

    def _open(self) -> pq.ParquetWriter:
        with _disk_errors():
            # created by us first, so that nobody else can read it whatever the umask is
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            return pq.ParquetWriter(
                self._path, self._schema, compression="lz4", write_statistics=False
            )

    def _flush(self) -> None:
        if self._writer is not None and self._held:
            with _disk_errors():
                self._writer.write_table(pa.Table.from_batches(self._held, self._schema))
        self._held.clear()
        self._held_bytes = 0


class _disk_errors:  # noqa: N801 - reads as a statement
    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            raise TableError(
                "the temporary folder cannot be written; check the space left in TMPDIR"
            ) from None
