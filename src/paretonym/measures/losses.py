"""General loss metric as integers: one common denominator for all quasi-identifiers.

GLM = sum of w_i (leaves - 1) / (|domain_i| - 1) over cells. Scaled by the least common
multiple of the denominators it is an integer, so that equal losses are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from paretonym.measures.measure import Context

_LARGEST = 2**62  # sums must stay inside 64-bit integers


@dataclass(frozen=True, slots=True)
class SharedLosses:
    """`factors[i] * (leaves - 1)` is a cell's loss times `scale`; a scale of 0: none fits."""

    scale: int
    factors: tuple[int, ...]
    full_cost: int  # of a suppressed row: a one-value domain costs nothing


def shared_losses(context: Context) -> SharedLosses:
    domains = [context.domain(j) for j in range(len(context.granulations))]
    units = [
        weight / (domain - 1) if domain > 1 else Fraction(0)
        for weight, domain in zip(context.weights, domains, strict=True)
    ]
    scale = math.lcm(*(unit.denominator for unit in units))
    factors = tuple(int(unit * scale) for unit in units)
    full = sum(f * (d - 1) for f, d in zip(factors, domains, strict=True))
    if full * max(context.rows, 1) >= _LARGEST:
        return SharedLosses(0, (0,) * len(domains), 0)
    return SharedLosses(scale, factors, full)
