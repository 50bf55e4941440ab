"""The rules of a plan on a later table: what they mean there, and whether they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from paretonym.encode import Histogram
from paretonym.kernels import shapes
from paretonym.kernels.risks import figures_of_classes
from paretonym.measures.rules import confidential_of
from paretonym.model.arrays import Ints
from paretonym.model.logic.meaning import Domain
from paretonym.model.logic.predicate import atoms_of
from paretonym.model.logic.sentence import parse_sentence
from paretonym.model.measure_catalog import AT_RISK, SECURE, SF, WORST_RISK
from paretonym.model.secret import Secrecy, Secret
from paretonym.pipeline.meanings import compiled
from paretonym.report.words import plural
from paretonym.tables import Table


def recompiled(secrecy: Secrecy, table: Table) -> Secrecy:
    """The same sentences over the values of another table.

    A comparison finds numbers that the plan's own table did not hold. A sentence that names
    its values finds those, whether they still occur or not.
    """
    known: dict[str, set[str | None]] = {name: set() for name in secrecy.columns}
    for secret in secrecy.secrets:
        for part in (secret.sentence, secret.protects):
            for atom in () if part is None else atoms_of(part):
                known[atom.column] |= atom.values
    domains = {
        name: Domain(
            frozenset([*values, *table.values_of(name)["value"].to_pylist()]),
            numeric=name in secrecy.numbers,
            decimal_comma=secrecy.numbers.get(name, False),
        )
        for name, values in known.items()
    }
    rules = enumerate(secrecy.secrets, 1)
    return replace(secrecy, secrets=tuple(_again(n, secret, domains) for n, secret in rules))


def _again(number: int, secret: Secret, domains: Mapping[str, Domain]) -> Secret:
    say, condition = parse_sentence(secret.text), secret.condition
    return replace(
        secret,
        sentence=compiled(f"confidential, rule {number}, say", say, domains),
        protects=None
        if condition is None
        else compiled(f"confidential, rule {number}, for", parse_sentence(condition), domains),
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """What the rules come to on a table, every row of it released."""

    values: Mapping[str, int | float]  # secure, sf, worst_risk, at_risk
    exposed: int  # people
    classes: int  # in which somebody is exposed

    @classmethod
    def of(cls, secrecy: Secrecy, counts: Mapping[str, Ints], size: Ints) -> Standing:
        """`counts` of each class: what `conditions_of` the rules names."""
        rows = int(size.sum())
        nothing = np.empty((len(size), 0), np.int32)
        classes = Histogram(rows, (), nothing, size, {}, counts)
        rules = confidential_of(secrecy.secrets, classes, at_risk=secrecy.at_risk)
        lanes = np.stack([counts[name] for name in rules.counts], axis=1)
        found = figures_of_classes(rules.own_rules, lanes, size)
        exposed = found[:, shapes.EXPOSED]
        whole = rules.scale * rows
        values = {
            SECURE.name: int(not exposed.any()),
            SF.name: float(Fraction(whole - int(found[:, shapes.RISK].sum()), whole)),
            WORST_RISK.name: float(rules.posteriors(lanes, size).max()),
            AT_RISK.name: int(found[:, shapes.AT_RISK].sum()) / rows,
        }
        return cls(values, int(exposed.sum()), int(np.count_nonzero(exposed)))

    def broken(self, secrecy: Secrecy) -> list[str]:
        """What the plan's job required and this table does not reach."""
        found = []
        for bound in secrecy.require:
            name, value = bound.measure, self.values[bound.measure]
            if name == SECURE.name and not bound.holds(value):
                found.append(
                    f"something confidential is certain about "
                    f"{plural(self.exposed, 'person', 'people')} in "
                    f"{plural(self.classes, 'class', 'classes')}"
                )
            elif not bound.holds(value) and value != bound.number:
                found.append(f"{name} is {value:.4g} and must be {bound.side}")
        return found
