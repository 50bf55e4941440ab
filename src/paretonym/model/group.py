"""What a job says of groups of people: who they are, where they are looked for, and with what."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from paretonym.errors import JobError
from paretonym.model.fuzzy import Variable
from paretonym.model.logic.sentence import Sentence
from paretonym.model.protect import ProtectSpec
from paretonym.model.source import TableSource

Side = Literal["both", "upper"]
SignalKind = Literal["quantity", "concentration"]
AttackerName = Literal["fuzzy", "logistic", "boosting"]


@dataclass(frozen=True, slots=True)
class OutlierRule:
    """How outliers are found, and what an expert makes of them (OUT and OUT_e of Tavrov and Chertov
    2016).
    """

    alpha: Fraction = Fraction(1, 100)
    side: Side = "both"
    signal: SignalKind = "quantity"  # the one that an attack and a protection look at
    keep: tuple[str, ...] = ()  # areas that are outliers whatever was found
    ignore: tuple[str, ...] = ()  # areas that are none, such as a base that everybody knows


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one harmonised attribute is made from the columns of a file."""

    name: str
    columns: tuple[str, ...]  # several are merged: their texts are joined
    range: tuple[Decimal, Decimal] | None = None  # records outside are dropped
    edges: tuple[Decimal, ...] = ()  # of half-open intervals that take the place of numbers
    recode: tuple[tuple[str, str], ...] = ()  # code, label
    rest: str | None = None  # the label of every code that `recode` does not name
    numeric: bool = False  # the attribute holds numbers: 045 and 45 are the same


@dataclass(frozen=True, slots=True)
class AuxiliarySpec:
    """A third party's file from which an adversary learns what the group looks like."""

    sources: tuple[TableSource, ...]
    vital: Sentence
    only: Sentence | None
    main_recipes: tuple[Recipe, ...]
    recipes: tuple[Recipe, ...]


@dataclass(frozen=True, slots=True)
class Evolution:
    """How rules are evolved, and which are kept; the values are those of Tavrov and Chertov
    2016.
    """

    population: int = 100  # μ
    replace: int = 40  # λ: so many pairs of parents, and of the worst that give way
    generations: int = 100
    runs: int = 10
    tournament: int = 10
    crossover: float = 1.0  # probability that a pair recombines
    mutation: float = 0.05  # probability that a gene is drawn anew
    rcf: float = 0.75  # γ: a rule's RCF must reach it
    support: float = 0.001  # κ: a rule's support must exceed it
    cut: float = 0.5  # α: smaller memberships count nothing

    def __post_init__(self) -> None:
        for name in ("population", "replace", "runs", "tournament"):
            if getattr(self, name) < 1:
                raise JobError(f"attack: {name} must be at least 1")
        if self.generations < 0:
            raise JobError("attack: generations must not be below 0")
        if self.replace > self.population:
            raise JobError("attack: replace must not exceed population")
        for name in ("crossover", "mutation", "support"):
            if not 0 <= getattr(self, name) <= 1:
                raise JobError(f"attack: {name} is a share between 0 and 1")
        if not self.rcf >= 0:
            raise JobError("attack: rcf must not be below 0")


@dataclass(frozen=True, slots=True)
class AttackSpec:
    """Who attacks, and how it is told from chance."""

    evolution: Evolution = Evolution()
    attackers: tuple[AttackerName, ...] | None = None  # None: all that are installed
    controls: int = 5  # attacks of each kind that learn from permuted labels
    resamples: int = 1000  # of the bootstrap


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """A group G(V, P) of Tavrov and Chertov 2016: vital values say who, parameter values say
    where.
    """

    name: str
    vital: Sentence
    parameter: tuple[str, ...]
    remove: tuple[str, ...] = ()  # columns that the publisher takes out
    basic: tuple[str, ...] = ()  # harmonised attributes that the attack may use
    region: str | None = None
    region_share: Fraction = Fraction(0)  # of the group, that a region must hold
    smallest_area: int = 1
    weight: str | None = None
    only: Sentence | None = None  # who is looked at at all
    outliers: OutlierRule = OutlierRule()
    variables: tuple[Variable, ...] = ()
    reference: tuple[TableSource, ...] = ()
    auxiliary: AuxiliarySpec | None = None
    attack: AttackSpec = AttackSpec()
    protect: ProtectSpec | None = None  # None: the group is not protected
    sites: int | None = None  # members from which on an area is one that must not be found

    @property
    def places(self) -> tuple[str, ...]:
        """The columns that say where somebody is, the region first."""
        region = () if self.region is None else (self.region,)
        return tuple(dict.fromkeys((*region, *self.parameter)))
