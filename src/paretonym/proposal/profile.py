"""What a table's columns, and pairs of them, tell about people: counts, never a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from paretonym.model.identifying import identifying
from paretonym.model.schema import Role
from paretonym.model.source import CombinationProfile
from paretonym.proposal.kinds import Look, look_at
from paretonym.proposal.roles import guess_role, nearly_unique, ranked
from paretonym.tables import Table

MOST_PAIRED = 12  # columns whose pairs are counted
MOST_ROWS_READ = 50_000_000  # by all pairs together: seconds, whatever the table
_NEAR_UNIQUE = 0.9  # distinct combinations to rows, from which a pair works like an identifier
_ENOUGH_ROWS = 20  # in fewer rows, two columns are unique by chance


@dataclass(frozen=True, slots=True)
class TableProfile:
    """Facts about a table: each column, and pairs of columns that an outsider may know."""

    rows: int
    columns: tuple[Look, ...]
    pairs: tuple[CombinationProfile, ...]  # those that leave most rows alone come first
    pairs_left_out: int  # not counted, to keep the work small

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Columns that point at people by themselves."""
        return tuple(look.profile.name for look in self.columns if nearly_unique(look))

    @property
    def composite_identifiers(self) -> tuple[tuple[str, ...], ...]:
        """Pairs that do so together."""
        if self.rows < _ENOUGH_ROWS:
            return ()
        return tuple(p.columns for p in self.pairs if p.distinct >= _NEAR_UNIQUE * p.rows)

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "columns": [_column(look) for look in self.columns],
            "pairs": [_together(pair) for pair in self.pairs],
            "pairs_left_out": self.pairs_left_out,
            "identifiers": list(self.identifiers),
            "composite_identifiers": [list(names) for names in self.composite_identifiers],
        }


def profile_of(table: Table) -> TableProfile:
    """Every column once, and as many pairs as the work allows."""
    looks = tuple(look_at(table, profile) for profile in table.profile())
    names = _pairable(looks)
    possible = len(names) * (len(names) - 1) // 2
    allowed = MOST_ROWS_READ // table.rows()
    asked = list(combinations(names[:MOST_PAIRED], 2))[:allowed]
    pairs = sorted(table.combinations(asked), key=lambda pair: (-pair.alone, -pair.distinct))
    return TableProfile(table.rows(), looks, tuple(pairs), possible - len(pairs))


def _pairable(looks: Sequence[Look]) -> list[str]:
    """Columns that an outsider may know and that are not unique already, likeliest first."""
    guesses = [guess_role(look) for look in looks]
    quasi = [guess for guess in guesses if guess.role is Role.QUASI]
    return [
        guess.look.profile.name
        for guess in ranked(quasi)
        if guess.look.profile.distinct > 1 and not nearly_unique(guess.look)
    ]


def _column(look: Look) -> dict[str, Any]:
    profile = look.profile
    return {
        "name": profile.name,
        "kind": look.kind,
        "distinct": profile.distinct,
        "missing": profile.missing,
        "alone": profile.alone,
        "uniqueness": profile.alone / profile.rows,
        "identifying": identifying(profile),
    }


def _together(pair: CombinationProfile) -> dict[str, Any]:
    return {
        "columns": list(pair.columns),
        "distinct": pair.distinct,
        "alone": pair.alone,
        "uniqueness": pair.alone / pair.rows,
    }
