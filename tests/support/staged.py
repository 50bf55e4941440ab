"""What a table holds after reading, cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from paretonym.tables import Table


def all_cells(table: Table) -> list[tuple[Any, ...]]:
    """Every row as the stage holds it, in the file's order."""
    held = table._content.relation
    if isinstance(held, Path):
        import pyarrow.parquet as pq

        held = pq.read_table(held)
    assert isinstance(held, pa.Table)
    return list(zip(*(column.to_pylist() for column in held.columns), strict=True))
