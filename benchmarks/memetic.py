"""Swaps that hide a group: a run of paper size of each variant, against the optimum."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
from scipy.optimize import linear_sum_assignment

from paretonym.groups.memetic import Evolved, Individual, evolve_swaps
from paretonym.groups.restrictions import Restriction
from paretonym.groups.swapping import MILLION, Region
from paretonym.kernels.distance import Traits, distortions
from paretonym.model.protect import Memetic

RECORDS, AREAS = 91_398, 38  # as Chertov and Tavrov 2017
OUTLIERS = {4: 97, 28: 45}  # areas and their members
THRESHOLD, WANTED = 10, 0.5
SEED = 1
# how many values each attribute has: income, time of departure and age have many
VALUES = (60, 12, 2, 7, 50, 5, 6, 10, 200, 60, 7, 400, 5)


def draw_region(draw: np.random.Generator, *, records: int = RECORDS) -> Region:
    """Low codes are the frequent ones, and members of the group are more alike than others."""
    shares = draw.gamma(2.0, 1.0, AREAS) + 0.2
    area = draw.choice(AREAS, records, p=shares / shares.sum())
    member = np.zeros(records, bool)
    for place in range(AREAS):
        few = OUTLIERS.get(place, int(draw.integers(0, 14)))
        member[np.flatnonzero(area == place)[:few]] = True
    columns = []
    for values in VALUES:
        usual = np.minimum(values - 1, (draw.random(records) ** 2 * values).astype(int))
        alike = np.minimum(values - 1, (draw.random(records) ** 5 * values).astype(int))
        columns.append(np.where(member, alike, usual))
    traits = Traits(
        np.stack(columns, axis=1).astype(np.int32),
        np.full(len(VALUES), MILLION),
        np.empty((records, 0)),
        np.empty(0),
    )
    names = tuple(str(place + 1) for place in range(AREAS))
    return Region(
        names, area.astype(np.int64), member, np.arange(records), traits,
        np.zeros(records, np.int64), np.zeros(records, bool),
    )  # fmt: skip


def least_distortion(region: Region, restrictions: list[Restriction]) -> int:
    """The optimum when no restricted area is entered: an assignment, in millionths.

    With m members none needs more than its m nearest others; those that stay are assigned to
    places that cost nothing, as many as their area may keep.
    """
    lowered = {region.areas.index(one.area): one.highest(WANTED) for one in restrictions}
    members = np.flatnonzero(region.member & np.isin(region.area, list(lowered)))
    others = np.flatnonzero(~region.member & ~np.isin(region.area, list(lowered)))
    costs = np.stack([
        distortions(region.traits, np.full(len(others), one), others) for one in members
    ])  # fmt: skip
    nearest = np.argpartition(costs, len(members), axis=1)[:, : len(members)]
    moved = costs[:, np.unique(nearest)]
    stay = [
        np.where(region.area[members][:, None] == area, 0, 10**12).repeat(room, axis=1)
        for area, room in lowered.items()
    ]
    table = np.concatenate([moved, *stay], axis=1)
    return int(table[linear_sum_assignment(table)].sum())


def run() -> dict[str, float]:
    region = draw_region(np.random.default_rng(SEED))
    restrictions = [
        Restriction(region.areas[place], value, Fraction(THRESHOLD))
        for place, value in OUTLIERS.items()
    ]
    least = least_distortion(region, restrictions)
    swaps = sum(OUTLIERS.values())
    print(f"  records, areas, possible swaps:               {RECORDS:10,} {AREAS} {swaps}")
    print(f"  least distortion at the same restrictions:    {least / MILLION:10.1f}")
    found = {}
    for name, improved in (("published", False), ("improved", True)):
        _evolve(region, restrictions, Memetic(runs=1, generations=1, improved=improved))  # warm
        started = time.perf_counter()
        best = _evolve(region, restrictions, Memetic(runs=1, improved=improved)).individuals[0]
        found[name] = time.perf_counter() - started
        _show(region, best, name, found[name])
    return found


def _show(region: Region, best: Individual, name: str, seconds: float) -> None:
    assert region.faults(best.pairs) == []
    after = region.after(best.pairs)
    left = ", ".join(str(after[place]) for place in OUTLIERS)
    distortion, over = best.distortion / MILLION, best.distortion / _least_for(region, best) - 1
    print(f"  {name + ', a run of 1,000 generations:':46}{seconds:10.1f} s (60)")
    fitness, compatible = best.fitness, best.compatible
    print(f"    fitness, compatibility:                     {fitness:10.4f} {compatible:.3f}")
    print(f"    rows, members that stay:                    {len(best.pairs):10} {left}")
    print(f"    distortion, over the least for as many:     {distortion:10.1f} {over:+.2%}")


def _least_for(region: Region, best: Individual) -> int:
    """The optimum that leaves as many members as this solution does."""
    after = region.after(best.pairs)
    return least_distortion(
        region,
        [
            Restriction(region.areas[p], int(after[p]) + 1, Fraction(int(after[p])))
            for p in OUTLIERS
        ],
    )


def _evolve(region: Region, restrictions: list[Restriction], options: Memetic) -> Evolved:
    lowered = np.isin(np.arange(AREAS), list(OUTLIERS))
    return evolve_swaps(
        region, restrictions, options, draw=np.random.default_rng(SEED), leave=lowered,
        enter=~lowered, wanted=WANTED,
    )  # fmt: skip
