"""Values of a later file that the plan's own file did not hold, and the labels they get."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from paretonym.encode.hierarchies import build
from paretonym.errors import HierarchyError
from paretonym.model.granulation import STAR
from paretonym.model.plan import Plan
from paretonym.model.steps import UNLISTED, Recode
from paretonym.tables import Table

_ONE_BY_ONE = 200  # new values tried one at a time when some of them cannot be read


@dataclass(frozen=True, slots=True)
class News:
    """Values of a later file that the plan's own file did not hold, by column."""

    recoded: Mapping[str, int]  # the hierarchy's rule labels them
    unknown: Mapping[str, int]


def extended(plan: Plan, table: Table) -> tuple[tuple[Recode, ...], News]:
    """Recodes for every value of the table; unknown ones get a label that is never released.

    What a rule labels joins the domain: it may be the first value under its label.
    """
    recodes, recoded, unknown = [], {}, {}
    for recode in map(_frozen, plan.recodes):
        values = table.values_of(recode.column)["value"].to_pylist()
        new = [value for value in values if recode.labels.get(value, UNLISTED) == UNLISTED]
        ruled = _by_rule(recode, new)
        labels = {**recode.labels, **{value: ruled.get(value, UNLISTED) for value in new}}
        if ruled:
            recoded[recode.column] = len(ruled)
        if len(ruled) < len(new):
            unknown[recode.column] = len(new) - len(ruled)
        leaves = Counter(recode.leaves) + Counter(ruled.values())
        domain = recode.domain + len(ruled)
        recodes.append(replace(recode, labels=labels, leaves=dict(leaves), domain=domain))
    return tuple(recodes), News(recoded, unknown)


def _frozen(recode: Recode) -> Recode:
    """Statistics stay those of the table that the plan was made on."""
    if recode.written is None:
        return recode
    return replace(recode, written=replace(recode.written, frozen=True))


def _by_rule(recode: Recode, new: Sequence[str | None]) -> dict[str | None, str | None]:
    """Labels of new values, where the hierarchy is a rule and not a list.

    A column released as `*` tells nothing of any value, whatever its hierarchy; a statistic
    speaks of the values that it was taken from, and of no others.
    """
    if recode.written is not None:
        return {}
    if set(recode.labels.values()) == {STAR}:
        return dict.fromkeys(new, STAR)
    if recode.rule is None or not new:
        return {}
    if None in new:  # a missing value is a category of its own, with no label to go by
        return _by_rule(recode, [value for value in new if value is not None])
    found = _ruled(recode, new)
    if found is not None:
        return found
    if len(new) > _ONE_BY_ONE:
        return {}
    alone = (_ruled(recode, [value]) for value in new)
    return {value: label for one in alone if one for value, label in one.items()}


def _ruled(recode: Recode, new: Sequence[str | None]) -> dict[str | None, str | None] | None:
    """None when the rule cannot read a value, or would label the known ones differently."""
    assert recode.rule is not None  # noqa: S101
    try:
        granulation = build(recode.rule, recode.column, [*recode.labels, *new])
    except HierarchyError:
        return None
    for partition in granulation.partitions:
        if partition.name != recode.partition:
            continue
        shown = (partition.labels[block] for block in partition.block_of)
        labels = dict(zip(granulation.leaves, shown, strict=True))
        if all(labels[value] == label for value, label in recode.labels.items()):
            return {value: labels[value] for value in new}
    return None
