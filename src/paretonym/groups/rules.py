"""Fuzzy rules that describe a group (Tavrov and Chertov 2016, "Fuzzy rules in a fuzzy model of a
group").

A rule is a vector of indexes, one for each variable: 0 is any value, k the variable's k-th fuzzy
value (eq. 23). How good it is comes from a table in which the group's members are known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.errors import JobError
from paretonym.groups.cases import distinct_cases, index_of
from paretonym.kernels.rules import best_grades, sums
from paretonym.model.arrays import AnyInts, Floats, Ints
from paretonym.model.closing import Closing
from paretonym.model.fuzzy import Variable

CUT = 0.5  # α: a smaller grade counts as none


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and what it is worth (Tavrov and Chertov 2016, eq. 14 and 16)."""

    values: tuple[int, ...]
    df: float  # discriminative factor: support less the same share of everybody
    rcf: float  # relative confidence factor: members for each other person; may be infinite
    support: float  # share of the group that the rule finds: the minuend of eq. 14

    @property
    def no_false_positives(self) -> bool:
        return math.isinf(self.rcf)


class RuleScorer(Closing):
    """Scores rules on a table with a known group, each rule once.

    `codes` holds for each variable the place of every row's value among the distinct values that
    `memberships` was computed for; -1, for a missing value, is the last of them. A row is a
    record or a combination of values: `members` and `others` say how many people it stands for,
    counted or weighted, in the group and outside.
    """

    def __init__(
        self,
        memberships: Sequence[Floats],
        codes: Sequence[AnyInts],
        *,
        members: npt.ArrayLike,
        others: npt.ArrayLike,
        cut: float = CUT,
        threads: int = 1,
    ) -> None:
        if not memberships:
            raise JobError("rules need at least one variable")
        self.cut = _checked(cut)
        self.cases = distinct_cases(memberships, codes, members, others, self.cut)
        self.choices = _choices(memberships)
        self._members = float(self.cases.members.sum())
        self._all = self._members + float(self.cases.others.sum())
        if not self._members:
            raise JobError("the auxiliary table holds nobody of the group: no rule can be learnt "
                           "from it; check what defines the group, and the ranges")  # fmt: skip
        if self._all == self._members:
            raise JobError("everybody in the auxiliary table belongs to the group: nothing tells "
                           "its members from others")  # fmt: skip
        # one person of the smallest weight at the cut: no rule has fewer false positives but 0
        self._fewest_others = self.cut * float(self.cases.others[self.cases.others > 0].min())
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._known: dict[bytes, Rule] = {}

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown()

    @property
    def known(self) -> list[Rule]:
        """Every rule scored so far, in that order."""
        return list(self._known.values())

    def score(self, rules: Ints) -> list[Rule]:
        """The rules of these rows; threads change nothing but the time."""
        rules = _vectors(rules, self.choices)
        fresh = {row.tobytes(): row for row in rules}
        new = [row for key, row in fresh.items() if key not in self._known]
        if new:
            for row, (inside, outside) in zip(new, self._sums(np.array(new)), strict=True):
                self._known[row.tobytes()] = self._rule(row, float(inside), float(outside))
        return [self._known[row.tobytes()] for row in rules]

    def _sums(self, rules: Ints) -> Floats:
        """Compatibilities of members and of others; each rule is one thread's own."""
        cases = self.cases
        if not self._pool:
            return sums(cases.index, rules, cases.members, cases.others, self.cut)
        found = np.empty((len(rules), 2))
        parts = [slice(first, None, self._threads) for first in range(self._threads)]
        work = [
            self._pool.submit(
                sums, cases.index, rules[part].copy(), cases.members, cases.others, self.cut
            )
            for part in parts
        ]
        for part, future in zip(parts, work, strict=True):
            found[part] = future.result()
        return found

    def fitness(self, rule: Rule) -> float:
        """DF times RCF, 0 unless DF is above 0 (Tavrov and Chertov 2016, eq. 24).

        Without false positives RCF is infinite, and one person found would outdo any rule that
        finds thousands. Such a rule counts as if it had the fewest false positives there are:
        still more than any other rule that finds as many members.
        """
        if rule.df <= 0:
            return 0.0
        if rule.no_false_positives:
            return rule.df * rule.support * self._members / self._fewest_others
        return rule.df * rule.rcf

    def _rule(self, row: Ints, inside: float, outside: float) -> Rule:
        support = inside / self._members
        coverage = (inside + outside) / self._all
        rcf = inside / outside if outside else (math.inf if inside else 0.0)
        return Rule(tuple(map(int, row)), support - coverage, rcf, support)


def _checked(cut: float) -> float:
    if not 0 < cut <= 1:
        raise JobError("cut is a grade above 0 and at most 1; 0.5 is the usual one")
    return float(cut)


def _choices(memberships: Sequence[Floats]) -> Ints:
    """How many fuzzy values each variable has, `any` included."""
    return np.array([len(grades) for grades in memberships], np.int64)


def _vectors(rules: npt.ArrayLike, choices: Ints) -> Ints:
    """Rules as rows; compiled code would not notice an index that is none."""
    found = np.ascontiguousarray(rules, np.int64).reshape(-1, len(choices))
    if ((found < 0) | (found >= choices)).any():
        raise ValueError("a rule names a fuzzy value that its variable does not have")
    return found


def grades(
    rules: Sequence[Rule],
    memberships: Sequence[Floats],
    codes: Sequence[AnyInts],
    *,
    cut: float = CUT,
) -> Floats:
    """How well each row fits the group: the largest compatibility with any rule (Tavrov and Chertov
    2016, eq. 12).

    What fits worse than the cut is 0, so `grades > 0` are the members of the crisp signal (eq. 17)
    and the grades themselves add up to the fuzzy one (eq. 9).
    """
    cut = _checked(cut)
    vectors = _vectors([rule.values for rule in rules], _choices(memberships))
    return best_grades(index_of(memberships, codes, cut), vectors, cut)


def most_general(rules: Iterable[Rule]) -> list[Rule]:
    """Rules that are no specialisation of another: one that differs only by saying `any`.

    A specialisation fits nobody better, so that the grades of all rules stay the same
    (Tavrov and Chertov 2016, "General approach", step 3).
    """
    kept: list[Rule] = []
    vectors = np.empty((0, 0), np.int64)
    for rule in sorted(rules, key=lambda rule: (np.count_nonzero(rule.values), rule.values)):
        own = np.array(rule.values)
        if not kept or not ((vectors == own) | (vectors == 0)).all(axis=1).any():
            kept.append(rule)
            vectors = np.array([one.values for one in kept])
    return kept


def in_words(rule: Rule, variables: Sequence[Variable]) -> str:
    """The names of its fuzzy values; with the column's where several variables share a name."""
    uses = Counter(value.name for variable in variables for value in variable.values)
    words = []
    for index, variable in zip(rule.values, variables, strict=True):
        if index:
            name = variable.values[index - 1].name
            words.append(name if uses[name] == 1 else f"{variable.column} {name}")
    return ", ".join(words) or "anybody"
