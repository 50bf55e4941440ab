"""What a modified signal must fulfil (Chertov and Tavrov 2017, section 4.1 and eq. 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from paretonym.errors import JobError
from paretonym.groups.fuzzy import z_shape

_STEEP = 700.0  # exp of more is infinite


@dataclass(frozen=True, slots=True)
class Restriction:
    """An outlier that must sink: fully content up to `threshold`, not at all from `value` on."""

    area: str
    value: int  # now
    threshold: Fraction

    def compatibility(self, value: int) -> float:
        """μ of Chertov and Tavrov 2017: 1 up to the threshold, 0 from the present value on,
        Z-shaped between.
        """
        low = Decimal(self.threshold.numerator) / Decimal(self.threshold.denominator)
        return z_shape(Decimal(value), low, Decimal(self.value))

    def highest(self, least: float) -> int:
        """The largest value up to the present one whose compatibility reaches `least`."""
        low, high = 0, self.value  # 0 is compatible with everything
        while low < high:
            middle = (low + high + 1) // 2
            if self.compatibility(middle) >= least:
                low = middle
            else:
                high = middle - 1
        return low


def compatibility(restrictions: Sequence[Restriction], values: Mapping[str, int]) -> float:
    """Of a whole signal: the product over its outliers."""
    return math.prod(one.compatibility(values[one.area]) for one in restrictions)


def thresholds(
    outliers: Mapping[str, Fraction], others: Sequence[Fraction], *, largest: int, extra: Fraction
) -> dict[str, Fraction]:
    """The K-th largest value that does not stand out, and for a safe distance a share below it.

    With `extra` 0.2 an outlier sinks below the K-th largest by a fifth of its present distance.
    """
    if len(others) < largest:
        raise JobError(
            f"protect.threshold.largest: there are only {len(others)} areas that do not stand "
            f"out; ask for the {len(others)}-th largest at most"
        )
    level = sorted(others, reverse=True)[largest - 1]
    below = {area: level - extra * (value - level) for area, value in outliers.items()}
    return {area: max(Fraction(0), Fraction(value)) for area, value in below.items()}


def published_fitness(
    distortion: float, most: float, compatible: float, swaps: int, *, centre: float
) -> float:
    """The three factors of Chertov and Tavrov 2017, eq. 3: distortion, outliers, and a penalty for
    many rows.
    """
    penalty = math.exp(min((swaps - centre) / 2, _STEEP))
    return (most - distortion) / most * compatible / (1 + penalty)
