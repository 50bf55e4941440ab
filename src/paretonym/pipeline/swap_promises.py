"""What swaps promise, told in raw values: the checker of a release needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.groups.attackers import RuleModel
from paretonym.groups.fuzzy import memberships
from paretonym.groups.harmonise import recoded
from paretonym.groups.protection import GroupProtection, ProtectionStage
from paretonym.groups.records import MEMBERS, SEEN, Column, Records, distinct
from paretonym.model.arrays import Flags
from paretonym.model.fuzzy import Variable
from paretonym.model.group import GroupSpec, Recipe
from paretonym.model.swap import (
    Graded,
    GradedAttribute,
    GroupPromise,
    Margin,
    Member,
    Swaps,
)
from paretonym.pipeline.group_rows import Rows
from paretonym.pipeline.protecting import Protection, standing


def swaps_of(made: Protection) -> Swaps:
    """The swaps of a table with everything that is to be recomputed."""
    margins = {
        tuple(dict.fromkeys((*group.spec.places, *margin.columns)))
        for group in made.groups
        if group.spec.protect is not None
        for margin in group.spec.protect.keep_margins
        if not margin.within
    }
    return Swaps(
        columns=made.columns,
        pairs=tuple((int(one), int(other)) for one, other in made.pairs),
        fingerprint=made.before.fingerprint,
        rows=made.before.count,
        promises=tuple(
            _promise(made, group, stage) for group in made.groups for stage in group.stages
        ),
        margins=tuple(Margin(columns) for columns in sorted(margins)),
    )


def _promise(made: Protection, group: GroupProtection, stage: ProtectionStage) -> GroupPromise:
    spec, conditions = group.spec, made.before.conditions
    rule = spec.outliers
    return GroupPromise(
        group=spec.name if stage.model is None else f"{spec.name}, as the rules tell it",
        parameter=spec.parameter,
        region=spec.region,
        only=conditions[spec.name, SEEN] if spec.only is not None else None,
        member=_member(made.before, spec, stage),
        signal=rule.signal,
        alpha=str(rule.alpha),
        side=rule.side,
        ignore=rule.ignore,
        smallest_area=spec.smallest_area,
        outliers_before=standing(made.before, spec, stage.member),
        outliers_after=standing(made.after, spec, stage.member),
    )


def _member(rows: Rows, spec: GroupSpec, stage: ProtectionStage) -> Member:
    if stage.model is None or spec.auxiliary is None:
        return rows.conditions[spec.name, MEMBERS]
    return _graded(rows, spec, spec.auxiliary.main_recipes, stage.model)


def _graded(rows: Rows, spec: GroupSpec, recipes: Sequence[Recipe], model: RuleModel) -> Graded:
    """The rules over raw cells; attributes that only drop records say nothing else."""
    variables = {variable.column: variable for variable in model.variables}
    seen = rows.flags[spec.name, SEEN]
    names = [v.column for v in model.variables]
    ordered = sorted(recipes, key=lambda r: names.index(r.name) if r.name in names else len(names))
    attributes = tuple(_attribute(rows, seen, r, variables.get(r.name)) for r in ordered)
    idle = (0,) * (len(attributes) - len(names))
    rules = tuple((*rule.values, *idle) for rule in model.rules)
    return Graded(attributes, rules, model.cut)


def _attribute(
    rows: Rows, seen: Flags, recipe: Recipe, variable: Variable | None
) -> GradedAttribute:
    """Cells that occur and stay within the range, with their grades."""
    at = np.flatnonzero(seen)
    columns = [Column(c.values, c.codes[at]) for c in (rows.columns[n] for n in recipe.columns)]
    first, _ = distinct(columns, len(at))
    once = {n: Column(c.values, c.codes[first])
            for n, c in zip(recipe.columns, columns, strict=True)}  # fmt: skip
    ones = np.ones(len(first), np.int64)
    many = ones.astype(np.float64)
    made, kept, _ = recoded(Records(once, ones, ones, many, many), [recipe], recipe.name)
    column = made[recipe.name]
    grades = (
        np.ones((2, len(column.values)))
        if variable is None
        else memberships(variable, column.values)
    )
    cells = zip(*([c.values[code] for code in c.codes] for c in once.values()), strict=True)
    found = {
        tuple(texts): tuple(float(grade) for grade in grades[1:, code])
        for texts, code, stays in zip(cells, column.codes, kept, strict=True)
        if stays
    }
    return GradedAttribute(recipe.name, recipe.columns, found)
