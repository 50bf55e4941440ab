"""Opening small tables from text, and looking at what was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.staged import all_cells

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
