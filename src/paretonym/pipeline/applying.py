"""The same frozen recoding on a later file, with a report of what has drifted."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from paretonym.encode import observed_values
from paretonym.errors import InfeasibleError, JobError, nearest
from paretonym.measures import parse
from paretonym.measures.rules import conditions_of
from paretonym.model.arrays import Flags, Ints
from paretonym.model.plan import UNLISTED, Plan, Recode
from paretonym.model.reading import read_file
from paretonym.model.schema import Role
from paretonym.model.source import TableSource
from paretonym.pipeline.later_secrets import Standing, recompiled
from paretonym.pipeline.later_values import News, extended
from paretonym.pipeline.node_facts import sizes_of
from paretonym.pipeline.open_job import refuse_identifying
from paretonym.pipeline.releasing import Output
from paretonym.publishing import Publication, ReleaseRequest, publish
from paretonym.publishing.manifest import version_beside
from paretonym.report import ReleaseExtra, internal_release_html, public_release_html
from paretonym.tables import Table, open_table

_UNMEASURED = "Losses are not measured on a later file: a plan holds labels, not hierarchies."


@dataclass(frozen=True, slots=True)
class Drift:
    """How a later file differs from the one the plan was made on."""

    rows: int
    new_values: Mapping[str, int]  # column -> new values that the hierarchy's rule labels
    unknown_values: Mapping[str, int]  # column -> values the plan does not know
    unknown_rows: int  # rows with any of them, all suppressed
    small_classes: int  # classes that fell short of the promise, all suppressed
    small_rows: int
    suppressed: int
    limit: int
    k: int
    standing: Standing | None = None  # how the plan's rules of confidentiality fare

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "new_values": dict(self.new_values),
            "unknown_values": dict(self.unknown_values),
            "unknown_rows": self.unknown_rows,
            "small_classes": self.small_classes,
            "small_rows": self.small_rows,
            "suppressed": self.suppressed,
            "limit": self.limit,
            "k": self.k,
            **({} if self.standing is None else self.standing.values),
        }

    def told(self) -> list[str]:
        """The drift in words, for the internal report, which shows the rules' figures apart."""
        found = []
        for name, value in replace(self, standing=None).to_json().items():
            counts = [f"{c}: {n:,}" for c, n in value.items()] if isinstance(value, dict) else None
            said = f"{value:,}" if counts is None else ", ".join(counts) or "none"
            found.append(f"Drift, {name.replace('_', ' ')}: {said}")
        return found


def load_plan(path: Path) -> Plan:
    """A plan file, or the folder of a release that holds one."""
    file = path / "internal" / "plan.json" if path.is_dir() else path
    try:
        data = json.loads(read_file(file).decode())
    except (OSError, ValueError, RecursionError):
        raise JobError(f"{file}: no plan can be read there; give a plan.json") from None
    if not isinstance(data, dict):
        raise JobError(f"{file}: this is not a plan")
    return Plan.from_json(data, written_by=version_beside(file))


def apply_plan(plan: Plan, given: TableSource, *, output: Output) -> tuple[Publication, Drift]:
    """Recode, suppress what breaks the promise, write and recompute; fails beyond the limit."""
    _refuse_swaps(plan)
    source = plan.source(given)
    with open_table(source) as table:
        _check_columns(plan, table)
        refuse_identifying(plan.schema, table)
        plan = replace(plan, secrecy=recompiled(plan.secrecy, table))
        recodes, news = extended(plan, table)
        classes = _Classes.of(replace(plan, recodes=recodes), table)
        drift = classes.drift(plan, news)
        if drift.suppressed > drift.limit or drift.k == 0:
            raise InfeasibleError(_cannot_keep(plan, drift))
        _refuse_broken_rules(plan, drift)
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
            source=source,
            plan=replace(
                plan,
                recodes=recodes,
                fingerprint=table.fingerprint,
                rows=drift.rows,
                suppress=replace(plan.suppress, limit_rows=drift.limit),
                salt=secrets.token_hex(16),
            ),
            levels={recode.column: recode.level for recode in recodes},
            values={
                "k": drift.k,
                "suppressed": drift.suppressed,
                **classes.diversity(),
                **({} if drift.standing is None else drift.standing.values),
            },
            suppressed=drift.suppressed,
            input_rows=drift.rows,
            fingerprint=table.fingerprint,
            job_digest="",
            classes=int(classes.kept.sum()),
            format="parquet" if output.format == "parquet" else "csv",
            delimiter=output.delimiter,
            neutralise=output.neutralise,
            shuffle_key=key,
            accepted=frozenset(c.name for c in plan.schema.columns if c.may_match),
        )
        return _publish(request, reader, classes.compared(request, drift)), drift


def _refuse_swaps(plan: Plan) -> None:
    if plan.swaps is not None:
        raise JobError(
            "the plan swaps records by their row numbers, which belong to the one table it was "
            "made on, so that it fits no later file; compute swaps for this file and release it "
            "with its own job"
        )


