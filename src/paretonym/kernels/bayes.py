"""Sums behind the Bayes test of independence (Tavrov and Chertov 2016, eq. 21), scaled so that none
overflows.
"""

from __future__ import annotations

import math

import numpy as np

from paretonym.kernels.jit import compiled
from paretonym.model.arrays import Array, Int

_NOTHING = 1e-20  # of a sum: all terms beyond one so small do not show in it


@compiled
def log_mixtures(n: Int, x: Int, points: Array) -> Array:
    """ln sum over i of C(t,i)² / C(n+t,x+i) p^i (1-p)^(t-i), for t = 0 .. n and every point p.

    Points ascend. Each term follows from its neighbour by a factor that is the same for all
    points but for their odds. The factors fall with i, so that terms rise to a largest one and
    then fall: from there the sum goes both ways until terms vanish beside it. That is some
    multiple of the root of t, and no term exceeds 1.
    """
    found = np.empty((n + 1, len(points)))
    logs = np.array([math.lgamma(i + 1.0) for i in range(2 * n + 1)])  # of factorials
    factor, inverse = np.empty((2, max(n, 1)))
    for t in range(n + 1):
        whole = n + t
        for i in range(t):
            step = (t - i) / (i + 1.0)
            factor[i] = step * step * (x + i + 1.0) / (whole - x - i)
            inverse[i] = 1.0 / factor[i]
        top = 0
        for g in range(len(points)):
            odds = points[g] / (1.0 - points[g])
            against = 1.0 / odds
            while top < t and factor[top] * odds > 1.0:
                top += 1
            total = term = 1.0
            for i in range(top, t):
                term *= factor[i] * odds
                total += term
                if term < _NOTHING * total:
                    break
            term = 1.0
            for i in range(top - 1, -1, -1):
                term *= inverse[i] * against
                total += term
                if term < _NOTHING * total:
                    break
            found[t, g] = (
                2.0 * (logs[t] - logs[top] - logs[t - top])
                - (logs[whole] - logs[x + top] - logs[whole - x - top])
                + top * math.log(points[g])
                + (t - top) * math.log1p(-points[g])
                + math.log(total)
            )
    return found
