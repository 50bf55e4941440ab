"""Moves in a lattice, many nodes at a time; a poset moves along its covers."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from paretonym.lattice import Lattice
from paretonym.model.arrays import Array


class Moves:
    """Random nodes, neighbours, crossover and mutation; nodes are rows of levels."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self._levels = np.array(lattice.levels)

    @cached_property
    def _steps(self) -> tuple[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], ...]:
        """For each level of each attribute the levels directly below and directly above."""
        return tuple(
            tuple(
                (tuple(i for i, up in enumerate(g.covers) if level in up), g.covers[level])
                for level in range(g.levels)
            )
            for g in self._lattice.granulations
        )

    def random(self, draw: np.random.Generator, count: int) -> Array:
        return draw.integers(0, self._levels, size=(count, len(self._levels)))

    def neighbours(self, nodes: Array) -> Array:
        """One attribute one step up or down, in every way."""
        found = []
        for j, steps in enumerate(self._steps):
            for level, (down, up) in enumerate(steps):
                here = nodes[nodes[:, j] == level]
                for other in (*down, *up):
                    moved = here.copy()
                    moved[:, j] = other
                    found.append(moved)
        return np.concatenate([nodes[:0], *found])

    def exchanges(self, draw: np.random.Generator, nodes: Array) -> Array:
        """One attribute a step up and another a step down: along the front, not across it."""
        up, down = nodes.copy(), draw.integers(0, len(self._levels), size=(2, len(nodes)))
        for row, (rising, falling) in enumerate(down.T):
            self._step(draw, up[row], int(rising), 1)
            self._step(draw, up[row], int(falling), 0)
        return up

    def jumps(self, draw: np.random.Generator, nodes: Array) -> Array:
        """One attribute to any of its levels: what lies between may be worse than both ends."""
        moved = nodes.copy()
        attribute = draw.integers(0, len(self._levels), size=len(nodes))
        moved[np.arange(len(nodes)), attribute] = draw.integers(0, self._levels[attribute])
        return moved

    def crossed(self, draw: np.random.Generator, first: Array, second: Array) -> Array:
        """Each attribute from one of two parents."""
        return np.where(draw.random(first.shape) < 0.5, first, second)

    def mutated(self, draw: np.random.Generator, nodes: Array, rate: float) -> Array:
        """Each attribute, with probability `rate`, to a random cover above or below it."""
        changed = nodes.copy()
        moves = draw.random(nodes.shape) < rate
        sides = draw.integers(0, 2, size=nodes.shape)
        for row, j in zip(*np.nonzero(moves), strict=True):
            self._step(draw, changed[row], int(j), int(sides[row, j]))
        return changed

    def _step(self, draw: np.random.Generator, node: Array, j: int, side: int) -> None:
        """Down (0) or up (1) in place; at the end of the hierarchy the node stays."""
        ways = self._steps[j][int(node[j])][side]
        if len(ways) == 1:
            node[j] = ways[0]
        elif ways:
            node[j] = ways[int(draw.integers(0, len(ways)))]
