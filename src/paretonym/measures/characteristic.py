"""Security tests of nodes (Fig. 6 of attribute-oriented granulation), from the smallest finer class
table at hand.

A node leaves an attribute out when its values stand in one block. That is the attribute's last
level; where a hierarchy is open at the top, it is one level more, which the lattice does not have.
Nodes of every subset of attributes are tested in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.kernels import characteristic as kernel
from paretonym.lattice.lattice import Lattice, Node, strides_of
from paretonym.measures.keys import fields_of, packed
from paretonym.model.arrays import Array, Bits, Codes
from paretonym.model.granulation import Granulation

MOST_BYTES = 256_000_000  # class tables kept


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes of one node: packed keys, and characteristics in the same order."""

    node: Node
    keys: Array  # uint64 [classes, words]
    characteristics: Bits

    @property
    def bytes(self) -> int:
        return self.keys.nbytes + self.characteristics.nbytes


class SecurityTests:
    """Which rules a node exposes; every call is a test and is counted.

    Tables of insecure nodes are kept, the oldest given up first: searches go upward, and above
    a secure node there is nothing left to test. Which table a node is made from changes the
    time it takes and nothing else.
    """

    def __init__(
        self,
        codes: Codes,
        characteristics: Bits,
        lattice: Lattice,
        *,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.lattice = lattice
        self.left_out: Node = tuple(map(_left_out, lattice.granulations))
        self._fields = fields_of(lattice.granulations)
        keys = packed(codes, lattice.granulations, self._fields)
        self._finest = _Classes(lattice.finest, keys, characteristics)
        self._strides = strides_of([level + 1 for level in self.left_out])
        self._steps = list(map(_steps_down, lattice.granulations, self._strides))
        self._most_bytes = most_bytes
        self.restart()

    def restart(self) -> None:
        """Forget all tests and tables but the finest."""
        self.by_width = [0] * (len(self.left_out) + 1)  # tests by attributes not left out
        self._begin(self._finest)

    def begin_at(self, node: Node) -> None:
        """Nodes tested from now on lie above this one; what is kept for others is forgotten."""
        self._begin(self._rolled(self._finest, node))

    def exposed_rules(self, node: Node) -> int:
        """Bit r is set when some class of the node exposes rule r; 0 for a secure node."""
        rank = sum(level * stride for level, stride in zip(node, self._strides, strict=True))
        classes = self._rolled(self._finer(node, rank), node)
        exposed = int(kernel.exposed_rules(classes.characteristics))
        if exposed:
            self._keep(rank, classes)
        self.by_width[len(node) - sum(map(int.__eq__, node, self.left_out))] += 1
        return exposed

    def _finer(self, node: Node, rank: int) -> _Classes:
        """The smallest table of the nodes directly below, or the one where the search began."""
        best = None
        for steps, level in zip(self._steps, node, strict=True):
            for step in steps[level]:
                table = self._tables.get(rank - step)
                if table and (best is None or len(table.keys) < len(best.keys)):
                    best = table
        if best:
            return best
        return self._first if self._is_above_first(node) else self._finest

    def _is_above_first(self, node: Node) -> bool:
        pairs = zip(self.lattice.granulations, self.left_out, strict=True)
        return all(
            after in (before, nothing) or (before < nothing and granulation.finer[before, after])
            for (granulation, nothing), before, after in zip(
                pairs, self._first.node, node, strict=True
            )
        )

    def _rolled(self, source: _Classes, node: Node) -> _Classes:
        before, after = np.array(source.node, np.int64), np.array(node, np.int64)
        made = kernel.roll_up(self._fields, source.keys, source.characteristics, before, after)
        return _Classes(node, *made)

    def _begin(self, first: _Classes) -> None:
        self._first = first
        self._tables: dict[int, _Classes] = {}
        self._room = self._most_bytes

    def _keep(self, rank: int, classes: _Classes) -> None:
        self._room -= classes.bytes
        self._tables[rank] = classes
        while self._room < 0:
            self._room += self._tables.pop(next(iter(self._tables))).bytes


def _left_out(granulation: Granulation) -> int:
    """The level at which an attribute tells nobody apart."""
    top = granulation.levels - 1
    return top if granulation.partitions[top].blocks == 1 else top + 1


def _steps_down(granulation: Granulation, stride: int) -> list[list[int]]:
    """By level: how much lower the ranks of the levels directly below are."""
    steps: list[list[int]] = [[] for _ in range(granulation.levels + 1)]
    for level, covers in enumerate(granulation.covers):
        for cover in covers:
            steps[cover].append((cover - level) * stride)
    return steps
