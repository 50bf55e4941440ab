"""What a class tells about confidential sentences (attribute-oriented granulation, sections 3.1 and
4.1).

A class carries a count of the rows that fulfil each rule's sentence, and one for each set of
rules that protects a person. A person is exposed when everybody in their class fulfils a
sentence that is to stay secret about them.
"""

from __future__ import annotations

import math

import numpy as np

from paretonym.kernels.jit import compiled, lean
from paretonym.kernels.shapes import AT_RISK, EXPOSED, FIGURES, RISK, Pools, Rules
from paretonym.model.arrays import Array, Int


@lean
def clear(figures: Array) -> None:
    for i in range(FIGURES):
        figures[i] = 0


@lean
def assess(rules: Rules, counts: Array, size: Int, figures: Array) -> None:
    """Add one class to the figures: people exposed, people at risk, risk.

    Risk is (log Pr - log Pr_t) / log Pr, never below 0 (attribute-oriented granulation, section
    4.1).
    """
    patterns, number = rules.applies.shape
    first = rules.lane + number
    for pattern in range(patterns):
        people = np.int64(counts[first + pattern])
        if people == 0:
            continue
        exposed, above = False, False
        risk = 0.0
        for rule in range(number):
            if not rules.applies[pattern, rule]:
                continue
            hits = np.int64(counts[rules.lane + rule])
            exposed |= hits == size
            above |= hits * rules.denominator > rules.numerator * size
            if hits > 0 and rules.log_prior[rule] < 0.0:
                share = 1.0 - math.log(hits / size) / rules.log_prior[rule]
                risk += rules.damage[pattern, rule] * max(share, 0.0)
        if exposed:
            figures[EXPOSED] += people
        if above:
            figures[AT_RISK] += people
        figures[RISK] += people * np.int64(np.rint(risk * rules.scale))


@compiled
def figures_of_classes(rules: Rules, counts: Array, sizes: Array) -> Array:
    """The figures of every class on its own, one row each."""
    found = np.empty((len(sizes), FIGURES), np.int64)
    for i in range(len(sizes)):
        clear(found[i])
        assess(rules, counts[i], sizes[i], found[i])
    return found


@lean
def assess_node(rules: Rules, member: Array, count: Int, pools: Pools, figures: Array) -> None:
    """The figures of a node, nothing suppressed: its classes are the first `count` members."""
    clear(figures)
    for i in range(count):
        place = member[i]
        assess(rules, pools.dense[place], pools.record[place, 0], figures)
