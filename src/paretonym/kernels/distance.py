"""How much a swap of two records distorts (Chertov and Tavrov 2017, eq. 1), in whole millionths."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from paretonym.kernels.jit import compiled, inlined
from paretonym.model.arrays import Array, Int

FAR = np.int64(2**62)  # more than any distortion


class Traits(NamedTuple):
    """What the influential metric looks at, record by record."""

    codes: Array  # int32 [records, categorical]: equal codes are one category
    weights: Array  # int64 [categorical], in millionths
    numbers: Array  # float64 [records, ordinal], none below 0; NaN is missing
    importance: Array  # float64 [ordinal], in millionths


@inlined
def ordinal_part(importance: Any, x: Any, y: Any) -> Int:
    """((x - y) / (x + y))² by its importance; 0 of equals, 1 where one of the two is missing."""
    if x == y or (np.isnan(x) and np.isnan(y)):
        return np.int64(0)
    part = 1.0 if np.isnan(x) or np.isnan(y) else (x - y) / (x + y)
    return np.int64(np.floor(importance * part * part + 0.5))


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
        total += ordinal_part(traits.importance[k], traits.numbers[i, k], traits.numbers[j, k])
    return total


@compiled
def distortions(traits: Traits, first: Array, second: Array) -> Array:
    """Of the swaps of each pair."""
    found = np.empty(len(first), np.int64)
    for place in range(len(first)):
        found[place] = distortion(traits, first[place], second[place], FAR)
    return found


BLOCK = 2048  # partners that are compared at once: their distances stay in the nearest cache


class Partners(NamedTuple):
    """Possible partners area by area, their traits side by side."""

    records: Array  # int32
    kind: Array
    codes: Array  # int32 [categorical, partners]
    numbers: Array  # float64 [ordinal, partners]
    start: Array  # where each area begins, and the end of the last
    weights: Array  # of categories, in the narrowest type that holds their sum


def partners_of(traits: Traits, kind: Array, others: Array, start: Array) -> Partners:
    """`others` lists them area by area from `start` on."""
    most = int(traits.weights.sum()) + int(traits.importance.sum()) + len(traits.importance)
    return Partners(
        others.astype(np.int32),
        kind[others],
        np.ascontiguousarray(traits.codes.T[:, others]),
        np.ascontiguousarray(traits.numbers.T[:, others]),
        start,
        traits.weights.astype(np.int32 if most < 2**31 else np.int64),
    )


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
    """The cheapest partners in all areas, of `others` that are listed area by area."""
    partners, areas = partners_of(traits, kind, others, start), np.arange(len(keep))
    nearest_in(traits, kind, sought, partners, areas, keep, slot, records, costs)


@compiled
def nearest_in(
    traits: Traits,
    kind: Array,
    sought: Array,
    partners: Partners,
    areas: Array,
    keep: Array,
    slot: Array,
    records: Array,
    costs: Array,
) -> None:
    """The cheapest partners of each sought record in some areas, cheapest first.

    Of area b at most `keep[b]` are kept, from `slot[b]` on, in the sought record's row of
    `records` and `costs`. Only records of the same kind are partners. Of equals the first one
    listed is kept; unused slots are -1.
    """
    apart = np.empty(BLOCK, partners.weights.dtype)
    used = np.empty(len(sought), np.int64)
    for area in areas:
        first, room = slot[area], keep[area]
        used[:] = 0
        records[:, first : first + room] = -1
        costs[:, first : first + room] = FAR
        if room == 0:
            continue
        for begin in range(partners.start[area], partners.start[area + 1], BLOCK):
            end = min(begin + BLOCK, partners.start[area + 1])
            for place in range(len(sought)):
                own = sought[place]
                _compare(traits, own, partners, begin, end, apart)
                used[place] = _insert(
                    partners, begin, end, apart, kind[own],
                    records[place, first : first + room], costs[place, first : first + room],
                    used[place],
                )  # fmt: skip


@compiled
def _compare(
    traits: Traits, own: Int, partners: Partners, begin: Int, end: Int, apart: Array
) -> None:
    """Distortions of one record with the partners of a block."""
    size = end - begin
    apart[:size] = 0
    for k in range(len(partners.weights)):
        code, weight = traits.codes[own, k], partners.weights[k]
        codes = partners.codes[k, begin:end]
        for at in range(size):
            apart[at] += weight if codes[at] != code else 0
    for k in range(len(traits.importance)):
        x, importance = traits.numbers[own, k], traits.importance[k]
        numbers = partners.numbers[k, begin:end]
        for at in range(size):
            apart[at] += ordinal_part(importance, x, numbers[at])


@compiled
def _insert(
    partners: Partners,
    begin: Int,
    end: Int,
    apart: Array,
    kind: Int,
    records: Array,
    costs: Array,
    used: Int,
) -> Int:
    """Partners of a block among the cheapest so far; how many these are now."""
    last = len(costs) - 1
    worst = costs[last]
    for at in range(end - begin):
        cost = np.int64(apart[at])
        if cost >= worst or partners.kind[begin + at] != kind:
            continue
        to = min(used, last)
        while to > 0 and costs[to - 1] > cost:
            costs[to] = costs[to - 1]
            records[to] = records[to - 1]
            to -= 1
        costs[to] = cost
        records[to] = partners.records[begin + at]
        used = min(used + 1, last + 1)
        worst = costs[last]
    return used
