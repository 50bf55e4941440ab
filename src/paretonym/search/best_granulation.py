"""The optimum of attribute-oriented granulation (section 4.3) proven: secure nodes in the order of
their quality.

The secure nodes are those above the minimal ones. Quality falls on the way up and is known
without looking at a class, and no product of security and quality is larger than the quality.
So secure nodes are evaluated by falling quality, and when the next one's quality is below the
best product, nothing better is left.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from paretonym.lattice.lattice import Node
from paretonym.search.benefit import Benefit, Optimum

_BATCH = 16  # evaluated together; the last ones may turn out to be needless


def best_secure(benefit: Benefit, minimal: Sequence[Node]) -> Optimum:
    """The largest product among the nodes above the minimal secure ones; ties: smallest levels."""
    lattice = benefit.lattice
    seen = {lattice.rank(node) for node in minimal}
    waiting = _with_quality(benefit, sorted(seen))
    heapq.heapify(waiting)
    best = 0.0
    while waiting and -waiting[0][0] >= best:
        batch: list[Node] = []
        while waiting and len(batch) < _BATCH and -waiting[0][0] >= best:
            node = lattice.unrank(heapq.heappop(waiting)[1])
            batch.append(node)
            new = {lattice.rank(above) for above in lattice.upper_covers(node)} - seen
            seen |= new
            for entry in _with_quality(benefit, sorted(new)):
                heapq.heappush(waiting, entry)
        best = max(best, float(benefit.of(batch).max()))
    return benefit.best


def _with_quality(benefit: Benefit, ranks: Sequence[int]) -> list[tuple[float, int]]:
    qualities = benefit.quality(np.array(ranks, np.int64)) if ranks else ()
    return [(-float(quality), rank) for quality, rank in zip(qualities, ranks, strict=True)]
