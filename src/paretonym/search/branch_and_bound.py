"""Branch and bound (`method: exact`): the whole front, proven, without visiting every node.

The lattice is cut into parts, each between a finest and a coarsest node. No node of a part has
more privacy than its coarsest node can reach, none loses less than its finest node does before
suppression; a part whose bound the archive dominates holds nothing new and is dropped. Other
parts are halved on the attribute whose levels lie farthest apart. At every moment the parts
still open are what is not proven yet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.kernels.screening import NO_BOUND
from paretonym.lattice import Lattice
from paretonym.measures.measure import Context
from paretonym.model.arrays import Array
from paretonym.model.granulation import Granulation
from paretonym.model.interrupts import interrupts_wait
from paretonym.search.progress import Progress, Silent
from paretonym.search.scored_nodes import ScoredNodes
from paretonym.search.state import Forgetful, Keeper, State

_BATCH = 64  # parts looked at together; fixed, so that threads change nothing
_WORTH_FINEST = 8  # nodes a part must have for its finest node to be evaluated as well


@dataclass(frozen=True, slots=True)
class Parts:
    """Products of ranges of levels, one row a part; ranges count along each attribute's line."""

    low: Array  # int64 [parts, attributes]
    high: Array
    bounds: Array  # int64 [parts, objectives]: no node of the part is better than this

    def __len__(self) -> int:
        return len(self.low)

    def at(self, index: Array | slice) -> Parts:
        return Parts(self.low[index], self.high[index], self.bounds[index])

    def tightened(self, bounds: Array) -> Parts:
        return Parts(self.low, self.high, np.maximum(self.bounds, bounds))

    def nodes(self) -> int:
        """Exact however many: a product may exceed 64 bits."""
        widths = (self.high - self.low + 1).astype(object)
        return int(np.prod(widths, axis=1).sum()) if len(self) else 0


def joined(first: Parts, second: Parts) -> Parts:
    return Parts(
        np.concatenate([first.low, second.low]), np.concatenate([first.high, second.high]),
        np.concatenate([first.bounds, second.bounds]),
    )  # fmt: skip


class Lines:
    """Each attribute's levels in a row, finer before coarser, and what bounds a range of them.

    In a chain the row is the hierarchy and a range is bounded by its ends. In a poset a range
    may hold levels that do not compare; it is bounded by the coarsest level finer than all of
    them and the finest level coarser than all.
    """

    def __init__(self, lattice: Lattice, context: Context) -> None:
        size = max(lattice.levels)
        shape = (len(lattice.levels), size, size)
        self._finest, self._coarsest = np.zeros((2, *shape), np.int64)
        self._loss = np.zeros(shape[:2])
        for j, granulation in enumerate(lattice.granulations):
            line = sorted(
                range(granulation.levels), key=lambda v: (-granulation.partitions[v].blocks, v)
            )
            for low in range(len(line)):
                for high in range(low, len(line)):
                    ends = _ends(granulation, line[low : high + 1])
                    self._finest[j, low, high], self._coarsest[j, low, high] = ends
            share = _loss_shares(granulation) * float(context.weights[j])
            self._loss[j, : len(line)] = share[line]
        self._columns = np.arange(shape[0])

    def finest(self, parts: Parts) -> Array:
        return self._finest[self._columns, parts.low, parts.high]

    def coarsest(self, parts: Parts) -> Array:
        return self._coarsest[self._columns, parts.low, parts.high]

    def halved(self, parts: Parts) -> Parts:
        """Two parts for each: cut where the loss of the widest attribute is halfway."""
        low_loss = self._loss[self._columns, parts.low]
        high_loss = self._loss[self._columns, parts.high]
        wide = np.where(parts.high > parts.low, np.abs(high_loss - low_loss), -1.0)
        attribute = wide.argmax(axis=1)
        finer_high, coarser_low = parts.high.copy(), parts.low.copy()
        for row, j in enumerate(attribute):
            low, high = int(parts.low[row, j]), int(parts.high[row, j])
            losses = self._loss[j, low : high + 1]
            middle = (losses[:-1] + losses[1:]) / 2
            cut = low + int(np.abs(middle - (losses[0] + losses[-1]) / 2).argmin())
            finer_high[row, j], coarser_low[row, j] = cut, cut + 1
        finer = Parts(parts.low, finer_high, parts.bounds)
        coarser = Parts(coarser_low, parts.high, parts.bounds)
        return joined(coarser, finer)


def _ends(granulation: Granulation, levels: list[int]) -> tuple[int, int]:
    if len(levels) == 1:
        return levels[0], levels[0]
    at_most = granulation.finer | np.eye(granulation.levels, dtype=np.bool_)
    below = np.flatnonzero(at_most[:, levels].all(axis=1))
    above = np.flatnonzero(at_most[levels].all(axis=0))
    blocks = [p.blocks for p in granulation.partitions]
    return (
        min((int(v) for v in below), key=lambda v: (blocks[v], -v)),
        max((int(v) for v in above), key=lambda v: (blocks[v], -v)),
    )


