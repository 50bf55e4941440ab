"""Groups stated in the job: named ones, and runs of an ordered list."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from paretonym.encode.hierarchies.draft import Draft, Level, plural, repeated
from paretonym.errors import HierarchyError
from paretonym.model.hierarchy import Groups, OrderedGroups

GroupLevel = tuple[tuple[str, tuple[str, ...]], ...]


def draft_groups(spec: Groups, column: str, values: Sequence[str]) -> Draft:
    """The first level groups values; each further one groups the labels below it.

    The domain is every member of the first level, and with `other` every value beside; an empty
    member is the missing value.
    """
    if not spec.levels:
        raise HierarchyError(f"column '{column}': groups need at least one level")
    where = f"column '{column}': groups, level 1"
    parent = group_of_member(spec.levels[0], where)
    names = set(parent.values())
    if spec.other is not None:
        check_other(spec.other, names, where)
        names.add(spec.other)  # even where no value is left for it: levels must not depend on that
        parent |= {value: spec.other for value in values if value not in parent}
    levels = [Level("groups 1", tuple(parent.values()))]
    for number, groups in enumerate(spec.levels[1:], start=2):
        where = f"column '{column}': groups, level {number}"
        above = group_of_member(groups, where)
        check_same_labels(above, names, where)
        names = set(above.values())
        labels = tuple(above[label] for label in levels[-1].labels if label is not None)
        levels.append(Level(f"groups {number}", labels))
    leaves = tuple(member or None for member in parent)
    return Draft(leaves=leaves, levels=tuple(levels), declared=True, open_top=spec.open_top)


def check_other(label: str, names: Collection[str], where: str) -> None:
    if not label:
        raise HierarchyError(f"{where}: other has an empty label, which would read as missing")
    if label in names:
        raise HierarchyError(
            f"{where}: the label of other is also the name of a group; give it another one"
        )


def group_of_member(groups: GroupLevel, where: str) -> dict[str, str]:
    """Member -> name of its group, each in one group only."""
    names = [name for name, _ in groups]
    if repeated(names):
        raise HierarchyError(
            f"{where}: {plural(repeated(names), 'group name')} used twice; name each group once"
        )
    if "" in names:
        raise HierarchyError(f"{where}: a group has an empty name, which would read as missing")
    empty = [number for number, (_, members) in enumerate(groups, start=1) if not members]
    if empty or not groups:
        which = f"group {empty[0]} has" if empty else "there are"
        raise HierarchyError(f"{where}: {which} no members; list at least one")
    members = [member for _, inside in groups for member in inside]
    if repeated(members):
        raise HierarchyError(
            f"{where}: {plural(repeated(members), 'member')} listed more than once; keep each in "
            f"one group only"
        )
    return {member: name for name, inside in groups for member in inside}


def check_same_labels(parent: Mapping[str, str], below: Collection[str], where: str) -> None:
    """A higher level groups exactly the groups of the level below."""
    left_out = set(below) - set(parent)
    unknown = set(parent) - set(below)
    if left_out:
        raise HierarchyError(
            f"{where}: {plural(len(left_out), 'group')} of the level below "
            f"{'is' if len(left_out) == 1 else 'are'} in none of its groups; add each to one"
        )
    if unknown:
        raise HierarchyError(
            f"{where}: {plural(len(unknown), 'member')} named no group of the level below; a "
            f"level above the first groups those names, not values"
        )


def draft_ordered_groups(spec: OrderedGroups, column: str) -> Draft:
    """Runs of neighbours in the stated order, labelled by their first and last value."""
    check_ordered_groups(spec, column)
    levels = []
    for size in spec.sizes:
        labels: list[str] = []
        for start in range(0, len(spec.order), size):
            run = spec.order[start : start + size]
            label = run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}"
            labels.extend([label] * len(run))
        if len(set(labels)) != -(-len(spec.order) // size):
            raise HierarchyError(
                f"column '{column}': two runs of {size} would get the same label, because values "
                f"hold the word 'to'; use a hierarchy file, which states its labels"
            )
        levels.append(Level(f"runs of {size}", tuple(labels)))
    places = {value: place for place, value in enumerate(spec.order)}
    return Draft(leaves=spec.order, levels=tuple(levels), keys=places, declared=True)


def check_ordered_groups(spec: OrderedGroups, column: str) -> None:
    if not spec.order or not spec.sizes:
        what = "order" if not spec.order else "sizes"
        raise HierarchyError(f"column '{column}': ordered groups need a list of {what}")
    if "" in spec.order:
        raise HierarchyError(
            f"column '{column}': the order holds an empty value; leave it out, missing values "
            f"are added by themselves"
        )
    if repeated(spec.order):
        raise HierarchyError(
            f"column '{column}': {plural(repeated(spec.order), 'value')} of the order listed more "
            f"than once; list each once"
        )
    if spec.sizes[0] < 2:
        raise HierarchyError(
            f"column '{column}': group sizes start at 2 (level 0 keeps each value apart), and the "
            f"first is {spec.sizes[0]}"
        )
    for small, large in pairwise(spec.sizes):
        if large <= small or large % small:
            raise HierarchyError(
                f"column '{column}': group sizes must ascend and each divide the next, and "
                f"{large} follows {small}; use multiples such as {2 * small}"
            )
