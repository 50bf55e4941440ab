"""Random confidentiality rules on small tables, and what they say in plain Python on plain rows."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from paretonym.encode.histogram import Histogram
from paretonym.measures import build, make_context, parse
from paretonym.measures.rules import conditions_of, confidential_of
from paretonym.model.logic.predicate import AllOf, AnyOf, Not, Predicate, ValueIn
from paretonym.model.secret import Secret
from tests.support.brute_force import SmallTable, classes_of
from tests.support.small_tables import engine_parts

FIGURES = ("secure", "sf", "worst_risk", "at_risk", "ql")


def fulfils(predicate: Predicate, row: dict[str, str]) -> bool:
    match predicate:
        case ValueIn(column, values):
            return row[column] in values
        case Not(inner):
            return not fulfils(inner, row)
        case AllOf(parts):
            return all(fulfils(part, row) for part in parts)
        case AnyOf(parts):
            return any(fulfils(part, row) for part in parts)


def _atoms(columns: dict[str, list[str]]) -> st.SearchStrategy[Predicate]:
    def atom(column: str) -> st.SearchStrategy[Predicate]:
        values = st.frozensets(st.sampled_from(columns[column]), min_size=1, max_size=2)
        return values.map(lambda chosen: ValueIn(column, chosen))

    return st.sampled_from(sorted(columns)).flatmap(atom)


def conditions(columns: dict[str, list[str]]) -> st.SearchStrategy[Predicate]:
    return st.recursive(
        _atoms(columns),
        lambda inner: st.one_of(
            inner.map(Not),
            st.tuples(inner, inner).map(AllOf),
            st.tuples(inner, inner).map(AnyOf),
        ),
        max_leaves=3,
    )


@st.composite
def secrets_for(draw, table: SmallTable) -> tuple[Secret, ...]:
    kept = {name: sorted(set(table.column(name))) for name in ("sensitive", "target")}
    every = {name: sorted(set(table.column(name))) for name in table.names}
    rules = []
    for number in range(draw(st.integers(1, 3))):
        protects = draw(st.none() | conditions(every))
        prior = draw(st.none() | st.sampled_from([Fraction(1, 10), Fraction(1, 2)]))
        damage = draw(st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 3)]))
        sentence = draw(conditions(kept))
        rules.append(Secret(f"rule {number}", sentence, protects, damage=damage, prior=prior))
    return tuple(rules)


@dataclass(frozen=True)
class Confided:
    """A small table with rules, as the definitions of attribute-oriented granulation see it."""

    table: SmallTable
    secrets: tuple[Secret, ...]
    at_risk: Fraction = Fraction(1, 2)

    def rows(self) -> list[dict[str, str]]:
        return [dict(zip(self.table.names, row, strict=True)) for row in self.table.rows]

    def figures(self, node) -> dict[str, float]:
        """secure, sf, worst_risk, at_risk and ql of one node, person by person."""
        rows = self.rows()
        total = len(rows)
        holds = [[fulfils(s.sentence, row) for row in rows] for s in self.secrets]
        own = [
            [
                r
                for r, s in enumerate(self.secrets)
                if s.protects is None or fulfils(s.protects, row)
            ]
            for row in rows
        ]
        exposed, above, worst, risk = 0, 0, Fraction(0), 0.0
        for members in classes_of(self.table, node).values():
            share = [Fraction(sum(h[m] for m in members), len(members)) for h in holds]
            for person in members:
                exposed += any(share[r] == 1 for r in own[person])
                above += any(share[r] > self.at_risk for r in own[person])
                worst = max([worst, *(share[r] for r in own[person])])
                damage = sum(self.secrets[r].damage for r in own[person])
                for r in own[person]:
                    prior = self.secrets[r].prior or Fraction(sum(holds[r]), total)
                    if share[r] and prior < 1:
                        change = 1 - math.log(share[r]) / math.log(prior)
                        risk += float(self.secrets[r].damage / damage) * max(change, 0)
        return {
            "secure": int(exposed == 0), "sf": 1 - risk / total, "worst_risk": float(worst),
            "at_risk": above / total, "ql": self.quality(node),
        }  # fmt: skip

    def quality(self, node) -> float:
        weights = self.table.weights
        quality = 0.0
        for levels, level, weight in zip(self.table.labels, node, weights, strict=True):
            domain = len(levels[0])
            blocks = Counter(levels[level].values()).values()
            entropy = sum(n / domain * math.log(domain / n) for n in blocks)
            quality += weight / sum(weights) * (entropy / math.log(domain) if domain > 1 else 1)
        return quality

    def histogram(self, plain: Histogram) -> Histogram:
        """The same histogram with what the rules ask to be counted."""
        columns = [list(levels[0]) for levels in self.table.labels]
        place = {tuple(codes): i for i, codes in enumerate(plain.codes.tolist())}
        counted = {}
        for name, condition in conditions_of(self.secrets).items():
            counted[name] = np.zeros(plain.combinations, np.int64)
            for row, plain_row in zip(self.rows(), self.table.rows, strict=True):
                codes = tuple(c.index(v) for c, v in zip(columns, plain_row, strict=False))
                counted[name][place[codes]] += fulfils(condition, row)
        return replace(plain, predicates=counted)

    def parts(self, names=FIGURES):
        """Histogram, lattice, context and measures for the engine."""
        histogram, lattice, _, _ = engine_parts(self.table, [])
        histogram = self.histogram(histogram)
        weights = {f"q{j}": Fraction(w) for j, w in enumerate(self.table.weights)}
        rules = confidential_of(self.secrets, histogram, at_risk=self.at_risk)
        context = make_context(histogram, lattice, weights, confidential=rules)
        return histogram, lattice, context, [build(parse(name), context) for name in names]
