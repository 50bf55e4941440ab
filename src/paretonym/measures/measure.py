"""What a measure is: triples (accumulator, class to number, reducer) and a way to combine them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

import numpy as np

from paretonym.measures.classes import ClassTable
from paretonym.measures.quality import NO_QUALITIES, Qualities
from paretonym.measures.rules import Confidential
from paretonym.model.arrays import Array
from paretonym.model.front import Direction
from paretonym.model.granulation import Granulation
from paretonym.model.measure_info import MeasureInfo, MeasureName


class Reduce(StrEnum):
    """How the numbers of the released classes become one."""

    SUM = "sum"
    MIN = "min"
    MAX = "max"


class Monotone(StrEnum):
    """When a measure can only improve (privacy) or worsen (loss) by generalising."""

    NO = "no"
    WITHOUT_SUPPRESSION = "without suppression"
    WITH_SUPPRESSION = "with and without suppression"


@dataclass(frozen=True, slots=True)
class Context:
    """The table as a whole: what stays the same for every node."""

    rows: int
    granulations: tuple[Granulation, ...]
    weights: tuple[Fraction, ...]  # of the quasi-identifiers, in the same order
    totals: Mapping[str, Array] = field(default_factory=dict)  # rows per value of a column
    confidential: Confidential | None = None  # the job's rules, if it has any
    qualities: Qualities = NO_QUALITIES  # what each level of a quasi-identifier adds to ql

    def domain(self, position: int) -> int:
        return len(self.granulations[position].leaves)


@dataclass(frozen=True, slots=True)
class Extreme:
    """A number of the worst class, one of the kinds in kernels/extremes.py."""

    kind: int
    given: Callable[[Context], Array]  # integers that the kind needs beside a class's counts


@dataclass(frozen=True, slots=True)
class Fast:
    """Where the compiled pass keeps a statistic; None in a Statistic means it does not."""

    kind: str  # "classes", "squares", "smallest", "distinct", "sum_squares", "minority",
    # "loss", "losses", "released", "quality", "exposed", "at_risk", "risk", "extreme"
    column: str | None = None
    extreme: Extreme | None = None  # of an "extreme"; without a column it reads the rules' counts


@dataclass(frozen=True, slots=True)
class Code:
    """How integers that are compared stand for the numbers that people see."""

    shown: Callable[[int], float]
    bound: Callable[[Fraction], int]  # the integer that stands for a required number


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number of every class and its reducer over the released ones.

    `per_class` may return one number a class or a row of numbers a class.
    """

    key: str
    per_class: Callable[[ClassTable, Context], Array]
    reduce: Reduce = Reduce.SUM
    columns: tuple[str, ...] = ()  # columns whose counts it reads
    fast: Fast | None = None
    code: Code | None = None  # of a class's number; None: it is shown as it stands


@dataclass(frozen=True, slots=True)
class Reduced:
    """Statistics of many candidates at once: arrays with one entry (or row) a candidate."""

    context: Context
    suppressed: Array
    statistics: Mapping[str, Array]

    def __getitem__(self, key: str) -> Array:
        return self.statistics[key]


@dataclass(frozen=True, slots=True)
class Values:
    """A measure's values: `exact` is compared, `exact / scale` is shown, or what its code says.

    Integers stay integers, so that ties are ties.
    """

    exact: Array
    scale: int = 1
    code: Code | None = None

    def shown(self, index: int) -> float | int:
        value = self.exact[index]
        if self.code:
            return self.code.shown(int(value))
        if self.scale == 1:
            return int(value) if isinstance(value, np.integer) else float(value)
        return int(value) / self.scale

    def all_shown(self) -> Array:
        """The same of all of them, as floats."""
        if self.code:
            distinct, place = np.unique(self.exact, return_inverse=True)
            return np.array([self.code.shown(int(v)) for v in distinct], np.float64)[place]
        return np.asarray(self.exact / float(self.scale), np.float64)

    def met(self, bound: Fraction, direction: Direction | None) -> Array:
        """Which of them are at least `bound` when they are maximised, at most otherwise."""
        bound = Fraction(self.code.bound(bound)) if self.code else bound * self.scale
        whole = self.exact.dtype.kind != "f"
        if direction == Direction.MAX:
            return np.asarray(self.exact >= (math.ceil(bound) if whole else float(bound)))
        return np.asarray(self.exact <= (math.floor(bound) if whole else float(bound)))


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure, bound to its column if it has one."""

    name: str
    direction: Direction | None  # None: the job must say `max:` or `min:`
    statistics: tuple[Statistic, ...]
    combine: Callable[[Reduced], Values]
    monotone: Monotone
    says: str
    class_wise: bool = False  # its value is the worst class's number: a class can violate it
    most: Callable[[Context], Fraction] | None = None  # the largest value it can take, when known
    bounded: bool = False  # no node does better than the ceiling of a coarser node (where
    # generalising helps) or the floor of a finer one (where it harms): see NodeScorer
    better_above: bool | None = None  # whether generalising helps; None: when it is maximised

    @classmethod
    def of(
        cls,
        info: MeasureInfo,
        statistics: tuple[Statistic, ...],
        combine: Callable[[Reduced], Values],
        monotone: Monotone,
        *,
        column: str | None = None,
        most: Callable[[Context], Fraction] | None = None,
        bounded: bool = False,
        better_above: bool | None = None,
    ) -> Measure:
        """The computation of a measure; everything else stands in its info."""
        name = MeasureName(info.name, column)
        return cls(
            name.plain,
            info.direction,
            statistics,
            combine,
            monotone,
            name.fill(info.says),
            class_wise=info.class_wise,
            most=most,
            bounded=bounded,
            better_above=better_above,
        )

    def is_better_above(self, direction: Direction) -> bool:
        return direction is Direction.MAX if self.better_above is None else self.better_above

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c for s in self.statistics for c in s.columns))


Factory = Callable[..., Measure]


def at_most_one(_: Context) -> Fraction:
    """The largest value of a share."""
    return Fraction(1)


def direct(key: str, code: Code | None = None) -> Callable[[Reduced], Values]:
    """For a measure that is a statistic itself: its `combine`.

    Args:
        key: The statistic's.
        code: How its integers stand for numbers that people see; left out, as they stand.

    Returns:
        What the `combine` of such a measure is.
    """

    def combine(reduced: Reduced) -> Values:
        return Values(reduced[key], code=code)

    return combine


def statistics_of(measures: Sequence[Measure]) -> tuple[Statistic, ...]:
    """Every statistic once, in order of first use."""
    found: dict[str, Statistic] = {}
    for measure in measures:
        for statistic in measure.statistics:
            found.setdefault(statistic.key, statistic)
    return tuple(found.values())
