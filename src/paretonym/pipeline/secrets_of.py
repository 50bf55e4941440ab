"""A job's confidentiality rules against its table: sentences become conditions on rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paretonym.encode import Histogram
from paretonym.errors import HierarchyError, JobError
from paretonym.measures.rules import Confidential
from paretonym.model.granulation import Granulation
from paretonym.model.job import Job, SecretSpec
from paretonym.model.logic.meaning import Domain
from paretonym.model.logic.truth import always_holds
from paretonym.model.secret import Secret
from paretonym.pipeline.meanings import compiled, observed
from paretonym.tables import Table


def compile_secrets(
    job: Job, table: Table, granulations: Sequence[Granulation]
) -> tuple[Secret, ...]:
    """Every rule of the job; one that could never be kept is an error that names it."""
    domains = domains_of_rules(job, table, granulations)
    return tuple(
        compile_rule(number, spec, domains) for number, spec in enumerate(job.confidential, 1)
    )


def domains_of_rules(
    job: Job, table: Table, granulations: Sequence[Granulation]
) -> dict[str, Domain]:
    """Values that occur, and those that a hierarchy declares, of the columns in sentences."""
    sentences = [s for spec in job.confidential for s in (spec.say, spec.condition) if s]
    named = dict.fromkeys(column for s in sentences for column in s.columns)
    declared = {g.column: g.leaves for g in granulations}
    specs = {column.name: column for column in job.columns}
    return {
        name: Domain(
            observed([table], name).union(declared.get(name, ())),
            numeric=specs[name].numeric,
            decimal_comma=specs[name].decimal_comma,
        )
        for name in named
    }


def compile_rule(number: int, spec: SecretSpec, domains: Mapping[str, Domain]) -> Secret:
    where = f"confidential, rule {number}"
    sentence = compiled(f"{where}, say", spec.say, domains)
    if always_holds(sentence, domains):
        raise JobError(
            f"{where}: the sentence is true whatever the values of its columns, so it can never "
            f"be kept secret; correct it, or leave the rule out"
        )
    return Secret(
        text=spec.say.text,
        sentence=sentence,
        protects=None
        if spec.condition is None
        else compiled(f"{where}, for", spec.condition, domains),
        condition=None if spec.condition is None else spec.condition.text,
        damage=spec.damage,
        prior=spec.prior,
    )


def idle_rules(secrets: Sequence[Secret], rules: Confidential, histogram: Histogram) -> list[str]:
    """Rules that keep nothing in this table: a slip in a number would look just like that."""
    said = []
    counts = histogram.predicates
    for number, name in enumerate(rules.counts[: len(secrets)]):
        if not counts[name].any():
            said.append(f"rule {number + 1} keeps nothing: no record fulfils its sentence")
        if not any(applies[number] for applies in rules.applies):
            said.append(f"rule {number + 1} protects nobody: no record fulfils its condition")
    return said


def refuse_open_tops(granulations: Sequence[Granulation]) -> None:
    """Security needs a way out: a level at which a column tells nobody apart (attribute-oriented
    granulation, section 2.2).
    """
    for granulation in granulations:
        blocks = granulation.partitions[-1].blocks
        if blocks > 1:
            raise HierarchyError(
                f"column '{granulation.column}': the top level has {blocks} blocks; with "
                f"confidential rules it must be one, so add a last level '*'"
            )
