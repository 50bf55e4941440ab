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

from paretonym.kernels.screening import guess
from paretonym.measures.measure import Array

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
        self._effects = self._fit(known, values - self._mean)
        self._residual = values - self._additive(known)
        self._apart = self._distances()

    def _fit(self, known: Array, values: Array) -> list[Array]:
        """Backfitting: each attribute in turn explains what the others leave.

        Sums by numpy's bincount, in the nodes' order: the same bits on any number of threads.
        """
        effects = [np.zeros((count, values.shape[1])) for count in self._levels]
        seen = [np.bincount(known[:, j], minlength=n) for j, n in enumerate(self._levels)]
        rest = values.copy()
        for _ in range(_ROUNDS):
            for j, count in enumerate(self._levels):
                rest += effects[j][known[:, j]]
                sums = [np.bincount(known[:, j], column, count) for column in rest.T]
                effects[j] = np.stack(sums, axis=1) / (seen[j] + _RIDGE)[:, None]
                rest -= effects[j][known[:, j]]
        return effects

    def _additive(self, nodes: Array) -> Array:
        total = np.tile(self._mean, (len(nodes), 1))
        for j, effect in enumerate(self._effects):
            total += effect[nodes[:, j]]
        return total

    def _distances(self) -> Array:
        size = max(self._levels)
        apart = np.zeros((len(self._levels), size, size))
        for j, effect in enumerate(self._effects):
            gap = np.abs(effect[:, None] - effect[None]).sum(axis=2)
            count = len(effect)
            apart[j, :count, :count] = gap + _STEP * (1 - np.eye(count))
        return apart

    def guess(self, nodes: Array) -> Array:
        return np.asarray(
            self._additive(nodes) + guess(nodes, self._known, self._apart, self._residual)
        )
