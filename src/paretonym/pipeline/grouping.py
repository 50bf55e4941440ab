"""From a job's groups to their signals, and to the two files that an attack works on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.errors import JobError, nearest
from paretonym.groups.harmonise import Agreement, Harmonised, agree, harmonise, sources_of
from paretonym.groups.records import MEMBERS, SEEN, Records, joined, records_of
from paretonym.groups.signals import GroupSignals, find_signals
from paretonym.model.group import AuxiliarySpec, GroupSpec
from paretonym.model.job import ColumnSpec, Job
from paretonym.model.logic.predicate import AllOf, Predicate
from paretonym.model.logic.sentence import Sentence
from paretonym.model.source import TableSource
from paretonym.pipeline.meanings import compiled, domains_of
from paretonym.tables import Table, open_table

Named = Iterable[tuple[str, str]]  # places in the job, and the columns that they name


@dataclass(frozen=True, slots=True)
class Found:
    """Signals of one group, and what harmonisation leaves where there is an auxiliary file."""

    number: int  # of the group in its job; randomness goes by it
    spec: GroupSpec
    records: Records  # of the main file, by places
    signals: GroupSignals
    harmonised: Agreement | None

    def to_json(self) -> dict[str, Any]:
        added = {} if self.harmonised is None else {"harmonised": self.harmonised.to_json()}
        return self.signals.to_json() | added


def signals_of(job: Job) -> tuple[Found, ...]:
    """Every group of the job, in its order."""
    if not job.groups:
        raise JobError(
            "the job names no groups; add them, for example "
            "groups: {soldiers: {vital: job startswith '55', parameter: [area]}}"
        )
    with opened(job.sources) as tables:
        return tuple(_found(job, number, tables) for number in range(len(job.groups)))


@contextmanager
def opened(sources: Sequence[TableSource]) -> Iterator[tuple[Table, ...]]:
    """All files of a table."""
    with ExitStack() as stack:
        yield tuple(stack.enter_context(open_table(source)) for source in sources)


def _found(job: Job, number: int, tables: Sequence[Table]) -> Found:
    spec = job.groups[number]
    records = main_records(job, spec, tables)
    reference = None
    if spec.reference:
        with opened(spec.reference) as others:
            reference = _reference(job, spec, others, tables)
    signals = find_signals(records, spec, reference=reference)
    if spec.auxiliary is None:
        return Found(number, spec, records, signals, None)
    return Found(
        number, spec, records, signals, harmonised_files(job, spec, spec.auxiliary, tables)
    )


def main_records(job: Job, spec: GroupSpec, tables: Sequence[Table]) -> Records:
    """The main file by places."""
    where = f"groups.{spec.name}"
    named = [*_named(spec), *((f"{where}.remove", column) for column in spec.remove)]
    check_columns(named, tables, job.sources)
    counted = Counted(spec.vital, spec.only, where, column_specs(job))
    return counted.records(tables, spec.places, weight=spec.weight)


def _reference(
    job: Job, spec: GroupSpec, tables: Sequence[Table], main: Sequence[Table]
) -> Records:
    check_columns(_named(spec), tables, spec.reference)
    counted = Counted(spec.vital, spec.only, f"groups.{spec.name}.reference", column_specs(job))
    return counted.records(tables, spec.places, weight=spec.weight, also=main)


def column_specs(job: Job) -> dict[str, ColumnSpec]:
    return {column.name: column for column in job.columns}


def _named(spec: GroupSpec) -> list[tuple[str, str]]:
    where = f"groups.{spec.name}"
    return [
        *((f"{where}.vital", column) for column in spec.vital.columns),
        *((f"{where}.only", column) for column in (spec.only.columns if spec.only else ())),
        *((f"{where}.parameter", column) for column in spec.parameter),
        *((f"{where}.region", column) for column in (spec.region,) if column is not None),
        *((f"{where}.weight", column) for column in (spec.weight,) if column is not None),
    ]


def check_columns(named: Named, tables: Sequence[Table], sources: Sequence[TableSource]) -> None:
    """Every fault at once; each file must have every column."""
    faults = dict.fromkeys(
        f"{where}: {_file(source)} has no column '{column}'{nearest(column, list(table.names))}"
        for table, source in zip(tables, sources, strict=True)
        for where, column in named
        if column not in table.names
    )
    if len(faults) == 1:
        raise JobError(next(iter(faults)))
    if faults:
        raise JobError("\n".join([f"{len(faults)} problems:", *(f"- {one}" for one in faults)]))


def _file(source: TableSource) -> str:
    return source.data.name if isinstance(source.data, Path) else "the table"


@dataclass(frozen=True, slots=True)
class Counted:
    """Who is looked at and who is in the group, in the terms of some files."""

    vital: Sentence
    only: Sentence | None
    where: str
    columns: Mapping[str, ColumnSpec]

    def records(
        self,
        tables: Sequence[Table],
        keys: Sequence[str],
        *,
        weight: str | None = None,
        also: Sequence[Table] = (),
    ) -> Records:
        """By their keys; a value that a sentence names occurs here or in the files of `also`."""
        conditions = self.conditions((*tables, *also))
        parts = [
            records_of(table.histogram(keys, predicates=conditions, weight=weight), keys)
            for table in tables
        ]
        records = joined(parts)
        if not records.total:
            raise JobError(f"{self.where}.only: no record fulfils it, so that nobody is looked at")
        if not records.total_members:
            raise JobError(
                f"{self.where}.vital: none of the {records.total:,} records looked at is in the "
                f"group; correct the sentence, or what only: leaves"
            )
        return records

    def conditions(self, tables: Sequence[Table]) -> dict[str, Predicate]:
        """Who is looked at, and who of these is a member."""
        vital = self._compiled("vital", self.vital, tables)
        if self.only is None:
            return {SEEN: AllOf(()), MEMBERS: vital}
        only = self._compiled("only", self.only, tables)
        return {SEEN: only, MEMBERS: AllOf((only, vital))}

    def _compiled(self, key: str, sentence: Sentence, tables: Sequence[Table]) -> Predicate:
        domains = domains_of(sentence, tables, self.columns)
        return compiled(f"{self.where}.{key}", sentence, domains)


def harmonised_files(
    job: Job, spec: GroupSpec, auxiliary: AuxiliarySpec, tables: Sequence[Table]
) -> Agreement:
    """The main file (with its places) and the auxiliary one, alike in attributes and codes."""
    main = _harmonised_main(job, spec, auxiliary, tables)
    with opened(auxiliary.sources) as others:
        second = _harmonised_auxiliary(job, spec, auxiliary, others, tables)
    agreement = agreed(spec, auxiliary, main, second)
    _check_codes(spec, agreement)
    return agreement


def agreed(
    spec: GroupSpec, auxiliary: AuxiliarySpec, main: Harmonised, second: Harmonised
) -> Agreement:
    """Both files in equal codes; numbers may differ."""
    numeric = {recipe.name for recipe in auxiliary.recipes if recipe.numeric and not recipe.edges}
    where = f"groups.{spec.name}.auxiliary.harmonise"
    return agree(main, second, numeric=numeric, where=where)


def _harmonised_main(
    job: Job, spec: GroupSpec, auxiliary: AuxiliarySpec, tables: Sequence[Table]
) -> Harmonised:
    where = f"groups.{spec.name}"
    needed = sources_of(auxiliary.main_recipes)
    check_columns(((f"{where}.basic", column) for column in needed), tables, job.sources)
    counted = Counted(spec.vital, spec.only, where, column_specs(job))
    keys = tuple(dict.fromkeys((*needed, *spec.places)))
    return _members_left(
        harmonise(
            counted.records(tables, keys, weight=spec.weight),
            auxiliary.main_recipes,
            attributes=spec.basic,
            places=spec.places,
            where=f"{where}.auxiliary.harmonise, main file",
        ),
        f"{where}.auxiliary.harmonise, main file",
    )


def _harmonised_auxiliary(
    job: Job,
    spec: GroupSpec,
    auxiliary: AuxiliarySpec,
    tables: Sequence[Table],
    main: Sequence[Table],
) -> Harmonised:
    where = f"groups.{spec.name}.auxiliary"
    sentences = [auxiliary.vital, *([auxiliary.only] if auxiliary.only else [])]
    needed = sources_of(auxiliary.recipes)
    named = [(f"{where}.vital", column) for s in sentences for column in s.columns]
    named += [(f"{where}.harmonise", column) for column in needed]
    check_columns(named, tables, auxiliary.sources)
    counted = Counted(auxiliary.vital, auxiliary.only, where, column_specs(job))
    same = (auxiliary.vital, auxiliary.only) == (spec.vital, spec.only)
    return _members_left(
        harmonise(
            counted.records(tables, needed, also=main if same else ()),
            auxiliary.recipes,
            attributes=spec.basic,
            where=f"{where}.harmonise, auxiliary file",
        ),
        f"{where}.harmonise, auxiliary file",
    )


def _members_left(file: Harmonised, where: str) -> Harmonised:
    if not file.records.total_members:
        raise JobError(
            f"{where}: the ranges drop every one of {file.members_before:,} members of the group; "
            f"widen them"
        )
    return file


def _check_codes(spec: GroupSpec, agreement: Agreement) -> None:
    """A fuzzy value by codes of which none occurs would never apply."""
    for variable in spec.variables:
        known = agreement.main.records.columns[variable.column].values
        for value in variable.values:
            if (
                value.kind == "is"
                and not variable.numeric
                and not set(value.parameters) & set(known)
            ):
                raise JobError(
                    f"groups.{spec.name}.variables.{variable.column}.{value.name}: none of its "
                    f"codes occurs after harmonisation; write codes as they are then"
                )
