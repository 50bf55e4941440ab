"""The least distortion that masks: against every set of swaps of small regions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from tests.groups.test_memetic import random_region

from paretonym.errors import InfeasibleError
from paretonym.groups.flow import Network
from paretonym.groups.restrictions import Restriction
from paretonym.groups.swapping import Region, pairs_of
from paretonym.groups.targets import MaskingDemand, mask
from paretonym.model.arrays import Ints

LEAVE = np.array([True, True, False, False])


def plans(region: Region, members: list[int], others: frozenset[int]) -> Iterator[list]:
    """Every set of swaps."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    yield from plans(region, rest, others)
    for other in sorted(others):
        if region.kind[first] == region.kind[other]:
            for plan in plans(region, rest, others - {other}):
                yield [(first, other), *plan]


def case(seed: int) -> tuple[Region, Network, MaskingDemand]:
    """Two areas must sink; no other area may have more members than a cap says."""
    draw = np.random.default_rng([seed, 9])
    region = random_region(seed, records=int(draw.integers(9, 14)), kinds=1 + seed % 2)
    movable = np.flatnonzero(region.member & LEAVE[region.area])
    region.fixed[movable[4:]] = True  # four leave at most: all sets can be tried
    signal = region.signal
    restrictions = [
        Restriction(region.areas[place], int(signal[place]), Fraction(int(draw.integers(0, 3))))
        for place in range(2)
    ]
    caps = [99, 99, *(signal[2:] + draw.integers(0, 3, 2))]
    if seed % 3 == 0:  # outliers must sink further than the restrictions say
        caps[:2] = [int(draw.integers(0, signal[p] + 1)) for p in range(2)]

    def standing(after: Ints) -> list[int]:
        return [place for place in range(4) if after[place] > caps[place]]

    demand = MaskingDemand(restrictions, [0, 1], float(draw.choice([0.2, 0.5, 0.9, 1.0])), standing)
    others = np.bincount(region.area[~region.member], minlength=4)
    return region, Network(region, leave=LEAVE, most=np.where(LEAVE, 0, others)), demand


def optimum(region: Region, network: Network, demand: MaskingDemand) -> int | None:
    free = np.flatnonzero(~region.member & ~region.fixed & ~LEAVE[region.area])
    best = None
    for plan in plans(region, network.members.tolist(), frozenset(free.tolist())):
        pairs = pairs_of(plan)
        after = region.after(pairs)
        if demand.content(after) and not demand.standing(after):
            spent = int(region.distortions(pairs).sum())
            best = spent if best is None else min(best, spent)
    return best


def test_bounds_hold_and_plans_pass():
    """Never below the optimum, never above it by the bound; where the gap is 0 it is the optimum.

    Where something must sink further, the search gives up only if it has reason to.
    """
    met = exact = missed = 0
    for seed in range(160):
        region, network, demand = case(seed)
        best = optimum(region, network, demand)
        try:
            found = mask(network, demand)
        except InfeasibleError:
            missed += best is not None
            continue
        assert best is not None, seed
        met += 1
        assert found.lower_bound <= best <= found.distortion, seed
        after = region.after(found.pairs)
        assert demand.content(after), seed
        assert not demand.standing(after), seed
        assert region.faults(found.pairs) == [], seed
        assert found.distortion == region.distortions(found.pairs).sum()
        assert found.gap >= 0
        if found.gap == 0:
            assert found.distortion == best
        exact += found.distortion == best
    assert met >= 80
    assert exact >= 0.95 * met
    assert missed <= 0.03 * met


def scan(demand: MaskingDemand, signal: Ints, fewest: Ints) -> int:
    """The fewest further removals of two outliers whose product suffices."""
    ways = [
        (x + y)
        for x in range(int(signal[0] - fewest[0]) + 1)
        for y in range(int(signal[1] - fewest[1]) + 1)
        if demand.content(signal - fewest - np.array([x, y]))
    ]
    return min(ways)


def test_so_many_more_removals_are_needed():
    """Never more than the least that works, and mostly just that."""
    draw, exact = np.random.default_rng(4), 0
    for _ in range(100):
        signal = draw.integers(1, 40, 2)
        restrictions = [Restriction(a, int(v), Fraction(int(draw.integers(0, v + 3)), 2))
                        for a, v in zip("ab", signal, strict=True)]  # fmt: skip
        demand = MaskingDemand(restrictions, [0, 1], float(draw.uniform(0.05, 1)), lambda _: [])
        fewest = demand.removals(signal, demand.compatible)
        least = scan(demand, signal, fewest)
        assert demand.more(fewest, signal) <= least
        exact += demand.more(fewest, signal) == least
    assert exact >= 90
