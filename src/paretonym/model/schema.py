"""Columns and the roles they play in a release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction


class Role(StrEnum):
    """What a column is, seen from the person it describes."""

    QUASI = "quasi"  # may be known to an outsider: generalised
    SENSITIVE = "sensitive"  # what an outsider wants to learn: kept
    TARGET = "target"  # what analysts want to predict: kept (or generalised when also quasi)
    IDENTIFIER = "identifier"  # names a person directly: dropped, and searched for in the release
    OMITTED = "omitted"  # not wanted in the release: dropped, but it names nobody by itself
    INSENSITIVE = "insensitive"  # passed through unchanged
    WEIGHT = "weight"  # survey weight: passed through unchanged


DROPPED = frozenset({Role.IDENTIFIER, Role.OMITTED})


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table and what the job says about it."""

    name: str
    roles: frozenset[Role]
    weight: Fraction = Fraction(1)  # importance of a quasi-identifier in the losses
    because: str | None = None  # why a near-unique column may pass through
    may_match: str | None = None  # why its cells may equal a dropped identifier

    @property
    def is_quasi(self) -> bool:
        return Role.QUASI in self.roles

    @property
    def is_dropped(self) -> bool:
        return bool(self.roles & DROPPED)

    @property
    def passes_through(self) -> bool:
        return not (self.is_quasi or self.is_dropped)


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table in its own order."""

    columns: tuple[Column, ...]
    _by_name: dict[str, Column] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {column.name: column for column in self.columns})

    def __getitem__(self, name: str) -> Column:
        return self._by_name[name]

    def names(self, *roles: Role) -> tuple[str, ...]:
        """Names of the columns with any of these roles (all columns when none is given)."""
        wanted = frozenset(roles)
        return tuple(c.name for c in self.columns if not wanted or wanted & c.roles)

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.names(Role.QUASI)

    @property
    def kept(self) -> tuple[str, ...]:
        """Columns that appear in the release."""
        return tuple(c.name for c in self.columns if not c.is_dropped)

    @property
    def dropped(self) -> tuple[str, ...]:
        return self.names(*DROPPED)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Dropped columns whose values must not be found anywhere in the release."""
        return self.names(Role.IDENTIFIER)

    @classmethod
    def of(cls, columns: Iterable[Column]) -> Schema:
        return cls(tuple(columns))
