"""Sets of swaps as arrays: who may be swapped with whom, who is nearest, and chance.

A swap is a row of two records, a member of the group and an other. The matrices of Chertov and
Tavrov 2017 have four columns, since its records are counted anew in every area; here a record's
number tells its area.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.kernels.distance import FAR, Traits, distortion
from paretonym.kernels.jit import inlined, inner
from paretonym.model.arrays import Array, Int

MEMBER, OTHER = 0, 1  # the columns of a row
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_MIX_AGAIN = np.uint64(0x94D049BB133111EB)


class SwapTask(NamedTuple):
    """What does not change while swaps are sought."""

    traits: Traits
    area: Array  # int64 [records]
    kind: Array  # int64 [records]
    signal: Array  # int64 [areas]: members of the group, movable or not
    sizes: Array  # int64 [areas]: records
    members: Array  # int64: those that may move, by area, kind and number
    first_member: Array  # int64 [areas + 1]: where an area's members begin
    place: Array  # int64 [records]: of a movable member among `members`; -1 for all other records
    others: Array  # int64: those that may move, by area, kind and number
    first_other: Array  # int64 [areas + 1]
    keep: Array  # int64 [areas]: neighbours listed for each member
    slot: Array  # int64 [areas]: where they begin
    near: Array  # int64 [members, slots]: others, cheapest first; -1 where there are no more
    price: Array  # int64 [members, slots]: the distortions of these swaps
    restricted: Array  # int64 [restrictions]: areas
    content: Array  # float64 [restrictions, values]: the compatibility of 0, 1, ... members
    limit: Array  # int64 [areas]: the most members wanted; FAR where any number will do
    # float64 [rows + 1]: what the fitness is divided by (Chertov and Tavrov 2017, eq. 3)
    penalty: Array
    most: float  # C_max
    worst: float  # more than any set of swaps can distort


class Population(NamedTuple):
    """The swaps of parents and offspring, and room to work."""

    rows: Array  # int64 [slots, rows, 2]
    cost: Array  # int64 [slots, rows]: distortions
    filled: Array  # int64 [slots]: rows in use
    total: Array  # int64 [slots]: distortion
    compatible: Array  # float64 [slots]
    fitness: Array  # float64 [slots]
    order: Array  # int64 [slots]: parents, best first; then the slots of offspring
    chance: Array  # uint64 [1]: the state of the generator
    owner: Array  # int64 [records]: 1 + the row that uses a record while it is worked on, or 0
    after: Array  # int64 [areas]: the signal that results
    partner: Array  # int64 [members]: the cheapest free other of a free member,
    offer: Array  # int64 [members]: and its price; FAR where there is none


@inlined
def uniform(chance: Array) -> float:
    """From [0, 1): splitmix64, whose state is a counter."""
    chance[0] += _STEP
    bits = chance[0]
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_AGAIN
    bits ^= bits >> np.uint64(31)
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@inlined
def below(chance: Array, end: Int) -> Int:
    """One of 0, 1, ... end - 1."""
    return np.int64(uniform(chance) * end)


@inner
def first_of_kind(listed: Array, kind: Array, low: Int, high: Int, wanted: Int) -> Int:
    """Where records of a kind begin, or would, among records of one area."""
    while low < high:
        middle = (low + high) // 2
        if kind[listed[middle]] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def mark(population: Population, own: Int) -> None:
    """Note which row uses which record."""
    for r in range(population.filled[own]):
        population.owner[population.rows[own, r, MEMBER]] = r + 1
        population.owner[population.rows[own, r, OTHER]] = r + 1


@inner
def unmark(population: Population, own: Int) -> None:
    for r in range(population.filled[own]):
        population.owner[population.rows[own, r, MEMBER]] = 0
        population.owner[population.rows[own, r, OTHER]] = 0


@inner
def cost_of(task: SwapTask, member: Int, other: Int) -> Int:
    return distortion(task.traits, member, other, FAR)


@inner
def nearest_listed(
    task: SwapTask, owner: Array, listed: Array, low: Int, high: Int, sought: Int
) -> tuple[Int, Int]:
    """The nearest free record of the same kind among those of one area, and its price."""
    kind = task.kind[sought]
    best, price = np.int64(-1), FAR
    for at in range(first_of_kind(listed, task.kind, low, high, kind), high):
        record = listed[at]
        if task.kind[record] != kind:
            break
        if owner[record] == 0:
            cost = distortion(task.traits, sought, record, price)
            if cost < price:
                best, price = record, cost
    return best, price


@inner
def nearest_member(task: SwapTask, owner: Array, other: Int, area: Int) -> tuple[Int, Int]:
    """The free member of an area that is nearest to an other; -1 where there is none."""
    low, high = task.first_member[area], task.first_member[area + 1]
    return nearest_listed(task, owner, task.members, low, high, other)


@inner
def nearest_other(
    task: SwapTask, owner: Array, member: Int, area: Int, most: Int
) -> tuple[Int, Int]:
    """The free other of an area that is nearest to a member; -1 where none is below `most`.

    Only where all neighbours in the list are taken and more are known, they are looked through.
    """
    place = task.place[member]
    low, high = task.first_other[area], task.first_other[area + 1]
    first, end = task.slot[area], task.slot[area] + task.keep[area]
    for at in range(first, end):
        record = task.near[place, at]
        if record < 0 or task.price[place, at] >= most:
            return np.int64(-1), FAR
        if owner[record] == 0:
            return record, task.price[place, at]
    if task.keep[area] == high - low or (end > first and task.price[place, end - 1] >= most):
        return np.int64(-1), FAR
    best, price = nearest_listed(task, owner, task.others, low, high, member)
    if price >= most:
        return np.int64(-1), FAR
    return best, price


@inner
def resulting_signal(task: SwapTask, population: Population, own: Int) -> None:
    """`after`, when the rows of an individual are swapped."""
    after = population.after
    for area in range(len(after)):
        after[area] = task.signal[area]
    for r in range(population.filled[own]):
        after[task.area[population.rows[own, r, MEMBER]]] -= 1
        after[task.area[population.rows[own, r, OTHER]]] += 1
