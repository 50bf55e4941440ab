"""Logical confidentiality, computed once more: attribute-oriented granulation, sections 3.1, 4.1
and 4.2.

A person is exposed when everybody in their class fulfils a sentence that is to stay secret
about them. Sentences speak of columns that a release shows as they are; the conditions that say
whom a rule protects may speak of raw values, which only the input has.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow.compute as pc

from paretonym.model.arrays import Flags, Floats, Ints
from paretonym.model.logic.predicate import AllOf, AnyOf, Not, Predicate, ValueIn
from paretonym.model.plan import Plan
from paretonym.model.secret import Secrecy
from paretonym.model.steps import Recode
from paretonym.publishing.cells import is_text
from paretonym.publishing.codes import Coded, added, positions, row_ids
from paretonym.publishing.manifest import Number

NO_NUMBERS: Mapping[str, bool] = MappingProxyType({})


def shown_in_file(plan: Plan) -> Secrecy:
    """The rules of which the data file alone shows everything that they speak of."""
    shown = {name for name in plan.schema.kept if name not in plan.schema.quasi}
    secrets = tuple(s for s in plan.secrecy.secrets if shown.issuperset(s.columns))
    return replace(plan.secrecy, secrets=secrets)


def truth(
    predicate: Predicate,
    columns: Mapping[str, Coded],
    rows: int,
    numbers: Mapping[str, bool] = NO_NUMBERS,
) -> Flags:
    """For each row whether it fulfils the condition (section 3.1: u |= φ).

    `numbers` names the columns whose cells are numbers, with their decimal comma: engines and
    files spell some numbers differently.
    """
    match predicate:
        case ValueIn(name, values):
            listed = _listed(columns[name], values, name, comma=numbers.get(name))
            return listed[columns[name].codes]
        case Not(inner):
            return ~truth(inner, columns, rows, numbers)
        case AllOf(parts):
            found = np.ones(rows, np.bool_)
            for part in parts:
                found &= truth(part, columns, rows, numbers)
            return found
        case AnyOf(parts):
            found = np.zeros(rows, np.bool_)
            for part in parts:
                found |= truth(part, columns, rows, numbers)
            return found


def _listed(
    column: Coded, values: Collection[str | None], name: str, *, comma: bool | None
) -> Flags:
    """For each distinct cell of a column whether it is listed; here missing is not empty."""
    if comma is not None and is_text(column.values.type):
        wanted = {_number(value, comma=comma) for value in values if value is not None}
        cells = column.values.to_pylist()
        found = np.array([bool(c) and _number(c, comma=comma) in wanted for c in cells], np.bool_)
    else:
        found = positions(column, list(values), name) >= 0
    found[_as_mask(column.values.is_null())] = None in values
    if is_text(column.values.type):
        found[_as_mask(pc.fill_null(pc.equal(column.values, ""), fill_value=False))] = "" in values
    return found


def _number(text: str, *, comma: bool) -> Decimal | str:
    """A number as a value, so that 1e-7 is 1e-07; any other text is itself."""
    try:
        number = Decimal(text.replace(",", ".") if comma else text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text


def _as_mask(array: Any) -> Flags:
    return np.asarray(array.to_numpy(zero_copy_only=False), np.bool_)


@dataclass(frozen=True, eq=False, slots=True)
class _People:
    """Everybody, gathered into kinds: one class, and the same rules that protect them."""

    number: Ints
    class_of: Ints
    set_of: Ints  # number of the set of rules
    applies: list[Flags]  # for each rule the kinds that it protects
    damage: list[Fraction]  # of each set, all of its rules together

    @classmethod
    def of(
        cls,
        secrecy: Secrecy,
        columns: Mapping[str, Coded],
        classes: Ints,
        count: int,
        people: Ints,
    ) -> _People:
        rows, secrets, numbers = len(classes), secrecy.secrets, secrecy.numbers
        protects = [AllOf(()) if s.protects is None else s.protects for s in secrets]
        masks = {p: truth(p, columns, rows, numbers) for p in dict.fromkeys(protects)}
        sets, patterns = row_ids([(mask.astype(np.int64), 2) for mask in masks.values()], rows)
        kinds, number = row_ids([(classes, count), (sets, patterns)], rows)
        row, set_row = _one_each(kinds, number), _one_each(sets, patterns)
        own = [masks[p][set_row] for p in protects]
        together = [
            sum((s.damage for s, mine in zip(secrets, own, strict=True) if mine[i]), Fraction(0))
            for i in range(patterns)
        ]
        return cls(
            added(kinds, people, number),
            classes[row],
            sets[row],
            [masks[p][row] for p in protects],
            together,
        )

    def weights(self, damage: Fraction, own: Flags) -> Floats:
        """A rule's damage as a share of all that can happen to a person of each of its kinds."""
        shares = np.array([float(damage / whole) if whole else 0.0 for whole in self.damage])
        return np.asarray(shares[self.set_of[own]])


