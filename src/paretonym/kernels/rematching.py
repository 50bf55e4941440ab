"""A local search that looks at an individual's swaps together.

Superfluous swaps are dropped, the most expensive first; missing ones are added, the cheapest
first; then rows take cheaper partners, also such that another row can spare, and free members take
the place of more expensive ones. No area that is content is made discontent by it.
"""

from __future__ import annotations

import numpy as np

from paretonym.kernels.distance import FAR
from paretonym.kernels.jit import compiled, inner
from paretonym.kernels.swaps import (
    MEMBER,
    OTHER,
    Population,
    SwapTask,
    mark,
    nearest_member,
    nearest_other,
    resulting_signal,
    uniform,
    unmark,
)
from paretonym.model.arrays import Int

PASSES = 3


@inner
def cheapest_other(
    task: SwapTask, population: Population, member: Int, most: Int
) -> tuple[Int, Int]:
    """The nearest free other of any area that may take in one more member.

    -1 and FAR where none is below `most`: that saves looking at all areas' lists.
    """
    own, place = task.area[member], task.place[member]
    best, price = np.int64(-1), most
    for area in range(len(task.keep)):
        if task.keep[area] == 0 or task.price[place, task.slot[area]] >= price or area == own:
            continue
        if population.after[area] >= task.limit[area]:
            continue
        other, cost = nearest_other(task, population.owner, member, area, price)
        if other >= 0:
            best, price = other, cost
    return best, price if best >= 0 else FAR


@inner
def set_other(
    task: SwapTask, population: Population, own: Int, row: Int, other: Int, cost: Int
) -> None:
    """To a row whose other was taken away before."""
    population.rows[own, row, OTHER] = other
    population.cost[own, row] = cost
    population.owner[other] = row + 1
    population.after[task.area[other]] += 1


@inner
def take_other(task: SwapTask, population: Population, own: Int, row: Int) -> Int:
    other = population.rows[own, row, OTHER]
    population.owner[other] = 0
    population.after[task.area[other]] -= 1
    return other


@inner
def is_superfluous(task: SwapTask, population: Population, own: Int, row: Int) -> bool:
    """Whether the area that is left stays content without the row."""
    left = task.area[population.rows[own, row, MEMBER]]
    return population.after[left] < task.limit[left]  # type: ignore[no-any-return]


@compiled
def drop_superfluous(task: SwapTask, population: Population, own: Int) -> bool:
    """The most expensive rows first, and again where that has left room; the rest keep order."""
    dropped = False
    rows = population.rows
    while True:
        filled, first = population.filled[own], 0
        while first < filled and not is_superfluous(task, population, own, first):
            first += 1
        if first == filled:
            return dropped
        dropped = True
        kept = np.ones(filled, np.bool_)
        cost = population.cost[own, :filled].astype(np.float64)  # sorted as fitness is elsewhere
        for r in np.argsort(-cost, kind="mergesort"):
            if is_superfluous(task, population, own, r):
                population.after[task.area[rows[own, r, MEMBER]]] += 1
                population.after[task.area[rows[own, r, OTHER]]] -= 1
                kept[r] = False
        unmark(population, own)
        used = 0
        for r in range(filled):
            if kept[r]:
                rows[own, used, MEMBER] = rows[own, r, MEMBER]
                rows[own, used, OTHER] = rows[own, r, OTHER]
                population.cost[own, used] = population.cost[own, r]
                used += 1
        population.filled[own] = used
        mark(population, own)


@inner
def ask_free_members(task: SwapTask, population: Population, area: Int, most: Int) -> None:
    """For what price below `most` each free member of an area could move."""
    for place in range(task.first_member[area], task.first_member[area + 1]):
        population.offer[place] = FAR
        member = task.members[place]
        if population.owner[member] == 0:
            other, cost = cheapest_other(task, population, member, most)
            population.partner[place], population.offer[place] = other, cost


@inner
def best_offer(task: SwapTask, population: Population, area: Int, most: Int) -> Int:
    """The place of the member that moves for least, -1 without one; prices are as of now."""
    while True:
        best = -1
        for place in range(task.first_member[area], task.first_member[area + 1]):
            offer = population.offer[place]
            if offer < FAR and (best < 0 or offer < population.offer[best]):
                best = place
        if best < 0:
            return best
        other = population.partner[best]
        entered = task.area[other]
        if population.owner[other] == 0 and population.after[entered] < task.limit[entered]:
            return best
        other, cost = cheapest_other(task, population, task.members[best], most)
        population.partner[best], population.offer[best] = other, cost


