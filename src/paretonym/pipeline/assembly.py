"""From a plan and what it leaves out to a release on disk: the one place where it is put together.

A chosen node, a plan on a later file and swaps alone differ in how they come to a draft. How a
draft is written, reported and recomputed stands here.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pyarrow as pa

from paretonym.errors import JobError
from paretonym.model.bound import Bound
from paretonym.model.job import About
from paretonym.model.plan import Plan
from paretonym.model.source import TableSource
from paretonym.publishing import Publication, ReleaseRequest, publish
from paretonym.publishing.manifest import Detail, Number
from paretonym.publishing.verify import Watch, unwatched
from paretonym.publishing.writers import Format
from paretonym.report import ReleaseExtra, internal_release_html, public_release_html
from paretonym.tables import Table


@dataclass(frozen=True, slots=True)
class Output:
    """How the data file is to be written."""

    folder: Path
    format: str = "csv"
    delimiter: str = ","
    neutralise: bool = False

    def __post_init__(self) -> None:
        if self.format not in ("csv", "parquet"):
            raise JobError(f"format (--format): '{self.format}' is not csv or parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is to be released, whatever it was made from."""

    source: TableSource
    plan: Plan
    gone: pa.Table  # what the classes that are left out would show, each combination once
    levels: Mapping[str, int]
    values: Mapping[str, Number]  # as the engine saw them
    suppressed: int
    input_rows: int
    classes: int | None  # that are released, when they were counted
    require: tuple[Bound, ...] = ()
    detail: Mapping[str, Detail] = field(default_factory=dict)
    job_digest: str = ""
    seed: int | None = None


def publish_draft(
    table: Table,
    draft: Draft,
    output: Output,
    *,
    extra: ReleaseExtra,
    about: About | None,
    watch: Watch = unwatched,
) -> Publication:
    """Write, read back and recompute; raises when a promise does not hold."""
    plan = draft.plan
    key = secrets.token_bytes(32)  # the row order owes nothing to any seed
    reader = table.apply(plan.steps, suppress=draft.gone, order_key=key)
    request = ReleaseRequest(
        folder=output.folder,
        source=draft.source,
        plan=plan,
        levels=draft.levels,
        values=draft.values,
        suppressed=draft.suppressed,
        input_rows=draft.input_rows,
        fingerprint=plan.fingerprint if plan.swaps is None else plan.swaps.fingerprint,
        job_digest=draft.job_digest,
        require=draft.require,
        classes=draft.classes,
        detail=draft.detail,
        format=cast(Format, output.format),
        delimiter=output.delimiter,
        neutralise=output.neutralise,
        shuffle_key=key,
        seed=draft.seed,
        accepted=frozenset(c.name for c in plan.schema.columns if c.may_match),
    )
    return publish(
        reader,
        request,
        public_report=lambda public, made: public_release_html(
            public, made.public_checks, about=about, unchecked=made.without_formula
        ),
        internal_report=lambda public, internal, made: internal_release_html(
            public, internal, made, extra=extra, about=about
        ),
        watch=watch,
    )
