"""How well found outliers agree with the true ones (Tavrov and Chertov 2016, eq. 19 to 22).

Names are the standard ones: a false negative is a true outlier that was not found (the paper
swaps the two). What the paper prints as Youden's J is the predictive variant; both are given.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from paretonym.errors import JobError
from paretonym.kernels.bayes import log_mixtures

MOST_TESTED = 4000  # values: the Bayes test takes 5 s and 400 MB there, and 8 times that at twice
FIGURES = ("pa", "youden_j", "predictive_j", "sensitivity", "precision")


@dataclass(frozen=True, slots=True)
class Adequacy:
    """A confusion matrix and what it says; a share of nothing is None."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def size(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def pa(self) -> float | None:
        """Percent agreement."""
        return _share(self.tp + self.tn, self.size)

    @property
    def sensitivity(self) -> float | None:
        """The share of the true outliers that were found: of what is there, how much is lost."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def precision(self) -> float | None:
        """The share of the found outliers that are true: how far an adversary may trust them."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def youden_j(self) -> float | None:
        """Sensitivity plus specificity less 1."""
        return _sum(self.sensitivity, _share(self.tn, self.tn + self.fp))

    @property
    def predictive_j(self) -> float | None:
        """Both predictive values together less 1: what Tavrov and Chertov 2016 prints as J."""
        return _sum(self.precision, _share(self.tn, self.tn + self.fn))

    @property
    def mb(self) -> float | None:
        """The least logarithm of the Bayes factor (Tavrov and Chertov 2016, eq. 22).

        Of more than MOST_TESTED values it is not known: the least factor may be any of them all,
        so that a part would not tell it.
        """
        return _least_log_factor(self) if self.size <= MOST_TESTED else None

    @property
    def evidence(self) -> str:
        """What `mb` says for a connection (Tavrov and Chertov 2016, Table 1)."""
        if self.mb is None:
            return "not computed"
        above = sum(self.mb > bound for bound in (0, 1, 3, 5))
        return ("negative", "bare mention", "positive", "strong",
                "decisive")[above]  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        counts = {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}
        shares = {name: getattr(self, name) for name in FIGURES}
        return {**counts, **shares, "mb": self.mb, "evidence": self.evidence}

    def __add__(self, other: Adequacy) -> Adequacy:
        return Adequacy(
            self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn
        )


def adequacy(
    true_outliers: Collection[int], found_outliers: Collection[int], size: int
) -> Adequacy:
    """Compare outliers by their places among `size` values."""
    true, found = set(true_outliers), set(found_outliers)
    if any(not 0 <= place < size for place in true | found):
        raise JobError(f"an outlier lies outside the {size} values, which are counted from 0")
    hits = len(true & found)
    missed, wrong = len(true) - hits, len(found) - hits
    return Adequacy(hits, wrong, missed, size - hits - missed - wrong)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second - 1


def log_bayes_factors(table: Adequacy) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """ln B(t1, t2) for all intrinsic sample sizes t1 and t2 (Casella and Moreno; Tavrov and Chertov
    2016, eq. 21).

    1/C(N,k) is a Beta integral, so the double sum is an integral over p of a product of two
    sums, a polynomial of degree t1 + t2: Gauss and Legendre's rule with enough points is exact.
    """
    n1, n2 = table.tp + table.fn, table.fp + table.tn
    points, weights = np.polynomial.legendre.leggauss((n1 + n2) // 2 + 1)
    points, weights = (points + 1) / 2, weights / 2
    first, second = log_mixtures(n1, table.tp, points), log_mixtures(n2, table.fp, points)
    top = first.max(axis=1)[:, None], second.max(axis=1)[:, None]
    sums = (np.exp(first - top[0]) * weights) @ np.exp(second - top[1]).T
    t1, t2 = np.arange(n1 + 1)[:, None], np.arange(n2 + 1)[None]
    constant = math.log(n1 + n2 + 1) + _log_choose(n1 + n2, table.tp + table.fp)
    shape = np.log((t1 + 1) * (t2 + 1)) - np.log((n1 + t1 + 1) * (n2 + t2 + 1))
    return np.asarray(constant + shape + np.log(sums) + top[0] + top[1].T)


@lru_cache(maxsize=1024)
def _least_log_factor(table: Adequacy) -> float:
    """Kept, since a result is written, drawn and printed."""
    return float(log_bayes_factors(table).min())


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
