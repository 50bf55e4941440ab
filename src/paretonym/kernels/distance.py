"""How much a swap of two records distorts (004, eq. 1), in whole millionths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.kernels.jit import compiled, inlined
from paretonym.kernels.shapes import Array, Int

FAR = np.int64(2**62)  # more than any distortion


class Traits(NamedTuple):
    """What the influential metric looks at, record by record."""

    codes: Array  # int32 [records, categorical]: equal codes are one category
    weights: Array  # int64 [categorical], in millionths
    numbers: Array  # float64 [records, ordinal], none below 0; NaN is missing
    importance: Array  # float64 [ordinal], in millionths


@inlined
def distortion(traits: Traits, i: Int, j: Int, most: Int) -> Int:
    """Of swapping records i and j; something from `most` on as soon as that is certain."""
    total = np.int64(0)
    for k in range(traits.codes.shape[1]):
        if traits.codes[i, k] != traits.codes[j, k]:
            total += traits.weights[k]
    if total >= most:
        return total
    for k in range(traits.numbers.shape[1]):
        x, y = traits.numbers[i, k], traits.numbers[j, k]
        if x == y or (np.isnan(x) and np.isnan(y)):
            continue
        part = 1.0 if np.isnan(x) or np.isnan(y) else (x - y) / (x + y)
        total += np.int64(np.floor(traits.importance[k] * part * part + 0.5))
    return total


@compiled
def distortions(traits: Traits, first: Array, second: Array) -> Array:
    """Of the swaps of each pair."""
    found = np.empty(len(first), np.int64)
    for place in range(len(first)):
        found[place] = distortion(traits, first[place], second[place], FAR)
    return found


@compiled
def nearest(
    traits: Traits,
    kind: Array,
    sought: Array,
    others: Array,
    start: Array,
    keep: Array,
    slot: Array,
    records: Array,
    costs: Array,
) -> None:
    """The cheapest partners of each sought record in each area, cheapest first.

    `others` lists possible partners area by area from `start` on; of area b at most `keep[b]` are
    kept, from `slot[b]` on, in the sought record's row of `records` and `costs`. Only records of
    the same kind are partners. Of equals the first one listed is kept; unused slots are -1.
    """
    for place in range(len(sought)):
        own = sought[place]
        for area in range(len(keep)):
            first, room, used = slot[area], keep[area], 0
            for slot_ in range(first, first + room):
                records[place, slot_] = -1
                costs[place, slot_] = FAR
            if room == 0:
                continue
            for at in range(start[area], start[area + 1]):
                other = others[at]
                if kind[other] != kind[own]:
                    continue
                worst = costs[place, first + room - 1]
                cost = distortion(traits, own, other, worst)
                if cost >= worst:
                    continue
                to = first + min(used, room - 1)
                while to > first and costs[place, to - 1] > cost:
                    costs[place, to] = costs[place, to - 1]
                    records[place, to] = records[place, to - 1]
                    to -= 1
                costs[place, to] = cost
                records[place, to] = other
                used += 1
