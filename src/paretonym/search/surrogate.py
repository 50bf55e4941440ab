"""A guess at the objectives of nodes not evaluated: one effect a level, corrected nearby.

Measures of a generalised table are nearly sums of one contribution per attribute (losses
exactly, class sizes in their logarithm). The effects are fitted to the nodes evaluated so far;
what the sum misses at the nearest of them is added. A wrong guess wastes an evaluation, it never
changes a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.kernels.screening import backfit, guess
from paretonym.model.arrays import Array

_ROUNDS = 8
_RIDGE = 0.5  # a level seen rarely is pulled towards no effect
_STEP = 0.02  # two levels differ by this even when their effects agree
_SPAN = 100  # values that span more than this factor are compared by their logarithm


@dataclass(frozen=True, slots=True)
class Scale:
    """Objectives made comparable: minimised, over one range, wide spans by their logarithm."""

    sign: Array
    logarithm: Array
    low: Array
    width: Array

    @classmethod
    def of(cls, shown: Array, sign: Array) -> Scale:
        smallest, largest = shown.min(axis=0), shown.max(axis=0)
        logarithm = (smallest > 0) & (largest > _SPAN * smallest)
        plain = cls(sign, logarithm, np.zeros(len(sign)), np.ones(len(sign)))
        ends = plain.apply(np.stack([smallest, largest]))
        low, high = ends.min(axis=0), ends.max(axis=0)
        return cls(sign, logarithm, low, np.where(high > low, high - low, 1.0))

    def apply(self, shown: Array) -> Array:
        values = np.where(self.logarithm, np.log(np.where(self.logarithm, shown, 1.0)), shown)
        return np.asarray((values * self.sign - self.low) / self.width)


class Surrogate:
    """Fitted to known nodes and their (comparable) values, one column an objective."""

    def __init__(self, levels: Sequence[int], known: Array, values: Array) -> None:
        self._levels, self._known = levels, known
        self._mean = values.mean(axis=0)
        sizes = np.array(levels)
        self._effects = backfit(known, values - self._mean, sizes, _ROUNDS, _RIDGE)
        self._residual = values - self._additive(known)
        self._apart = self._distances()

    def _additive(self, nodes: Array) -> Array:
        total = np.tile(self._mean, (len(nodes), 1))
        for j in range(len(self._levels)):
            total += self._effects[j][nodes[:, j]]
        return total

    def _distances(self) -> Array:
        gap = np.abs(self._effects[:, :, None] - self._effects[:, None]).sum(axis=3)
        return np.asarray(gap + _STEP * (1 - np.eye(gap.shape[1])))

    def guess(self, nodes: Array) -> Array:
        return np.asarray(
            self._additive(nodes) + guess(nodes, self._known, self._apart, self._residual)
        )
