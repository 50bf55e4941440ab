"""One generation of the memetic algorithm (Chertov and Tavrov 2017, section 4.2; Tavrov and Chertov
2016, "Outline of the algorithm").

Every operator leaves individuals that keep the rules: no record twice, one member and one other of
two areas and of one kind in a row, and only records that may move. So no area can lose more
members than it has, nor take in more than it has others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.kernels.distance import FAR
from paretonym.kernels.jit import compiled, inner, lean
from paretonym.kernels.rematching import improve
from paretonym.kernels.swaps import (
    MEMBER,
    OTHER,
    Population,
    SwapTask,
    below,
    cost_of,
    first_of_kind,
    mark,
    nearest_member,
    nearest_other,
    resulting_signal,
    uniform,
    unmark,
)
from paretonym.model.arrays import Array, Int

ALIKE = 0.03  # a standard deviation of fitness below which mutation is BOOST times as likely
BOOST = 10.0


class Odds(NamedTuple):
    """How often what happens."""

    parents: int  # μ
    tournament: int
    crossover: float
    mutation: float
    local: float  # p_mem
    improved: bool


@inner
def weighted(chance: Array, weights: Array) -> Int:
    """A place, as likely as its weight says; -1 when all weights are 0."""
    total = np.int64(0)
    for place in range(len(weights)):
        total += weights[place]
    if total == 0:
        return -1
    left = below(chance, total)
    for place in range(len(weights)):
        left -= weights[place]
        if left < 0:
            return place
    return -1


@inner
def any_free(
    task: SwapTask, population: Population, listed: Array, low: Int, high: Int, kind: Int
) -> Int:
    """A free record of a kind among those of one area, -1 without one.

    Where the one drawn is taken, the next free one is; few records are ever taken.
    """
    first = first_of_kind(listed, task.kind, low, high, kind)
    end = first_of_kind(listed, task.kind, first, high, kind + 1)
    if first == end:
        return -1
    drawn = below(population.chance, end - first)
    for step in range(end - first):
        record = listed[first + (drawn + step) % (end - first)]
        if population.owner[record] == 0:
            return record
    return -1


@inner
def any_other(task: SwapTask, population: Population, area: Int, kind: Int) -> Int:
    low, high = task.first_other[area], task.first_other[area + 1]
    return any_free(task, population, task.others, low, high, kind)


@inner
def any_member(task: SwapTask, population: Population, area: Int) -> Int:
    """A free member of an area, each as likely as the next; -1 without one."""
    low, high = task.first_member[area], task.first_member[area + 1]
    free = 0
    for at in range(low, high):
        free += population.owner[task.members[at]] == 0
    drawn = below(population.chance, free)
    for at in range(low, high):
        if population.owner[task.members[at]] == 0:
            if drawn == 0:
                return task.members[at]
            drawn -= 1
    return -1


@compiled
def random_rows(task: SwapTask, population: Population, own: Int, wanted: Int) -> None:
    """Areas left as likely as their members are many, areas entered as their records are many.

    Fewer rows than wanted where members find no partner any more.
    """
    areas = len(task.signal)
    leave, enter = np.empty(areas, np.int64), np.empty(areas, np.int64)
    for area in range(areas):
        some = task.first_member[area + 1] > task.first_member[area]
        leave[area] = task.signal[area] if some else 0
    population.filled[own] = 0
    while population.filled[own] < wanted:
        area = weighted(population.chance, leave)
        if area < 0:
            break
        member = any_member(task, population, area)
        if member < 0:
            leave[area] = 0
            continue
        for at in range(areas):
            some = task.first_other[at + 1] > task.first_other[at] and at != area
            enter[at] = task.sizes[at] if some else 0
        row = population.filled[own]
        population.owner[member] = -1  # not to be drawn again, partner or not
        entered = weighted(population.chance, enter)
        while entered >= 0:
            other = any_other(task, population, entered, task.kind[member])
            if other >= 0:
                population.rows[own, row, MEMBER] = member
                population.rows[own, row, OTHER] = other
                population.cost[own, row] = cost_of(task, member, other)
                population.owner[other] = row + 1
                population.filled[own] = row + 1
                break
            enter[entered] = 0
            entered = weighted(population.chance, enter)
    unmark(population, own)
    for at in range(len(task.members)):
        population.owner[task.members[at]] = 0


@lean
def join(
    population: Population, head: Int, head_rows: Int, tail: Int, tail_from: Int, own: Int
) -> None:
    """The first rows of one parent, then of the other's last rows those that clash with none.

    A row is dropped only when a kept one uses one of its records: none of them could come back.
    """
    rows, cost, owner = population.rows, population.cost, population.owner
    used = 0
    for part in range(2):
        source = tail if part else head
        low = tail_from if part else 0
        high = population.filled[tail] if part else head_rows
        for r in range(low, high):
            member, other = rows[source, r, MEMBER], rows[source, r, OTHER]
            if owner[member] != 0 or owner[other] != 0:
                continue
            owner[member] = owner[other] = used + 1
            rows[own, used, MEMBER], rows[own, used, OTHER] = member, other
            cost[own, used] = cost[source, r]
            used += 1
    population.filled[own] = used
    unmark(population, own)


@lean
def recombine(
    population: Population, odds: Odds, first: Int, second: Int, one: Int, two: Int
) -> None:
    """Both parents are cut between rows, each at a place of its own, and exchange their tails."""
    cut, other_cut = population.filled[first], population.filled[second]
    if uniform(population.chance) < odds.crossover:
        cut = below(population.chance, population.filled[first] + 1)
        other_cut = below(population.chance, population.filled[second] + 1)
    join(population, first, cut, second, other_cut, one)
    join(population, second, other_cut, first, cut, two)


@inner
def fits(task: SwapTask, member: Int, other: Int) -> bool:
    return (  # type: ignore[no-any-return]
        task.area[member] != task.area[other] and task.kind[member] == task.kind[other]
    )


@lean
def swap_mutation(
    task: SwapTask, population: Population, own: Int, column: Int, probability: float
) -> None:
    """Two rows exchange what stands in a column, area and record together, if they then fit."""
    rows, count = population.rows, population.filled[own]
    if uniform(population.chance) >= probability or count < 2:
        return
    i = below(population.chance, count)
    j = (i + 1 + below(population.chance, count - 1)) % count
    if not fits(task, rows[own, i, MEMBER], rows[own, j, OTHER]):
        return
    if not fits(task, rows[own, j, MEMBER], rows[own, i, OTHER]):
        return
    rows[own, i, column], rows[own, j, column] = rows[own, j, column], rows[own, i, column]
    for r in (i, j):
        population.cost[own, r] = cost_of(task, rows[own, r, MEMBER], rows[own, r, OTHER])


@lean
def reset_mutation(
    task: SwapTask, population: Population, own: Int, column: Int, probability: float
) -> None:
    """A record gives way to any free one of its area, in each row with the same probability."""
    rows = population.rows
    mark(population, own)
    for r in range(population.filled[own]):
        if uniform(population.chance) >= probability:
            continue
        old = rows[own, r, column]
        area, kind = task.area[old], task.kind[old]
        if column == MEMBER:
            low, high = task.first_member[area], task.first_member[area + 1]
            new = any_free(task, population, task.members, low, high, kind)
        else:
            new = any_other(task, population, area, kind)
        if new >= 0:
            population.owner[old], population.owner[new] = 0, r + 1
            rows[own, r, column] = new
            population.cost[own, r] = cost_of(task, rows[own, r, MEMBER], rows[own, r, OTHER])
    unmark(population, own)


@lean
def local_search(task: SwapTask, population: Population, own: Int, local: float) -> None:
    """Each row takes the nearest free other, with probability p_mem, or else the nearest member.

    A row's own records are free for it, so that its distortion never rises.
    """
    rows, owner = population.rows, population.owner
    mark(population, own)
    for r in range(population.filled[own]):
        member, other = rows[own, r, MEMBER], rows[own, r, OTHER]
        if uniform(population.chance) <= local:
            owner[other] = 0
            new, cost = nearest_other(task, owner, member, task.area[other], FAR)
            rows[own, r, OTHER] = new
        else:
            owner[member] = 0
            new, cost = nearest_member(task, owner, other, task.area[member])
            rows[own, r, MEMBER] = new
        owner[new] = r + 1
        population.cost[own, r] = cost
    unmark(population, own)


@lean
def evaluate(task: SwapTask, population: Population, own: Int, odds: Odds) -> None:
    """The fitness of Chertov and Tavrov 2017, eq. 3; improved: fewest members too many, then least
    distortion.
    """
    resulting_signal(task, population, own)
    total = np.int64(0)
    for r in range(population.filled[own]):
        total += population.cost[own, r]
    compatible, too_many = 1.0, np.int64(0)
    last = task.content.shape[1] - 1
    for i in range(len(task.restricted)):
        value = population.after[task.restricted[i]]
        compatible *= task.content[i, min(value, last)]
        too_many += max(0, value - task.limit[task.restricted[i]])
    population.total[own] = total
    population.compatible[own] = compatible
    if odds.improved:
        population.fitness[own] = -too_many - total / task.worst
    else:
        quality = (task.most - total) / task.most * compatible
        population.fitness[own] = quality / task.penalty[population.filled[own]]


@compiled
def best_first(population: Population, considered: Int) -> None:
    """Sort the first slots in `order`; of equals the one that was first stays first."""
    slots = population.order[:considered].copy()
    population.order[:considered] = slots[np.argsort(-population.fitness[slots], kind="mergesort")]


@inner
def winner(population: Population, odds: Odds) -> Int:
    """Of a tournament; of equals the first drawn."""
    best = population.order[below(population.chance, odds.parents)]
    for _ in range(odds.tournament - 1):
        rival = population.order[below(population.chance, odds.parents)]
        if population.fitness[rival] > population.fitness[best]:
            best = rival
    return best


@compiled
def generation(task: SwapTask, population: Population, odds: Odds) -> None:
    """Offspring of λ pairs; then the best μ of parents and offspring are the parents."""
    parents = population.fitness[population.order[: odds.parents]]
    mutation = odds.mutation * BOOST if parents.std() < ALIKE else odds.mutation
    for place in range(odds.parents, len(population.order), 2):
        first, second = winner(population, odds), winner(population, odds)
        one, two = population.order[place], population.order[place + 1]
        recombine(population, odds, first, second, one, two)
        for own in (one, two):
            for column in (MEMBER, OTHER):
                swap_mutation(task, population, own, column, mutation)
                reset_mutation(task, population, own, column, mutation)
            if odds.improved:
                improve(task, population, own, odds.local)
            else:
                local_search(task, population, own, odds.local)
            evaluate(task, population, own, odds)
    best_first(population, len(population.order))
