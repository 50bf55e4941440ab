"""Outliers of a signal, computed once more (Chertov and Tavrov 2017, section 2: modified Thompson
tau technique).

Written from the definition, not from the code that looks for outliers: quartiles are the medians
of the two halves, and the threshold comes from the incomplete beta function, by which Student's
t is defined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import median

_FEWEST = 3
_NORMAL = 1.349  # distance of a normal distribution's quartiles, in standard deviations


def outliers_of(signal: Sequence[float], *, alpha: float, upper_only: bool) -> tuple[int, ...]:
    """Places of the values that stand out, ascending: the farthest goes, the rest is judged anew.

    Of several that lie equally far the first goes.
    """
    places = list(range(len(signal)))
    gone: list[int] = []
    while len(places) >= _FEWEST:
        values = [signal[place] for place in places]
        middle = median(values)
        apart = [v - middle if upper_only else abs(v - middle) for v in values]
        far = apart.index(max(apart))
        if apart[far] <= threshold(len(places), alpha) * _spread(values):
            break
        gone.append(places.pop(far))
    return tuple(sorted(gone))


def _spread(values: Sequence[float]) -> float:
    """The middle value of an odd number belongs to both halves."""
    ordered = sorted(values)
    lower, upper = ordered[: math.ceil(len(ordered) / 2)], ordered[len(ordered) // 2 :]
    return (median(upper) - median(lower)) / _NORMAL


@lru_cache(maxsize=4096)
def threshold(count: int, alpha: float) -> float:
    """tau of so many values.

    With t two-sided at alpha and m - 2 degrees of freedom, t² / (m - 2 + t²) is the quantile of
    a beta distribution with 1/2 and (m - 2)/2, so that tau needs no t at all.
    """
    from scipy.special import betainccinv  # loaded only where groups are promised something

    share = float(betainccinv(0.5, (count - 2) / 2, alpha))
    return (count - 1) / math.sqrt(count) * math.sqrt(share)
