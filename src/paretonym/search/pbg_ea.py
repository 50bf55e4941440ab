"""PBG-EA as published (Dewri et al. 2010, Algorithm 2): the yardstick, and `method: pbg-ea`.

A node stands for one vector here, as in the paper: that of its largest k within the limit. Under
the staircase rule the archive is offered its other thresholds as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from paretonym.model.arrays import Array
from paretonym.model.front import Direction
from paretonym.model.interrupts import interrupts_wait
from paretonym.search.operators import Moves
from paretonym.search.scored_nodes import ScoredNodes
from paretonym.search.state import Forgetful, Keeper, State, generator_facts, generator_from

POPULATION = 25  # N_pop, section 7
ITERATIONS = 100
CROSSOVER = 0.8  # p_cross; p_mut is 1 / number of quasi-identifiers
_STUCK = 200  # iterations without a new node that end a search by budget, which might never end


@dataclass(slots=True)
class PbgEa:
    """Algorithm 2; `iterations` of None goes on until the budget is used up."""

    scored_nodes: ScoredNodes
    draw: np.random.Generator
    keeper: Keeper
    iterations: int | None = ITERATIONS
    iteration: int = 0
    idle: int = 0  # iterations since a node was last seen for the first time
    population: Array = field(default_factory=lambda: np.empty((0, 0), np.int64))

    @classmethod
    def begin(
        cls,
        scored_nodes: ScoredNodes,
        *,
        seed: int,
        iterations: int | None = ITERATIONS,
        keeper: Keeper | None = None,
    ) -> PbgEa:
        draw = np.random.Generator(np.random.PCG64(seed))
        search = cls(scored_nodes, draw, keeper or Forgetful(), iterations)
        search.population = search._first_population()
        return search

    @classmethod
    def resume(
        cls, scored_nodes: ScoredNodes, state: State, *, iterations: int | None, keeper: Keeper
    ) -> PbgEa:
        scored_nodes.restore(state)
        draw = generator_from(state.facts["generator"])
        iteration, idle = int(state.facts["iteration"]), int(state.facts["idle"])
        population = state.arrays["population"]
        return cls(scored_nodes, draw, keeper, iterations, iteration, idle, population)

    def state(self) -> State:
        inner = self.scored_nodes.state()
        counts = {"iteration": self.iteration, "idle": self.idle}
        facts = {**inner.facts, **counts, "generator": generator_facts(self.draw)}
        arrays = {**inner.arrays, "population": self.population}
        return State(arrays, {**facts, "phase": "pbg-ea"})

    def run(self) -> None:
        """Steps 3 to 9; a node evaluated before costs nothing when it comes again."""
        self._visit()
        while not self._is_over():
            with interrupts_wait():
                self.population = self._recombined(self._selected())
                before = len(self.scored_nodes)
                self._visit()
                self.iteration += 1
                self.idle = self.idle + 1 if len(self.scored_nodes) == before else 0
            if self.keeper.is_due():
                self.keeper.keep(self.state())

    def _is_over(self) -> bool:
        done = self.iterations is not None and self.iteration >= self.iterations
        all_seen = len(self.scored_nodes) == self.scored_nodes.lattice.size
        stuck = self.iterations is None and self.idle >= _STUCK
        return done or all_seen or stuck or self.scored_nodes.meter.is_used_up

    def _first_population(self) -> Array:
        """Random nodes, the fully generalised and the fully specialised one inserted."""
        lattice = self.scored_nodes.lattice
        random = Moves(lattice).random(self.draw, POPULATION - 2)
        return np.concatenate([random, [lattice.coarsest, lattice.finest]])

    def _visit(self) -> None:
        self.scored_nodes.visit([tuple(map(int, node)) for node in self.population])

    def _selected(self) -> Array:
        """Binary tournaments in the population and the archive together; lower fitness wins."""
        nodes, fitness = self._rated()
        first = self.draw.integers(0, len(nodes), size=POPULATION)
        other = (first + self.draw.integers(1, max(2, len(nodes)), size=POPULATION)) % len(nodes)
        pairs = np.stack([first, other], axis=1)  # two different nodes each time
        winner = np.where(fitness[pairs[:, 0]] <= fitness[pairs[:, 1]], pairs[:, 0], pairs[:, 1])
        return nodes[winner]

    def _rated(self) -> tuple[Array, Array]:
        """Population and archive with their fitness (adapted from SPEA2, section 6)."""
        scored_nodes = self.scored_nodes
        lattice = scored_nodes.lattice
        members = [lattice.unrank(int(rank)) for rank in scored_nodes.archive.members.rank]
        nodes = [tuple(map(int, node)) for node in self.population] + members
        # a union of sets: a node counts once; one that the budget left out does not count
        places = {place for node in nodes if (place := scored_nodes.place(node)) is not None}
        seen = np.array(sorted(places), np.int64)
        feasible = scored_nodes.feasible[seen]
        fitness = np.full(len(seen), np.inf)  # of nodes that break a requirement
        fitness[feasible] = fitness_of(scored_nodes.last[seen[feasible]] * self._sign)
        return scored_nodes.levels[seen], fitness

    @property
    def _sign(self) -> Array:
        directions = [t.objective.direction for t in self.scored_nodes.targets]
        return np.array([-1.0 if d is Direction.MAX else 1.0 for d in directions])

    def _recombined(self, selected: Array) -> Array:
        """Single-point crossover of pairs drawn without replacement, then single-step mutation."""
        order = self.draw.permutation(len(selected))
        children = selected[order].copy()
        attributes = children.shape[1]
        for first in range(0, len(children) - 1, 2):
            swaps = self.draw.random() < CROSSOVER
            cut = int(self.draw.integers(1, attributes)) if attributes > 1 else 0
            if swaps and cut:
                pair = children[first : first + 2, cut:]
                children[first : first + 2, cut:] = pair[::-1].copy()
        return Moves(self.scored_nodes.lattice).mutated(self.draw, children, 1 / attributes)


def fitness_of(vectors: Array) -> Array:
    """For each vector the number that each of its dominators dominates, added up; 0 is best."""
    no_worse = np.all(vectors[:, None] <= vectors[None], axis=2)
    dominates = no_worse & ~no_worse.T
    return np.asarray(dominates.sum(axis=1) @ dominates, np.float64)
