"""The improved generator (`method: evolve`): propose many, drop the hopeless, evaluate the best.

Like PBG-EA (Dewri et al. 2010, section 6) it breeds new nodes from the archive. It differs where
evaluations are saved: children whose bounds the archive already dominates are dropped unseen (this
loses nothing), and of the others those are evaluated that a surrogate expects to add most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.kernels.screening import gain
from paretonym.model.arrays import Array
from paretonym.model.front import Direction
from paretonym.model.interrupts import interrupts_wait
from paretonym.search.operators import Moves
from paretonym.search.scored_nodes import ScoredNodes
from paretonym.search.state import Forgetful, Keeper, State, generator_facts, generator_from
from paretonym.search.surrogate import Scale, Surrogate

_FIRST = 48  # random nodes to begin with
_BATCH = 24  # evaluated at a time, before archive and surrogate are brought up to date; or a
# quarter of the archive's size, because a long front has room for more
_MOST_AT_A_TIME = 400
_PARENTS = 150  # archive members whose neighbours are proposed at a time
_CHILDREN = 300
_MATES = 5  # places along the front that a mate may be away, at least
_POOL = 1_500  # proposals looked at in a generation
_KNOWN = 1_500  # evaluated nodes that bounds and guesses are made from
_ANYWHERE = 20_000  # nodes looked at when nothing can be bred any more
_JUMPS = 4  # idle generations after which whole hierarchies are jumped across
_STRONGER, _STRONGEST = 8, 4.0  # idle generations that add a step to mutations; steps at most
_PATIENCE = 3  # such looks in vain until the search is over
_STALLED = 60  # generations without a new member after which a search without a budget ends
_DIGITS = 9  # of an expected gain: the last bits of a logarithm differ between machines


@dataclass(slots=True)
class Evolution:
    """An evolutionary search that can be run, kept and taken up again."""

    scored_nodes: ScoredNodes
    draw: np.random.Generator
    keeper: Keeper
    vain: int = 0  # looks at random nodes, one after another, that found all of them hopeless
    idle: int = 0  # generations since the archive last changed

    @classmethod
    def begin(
        cls, scored_nodes: ScoredNodes, *, seed: int, keeper: Keeper | None = None
    ) -> Evolution:
        draw = np.random.Generator(np.random.PCG64(seed))
        return cls(scored_nodes, draw, keeper or Forgetful())

    @classmethod
    def resume(cls, scored_nodes: ScoredNodes, state: State, *, keeper: Keeper) -> Evolution:
        scored_nodes.restore(state)
        draw = generator_from(state.facts["generator"])
        vain, idle = int(state.facts["vain"]), int(state.facts["idle"])
        return cls(scored_nodes, draw, keeper, vain, idle)

    def state(self) -> State:
        inner = self.scored_nodes.state()
        facts = {"generator": generator_facts(self.draw), "vain": self.vain, "idle": self.idle}
        return State(inner.arrays, {**inner.facts, **facts, "phase": "evolve"})

    def run(self, until: int | None = None) -> None:
        """Until the budget is used up; without one, until nothing new is found for long.

        Or until so many nodes are explored, when another search takes over then. It ends in
        any case when nothing is found any more that could be better.
        """
        moves = Moves(self.scored_nodes.lattice)
        if not len(self.scored_nodes):
            lattice = self.scored_nodes.lattice
            ends = np.array([lattice.finest, lattice.coarsest])
            with interrupts_wait():
                self._visit(np.concatenate([ends, moves.random(self.draw, _FIRST)]))
        while not self._is_over() and len(self.scored_nodes) < (
            until or self.scored_nodes.lattice.size
        ):
            with interrupts_wait():
                before = self.scored_nodes.archive.members.vectors
                self._generation(moves)
                same = np.array_equal(before, self.scored_nodes.archive.members.vectors)
                self.idle = self.idle + 1 if same else 0
            if self.keeper.is_due():
                self.keeper.keep(self.state())

    def _is_over(self) -> bool:
        meter = self.scored_nodes.meter
        stalled = meter.budget is None and self.idle >= _STALLED
        return meter.is_used_up or stalled or self.vain >= _PATIENCE

    def _generation(self, moves: Moves) -> None:
        known = self._known()
        pool = self._promising(self._ranks(self._proposals(moves)), known, _POOL)
        if not len(pool):
            pool = self._promising(self._anywhere(moves), known, _ANYWHERE)
            self.vain = 0 if len(pool) else self.vain + 1
        if len(pool):
            self._visit(self._best(pool, known))

    def _visit(self, nodes: Array) -> None:
        self.scored_nodes.visit([tuple(map(int, node)) for node in nodes])

    def _known(self) -> Array:
        """Places that bounds and guesses are made from: the archive's, and the latest ones."""
        count = len(self.scored_nodes)
        if count <= _KNOWN:
            return np.arange(count)
        members = self._places(self.scored_nodes.archive.members.rank)
        if len(members) > _KNOWN // 2:  # all along the front
            members = members[np.linspace(0, len(members) - 1, _KNOWN // 2).astype(np.int64)]
        latest = np.arange(count - (_KNOWN - len(members)), count)
        return np.unique(np.concatenate([[0, 1], members, latest]))

    def _places(self, ranks: Array) -> Array:
        """Each node once, in the order of the front."""
        nodes = [self.scored_nodes.lattice.unrank(rank) for rank in dict.fromkeys(map(int, ranks))]
        return np.array([self.scored_nodes.place(node) for node in nodes], np.int64)

    def _proposals(self, moves: Moves) -> Array:
        """Neighbours and children of archive members."""
        members = self.scored_nodes.archive.members
        if not len(members):
            return moves.random(self.draw, _CHILDREN)
        parents = self.scored_nodes.levels[self._places(members.rank)]
        if len(parents) > _PARENTS:
            chosen = self.draw.choice(len(parents), _PARENTS, replace=False)
            around = parents[np.sort(chosen)]
        else:
            around = parents
        # mates are alike: children of distant parts of the front are rarely near it
        reach = max(_MATES, len(parents) // 10)
        first = self.draw.integers(0, len(parents), size=_CHILDREN)
        second = first + self.draw.integers(-reach, reach + 1, size=_CHILDREN)
        second = np.clip(second, 0, len(parents) - 1)
        second[::4] = self.draw.integers(0, len(parents), size=len(second[::4]))
        crossed = moves.crossed(self.draw, parents[first], parents[second])
        return np.concatenate(
            [
                moves.neighbours(around),
                moves.exchanges(self.draw, parents[first]),
                moves.jumps(self.draw, parents[first[: _CHILDREN if self.idle >= _JUMPS else 0]]),
                moves.mutated(self.draw, crossed, self._mutation / parents.shape[1]),
            ]
        )

    def _anywhere(self, moves: Moves) -> Array:
        """Where nothing can be bred any more: every node of a small lattice, or random ones."""
        size = self.scored_nodes.lattice.size
        if size <= _ANYWHERE:
            return np.arange(size)
        random = moves.random(self.draw, _ANYWHERE // 2)
        members = self.scored_nodes.archive.members
        if not len(members):
            return self._ranks(random)
        parents = self.scored_nodes.levels[self._places(members.rank)]
        chosen = parents[self.draw.integers(0, len(parents), size=_ANYWHERE // 8)]
        far = moves.mutated(self.draw, chosen, _STRONGEST / parents.shape[1])
        return self._ranks(np.concatenate([random, far]))

    @property
    def _mutation(self) -> float:
        """How many attributes a mutation moves on average: more, the longer nothing is found."""
        return min(1 + self.idle / _STRONGER, _STRONGEST)

    def _ranks(self, nodes: Array) -> Array:
        return np.unique(nodes @ np.array(self.scored_nodes.lattice.strides))

    def _promising(self, ranks: Array, known: Array, most: int) -> Array:
        """Proposals not evaluated yet that could still be better than the archive."""
        ranks = ranks[~np.isin(ranks, self.scored_nodes.rank)]
        if len(ranks) > most:
            ranks = np.sort(self.draw.choice(ranks, most, replace=False))
        fresh = self._nodes(ranks)
        return fresh[~self.scored_nodes.hopeless(fresh, known)]

    def _nodes(self, ranks: Array) -> Array:
        columns = []
        for stride in self.scored_nodes.lattice.strides:
            level, ranks = np.divmod(ranks, stride)
            columns.append(level)
        return np.stack(columns, axis=1)

    def _best(self, pool: Array, known: Array) -> Array:
        """The proposals of which most is expected."""
        scored_nodes = self.scored_nodes
        known = known[scored_nodes.feasible[known]]
        if not len(known):
            return pool[self.draw.permutation(len(pool))[:_BATCH]]
        scale = Scale.of(
            np.concatenate([scored_nodes.first[known], scored_nodes.last[known]]), self._sign
        )
        values = np.concatenate(
            [scale.apply(scored_nodes.first[known]), scale.apply(scored_nodes.last[known])], axis=1
        )
        surrogate = Surrogate(scored_nodes.lattice.levels, scored_nodes.levels[known], values)
        guesses = surrogate.guess(pool)
        front = scale.apply(scored_nodes.archive.members.shown)
        objectives = len(scored_nodes.targets)
        expected = np.maximum(
            gain(front, np.ascontiguousarray(guesses[:, :objectives])),
            gain(front, np.ascontiguousarray(guesses[:, objectives:])),
        )
        order = np.argsort(-np.round(expected, _DIGITS), kind="stable")
        return pool[order[: min(max(_BATCH, len(front) // 4), _MOST_AT_A_TIME)]]

    @property
    def _sign(self) -> Array:
        directions: Sequence[Direction] = [t.objective.direction for t in self.scored_nodes.targets]
        return np.array([-1.0 if d is Direction.MAX else 1.0 for d in directions])
