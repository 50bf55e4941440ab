"""A job opened: its table, hierarchies and measures, built and checked together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

import pyarrow as pa

from paretonym.encode import Histogram, encode, observed_values
from paretonym.encode.hierarchies import build as build_granulation
from paretonym.encode.statistics import sort_keys
from paretonym.errors import JobError, ParetonymError, SafetyError, nearest
from paretonym.lattice import Lattice
from paretonym.measures import (
    Context,
    Evaluator,
    Measure,
    Requirement,
    build,
    known_measures,
    make_context,
    objective_of,
    parse,
)
from paretonym.measures.rules import conditions_of, confidential_of
from paretonym.model.closing import Closing
from paretonym.model.granulation import Granulation
from paretonym.model.identifying import identifying
from paretonym.model.job import ColumnSpec, Job
from paretonym.model.measure_info import MeasureInfo, MeasureName, bound_fault, info_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.secret import Secret
from paretonym.pipeline.passing import PassedThrough
from paretonym.pipeline.secrets_of import compile_secrets, idle_rules, refuse_open_tops
from paretonym.report.words import Basis
from paretonym.search import Target
from paretonym.tables import Table, open_table

FEW_VALUES = 64  # groups shown one by one: who loses how many rows

Anything = TypeVar("Anything")


@dataclass(frozen=True, slots=True)
class OpenJob(Closing):
    """Everything a pipeline works with; close it when done."""

    job: Job
    table: Table
    schema: Schema
    histogram: Histogram
    lattice: Lattice
    context: Context
    targets: tuple[Target, ...]
    require: tuple[Requirement, ...]
    limit: int
    passed: PassedThrough
    secrets: tuple[Secret, ...] = ()

    def evaluator(self, measures: Sequence[Measure] | None = None) -> Evaluator:
        """For the objectives, or for the measures given."""
        wanted = [t.measure for t in self.targets] if measures is None else measures
        return Evaluator(
            self.histogram,
            self.lattice,
            wanted,
            self.context,
            require=self.require,
            limit=self.limit,
            rule=self.job.suppression.rule,
        )

    def every_measure(self) -> list[Measure]:
        """What the job names, then each known measure for the columns it makes sense for."""
        names = [target.objective.name for target in self.targets]
        names += [requirement.measure.name for requirement in self.require]
        infos = [info for base in known_measures() if (info := info_of(base)) is not None]
        for info in sorted(infos, key=lambda info: not info.needs_rules):
            names += [f"{info.name}({c})" for c in self._columns_for(info)]
            if not info.takes_column and (self.context.confidential or not info.needs_rules):
                names.append(info.name)
        return [build(parse(name), self.context) for name in dict.fromkeys(names)]

    def _columns_for(self, info: MeasureInfo) -> list[str]:
        if not info.takes_column:
            return []
        if info.few_values:
            return [
                c for c, column in self.histogram.counts.items() if len(column.values) <= FEW_VALUES
            ]
        named = self.schema.names(*info.roles) if info.roles else ()
        return [name for name in named if name in self.histogram.counts]

    @property
    def basis(self) -> Basis:
        """What shares of rows and of the largest loss refer to."""
        rows = self.histogram.rows
        return Basis(rows, float(rows * sum(self.context.weights)))

    def idle_rules(self) -> list[str]:
        """What to tell the user of rules without effect."""
        rules = self.context.confidential
        return [] if rules is None else idle_rules(self.secrets, rules, self.histogram)

    def close(self) -> None:
        self.table.close()


class _Problems:
    """Collects what is wrong, so that the user hears of everything at once."""

    def __init__(self) -> None:
        self.found: list[ParetonymError] = []

    def attempt(self, work: Callable[[], Anything]) -> Anything | None:
        try:
            return work()
        except ParetonymError as error:
            self.found.append(error)
            return None

    def raise_any(self) -> None:
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            lines = "\n".join(f"- {error}" for error in self.found)
            raise JobError(f"{len(self.found)} problems:\n{lines}")


def open_job(job: Job) -> OpenJob:
    """Open the table and build everything the job names: what is behind the other functions.

    Args:
        job: A job with objectives.

    Returns:
        The table, the lattice, an evaluator. Use it in a `with` statement, which closes the table.

    Raises:
        JobError: The table and the job do not fit; the message tells every problem at once.
        TableError: The table cannot be read faithfully.

    Example:
        with pn.open_job(pn.load_job("ten.yaml")) as opened:
            assert opened.table.rows() == 10
            assert opened.lattice.size == 6
    """
    _refuse_groups_alone(job)
    table = open_table(job.source, swaps=job.swaps)
    try:
        return _build(job, table)
    except BaseException:
        table.close()
        raise


def _refuse_groups_alone(job: Job) -> None:
    """A job that only looks for groups has nothing to release."""
    missing = [k for k in ("columns", "objectives") if not getattr(job, k)]
    if missing:
        raise JobError(
            f"the job has no {' and no '.join(missing)}, which this command needs; add them "
            f"(paretonym group does without)"
        )
    if job.more:
        raise JobError(
            f"table names {len(job.sources)} files, and a release is made from one; join them "
            f"first (paretonym group reads several)"
        )


def _build(job: Job, table: Table) -> OpenJob:
    problems = _Problems()
    problems.attempt(lambda: _check_columns(job, table.names))
    problems.raise_any()  # nothing else makes sense without the columns
    schema = schema_of(job, table.names)
    wanted = [problems.attempt(lambda text=text: parse(text)) for text in job.objectives]  # type: ignore[misc]
    bounds = {
        name: problems.attempt(lambda name=name: _parse_requirement(name))  # type: ignore[misc]
        for name in job.require
    }
    asked = [w for w in [*wanted, *bounds.values()] if w]
    for one in asked:
        problems.attempt(lambda one=one: _check_measure_column(one, schema))  # type: ignore[misc]
    problems.attempt(lambda: refuse_identifying(schema, table))
    problems.attempt(lambda: _refuse_bytes(schema, table))
    problems.raise_any()
    counted = _counted(schema, asked)
    keys = list(dict.fromkeys([*job.quasi, *counted]))
    raw = table.histogram(keys)
    lattice = _lattice(job, raw, problems)
    secrets = _secrets(job, table, lattice)
    if secrets:  # once more, because values must be known before sentences about them are
        raw = table.histogram(keys, predicates=conditions_of(secrets))
    few = [
        c
        for c in counted
        if schema[c].roles != {Role.QUASI} or len(observed_values(raw[f"key:{c}"])) <= FEW_VALUES
    ]
    named = {w.column for w in asked if w.column}
    histogram = encode(raw, lattice.granulations, [c for c in counted if c in few or c in named])
    weights = {c.name: c.weight for c in job.columns}
    context = make_context(
        histogram,
        lattice,
        weights,
        confidential=confidential_of(secrets, histogram, at_risk=job.security.at_risk)
        if secrets
        else None,
        observed=job.security.domain == "observed",
    )
    limit = job.suppression.limit.of(histogram.rows)
    opened = OpenJob(
        job=job,
        table=table,
        schema=schema,
        histogram=histogram,
        lattice=lattice,
        context=context,
        targets=_targets([w for w in wanted if w], context),
        require=_requirements(job, bounds, context, histogram.rows),
        limit=limit,
        passed=PassedThrough(table, lattice.granulations, _not_counted(schema, histogram)),
        secrets=secrets,
    )
    opened.evaluator()  # refuses a limit that would allow leaving out everything
    return opened


def _lattice(job: Job, raw: pa.Table, problems: _Problems) -> Lattice:
    def built(column: ColumnSpec) -> Granulation:
        return granulation_of(column, observed_values(raw[f"key:{column.name}"]))

    granulations = [
        problems.attempt(lambda c=c: built(c))  # type: ignore[misc]
        for c in job.columns
        if Role.QUASI in c.roles
    ]
    problems.raise_any()
    return Lattice.of([g for g in granulations if g])


def _secrets(job: Job, table: Table, lattice: Lattice) -> tuple[Secret, ...]:
    if not job.confidential:
        return ()
    refuse_open_tops(lattice.granulations)
    return compile_secrets(job, table, lattice.granulations)


def granulation_of(column: ColumnSpec, values: Sequence[str | None]) -> Granulation:
    """The hierarchy of a quasi column over the values that occur in it."""
    assert column.hierarchy is not None  # noqa: S101  (the job's parser asks for one)
    granulation = build_granulation(column.hierarchy, column.name, values)
    if column.write != "label":  # refused now, not after a long search
        sort_keys(column.order, column.name, [value for value in values if value is not None])
    return granulation


def _check_columns(job: Job, names: Sequence[str]) -> None:
    named = [c.name for c in job.columns]
    problems = [
        f"column '{name}' is not in the table{nearest(name, list(names))}"
        for name in named
        if name not in names
    ]
    problems += [
        f"column '{name}' has no role; give it one under columns (insensitive passes it through)"
        for name in names
        if name not in named
    ]
    if problems:
        raise JobError("; ".join(problems))


def _refuse_bytes(schema: Schema, table: Table) -> None:
    """Raw bytes have no text of their own that a release could show."""
    for name in schema.quasi:
        if "binary" in table.types[name]:
            raise JobError(
                f"column '{name}' of type {table.types[name]} holds bytes and cannot be "
                f"generalised; convert it to text"
            )


def schema_of(job: Job, names: Sequence[str]) -> Schema:
    """Columns in the table's order, as they will stand in the release."""
    by_name = {c.name: c for c in job.columns}
    return Schema.of(
        Column(name, c.roles, c.weight, c.because, c.may_match)
        for name, c in ((name, by_name[name]) for name in names)
    )