def _loss_shares(granulation: Granulation) -> Array:
    """Loss of a uniform column at each level, from 0 to 1: only a guide where to cut."""
    span = max(len(granulation.leaves) - 1, 1)
    shares = [
        float((p.leaves_per_block * (p.leaves_per_block - 1)).sum()) / len(granulation.leaves)
        for p in granulation.partitions
    ]
    return np.array(shares) / span


@dataclass(slots=True)
class BranchAndBound:
    """A search that knows at any time which part of the lattice is proven."""

    scored_nodes: ScoredNodes
    lines: Lines
    open: Parts  # the last ones are taken first
    keeper: Keeper
    progress: Progress

    @classmethod
    def begin(
        cls,
        scored_nodes: ScoredNodes,
        *,
        keeper: Keeper | None = None,
        progress: Progress | None = None,
    ) -> BranchAndBound:
        """Over the whole lattice; nodes already explored are the incumbents."""
        levels = np.array([scored_nodes.lattice.levels])
        bounds = np.full((1, len(scored_nodes.targets)), NO_BOUND, np.int64)
        whole = Parts(np.zeros_like(levels), levels - 1, bounds)
        lines = Lines(scored_nodes.lattice, scored_nodes.evaluator.context)
        scored_nodes.scorer.uses_waypoints = False  # the parts' finest nodes serve as such
        return cls(scored_nodes, lines, whole, keeper or Forgetful(), progress or Silent())

    @classmethod
    def resume(
        cls, scored_nodes: ScoredNodes, state: State, *, keeper: Keeper, progress: Progress
    ) -> BranchAndBound:
        search = cls.begin(scored_nodes, keeper=keeper, progress=progress)
        scored_nodes.restore(state)
        names = ("low", "high", "bounds")
        search.open = Parts(*(state.arrays[f"open.{name}"] for name in names))
        return search

    def state(self) -> State:
        inner = self.scored_nodes.state()
        arrays = {f"open.{name}": getattr(self.open, name) for name in Parts.__slots__}
        return State({**inner.arrays, **arrays}, {**inner.facts, "phase": "exact"})

    @property
    def proven(self) -> int:
        """Nodes that were evaluated or cannot add to the front."""
        return self.scored_nodes.lattice.size - self.open.nodes()

    def run(self) -> None:
        """Until nothing is open, or the budget is used up."""
        shown = 0
        while len(self.open) and not self.scored_nodes.meter.is_used_up:
            begin = max(0, len(self.open) - _BATCH)
            batch, rest = self.open.at(slice(begin, None)), self.open.at(slice(0, begin))
            with interrupts_wait():
                self.open = joined(rest, self._worked(batch))
            self.progress.advance(self.proven - shown)
            shown = self.proven
            if self.keeper.is_due():
                self.keeper.keep(self.state())
        if len(self.open):  # a larger budget can go on from here
            self.keeper.keep(self.state())

    def _worked(self, batch: Parts) -> Parts:
        """What is left open of some parts: nothing, the halves, or a part the budget left out."""
        batch = batch.tightened(self.scored_nodes.free_bounds(self.lines.finest(batch)))
        batch = self._alive(batch)
        coarsest, seen = self._visited(self.lines.coarsest(batch))
        left_out = batch.at(~seen)
        batch = batch.at(seen)
        batch = self._alive(batch.tightened(self.scored_nodes.ceiling[coarsest]))
        single = np.all(batch.low == batch.high, axis=1)
        batch = batch.at(~single)  # its one node is the one just evaluated
        batch = self._with_finest(batch)
        return joined(left_out, self.lines.halved(batch)) if len(batch) else left_out

    def _with_finest(self, batch: Parts) -> Parts:
        """Evaluate the finest nodes of large parts too: a tighter bound, and a table for others."""
        large = np.prod((batch.high - batch.low + 1).astype(np.float64), axis=1) >= _WORTH_FINEST
        places, seen = self._visited(self.lines.finest(batch.at(large)))
        bounds = np.full_like(batch.bounds, NO_BOUND)
        bounds[np.flatnonzero(large)[seen]] = self.scored_nodes.floor[places]
        return self._alive(batch.tightened(bounds))

    def _alive(self, batch: Parts) -> Parts:
        return batch.at(~self.scored_nodes.beaten(batch.bounds)) if len(batch) else batch

    def _visited(self, nodes: Array) -> tuple[Array, Array]:
        """Places of the nodes that are evaluated now, and which of them are."""
        rows = [tuple(map(int, node)) for node in nodes]
        self.scored_nodes.visit(rows)
        places = [self.scored_nodes.place(node) for node in rows]
        seen = np.array([place is not None for place in places], np.bool_)
        return np.array([p for p in places if p is not None], np.int64), seen
