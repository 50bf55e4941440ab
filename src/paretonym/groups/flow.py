"""The cheapest swaps for given removals and entries: a minimum-cost flow (Chertov and Tavrov 2017,
its reference 16).

A unit flows from an area that members leave, through one of its members and one record that is no
member, into the area of that record. Prices of areas and records prove that nothing is cheaper:
only few pairs of records are arcs at first, and others become arcs where prices say they matter.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from paretonym.errors import InfeasibleError, JobError, missing
from paretonym.groups.swapping import Region
from paretonym.kernels.distance import FAR, nearest_in, partners_of
from paretonym.kernels.flows import potentials
from paretonym.model.arrays import Codes, Flags, Ints, Pairs

EXTRA = "pip install 'paretonym[protect]'"
_DEPTH = 4  # partners of a member in an area that are listed first
_WIDTH = 32  # listed partners of a member that are arcs first
_ENDLESS = 2**40  # a capacity that nothing fills


def refuse_without_solver() -> None:
    """Told before the work."""
    if find_spec("ortools") is None:
        raise JobError(f"protecting groups needs {missing(['ortools'], EXTRA)}")


@dataclass(frozen=True, eq=False, slots=True)
class Flow:
    """The cheapest swaps: prices have proven that none are cheaper."""

    pairs: Pairs
    distortion: int  # millionths


@dataclass(frozen=True, eq=False, slots=True)
class _Lists:
    """The cheapest partners of each member, area by area; -1 where there are no more."""

    records: Codes  # [members, slots]
    costs: Ints
    slot: Ints  # where each area's slots begin
    keep: Ints  # how many slots each area has
    complete: Flags  # by area: no further partner can be part of a cheapest flow
    arcs: Flags  # [members, slots]: those that flows may take

    @property
    def area(self) -> Ints:
        """Of each slot."""
        return np.repeat(np.arange(len(self.keep)), self.keep)

    def cutoff(self) -> Ints:
        """What every partner that is not listed costs at least, by member and area."""
        last = np.maximum(self.slot + self.keep - 1, 0)
        found = self.costs[:, last]
        found[:, self.complete] = FAR
        return found


class Network:
    """Flows in one region, for several numbers of removals and entries."""

    def __init__(
        self, region: Region, *, leave: Flags, most: Ints, threads: int = 1, pruned: bool = True
    ) -> None:
        """Members leave areas of `leave`; at most `most` of them enter each area, 0 for none.

        Not pruned: all pairs of records are arcs from the beginning, to compare with.
        """
        self.region = region
        free, enter = ~region.fixed, most > 0
        self.members: Ints = np.flatnonzero(region.member & free & leave[region.area])
        others = np.flatnonzero(~region.member & free & enter[region.area])
        self._others = others[np.argsort(region.area[others], kind="stable")]
        self.available: Ints = np.bincount(region.area[others], minlength=len(region.areas))
        self.removable: Ints = np.bincount(region.area[self.members], minlength=len(region.areas))
        self._threads = threads
        self.most: Ints = np.minimum(most, self.available)
        self._pruned = pruned
        self._width = _WIDTH
        self._lists: _Lists | None = None
        self._built: _Built | None = None

    def solve(self, removals: Ints, room: Ints, *, more: int = 0) -> Flow:
        """The cheapest swaps that remove so many members of each area and enter at most `room`.

        So many `more` leave any of these areas. Nobody enters an area that others leave. Arcs are
        added, and lists of partners grow, until the prices prove that nobody else matters.
        """
        room = np.where(removals > 0, 0, np.minimum(room, self.most))
        if not removals.any():
            return Flow(np.empty((0, 2), np.int64), 0)
        while True:
            if self._lists is None:
                self._lists = self._first_lists()
            if self._built is None:
                self._built = _Built(self.region, self._lists, self.members)
            priced = self._built.solve(removals, room, self._spare(removals, more), more)
            if priced is None:
                self._widen(removals, room, more)
                continue
            missing = self._built.missing(priced, room)
            if len(missing[0]):
                self._lists.arcs[missing] = True
                self._built = None
                continue
            short = self._built.short(priced, room)
            if not short.any():
                return priced.flow
            self._deepen(short)

    def _spare(self, removals: Ints, more: int) -> Ints:
        """How many more can leave each area."""
        return np.where(removals > 0, np.minimum(self.removable - removals, more), 0)

    def _first_lists(self) -> _Lists:
        """At most as many of an area as can enter it: more are never needed.

        If a member's partner were none of its `most` cheapest in the area, one of these would be
        free, since at most `most` are taken there: exchanging the two costs nothing more.
        """
        areas = len(self.region.areas)
        none, nothing = np.zeros(areas, np.int64), np.zeros((len(self.members), 0))
        empty = _Lists(nothing.astype(np.int32), nothing.astype(np.int64), none, none,
                       self.most == 0, nothing.astype(np.bool_))  # fmt: skip
        made = self._listed(empty, np.minimum(self.most, _DEPTH) if self._pruned else self.most)
        made.arcs[:] = _cheapest(made, self._width if self._pruned else made.records.shape[1])
        return made

    def _widen(self, removals: Ints, room: Ints, more: int) -> None:
        """Where the arcs do not allow so many swaps: more arcs, then longer lists."""
        lists = self._lists
        if lists is None:
            raise AssertionError("nothing is listed")
        self._refuse_impossible(removals, room, more)
        if lists.arcs.sum() < (lists.records >= 0).sum():
            self._width *= 4
            lists.arcs[:] |= _cheapest(lists, self._width)
            self._built = None
        elif not lists.complete.all():
            self._deepen(~lists.complete)
        else:
            raise InfeasibleError(f"no {int(removals.sum()) + more:,} swaps can be made")

    def _deepen(self, short: Flags) -> None:
        """Lists twice as long for some areas."""
        old = self._lists
        if old is None:
            raise AssertionError("nothing is listed")
        self._lists = self._listed(old, np.where(short, np.minimum(2 * old.keep, self.most),
                                                 old.keep))  # fmt: skip
        self._built = None

    def _listed(self, old: _Lists, keep: Ints) -> _Lists:
        """Lists of these lengths; those of the same length as before are taken over."""
        slot = np.concatenate([[0], np.cumsum(keep)[:-1]])
        shape = (len(self.members), int(keep.sum()))
        records, costs = np.empty(shape, np.int32), np.empty(shape, np.int64)
        arcs = np.zeros(shape, np.bool_)
        place = np.repeat(slot, old.keep) + _within(old.keep)
        records[:, place], costs[:, place], arcs[:, place] = old.records, old.costs, old.arcs
        region, again = self.region, np.flatnonzero(keep > old.keep)
        start = np.concatenate([[0], np.cumsum(self.available)])
        partners = partners_of(region.traits, region.kind, self._others, start)

        def fill(part: slice) -> None:
            nearest_in(region.traits, region.kind, self.members[part], partners, again, keep, slot,
                       records[part], costs[part])  # fmt: skip

        size = -(-max(len(self.members), 1) // self._threads)
        parts = [slice(first, first + size) for first in range(0, len(self.members), size)]
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(fill, parts))
        return _Lists(records, costs, slot, keep, keep >= self.most, arcs)

    def _refuse_impossible(self, removals: Ints, room: Ints, more: int) -> None:
        """A flow of records of one kind and area at once: how many swaps there can be."""
        from ortools.graph.python.max_flow import SimpleMaxFlow

        region, wanted = self.region, int(removals.sum()) + more
        areas, kinds = len(region.areas), int(region.kind.max(initial=0)) + 1
        base = np.array([1, 1 + areas, 1 + areas + kinds])  # areas left, kinds, areas entered
        source, sink = 0, 1 + 2 * areas + kinds
        engine = SimpleMaxFlow()
        number = np.arange(areas)
        leaving = _counted(region.area[self.members], region.kind[self.members])
        entering = _counted(region.area[self._others], region.kind[self._others])
        for tail, head, capacity in (
            (np.full(areas, source), base[0] + number, removals + self._spare(removals, more)),
            (base[0] + leaving[0], base[1] + leaving[1], leaving[2]),
            (base[1] + entering[1], base[2] + entering[0], entering[2]),
            (base[2] + number, np.full(areas, sink), room),
        ):
            engine.add_arcs_with_capacity(tail.astype(np.int32), head.astype(np.int32), capacity)
        if engine.solve(source, sink) != engine.OPTIMAL or engine.optimal_flow() < wanted:
            raise InfeasibleError(
                f"of {wanted:,} swaps that are needed only {engine.optimal_flow():,} can be made: "
                f"too few records that are no members, or too few that agree in what must stay "
                f"(protect.to, protect.keep_margins, protect.untouched)"
            )


def _within(counts: Ints) -> Ints:
    """0, 1, ... for each count."""
    starts = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) - np.repeat(starts, counts)


def _counted(area: Ints, kind: Ints) -> tuple[Ints, Ints, Ints]:
    """Areas and kinds that occur together, and how often."""
    kinds = int(kind.max(initial=0)) + 1
    found, count = np.unique(area * kinds + kind, return_counts=True)
    return found // kinds, found % kinds, count


def _cheapest(lists: _Lists, width: int) -> Flags:
    """So many listed partners of each member."""
    chosen = np.asarray(lists.records >= 0)
    if width < lists.records.shape[1]:
        places = np.argpartition(lists.costs, width, axis=1)[:, :width]
        cheap = np.zeros_like(chosen)
        cheap[np.arange(len(cheap))[:, None], places] = True
        chosen &= cheap
    return chosen


@dataclass(frozen=True, eq=False, slots=True)
class _Priced:
    flow: Flow
    potential: Ints


class _Built:
    """Arcs to some listed partners; only capacities change from flow to flow.

    Nodes: members, listed others, areas left, areas entered, source, sink.
    """

    def __init__(self, region: Region, lists: _Lists, members: Ints) -> None:
        self._lists = lists
        self._region, self._members = region, members
        areas, count = len(region.areas), len(members)
        at, slots = np.nonzero(lists.arcs)
        listed, other = np.unique(lists.records[at, slots], return_inverse=True)
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
            (at, self._others + other, lists.costs[at, slots], 1),
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

    def solve(self, removals: Ints, room: Ints, spare: Ints, more: int) -> _Priced | None:
        """None where the arcs do not allow so many swaps."""
        areas, engine = self._areas, self._engine
        capacity = self.capacity.copy()
        capacity[:areas], capacity[areas : 2 * areas] = spare, room
        engine.set_arc_capacities(np.arange(2 * areas, dtype=np.int32), capacity[: 2 * areas])
        supply = np.zeros(self.nodes, np.int64)
        supply[self._left : self._left + areas] = removals
        supply[self._source], supply[self._sink] = more, -more - int(removals.sum())
        engine.set_nodes_supplies(np.arange(self.nodes, dtype=np.int32), supply)
        if engine.solve() != engine.OPTIMAL:
            return None
        flow = np.asarray(engine.flows(np.arange(len(self.tail), dtype=np.int32)), np.int64)
        return self._priced(flow, capacity, supply)

    def _priced(self, flow: Ints, capacity: Ints, supply: Ints) -> _Priced:
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
        if self._dual(found, capacity, supply) != cost:
            raise AssertionError("the prices do not prove the flow")
        return _Priced(Flow(pairs, cost), found)

    def _dual(self, potential: Ints, capacity: Ints, supply: Ints) -> int:
        """What every flow costs at least by these prices; an arc below its price is full.

        A record that nobody takes may cost as little as its area does, and then no partner that
        is not listed is worth more than its area.
        """
        others = slice(self._others, self._left)
        home = potential[self._entered + self._region.area[self._listed]]
        potential[others] = np.minimum(potential[others], home)
        capped = slice(0, self._matched)
        reduced = potential[self.tail[capped]] - potential[self.head[capped]]
        return -int(supply @ potential) + int(np.minimum(0, reduced) @ capacity[capped])

    def missing(self, priced: _Priced, room: Ints) -> tuple[Ints, Ints]:
        """Listed partners, by member and slot, that are no arcs and could make the flow cheaper."""
        price, own = self._prices(priced, room)
        lists = self._lists
        at, slots = np.nonzero((lists.costs < price[lists.area] - own) & ~lists.arcs)
        records = lists.records[at, slots]
        place = np.minimum(np.searchsorted(self._listed, records), len(self._listed) - 1)
        taken = priced.potential[self._others + place]  # never above the price of the area
        exact = np.where(self._listed[place] == records, taken, price[lists.area[slots]])
        worth = lists.costs[at, slots] < exact - own[at, 0]
        return at[worth], slots[worth]

    def short(self, priced: _Priced, room: Ints) -> Flags:
        """Areas in which a partner beyond the lists could make the flow cheaper."""
        price, own = self._prices(priced, room)
        return np.asarray((self._lists.cutoff() < price - own).any(axis=0))

    def _prices(self, priced: _Priced, room: Ints) -> tuple[Ints, Ints]:
        """Of areas, as low as can be where nobody may enter; and of members."""
        price = priced.potential[self._entered + np.arange(self._areas)]
        return np.where(room > 0, price, -FAR // 2), priced.potential[: self._others][:, None]
