"""Axes: which range to show, where the ticks stand, and how a value becomes a position."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paretonym.report.words import tick

LOG_RATIO = 50.0  # a range wider than this reads better on a log axis
_TICKS = 6
_NOTHING = 1e-200  # smaller values would drown in rounding
_SUB_DECADES = 2.2  # narrower log axes also get ticks at 2 and 5


@dataclass(frozen=True, slots=True)
class Axis:
    """A shown range [low, high] and the ticks (value, label) within it."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies between low (0) and high (1)."""
        if self.log:
            low = math.log(self.low)
            return (math.log(value) - low) / (math.log(self.high) - low)
        return (value - self.low) / (self.high - self.low)


def suits_log(values: Iterable[float]) -> bool:
    """Positive values that span more than LOG_RATIO."""
    kept = [value for value in values if math.isfinite(value)]
    return bool(kept) and min(kept) > 0 and max(kept) / min(kept) > LOG_RATIO


def make_axis(values: Iterable[float], *, log: bool = False, from_zero: bool = False) -> Axis:
    """An axis that holds every finite value with a little air; equal values get a range.

    Whole values get whole ticks: nobody has a class of 2.5 rows.
    """
    kept = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = (0.0 if abs(end) < _NOTHING else end for end in (min(kept), max(kept)))
    if log and low > 0:
        return _log_axis(low, high)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    whole = all(value == math.floor(value) for value in kept)
    return _linear_axis(low, high, pinned=from_zero, least_step=1.0 if whole else 0.0)


def _linear_axis(low: float, high: float, *, pinned: bool, least_step: float) -> Axis:
    span = high - low
    if span <= max(abs(low), abs(high)) * 1e-12:
        if pinned:
            low, high = 0.0, 1.0
        else:
            air = max(abs(low) * 0.1, 0.5)
            low, high = low - air, high + air
        span = high - low
    step = nice_step(max(span / _TICKS, least_step))
    if pinned:
        return Axis(low, math.ceil(high / step - 1e-9) * step, _ticks(low, high, step, last=True))
    air = span * 0.04
    bottom = 0.0 if 0 <= low < span * 0.15 else low - air
    return Axis(bottom, high + air, _ticks(bottom, high + air, step))


def _ticks(
    low: float, high: float, step: float, *, last: bool = False
) -> tuple[tuple[float, str], ...]:
    first = math.ceil(low / step - 1e-9)
    end = math.ceil(high / step - 1e-9) if last else math.floor(high / step + 1e-9)
    count = min(end - first + 1, 4 * _TICKS)
    return tuple(((first + i) * step, tick((first + i) * step, step)) for i in range(count))


def nice_step(raw: float) -> float:
    """The smallest of 1, 2, 5 · 10ⁿ that is at least `raw`."""
    base = 10.0 ** math.floor(math.log10(raw))
    return next(base * m for m in (1, 2, 5, 10) if base * m >= raw * (1 - 1e-9))


def _log_axis(low: float, high: float) -> Axis:
    if high <= low * (1 + 1e-12):
        low, high = low / 2, high * 2
    air = math.exp((math.log(high) - math.log(low)) * 0.03)
    bottom, top = low / air, high * air
    first, last = math.floor(math.log10(bottom)), math.ceil(math.log10(top))
    decades = math.log10(top) - math.log10(bottom)
    stride = max(1, math.ceil(decades / 8))
    multiples: Sequence[int] = (1, 2, 5) if decades < _SUB_DECADES else (1,)
    values = [m * 10.0**e for e in range(first, last + 1, stride) for m in multiples]
    shown = tuple((v, tick(v, min(v, 1.0))) for v in values if bottom <= v <= top)
    return Axis(bottom, top, shown, log=True)
