"""The cheapest swaps for given removals and entries: a minimum-cost flow (004, its reference 16).

A unit flows from an area that members leave, through one of its members and one record that is no
member, into the area of that record. Prices of areas and records prove that nothing is cheaper.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from paretonym.errors import InfeasibleError, JobError
from paretonym.groups.swapping import Flags, Ints, Pairs, Region
from paretonym.kernels.distance import FAR, nearest
from paretonym.kernels.flows import potentials

EXTRA = "pip install 'paretonym[protect]'"
_DEPTH = 4  # partners of a member in an area that are looked at first
_ENDLESS = 2**40  # a capacity that nothing fills


def refuse_without_solver() -> None:
    """Told before the work."""
    if find_spec("ortools") is None:
        raise JobError(f"protecting groups needs ortools; install it with {EXTRA}")


@dataclass(frozen=True, eq=False, slots=True)
class Flow:
    """The cheapest swaps: prices have proven that none are cheaper."""

    pairs: Pairs
    distortion: int  # millionths


@dataclass(frozen=True, eq=False, slots=True)
class _Partners:
    """The cheapest partners of each member, area by area; -1 where there are no more."""

    records: Ints  # [members, slots]
    costs: Ints
    slot: Ints  # where each area's slots begin
    keep: Ints  # how many slots each area has
    complete: Flags  # by area: no further partner can be part of a cheapest flow

    def cutoff(self) -> Ints:
        """What every partner that is not listed costs at least, by member and area."""
        last = self.slot + np.maximum(self.keep, 1) - 1
        found = self.costs[:, last]
        found[:, self.complete] = FAR
        return found


class Network:
    """Flows in one region, for several numbers of removals and entries."""

    def __init__(self, region: Region, *, leave: Flags, most: Ints, threads: int = 1) -> None:
        """Members leave areas of `leave`; at most `most` of them enter each area, 0 for none."""
        self.region = region
        free, enter = ~region.fixed, most > 0
        self.members: Ints = np.flatnonzero(region.member & free & leave[region.area])
        others = np.flatnonzero(~region.member & free & enter[region.area])
        self._others = others[np.argsort(region.area[others], kind="stable")]
        self.available: Ints = np.bincount(region.area[others], minlength=len(region.areas))
        self.removable: Ints = np.bincount(region.area[self.members], minlength=len(region.areas))
        self._threads = threads
        self._depth = _DEPTH
        self._built: _Built | None = None
        self.most: Ints = np.minimum(most, self.available)

    def solve(self, removals: Ints, room: Ints) -> Flow:
        """The cheapest swaps that remove so many members of each area and enter at most `room`.

        Lists of partners grow until the prices prove that nobody beyond their ends matters.
        """
        room = np.minimum(room, self.most)
        while True:
            if self._built is None:
                self._built = _Built(self.region, self._partners(), self.members)
            flow = self._built.solve(removals, room)
            deepest = bool(self._built.partners.complete.all())
            if flow is not None and (deepest or self._built.proves(flow)):
                return flow.flow
            if deepest:
                raise InfeasibleError(
                    f"no {int(removals.sum())} swaps exist: too few records that are no members, "
                    f"or none of the kind that may be swapped"
                )
            self._depth, self._built = 2 * self._depth, None

    def _partners(self) -> _Partners:
        """At most as many of an area as can enter it: more are never needed.

        If a member's partner were none of its `most` cheapest in the area, one of these would be
        free, since at most `most` are taken there: exchanging the two costs nothing more.
        """
        keep = np.minimum(self.most, self._depth)
        slot = np.concatenate([[0], np.cumsum(keep)[:-1]])
        start = np.concatenate([[0], np.cumsum(self.available)])
        shape = (len(self.members), int(keep.sum()))
        records, costs = np.empty(shape, np.int64), np.empty(shape, np.int64)
        region = self.region

        def fill(part: slice) -> None:
            nearest(region.traits, region.kind, self.members[part], self._others, start, keep,
                    slot, records[part], costs[part])  # fmt: skip

        size = -(-max(len(self.members), 1) // self._threads)
        parts = [slice(first, first + size) for first in range(0, len(self.members), size)]
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(fill, parts))
        return _Partners(records, costs, slot, keep, keep >= self.most)


@dataclass(frozen=True, eq=False, slots=True)
class _Priced:
    flow: Flow
    potential: Ints


class _Built:
    """Arcs for some lists of partners; only capacities change from flow to flow.

    Nodes: members, listed others, areas left, areas entered, source, sink.
    """

    def __init__(self, region: Region, partners: _Partners, members: Ints) -> None:
        self.partners = partners
        self._region, self._members = region, members
        areas, count = len(region.areas), len(members)
        at, slots = np.nonzero(partners.records >= 0)
        listed, other = np.unique(partners.records[at, slots], return_inverse=True)
        self._listed = listed
        self._others = count
        self._left = count + len(listed)
        self._entered = self._left + areas
        self._source = self._entered + areas
        self._sink = self._source + 1
        self.nodes = self._sink + 1
        area = np.arange(areas)
        arcs = (  # tail, head, cost, capacity
            (np.full(areas, self._source), self._left + area, 0, 0),
            (self._entered + area, np.full(areas, self._sink), 0, 0),
            (self._left + region.area[members], np.arange(count), 0, 1),
            (self._others + np.arange(len(listed)), self._entered + region.area[listed], 0, 1),
            (at, self._others + other, partners.costs[at, slots], 1),
        )
        self.tail, self.head = (np.concatenate([arc[end] for arc in arcs]).astype(np.int32)
                                for end in (0, 1))  # fmt: skip
        self.cost, self.capacity = (
            np.concatenate([np.broadcast_to(arc[k], len(arc[0])) for arc in arcs]).astype(np.int64)
            for k in (2, 3)
        )
        self._areas = areas
        self._matched = len(self.tail) - len(at)  # the first arc between a member and another
        self._engine = self._load()

    def _load(self) -> Any:
        from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

        engine = SimpleMinCostFlow()
        engine.add_arcs_with_capacity_and_unit_cost(self.tail, self.head, self.capacity, self.cost)
        return engine

    def solve(self, removals: Ints, room: Ints) -> _Priced | None:
        """None where the lists do not allow so many swaps."""
        areas, engine = self._areas, self._engine
        capacity = self.capacity.copy()
        capacity[:areas], capacity[areas : 2 * areas] = removals, room
        engine.set_arc_capacities(np.arange(2 * areas, dtype=np.int32), capacity[: 2 * areas])
        total = int(removals.sum())
        ends = np.array([self._source, self._sink], np.int32)
        engine.set_nodes_supplies(ends, np.array([total, -total], np.int64))
        if engine.solve() != engine.OPTIMAL:
            return None
        flow = np.asarray(engine.flows(np.arange(len(self.tail), dtype=np.int32)), np.int64)
        return self._priced(flow, capacity)

    def _priced(self, flow: Ints, capacity: Ints) -> _Priced:
        used = np.flatnonzero(flow[self._matched :]) + self._matched
        pairs = np.stack(
            [self._members[self.tail[used]], self._listed[self.head[used] - self._others]], axis=1
        ).astype(np.int64)
        open_end = capacity.copy()
        open_end[self._matched :] = _ENDLESS  # their ends have room for one anyway
        found = potentials(self.nodes, self.tail, self.head, self.cost, flow, open_end)
        cost = int(flow @ self.cost)
        if not len(found):
            raise AssertionError("the flow is not the cheapest one")
        if self._dual(found, capacity) != cost:
            raise AssertionError("the prices do not prove the flow")
        return _Priced(Flow(pairs, cost), found)

    def _dual(self, potential: Ints, capacity: Ints) -> int:
        """What every flow costs at least by these prices; an arc below its price is full.

        A record that nobody takes may cost as little as its area does, and then no partner that
        is not listed is worth more than its area.
        """
        others = slice(self._others, self._left)
        home = potential[self._entered + self._region.area[self._listed]]
        potential[others] = np.minimum(potential[others], home)
        capped = slice(0, self._matched)
        reduced = potential[self.tail[capped]] - potential[self.head[capped]]
        total = int(capacity[: self._areas].sum())
        gained = total * int(potential[self._sink] - potential[self._source])
        return gained + int(np.minimum(0, reduced) @ capacity[capped])

    def proves(self, priced: _Priced) -> bool:
        """Whether no partner beyond the lists could make a flow cheaper."""
        areas = np.arange(self._areas)
        price = priced.potential[self._entered + areas][None, :]
        own = priced.potential[: self._others][:, None]
        return bool((self.partners.cutoff() >= price - own).all())
