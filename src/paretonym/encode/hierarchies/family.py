"""A poset of partitions: several ways to group one column, not all of them comparable."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paretonym.encode.hierarchies.draft import (
    Draft,
    Label,
    Level,
    SortKey,
    assemble,
    broken_nesting,
    distinct_values,
    repeated,
)
from paretonym.errors import HierarchyError
from paretonym.model.granulation import STAR, Granulation
from paretonym.model.hierarchy import Chain, Family

DraftChain = Callable[[Chain, str, Sequence[str]], Draft]


def build_family(
    spec: Family, column: str, values: Sequence[str], *, missing: bool, draft: DraftChain
) -> Granulation:
    """The first level of each builder, between the raw values and `*`.

    Where a member declares a domain, that domain is everyone's: the other members place its
    values too, occurring or not.
    """
    check_names(spec, column)
    drafts = [draft(member, column, values) for _, member in spec.partitions]
    domain = distinct_values([*values, *(leaf for d in drafts if d.declared for leaf in d.leaves)])
    if len(domain) > len(values):
        drafts = [draft(member, column, domain) for _, member in spec.partitions]
    placed = any(None in d.leaves for d in drafts)
    leaves: tuple[Label, ...] = (*domain, None) if missing or placed else tuple(domain)
    if not leaves:
        raise HierarchyError(
            f"column '{column}': no value occurs, so its partitions have nothing to build on; "
            f"declare the domain with a hierarchy file or drop the column"
        )
    members = [
        Level(name, first_level(part, leaves, f"column '{column}': partition '{name}'"))
        for (name, _), part in zip(spec.partitions, drafts, strict=True)
    ]
    check_order(members, column)
    whole = Draft(
        leaves=leaves,
        levels=(*members, Level(STAR, (STAR,) * len(leaves))),
        keys=natural_keys(drafts),
        declared=any(d.declared for d in drafts),
        missing_added=missing and not placed,
    )
    return assemble(column, whole, longest_chain(whole.levels))


def check_names(spec: Family, column: str) -> None:
    if not spec.partitions:
        raise HierarchyError(
            f"column '{column}': a family needs at least one partition; for none at all use "
            f"hierarchy: suppress"
        )
    names = [name for name, _ in spec.partitions]
    if repeated(names):
        raise HierarchyError(f"column '{column}': two partitions share a name; name each once")
    if len({member for _, member in spec.partitions}) < len(names):
        raise HierarchyError(
            f"column '{column}': two partitions are defined alike; leave one of them out"
        )


def first_level(draft: Draft, leaves: Sequence[Label], where: str) -> tuple[Label, ...]:
    """The labels of the builder's first level, in the family's order of leaves."""
    if not draft.levels:
        raise HierarchyError(
            f"{where}: it has no level above the raw values; the raw values and '*' are always "
            f"there, so leave it out"
        )
    of_leaf = dict(zip(draft.leaves, draft.levels[0].labels, strict=True))
    return tuple(of_leaf.get(leaf) for leaf in leaves)  # a missing value it lacks: its own block


def check_order(members: Sequence[Level], column: str) -> None:
    """Level numbers must ascend from fine to coarse, because the searches walk them so.

    Reordering silently would make the numbers in a script depend on the data.
    """
    for later, fine in enumerate(members):
        for coarse in members[:later]:
            nests = not broken_nesting(fine.labels, coarse.labels)
            if nests and broken_nesting(coarse.labels, fine.labels):
                raise HierarchyError(
                    f"column '{column}': partition '{fine.name}' nests in '{coarse.name}', which "
                    f"stands before it; list the finer one first"
                )


def natural_keys(drafts: Sequence[Draft]) -> dict[str, SortKey] | None:
    """The order of the first member that has one: all leaves are known to every member."""
    for draft in drafts:
        if draft.keys is not None:
            return dict(draft.keys)
    return None


def longest_chain(levels: Sequence[Level]) -> list[Level]:
    """The most levels that nest in each other; only their blocks can all be contiguous.

    Levels are listed fine before coarse, so one pass extends the best chain ending at each.
    """
    best: list[list[Level]] = []
    for number, level in enumerate(levels):
        below = [
            chain
            for chain, finer in zip(best, levels[:number], strict=True)
            if not broken_nesting(finer.labels, level.labels)
        ]
        best.append([*max(below, key=len, default=[]), level])
    return max(best, key=len)
