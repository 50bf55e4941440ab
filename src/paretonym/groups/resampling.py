"""How much a figure of an attack would vary: bootstrap over regions, and ranks of areas.

What is drawn again is a region with everything in it, since its areas were judged together; with
one region only, its areas are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.groups.adequacy import FIGURES, Adequacy
from paretonym.model.arrays import Flags, Floats, Ints

_TAIL = 2.5  # per cent on either side of an interval
_AT_ONCE = 2_000_000  # values of resamples that are held in memory
_NORMAL = 1.959963984540054  # so many deviations on either side hold 95 per cent


@dataclass(frozen=True, slots=True)
class Interval:
    """From the 2.5th to the 97.5th percentile of what the resamples give."""

    low: float
    high: float


def adequacy_intervals(
    units: Sequence[Adequacy], *, draw: np.random.Generator, resamples: int
) -> dict[str, Interval | None]:
    """Of each figure of the sum of the units; None where hardly a resample defines it."""
    cells = np.array([(unit.tp, unit.fp, unit.fn, unit.tn) for unit in units], np.float64)
    tp, fp, fn, tn = (_drawn(len(units), draw, resamples) @ cells).T
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity, precision = tp / (tp + fn), tp / (tp + fp)
        found = {
            "pa": (tp + tn) / (tp + fp + fn + tn),
            "youden_j": sensitivity + tn / (tn + fp) - 1,
            "predictive_j": precision + tn / (tn + fn) - 1,
            "sensitivity": sensitivity,
            "precision": precision,
        }
    return {name: _interval(found[name]) for name in FIGURES}


def _drawn(units: int, draw: np.random.Generator, resamples: int) -> Floats:
    """How often each unit is in each resample."""
    counts = draw.multinomial(units, np.full(units, 1 / units), size=resamples)
    return np.asarray(counts, np.float64)


def _interval(values: Floats) -> Interval | None:
    """Resamples in which the figure is a share of nothing say nothing."""
    told = values[~np.isnan(values)]
    if 2 * len(told) < len(values) or not len(told):
        return None
    low, high = np.percentile(told, [_TAIL, 100 - _TAIL])
    return Interval(float(low), float(high))


def auc(values: Floats, positive: Flags) -> float | None:
    """The probability that a positive ranks above another one; ties count half."""
    (found,) = _Ranks(values, positive).areas_under(np.ones((1, len(values))))
    return None if np.isnan(found) else float(found)


def auc_interval(
    values: Floats, positive: Flags, unit: Ints, *, draw: np.random.Generator, resamples: int
) -> Interval | None:
    """The area under the curve when units (regions, or areas) are drawn again."""
    drawn = _drawn(int(unit.max(initial=0)) + 1, draw, resamples)
    ranks, step = _Ranks(values, positive), max(1, _AT_ONCE // max(len(values), 1))
    parts = [ranks.areas_under(drawn[at : at + step, unit]) for at in range(0, resamples, step)]
    return _interval(np.concatenate(parts))


class _Ranks:
    """Values in their order, equal ones together."""

    def __init__(self, values: Floats, positive: Flags) -> None:
        self._order = np.argsort(values, kind="stable")
        ordered = values[self._order]
        self._starts = np.flatnonzero(np.append(True, np.diff(ordered) > 0)[: len(values)])
        self._positive = positive[self._order]

    def areas_under(self, times: Floats) -> Floats:
        """One for each row that says how often each value is there; NaN where nothing is left."""
        ordered = times[:, self._order]
        inside = np.add.reduceat(ordered * self._positive, self._starts, axis=1)
        outside = np.add.reduceat(ordered * ~self._positive, self._starts, axis=1)
        below = np.cumsum(outside, axis=1) - outside / 2
        pairs = inside.sum(axis=1) * outside.sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray((inside * below).sum(axis=1) / pairs, np.float64)


def binomial_interval(hits: int, tries: int) -> Interval | None:
    """Wilson's 95 per cent interval of a share: it stays honest where all or none are hits."""
    if not tries:
        return None
    square = _NORMAL**2
    middle = (hits + square / 2) / (tries + square)
    reach = _NORMAL / (tries + square) * math.sqrt(hits * (tries - hits) / tries + square / 4)
    # the ends are exact there, but for rounding that would be printed
    low = middle - reach if hits else 0.0
    return Interval(low, middle + reach if hits < tries else 1.0)
