"""The genetic algorithm of attribute-oriented granulation (section 4.3, Fig. 7 and 8), as
published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.lattice.lattice import Node
from paretonym.model.arrays import Array
from paretonym.model.job import Genetic
from paretonym.search.benefit import Benefit, Optimum


@dataclass(frozen=True, slots=True)
class Coding:
    """Nodes as strings of bits: for each attribute as many as its number of levels needs."""

    levels: tuple[int, ...]

    @property
    def bits(self) -> tuple[int, ...]:
        return tuple((count - 1).bit_length() for count in self.levels)

    def encode(self, node: Sequence[int]) -> Array:
        text = "".join(
            format(level, f"0{bits}b") if bits else ""
            for level, bits in zip(node, self.bits, strict=True)
        )
        return np.array([int(bit) for bit in text], np.int64)

    def raw(self, code: Array) -> tuple[int, ...]:
        """The numbers as they stand; one may be no level at all."""
        numbers, first = [], 0
        for bits in self.bits:
            digits = code[first : first + bits]
            numbers.append(int(sum(int(d) << i for i, d in enumerate(digits[::-1]))))
            first += bits
        return tuple(numbers)

    def decode(self, code: Array) -> Node:
        """Illegal numbers are repaired by the remainder: 5 becomes 0 where there are 5 levels."""
        return tuple(n % count for n, count in zip(self.raw(code), self.levels, strict=True))


def one_point(first: Array, second: Array, cut: int) -> tuple[Array, Array]:
    return (
        np.concatenate([first[:cut], second[cut:]]),
        np.concatenate([second[:cut], first[cut:]]),
    )


def two_points(first: Array, second: Array, cut: int, end: int) -> tuple[Array, Array]:
    """What stands between the two cuts changes places."""
    return (
        np.concatenate([first[:cut], second[cut:end], first[end:]]),
        np.concatenate([second[:cut], first[cut:end], second[end:]]),
    )


def evolve_codes(benefit: Benefit, options: Genetic, draw: np.random.Generator) -> Optimum:
    """Roulette, crossover at one or two points, bits flipped; the offspring replaces its parents.

    The best node ever evaluated is the result, since the population may lose it again.
    """
    coding = Coding(benefit.lattice.levels)
    width = sum(coding.bits)
    size = options.population
    population = draw.integers(0, 2, size=(size, width))
    for _ in range(options.generations):
        nodes = [coding.decode(code) for code in population]
        fitness = benefit.of(nodes)
        parents = _roulette(population, fitness, draw)
        children = _crossed(parents, options.crossover, draw)
        flips = draw.random(children.shape) < options.mutation
        legal = [coding.decode(code) for code in children ^ flips]
        population = np.array([coding.encode(node) for node in legal]).reshape(size, width)
    benefit.of([coding.decode(code) for code in population])
    return benefit.best


def _roulette(population: Array, fitness: Array, draw: np.random.Generator) -> Array:
    """Each with a probability proportional to its fitness; all alike while nobody has any."""
    total = fitness.sum()
    shares = fitness / total if total > 0 else None
    return np.asarray(population[draw.choice(len(population), len(population), p=shares)])


def _crossed(parents: Array, rate: float, draw: np.random.Generator) -> Array:
    children = parents.copy()
    width = parents.shape[1]
    for place in range(0, len(parents) - 1, 2):
        first, second = parents[place], parents[place + 1]
        if width < 2 or draw.random() >= rate:
            continue
        cut, end = np.sort(draw.choice(np.arange(1, width + 1), 2, replace=False))
        if draw.random() < 0.5:
            children[place : place + 2] = one_point(first, second, int(draw.integers(1, width)))
        else:
            children[place : place + 2] = two_points(first, second, int(cut), int(end))
    return children
