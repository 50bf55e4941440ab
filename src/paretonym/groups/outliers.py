"""Outliers of a signal by the modified Thompson tau technique (Chertov and Tavrov 2017).

The plain technique is that of Tavrov and Chertov 2016, eq. 4 to 6.

The centre is the median and the spread comes from the quartiles, so that the outliers
themselves do not hide each other. One value is removed at a time, and what is left is judged
anew.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from paretonym.errors import JobError

Side = Literal["both", "upper"]
Centre = Literal["median", "mean"]
_Ordered = list[tuple[float, int]]  # values with their places, ascending
_FEWEST = 3  # values that can be judged; with two there are no degrees of freedom
_NORMAL = 1.349  # quartiles of a normal distribution are this many standard deviations apart


@dataclass(frozen=True, slots=True)
class Outliers:
    """Which values stand out, by their place."""

    indexes: tuple[int, ...]  # ascending, counted from 0
    flat: bool  # at some step the quartiles agreed, so that anything off the median stood out


def thompson_tau(
    values: Sequence[float],
    alpha: float = 0.01,
    side: Side = "both",
    *,
    centre: Centre = "median",
) -> list[int]:
    """The indexes of the outliers, ascending."""
    return list(find_outliers(values, alpha=alpha, side=side, centre=centre).indexes)


def find_outliers(
    values: Sequence[float],
    *,
    alpha: float = 0.01,
    side: Side = "both",
    centre: Centre = "median",
) -> Outliers:
    """Remove the farthest value while it lies beyond tau times the spread, then judge again.

    `upper` looks at values above the centre only: in Chertov and Tavrov 2017 nobody fears a group
    that is small. `centre="mean"` is the plain technique of Tavrov and Chertov 2016, eq. 4 to 6,
    with mean and deviation.
    """
    _check(values, alpha, side)
    left = sorted((float(value), place) for place, value in enumerate(values))
    found: list[int] = []
    flat = False
    while len(left) >= _FEWEST:
        middle, spread = _robust(left) if centre == "median" else _plain(left)
        apart, at = _farthest(left, middle, side)
        if not apart > tau(len(left), alpha) * spread:
            break
        flat |= spread == 0
        found.append(left.pop(at)[1])
    return Outliers(tuple(sorted(found)), flat)


def _farthest(left: _Ordered, middle: float, side: Side) -> tuple[float, int]:
    """The value farthest from the middle is the largest or the smallest; of equals the first."""
    largest = bisect_left(left, (left[-1][0], -1))
    ends = [(left[largest][0] - middle, -left[largest][1], largest)]
    if side == "both":
        ends.append((middle - left[0][0], -left[0][1], 0))
    apart, _, at = max(ends)
    return apart, at


def _check(values: Sequence[float], alpha: float, side: str) -> None:
    if not all(math.isfinite(value) for value in values):
        raise JobError("a signal needs finite numbers; one of them is missing or infinite")
    if not 0 < alpha < 1:
        raise JobError("alpha is a share between 0 and 1; 0.01 is the usual one")
    if side not in ("both", "upper"):
        raise JobError("side is both or upper")


def tau(count: int, alpha: float) -> float:
    """The threshold for so many values: t(m - 1) / (sqrt(m) sqrt(m - 2 + t²)), t two-sided."""
    from scipy.special import stdtrit  # loaded only where groups are looked at

    t = float(stdtrit(count - 2, 1 - alpha / 2))
    return t * (count - 1) / (math.sqrt(count) * math.sqrt(count - 2 + t * t))


def _robust(left: _Ordered) -> tuple[float, float]:
    """Median, and quartiles as the medians of the halves, the middle one in both when odd."""
    count, half = len(left), (len(left) + 1) // 2
    low, high = _median(left, 0, half), _median(left, count - half, half)
    return _median(left, 0, count), (high - low) / _NORMAL


def _median(left: _Ordered, start: int, count: int) -> float:
    """Of so many values from a place on."""
    return (left[start + (count - 1) // 2][0] + left[start + count // 2][0]) / 2


def _plain(left: _Ordered) -> tuple[float, float]:
    count = len(left)
    mean = math.fsum(value for value, _ in left) / count
    squares = math.fsum((value - mean) ** 2 for value, _ in left)
    return mean, math.sqrt(squares / (count - 1))
