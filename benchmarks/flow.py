"""The cheapest swaps that mask a group: a national file, and what pruning the lists saves."""

from __future__ import annotations

import resource
import time
from fractions import Fraction

import numpy as np

from paretonym.groups.protection import ProtectionTask, demand_of, network_of, protect_by_flow
from paretonym.groups.swapping import MILLION, Region
from paretonym.kernels.distance import Traits
from paretonym.model.group import OutlierRule
from paretonym.model.protect import ProtectSpec

# how many values each attribute has: income, time of departure and age have many
VALUES = (60, 12, 2, 7, 50, 5, 6, 10, 200, 60, 7, 5)
SEED = 1


def draw_task(records: int, areas: int, outliers: int, members: int) -> ProtectionTask:
    """Areas with fewer than 30 members each, and some with as many as `members`.

    Low codes are the frequent ones, and members of the group are more alike than others.
    """
    draw = np.random.default_rng(SEED)
    area = np.sort(draw.integers(0, areas, records))
    first = np.searchsorted(area, np.arange(areas))
    few = draw.integers(0, 30, areas)
    few[:: areas // outliers][:outliers] = members
    member = np.zeros(records, bool)
    for start, count in zip(first.tolist(), few.tolist(), strict=True):
        member[start : start + count] = True
    codes = np.empty((records, len(VALUES)), np.int32)
    for place, values in enumerate(VALUES):
        power = np.where(member, 5, 2)
        codes[:, place] = np.minimum(values - 1, draw.random(records) ** power * values)
    mixed = draw.permutation(records)
    region = Region(
        tuple(f"{place:05d}" for place in range(areas)), area[mixed], member[mixed],
        np.arange(records),
        Traits(codes[mixed], np.full(len(VALUES), MILLION), np.empty((records, 0)), np.empty(0)),
        np.zeros(records, np.int64), np.zeros(records, bool),
    )  # fmt: skip
    rule, spec = OutlierRule(side="upper"), ProtectSpec(distortion=Fraction(1))
    task = ProtectionTask(None, region, rule, spec, ())
    return ProtectionTask(None, region, rule, spec, task.outliers_of(region.signal))


def run() -> dict[str, float]:
    protect_by_flow(draw_task(20_000, 40, 2, 60), threads=2)  # compiled and warm
    return {**_national(), **_pruning()}


def _national() -> dict[str, float]:
    task = draw_task(5_000_000, 1_000, 20, 148)
    started = time.perf_counter()
    flows: list[int] = []
    made = protect_by_flow(task, threads=2, progress=flows.append)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert not made.job_faults
    print(
        f"  records, areas:                               {len(task.region.area):10,} {1_000:10,}"
    )
    print(f"  outliers, members moved:                      {len(task.outliers):10,} "
          f"{len(made.pairs):10,}")  # fmt: skip
    print(f"  flows solved:                                 {len(flows):10,}")
    print(f"  least distortion, two threads:                {seconds:10.1f} s (300)")
    print(f"  distance to what is proven:                   {made.gap:10.2%}")
    print(f"  peak memory, the table included:              {peak:10.2f} GB (4)")
    return {"seconds": seconds, "peak": peak}


def _pruning() -> dict[str, float]:
    """One flow, with short lists of partners and with complete ones."""
    task = draw_task(20_000, 20, 2, 120)
    found = {}
    for name, pruned in (("short", True), ("complete", False)):
        network = network_of(task, threads=2, pruned=pruned)
        removals = demand_of(task, network).removals(task.region.signal, 1.0)
        started = time.perf_counter()
        cost = network.solve(removals, network.most).distortion
        found[name] = (time.perf_counter() - started, cost)
    assert found["short"][1] == found["complete"][1]
    ratio = found["complete"][0] / found["short"][0]
    print(f"  one flow of 20,000 records, complete lists:   {found['complete'][0]:10.2f} s")
    print(f"  the same with lists that grow as needed:      {found['short'][0]:10.2f} s")
    print(f"  -> complete over growing:                     {ratio:10.1f}")
    return {"ratio": ratio}
