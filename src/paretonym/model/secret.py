"""What nobody may learn about whom: confidentiality rules, compiled to conditions on rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from paretonym.model import measure_catalog as measure_catalog  # declares the measures of rules
from paretonym.model.bound import Bound, bounds_from_json, bounds_to_json
from paretonym.model.logic.predicate import (
    Predicate,
    atoms_of,
    predicate_from_json,
    predicate_to_json,
)
from paretonym.model.measure_info import info_of

MOST_SECRETS = 32  # two bits for each fit a 64-bit characteristic
MOST_CONDITIONS = 6  # different `for:` conditions; each may double the kinds of people
FINEST_SHARE = 10**6  # a share times a number of rows must fit 64 bits

_NUMBER = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")  # as str() writes a Fraction


@dataclass(frozen=True, slots=True)
class Secret:
    """A sentence to be kept secret about the people whose own record fulfils `protects`.

    In attribute-oriented granulation (section 3.1) a person u has a set CON(u) of sentences; a rule
    adds its sentence to the CON of those whom it protects.
    """

    text: str  # the sentence as the job writes it
    sentence: Predicate
    protects: Predicate | None = None  # None: everybody
    condition: str | None = None  # `protects` as the job writes it
    damage: Fraction = Fraction(1)
    prior: Fraction | None = None  # share of a population that fulfils it; None: of the table

    @property
    def columns(self) -> tuple[str, ...]:
        """What sentence and condition speak of."""
        parts = [self.sentence] if self.protects is None else [self.sentence, self.protects]
        return tuple(dict.fromkeys(atom.column for part in parts for atom in atoms_of(part)))

    def to_json(self) -> dict[str, Any]:
        return {
            "say": self.text,
            "sentence": predicate_to_json(self.sentence),
            "for": self.condition,
            "protects": None if self.protects is None else predicate_to_json(self.protects),
            "damage": str(self.damage),
            "prior": None if self.prior is None else str(self.prior),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Secret:
        protects, condition, prior = data["protects"], data["for"], data["prior"]
        secret = cls(
            text=_text(data["say"]),
            sentence=predicate_from_json(data["sentence"]),
            protects=None if protects is None else predicate_from_json(protects),
            condition=None if condition is None else _text(condition),
            damage=_fraction(data["damage"]),
            prior=None if prior is None else _fraction(prior),
        )
        if secret.damage <= 0 or (secret.prior is not None and not 0 < secret.prior < 1):
            raise ValueError("a damage is above 0, a prior between 0 and 1")
        if (secret.protects is None) != (secret.condition is None):
            raise ValueError("a condition needs its words")
        return secret


@dataclass(frozen=True, slots=True)
class Secrecy:
    """The rules of a release, and what they were required to reach in it."""

    secrets: tuple[Secret, ...] = ()
    at_risk: Fraction = Fraction(1, 2)  # a posterior above this puts a person at risk
    require: tuple[Bound, ...] = ()  # on measures of the rules
    numbers: Mapping[str, bool] = field(default_factory=dict)  # numeric column -> decimal comma

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column for s in self.secrets for column in s.columns))

    def to_json(self) -> dict[str, Any]:
        return {
            "rules": [secret.to_json() for secret in self.secrets],
            "at_risk": str(self.at_risk),
            "require": bounds_to_json(self.require),
            "numbers": dict(self.numbers),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Secrecy:
        found = cls(
            secrets=tuple(Secret.from_json(rule) for rule in data["rules"]),
            at_risk=_fraction(data["at_risk"]),
            require=bounds_from_json(data["require"]),
            numbers=dict(data["numbers"]),
        )
        conditions = {secret.protects for secret in found.secrets} - {None}
        if len(found.secrets) > MOST_SECRETS or len(conditions) > MOST_CONDITIONS:
            raise ValueError("more rules than there can be")
        if not 0 <= found.at_risk <= 1 or found.at_risk.denominator > FINEST_SHARE:
            raise ValueError("no share that a person may be at risk from")
        if not all(map(_speaks_of_rules, found.require)):
            raise ValueError("no measure of confidentiality")
        if not all(isinstance(comma, bool) for comma in found.numbers.values()):
            raise TypeError("a decimal comma is there or not")
        return found

    def check_columns(self, *, shown: Collection[str], every: Collection[str]) -> None:
        """Secrets are about columns that stand unchanged in the release."""
        for secret in self.secrets:
            said = {atom.column for atom in atoms_of(secret.sentence)}
            if not said <= set(shown) or not set(secret.columns) <= set(every):
                raise ValueError("a rule speaks of a column that it cannot speak of")


def _speaks_of_rules(bound: Bound) -> bool:
    info = info_of(bound.measure)
    return info is not None and info.needs_rules and info.direction is bound.direction


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _fraction(value: object) -> Fraction:
    if not _NUMBER.fullmatch(_text(value)):
        raise ValueError("not a number as this file writes it")
    return Fraction(_text(value))
