"""The same frozen recoding on a later file, with a report of what has drifted."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from paretonym.app.releasing import Output
from paretonym.encode import observed_values
from paretonym.errors import InfeasibleError, JobError, nearest
from paretonym.measures import parse
from paretonym.model.plan import Plan, Recode
from paretonym.model.source import TableSource
from paretonym.publishing import Publication, ReleaseRequest, publish
from paretonym.report import ReleaseExtra, internal_release_html, public_release_html
from paretonym.tables import Table, open_table

# label of values the plan does not know; rows that carry it are always suppressed
_UNKNOWN = "(not in the plan)"


@dataclass(frozen=True, slots=True)
class Drift:
    """How a later file differs from the one the plan was made on."""

    rows: int
    unknown_values: Mapping[str, int]  # column -> values the plan does not know
    unknown_rows: int  # rows with any of them, all suppressed
    small_classes: int  # classes that fell short of the promise, all suppressed
    small_rows: int
    suppressed: int
    limit: int
    k: int

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "unknown_values": dict(self.unknown_values),
            "unknown_rows": self.unknown_rows,
            "small_classes": self.small_classes,
            "small_rows": self.small_rows,
            "suppressed": self.suppressed,
            "limit": self.limit,
            "k": self.k,
        }


def load_plan(path: Path) -> Plan:
    """A plan file, or the folder of a release that holds one."""
    file = path / "internal" / "plan.json" if path.is_dir() else path
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise JobError(f"{file}: no plan can be read there; give a plan.json") from None
    if not isinstance(data, dict):
        raise JobError(f"{file}: this is not a plan")
    return Plan.from_json(data)


def apply_plan(plan: Plan, source: TableSource, *, output: Output) -> tuple[Publication, Drift]:
    """Recode, suppress what breaks the promise, write and recompute; fails beyond the limit."""
    with open_table(replace(source, missing=plan.missing)) as table:
        _check_columns(plan, table)
        recodes, unknown = _extended(plan, table)
        known = replace(plan, recodes=recodes)
        classes = _Classes.of(known, table)
        drift = classes.drift(plan, unknown)
        if drift.suppressed > drift.limit or drift.k == 0:
            raise InfeasibleError(_cannot_keep(plan, drift))
        key = secrets.token_bytes(32)
        reader = table.apply(
            recodes,
            quasi=plan.schema.quasi,
            keep=plan.schema.kept,
            suppress=classes.gone(),
            order_key=key,
        )
        request = ReleaseRequest(
            folder=output.folder,
            source=replace(source, missing=plan.missing),
            plan=replace(known, fingerprint=table.fingerprint, rows=drift.rows),
            levels={recode.column: recode.level for recode in recodes},
            values={"k": drift.k, "suppressed": drift.suppressed},
            suppressed=drift.suppressed,
            input_rows=drift.rows,
            fingerprint=table.fingerprint,
            job_digest="",
            classes=int(classes.kept.sum()),
            format="parquet" if output.format == "parquet" else "csv",
            delimiter=output.delimiter,
            neutralise=output.neutralise,
            shuffle_key=key,
            accepted=frozenset(c.name for c in plan.schema.columns if c.because),
        )
        return _publish(request, reader, drift), drift


def _publish(request: ReleaseRequest, reader: Any, drift: Drift) -> Publication:
    notes = [f"drift: {name} = {value}" for name, value in drift.to_json().items()]
    extra = ReleaseExtra(
        hierarchies=(), losses={}, suppressed_by_group={}, class_sizes=[], before={}, after={},
        notes=notes,
    )  # fmt: skip
    return publish(
        reader,
        request,
        public_report=public_release_html,
        internal_report=lambda public, internal, verification: internal_release_html(
            public, internal, verification, extra=extra
        ),
    )


def _cannot_keep(plan: Plan, drift: Drift) -> str:
    return (
        f"the promise of the plan (classes of at least {plan.suppress.below} rows) cannot be kept: "
        f"{drift.suppressed} of {drift.rows} rows would have to go and the plan allows "
        f"{drift.limit}; {drift.unknown_rows} rows hold values the plan does not know and "
        f"{drift.small_rows} rows lie in {drift.small_classes} classes that are too small. "
        f"Make a new front for this file"
    )


def _check_columns(plan: Plan, table: Table) -> None:
    names = list(plan.schema.names())
    problems = [
        f"column '{name}' of the plan is not in the table{nearest(name, list(table.names))}"
        for name in names
        if name not in table.names
    ]
    problems += [f"column '{name}' is not in the plan" for name in table.names if name not in names]
    if problems:
        raise JobError("; ".join(problems))
    if tuple(table.names) != tuple(names):
        raise JobError("the table's columns stand in another order than in the plan; reorder them")


def _extended(plan: Plan, table: Table) -> tuple[tuple[Recode, ...], dict[str, int]]:
    """Recodes that also map unknown values, to a label that is never released."""
    recodes, unknown = [], {}
    for recode in plan.recodes:
        values = table.values_of(recode.column)["value"].to_pylist()
        new = [value for value in values if value not in recode.labels]
        if new:
            unknown[recode.column] = len(new)
        labels = {**recode.labels, **dict.fromkeys(new, _UNKNOWN)}
        recodes.append(replace(recode, labels=labels))
    return tuple(recodes), unknown


@dataclass(frozen=True, eq=False, slots=True)
class _Classes:
    """The classes of the recoded later file."""

    quasi: tuple[str, ...]
    labels: list[tuple[str | None, ...]]
    size: npt.NDArray[np.int64]
    unknown: npt.NDArray[np.bool_]
    kept: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, plan: Plan, table: Table) -> _Classes:
        needed = {name: str(parse(name).column) for name in plan.suppress.require}
        keys = list(dict.fromkeys([*plan.schema.quasi, *needed.values()]))
        raw = table.histogram(keys)
        rows = raw["rows"].to_numpy().astype(np.int64)
        texts = [_labels(raw[f"key:{r.column}"], r) for r in plan.recodes]
        numbers: dict[tuple[str | None, ...], int] = {}
        group = np.array(
            [numbers.setdefault(row, len(numbers)) for row in zip(*texts, strict=True)], np.int64
        )
        labels = list(numbers)
        size = np.bincount(group, weights=rows, minlength=len(labels)).astype(np.int64)
        unknown = np.array([_UNKNOWN in row for row in labels], np.bool_)
        kept = ~unknown & (size >= plan.suppress.below)
        for name, column in needed.items():
            values = raw[f"key:{column}"].to_pylist()
            distinct: dict[int, set[str | None]] = {}
            for number, value in zip(group.tolist(), values, strict=True):
                distinct.setdefault(number, set()).add(value)
            count = np.array([len(distinct[i]) for i in range(len(labels))], np.int64)
            kept &= count >= plan.suppress.require[name]
        return cls(plan.schema.quasi, labels, size, unknown, kept)

    def drift(self, plan: Plan, unknown: Mapping[str, int]) -> Drift:
        rows = int(self.size.sum())
        small = ~self.kept & ~self.unknown
        return Drift(
            rows=rows,
            unknown_values=dict(unknown),
            unknown_rows=int(self.size[self.unknown].sum()),
            small_classes=int(small.sum()),
            small_rows=int(self.size[small].sum()),
            suppressed=int(self.size[~self.kept].sum()),
            limit=plan.suppress.limit_rows * rows // max(plan.rows, 1),
            k=int(self.size[self.kept].min(initial=rows)) if self.kept.any() else 0,
        )

    def gone(self) -> pa.Table:
        rows = [row for row, kept in zip(self.labels, self.kept, strict=True) if not kept]
        return pa.table(
            {
                name: pa.array([row[j] for row in rows], pa.string())
                for j, name in enumerate(self.quasi)
            }
        )


def _labels(column: pa.ChunkedArray, recode: Recode) -> list[str | None]:
    by_code = [recode.labels[value] for value in observed_values(column)]
    codes = column.combine_chunks().indices.to_pylist()
    return [by_code[-1] if code is None else by_code[code] for code in codes]