@inner
def add_missing(task: SwapTask, population: Population, own: Int, area: Int) -> bool:
    """Members leave, the cheapest first, until the area is content or none can."""
    if population.after[area] <= task.limit[area]:
        return False
    ask_free_members(task, population, area, FAR)
    added = False
    while population.after[area] > task.limit[area]:
        place = best_offer(task, population, area, FAR)
        if place < 0:
            break
        row, member = population.filled[own], task.members[place]
        population.filled[own] = row + 1
        population.rows[own, row, MEMBER] = member
        population.owner[member] = row + 1
        population.after[area] -= 1
        set_other(task, population, own, row, population.partner[place], population.offer[place])
        population.offer[place] = FAR
        added = True
    return added


@inner
def dearest_row(task: SwapTask, population: Population, own: Int, area: Int) -> Int:
    worst = -1
    for r in range(population.filled[own]):
        if task.area[population.rows[own, r, MEMBER]] == area and (
            worst < 0 or population.cost[own, r] > population.cost[own, worst]
        ):
            worst = r
    return worst


@inner
def exchange_members(task: SwapTask, population: Population, own: Int, area: Int) -> bool:
    """While a free member moves for less than one that moves, it takes that one's place."""
    changed = False
    while True:
        row = dearest_row(task, population, own, area)
        if row < 0:
            return changed
        most = population.cost[own, row]
        if not changed:
            ask_free_members(task, population, area, most)
        place = best_offer(task, population, area, most)
        if place < 0 or population.offer[place] >= most:
            return changed
        changed = True
        take_other(task, population, own, row)
        stays = population.rows[own, row, MEMBER]
        population.owner[stays] = 0
        member = task.members[place]
        population.rows[own, row, MEMBER] = member
        population.owner[member] = row + 1
        set_other(task, population, own, row, population.partner[place], population.offer[place])
        population.offer[place] = FAR
        back = task.place[stays]
        other, cost = cheapest_other(task, population, stays, most)
        population.partner[back], population.offer[back] = other, cost


@inner
def hand_over(task: SwapTask, population: Population, own: Int, row: Int, held: Int) -> bool:
    """A row without an other takes one from a row that finds another for less than it saves."""
    member = population.rows[own, row, MEMBER]
    place = task.place[member]
    for area in range(len(task.keep)):
        if area == task.area[member]:
            continue
        for at in range(task.slot[area], task.slot[area] + task.keep[area]):
            other, cost = task.near[place, at], task.price[place, at]
            if other < 0 or cost >= held:
                break
            if population.owner[other] == 0:
                continue  # its area is full
            giver = population.owner[other] - 1
            old = population.cost[own, giver]
            take_other(task, population, own, giver)
            population.owner[other] = row + 1
            population.after[area] += 1
            spared = population.rows[own, giver, MEMBER]
            new, price = cheapest_other(task, population, spared, held + old - cost)
            population.after[area] -= 1
            if new >= 0:
                set_other(task, population, own, giver, new, price)
                set_other(task, population, own, row, other, cost)
                return True
            set_other(task, population, own, giver, other, old)
    return False


@inner
def rematch(task: SwapTask, population: Population, own: Int, row: Int) -> bool:
    """A row takes the cheapest free other of all areas, or one that another row can spare."""
    old = population.cost[own, row]
    other = take_other(task, population, own, row)
    area = task.area[other]
    held = old if population.after[area] < task.limit[area] else FAR
    new, cost = cheapest_other(task, population, population.rows[own, row, MEMBER], held)
    if new >= 0:
        set_other(task, population, own, row, new, cost)
        return True
    if held < FAR and hand_over(task, population, own, row, held):
        return True
    set_other(task, population, own, row, other, old)
    return False


@inner
def replace_member(task: SwapTask, population: Population, own: Int, row: Int) -> bool:
    member, other = population.rows[own, row, MEMBER], population.rows[own, row, OTHER]
    population.owner[member] = 0
    new, cost = nearest_member(task, population.owner, other, task.area[member])
    cheaper = cost < population.cost[own, row]
    if cheaper:
        population.rows[own, row, MEMBER] = new
        population.cost[own, row] = cost
        member = new
    population.owner[member] = row + 1
    return cheaper  # type: ignore[no-any-return]


@compiled
def improve(task: SwapTask, population: Population, own: Int, local: float) -> None:
    """All of it, a few times over; `local` is the share of rows that look for another other."""
    resulting_signal(task, population, own)
    mark(population, own)
    drop_superfluous(task, population, own)
    for _ in range(PASSES):
        changed = False
        for r in range(population.filled[own]):
            if uniform(population.chance) <= local:
                changed |= rematch(task, population, own, r)
            else:
                changed |= replace_member(task, population, own, r)
        for i in range(len(task.restricted)):
            area = task.restricted[i]
            changed |= add_missing(task, population, own, area)
            changed |= exchange_members(task, population, own, area)
        changed |= drop_superfluous(task, population, own)
        if not changed:
            break
    unmark(population, own)