def _parse_requirement(name: str) -> MeasureName:
    wanted = parse(name)
    if wanted.direction is not None:
        raise JobError(
            f"require: '{name}' must not state a direction; write {wanted.plain}: number"
        )
    return wanted


def _check_measure_column(wanted: MeasureName, schema: Schema) -> None:
    if wanted.column is None:
        return
    if wanted.column not in schema.names():
        near = nearest(wanted.column, list(schema.names()))
        raise JobError(f"'{wanted.plain}': there is no column '{wanted.column}'{near}")
    if schema[wanted.column].is_dropped:
        raise JobError(
            f"'{wanted.plain}': column '{wanted.column}' is dropped, so it has no measure"
        )


def _counted(schema: Schema, asked: Sequence[MeasureName]) -> list[str]:
    """Columns whose values are counted in every class."""
    named = [w.column for w in asked if w.column]
    roles = (Role.SENSITIVE, Role.TARGET)
    return list(dict.fromkeys([*named, *schema.names(*roles), *schema.quasi]))


def _not_counted(schema: Schema, histogram: Histogram) -> list[str]:
    """Columns that pass through and that no measure looks at."""
    return [c.name for c in schema.columns if c.passes_through and c.name not in histogram.counts]


def _targets(wanted: Sequence[MeasureName], context: Context) -> tuple[Target, ...]:
    measures = [build(one, context) for one in wanted]
    return tuple(
        Target(objective_of(one, measure), measure)
        for one, measure in zip(wanted, measures, strict=True)
    )


