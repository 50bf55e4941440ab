"""The least distortion that masks a group's outliers in a region, and how far that is proven.

Choosing the modified signal is part of the problem. The restrictions alone ask for a least number
of removals from each outlier; the cheapest swaps for these bound every solution from below, since
more removals never cost less. Whether anything still stands out is no matter of flows: where
something does, outliers sink further and other areas take in fewer, until nothing does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.errors import InfeasibleError
from paretonym.groups.flow import Flow, Network
from paretonym.groups.restrictions import Restriction
from paretonym.groups.swapping import Ints, Pairs

_STEPS = 7  # halvings of the way between what is wanted and full compatibility
_CAPS = 40  # times that areas which newly stand out are held down

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
class Wish:
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

    def content(self, signal: Ints) -> bool:
        """Whether the restrictions hold together."""
        product = 1.0
        for place, one in zip(self.places, self.restrictions, strict=True):
            product *= one.compatibility(int(signal[place]))
        return product >= self.compatible


def mask(network: Network, wish: Wish, *, progress: Callable[[int], None] | None = None) -> Masked:
    """The cheapest swaps found, with a bound that holds for all."""
    return _Search(network, wish, progress or (lambda _: None)).run()


class _Search:
    def __init__(self, network: Network, wish: Wish, progress: Callable[[int], None]) -> None:
        self._network, self._wish, self._progress = network, wish, progress
        self._signal = network.region.signal
        self._best: Flow | None = None
        self._flows = 0

    def run(self) -> Masked:
        fewest = self._wish.removals(self._signal, self._wish.compatible)
        bound = self._solve(fewest, self._network.most).distortion
        if self._masked(fewest) is None:
            self._sink(fewest, bound)
        if self._best is None:
            raise InfeasibleError(
                "areas stand out even when every outlier sinks to its threshold; lower the "
                "thresholds (protect.threshold), let members enter more areas (protect.to), or "
                "allow new outliers"
            )
        return Masked(self._best.pairs, self._best.distortion, bound, self._flows)

    def _solve(self, removals: Ints, room: Ints) -> Flow:
        self._flows += 1
        self._progress(1)
        return self._network.solve(removals, room)

    def _masked(self, removals: Ints) -> Flow | None:
        """The cheapest swaps of so many that pass, where areas that newly stand out are held down.

        Such an area may take in no more than brings it to the largest that does not stand out.
        """
        room = self._network.most.copy()
        restricted = set(self._wish.places)
        for _ in range(_CAPS):
            try:
                flow = self._solve(removals, room)
            except InfeasibleError:
                return None
            after = self._network.region.after(flow.pairs)
            out = set(self._wish.standing(after))
            if not out and self._wish.content(after):
                self._keep(flow)
                return flow
            if out & restricted or not out:
                return None  # only more removals can help
            level = max(int(value) for place, value in enumerate(after) if place not in out)
            for place in out:
                room[place] = min(room[place] - 1, max(0, level - int(self._signal[place])))
            if (room < 0).any():
                return None
        return None

    def _keep(self, flow: Flow) -> None:
        if self._best is None or flow.distortion < self._best.distortion:
            self._best = flow

    def _sink(self, fewest: Ints, bound: int) -> None:
        """Between what is wanted and full compatibility, as little as passes; then one by one."""
        low, high = self._wish.compatible, 1.0
        most = self._wish.removals(self._signal, 1.0)
        passing = most if self._masked(most) is not None else None
        for _ in range(_STEPS):
            level = (low + high) / 2
            removals = self._wish.removals(self._signal, level)
            if self._masked(removals) is not None:
                high, passing = level, removals
            else:
                low = level
        if passing is not None:
            self._ease(passing.copy(), fewest, bound)

    def _ease(self, removals: Ints, fewest: Ints, bound: int) -> None:
        """Of each outlier in turn as few removals as still pass."""
        for place in self._wish.places:
            low, high = int(fewest[place]) - 1, int(removals[place])
            while high - low > 1 and self._best and self._best.distortion > bound:
                middle = (low + high) // 2
                removals[place] = middle
                if self._masked(removals) is not None:
                    high = middle
                else:
                    low = middle
            removals[place] = high
