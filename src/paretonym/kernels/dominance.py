"""Non-dominated vectors and boxes among many, all objectives to be minimised."""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled, inlined
from paretonym.model.arrays import Array


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


@inlined
def no_worse(rows: Array, first: int, second: int) -> bool:
    """Whether one row is at most another in every column."""
    for column in range(rows.shape[1]):  # noqa: SIM110  (numba compiles no generators here)
        if rows[first, column] > rows[second, column]:
            return False
    return True


@inlined
def rival_of(boxes: Array, members: Array, used: int, candidate: int) -> int:
    """A member whose box is no worse than the candidate's, or -1."""
    for place in range(used - 1, -1, -1):  # the most recent ones are the most alike
        if no_worse(boxes, members[place], candidate):
            return int(members[place])
    return -1


@inlined
def drop_covered(boxes: Array, members: Array, used: int, candidate: int) -> int:
    """Close the gaps of the members whose box is no better than the candidate's; those left."""
    left = 0
    for place in range(used):
        if not no_worse(boxes, candidate, members[place]):
            members[left] = members[place]
            left += 1
    return left


@compiled
def offer_boxes(boxes: Array, vectors: Array, held: int) -> Array:
    """Algorithm 1 (Dewri et al. 2010, section 5) for many candidates, one after the other.

    The first `held` rows are the archive, the others are offered in their order. Returns the rows
    of the new archive in the order in which they were taken in. No member's box is dominated by
    another's, so one member with a box no worse than the candidate's tells everything: if it is
    the same box the vectors decide, otherwise the candidate is box-dominated.
    """
    count = len(boxes)
    members = np.empty(count, np.int64)
    for place in range(held):
        members[place] = place
    used = held
    for candidate in range(held, count):
        rival = rival_of(boxes, members, used, candidate)
        if rival >= 0:
            same_box = no_worse(boxes, candidate, rival)
            if not same_box or not no_worse(vectors, candidate, rival):
                continue
            if no_worse(vectors, rival, candidate):  # equal vectors: the first one stays
                continue
        used = drop_covered(boxes, members, used, candidate)
        members[used] = candidate
        used += 1
    return members[:used].copy()
