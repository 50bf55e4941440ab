"""Adversaries: each learns from a file in which the group can be told, then grades strangers.

The paper's own adversary evolves fuzzy rules. Others stand beside it behind one protocol, since a
publisher must fear the best of them, not the published one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from paretonym.groups.evolution import evolve
from paretonym.groups.fuzzy import memberships
from paretonym.groups.proposing import propose
from paretonym.groups.records import Column, Records, sums
from paretonym.groups.rules import Rule, RuleScorer, grades
from paretonym.model.arrays import Flags, Floats
from paretonym.model.fuzzy import Variable
from paretonym.model.group import AttackerName, Evolution

People = Mapping[str, Column]  # by harmonised attributes


@dataclass(frozen=True, eq=False, slots=True)
class Grades:
    """How far each combination seems to belong to the group, and which ones are counted whole."""

    fuzzy: Floats  # from 0 to 1
    crisp: Flags


class Model(Protocol):
    """What an adversary has learnt."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """In the adversary's own words; none where the model has no words."""
        ...

    def grade(self, people: People) -> Grades: ...


class Attacker(Protocol):
    """A way to learn what a group looks like."""

    @property
    def name(self) -> AttackerName: ...

    @property
    def steps(self) -> int:
        """Of progress that learning once reports."""
        ...

    def learn(
        self,
        records: Records,
        *,
        draw: np.random.Generator,
        progress: Callable[[int], None] | None = None,
    ) -> Model:
        """From records whose members are known; equal draws give equal models."""
        ...


def described(
    records: Records, attributes: Sequence[str], given: Sequence[Variable]
) -> tuple[Variable, ...]:
    """A variable for each attribute: as the job says it, else from the auxiliary file's values."""
    known = {variable.column: variable for variable in given}
    return tuple(known.get(name) or _proposed(records, name) for name in attributes)


def _proposed(records: Records, name: str) -> Variable:
    column = records.columns[name]
    counts = sums(column.codes, records.records, len(column.values))
    return propose(name, column.values, counts.tolist())


@dataclass(frozen=True, eq=False, slots=True)
class RuleModel:
    """Fuzzy rules; a person's grade is the best of them (Tavrov and Chertov 2016, eq. 12)."""

    rules: tuple[Rule, ...]
    variables: tuple[Variable, ...]
    cut: float

    def grade(self, people: People) -> Grades:
        columns = [people[variable.column] for variable in self.variables]
        if not self.rules:
            nobody = np.zeros(len(columns[0].codes))
            return Grades(nobody, nobody > 0)
        tables = [
            memberships(variable, column.values)
            for variable, column in zip(self.variables, columns, strict=True)
        ]
        found = grades(self.rules, tables, [column.codes for column in columns], cut=self.cut)
        return Grades(found, found > 0)


@dataclass(frozen=True, slots=True)
class RuleAttacker:
    """The adversary of Tavrov and Chertov 2016: evolved fuzzy rules."""

    variables: tuple[Variable, ...]
    options: Evolution
    threads: int = 1
    name: AttackerName = field(default="fuzzy", init=False)

    @property
    def steps(self) -> int:
        return self.options.generations * self.options.runs

    def learn(
        self,
        records: Records,
        *,
        draw: np.random.Generator,
        progress: Callable[[int], None] | None = None,
    ) -> RuleModel:
        columns = [records.columns[variable.column] for variable in self.variables]
        tables = [
            memberships(variable, column.values)
            for variable, column in zip(self.variables, columns, strict=True)
        ]
        with RuleScorer(
            tables,
            [column.codes for column in columns],
            members=records.members,
            others=records.records - records.members,
            cut=self.options.cut,
            threads=self.threads,
        ) as scorer:
            evolved = evolve(scorer, self.options, draw=draw, progress=progress)
        if evolved.generations < self.options.generations:
            raise KeyboardInterrupt  # half an attack would understate what it can do
        return RuleModel(evolved.rules, self.variables, self.options.cut)
