"""Sums behind the Bayes test of independence (001, eq. 21), scaled so that none overflows."""

from __future__ import annotations

import math

import numpy as np

from paretonym.kernels.jit import compiled, inlined
from paretonym.kernels.shapes import Array, Int

_HUGE = 1e200


@compiled
def log_mixtures(n: Int, x: Int, points: Array) -> Array:
    """ln sum over i of C(t,i)² / C(n+t,x+i) p^i (1-p)^(t-i), for t = 0 .. n and every point p.

    Each term follows from the one before it by a factor that is the same for all points but for
    their odds; sums are scaled down whenever one grows large.
    """
    found = np.empty((n + 1, len(points)))
    odds = points / (1.0 - points)
    term, total, scale = np.empty((3, len(points)))
    for t in range(n + 1):
        whole = n + t
        first = math.lgamma(x + 1.0) + math.lgamma(whole - x + 1.0) - math.lgamma(whole + 1.0)
        for g in range(len(points)):
            term[g] = total[g] = 1.0
            scale[g] = first + t * math.log1p(-points[g])
        for i in range(t):
            step = (t - i) / (i + 1.0)
            factor = step * step * (x + i + 1.0) / (whole - x - i)
            large = False
            for g in range(len(points)):
                term[g] *= factor * odds[g]
                total[g] += term[g]
                large |= total[g] > _HUGE
            if large:
                scale_down(term, total, scale)
        for g in range(len(points)):
            found[t, g] = scale[g] + math.log(total[g])
    return found


@inlined
def scale_down(term: Array, total: Array, scale: Array) -> None:
    for g in range(len(total)):
        if total[g] > _HUGE:
            term[g] /= _HUGE
            total[g] /= _HUGE
            scale[g] += math.log(_HUGE)
