"""Boxes over the objectives (Dewri et al. 2010, section 5), numbered exactly.

A quality index is "higher is better": the value itself if it is maximised, K - value if it is
minimised, K the largest value the measure can take. Its box is ceil(index / epsilon); with floor,
Theorem 2 would not hold. Here a box is minus that number, so that smaller is better, as in vectors:
floor(-value / epsilon) or floor((value - K) / epsilon).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from paretonym.errors import JobError, nearest
from paretonym.measures import Context, Values
from paretonym.model.arrays import Array
from paretonym.model.front import Direction
from paretonym.search.nondominated import sortable
from paretonym.search.target import Target

_BEYOND = 2**63  # what a 64-bit integer no longer holds
_DOUBT = 1e-9  # far above the rounding of three float operations


@dataclass(frozen=True, slots=True)
class Side:
    """An objective and the side of its boxes."""

    name: str
    direction: Direction
    epsilon: Fraction | None  # None: no size was given, and every value is a box of its own
    most: Fraction | None = None  # None: unknown, and boxes are counted from zero

    def boxes(self, values: Values) -> Array:
        """int64, smaller is better."""
        if self.epsilon is None:
            return sortable(values, self.direction)
        exact = values.all_shown() if values.code else values.exact
        slope = 1 / (self.epsilon * values.scale)
        offset = -(self.most or Fraction(0)) / self.epsilon
        if self.direction is Direction.MAX:
            slope, offset = -slope, Fraction(0)
        try:
            if exact.dtype.kind == "f":
                return self._floors_of_floats(exact, slope, offset)
            return _floors_of_integers(exact, slope, offset)
        except OverflowError:
            raise JobError(
                f"epsilon: boxes of {float(self.epsilon):g} are too small for {self.name}: their "
                f"numbers exceed 64 bits. Choose a larger size."
            ) from None

    def _floors_of_floats(self, exact: Array, slope: Fraction, offset: Fraction) -> Array:
        """In floats, and again in fractions wherever rounding could have crossed a whole number."""
        if not np.isfinite(exact).all():
            raise JobError(f"epsilon: {self.name} is not finite somewhere, so it has no box")
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = exact * float(slope)
            quotient = scaled + float(offset)
            doubt = _DOUBT * (1 + np.abs(scaled) + abs(float(offset)))
            sure = np.abs(quotient - np.rint(quotient)) > doubt  # never above 1e9: casts are exact
        floors = np.empty(len(exact), np.int64)
        floors[sure] = np.floor(quotient[sure])
        distinct, place = np.unique(exact[~sure], return_inverse=True)
        again = [math.floor(Fraction(float(value)) * slope + offset) for value in distinct]
        floors[~sure] = np.array(again, np.int64)[place]
        return floors


def _floors_of_integers(exact: Array, slope: Fraction, offset: Fraction) -> Array:
    """floor(slope * exact + offset) by integers alone, wider than 64 bits where needed."""
    divisor = math.lcm(slope.denominator, offset.denominator)
    factor, shift = int(slope * divisor), int(offset * divisor)
    largest = max(-int(exact.min(initial=0)), int(exact.max(initial=0)))
    if max(largest * abs(factor) + abs(shift), abs(factor), divisor) < _BEYOND:
        return (exact.astype(np.int64) * factor + shift) // divisor
    wide = (exact.astype(object) * factor + shift) // divisor
    return wide.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Boxing:
    """The grid over all objectives."""

    sides: tuple[Side, ...]

    @classmethod
    def of(
        cls, targets: Sequence[Target], epsilon: Mapping[str, Fraction], context: Context
    ) -> Boxing | None:
        """The grid of a job; None when it names no sizes."""
        if not epsilon:
            return None
        names = [target.objective.name for target in targets]
        for name, size in epsilon.items():
            if name not in names:
                raise JobError(f"epsilon: '{name}' is not an objective{nearest(name, names)}")
            if size <= 0:
                raise JobError(f"epsilon: every box needs a size above zero, {name} has {size}")
        return cls(tuple(_side(target, epsilon, context) for target in targets))

    def boxes(self, values: Sequence[Values]) -> Array:
        """int64 [count, objectives], smaller is better: minus the paper's box numbers."""
        columns = [side.boxes(v) for side, v in zip(self.sides, values, strict=True)]
        return np.stack(columns, axis=1)


def _side(target: Target, epsilon: Mapping[str, Fraction], context: Context) -> Side:
    objective, most = target.objective, target.measure.most
    return Side(
        objective.name,
        objective.direction,
        epsilon.get(objective.name),
        most(context) if most else None,
    )
