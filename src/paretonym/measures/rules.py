"""Confidentiality rules compiled against a table: what to count in a class and what it weighs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from paretonym.encode.histogram import Histogram
from paretonym.kernels.shapes import Rules
from paretonym.model.arrays import Array, Bits
from paretonym.model.logic.predicate import AllOf, Not, Predicate
from paretonym.model.secret import Secret

_FINEST_SCALE = 52  # bits of a risk between 0 and 1: no more than a float has


@dataclass(frozen=True)
class Confidential:
    """The rules of a job, compiled against its table."""

    counts: tuple[str, ...]  # what the histogram counts: each rule's sentence, then each pattern
    applies: tuple[tuple[bool, ...], ...]  # [pattern][rule]
    damages: tuple[Fraction, ...]  # of each rule, not yet made to add up to 1 for a person
    priors: tuple[Fraction, ...]  # believed share of people who fulfil each sentence
    at_risk: Fraction  # a posterior above this puts a person at risk
    rows: int
    is_for_everybody: bool = True  # no rule has a condition

    @property
    def scale(self) -> int:
        """Risks are added up as whole multiples of 1/scale, so that no order of adding shows."""
        return 1 << min(_FINEST_SCALE, 61 - self.rows.bit_length())

    def rules(self, lane: int) -> Rules:
        """For compiled code, with the counts standing from `lane` on."""
        damage = np.zeros((len(self.applies), len(self.damages)))
        for pattern, applies in enumerate(self.applies):
            together = sum(d for d, own in zip(self.damages, applies, strict=True) if own)
            for rule, (own, weight) in enumerate(zip(applies, self.damages, strict=True)):
                damage[pattern, rule] = float(weight / together) if own else 0.0
        return Rules(
            lane=lane,
            applies=np.array(self.applies, np.bool_).reshape(damage.shape),
            damage=damage,
            # nobody can learn what never holds, or what everybody believes beforehand
            log_prior=np.array([math.log(prior) if prior else 0.0 for prior in self.priors]),
            numerator=self.at_risk.numerator,
            denominator=self.at_risk.denominator,
            scale=float(self.scale),
        )

    @cached_property
    def own_rules(self) -> Rules:
        """For classes whose counts stand alone."""
        return self.rules(0)

    @property
    def application(self) -> Array:
        """How many rules and patterns there are, and which rules apply to each pattern."""
        flat = [int(own) for applies in self.applies for own in applies]
        return np.array([len(self.damages), len(self.applies), *flat], np.int64)

    def posteriors(self, counts: Array, sizes: Array) -> Array:
        """The largest share of each class that fulfils a sentence kept about one of its people."""
        number = len(self.damages)
        applies = np.array(self.applies, np.bool_).reshape(-1, number)
        speaks = (counts[:, number:] > 0) @ applies  # of which rules there is somebody
        hits = np.where(speaks, counts[:, :number], 0)
        return np.asarray(hits.max(axis=1, initial=0) / sizes)


NO_RULES = Confidential((), (), (), (), Fraction(1), 0)


def conditions_of(secrets: Sequence[Secret]) -> dict[str, Predicate]:
    """What the histogram has to count: rows that fulfil each sentence, people of each pattern."""
    counted = {f"secret {number}": secret.sentence for number, secret in enumerate(secrets)}
    return counted | {name: condition for name, condition, _ in _patterns(secrets)}


def _patterns(secrets: Sequence[Secret]) -> Iterator[tuple[str, Predicate, tuple[bool, ...]]]:
    """Every way in which people can differ in the rules that protect them, with those rules."""
    differing = list(dict.fromkeys(s.protects for s in secrets if s.protects is not None))
    for number, holds in enumerate(product((True, False), repeat=len(differing))):
        chosen = dict(zip(differing, holds, strict=True))
        applies = tuple(s.protects is None or chosen[s.protects] for s in secrets)
        if any(applies):
            parts = tuple(c if true else Not(c) for c, true in chosen.items())
            yield f"people {number}", AllOf(parts), applies


def confidential_of(
    secrets: Sequence[Secret], histogram: Histogram, *, at_risk: Fraction
) -> Confidential:
    """The rules against the counts of a table; patterns that nobody has are left out."""
    counts = histogram.predicates
    present = [(n, applies) for n, _, applies in _patterns(secrets) if counts[n].any()]
    sentences = [f"secret {number}" for number in range(len(secrets))]
    return Confidential(
        counts=(*sentences, *(name for name, _ in present)),
        applies=tuple(applies for _, applies in present),
        damages=tuple(secret.damage for secret in secrets),
        priors=tuple(
            Fraction(int(counts[name].sum()), histogram.rows)
            if secret.prior is None
            else secret.prior
            for name, secret in zip(sentences, secrets, strict=True)
        ),
        at_risk=at_risk,
        rows=histogram.rows,
        is_for_everybody=all(secret.protects is None for secret in secrets),
    )


def characteristics_of(confidential: Confidential, histogram: Histogram) -> Bits:
    """Two bits a rule for each combination, which unite when classes merge (attribute-oriented
    granulation, section 3.4).

    Bit r: somebody falsifies sentence r. Bit 32 + r: rule r protects somebody.
    """
    number = len(confidential.damages)
    found = np.zeros(histogram.combinations, np.uint64)
    for r, name in enumerate(confidential.counts[:number]):
        falsified = histogram.predicates[name] < histogram.sizes
        found |= falsified.astype(np.uint64) << np.uint64(r)
    for name, applies in zip(confidential.counts[number:], confidential.applies, strict=True):
        somebody = (histogram.predicates[name] > 0).astype(np.uint64)
        for r in range(number):
            if applies[r]:
                found |= somebody << np.uint64(32 + r)
    return found
