"""From a chosen candidate to a release on disk that has been recomputed from its own file."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from paretonym.decide import pick
from paretonym.encode.statistics import with_statistics
from paretonym.errors import CancelledError, InfeasibleError, JobError
from paretonym.lattice.lattice import Node
from paretonym.measures import ClassTable
from paretonym.model.arrays import Array
from paretonym.model.candidate import Candidate
from paretonym.model.front import Front
from paretonym.model.granulation import Granulation, level_name
from paretonym.model.hierarchy import HierarchySpec, rule_to_json
from paretonym.model.measure_info import info_of
from paretonym.model.plan import Plan, steps_of
from paretonym.model.secret import Secrecy
from paretonym.model.steps import Recode, Suppress
from paretonym.pipeline.assembly import Draft, Output, publish_draft
from paretonym.pipeline.fronts import front_of, in_full, score_of
from paretonym.pipeline.node_detail import published_detail
from paretonym.pipeline.open_job import OpenJob
from paretonym.pipeline.release_details import extra_facts
from paretonym.publishing import Publication
from paretonym.publishing.verify import Watch, unwatched


@dataclass(frozen=True, slots=True)
class Point:
    """Which release is wanted: a point picked from the front, or levels named by hand."""

    pick: str | None = None
    levels: Mapping[str, int] | None = None
    suppress_below: int | None = None

    def __post_init__(self) -> None:
        if (self.pick is None) == (self.levels is None):
            raise JobError("give either levels or pick, for example pick='k>=5'")
        if self.pick is not None and self.suppress_below is not None:
            raise JobError("suppress_below goes with levels; a picked point has its own threshold")


def _untold(_entry: Candidate) -> None:
    """Nobody asks which point was picked."""


def release_point(
    opened: OpenJob,
    point: Point,
    *,
    output: Output,
    found: Front | None = None,
    search: Callable[[], Front] | None = None,
    picked: Callable[[Candidate], None] = _untold,
    watch: Watch = unwatched,
) -> Publication:
    """Take the front or find it, pick a point of it or take the levels named, and release that.

    Commands, browser and Python come here. `found` is a front that is known already; without one
    `search` finds it where a point is to be picked. `picked` hears which one it is.
    """
    if point.pick is None:
        node = opened.lattice.node_of(point.levels or {})
        chosen = score_of(opened, node, suppress_below=point.suppress_below)
    else:
        found = found or (search or (lambda: front_of(opened)))()
        if found.interrupted:
            raise CancelledError("stopped; nothing was released")
        chosen = pick(found, point.pick)
        picked(chosen)
    return release_node(opened, chosen, output=output, watch=watch, found=found)


def release_node(
    opened: OpenJob,
    candidate: Candidate,
    *,
    output: Output,
    watch: Watch = unwatched,
    found: Front | None = None,
) -> Publication:
    """Apply a candidate, write, read back, recompute; raises when a promise fails.

    `found` is the front that it was picked from, if it was: the internal report tells
    whether it is complete.
    """
    chosen, node = in_full(opened, candidate), opened.lattice.node_of(candidate.levels)
    if not chosen.feasible:
        raise InfeasibleError(
            f"the levels {_shown(chosen.levels)} do not meet the job's requirements with at most "
            f"{opened.limit} suppressed rows; choose coarser levels or a node of the front"
        )
    evaluator = opened.evaluator()
    classes, kept = evaluator.released(node, chosen.suppress_below)
    plan = plan_of(opened, node, chosen.suppress_below, classes, kept)
    told = extra_facts(opened, node, classes, kept, chosen, found)
    draft = Draft(
        source=opened.job.source,
        plan=plan,
        gone=left_out(opened, node, classes, kept, plan),
        levels=chosen.levels,
        values=chosen.values,
        suppressed=chosen.suppressed,
        input_rows=opened.histogram.rows,
        classes=chosen.classes,
        require=tuple(required.bound for required in opened.require),
        detail=published_detail(opened, classes, kept),
        job_digest=opened.job.digest,
        seed=opened.job.search.seed,
    )
    return publish_draft(
        opened.table,
        draft,
        output,
        extra=replace(told, secrecy=plan.secrecy, swaps=plan.swaps, steps=plan.says()),
        about=opened.job.about,
        watch=watch,
    )


def _shown(levels: Mapping[str, int]) -> str:
    return ", ".join(f"{column}={level}" for column, level in levels.items())


def plan_of(
    opened: OpenJob, node: Node, suppress_below: int, classes: ClassTable, kept: Array
) -> Plan:
    """The frozen recoding of a node, columns in the table's order."""
    made = {
        granulation.column: _recode(opened, granulation, node[position], classes, kept)
        for position, granulation in enumerate(opened.lattice.granulations)
    }
    class_wise = tuple(
        r.bound for r in opened.require if r.measure.class_wise and r.measure.name != "k"
    )
    suppress = Suppress(suppress_below, class_wise, opened.limit)
    recodes = [made[name] for name in opened.schema.quasi]
    return Plan(
        schema=opened.schema,
        missing=opened.job.source.missing,
        steps=steps_of(opened.schema, recodes, suppress, swaps=opened.job.swaps),
        fingerprint=opened.table.fingerprint,
        rows=opened.histogram.rows,
        delimiter=opened.job.source.delimiter,
        encoding=opened.job.source.encoding,
        names=opened.job.source.names,
        salt=secrets.token_hex(16),
        secrecy=_secrecy(opened),
        observed=opened.job.security.domain == "observed",
        about=opened.job.about,
    )


