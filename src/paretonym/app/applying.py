"""The same frozen recoding on a later file, with a report of what has drifted."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from paretonym.app.bench import refuse_identifying
from paretonym.app.later_secrets import Standing, recompiled
from paretonym.app.releasing import Output
from paretonym.encode import observed_values
from paretonym.encode.hierarchies import build
from paretonym.errors import HierarchyError, InfeasibleError, JobError, nearest
from paretonym.measures import parse
from paretonym.measures.rules import conditions_of
from paretonym.model.granulation import STAR
from paretonym.model.plan import UNLISTED, Plan, Recode
from paretonym.model.schema import Role
from paretonym.model.source import TableSource
from paretonym.publishing import Publication, ReleaseRequest, publish
from paretonym.report import ReleaseExtra, internal_release_html, public_release_html
from paretonym.tables import Table, open_table

_ONE_BY_ONE = 200  # new values tried one at a time when some of them cannot be read


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


def apply_plan(plan: Plan, given: TableSource, *, output: Output) -> tuple[Publication, Drift]:
    """Recode, suppress what breaks the promise, write and recompute; fails beyond the limit."""
    _refuse_swaps(plan)
    source = plan.source(given)
    with open_table(source) as table:
        _check_columns(plan, table)
        refuse_identifying(plan.schema, table)
        plan = replace(plan, secrecy=recompiled(plan.secrecy, table))
        recodes, news = _extended(plan, table)
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
        return _publish(request, reader, drift), drift


def _refuse_swaps(plan: Plan) -> None:
    if plan.swaps is not None:
        raise JobError(
            "the plan swaps records by their row numbers, which belong to the one table it was "
            "made on, so that it fits no later file; compute swaps for this file and release it "
            "with its own job"
        )


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


@dataclass(frozen=True, slots=True)
class _News:
    """Values of a later file that the plan's own file did not hold, by column."""

    recoded: Mapping[str, int]  # the hierarchy's rule labels them
    unknown: Mapping[str, int]


def _extended(plan: Plan, table: Table) -> tuple[tuple[Recode, ...], _News]:
    """Recodes for every value of the table; unknown ones get a label that is never released."""
    recodes, recoded, unknown = [], {}, {}
    for recode in map(_frozen, plan.recodes):
        values = table.values_of(recode.column)["value"].to_pylist()
        new = [value for value in values if recode.labels.get(value, UNLISTED) == UNLISTED]
        ruled = _by_rule(recode, new)
        labels = {**recode.labels, **{value: ruled.get(value, UNLISTED) for value in new}}
        if ruled:
            recoded[recode.column] = len(ruled)
        if len(ruled) < len(new):
            unknown[recode.column] = len(new) - len(ruled)
        recodes.append(replace(recode, labels=labels))
    return tuple(recodes), _News(recoded, unknown)


def _frozen(recode: Recode) -> Recode:
    """Statistics stay those of the table that the plan was made on."""
    if recode.written is None:
        return recode
    return replace(recode, written=replace(recode.written, frozen=True))


def _by_rule(recode: Recode, new: Sequence[str | None]) -> dict[str | None, str | None]:
    """Labels of new values, where the hierarchy is a rule and not a list.

    A column released as `*` tells nothing of any value, whatever its hierarchy; a statistic
    speaks of the values that it was taken from, and of no others.
    """
    if recode.written is not None:
        return {}
    if set(recode.labels.values()) == {STAR}:
        return dict.fromkeys(new, STAR)
    if recode.rule is None or not new:
        return {}
    if None in new:  # a missing value is a category of its own, with no label to go by
        return _by_rule(recode, [value for value in new if value is not None])
    found = _ruled(recode, new)
    if found is not None:
        return found
    if len(new) > _ONE_BY_ONE:
        return {}
    alone = (_ruled(recode, [value]) for value in new)
    return {value: label for one in alone if one for value, label in one.items()}


def _ruled(recode: Recode, new: Sequence[str | None]) -> dict[str | None, str | None] | None:
    """None when the rule cannot read a value, or would label the known ones differently."""
    assert recode.rule is not None  # noqa: S101
    try:
        granulation = build(recode.rule, recode.column, [*recode.labels, *new])
    except HierarchyError:
        return None
    for partition in granulation.partitions:
        if partition.name != recode.partition:
            continue
        shown = (partition.labels[block] for block in partition.block_of)
        labels = dict(zip(granulation.leaves, shown, strict=True))
        if all(labels[value] == label for value, label in recode.labels.items()):
            return {value: labels[value] for value in new}
    return None


@dataclass(frozen=True, eq=False, slots=True)
class _Classes:
    """The classes of the recoded later file."""

    quasi: tuple[str, ...]
    labels: list[tuple[str | None, ...]]
    size: npt.NDArray[np.int64]
    unknown: npt.NDArray[np.bool_]
    kept: npt.NDArray[np.bool_]
    distinct: Mapping[str, npt.NDArray[np.int64]]  # column -> distinct values in each class
    fulfil: Mapping[str, npt.NDArray[np.int64]]  # condition of a rule -> rows in each class

    @classmethod
    def of(cls, plan: Plan, table: Table) -> _Classes:
        required = _required(plan)
        columns = list(dict.fromkeys([*plan.schema.names(Role.SENSITIVE), *required]))
        conditions = conditions_of(plan.secrecy.secrets)
        keys = list(dict.fromkeys([*plan.schema.quasi, *columns]))
        raw = table.histogram(keys, predicates=conditions)
        texts = [_labels(raw[f"key:{r.column}"], r) for r in plan.recodes]
        numbers: dict[tuple[str | None, ...], int] = {}
        group = np.array(
            [numbers.setdefault(row, len(numbers)) for row in zip(*texts, strict=True)], np.int64
        )
        labels = list(numbers)
        size = _summed(raw["rows"], group, len(labels))
        unknown = np.array([UNLISTED in row for row in labels], np.bool_)
        distinct = {name: _distinct(raw[f"key:{name}"], group, len(labels)) for name in columns}
        kept = ~unknown & (size >= plan.suppress.below)
        for name, bound in required.items():
            kept &= distinct[name] >= bound
        fulfil = {name: _summed(raw[f"count:{name}"], group, len(labels)) for name in conditions}
        return cls(plan.schema.quasi, labels, size, unknown, kept, distinct, fulfil)

    def diversity(self) -> dict[str, int]:
        return {
            f"distinct_l({name})": int(count[self.kept].min())
            for name, count in self.distinct.items()
        }

    def drift(self, plan: Plan, news: _News) -> Drift:
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


def _summed(
    rows: pa.ChunkedArray, group: npt.NDArray[np.int64], classes: int
) -> npt.NDArray[np.int64]:
    """Whole numbers, added up exactly."""
    found = np.zeros(classes, np.int64)
    np.add.at(found, group, rows.to_numpy().astype(np.int64))
    return found


def _distinct(
    column: pa.ChunkedArray, group: npt.NDArray[np.int64], classes: int
) -> npt.NDArray[np.int64]:
    code = np.array([-1 if c is None else c for c in column.combine_chunks().indices.to_pylist()])
    pairs = np.unique(np.stack([group, code], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=classes).astype(np.int64)
