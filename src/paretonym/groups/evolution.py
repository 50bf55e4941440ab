"""Evolution of fuzzy rules (Tavrov and Chertov 2016, "Evolutionary algorithm for building the fuzzy
model").

The Michigan way: an individual is one rule, and the result is gathered from all generations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paretonym.groups.rules import Rule, RuleScorer, most_general
from paretonym.model.arrays import Floats, Ints
from paretonym.model.group import Evolution
from paretonym.model.interrupts import interrupts_wait


@dataclass(frozen=True, slots=True)
class Evolved:
    """The rules kept, best first, and the work behind them."""

    rules: tuple[Rule, ...]
    evaluated: int  # distinct rules
    generations: int  # of every run; fewer than asked for when the user stopped


def evolve(
    scorer: RuleScorer,
    options: Evolution,
    *,
    draw: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Evolved:
    """All runs side by side, a generation of each at a time; Ctrl-C keeps what is known.

    Every run has a generator of its own, so that neither threads nor the other runs change it.
    `progress` hears of generations, counted over all runs.
    """
    runs: list[_Run] = []
    done = 0
    try:
        with interrupts_wait():
            runs = [_Run(scorer, options, own) for own in draw.spawn(options.runs)]
            _score_together(scorer, [run.population for run in runs])
        for _ in range(options.generations):
            with interrupts_wait():
                children = [run.offspring() for run in runs]
                _score_together(scorer, children)
                for run, own in zip(runs, children, strict=True):
                    run.replace_worst(own)
                done += 1
            if progress:
                progress(options.runs)
    except KeyboardInterrupt:
        if not runs:
            raise
    return Evolved(tuple(selected(scorer, options)), len(scorer.known), done)


def selected(scorer: RuleScorer, options: Evolution) -> list[Rule]:
    """Of all rules ever scored those good enough, without specialisations; best first."""
    good = [
        rule
        for rule in scorer.known
        if rule.df > 0 and rule.rcf >= options.rcf and rule.support > options.support
    ]
    return sorted(most_general(good), key=lambda rule: (-scorer.fitness(rule), rule.values))


def _score_together(scorer: RuleScorer, parts: list[Ints]) -> None:
    """One batch keeps all threads busy; afterwards each run finds its rules known."""
    scorer.score(np.concatenate(parts))


class _Run:
    """One population and its generator."""

    def __init__(self, scorer: RuleScorer, options: Evolution, draw: np.random.Generator) -> None:
        self._scorer = scorer
        self._options = options
        self._draw = draw
        size = (options.population, len(scorer.choices))
        self.population: Ints = draw.integers(0, scorer.choices, size=size)

    def _fitness(self) -> Floats:
        rules = self._scorer.score(self.population)
        return np.array([self._scorer.fitness(rule) for rule in rules])

    def offspring(self) -> Ints:
        """Uniform crossover of pairs, one child of each kept at random, genes drawn anew."""
        options, draw = self._options, self._draw
        first, second = self._parents()
        taken = draw.random(first.shape) < 0.5
        recombined = draw.random((len(first), 1)) < options.crossover
        taken &= recombined
        children = np.where(taken, second, first), np.where(taken, first, second)
        kept = np.where(draw.random((len(first), 1)) < 0.5, *children)
        reset = draw.random(kept.shape) < options.mutation
        return np.where(reset, draw.integers(0, self._scorer.choices, size=kept.shape), kept)

    def _parents(self) -> tuple[Ints, Ints]:
        """λ pairs, each parent the best of a tournament; of equals the first drawn wins."""
        options = self._options
        size = (2, options.replace, options.tournament)
        drawn = self._draw.integers(0, options.population, size=size)
        best = self._fitness()[drawn].argmax(axis=2)
        first, second = np.take_along_axis(drawn, best[..., None], axis=2)[..., 0]
        return self.population[first], self.population[second]

    def replace_worst(self, children: Ints) -> None:
        worst = np.argsort(self._fitness(), kind="stable")[: len(children)]
        self.population[worst] = children
