"""What the internal report of a release tells beside its manifests: before, after, who lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from paretonym.lattice.lattice import Node
from paretonym.measures import ClassTable, Evaluator
from paretonym.model.arrays import Array
from paretonym.model.candidate import Candidate
from paretonym.model.front import Front
from paretonym.model.granulation import Granulation, level_name
from paretonym.model.schema import Role
from paretonym.pipeline.node_facts import (
    distance,
    left_out_combinations,
    losses_of,
    lost_by_value,
    released_by_value,
    sizes_of,
)
from paretonym.pipeline.open_job import OpenJob
from paretonym.report import ReleaseExtra
from paretonym.report.release_extra import ColumnChange, HierarchyApplied, Settings
from paretonym.search.outcome import as_number


def extra_facts(
    opened: OpenJob,
    node: Node,
    classes: ClassTable,
    kept: Array,
    chosen: Candidate,
    found: Front | None = None,
) -> ReleaseExtra:
    """What the internal report shows beside the manifests."""
    granulations = opened.lattice.granulations
    losses = losses_of(opened, classes, kept)
    return ReleaseExtra(
        hierarchies=[_applied(g, level) for g, level in zip(granulations, node, strict=True)],
        changes=[
            *(_recoded(opened, j, classes, kept, losses) for j in range(len(granulations))),
            *_shown_unchanged(opened, classes, kept),
        ],
        suppressed_by_group=lost_by_value(opened, classes, kept, rare=chosen.suppress_below),
        sizes_before=sizes_of(
            ClassTable(opened.histogram, granulations, opened.lattice.finest).size
        ),
        class_sizes=sizes_of(classes.size[kept]),
        before=_unprotected(opened),
        after=chosen.values,
        dropped=opened.schema.identifiers,
        omitted=opened.schema.names(Role.OMITTED),
        reasons=[
            (column.name, reason)
            for column in opened.schema.columns
            for reason in (column.because, column.may_match)
            if reason
        ],
        settings=_settings(opened, found),
        glm_maximum=float(opened.histogram.rows * sum(opened.context.weights)),
    )


def _applied(granulation: Granulation, level: int) -> HierarchyApplied:
    partition = granulation.partitions[level]
    return HierarchyApplied(
        column=granulation.column,
        level=level,
        name=level_name(granulation, level),
        digest=granulation.digest,
        leaves=len(granulation.leaves),
        blocks=partition.blocks,
        declared=granulation.declared,
    )


def _recoded(
    opened: OpenJob, position: int, classes: ClassTable, kept: Array, losses: Mapping[str, float]
) -> ColumnChange:
    """A quasi-identifier; its distributions are compared over the labels that are released."""
    granulation = opened.lattice.granulations[position]
    partition = granulation.partitions[classes.node[position]]
    blocks = classes.blocks[:, position]
    before = np.bincount(blocks, weights=classes.size, minlength=partition.blocks)
    after = np.bincount(blocks[kept], weights=classes.size[kept], minlength=partition.blocks)
    return ColumnChange(
        column=granulation.column,
        values_before=len(np.unique(opened.histogram.codes[:, position])),
        values_after=int(np.count_nonzero(after)),
        moved=distance(before.astype(np.int64), after.astype(np.int64)),
        loss=losses[granulation.column],
    )


def _shown_unchanged(opened: OpenJob, classes: ClassTable, kept: Array) -> list[ColumnChange]:
    """Columns that are counted in every class and come out as they are."""
    changes, gone = [], left_out_combinations(classes, kept)
    for name, column in opened.histogram.counts.items():
        if opened.schema[name].is_quasi:
            continue
        before, after = column.totals, released_by_value(opened, gone, name)
        changes.append(
            ColumnChange(
                name,
                values_before=int(np.count_nonzero(before)),
                values_after=int(np.count_nonzero(after)),
                moved=distance(before, after),
            )
        )
    return changes


def _settings(opened: OpenJob, found: Front | None) -> Settings:
    job = opened.job
    asked = Settings(
        objectives=job.objectives,
        require=tuple(r.bound for r in opened.require),
        limit=opened.limit,
        rule=job.suppression.rule,
        asked=job.search.method,
        budget=None if job.search.budget is None else str(job.search.budget),
    )
    if found is None:
        return asked
    return replace(
        asked,
        used=found.method,
        exact=found.exact,
        evaluated=found.evaluated,
        nodes=found.nodes,
    )


def _unprotected(opened: OpenJob) -> dict[str, float | int]:
    """The table as it came: the finest node, nothing required and nothing suppressed."""
    evaluator = Evaluator(opened.histogram, opened.lattice, opened.every_measure(), opened.context)
    found = evaluator.score(opened.lattice.finest)
    return {m.name: as_number(found.values(m).shown(0)) for m in evaluator.measures}
