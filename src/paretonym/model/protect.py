"""What a job says of protecting a group: what must hold, what may be touched, what it may cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from paretonym.model.sentence import Sentence

Method = Literal["flow", "memetic", "improved"]
Against = Literal["attributes", "model", "both"]
NewOutliers = Literal["forbid", "allow"]


@dataclass(frozen=True, slots=True)
class Influence:
    """An influential attribute: what a difference in it counts (001, eq. 25; 004, eq. 1)."""

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
class ProtectSpec:
    """The task of providing group anonymity; the defaults are those of 004's Table 2."""

    method: Method = "flow"
    against: Against | None = None  # None: the model where the vital columns are taken out
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
