"""The cheapest swaps for given removals: the same as by trying everything."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from tests.groups.test_memetic import random_region, region_of

from paretonym.errors import InfeasibleError
from paretonym.groups.flow import Network
from paretonym.groups.swapping import Region


def least(region: Region, members, removals, room) -> int | None:
    """Every choice of members, and every order of partners for them; None: there is no way."""
    others = np.flatnonzero(~region.member & ~region.fixed)
    others = [int(o) for o in others if room[region.area[o]] > 0]
    sets = [()]
    for area, count in enumerate(removals):
        own = [int(m) for m in members if region.area[m] == area]
        sets = [(*one, *more) for one in sets for more in combinations(own, count)]
    total = int(sum(removals))
    pairs = np.array([(m, o) for m in members for o in others], np.int64).reshape(-1, 2)
    cost = {tuple(p): int(c) for p, c in zip(pairs.tolist(), region.distortions(pairs), strict=True)
            if region.kind[p[0]] == region.kind[p[1]]}  # fmt: skip
    best = None
    for chosen in permutations(others, total):
        entered = np.bincount(region.area[list(chosen)], minlength=len(room)) if total else room * 0
        if (entered > room).any():
            continue
        for one in sets:
            costs = [cost.get(pair) for pair in zip(one, chosen, strict=True)]
            if None not in costs and (best is None or sum(costs) < best):
                best = sum(costs)
    return best


def tiny(seed: int):
    """Ten records in four areas; up to four leave the first two, the last two have little room."""
    draw = np.random.default_rng([seed, 5])
    region = random_region(seed, records=int(draw.integers(8, 13)), kinds=1 + seed % 2)
    leave = np.array([True, True, False, False])
    network = Network(region, leave=leave, most=np.array([0, 0, *draw.integers(0, 4, 2)]))
    removals = np.minimum([*draw.integers(0, 3, 2), 0, 0], network.removable)
    return region, leave, network, removals


def test_the_flow_is_the_cheapest_of_all_ways():
    """300 cases with kinds, fixed records, little room and an ordinal attribute."""
    solved = 0
    for seed in range(300):
        region, _, network, removals = tiny(seed)
        wanted = least(region, network.members, removals, network.most)
        if wanted is None:
            with pytest.raises(InfeasibleError, match=f"of {removals.sum()} swaps"):
                network.solve(removals, network.most)
            continue
        solved += bool(removals.any())
        found = network.solve(removals, network.most)
        assert found.distortion == wanted, seed
        assert found.distortion == region.distortions(found.pairs).sum()
        assert region.faults(found.pairs) == []
        left = np.bincount(region.area[found.pairs[:, 0]], minlength=4)
        entered = np.bincount(region.area[found.pairs[:, 1]], minlength=4)
        assert left.tolist() == removals.tolist()
        assert (entered <= network.most).all()
    assert 100 < solved < 300


def many(seed: int) -> tuple[Region, np.ndarray, np.ndarray]:
    """Many members that want the same few records: lists of four do not suffice."""
    region = random_region(seed, records=400, areas=5, kinds=1 + seed % 3)
    return region, np.array([1, 1, 0, 0, 0], bool), np.array([0, 0, 60, 60, 60])


@pytest.mark.parametrize("seed", range(12))
def test_pruned_lists_lose_nothing(seed, monkeypatch):
    region, leave, most = many(seed)
    whole = Network(region, leave=leave, most=most, pruned=False)
    removals = np.where(leave, whole.removable * 2 // 3, 0)
    room = np.array([0, 0, 60, 9 + 3 * seed, 4])
    wanted = [whole.solve(removals // part, room).distortion for part in (1, 2, 5)]
    for depth, width in ((1, 1), (1, 32), (4, 2), (4, 32)):
        monkeypatch.setattr("paretonym.groups.flow._DEPTH", depth)
        monkeypatch.setattr("paretonym.groups.flow._WIDTH", width)
        for order in ((0, 1, 2), (2, 1, 0)):  # lists are kept from flow to flow
            network = Network(region, leave=leave, most=most)
            for place in order:
                part = (1, 2, 5)[place]
                flow = network.solve(removals // part, room)
                assert flow.distortion == wanted[place]
                assert region.faults(flow.pairs) == []


def test_the_same_whatever_the_threads():
    region, leave, most = many(3)
    pairs = []
    for threads in (1, 2, 5, 1):
        network = Network(region, leave=leave, most=most, threads=threads)
        removals = np.where(leave, network.removable // 2, 0)
        pairs.append(network.solve(removals, most).pairs.tolist())
    assert all(one == pairs[0] for one in pairs)


def test_nothing_to_remove_costs_nothing():
    region, leave, most = many(1)
    network = Network(region, leave=leave, most=most)
    flow = network.solve(np.zeros(5, np.int64), most)
    assert (flow.distortion, flow.pairs.shape) == (0, (0, 2))


@pytest.mark.parametrize(
    ("kind", "fixed", "most", "can"),
    [
        ([0, 0, 0, 0, 0, 0], [0] * 6, [0, 9], 3),
        ([0, 0, 0, 1, 1, 0], [0] * 6, [0, 9], 1),
        ([0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 9], 2),
        ([0, 0, 0, 0, 0, 0], [0] * 6, [0, 1], 1),
        ([0, 0, 1, 0, 0, 0], [0] * 6, [0, 9], 2),
        ([0, 0, 0, 0, 0, 0], [0] * 6, [9, 0], 0),
    ],
)
def test_too_few_swaps_are_told(kind, fixed, most, can):
    """Three members in the first area, three others in the second."""
    region = region_of([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], [[0]] * 6, kind=kind, fixed=fixed)
    network = Network(region, leave=np.array([True, False]), most=np.array(most))
    if can == 3:
        assert len(network.solve(np.array([3, 0]), network.most).pairs) == 3
        return
    with pytest.raises(InfeasibleError, match=f"of 3 swaps that are needed only {can} can"):
        network.solve(np.array([3, 0]), network.most)
    if can:
        assert len(network.solve(np.array([can, 0]), network.most).pairs) == can
