"""Non-dominated vectors among many, all objectives to be minimised."""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled
from paretonym.kernels.shapes import Array


@compiled
def keep_nondominated(vectors: Array) -> Array:
    """Which rows no other row dominates; rows must be distinct and sorted lexicographically.

    Sorted so, a row can only be dominated by an earlier one, and if so by one that was kept.
    """
    count, objectives = vectors.shape
    keep = np.zeros(count, np.bool_)
    front = np.empty(count, np.int64)
    used = 0
    for i in range(count):
        dominated = False
        for place in range(used - 1, -1, -1):  # the most recent ones are the most alike
            j = front[place]
            better = True
            for objective in range(1, objectives):
                if vectors[j, objective] > vectors[i, objective]:
                    better = False
                    break
            if better:
                dominated = True
                break
        if not dominated:
            keep[i] = True
            front[used] = i
            used += 1
    return keep