def _one_each(ids: Ints, number: int) -> Ints:
    """The row of somebody with each id."""
    row = np.zeros(number, np.int64)
    row[ids] = np.arange(len(ids))
    return row


def risks(
    secrecy: Secrecy, columns: Mapping[str, Coded], classes: Ints, count: int, number: Ints
) -> dict[str, Number]:
    """secure, sf, worst_risk and at_risk of records with these classes.

    `number` says how many people share each record: equal ones may be given once.
    """
    records, rows = len(classes), int(number.sum())
    if not rows:
        return {}  # no row, no promise
    people = _People.of(secrecy, columns, classes, count, number)
    size = added(classes, number, count)
    exposed, worst, limit = False, 0.0, secrecy.at_risk
    above = np.zeros(len(people.number), np.bool_)
    risk = np.zeros(len(people.number))
    for secret, own in zip(secrecy.secrets, people.applies, strict=True):
        fulfil = truth(secret.sentence, columns, records, secrecy.numbers)
        hits_in = added(classes[fulfil], number[fulfil], count)
        hits, of = hits_in[people.class_of[own]], size[people.class_of[own]]
        exposed |= bool(np.any(hits == of))
        above[own] |= hits * limit.denominator > limit.numerator * of
        worst = max(worst, float((hits / of).max(initial=0.0)))
        prior = Fraction(int(number[fulfil].sum()), rows) if secret.prior is None else secret.prior
        risk[own] += people.weights(secret.damage, own) * _risk(prior, hits / of)
    return {
        "secure": int(not exposed),
        "sf": 1.0 - math.fsum(people.number * risk) / rows,
        "worst_risk": worst,
        "at_risk": int(people.number[above].sum()) / rows,
    }


def _risk(prior: Fraction, posterior: Floats) -> Floats:
    """max((log Pr - log Pr_t) / log Pr, 0): the share of doubt that a table takes away.

    What cannot be, before or after, carries no risk, nor does what is certain beforehand.
    """
    risk = np.zeros(len(posterior))
    possible = posterior > 0
    if 0 < prior < 1:
        before = math.log(prior)
        risk[possible] = np.maximum((before - np.log(posterior[possible])) / before, 0.0)
    return risk


def quality(plan: Plan, *, before: Mapping[str, Coded] | None = None) -> dict[str, Number]:
    """ql: the weighted share of each domain's entropy that the partitions keep (section 4.2).

    Over declared domains the plan tells everything. Over the values that occur it takes the
    input's columns; without them nothing is said.
    """
    if plan.observed and before is None:
        return {}
    total = sum((plan.schema[r.column].weight for r in plan.recodes), Fraction(0))
    parts = []
    for recode in plan.recodes:
        if plan.observed and before is not None:
            blocks = _observed_blocks(recode, before[recode.column])
        else:
            blocks = _declared_blocks(recode)
        if blocks is None or not total:
            return {}
        parts.append(float(plan.schema[recode.column].weight / total) * _entropy_share(blocks))
    return {"ql": math.fsum(parts)}


def _declared_blocks(recode: Recode) -> list[int] | None:
    """How many values of the domain each block has; None when the plan does not tell of all."""
    hidden = {} if recode.written is None else recode.written.hidden
    blocks = [*recode.leaves.values(), *Counter(hidden.values()).values()]
    return blocks if sum(blocks) == recode.domain else None


def _observed_blocks(recode: Recode, column: Coded) -> list[int] | None:
    """How many values that occur each block has."""
    values = list(recode.labels)
    places = np.unique(positions(column, values, recode.column))
    if len(places) and places[0] < 0:
        return None  # a value that the plan does not know
    hidden = {} if recode.written is None else recode.written.hidden
    occurring = [values[place] for place in places]
    shown = Counter(recode.labels[value] for value in occurring if value not in hidden)
    unseen = Counter(hidden[value] for value in occurring if value in hidden)
    return [*shown.values(), *unseen.values()]


def _entropy_share(blocks: Sequence[int]) -> float:
    """h / log |V|; a domain of one value has nothing to lose."""
    domain = sum(blocks)
    if domain < 2:
        return 1.0
    return math.fsum(n / domain * math.log(domain / n) for n in blocks if n) / math.log(domain)
