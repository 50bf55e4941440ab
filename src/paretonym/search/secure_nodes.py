"""What a search for secure nodes finds, and when its lattice is too large for it."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.errors import LatticeTooBigError
from paretonym.lattice.lattice import Node

MOST_NODES = 50_000_000  # one byte each, and testing that many takes hours


@dataclass(frozen=True, slots=True)
class SecureNodes:
    """All minimal secure nodes: none is finer than another, and all above them are secure.

    There is none when even the coarsest node exposes a rule.
    """

    found_in_order: tuple[Node, ...]
    by_width: tuple[int, ...]  # security tests by number of attributes not left out

    @property
    def minimal(self) -> tuple[Node, ...]:
        return tuple(sorted(self.found_in_order))

    @property
    def tests(self) -> int:
        return sum(self.by_width)

    @property
    def full_width(self) -> int:
        """Tests of nodes that leave no attribute out: those with the largest class tables."""
        return self.by_width[-1]


def refuse_if_too_big(nodes: int, what: str) -> None:
    if nodes > MOST_NODES:
        raise LatticeTooBigError(
            f"{what} has {nodes:,} nodes, and the search for all minimal secure ones marks at most "
            f"{MOST_NODES:,}. Give the hierarchies fewer levels, or look for secure tables among "
            f"the best trade-offs: paretonym front with require: {{secure: true}}"
        )
