"""Which nodes are worth evaluating: order relations, bounds and distances to nodes seen before."""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled
from paretonym.kernels.shapes import Array

NEAREST = 3  # nodes seen before that a guess is made from
NO_BOUND = np.iinfo(np.int64).min  # the best there could be: vectors are minimised
NOTHING = np.iinfo(np.int64).max  # a bound that no node meets: there is no candidate at all


@compiled
def beaten(front: Array, bounds: Array) -> Array:
    """Which bounds some vector of the front dominates: nothing behind them can be new.

    A bound equal to a vector of the front is kept, because a tie may stand behind it.
    """
    count, objectives = bounds.shape
    found = np.zeros(count, np.bool_)
    last = 0  # what beat one bound often beats the next
    for i in range(count):
        for step in range(len(front)):
            f = (last + step) % len(front)
            better, worse = False, False
            for q in range(objectives):
                if front[f, q] > bounds[i, q]:
                    worse = True
                    break
                better |= front[f, q] < bounds[i, q]
            if better and not worse:
                found[i] = True
                last = f
                break
    return found


@compiled
def bounds_from_known(
    nodes: Array, known: Array, above: Array, ceiling: Array, floor: Array, bounds: Array
) -> None:
    """Tighten the bounds of nodes by what coarser and finer known nodes say, in place."""
    count, attributes = nodes.shape
    objectives = bounds.shape[1]
    for i in range(count):
        for m in range(len(known)):
            coarser, finer = True, True
            for j in range(attributes):
                coarser &= above[j, nodes[i, j], known[m, j]]
                finer &= above[j, known[m, j], nodes[i, j]]
                if not coarser and not finer:
                    break
            if coarser:
                for q in range(objectives):
                    bounds[i, q] = max(bounds[i, q], ceiling[m, q])
            if finer:
                for q in range(objectives):
                    bounds[i, q] = max(bounds[i, q], floor[m, q])


@compiled
def guess(nodes: Array, known: Array, apart: Array, residual: Array) -> Array:
    """For each node the residuals of its nearest known nodes, the nearer the heavier.

    `apart[j, a, b]` says how far levels a and b of attribute j are from each other.
    """
    count, attributes = nodes.shape
    wanted = min(NEAREST, len(known))
    result = np.zeros((count, residual.shape[1]))
    place = np.empty(NEAREST, np.int64)
    distance = np.empty(NEAREST)
    for i in range(count):
        distance[:] = np.inf
        for m in range(len(known)):
            far = 0.0
            for j in range(attributes):
                far += apart[j, nodes[i, j], known[m, j]]
                if far >= distance[wanted - 1]:
                    break
            if far >= distance[wanted - 1]:
                continue
            slot = wanted - 1
            while slot > 0 and distance[slot - 1] > far:
                distance[slot] = distance[slot - 1]
                place[slot] = place[slot - 1]
                slot -= 1
            distance[slot] = far
            place[slot] = m
        total = 0.0
        for slot in range(wanted):
            total += 1.0 / (distance[slot] + 1e-3)
        for slot in range(wanted):
            weight = 1.0 / (distance[slot] + 1e-3) / total
            for q in range(residual.shape[1]):
                result[i, q] += weight * residual[place[slot], q]
    return result


@compiled
def gain(front: Array, guesses: Array) -> Array:
    """By how much a guess must worsen in every objective until the front covers it.

    The additive epsilon indicator of one point: negative when the front covers it already.
    """
    result = np.full(len(guesses), np.inf)
    for i in range(len(guesses)):
        for f in range(len(front)):
            most = -np.inf
            for q in range(guesses.shape[1]):
                most = max(most, front[f, q] - guesses[i, q])
                if most >= result[i]:
                    break
            result[i] = min(result[i], most)
    return result
