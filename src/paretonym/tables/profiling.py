"""What a column looks like, from counts alone."""

from __future__ import annotations

from typing import Any

from paretonym.model.source import ColumnProfile
from paretonym.tables import sql
from paretonym.tables.carriers import Field


def profile_of(field: Field, type_name: str, counts: tuple[Any, ...]) -> ColumnProfile:
    """`counts` is the row that `sql.profile` asks for."""
    rows, missing, distinct, alone, shortest, longest, *matched = counts
    shapes = dict(zip(sql.REGEXES, matched, strict=True))
    return ColumnProfile(
        name=field.name,
        type=type_name,
        rows=rows,
        missing=missing,
        distinct=distinct,
        looks_like=_looks_like(shapes, distinct, fixed_width=shortest == longest),
        shortest=shortest or 0,
        longest=longest or 0,
        alone=alone,
    )


def _looks_like(shapes: dict[str, int], distinct: int, *, fixed_width: bool) -> str:
    """The first shape that every distinct value has; `shapes` counts the values of each."""
    if not distinct:
        return "text"
    for shape in ("integer", "decimal", "date"):
        if shapes[shape] == distinct:
            return shape
    # digits that are not all integers have a leading zero somewhere
    if shapes["digits"] == distinct or (fixed_width and shapes["mark"] == distinct):
        return "code"
    return "text"
