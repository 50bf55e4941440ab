"""What a page shows of a job's columns: counts, roles, and the trees of their hierarchies.

The page is the publisher's own, so trees name values of the table; faults never do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from paretonym.errors import HierarchyError, JobError, ParetonymError, nearest
from paretonym.jobfile.loading import parse_column
from paretonym.jobfile.texts import shown
from paretonym.model.job import ColumnSpec, Job
from paretonym.pipeline.open_job import granulation_of
from paretonym.proposal.kinds import Look
from paretonym.proposal.profile import TableProfile
from paretonym.tables import Table
from paretonym.views.column_trees import LevelView, TreeView, level_views, tree_view, values_view

__all__ = ["ColumnView", "ColumnsView", "TreeView", "columns_view", "hierarchy_preview", "tree_of",
           "tree_view"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnView:
    """One column: what the table holds, what the job says, and what becomes of it."""

    index: int
    name: str
    type: str
    kind: str  # as in `proposal_kinds`; "absent" when the table has no such column
    distinct: int
    missing: int
    alone: int  # rows whose value nobody else has
    role: tuple[str, ...] = ()
    hierarchy: Any = None  # this and the following as the job writes them
    partitions: Any = None
    format: str | None = None
    weight: str | None = None
    because: str | None = None
    note: str = ""
    levels: tuple[LevelView, ...] = ()  # from the finest on
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class PairView:
    """Two columns together, and the rows that are alone with their combination."""

    columns: tuple[str, ...]
    alone: int


@dataclass(frozen=True, slots=True)
class ColumnsView:
    """Every column of the table, then those that only the job names."""

    rows: int
    columns: tuple[ColumnView, ...]
    pairs: tuple[PairView, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def columns_view(
    job: Job | None,
    data: Mapping[str, Any],
    table: Table,
    profile: TableProfile,
    *,
    base: Path = Path(),
    notes: Mapping[str, str] | None = None,
) -> ColumnsView:
    """The columns of a job whose text reads as `data`; None for a job that has faults.

    Then each column is read by itself, and files lie in the folder `base`. `notes` say why a
    column is what it is; `jobfile.layout.column_notes` finds them in the job's text.
    """
    said = data.get("columns")
    written = said if isinstance(said, Mapping) else {}
    specs = {} if job is None else {column.name: column for column in job.columns}
    found: list[ColumnView] = []
    for look in profile.columns:
        name = look.profile.name
        column = _Column(name, table, written.get(name), specs.get(name), base)
        note = (notes or {}).get(name, "")
        found.append(column.view(len(found), look, note, listed=bool(said)))
    absent = [name for name in written if name not in table.names]
    found += [_absent(len(found) + i, name, table.names) for i, name in enumerate(absent)]
    pairs = tuple(PairView(pair.columns, pair.alone) for pair in profile.pairs)
    return ColumnsView(table.rows(), tuple(found), pairs)


def hierarchy_preview(
    column_data: Mapping[str, Any], name: str, table: Table, *, base: Path = Path()
) -> TreeView:
    """The tree that a column would have with this entry under `columns`, or a JobError."""
    spec = parse_column(column_data, name=name, base=base)
    if spec.hierarchy is None:
        raise JobError(f"column {shown(name)} is not generalised; give it the role quasi")
    try:
        return tree_of(name, table, spec)
    except HierarchyError as error:
        raise JobError(str(error)) from None


def tree_of(name: str, table: Table, spec: ColumnSpec | None) -> TreeView:
    """The tree of a column, or its values alone where it has no hierarchy."""
    found = table.values_of(name)
    counts = dict(zip(found["value"].to_pylist(), found["rows"].to_pylist(), strict=True))
    if spec is None or spec.hierarchy is None:
        return values_view(name, counts)
    ordered = spec.order.kind != "text"
    return tree_view(granulation_of(spec, list(counts)), counts, ordered=ordered)


class _Column:
    """A column of the table as its own entry of the job describes it."""

    def __init__(
        self, name: str, table: Table, written: Any, spec: ColumnSpec | None, base: Path
    ) -> None:
        self.name = name
        self.table = table
        self.entry = written if isinstance(written, Mapping) else {}
        self.written = written
        self.given = spec
        self.base = base

    def view(self, index: int, look: Look, note: str, *, listed: bool) -> ColumnView:
        profile = look.profile
        spec, fault = self.spec(listed=listed)
        levels: tuple[LevelView, ...] = ()
        if spec is not None and spec.hierarchy is not None:
            values = None if look.kind == "unreadable" else self.table.values_of(self.name)
            levels, fault = self.levels(spec, values)
        return ColumnView(
            index=index,
            name=self.name,
            type=profile.type,
            kind=look.kind,
            distinct=profile.distinct,
            missing=profile.missing,
            alone=profile.alone,
            role=_roles(self.entry.get("role")),
            hierarchy=self.entry.get("hierarchy"),
            partitions=self.entry.get("partitions"),
            format=_text(self.entry.get("format")),
            weight=_text(self.entry.get("weight")),
            because=_text(self.entry.get("because")),
            note=note or look.note or "",
            levels=levels,
            fault=fault,
        )

    def spec(self, *, listed: bool) -> tuple[ColumnSpec | None, str | None]:
        if self.given is not None or not listed:
            return self.given, None
        if self.written is None:
            return None, "no role; give the column one (insensitive passes it through)"
        try:
            return parse_column(self.written, name=self.name, base=self.base), None
        except JobError as error:
            return None, "; ".join(fault.message for fault in error.faults)

    def levels(
        self, spec: ColumnSpec, values: pa.Table | None
    ) -> tuple[tuple[LevelView, ...], str | None]:
        kind = self.table.types[self.name]
        if values is None or "binary" in kind:
            return (), f"cells of type {kind} cannot be generalised; convert the column to text"
        try:
            return level_views(granulation_of(spec, values["value"].to_pylist())), None
        except ParetonymError as error:
            return (), str(error)


def _absent(index: int, name: str, known: Sequence[str]) -> ColumnView:
    fault = f"the table has no such column{nearest(name, list(known))}; correct its name"
    return ColumnView(index, name, "", "absent", 0, 0, 0, fault=fault)


def _roles(written: Any) -> tuple[str, ...]:
    words = written if isinstance(written, list | tuple) else [written]
    return tuple(word for word in words if isinstance(word, str))


def _text(written: Any) -> str | None:
    return None if written is None else str(written)
