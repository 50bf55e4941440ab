"""What an optimal granulation maximises: security times quality, and nothing when insecure.

Without the constraint the product is largest where nothing is generalised, which keeps no
secret (attribute-oriented granulation, section 4.3; the constraint is that of section 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.lattice.lattice import Node
from paretonym.measures import Evaluator, build, parse
from paretonym.measures.nodes import NodeScorer
from paretonym.model.arrays import Array
from paretonym.model.interrupts import interrupts_wait
from paretonym.search.progress import Progress, Silent


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best node a search found, and what it took."""

    node: Node
    benefit: float  # sf · ql; 0 when it is insecure
    evaluations: int  # different nodes


class Benefit:
    """Evaluates each node once, and counts."""

    def __init__(
        self, evaluator: Evaluator, *, threads: int = 1, progress: Progress | None = None
    ) -> None:
        context = evaluator.context
        self._secure, self._sf, self._ql = (
            build(parse(name), context) for name in ("secure", "sf", "ql")
        )
        self._evaluator = Evaluator(
            evaluator.histogram, evaluator.lattice, (self._secure, self._sf, self._ql), context
        )
        self.lattice = evaluator.lattice
        self._scorer = NodeScorer(self._evaluator, threads=threads)
        self._progress = progress or Silent()
        self._known: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, nodes: Sequence[Node]) -> Array:
        new = {r: node for node in nodes if (r := self.lattice.rank(node)) not in self._known}
        if new:
            with interrupts_wait():
                found = self._scorer.score(list(new.values())).candidates
            quality, security = found.values(self._ql), found.values(self._sf)
            safe = found.values(self._secure).exact
            values = safe * (security.exact / security.scale) * (quality.exact / quality.scale)
            self._known.update(zip(map(int, found.rank), map(float, values), strict=True))
            self._progress.advance(len(new))
        return np.array([self._known[self.lattice.rank(node)] for node in nodes])

    def quality(self, ranks: Array) -> Array:
        """ql of nodes, which takes no evaluation; no node's benefit is larger than it."""
        quality = self._ql.combine(self._evaluator.losses_alone(ranks))
        return np.asarray(quality.exact / quality.scale)

    @property
    def best(self) -> Optimum:
        """The smallest levels among the best."""
        rank = min(self._known, key=lambda r: (-self._known[r], r))
        return Optimum(self.lattice.unrank(rank), self._known[rank], len(self))
