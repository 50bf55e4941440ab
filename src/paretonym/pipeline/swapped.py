"""A release that swaps records and does nothing else: for jobs of groups that have no columns.

Every column passes as it is but those that are removed. There are no quasi-identifiers, so that
all rows are one class; what is promised, and recomputed, is what the swaps say of their groups.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

import pyarrow as pa

from paretonym.errors import JobError, nearest
from paretonym.model.group import GroupSpec
from paretonym.model.job import About
from paretonym.model.plan import Plan, steps_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.source import TableSource
from paretonym.model.steps import Suppress
from paretonym.model.swap import Swaps
from paretonym.pipeline.assembly import Draft, Output, publish_draft
from paretonym.publishing import Publication
from paretonym.report import ReleaseExtra
from paretonym.tables import Table, open_table

CAUTION = (
    "only the whereabouts of the group were treated. The job states no roles of columns, so that "
    "nothing is promised about single persons: a column may be nearly unique, or point at a "
    "household, and nobody has looked. Add columns and objectives to the job to release with k"
)


def publish_swapped(
    source: TableSource,
    swaps: Swaps,
    drop: Sequence[str],
    output: Output,
    *,
    job_digest: str = "",
    seed: int | None = None,
    notes: Sequence[str] = (),
    groups: Sequence[tuple[GroupSpec, tuple[str, ...]]] = (),
    sections: Callable[[], str] | None = None,
    about: About | None = None,
) -> Publication:
    """Swap, drop, write, read back and recompute; raises when a promise does not hold.

    What is dropped gives a group away and names nobody: its values, codes for the most part, stand
    in other columns as well, so that they are not searched for. `groups` are those whose protection
    made the swaps, with the adversaries who tried. `sections` makes HTML for the internal report,
    which stands there as it is.
    """
    with open_table(source, swaps=swaps) as table:
        plan = _plan(source, swaps, _schema(table, swaps, drop), table)
        draft = Draft(
            source=source,
            plan=plan,
            gone=pa.table({}),
            levels={},
            values={"k": plan.rows, "suppressed": 0},
            suppressed=0,
            input_rows=plan.rows,
            classes=1,
            job_digest=job_digest,
            seed=seed,
        )
        extra = ReleaseExtra(
            omitted=plan.schema.dropped,
            notes=(f"TAKE CARE: {CAUTION}", *notes),
            swaps=swaps,
            steps=plan.says(),
            groups=groups,
            sections=sections() if sections else "",
        )
        return publish_draft(table, draft, output, extra=extra, about=about)


def _schema(table: Table, swaps: Swaps, drop: Sequence[str]) -> Schema:
    for name in drop:
        if name not in table.names:
            raise JobError(
                f"remove: the table has no column '{name}'{nearest(name, list(table.names))}"
            )
        if name in swaps.columns:
            raise JobError(f"remove: column '{name}' is exchanged by the swaps; leave it in")
    if len(set(drop)) == len(table.names):
        raise JobError("remove: every column of the table is removed; nothing would be released")
    passes, goes = frozenset({Role.INSENSITIVE}), frozenset({Role.OMITTED})
    return Schema.of(Column(name, goes if name in drop else passes) for name in table.names)


def _plan(source: TableSource, swaps: Swaps, schema: Schema, table: Table) -> Plan:
    return Plan(
        schema=schema,
        missing=source.missing,
        steps=steps_of(schema, (), Suppress(below=0), swaps=swaps),
        fingerprint=table.fingerprint,
        rows=table.rows(),
        delimiter=source.delimiter,
        encoding=source.encoding,
        names=source.names,
        salt=secrets.token_hex(16),
    )
