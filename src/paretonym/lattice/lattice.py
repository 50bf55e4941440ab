"""Nodes are tuples of levels, one for each quasi-identifier in the job's order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paretonym.errors import JobError, nearest
from paretonym.model.arrays import Ints
from paretonym.model.granulation import Granulation

Node = tuple[int, ...]


def strides_of(counts: Sequence[int]) -> tuple[int, ...]:
    """How far apart neighbours along each axis lie in an array of this shape."""
    steps = [1]
    for count in reversed(counts[1:]):
        steps.append(steps[-1] * count)
    return tuple(reversed(steps))


@dataclass(frozen=True, eq=False)
class Lattice:
    """Product of posets; ranks number the nodes in lexicographic order of their levels."""

    granulations: tuple[Granulation, ...]

    @classmethod
    def of(cls, granulations: Sequence[Granulation]) -> Lattice:
        return cls(tuple(granulations))

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(g.column for g in self.granulations)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        return tuple(g.levels for g in self.granulations)

    @property
    def size(self) -> int:
        """The number of nodes, exact however large."""
        return math.prod(self.levels)

    @property
    def finest(self) -> Node:
        return (0,) * len(self.levels)

    @property
    def coarsest(self) -> Node:
        return tuple(count - 1 for count in self.levels)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """What one level of each attribute adds to a node's rank."""
        return strides_of(self.levels)

    def rank(self, node: Node) -> int:
        return sum(level * stride for level, stride in zip(node, self.strides, strict=True))

    def unrank(self, rank: int) -> Node:
        levels = []
        for stride in self.strides:
            level, rank = divmod(rank, stride)
            levels.append(level)
        return tuple(levels)

    def upper_covers(self, node: Node) -> Iterator[Node]:
        """The nodes directly above: one attribute moves to one of its covers."""
        for position, (granulation, level) in enumerate(zip(self.granulations, node, strict=True)):
            for cover in granulation.covers[level]:
                yield (*node[:position], cover, *node[position + 1 :])

    def below(self, lower: Node, upper: Node) -> bool:
        """`lower` is at most as coarse as `upper` in every attribute (the product order)."""
        return all(
            a == b or bool(g.finer[a, b])
            for g, a, b in zip(self.granulations, lower, upper, strict=True)
        )

    def up_set(self, node: Node) -> tuple[Ints, ...]:
        """The node and all that are coarser, as an index of an array shaped like the levels."""
        return np.ix_(*(g.up_sets[level] for g, level in zip(self.granulations, node, strict=True)))

    def named(self, node: Node) -> dict[str, int]:
        return dict(zip(self.columns, node, strict=True))

    def node_at(self, levels: Sequence[int]) -> Node:
        """The node with these levels, one for each quasi-identifier in order."""
        if len(levels) != len(self.columns):
            raise JobError(
                f"{len(levels)} levels are given for {len(self.columns)} quasi-identifiers"
            )
        return self.node_of(self.named(tuple(levels)))

    def node_of(self, levels: Mapping[str, int]) -> Node:
        """The node with these levels by column; every quasi-identifier must be named."""
        for name in levels:
            if name not in self.columns:
                raise JobError(
                    f"'{name}' is not a quasi-identifier{nearest(name, list(self.columns))}"
                )
        absent = [name for name in self.columns if name not in levels]
        if absent:
            raise JobError(f"no level is given for {', '.join(absent)}")
        for granulation in self.granulations:
            level = levels[granulation.column]
            if not 0 <= level < granulation.levels:
                raise JobError(
                    f"column '{granulation.column}' has levels 0 to {granulation.levels - 1}, "
                    f"not {level}"
                )
        return tuple(levels[name] for name in self.columns)
