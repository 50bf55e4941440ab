"""The same frozen recoding on a later file, with a report of what has drifted."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from paretonym.encode import encode
from paretonym.errors import InfeasibleError, JobError, nearest
from paretonym.lattice import Lattice
from paretonym.measures import (
    ClassTable,
    Context,
    Measure,
    Reduce,
    Reduced,
    build,
    make_context,
    parse,
)
from paretonym.measures.plain import ClassRule
from paretonym.measures.rules import conditions_of
from paretonym.model.arrays import Flags
from paretonym.model.bound import Bound
from paretonym.model.granulation import Granulation, Partition, partition_from_labels
from paretonym.model.measure_info import MeasureName
from paretonym.model.plan import Plan
from paretonym.model.reading import read_file
from paretonym.model.schema import Role
from paretonym.model.secret import Secrecy
from paretonym.model.source import TableSource
from paretonym.model.steps import UNLISTED, Recode, Step, Suppress
from paretonym.pipeline.assembly import Draft, Output, publish_draft
from paretonym.pipeline.later_secrets import Standing, recompiled
from paretonym.pipeline.later_values import News, extended
from paretonym.pipeline.node_facts import sizes_of
from paretonym.pipeline.open_job import refuse_identifying
from paretonym.publishing import Publication
from paretonym.publishing.manifest import version_beside
from paretonym.report import ReleaseExtra
from paretonym.search.outcome import as_number
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
        classes = _Classes.of(plan, recodes, table)
        drift = classes.drift(plan, news)
        if drift.suppressed > drift.limit or drift.k == 0:
            raise InfeasibleError(_cannot_keep(plan, drift))
        _refuse_broken_rules(plan, drift)
        steps = _on_this_file(plan, recodes, drift.limit)
        applied = replace(
            plan,
            steps=steps,
            fingerprint=table.fingerprint,
            rows=drift.rows,
            salt=secrets.token_hex(16),
        )
        draft = Draft(
            source=source,
            plan=applied,
            gone=classes.gone(),
            levels={recode.column: recode.level for recode in recodes},
            values={
                "k": drift.k,
                "suppressed": drift.suppressed,
                **classes.values(),
                **({} if drift.standing is None else drift.standing.values),
            },
            suppressed=drift.suppressed,
            input_rows=drift.rows,
            classes=int(classes.kept.sum()),
        )
        extra, about = classes.compared(draft, drift), replace(plan.about, earlier=True)
        return publish_draft(table, draft, output, extra=extra, about=about), drift


def _refuse_swaps(plan: Plan) -> None:
    if plan.swaps is not None:
        raise JobError(
            "the plan swaps records by their row numbers, which belong to the one table it was "
            "made on, so that it fits no later file; compute swaps for this file and release it "
            "with its own job"
        )


def _cannot_keep(plan: Plan, drift: Drift) -> str:
    required = "".join(f", {bound.says()}" for bound in plan.suppress.require)
    fall_short = "fall short of it" if required else "are too small"
    return (
        f"the promise of the plan (classes of at least {plan.suppress.below} rows{required}) "
        f"cannot be kept: "
        f"{drift.suppressed} of {drift.rows} rows would have to go and the plan allows "
        f"{drift.limit}; {drift.unknown_rows} rows hold values the plan does not know and "
        f"{drift.small_rows} rows lie in {drift.small_classes} classes that {fall_short}. "
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
class _Classes:
    """The classes of a later file, as it came and recoded."""

    texts: Mapping[str, tuple[str | None, ...]]  # quasi-identifier -> what its blocks show
    before: ClassTable
    recoded: ClassTable
    unknown: Flags
    kept: Flags
    context: Context  # of this file: it is its own reference
    measures: tuple[Measure, ...]  # that every class is required to satisfy
    columns: tuple[str, ...]  # whose values are counted in each class
    conditions: tuple[str, ...]  # of rules, whose rows are counted in each class

    @classmethod
    def of(cls, plan: Plan, recodes: Sequence[Recode], table: Table) -> _Classes:
        required = [_named(bound) for bound in plan.suppress.require]
        named = [name.column for name in required if name.column is not None]
        columns = tuple(dict.fromkeys([*plan.schema.names(Role.SENSITIVE), *named]))
        conditions = conditions_of(plan.secrecy.secrets)
        keys = list(dict.fromkeys([*plan.schema.quasi, *columns]))
        granulations = [_as_granulation(recode) for recode in recodes]
        histogram = encode(table.histogram(keys, predicates=conditions), granulations, columns)
        recoded = ClassTable(histogram, granulations, [_SHOWN] * len(granulations))
        texts = {r.column: tuple(dict.fromkeys(r.labels.values())) for r in recodes}
        unknown = np.zeros(len(recoded), np.bool_)
        for j, shown in enumerate(texts.values()):
            unknown |= np.array([text == UNLISTED for text in shown])[recoded.blocks[:, j]]
        kept = ~unknown & (recoded.size >= plan.suppress.below)
        context = make_context(histogram, Lattice.of(granulations), {})
        measures = _required(required, context)
        for measure, bound in zip(measures, plan.suppress.require, strict=True):
            kept &= ~ClassRule(measure.statistics[0], bound).violated(recoded, context)
        return cls(
            context=context,
            measures=measures,
            texts=texts,
            before=ClassTable(histogram, granulations, [_RAW] * len(granulations)),
            recoded=recoded,
            unknown=unknown,
            kept=kept,
            columns=columns,
            conditions=tuple(conditions),
        )

    def values(self) -> dict[str, float | int]:
        """What is known of the released classes: different values, and what was required."""
        found: dict[str, float | int] = {
            f"distinct_l({name})": int(self.recoded.distinct(name)[self.kept].min())
            for name in self.columns
        }
        for measure in self.measures:
            statistic = measure.statistics[0]
            numbers = statistic.per_class(self.recoded, self.context)[self.kept]
            worst = numbers.max() if statistic.reduce is Reduce.MAX else numbers.min()
            suppressed = np.array([int(self.recoded.size[~self.kept].sum())])
            reduced = Reduced(self.context, suppressed, {statistic.key: np.array([worst])})
            found[measure.name] = as_number(measure.combine(reduced).shown(0))
        return found

    def _standing(self, secrecy: Secrecy, classes: ClassTable) -> Standing | None:
        if not self.conditions:
            return None
        fulfil = {name: classes.predicate(name) for name in self.conditions}
        return Standing.of(secrecy, fulfil, classes.size)

    def drift(self, plan: Plan, news: News) -> Drift:
        size = self.recoded.size
        rows = int(size.sum())
        small = ~self.kept & ~self.unknown
        return Drift(
            rows=rows,
            new_values=dict(news.recoded),
            unknown_values=dict(news.unknown),
            unknown_rows=int(size[self.unknown].sum()),
            small_classes=int(small.sum()),
            small_rows=int(size[small].sum()),
            suppressed=int(size[~self.kept].sum()),
            limit=plan.suppress.limit_rows * rows // max(plan.rows, 1),
            k=int(size[self.kept].min(initial=rows)) if self.kept.any() else 0,
            standing=self._standing(plan.secrecy, self.recoded),
        )

    def compared(self, draft: Draft, drift: Drift) -> ReleaseExtra:
        """Before and after by the same measures; losses need hierarchies, which a plan lacks."""
        secrecy = draft.plan.secrecy
        rules = self._standing(secrecy, self.before)
        return ReleaseExtra(
            sizes_before=sizes_of(self.before.size),
            class_sizes=sizes_of(self.recoded.size[self.kept]),
            before={
                "k": int(self.before.size.min()),
                "suppressed": 0,
                **{f"distinct_l({n})": int(self.before.distinct(n).min()) for n in self.columns},
                **({} if rules is None else rules.values),
            },
            after=draft.values,
            dropped=draft.plan.schema.identifiers,
            omitted=draft.plan.schema.names(Role.OMITTED),
            secrecy=secrecy,
            steps=draft.plan.says(),
            notes=[*drift.told(), _UNMEASURED],
        )

    def gone(self) -> pa.Table:
        """What the classes that are left out would show."""
        gone = self.recoded.blocks[~self.kept]
        return pa.table(
            {
                name: pa.array(texts, pa.string()).take(pa.array(gone[:, j]))
                for j, (name, texts) in enumerate(self.texts.items())
            }
        )


_RAW, _SHOWN = 0, 1  # levels of a granulation made from a recoding


def _as_granulation(recode: Recode) -> Granulation:
    """The values of a recoding on their own, and by what they show.

    Blocks go by number here: a text of the plan may be missing where a hierarchy's label is not.
    """
    leaves = tuple(recode.labels)
    blocks = partition_from_labels("", list(recode.labels.values())).block_of
    partitions = [
        Partition("", block_of, tuple(map(str, range(int(block_of.max(initial=-1)) + 1))))
        for block_of in (np.arange(len(leaves)), blocks)
    ]
    return Granulation(recode.column, leaves, tuple(partitions), open_top=True)


def _named(bound: Bound) -> MeasureName:
    """The measure of a plan's bound; a plan may come from where somebody's own is known."""
    try:
        return parse(bound.measure)
    except JobError as error:
        raise JobError(
            f"the plan requires {bound.says()}, and {error}. A measure of your own has to be "
            f"registered here too: in Python by pn.register, for commands by a package"
        ) from None


def _required(names: Sequence[MeasureName], context: Context) -> tuple[Measure, ...]:
    """What every class must satisfy; anything else needs the job.

    A measure that was registered by its name alone says so only once it is built.
    """
    measures = tuple(build(name, context) for name in names)
    for measure in measures:
        if not measure.class_wise:
            raise JobError(
                f"the plan requires {measure.name}, which cannot be judged from a plan alone; "
                f"release the file with its job instead"
            )
    return measures


def _on_this_file(plan: Plan, recodes: Sequence[Recode], limit: int) -> tuple[Step, ...]:
    """The plan's steps with what this file changes in them."""
    by_column = {recode.column: recode for recode in recodes}

    def fitted(step: Step) -> Step:
        match step:
            case Recode():
                return by_column[step.column]
            case Suppress():
                return replace(step, limit_rows=limit)
        return step

    return tuple(map(fitted, plan.steps))