def _secrecy(opened: OpenJob) -> Secrecy:
    """The rules as they were compiled, and what the job requires of them."""
    if not opened.secrets:
        return Secrecy()
    named = {column for secret in opened.secrets for column in secret.columns}
    return Secrecy(
        secrets=opened.secrets,
        at_risk=opened.job.security.at_risk,
        require=tuple(
            r.bound
            for r in opened.require
            if (info := info_of(r.measure.name)) and info.needs_rules
        ),
        numbers={
            c.name: c.decimal_comma for c in opened.job.columns if c.numeric and c.name in named
        },
    )


def _recode(
    opened: OpenJob, granulation: Granulation, level: int, classes: ClassTable, kept: Array
) -> Recode:
    """The step of one column; statistics are taken over released rows alone."""
    column = next(c for c in opened.job.columns if c.name == granulation.column)
    recode = recode_of(granulation, level, column.hierarchy)
    if column.write == "label" or level == 0:  # at level 0 every value stands for itself
        return recode
    position = opened.lattice.columns.index(granulation.column)
    released = np.where(kept[classes.class_of], opened.histogram.sizes, 0)
    leaves = opened.histogram.codes[:, position]
    counts = np.bincount(leaves, weights=released, minlength=len(granulation.leaves))
    return with_statistics(
        recode,
        granulation,
        counts.astype(np.int64),
        way=column.write,
        order=column.order,
        missing=opened.job.source.missing,
    )


def recode_of(granulation: Granulation, level: int, rule: HierarchySpec | None) -> Recode:
    partition = granulation.partitions[level]
    labels = [partition.labels[block] for block in partition.block_of]
    return Recode(
        column=granulation.column,
        level=level,
        partition=level_name(granulation, level),
        labels=dict(zip(granulation.leaves, labels, strict=True)),
        leaves=dict(
            zip(partition.labels, (int(n) for n in partition.leaves_per_block), strict=True)
        ),
        domain=len(granulation.leaves),
        hierarchy=granulation.digest,
        rule=rule if rule_to_json(rule) else None,  # a list of values is no rule
    )


def left_out(opened: OpenJob, node: Node, classes: ClassTable, kept: Array, plan: Plan) -> pa.Table:
    """What the classes that are left out would show, each combination once."""
    gone = classes.blocks[~kept]
    recodes = {recode.column: recode for recode in plan.recodes}
    columns = {}
    for position, granulation in enumerate(opened.lattice.granulations):
        labels = granulation.partitions[node[position]].labels
        shown = [recodes[granulation.column].shown(label) for label in labels]
        texts = [shown[block] for block in gone[:, position]]
        columns[granulation.column] = pa.array(texts, pa.string())
    named = pa.table({name: columns[name] for name in opened.schema.quasi})
    # blocks without a released row all show the same, and a join meets every repetition
    return named.group_by(list(opened.schema.quasi), use_threads=False).aggregate([])
