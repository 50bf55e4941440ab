"""Exhaustive search: every node, every threshold, the exact front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from paretonym.errors import LatticeTooBigError
from paretonym.measures import Candidates, Evaluator
from paretonym.model.interrupts import interrupts_wait
from paretonym.search.boxes import Boxing
from paretonym.search.cloud_sampling import CloudSampler
from paretonym.search.meter import Meter
from paretonym.search.nondominated import Vectors, front_of, join
from paretonym.search.outcome import vectors_of
from paretonym.search.state import Keeper, State
from paretonym.search.target import Target

MOST_NODES = 50_000_000  # beyond this, enumerating takes hours on any table worth protecting
MOST_NODES_PLAIN = 200_000  # a user's Python measure is evaluated node by node


def refuse_if_too_big(evaluator: Evaluator) -> None:
    most = MOST_NODES if evaluator.is_fast else MOST_NODES_PLAIN
    size = evaluator.lattice.size
    if size <= most:
        return
    slow = "" if evaluator.is_fast else " with a measure written in Python"
    raise LatticeTooBigError(
        f"the lattice has {size:,} nodes, and the exhaustive search visits at most {most:,}{slow}. "
        f"search: {{method: exact}} proves the same front without visiting every node, and "
        f"{{method: evolve}} approximates it within a budget"
    )


@dataclass(slots=True)
class Exhaustive:
    """The pass over the whole lattice, part by part; it can go on after any part."""

    evaluator: Evaluator
    targets: Sequence[Target]
    meter: Meter
    keeper: Keeper
    threads: int
    boxing: Boxing | None = None
    parts_done: int = 0
    front: Vectors | None = None
    cloud: CloudSampler = field(default_factory=CloudSampler)

    def restore(self, state: State) -> None:
        self.parts_done = int(state.facts["parts_done"])
        self.front = Vectors(*(state.arrays[f"front.{name}"] for name in Vectors.__slots__))
        self.cloud.restore(state.arrays)
        self.meter.go_on(int(state.facts["evaluations"]), float(state.facts["seconds"]))

    def state(self) -> State:
        arrays = self.cloud.arrays()
        if self.front is not None:
            arrays |= {f"front.{name}": getattr(self.front, name) for name in Vectors.__slots__}
        facts = {"evaluations": self.meter.evaluations, "seconds": self.meter.seconds}
        return State(arrays, {**facts, "parts_done": self.parts_done, "phase": "exhaustive"})

    def run(self) -> None:
        """Until every node was visited, or a time budget is used up."""
        refuse_if_too_big(self.evaluator)
        for candidates in self.evaluator.sweep(threads=self.threads, skip=self.parts_done):
            with interrupts_wait():
                self._take(candidates)
            if self.keeper.is_due():
                self.keeper.keep(self.state())
            if self.meter.is_used_up:
                break
        if self.meter.evaluations < self.evaluator.lattice.size:  # a larger budget can go on
            self.keeper.keep(self.state())

    def _take(self, candidates: Candidates) -> None:
        found = vectors_of(self.evaluator, candidates, self.targets, self.boxing)
        self.cloud.offer(found)
        best = front_of(found)
        self.front = best if self.front is None else front_of(join([self.front, best]))
        self.parts_done += 1
        self.meter.count(candidates.nodes)
