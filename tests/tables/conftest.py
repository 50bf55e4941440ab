"""Opening small tables from text, and looking at what was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paretonym.model.source import TableSource
from paretonym.tables import Table, open_table

Opener = Callable[..., Table]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Open text or bytes as a CSV file, or anything else as a frame; closed at the end."""
    tables: list[Table] = []

    def open_it(data: Any, *, name: str = "people.csv", **options: Any) -> Table:
        if isinstance(data, str):
            data = data.encode()
        if isinstance(data, bytes):
            path = tmp_path / name
            path.write_bytes(data)
            data = path
        tables.append(open_table(TableSource(data, **options)))
        return tables[-1]

    yield open_it
    for table in tables:
        table.close()


@pytest.fixture
def cells() -> Callable[[Table], list[tuple[Any, ...]]]:
    return all_cells


def all_cells(table: Table) -> list[tuple[Any, ...]]:
    """Every row as the stage holds it, in the file's order."""
    held = table._content.relation
    if isinstance(held, Path):
        import pyarrow.parquet as pq

        held = pq.read_table(held)
    assert isinstance(held, pa.Table)
    return list(zip(*(column.to_pylist() for column in held.columns), strict=True))
