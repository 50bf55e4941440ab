"""What a job asks for, after its file has been read and checked; holds no open table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from paretonym.model.group import GroupSpec
from paretonym.model.hierarchy import Dates, Family, HierarchySpec, Intervals, OrderedGroups
from paretonym.model.logic.sentence import Sentence
from paretonym.model.schema import Role
from paretonym.model.source import TableSource
from paretonym.model.swap import Swaps
from paretonym.model.writing import ValueOrder, WriteAs

Rule = Literal["required", "staircase", "paper"]
Method = Literal["auto", "exhaustive", "exact", "evolve", "pbg-ea"]


@dataclass(frozen=True, slots=True)
class Limit:
    """How many rows may be suppressed: a percentage of the table or a number of rows."""

    percent: Decimal | None = None
    rows: int | None = None

    def of(self, rows: int) -> int:
        """Whole rows, rounded down: 1 % of 30,162 is 301."""
        if self.percent is not None:
            return int(self.percent * rows / 100)
        return self.rows or 0


@dataclass(frozen=True, slots=True)
class Suppression:
    limit: Limit = Limit(rows=0)
    rule: Rule = "staircase"


@dataclass(frozen=True, slots=True)
class Budget:
    """When a search stops at the latest: after a time, or after a number of evaluations."""

    seconds: float | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.evaluations is None):
            raise ValueError("a budget is either a time or a number of evaluations")

    def __str__(self) -> str:
        """`60 s` or `5,000 evaluations`, as a job may write it."""
        if self.evaluations is None:
            return f"{self.seconds!r}".removesuffix(".0") + " s"
        return f"{self.evaluations:,} evaluation{'' if self.evaluations == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    method: Method = "auto"
    seed: int | None = None
    budget: Budget | None = None  # None: the search ends by itself


@dataclass(frozen=True, slots=True)
class Genetic:
    """The genetic algorithm of attribute-oriented granulation: its rates are not printed, these are
    ours.
    """

    population: int = 50
    generations: int = 100
    crossover: float = 0.8
    mutation: float = 0.02  # of a bit


@dataclass(frozen=True, slots=True)
class SecretSpec:
    """A confidentiality rule as the job writes it."""

    say: Sentence
    condition: Sentence | None = None
    damage: Fraction = Fraction(1)
    prior: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Security:
    """How confidentiality is measured."""

    at_risk: Fraction = Fraction(1, 2)  # a posterior above this puts a person at risk
    domain: Literal["declared", "observed"] = "declared"  # that quality is measured over
    genetic: Genetic = Genetic()


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column as the job describes it."""

    name: str
    roles: frozenset[Role]
    hierarchy: HierarchySpec | None = None  # quasi-identifiers only
    weight: Fraction = Fraction(1)
    because: str | None = None
    may_match: str | None = None
    numeric: bool = False  # `type: number`: values are exact decimals
    decimal_comma: bool = False  # of a numeric column
    format: str | None = None  # of dates
    write: WriteAs = "label"  # quasi-identifiers only

    @property
    def order(self) -> ValueOrder:
        """The column's own order: what is said of it, else the first builder that has one."""
        if self.numeric:
            return ValueOrder("number", decimal_comma=self.decimal_comma)
        if self.format is not None:
            return ValueOrder("date", format=self.format)
        single = (("", self.hierarchy),)
        members = self.hierarchy.partitions if isinstance(self.hierarchy, Family) else single
        for _, spec in members:
            match spec:
                case Intervals():
                    return ValueOrder("number", decimal_comma=spec.decimal_comma)
                case Dates():
                    return ValueOrder("date", format=spec.format)
                case OrderedGroups():
                    return ValueOrder("listed", listed=spec.order)
        return ValueOrder()


@dataclass(frozen=True, slots=True)
class About:
    """What the publisher says of a release in both of its reports; it decides nothing."""

    title: str | None = None
    purpose: str | None = None
    publisher: str | None = None
    contact: str | None = None
    licence: str | None = None
    cite: str | None = None
    earlier: bool = False  # said of the release whose plan is applied to a later file

    def to_json(self) -> dict[str, str]:
        said = {name: getattr(self, name) for name in _SAID}
        return {name: text for name, text in said.items() if text is not None}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> About:
        if not set(data) <= set(_SAID) or not all(isinstance(text, str) for text in data.values()):
            raise ValueError("not what a publisher says")
        return cls(**data)


_SAID = ("title", "purpose", "publisher", "contact", "licence", "cite")


@dataclass(frozen=True, slots=True)
class Job:
    """A whole job. `digest` is a hash of everything that decides its result."""

    source: TableSource
    columns: tuple[ColumnSpec, ...]
    objectives: tuple[str, ...]  # as written: `k`, `max:s_l(occupation)`
    require: Mapping[str, Decimal] = field(default_factory=dict)
    suppression: Suppression = Suppression()
    search: SearchOptions = SearchOptions()
    epsilon: Mapping[str, Fraction] = field(default_factory=dict)  # box sizes; of all or of none
    confidential: tuple[SecretSpec, ...] = ()
    security: Security = Security()
    groups: tuple[GroupSpec, ...] = ()
    swaps: Swaps | None = None  # made before anything else looks at the table
    more: tuple[TableSource, ...] = ()  # further files of the table; only groups are sought in them
    about: About = About()
    digest: str = ""
    path: Path | None = None  # of the job file, when there is one

    @property
    def sources(self) -> tuple[TableSource, ...]:
        """Every file of the table."""
        return (self.source, *self.more)

    @property
    def quasi(self) -> tuple[str, ...]:
        """Quasi-identifiers in the job's order: the order of levels everywhere."""
        return tuple(c.name for c in self.columns if Role.QUASI in c.roles)
