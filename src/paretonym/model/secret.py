"""What nobody may learn about whom: a confidentiality rule, compiled to conditions on rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from paretonym.model.predicate import Predicate

MOST_SECRETS = 32  # two bits for each fit a 64-bit characteristic
MOST_CONDITIONS = 6  # different `for:` conditions; each may double the kinds of people


@dataclass(frozen=True, slots=True)
class Secret:
    """A sentence to be kept secret about the people whose own record fulfils `protects`.

    In paper 002 (section 3.1) a person u has a set CON(u) of sentences; a rule adds its
    sentence to the CON of those whom it protects.
    """

    text: str  # the sentence as the job writes it
    sentence: Predicate
    protects: Predicate | None = None  # None: everybody
    condition: str | None = None  # `protects` as the job writes it
    damage: Fraction = Fraction(1)
    prior: Fraction | None = None  # share of a population that fulfils it; None: of the table
