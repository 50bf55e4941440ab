"""Every node a search has evaluated, once each; what is best so far; what the rest can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from paretonym.errors import LatticeTooBigError
from paretonym.kernels.screening import NO_BOUND, NOTHING, beaten, hopeless
from paretonym.lattice.lattice import Node
from paretonym.measures import Candidates, Evaluator
from paretonym.measures.nodes import NodeScorer, Scored
from paretonym.model.arrays import Array
from paretonym.model.interrupts import interrupts_wait
from paretonym.search.archive import Archive
from paretonym.search.boxes import Boxing
from paretonym.search.cloud_sampling import CloudSampler
from paretonym.search.meter import Meter
from paretonym.search.nondominated import Vectors, join, sortable
from paretonym.search.outcome import vectors_of
from paretonym.search.state import State
from paretonym.search.target import Target

MOST_NODES = 2**62  # nodes are numbered by 64-bit integers
_FIRST_ROOM = 1024
_SLICE = 16  # nodes scored between two looks at the clock


class ScoredNodes:
    """The book of a search: unique evaluations in their order, the archive, bounds."""

    def __init__(
        self,
        evaluator: Evaluator,
        targets: Sequence[Target],
        meter: Meter,
        *,
        threads: int,
        boxing: Boxing | None = None,
        whole: bool = False,
    ) -> None:
        """`whole` keeps the exact front even where boxes would thin it: a proof needs it."""
        self.evaluator, self.lattice = evaluator, evaluator.lattice
        self.targets, self.meter, self.boxing = tuple(targets), meter, boxing
        if self.lattice.size >= MOST_NODES:
            raise LatticeTooBigError(
                f"the lattice has {self.lattice.size:,} nodes, more than can be numbered; use "
                f"fewer quasi-identifiers or fewer levels"
            )
        self.scorer = NodeScorer(evaluator, threads=threads)
        self.archive = Archive(whole=whole)
        self.cloud = CloudSampler()
        self._index: dict[int, int] = {}
        self._room = 0
        self._rank = np.empty(0, np.int64)
        self._levels = np.empty((0, len(self.lattice.levels)), np.int64)
        objectives = len(targets)
        self._ceiling, self._floor = np.empty((2, 0, objectives), np.int64)
        self._first, self._last = np.empty((2, 0, objectives))
        self._feasible = np.empty(0, np.bool_)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, rank: int) -> bool:
        return rank in self._index

    def place(self, node: Node) -> int | None:
        """When a node was evaluated, counted from 0; None when it was not."""
        return self._index.get(self.lattice.rank(node))

    @property
    def rank(self) -> Array:
        return self._rank[: len(self)]

    @property
    def levels(self) -> Array:
        return self._levels[: len(self)]

    @property
    def ceiling(self) -> Array:
        """Vectors that no node below an evaluated one improves on (maximised objectives)."""
        return self._ceiling[: len(self)]

    @property
    def floor(self) -> Array:
        """Vectors that no node above an evaluated one improves on (minimised objectives)."""
        return self._floor[: len(self)]

    @property
    def first(self) -> Array:
        """The objectives as shown of each node's candidate that suppresses least."""
        return self._first[: len(self)]

    @property
    def last(self) -> Array:
        """The same of the candidate that suppresses most: the papers' rule."""
        return self._last[: len(self)]

    @property
    def feasible(self) -> Array:
        return self._feasible[: len(self)]

    @cached_property
    def above(self) -> Array:
        """`above[j, a, b]`: level a of attribute j is at most as coarse as level b."""
        size = max(self.lattice.levels)
        found = np.zeros((len(self.lattice.levels), size, size), np.bool_)
        for j, granulation in enumerate(self.lattice.granulations):
            count = granulation.levels
            found[j, :count, :count] = granulation.finer | np.eye(count, dtype=np.bool_)
        return found

    def visit(self, nodes: Sequence[Node]) -> None:
        """Evaluate the nodes not seen before, in their order, as far as the budget goes."""
        with interrupts_wait():
            count = self._visit(nodes)
        self.meter.count(count)

    def _visit(self, nodes: Sequence[Node]) -> int:
        new: dict[int, Node] = {}
        for node in nodes:
            rank = self.lattice.rank(node)
            if rank not in self._index:
                new.setdefault(rank, node)
        count = self.meter.allowed(len(new))
        if not count:
            return 0
        found = []
        begin = len(self)
        self._grow(begin + count)
        for chosen in self._slices(list(new.values())[:count]):
            scored = self.scorer.score(chosen)
            first = len(self)
            end = first + len(chosen)
            ranks = [self.lattice.rank(node) for node in chosen]
            self._index.update(zip(ranks, range(first, end), strict=True))
            self._rank[first:end], self._levels[first:end] = ranks, chosen
            self._note_bounds(first, end, scored)
            found.append(self._note_vectors(first, end, scored.candidates))
        vectors = join(found)
        if len(vectors):
            self.archive.offer(vectors)
            self.cloud.offer(vectors)
        return len(self) - begin

    def _slices(self, nodes: list[Node]) -> Iterator[list[Node]]:
        """All at once; with a budget of time, few enough to notice when it is over."""
        step = _SLICE if self.meter.is_timed else len(nodes)
        for begin in range(0, len(nodes), step):
            if begin and self.meter.is_used_up:
                return
            yield nodes[begin : begin + step]

    def _grow(self, needed: int) -> None:
        if needed <= self._room:
            return
        self._room = max(_FIRST_ROOM, needed, 2 * self._room)
        for name in ("_rank", "_levels", "_ceiling", "_floor", "_first", "_last", "_feasible"):
            old = getattr(self, name)
            new = np.empty((self._room, *old.shape[1:]), old.dtype)
            new[: len(self)] = old[: len(self)]
            setattr(self, name, new)

    def _note_bounds(self, begin: int, end: int, scored: Scored) -> None:
        self._ceiling[begin:end] = self._floor[begin:end] = NO_BOUND
        for q, target in enumerate(self.targets):
            above = target.measure.is_better_above(target.objective.direction)
            side = scored.ceiling if above else scored.floor
            if side is None or not target.measure.bounded:
                continue
            into = self._ceiling if above else self._floor
            into[begin:end, q] = sortable(side.values(target.measure), target.objective.direction)
        if scored.ceiling is not None and scored.floor is not None:
            never = ~self.evaluator.can_meet(scored.ceiling, above=True)
            if self.evaluator.parts_violate_too:
                never |= scored.counts == 0
            self._ceiling[begin:end][never] = NOTHING
            self._floor[begin:end][~self.evaluator.can_meet(scored.floor, above=False)] = NOTHING

    def _note_vectors(self, begin: int, end: int, candidates: Candidates) -> Vectors:
        found = vectors_of(self.evaluator, candidates, self.targets, self.boxing)
        self._feasible[begin:end] = False
        self._first[begin:end] = self._last[begin:end] = 0.0
        if len(found):
            places = np.array([self._index[int(rank)] for rank in found.rank])
            changes = np.flatnonzero(np.diff(places)) + 1
            starts = np.concatenate([[0], changes])
            ends = np.concatenate([changes, [len(places)]]) - 1
            self._feasible[places[starts]] = True
            self._first[places[starts]] = found.shown[starts]
            self._last[places[ends]] = found.shown[ends]
        return found

    def free_bounds(self, nodes: Array) -> Array:
        """What is known of nodes without evaluating them: the loss of generalising alone."""
        bounds = np.full((len(nodes), len(self.targets)), NO_BOUND, np.int64)
        if not self.evaluator.is_fast:
            return bounds
        known = [q for q, t in enumerate(self.targets) if self.evaluator.is_loss(t.measure)]
        if known and len(nodes):
            reduced = self.evaluator.losses_alone(nodes @ np.array(self.lattice.strides))
            for q in known:
                measure = self.targets[q].measure
                bounds[:, q] = sortable(
                    measure.combine(reduced), self.targets[q].objective.direction
                )
        return bounds

    def hopeless(self, nodes: Array, known: Array) -> Array:
        """Which nodes cannot add to the front, as far as the `known` places can tell."""
        bounds = self.free_bounds(nodes)
        front = self.archive.members.vectors
        sides = self.ceiling[known], self.floor[known]
        found = hopeless(front, nodes, self.levels[known], self.above, *sides, bounds)
        return np.asarray(found | _no_node(bounds))

    def beaten(self, bounds: Array) -> Array:
        """Which bounds the archive dominates, or no node meets."""
        return np.asarray(beaten(self.archive.members.vectors, bounds) | _no_node(bounds))

    def state(self) -> State:
        """Everything, so that a search can go on without evaluating a node again."""
        members = self.archive.members
        arrays = {
            "rank": self.rank, "ceiling": self.ceiling, "floor": self.floor, "first": self.first,
            "last": self.last, "feasible": self.feasible, **self.cloud.arrays(),
            **{f"member.{name}": getattr(members, name) for name in Vectors.__slots__},
        }  # fmt: skip
        seconds = self.meter.seconds
        return State(arrays, {"evaluations": self.meter.evaluations, "seconds": seconds})

    def restore(self, state: State) -> None:
        arrays: Mapping[str, Array] = state.arrays
        count = len(arrays["rank"])
        self._grow(count)
        self._index = {int(rank): place for place, rank in enumerate(arrays["rank"])}
        self._rank[:count] = arrays["rank"]
        rest = arrays["rank"]
        for j, stride in enumerate(self.lattice.strides):
            self._levels[:count, j], rest = np.divmod(rest, stride)
        for name in ("ceiling", "floor", "first", "last", "feasible"):
            getattr(self, f"_{name}")[:count] = arrays[name]
        members = Vectors(*(arrays[f"member.{name}"] for name in Vectors.__slots__))
        if len(members):
            self.archive.offer(members)
        self.cloud.restore(arrays)
        self.meter.go_on(int(state.facts["evaluations"]), float(state.facts["seconds"]))


def _no_node(bounds: Array) -> Array:
    """Bounds that say that there is no candidate at all."""
    return np.asarray((bounds == NOTHING).any(axis=1))
