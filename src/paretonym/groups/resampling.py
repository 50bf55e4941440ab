"""How much a figure of an attack would vary: bootstrap over regions, and ranks of areas.

What is drawn again is a region with everything in it, since its areas were judged together; with
one region only, its areas are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.groups.adequacy import FIGURES, Adequacy

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
_TAIL = 2.5  # per cent on either side of an interval
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
    wins, pairs = _wins(values, positive, np.zeros(len(values), np.int64))
    return float(wins[0, 0] / pairs[0, 0]) if pairs[0, 0] else None


def auc_interval(
    values: Floats, positive: Flags, unit: Ints, *, draw: np.random.Generator, resamples: int
) -> Interval | None:
    """The area under the curve when units (regions, or areas) are drawn again."""
    wins, pairs = _wins(values, positive, unit)
    drawn = _drawn(len(wins), draw, resamples)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _interval(((drawn @ wins) * drawn).sum(1) / ((drawn @ pairs) * drawn).sum(1))


def _wins(values: Floats, positive: Flags, unit: Ints) -> tuple[Floats, Floats]:
    """By units: how often a positive of one beats a negative of the other, and the pairs."""
    units = int(unit.max(initial=0)) + 1
    wins, pairs = np.zeros((units, units)), np.zeros((units, units))
    low = [np.sort(values[~positive & (unit == other)]) for other in range(units)]
    for value, own in zip(values[positive], unit[positive], strict=True):
        for other, rest in enumerate(low):
            below, not_above = (np.searchsorted(rest, value, side) for side in ("left", "right"))
            wins[own, other] += (below + not_above) / 2
            pairs[own, other] += len(rest)
    return wins, pairs


def binomial_interval(hits: int, tries: int) -> Interval | None:
    """Wilson's 95 per cent interval of a share: it stays honest where all or none are hits."""
    if not tries:
        return None
    square = _NORMAL**2
    middle = (hits + square / 2) / (tries + square)
    reach = _NORMAL / (tries + square) * math.sqrt(hits * (tries - hits) / tries + square / 4)
    return Interval(max(middle - reach, 0.0), min(middle + reach, 1.0))