def _publish(request: ReleaseRequest, reader: Any, extra: ReleaseExtra) -> Publication:
    about = replace(request.plan.about, earlier=True)
    return publish(
        reader,
        request,
        public_report=lambda public, checks: public_release_html(public, checks, about=about),
        internal_report=lambda public, internal, verification: internal_release_html(
            public, internal, verification, extra=extra, about=about
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


def _refuse_broken_rules(plan: Plan, drift: Drift) -> None:
    broken = [] if drift.standing is None else drift.standing.broken(plan.secrecy)
    if broken:
        raise InfeasibleError(
            f"the plan's confidential rules cannot be kept on these {drift.rows} rows: "
            f"{'; '.join(broken)}. Make a new front for this file"
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


@dataclass(frozen=True, eq=False, slots=True)
class _Counted:
    """What is counted in each class of rows that agree in all keys."""

    labels: list[tuple[str | None, ...]]
    size: Ints
    distinct: Mapping[str, Ints]  # column -> distinct values in each class
    fulfil: Mapping[str, Ints]  # condition of a rule -> rows in each class

    @classmethod
    def of(
        cls,
        raw: pa.Table,
        keys: Iterable[Sequence[str | None]],
        columns: Sequence[str],
        conditions: Iterable[str],
    ) -> _Counted:
        numbers: dict[tuple[str | None, ...], int] = {}
        group = np.array(
            [numbers.setdefault(row, len(numbers)) for row in zip(*keys, strict=True)], np.int64
        )
        return cls(
            labels=list(numbers),
            size=_summed(raw["rows"], group, len(numbers)),
            distinct={n: _distinct(raw[f"key:{n}"], group, len(numbers)) for n in columns},
            fulfil={n: _summed(raw[f"count:{n}"], group, len(numbers)) for n in conditions},
        )


@dataclass(frozen=True, eq=False, slots=True)
class _Classes:
    """The classes of the recoded later file."""

    quasi: tuple[str, ...]
    labels: list[tuple[str | None, ...]]
    size: Ints
    unknown: Flags
    kept: Flags
    distinct: Mapping[str, Ints]
    fulfil: Mapping[str, Ints]
    before: _Counted  # the file as it came

    @classmethod
    def of(cls, plan: Plan, table: Table) -> _Classes:
        required = _required(plan)
        columns = list(dict.fromkeys([*plan.schema.names(Role.SENSITIVE), *required]))
        conditions = conditions_of(plan.secrecy.secrets)
        keys = list(dict.fromkeys([*plan.schema.quasi, *columns]))
        raw = table.histogram(keys, predicates=conditions)
        texts = [_labels(raw[f"key:{r.column}"], r) for r in plan.recodes]
        found = _Counted.of(raw, texts, columns, conditions)
        unknown = np.array([UNLISTED in row for row in found.labels], np.bool_)
        kept = ~unknown & (found.size >= plan.suppress.below)
        for name, bound in required.items():
            kept &= found.distinct[name] >= bound
        values = [_values(raw[f"key:{r.column}"]) for r in plan.recodes]
        before = _Counted.of(raw, values, columns, conditions)
        return cls(
            plan.schema.quasi, found.labels, found.size, unknown, kept, found.distinct,
            found.fulfil, before,
        )  # fmt: skip

    def diversity(self) -> dict[str, int]:
        return {
            f"distinct_l({name})": int(count[self.kept].min())
            for name, count in self.distinct.items()
        }

    def drift(self, plan: Plan, news: News) -> Drift:
        rows = int(self.size.sum())
        small = ~self.kept & ~self.unknown
        return Drift(
            rows=rows,
            new_values=dict(news.recoded),
            unknown_values=dict(news.unknown),
            unknown_rows=int(self.size[self.unknown].sum()),
            small_classes=int(small.sum()),
            small_rows=int(self.size[small].sum()),
            suppressed=int(self.size[~self.kept].sum()),
            limit=plan.suppress.limit_rows * rows // max(plan.rows, 1),
            k=int(self.size[self.kept].min(initial=rows)) if self.kept.any() else 0,
            standing=Standing.of(plan.secrecy, self.fulfil, self.size) if self.fulfil else None,
        )

    def compared(self, request: ReleaseRequest, drift: Drift) -> ReleaseExtra:
        """Before and after by the same measures; losses need hierarchies, which a plan lacks."""
        secrecy = request.plan.secrecy
        rules = Standing.of(secrecy, self.before.fulfil, self.before.size) if self.fulfil else None
        return ReleaseExtra(
            sizes_before=sizes_of(self.before.size),
            class_sizes=sizes_of(self.size[self.kept]),
            before={
                "k": int(self.before.size.min()),
                "suppressed": 0,
                **{f"distinct_l({n})": int(c.min()) for n, c in self.before.distinct.items()},
                **({} if rules is None else rules.values),
            },
            after=request.values,
            dropped=request.plan.schema.identifiers,
            omitted=request.plan.schema.names(Role.OMITTED),
            secrecy=secrecy,
            notes=[*drift.told(), _UNMEASURED],
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
    return [recode.labels[value] for value in _values(column)]


def _values(column: pa.ChunkedArray) -> list[str | None]:
    """The value behind each row of a histogram; a null is the last one."""
    by_code = observed_values(column)
    codes = column.combine_chunks().indices.to_pylist()
    return [by_code[-1] if code is None else by_code[code] for code in codes]


def _required(plan: Plan) -> dict[str, float]:
    """Column -> distinct values every class must hold; other requirements need the job."""
    found = {}
    for name, bound in plan.suppress.require.items():
        wanted = parse(name)
        if wanted.base != "distinct_l" or wanted.column is None:
            raise JobError(
                f"the plan requires {name}, which cannot be judged from a plan alone; "
                f"release the file with its job instead"
            )
        found[wanted.column] = float(bound)
    return found


def _summed(rows: pa.ChunkedArray, group: Ints, classes: int) -> Ints:
    """Whole numbers, added up exactly."""
    found = np.zeros(classes, np.int64)
    np.add.at(found, group, rows.to_numpy().astype(np.int64))
    return found


def _distinct(column: pa.ChunkedArray, group: Ints, classes: int) -> Ints:
    code = np.array([-1 if c is None else c for c in column.combine_chunks().indices.to_pylist()])
    pairs = np.unique(np.stack([group, code], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=classes).astype(np.int64)
