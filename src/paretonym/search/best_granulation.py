"""An improved search for the optimum of paper 002: climb from many places, drop the hopeless.

Two facts save evaluations. Security times quality is never above quality, which is known
without looking at a class; and a node finer than an insecure one is insecure. So a node is
evaluated only if its quality is above the best benefit so far and nothing is known against it.
"""

from __future__ import annotations

import numpy as np

from paretonym.lattice.lattice import Node
from paretonym.measures.measure import Array
from paretonym.search.benefit import Benefit, Optimum
from paretonym.search.operators import Moves

_FIRST = 24  # random nodes to begin with
_BATCH = 8
_ELITE = 6  # nodes whose surroundings are looked at
_STRANGERS = 64  # random nodes proposed each time, and children of the elite
_IDLE = 25  # batches without a better node that end the search


def climb(benefit: Benefit, draw: np.random.Generator, *, most: int) -> Optimum:
    """At most so many evaluations; ends earlier when nothing better turns up for long."""
    search = _Climb(benefit, draw)
    search.visit(search.first(), most)
    idle = 0
    while len(benefit) < most and idle < _IDLE:
        before = benefit.best.benefit
        pool = search.promising()
        if not len(pool):
            break
        search.visit(pool[: min(_BATCH, most - len(benefit))], most)
        idle = 0 if benefit.best.benefit > before else idle + 1
    return benefit.best


class _Climb:
    def __init__(self, benefit: Benefit, draw: np.random.Generator) -> None:
        self._benefit, self._draw = benefit, draw
        self._lattice, self._moves = benefit.lattice, Moves(benefit.lattice)
        self._strides = np.array(self._lattice.strides)
        self._nodes: list[Node] = []
        self._values: list[float] = []
        self._insecure: list[Node] = []

    def first(self) -> Array:
        random = self._moves.random(self._draw, _FIRST)
        return np.concatenate([[self._lattice.coarsest], random])

    def visit(self, nodes: Array, most: int) -> None:
        fresh = [tuple(map(int, node)) for node in nodes]
        fresh = [n for n in dict.fromkeys(fresh) if not self._benefit.known(self._lattice.rank(n))]
        fresh = fresh[: most - len(self._benefit)]
        for node, value in zip(fresh, self._benefit.of(fresh), strict=True):
            self._nodes.append(node)
            self._values.append(float(value))
            if value == 0.0:
                self._insecure.append(node)

    def promising(self) -> Array:
        """Proposals that could be better, those of which most is expected first."""
        pool = self._proposals()
        ranks = np.unique(pool @ self._strides)
        ranks = np.array([r for r in ranks if not self._benefit.known(int(r))], np.int64)
        if not len(ranks):
            return np.empty((0, len(self._lattice.levels)), np.int64)
        quality = self._benefit.quality(ranks)
        ranks, quality = self._open(ranks, quality)
        nodes = np.array([self._lattice.unrank(int(rank)) for rank in ranks], np.int64)
        nodes = nodes.reshape(len(ranks), len(self._lattice.levels))
        expected = quality * self._chance(nodes)
        return nodes[np.argsort(-expected, kind="stable")]

    def _open(self, ranks: Array, quality: Array) -> tuple[Array, Array]:
        """What is neither worse than the best by its quality alone nor known to be insecure."""
        keep = quality > max(self._values, default=0.0)
        for i in np.flatnonzero(keep):
            node = self._lattice.unrank(int(ranks[i]))
            keep[i] = not any(self._lattice.below(node, bad) for bad in self._insecure)
        return ranks[keep], quality[keep]

    def _proposals(self) -> Array:
        order = np.argsort(-np.array(self._values), kind="stable")[:_ELITE]
        elite = np.array([self._nodes[i] for i in order], np.int64)
        first = elite[self._draw.integers(0, len(elite), size=_STRANGERS)]
        second = elite[self._draw.integers(0, len(elite), size=_STRANGERS)]
        crossed = self._moves.crossed(self._draw, first, second)
        return np.concatenate(
            [
                self._moves.neighbours(elite),
                self._moves.exchanges(self._draw, first),
                self._moves.jumps(self._draw, second),
                self._moves.mutated(self._draw, crossed, 2 / elite.shape[1]),
                self._moves.random(self._draw, _STRANGERS),
            ]
        )

    def _chance(self, nodes: Array) -> Array:
        """How secure the nearest evaluated node is: its benefit over its quality."""
        known = np.array(self._nodes, np.int64)
        quality = self._benefit.quality(known @ self._strides)
        shares = np.array(self._values) / np.maximum(quality, 1e-12)
        spans = np.maximum(np.array(self._lattice.levels) - 1, 1)
        apart = (np.abs(nodes[:, None] - known[None]) / spans).sum(axis=2)
        return np.asarray(shares[apart.argmin(axis=1)] + 1e-3)