def _requirements(
    job: Job, bounds: dict[str, MeasureName | None], context: Context, rows: int
) -> tuple[Requirement, ...]:
    found = []
    for name, wanted in bounds.items():
        if wanted is None:
            continue
        measure = build(wanted, context)
        bound: Decimal = job.require[name]
        required = Requirement.of(measure, Fraction(bound))
        if measure.name == "k" and bound > rows:
            raise JobError(f"require: k of {bound} is more than the table's {rows} rows")
        fault = bound_fault(measure.name, bound)  # also of what was registered after the job
        if fault:
            raise JobError(f"require: {fault}")
        found.append(required)
    return tuple(found)


def refuse_identifying(schema: Schema, table: Table) -> None:
    """Stop when a passed-through column singles people out and the job gives no reason."""
    suspects = [
        c.name
        for c in schema.columns
        if c.passes_through and not c.because and Role.SENSITIVE not in c.roles
    ]
    if not suspects:
        return
    problems = []
    for profile in table.profile(suspects):
        reason = identifying(profile)
        if reason:
            problems.append(
                f"column '{profile.name}' is passed through but {reason}; make it an identifier or "
                f"a quasi-identifier, or say why it may pass with because: …"
            )
    if problems:
        raise SafetyError("; ".join(problems))


def findable_by(schema: Schema, table: Table) -> tuple[str, ...]:
    """Sensitive columns that stay as they are and single people out: no promise covers that."""
    kept = [c.name for c in schema.columns if c.passes_through and Role.SENSITIVE in c.roles]
    return tuple(profile.name for profile in table.profile(kept) if identifying(profile))
