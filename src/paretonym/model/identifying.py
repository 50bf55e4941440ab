"""When a column that passes unchanged could point at a person."""

from __future__ import annotations

from paretonym.model.source import ColumnProfile

_NEAR_UNIQUE = 0.9  # share of distinct values from which a column points at single people
_SMALL_GROUPS = 10  # mean rows a value below which it may number households or cases
_MANY_VALUES = 20  # and there are at least this many values


def identifying(profile: ColumnProfile) -> str | None:
    """Why a column that passes unchanged could point at a person or a household."""
    present = profile.rows - profile.missing
    if present < 2 or profile.distinct < 2:
        return None
    if profile.distinct >= _NEAR_UNIQUE * present:
        return f"nearly unique ({profile.distinct:,} values in {present:,} rows)"
    if profile.distinct >= _MANY_VALUES and present < _SMALL_GROUPS * profile.distinct:
        return (
            f"groups rows like a household or case number ({profile.distinct:,} values, "
            f"{present / profile.distinct:.1f} rows each)"
        )
    return None
