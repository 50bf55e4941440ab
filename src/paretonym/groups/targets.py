"""The least distortion that masks a group's outliers in a region, and how far that is proven.

Choosing the modified signal is part of the problem. The restrictions alone ask for a least number
of removals from each outlier and for a least number altogether; the cheapest swaps for these bound
every solution from below, since more removals never cost less. Whether anything still stands out
is no matter of flows: where something does, outliers sink further and other areas take in fewer,
until nothing does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from paretonym.errors import InfeasibleError
from paretonym.groups.flow import Flow, Network
from paretonym.groups.restrictions import Restriction
from paretonym.model.arrays import Ints, Pairs

_STEPS = 7  # halvings of the way between removals that pass and such that do not
_PATH = (1.0, 0.75, 0.5, 0.25, 1.125, 1.25, 1.5, 1.75, 2.0)  # tried until something passes
_ROUNDING = 1e-9  # of sums of logarithms
_CAPS = 40  # times that areas which newly stand out are held down

_CLOSED = 8  # areas that are tried without

Standing = Callable[[Ints], Sequence[int]]  # areas that stand out in a signal, by their place


@dataclass(frozen=True, eq=False, slots=True)
class Masked:
    """Swaps, what they distort, and what any swaps would distort at least; millionths."""

    pairs: Pairs
    distortion: int
    lower_bound: int
    flows: int  # solved on the way

    @property
    def gap(self) -> float:
        """0 means proven: nothing that fulfils the restrictions distorts less."""
        return (self.distortion - self.lower_bound) / self.distortion if self.distortion else 0.0


@dataclass(frozen=True, eq=False, slots=True)
class MaskingDemand:
    """What the modified signal must fulfil."""

    restrictions: Sequence[Restriction]
    places: Sequence[int]  # of the restricted areas
    compatible: float  # 0 to 1: what the product of compatibilities must reach
    standing: Standing  # what may not be there afterwards

    def removals(self, signal: Ints, level: float) -> Ints:
        """The fewest that bring every restricted area to this compatibility by itself."""
        found = np.zeros(len(signal), np.int64)
        for place, one in zip(self.places, self.restrictions, strict=True):
            found[place] = max(0, int(signal[place]) - one.highest(level))
        return found

    def more(self, fewest: Ints, signal: Ints) -> int:
        """So many removals beyond the fewest are needed at least, wherever they are made.

        The logarithms of compatibilities add up, and none rises faster than its concave hull.
        """
        lacking, steps = -math.log(self.compatible), []
        for place, one in zip(self.places, self.restrictions, strict=True):
            now = int(signal[place]) - int(fewest[place])
            values = range(now, min(now, math.floor(one.threshold)) - 1, -1)
            grades = [math.log(one.compatibility(value)) for value in values]
            lacking += grades[0]
            steps += _steepest(grades)
        count = 0
        for step in sorted(steps, reverse=True):
            if lacking > -_ROUNDING:
                break
            lacking, count = lacking + step, count + 1
        return count

    def content(self, signal: Ints) -> bool:
        """Whether the restrictions hold together."""
        product = 1.0
        for place, one in zip(self.places, self.restrictions, strict=True):
            product *= one.compatibility(int(signal[place]))
        return product >= self.compatible


def _steepest(heights: Sequence[float]) -> list[float]:
    """What each step rises on the concave hull of heights one step apart."""
    hull = [0]
    for at in range(1, len(heights)):
        while len(hull) > 1 and (heights[hull[-1]] - heights[hull[-2]]) * (at - hull[-1]) <= (
            heights[at] - heights[hull[-1]]
        ) * (hull[-1] - hull[-2]):
            hull.pop()
        hull.append(at)
    return [(heights[b] - heights[a]) / (b - a) for a, b in pairwise(hull) for _ in range(b - a)]


def mask(
    network: Network, demand: MaskingDemand, *, progress: Callable[[int], None] | None = None
) -> Masked:
    """The cheapest swaps found, with a bound that holds for all."""
    return _Search(network, demand, progress or (lambda _: None)).run()


class _Search:
    def __init__(
        self, network: Network, demand: MaskingDemand, progress: Callable[[int], None]
    ) -> None:
        self._network, self._demand, self._progress = network, demand, progress
        self._signal = network.region.signal
        self._best: Flow | None = None
        self._flows = 0

    def run(self) -> Masked:
        fewest = self._demand.removals(self._signal, self._demand.compatible)
        more = self._demand.more(fewest, self._signal)
        cheapest = self._solve(fewest, self._network.most, more)
        bound, areas = cheapest.distortion, self._network.region.area
        left = np.bincount(areas[cheapest.pairs[:, 0]], minlength=len(fewest))
        if self._masked(left) is None:
            self._elsewhere(left, cheapest.pairs)
        if self._distance(bound):
            self._sink(fewest, bound)
        if self._best is None:
            raise InfeasibleError(
                "no swaps were found after which nothing stands out that may not, however far "
                "the outliers sink; let members enter more areas (protect.to), let some outliers "
                "remain (protect.remaining), or allow new ones (protect.new_outliers)"
            )
        return Masked(self._best.pairs, self._best.distortion, bound, self._flows)

    def _solve(self, removals: Ints, room: Ints, more: int = 0) -> Flow:
        self._flows += 1
        self._progress(1)
        return self._network.solve(removals, room, more=more)

    def _elsewhere(self, removals: Ints, pairs: Pairs) -> None:
        """The same removals with one area closed: who enters where decides what stands out too."""
        region = self._network.region
        entered = np.bincount(region.area[pairs[:, 1]], minlength=len(removals))
        for place in np.argsort(-entered, kind="stable")[:_CLOSED]:
            room = self._network.most.copy()
            room[place] = 0
            self._masked(removals, room)

    def _masked(self, removals: Ints, room: Ints | None = None) -> Flow | None:
        """The cheapest swaps of so many that pass, where areas that newly stand out are held down.

        Each time such an area gives up all that it has above those that do not stand out; where
        that leads nowhere, half of it.
        """
        room = self._network.most if room is None else room
        found = self._held_down(removals, room.copy(), 1)
        return found or self._held_down(removals, room.copy(), 2)

    def _held_down(self, removals: Ints, room: Ints, part: int) -> Flow | None:
        restricted = set(self._demand.places)
        for _ in range(_CAPS):
            try:
                flow = self._solve(removals, room)
            except InfeasibleError:
                return None
            after = self._network.region.after(flow.pairs)
            out = set(self._demand.standing(after))
            if not out and self._demand.content(after):
                self._keep(flow)
                return flow
            if out & restricted or not out:
                return None  # only more removals can help
            level = max(int(value) for place, value in enumerate(after) if place not in out)
            for place in out:
                given_up = max(1, -(-(int(after[place]) - level) // part))
                entered = int(after[place]) - int(self._signal[place])
                room[place] = entered - min(given_up, max(entered, 1))
            if (room < 0).any():
                return None
        return None

    def _keep(self, flow: Flow) -> None:
        if self._best is None or flow.distortion < self._best.distortion:
            self._best = flow

    def _distance(self, bound: int) -> bool:
        """Whether anything may be cheaper than the best so far."""
        return self._best is None or self._best.distortion > bound

    def _sink(self, fewest: Ints, bound: int) -> None:
        """Somewhere between the fewest removals and all: as few as pass; then one by one."""
        passing = next((at for at in _PATH if self._masked(self._removals(at)) is not None), None)
        if passing is None:
            return
        low, high = max((at for at in (0.0, *_PATH) if at < passing), default=0.0), passing
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if self._masked(self._removals(middle)) is not None:
                high = middle
            else:
                low = middle
        self._ease(self._removals(high), fewest, bound)

    def _removals(self, at: float) -> Ints:
        """0: what is wanted; 1: full compatibility of every outlier; 2: everybody who may leave."""
        demand, can = self._demand, self._network.removable
        level = demand.compatible + min(at, 1.0) * (1.0 - demand.compatible)
        found = np.minimum(demand.removals(self._signal, level), can)
        if at > 1.0:
            places = list(demand.places)
            found[places] += ((at - 1.0) * (can - found)[places]).astype(np.int64)
        return found

    def _ease(self, removals: Ints, fewest: Ints, bound: int) -> None:
        """Of each outlier in turn as few removals as still pass."""
        for place in self._demand.places:
            low, high = int(fewest[place]) - 1, int(removals[place])
            while high - low > 1 and self._distance(bound):
                middle = (low + high) // 2
                removals[place] = middle
                if self._masked(removals) is not None:
                    high = middle
                else:
                    low = middle
            removals[place] = high
