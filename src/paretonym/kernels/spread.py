"""The spread index between every two of several property vectors (Dewri et al. 2010, definition
4).
"""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled
from paretonym.model.arrays import Array


@compiled
def spread_matrix(vectors: Array, people: Array) -> Array:
    """`[a, b]`: how much vector a gives people more than b does; entry i stands for people[i]."""
    count = len(vectors)
    found = np.zeros((count, count), np.int64)
    for a in range(count):
        for b in range(a + 1, count):
            more = less = 0
            for i in range(len(people)):
                gain = (vectors[a, i] - vectors[b, i]) * people[i]
                more += max(gain, 0)
                less -= min(gain, 0)
            found[a, b] = more
            found[b, a] = less
    return found
