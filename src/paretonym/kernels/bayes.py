"""Sums behind the Bayes test of independence (001, eq. 21), scaled so that none overflows."""

from __future__ import annotations

import math

import numpy as np

from paretonym.kernels.jit import compiled
from paretonym.kernels.shapes import Array, Int

_HUGE = 1e200


@compiled
def log_mixtures(n: Int, x: Int, points: Array) -> Array:
    """ln sum over i of C(t,i)² / C(n+t,x+i) p^i (1-p)^(t-i), for t = 0 .. n and every point p.

    Each term follows from the one before it; sums are scaled down whenever they grow large.
    """
    found = np.empty((n + 1, len(points)))
    for t in range(n + 1):
        whole = n + t
        first = math.lgamma(x + 1.0) + math.lgamma(whole - x + 1.0) - math.lgamma(whole + 1.0)
        for g in range(len(points)):
            odds = points[g] / (1.0 - points[g])
            scale = first + t * math.log1p(-points[g])
            term, total = 1.0, 1.0
            for i in range(t):
                step = (t - i) / (i + 1.0)
                term *= step * step * (x + i + 1.0) / (whole - x - i) * odds
                total += term
                if total > _HUGE:
                    term, total = term / _HUGE, total / _HUGE
                    scale += math.log(_HUGE)
            found[t, g] = scale + math.log(total)
    return found
