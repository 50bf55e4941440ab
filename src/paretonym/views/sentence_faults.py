"""What is wrong with a job's sentences that only its table can tell, before any work starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from paretonym.errors import Fault, ParetonymError
from paretonym.model.granulation import Granulation
from paretonym.model.job import Job, SecretSpec
from paretonym.model.schema import Role
from paretonym.pipeline.grouping import main_records
from paretonym.pipeline.meanings import observed
from paretonym.pipeline.open_job import granulation_of
from paretonym.pipeline.secrets_of import compile_rule, domains_of_rules
from paretonym.tables import Table

Path = tuple[str | int, ...]  # to a place in the job
Attempt = tuple[Path, Callable[[], object]]


def sentence_faults(job: Job, table: Table) -> list[Fault]:
    """Of every rule and every group, such as a value that does not occur."""
    return [
        fault
        for path, attempt in (*_rules(job, table), *_groups(job, table))
        for fault in _faults(path, attempt)
    ]


def _rules(job: Job, table: Table) -> Iterator[Attempt]:
    for number, rule in enumerate(job.confidential):
        yield ("confidential", number), partial(_compile, job, number, rule, table)


def _compile(job: Job, number: int, rule: SecretSpec, table: Table) -> None:
    alone = replace(job, confidential=(rule,))
    domains = domains_of_rules(alone, table, _granulations(alone, table))
    compile_rule(number + 1, rule, domains)


def _granulations(job: Job, table: Table) -> list[Granulation]:
    """Of the columns that conditions name: a hierarchy may declare values that do not occur."""
    named = {c for rule in job.confidential if rule.condition for c in rule.condition.columns}
    return [
        granulation_of(column, list(observed([table], column.name)))
        for column in job.columns
        if column.name in named and Role.QUASI in column.roles
    ]


def _groups(job: Job, table: Table) -> Iterator[Attempt]:
    """Of a job whose table is one file; with several, counting finds it out."""
    for group in job.groups if len(job.sources) == 1 else ():
        yield ("groups", group.name), partial(main_records, job, group, [table])


def _faults(path: Path, attempt: Callable[[], object]) -> list[Fault]:
    try:
        attempt()
    except ParetonymError as error:
        return [Fault(str(error), path=path)]
    return []
