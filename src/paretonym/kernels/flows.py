"""Prices of a minimum-cost flow: what proves that no cheaper one exists."""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled
from paretonym.model.arrays import Array, Int


@compiled
def potentials(
    nodes: Int, tail: Array, head: Array, cost: Array, flow: Array, capacity: Array
) -> Array:
    """Shortest distances in the residual network, from a root that reaches every node for 0.

    An arc with room leads forward, one with flow leads back at the opposite cost. Distances exist
    because an optimal flow leaves no cycle of negative cost; with any other flow the passes would
    not end, so they are counted, and an empty array says that it was not optimal.
    """
    found = np.zeros(nodes, np.int64)
    for _ in range(nodes + 1):
        changed = False
        for arc in range(len(tail)):
            near, far, price = tail[arc], head[arc], cost[arc]
            if flow[arc] < capacity[arc] and found[far] > found[near] + price:
                found[far] = found[near] + price
                changed = True
            if flow[arc] > 0 and found[near] > found[far] - price:
                found[near] = found[far] - price
                changed = True
        if not changed:
            return found
    return found[:0]
