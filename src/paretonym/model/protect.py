"""What a job says of protecting a group: what must hold, what may be touched, what it may cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from paretonym.errors import JobError
from paretonym.model.logic.sentence import Sentence

Method = Literal["flow", "memetic", "improved"]
Against = Literal["attributes", "model", "both"]
NewOutliers = Literal["forbid", "allow"]


@dataclass(frozen=True, slots=True)
class Influence:
    """An influential attribute: what a difference in it counts (Tavrov and Chertov 2016, eq. 25;
    Chertov and Tavrov 2017, eq. 1).
    """

    column: str
    weight: Fraction = Fraction(1)
    ordinal: bool = False
    groups: tuple[tuple[str, ...], ...] = ()  # values that are one category


@dataclass(frozen=True, slots=True)
class Threshold:
    """To what outliers sink: the K-th largest ordinary value, a share below it, or as given."""

    largest: int = 2
    extra: Fraction = Fraction(0)
    by_hand: tuple[tuple[str, int], ...] = ()  # area, value


@dataclass(frozen=True, slots=True)
class KeptMargin:
    """Counts of these columns with the areas that stay, or change by at most `within`."""

    columns: tuple[str, ...]
    within: int = 0


@dataclass(frozen=True, slots=True)
class Memetic:
    """How swaps of records are evolved; the values are those of Chertov and Tavrov 2017, Table
    2.
    """

    population: int = 100  # μ
    pairs: int = 40  # λ: so many pairs of parents
    generations: int = 1000
    runs: int = 10
    tournament: int = 5
    crossover: float = 1.0  # p_c: probability that a pair recombines
    mutation: float = 0.001  # p_m: of each of the four operators
    local: float = 0.75  # p_mem: share of rows that look for another record to swap with
    # c: so many rows halve the fitness. None: 8 more than bring every outlier to its threshold,
    # which is the 130 of Chertov and Tavrov 2017 and takes less than 2 % from a solution that needs
    # no row more
    centre: float | None = None
    improved: bool = False  # least distortion among feasible solutions, and a better local search

    def __post_init__(self) -> None:
        for name in ("population", "pairs", "runs", "tournament"):
            if getattr(self, name) < 1:
                raise JobError(f"protect: {name} must be at least 1")
        if self.generations < 0:
            raise JobError("protect: generations must not be below 0")
        for name in ("crossover", "mutation", "local"):
            if not 0 <= getattr(self, name) <= 1:
                raise JobError(f"protect: {name} is a share between 0 and 1")
        if self.centre is not None and not self.centre >= 0:
            raise JobError("protect: centre must not be below 0")


@dataclass(frozen=True, slots=True)
class ProtectSpec:
    """The task of providing group anonymity; the defaults are those of Chertov and Tavrov's (2017)
    Table 2.
    """

    method: Method = "flow"
    against: Against | None = None  # None: both where there is an auxiliary file
    influential: tuple[Influence, ...] = ()  # none: the basic attributes, each counting 1
    threshold: Threshold = Threshold()
    compatibility: float = 0.5
    remaining: Fraction = Fraction(0)  # share of the old outliers that may stay
    distortion: Fraction = Fraction(3, 10)  # of the largest possible
    new_outliers: NewOutliers = "forbid"
    keep_margins: tuple[KeptMargin, ...] = ()
    leave: tuple[str, ...] = ()  # areas that members may leave; none: the outliers
    enter: tuple[str, ...] = ()  # areas that members may enter; none: all others
    untouched: Sentence | None = None  # records that stay as they are
    memetic: Memetic = Memetic()
