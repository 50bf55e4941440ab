"""From a specification and the values that occur to a Granulation."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.encode.hierarchies.dates import draft_dates
from paretonym.encode.hierarchies.draft import (
    Draft,
    assemble,
    distinct_values,
    plural,
    with_missing,
    with_top,
)
from paretonym.encode.hierarchies.family import build_family
from paretonym.encode.hierarchies.files import check_closed, draft_file
from paretonym.encode.hierarchies.groups import draft_groups, draft_ordered_groups
from paretonym.encode.hierarchies.intervals import draft_intervals
from paretonym.encode.hierarchies.mask import draft_mask
from paretonym.errors import HierarchyError
from paretonym.model.granulation import Granulation
from paretonym.model.hierarchy import (
    Chain,
    Dates,
    Family,
    FromFile,
    Groups,
    HierarchySpec,
    Intervals,
    Mask,
    OrderedGroups,
)


def build(spec: HierarchySpec, column: str, observed: Sequence[str | None]) -> Granulation:
    """The hierarchy of one column; None among `observed` is the missing value.

    A file, groups or a stated order declare their domain, whether a value occurs or not;
    every other builder takes the observed values.
    """
    values = distinct_values(observed)
    missing = any(value is None for value in observed)
    if isinstance(spec, Family):
        return build_family(spec, column, values, missing=missing, draft=draft_chain)
    draft = draft_chain(spec, column, values)
    if missing:
        draft = with_missing(draft)
    if not draft.leaves:
        raise HierarchyError(
            f"column '{column}': no value occurs, so its hierarchy has nothing to build on; "
            f"declare the domain with a hierarchy file or drop the column"
        )
    if isinstance(spec, FromFile) and not spec.open_top:
        check_closed(spec, column, draft)
    return assemble(column, with_top(draft))


def draft_chain(spec: Chain, column: str, values: Sequence[str]) -> Draft:
    """The levels of one builder, checked to cover every observed value."""
    match spec:
        case FromFile():
            draft = draft_file(spec, column)
        case Groups():
            draft = draft_groups(spec, column, values)
        case OrderedGroups():
            draft = draft_ordered_groups(spec, column)
        case Intervals():
            return draft_intervals(spec, column, values)
        case Dates():
            return draft_dates(spec, column, values)
        case Mask():
            return draft_mask(spec, column, values)
        case _:
            return Draft(leaves=tuple(values), levels=())
    check_covered(spec, column, draft, values)
    return draft


def check_covered(spec: Chain, column: str, draft: Draft, values: Sequence[str]) -> None:
    """A declared domain must hold every value that occurs."""
    known = set(draft.leaves)
    absent = [value for value in values if value not in known]
    if not absent:
        return
    where = f"{spec.path}: " if isinstance(spec, FromFile) else ""
    blanks = sum(1 for value in absent if value.strip() in known)
    hint = f" ({blanks} would match without blanks at their ends)" if blanks else ""
    raise HierarchyError(
        f"column '{column}': {where}{plural(len(absent), 'value')} of the column "
        f"{'is' if len(absent) == 1 else 'are'} not among the {len(draft.leaves)} the hierarchy "
        f"declares{hint}; add a row for each"
    )
