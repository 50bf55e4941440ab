"""Small tables with a group, and rules scored by plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from paretonym.groups import RuleScorer
from paretonym.groups.rules import Rule


@dataclass(frozen=True)
class GroupTable:
    """Grades of each variable's distinct values, their places in each row, people of each row."""

    tables: list[np.ndarray]
    codes: list[np.ndarray]
    members: np.ndarray
    others: np.ndarray
    cut: float = 0.5

    def scorer(self, threads: int = 1) -> RuleScorer:
        people = {"members": self.members, "others": self.others}
        return RuleScorer(self.tables, self.codes, **people, cut=self.cut, threads=threads)

    def compatibility(self, rule, row: int) -> float:
        """APC with the cut (Tavrov and Chertov 2016, eq. 11 and 12)."""
        product = 1.0
        for value, table, code in zip(rule, self.tables, self.codes, strict=True):
            product *= float(table[value][code[row]])
        return product if product >= self.cut else 0.0

    def score(self, rule) -> Rule:
        """DF, RCF and support (eq. 14 and 16)."""
        grades = [self.compatibility(rule, row) for row in range(len(self.members))]
        inside = math.fsum(g * m for g, m in zip(grades, self.members, strict=True))
        outside = math.fsum(g * o for g, o in zip(grades, self.others, strict=True))
        support = inside / self.members.sum()
        everybody = self.members.sum() + self.others.sum()
        rcf = inside / outside if outside else math.inf if inside else 0.0
        return Rule(tuple(rule), support - (inside + outside) / everybody, rcf, support)


# sums of few powers of 2, so that products and sums are exact
EXACT = st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.9375, 1.0])


@st.composite
def group_tables(draw, grade=EXACT) -> GroupTable:
    rows = draw(st.integers(2, 80))
    tables, codes = [], []
    for _ in range(draw(st.integers(1, 4))):
        distinct, values = draw(st.integers(1, 4)), draw(st.integers(1, 3))
        flat = draw(st.lists(grade, min_size=values * distinct, max_size=values * distinct))
        tables.append(np.vstack([np.ones(distinct), np.reshape(flat, (values, distinct))]))
        code = draw(st.lists(st.integers(-1, distinct - 1), min_size=rows, max_size=rows))
        codes.append(np.array(code))
    counts = st.lists(st.integers(0, 3), min_size=rows, max_size=rows).filter(any)
    people = (np.array(draw(counts), float) for _ in range(2))
    return GroupTable(tables, codes, *people, cut=draw(st.sampled_from([0.25, 0.5, 1.0])))


def all_rules(tables) -> np.ndarray:
    return np.array(list(np.ndindex(*(len(table) for table in tables))))


def is_covered_by(rule: Rule, general: Rule) -> bool:
    """Whether one rule says what another says, and perhaps more."""
    return all(a in (0, b) for a, b in zip(general.values, rule.values, strict=True))
