"""Evolution of swaps that hide a group (Tavrov and Chertov 2016; Chertov and Tavrov 2017, 4.2).

What the papers leave open or say twice is done like this:

- Columns 1 and 3 (areas) get swap mutation, columns 2 and 4 (records) random resetting: on this
  Tavrov and Chertov 2016 and Chertov and Tavrov 2017 agree. They number the operators differently:
  Chertov and Tavrov 2017 goes column by column, which is followed here, Tavrov and Chertov 2016
  resets last. That a record goes with its area only Tavrov and Chertov 2016 says; without it the
  record would be lost. A swap happens once to a column with probability p_m, a resetting to each of
  its elements.
- Tavrov and Chertov 2016 scales fitness linearly before selection. A tournament only asks which
  fitness is larger, and scaling does not change that; so it is left out.
- The most similar record may be in use: local search takes the most similar free one.
- An offspring that would use a record twice drops the later row.

The improved variant ranks solutions by how many members are too many, and then by distortion; an
area may keep as many as are compatible with its restriction to the degree wanted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from paretonym.groups.restrictions import Restriction
from paretonym.groups.swapping import Region
from paretonym.kernels.distance import FAR, nearest
from paretonym.kernels.memetic import (
    Odds,
    best_first,
    evaluate,
    generation,
    local_search,
    random_rows,
)
from paretonym.kernels.rematching import improve
from paretonym.kernels.swaps import Population, SwapTask
from paretonym.model.arrays import Flags, Ints, Pairs
from paretonym.model.interrupts import interrupts_wait
from paretonym.model.protect import Memetic

# from the rows that are needed to the centre of the penalty: 122 and 130 in Chertov and Tavrov 2017
MORE_ROWS = 8
_NEIGHBOURS = 16  # listed for a member in each area,
_ENTRIES = 4_000_000  # as long as there are no more than this many altogether
_STEEP = 700.0  # exp of more is infinite


@dataclass(frozen=True, eq=False, slots=True)
class Individual:
    """A set of swaps, what it distorts in millionths, and how well it does."""

    pairs: Pairs
    distortion: int
    compatible: float
    fitness: float  # improved: less members too many, less the distortion's share of the largest


@dataclass(frozen=True, eq=False, slots=True)
class Evolved:
    """The last populations, run after run, and each with its best first."""

    individuals: tuple[Individual, ...]
    generations: int  # of every run; fewer than asked for when the user stopped


def evolve_swaps(
    region: Region,
    restrictions: Sequence[Restriction],
    options: Memetic,
    *,
    draw: np.random.Generator,
    leave: Flags,
    enter: Flags,
    wanted: float = 0.5,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Evolved:
    """All runs side by side, a generation of each at a time; Ctrl-C keeps what is known.

    Members move from areas of `leave` to areas of `enter`. The improved variant looks for each
    restricted area to be as low as is compatible to the degree `wanted`; the compatibility of the
    whole signal, a product, is then lower where there are several. Every run has a generator of
    its own, so that neither threads nor the other runs change it. `progress` hears of
    generations, counted over all runs.
    """
    odds = odds_of(options)
    runs: list[Population] = []
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        try:
            with interrupts_wait():
                task = task_of(
                    region, restrictions, options, leave=leave, enter=enter, wanted=wanted
                )
                apart = draw.spawn(options.runs)
                runs = list(pool.map(lambda own: first_population(task, options, own), apart))
            for _ in range(options.generations):
                with interrupts_wait():
                    list(pool.map(lambda run: generation(task, run, odds), runs))
                    done += 1
                if progress:
                    progress(options.runs)
        except KeyboardInterrupt:
            if not runs:
                raise
    return Evolved(tuple(one for run in runs for one in individuals(run, options)), done)


def first_population(task: SwapTask, options: Memetic, draw: np.random.Generator) -> Population:
    """Any number of rows that is possible, each as likely as the next."""
    run, odds = room_for(task, options, draw), odds_of(options)
    most = run.rows.shape[1]
    search = improve if options.improved else local_search
    for own in range(options.population):
        random_rows(task, run, own, int(draw.integers(min(1, most), most + 1)))
        search(task, run, own, odds.local)
        evaluate(task, run, own, odds)
    best_first(run, options.population)
    return run


def individuals(run: Population, options: Memetic) -> list[Individual]:
    """The parents of a population, best first."""
    return [
        Individual(
            run.rows[own, : run.filled[own]].copy(),
            int(run.total[own]),
            float(run.compatible[own]),
            float(run.fitness[own]),
        )
        for own in run.order[: options.population]
    ]


def odds_of(options: Memetic) -> Odds:
    return Odds(
        parents=options.population,
        tournament=options.tournament,
        crossover=float(options.crossover),
        mutation=float(options.mutation),
        local=float(options.local),
        improved=options.improved,
    )


def centre_of(restrictions: Sequence[Restriction], options: Memetic) -> float:
    """c of the penalty for many rows, as asked for or as `Memetic` says."""
    if options.centre is not None:
        return options.centre
    return MORE_ROWS + sum(max(0, one.value - math.floor(one.threshold)) for one in restrictions)


def task_of(
    region: Region,
    restrictions: Sequence[Restriction],
    options: Memetic,
    *,
    leave: Flags,
    enter: Flags,
    wanted: float,
) -> SwapTask:
    """Whatever does not change during a run, neighbours included."""
    members, others = movable(region, leave=leave, enter=enter)
    first_member, first_other = _starts(region, members), _starts(region, others)
    keep, slot = _room_for_neighbours(len(members), np.diff(first_other))
    shape = len(members), int(keep.sum())
    near, price = np.empty(shape, np.int64), np.empty(shape, np.int64)
    nearest(region.traits, region.kind, members, others, first_other, keep, slot, near, price)
    place = np.full(len(region.area), -1)
    place[members] = np.arange(len(members))
    restricted = np.array([region.areas.index(one.area) for one in restrictions], np.int64)
    limit = np.full(len(region.areas), FAR)
    limit[restricted] = [one.highest(wanted) for one in restrictions]
    centre, rows = centre_of(restrictions, options), min(len(members), len(others))
    steep = [min(_STEEP, (row - centre) / 2) for row in range(rows + 1)]
    largest = region.largest_distortion
    return SwapTask(
        traits=region.traits,
        area=region.area,
        kind=region.kind,
        signal=region.signal,
        sizes=region.sizes,
        members=members,
        first_member=first_member,
        place=place,
        others=others,
        first_other=first_other,
        keep=keep,
        slot=slot,
        near=near,
        price=price,
        restricted=restricted,
        content=_content(restrictions),
        limit=limit,
        penalty=np.array([1 + math.exp(power) for power in steep]),
        # nothing to lower, or nothing that distorts: all sets of swaps are equally good
        most=float(largest * region.signal[restricted].sum()) or 1.0,
        worst=float(largest * rows + 1),
    )


def movable(region: Region, *, leave: Flags, enter: Flags) -> tuple[Ints, Ints]:
    """Members and others that some swap may use, each by area, kind and number."""
    others = np.flatnonzero(~region.member & ~region.fixed & enter[region.area])
    members = np.flatnonzero(region.member & ~region.fixed & leave[region.area])
    kinds, coded = np.unique(
        np.concatenate([region.kind[members], region.kind[others]]), return_inverse=True
    )
    cells = len(region.areas) * coded + region.area[np.concatenate([members, others])]
    own, theirs = cells[: len(members)], cells[len(members) :]
    of_kind = np.bincount(coded[len(members) :], minlength=len(kinds))
    of_cell, count = np.unique(theirs, return_counts=True)
    same_area = np.append(count, 0)[_find(of_cell, own)]
    members = members[of_kind[coded[: len(members)]] > same_area]
    return _sorted(region, members), _sorted(region, others)


def _find(listed: Ints, sought: Ints) -> Ints:
    """Where in an ascending list, or its length."""
    at: Ints = np.searchsorted(listed, sought)
    found = np.append(listed, -1)[at] == sought
    return np.where(found, at, len(listed))


def _sorted(region: Region, records: Ints) -> Ints:
    order = np.lexsort((records, region.kind[records], region.area[records]))
    return records[order].astype(np.int64)


def _starts(region: Region, records: Ints) -> Ints:
    counts = np.bincount(region.area[records], minlength=len(region.areas))
    return np.concatenate([[0], np.cumsum(counts)])


def _room_for_neighbours(members: int, others: Ints) -> tuple[Ints, Ints]:
    """How many of each area are listed, and where these lists begin."""
    lists = max(1, members * int((others > 0).sum()))
    keep: Ints = np.minimum(max(1, min(_NEIGHBOURS, _ENTRIES // lists)), others)
    return keep, np.concatenate([[0], np.cumsum(keep)[:-1]])


def _content(restrictions: Sequence[Restriction]) -> np.ndarray:
    """The compatibility of each number of members; the last holds for all larger ones."""
    above = [max(one.value, math.ceil(one.threshold)) + 1 for one in restrictions]
    values = range(max(above, default=0) + 1)
    found = [[one.compatibility(value) for value in values] for one in restrictions]
    return np.array(found, np.float64).reshape(len(restrictions), len(values))


def room_for(task: SwapTask, options: Memetic, draw: np.random.Generator) -> Population:
    slots, rows = options.population + 2 * options.pairs, len(task.penalty) - 1
    seed = draw.integers(0, 2**64, size=1, dtype=np.uint64)
    return Population(
        rows=np.zeros((slots, rows, 2), np.int64),
        cost=np.zeros((slots, rows), np.int64),
        filled=np.zeros(slots, np.int64),
        total=np.zeros(slots, np.int64),
        compatible=np.zeros(slots),
        fitness=np.zeros(slots),
        order=np.arange(slots),
        chance=seed,
        owner=np.zeros(len(task.area), np.int64),
        after=np.zeros(len(task.signal), np.int64),
        partner=np.zeros(len(task.members), np.int64),
        offer=np.zeros(len(task.members), np.int64),
    )
