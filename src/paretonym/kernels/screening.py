"""Which nodes are worth evaluating: order relations, bounds and distances to nodes seen before."""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled, inlined
from paretonym.model.arrays import Array, Int

NEAREST = 3  # nodes seen before that a guess is made from
NO_BOUND = np.iinfo(np.int64).min  # the best there could be: vectors are minimised
NOTHING = np.iinfo(np.int64).max  # a bound that no node meets: there is no candidate at all


@inlined
def is_beaten(front: Array, bound: Array, first: Int) -> Int:
    """The vector of the front that dominates a bound, looked for from `first` on; -1 for none.

    A bound equal to a vector of the front is not beaten: a tie may stand behind it.
    """
    for step in range(len(front)):
        f = (first + step) % len(front)
        better, worse = False, False
        for q in range(len(bound)):
            if front[f, q] > bound[q]:
                worse = True
                break
            better |= front[f, q] < bound[q]
        if better and not worse:
            return f
    return -1


@compiled
def beaten(front: Array, bounds: Array) -> Array:
    """Which bounds some vector of the front dominates: nothing behind them can be new."""
    found = np.zeros(len(bounds), np.bool_)
    last = 0  # what beat one bound often beats the next
    for i in range(len(bounds)):
        by = is_beaten(front, bounds[i], last)
        if by >= 0:
            found[i], last = True, by
    return found


@compiled
def hopeless(
    front: Array,
    nodes: Array,
    known: Array,
    above: Array,
    ceiling: Array,
    floor: Array,
    bounds: Array,
) -> Array:
    """Which nodes the front beats, once coarser and finer known nodes have tightened the bounds."""
    found = np.zeros(len(nodes), np.bool_)
    attributes, objectives = nodes.shape[1], bounds.shape[1]
    last = 0
    for i in range(len(nodes)):
        by = is_beaten(front, bounds[i], last)
        for m in range(len(known)):
            if by >= 0:
                break
            coarser, finer = True, True
            for j in range(attributes):
                coarser &= above[j, nodes[i, j], known[m, j]]
                finer &= above[j, known[m, j], nodes[i, j]]
                if not coarser and not finer:
                    break
            tighter = False
            for q in range(objectives):
                bound = bounds[i, q]
                if coarser:
                    bound = max(bound, ceiling[m, q])
                if finer:
                    bound = max(bound, floor[m, q])
                tighter |= bound > bounds[i, q]
                bounds[i, q] = bound
            if tighter:
                by = is_beaten(front, bounds[i], last)
        if by >= 0:
            found[i], last = True, by
    return found


@compiled
def backfit(known: Array, values: Array, levels: Array, rounds: Int, ridge: float) -> Array:
    """Effects [attribute, level, column] that add up to the values: each in turn explains the rest.

    Sums run in the nodes' order, so that the same nodes give the same bits.
    """
    attributes, columns = known.shape[1], values.shape[1]
    most = levels.max()
    effects = np.zeros((attributes, most, columns))
    sums = np.empty((most, columns))
    seen = np.empty(most)
    rest = values.copy()
    for _ in range(rounds):
        for j in range(attributes):
            sums[:] = 0.0
            seen[:] = 0.0
            for i in range(len(known)):
                level = known[i, j]
                seen[level] += 1.0
                for q in range(columns):
                    rest[i, q] += effects[j, level, q]
                    sums[level, q] += rest[i, q]
            for level in range(most):
                for q in range(columns):
                    effects[j, level, q] = sums[level, q] / (seen[level] + ridge)
            for i in range(len(known)):
                for q in range(columns):
                    rest[i, q] -= effects[j, known[i, j], q]
    return effects


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
