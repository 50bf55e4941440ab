"""The rows of a job's table as the protection of its groups sees them: codes, flags, places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.errors import JobError
from paretonym.groups.harmonise import sources_of
from paretonym.groups.records import MEMBERS, SEEN, Column, Records, chained, key_column
from paretonym.model.arrays import Codes, Flags, Pairs
from paretonym.model.group import GroupSpec
from paretonym.model.job import Job
from paretonym.model.logic.predicate import AllOf, Predicate
from paretonym.model.protect import Influence, ProtectSpec
from paretonym.pipeline.grouping import Counted, check_columns, column_specs, opened
from paretonym.pipeline.meanings import compiled, domains_of
from paretonym.tables import Table

UNTOUCHED = "untouched"


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Every row of the table, file after file, numbered from 0."""

    columns: Mapping[str, Column]
    flags: Mapping[tuple[str, str], Flags]  # group, and seen, members or untouched
    conditions: Mapping[tuple[str, str], Predicate]
    fingerprint: str

    @property
    def count(self) -> int:
        return len(next(iter(self.columns.values())).codes)

    def records(self, names: Sequence[str], at: Flags, member: Flags) -> Records:
        """Some rows, each as a combination of its own."""
        rows = np.flatnonzero(at)
        ones = np.ones(len(rows), np.int64)
        inside = member[rows].astype(np.int64)
        columns = {name: self.columns[name] for name in names}
        return Records(
            {name: Column(c.values, c.codes[rows]) for name, c in columns.items()},
            ones, inside, ones.astype(np.float64), inside.astype(np.float64),
        )  # fmt: skip

    def swapped(self, pairs: Pairs, places: Sequence[str]) -> Rows:
        """The same rows after the places of each pair were exchanged."""
        columns = dict(self.columns)
        for name in places:
            codes: Codes = columns[name].codes.copy()
            codes[pairs] = codes[pairs[:, ::-1]]
            columns[name] = Column(columns[name].values, codes)
        return Rows(columns, self.flags, self.conditions, self.fingerprint)


def influences(spec: GroupSpec, protect: ProtectSpec) -> tuple[Influence, ...]:
    """As the job says, else the columns behind the basic attributes, each counting 1."""
    if protect.influential:
        return protect.influential
    if spec.auxiliary is None:
        names = spec.basic
    else:
        used = [r for r in spec.auxiliary.main_recipes if r.name in spec.basic]
        names = sources_of(used)
    if not names:
        raise JobError(
            f"groups.{spec.name}.protect.influential: say which columns should change little, for "
            f"example influential: [age, sex]"
        )
    return tuple(Influence(name) for name in names)


def read_rows(job: Job, groups: Sequence[GroupSpec]) -> Rows:
    """What the groups that are protected need of the table."""
    named = [(where, column) for spec in groups for where, column in _named(spec)]
    with opened(job.sources) as tables:
        check_columns(named, tables, job.sources)
        conditions = {
            key: one for spec in groups for key, one in _conditions(job, spec, tables).items()
        }
        columns = tuple(dict.fromkeys(column for _, column in named))
        asked = {f"{number}": one for number, one in enumerate(conditions.values())}
        parts = [table.records(columns, seen=AllOf(()), predicates=asked) for table in tables]
        fingerprint = "+".join(table.fingerprint for table in tables)
    flags = {
        key: np.concatenate([part[f"is:{number}"].to_numpy() for part in parts]) == 1
        for number, key in enumerate(conditions)
    }
    made = {name: chained([key_column(part[f"key:{name}"]) for part in parts]) for name in columns}
    return Rows(made, flags, conditions, fingerprint)


def _named(spec: GroupSpec) -> list[tuple[str, str]]:
    """Columns whose values are needed, and the places of the job that name them."""
    where = f"groups.{spec.name}"
    protect = spec.protect or ProtectSpec()
    found = [(f"{where}.parameter", name) for name in spec.places]
    found += [(f"{where}.protect.influential", i.column) for i in influences(spec, protect)]
    for margin in protect.keep_margins:
        found += [(f"{where}.protect.keep_margins", name) for name in margin.columns]
    if spec.auxiliary is not None:
        needed = sources_of(spec.auxiliary.main_recipes)
        found += [(f"{where}.basic", name) for name in needed]
    return found


def _conditions(
    job: Job, spec: GroupSpec, tables: Sequence[Table]
) -> dict[tuple[str, str], Predicate]:
    where, specs = f"groups.{spec.name}", column_specs(job)
    sentences = [spec.vital, *(one for one in (spec.only,) if one is not None)]
    untouched = spec.protect.untouched if spec.protect else None
    sentences += [untouched] if untouched is not None else []
    check_columns(
        ((where, column) for one in sentences for column in one.columns), tables, job.sources
    )
    both = Counted(spec.vital, spec.only, where, specs).conditions(tables)
    found = {(spec.name, SEEN): both[SEEN], (spec.name, MEMBERS): both[MEMBERS]}
    if untouched is not None:
        domains = domains_of(untouched, tables, specs)
        place = f"{where}.protect.untouched"
        found[spec.name, UNTOUCHED] = compiled(place, untouched, domains)
    return found
