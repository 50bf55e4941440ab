"""All minimal secure nodes, breadth-first from the finest one: Fig. 5 of attribute-oriented
granulation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np

from paretonym.lattice.lattice import Lattice, Node
from paretonym.measures.characteristic import SecurityTests
from paretonym.search.progress import Progress
from paretonym.search.secure_nodes import SecureNodes, refuse_if_too_big


def breadth_first(tests: SecurityTests, *, progress: Progress) -> SecureNodes:
    """Each node below which all are insecure is tested; above a secure one all are settled.

    On a product of chains the tests are the insecure nodes and the minimal secure ones. Where
    ways of different lengths lead to a node, it can be reached before a finer one that is
    secure; such a node is tested in vain and taken out at the end.
    """
    lattice = tests.lattice
    refuse_if_too_big(lattice.size, "the lattice")
    tests.restart()
    progress.start("testing granulations", lattice.size)
    try:
        found = list(_outputs(tests, progress))
    finally:
        progress.finish()
    return SecureNodes(_minimal(lattice, found), tuple(tests.by_width))


def _outputs(tests: SecurityTests, progress: Progress) -> Iterator[Node]:
    """What Fig. 5 outputs, in its order."""
    lattice = tests.lattice
    settled = np.zeros(lattice.levels, np.bool_)  # F of Fig. 5
    is_settled = settled.reshape(-1)  # the same memory, by rank
    is_queued = bytearray(lattice.size)  # a node put in twice would only be skipped later
    queue = deque([lattice.rank(lattice.finest)])
    while queue:
        rank = queue.popleft()
        if is_settled[rank]:
            continue
        is_settled[rank] = True
        progress.advance(1)
        node = lattice.unrank(rank)
        if tests.exposed_rules(node):
            for successor in _direct_successors(lattice, node, rank):
                if not is_queued[successor] and not is_settled[successor]:
                    is_queued[successor] = True
                    queue.append(successor)
        else:
            yield node
            above = lattice.up_set(node)
            progress.advance(int(np.count_nonzero(~settled[above])))
            settled[above] = True


def _direct_successors(lattice: Lattice, node: Node, rank: int) -> Iterator[int]:
    """The ranks of a node's upper covers, in the order of `Lattice.upper_covers`."""
    for granulation, level, stride in zip(lattice.granulations, node, lattice.strides, strict=True):
        for cover in granulation.covers[level]:
            yield rank + (cover - level) * stride


def _minimal(lattice: Lattice, found: Sequence[Node]) -> tuple[Node, ...]:
    """Without the nodes that lie above another one; there are none on products of chains."""
    if all(g.is_chain for g in lattice.granulations):
        return tuple(found)
    levels = np.array(found, np.int64).reshape(-1, len(lattice.levels))
    minimal = []
    for node in found:
        below = np.ones(len(found), np.bool_)
        for j, (granulation, level) in enumerate(zip(lattice.granulations, node, strict=True)):
            below &= (levels[:, j] == level) | granulation.finer[levels[:, j], level]
        if below.sum() == 1:  # the node itself
            minimal.append(node)
    return tuple(minimal)
