"""How well fuzzy rules fit cases (Tavrov and Chertov 2016, eq. 11, 12): sums over all cases, and
the best grades.

A fuzzy value excludes every case whose grade in it is under the cut, since a product of grades
is no larger than any of them. So each value keeps its remaining cases as a set of bits: a rule
intersects the sets, 64 cases at a time, and multiplies grades only where a case is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.kernels.jit import compiled, inlined
from paretonym.model.arrays import Array, Int

WORD = 64
_ONE = np.uint64(1)
_NONE = np.uint64(0)
# the place of a single bit, by the six highest bits of its product with a de Bruijn sequence
_SEQUENCE = np.uint64(0x03F79D71B4CB0A89)
_HIGHEST = np.uint64(58)
_PLACE = np.zeros(WORD, np.int64)
for _bit in range(WORD):
    _PLACE[((0x03F79D71B4CB0A89 << _bit) % 2**64) >> 58] = _bit


class Index(NamedTuple):
    """Cases and the values they fit; row 0 is `any`, which all cases fit."""

    first: Array  # int64 [variables]: the row of a variable's value k is first + k, for k > 0
    sets: Array  # uint64 [rows, words]: bit c is set where case c fits
    sizes: Array  # int64 [rows]: cases that fit
    is_fuzzy: Array  # bool [rows]: some case fits with a grade below 1
    start: Array  # int64 [rows]: where the grades of the row begin
    grades: Array  # float64: by the code of the row's variable
    codes: Array  # int32 [cases, variables]


@inlined
def rows_of(index: Index, rule: Array, rows: Array) -> int:
    """The rows a case must fit, the one that excludes most first; how many there are."""
    used = 0
    for j in range(len(rule)):
        if rule[j] == 0:
            continue
        row = index.first[j] + rule[j]
        place = used
        while place > 0 and index.sizes[rows[place - 1]] > index.sizes[row]:
            rows[place] = rows[place - 1]
            place -= 1
        rows[place] = row
        used += 1
    if used == 0:
        rows[0] = 0
        used = 1
    return used


@inlined
def factors_of(index: Index, rule: Array, start: Array, column: Array) -> int:
    """The values that must be multiplied, in the order of the variables; how many there are."""
    used = 0
    for j in range(len(rule)):
        row = index.first[j] + rule[j]
        if rule[j] > 0 and index.is_fuzzy[row]:
            start[used] = index.start[row]
            column[used] = j
            used += 1
    return used


@inlined
def common(sets: Array, rows: Array, used: Int, word: Int) -> np.uint64:
    """Which of 64 cases fit all rows."""
    bits = sets[rows[0], word]
    for i in range(1, used):
        if bits == _NONE:
            break
        bits &= sets[rows[i], word]
    return bits  # type: ignore[no-any-return]


@inlined
def compatibility(
    index: Index, case: Int, start: Array, column: Array, used: Int, cut: float
) -> float:
    """The product of a case's grades, or 0 once it is under the cut (Tavrov and Chertov 2016, eq.
    11, 12).
    """
    product = 1.0
    for i in range(used):
        product *= index.grades[start[i] + index.codes[case, column[i]]]
        if product < cut:
            return 0.0
    return product


@inlined
def matches(index: Index, rule: Array, cut: float, work: Array, cases: Array, grades: Array) -> Int:
    """The cases that a rule fits, in their order, and how well; returns how many there are.

    `work` is room for what the rule looks at.
    """
    rows, start, column = work[0], work[1], work[2]
    used = rows_of(index, rule, rows)
    factors = factors_of(index, rule, start, column)
    found = 0
    for word in range(index.sets.shape[1]):
        bits = common(index.sets, rows, used, word)
        while bits != _NONE:
            lowest = bits & (~bits + _ONE)
            case = word * WORD + _PLACE[(lowest * _SEQUENCE) >> _HIGHEST]
            bits ^= lowest
            cases[found] = case
            grades[found] = compatibility(index, case, start, column, factors, cut)
            found += 1
    return found


@compiled
def sums(index: Index, rules: Array, members: Array, others: Array, cut: float) -> Array:
    """For each rule the compatibilities of the group's members and of the others, added up.

    Cases are added in their order, whoever else is at work: the same sums, to the last bit.
    """
    count, variables = rules.shape
    total = np.zeros((count, 2))
    work = np.empty((3, variables + 1), np.int64)
    cases, grades = np.empty(len(members), np.int32), np.empty(len(members))
    for r in range(count):
        inside, outside = 0.0, 0.0
        for i in range(matches(index, rules[r], cut, work, cases, grades)):
            inside += grades[i] * members[cases[i]]
            outside += grades[i] * others[cases[i]]
        total[r, 0], total[r, 1] = inside, outside
    return total


@compiled
def best_grades(index: Index, rules: Array, cut: float) -> Array:
    """For each case its largest compatibility with any rule: its grade in the group."""
    known, variables = index.codes.shape
    best = np.zeros(known)
    work = np.empty((3, variables + 1), np.int64)
    cases, grades = np.empty(known, np.int32), np.empty(known)
    for r in range(len(rules)):
        for i in range(matches(index, rules[r], cut, work, cases, grades)):
            best[cases[i]] = max(best[cases[i]], grades[i])
    return best
