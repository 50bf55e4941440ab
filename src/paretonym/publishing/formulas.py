"""The checker's own formulas, one for each measure that it knows.

Each reads counts of classes, which add up batch by batch, and what the plan says. Nothing here is
shared with the engine. A measure that does not stand in the table cannot be recomputed, and is
reported as not checked where it is required.

The definitions: Dewri, Ray, Ray and Whitley 2010 ("On the Identification of Property Based
Generalizations in Microdata Anonymization") for the sums over classes, Iyengar 2002 ("Transforming
Data to Satisfy Privacy Constraints") for the losses; a missing value is a category.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.model.arrays import Ints
from paretonym.model.bound import Bound
from paretonym.model.measure_info import parse_name
from paretonym.model.plan import Plan
from paretonym.model.secret import Secrecy
from paretonym.publishing.class_counts import ClassCounts
from paretonym.publishing.codes import positions, row_ids
from paretonym.publishing.confidentiality import quality, risks
from paretonym.publishing.entropy import entropy_l, scaled_log
from paretonym.publishing.manifest import Number

TOLERANCE = 1e-9  # relative, for numbers that are not whole


@dataclass(frozen=True, eq=False)
class Told:
    """What a formula may look at. What is None is not known from these files."""

    classes: ClassCounts
    plan: Plan | None = None
    input_rows: int | None = None
    rules: Secrecy = field(default_factory=Secrecy)  # those that `kinds` can answer for
    kinds: ClassCounts | None = None  # classes, split by what the rules speak of
    kept: Mapping[str, tuple[Ints, Ints]] = field(default_factory=dict)  # rows of a value: in, out

    @property
    def suppressed(self) -> int | None:
        return None if self.input_rows is None else self.input_rows - self.classes.total

    @cached_property
    def unlisted(self) -> dict[str, int]:
        """For each recoded column, the cells that are no label of the plan's step."""
        found = {}
        for recode in () if self.plan is None else self.plan.recodes:
            column = self.classes.quasi[recode.column]
            places = positions(column, list(recode.leaves), recode.column)
            rows = self.classes.rows_of_values(recode.column)
            found[recode.column] = int(rows[places < 0].sum())
        return found

    @cached_property
    def lost_rows(self) -> dict[str, Fraction] | None:
        """Of each column, what its released rows lost, in whole rows.

        A one-value domain has nothing to lose and is not there.
        """
        if self.plan is None or any(self.unlisted.values()):
            return None
        found = {}
        for recode in self.plan.recodes:
            if recode.domain == 1:
                continue
            column = self.classes.quasi[recode.column]
            leaves = np.array(list(recode.leaves.values()), np.int64)
            under = leaves[positions(column, list(recode.leaves), recode.column)]
            rows = self.classes.rows_of_values(recode.column)
            lost = sum(int(n) * (int(c) - 1) for n, c in zip(rows, under, strict=True))
            found[recode.column] = Fraction(lost, recode.domain - 1)
        return found

    @cached_property
    def risks(self) -> Mapping[str, Number]:
        """What the rules come to: none without a rule or without a row."""
        if self.kinds is None or not self.rules.secrets:
            return {}
        own = [(self.kinds.quasi[n].codes, self.kinds.quasi[n].size) for n in self.classes.quasi]
        classes, count = row_ids(own, len(self.kinds.rows))
        said = {name: self.kinds.quasi[name] for name in self.rules.columns}
        return risks(self.rules, said, classes, count, self.kinds.rows)


Compute = Callable[[Told, str], Number | None]


@dataclass(frozen=True, slots=True)
class Formula:
    """How a measure is computed; the second argument is its column, or nothing."""

    compute: Compute
    takes_column: bool = False
    relative: float = TOLERANCE  # how far two computations may lie apart
    within: float = 0.0


def _k(told: Told, _: str) -> Number:
    return int(told.classes.rows.min(initial=told.classes.total))


def _distinct_l(told: Told, column: str) -> Number | None:
    counts = told.classes.counted.get(column)
    if counts is None:
        return None
    return int(np.bincount(counts.owner).min()) if len(counts.owner) else 0


def _s_l(told: Told, column: str) -> Number | None:
    counts = told.classes.counted.get(column)
    return None if counts is None else int(np.sum(counts.rows**2))


def _entropy_l(told: Told, column: str) -> Number | None:
    counts = told.classes.counted.get(column)
    return None if counts is None else entropy_l(counts)


def _delta_disclosure(told: Told, column: str) -> Number | None:
    """The largest |ln of (share of a value in a class / share in the input)|.

    With c of a class's n rows and C of the input's N, (c · N) / (n · C) is p / q in lowest terms;
    compared is |T(p) - T(q)|, by the T of entropy ℓ. Values that a class lacks do not count.
    """
    counts = told.classes.counted.get(column)
    if counts is None or column not in told.kept:
        return None
    had, _ = told.kept[column]
    whole = had[counts.code]
    if not np.all(whole):  # a cell that no input row has; the checks of rows say so
        return None
    over = counts.rows * int(had.sum())
    under = told.classes.rows[counts.owner] * whole
    shared = np.gcd(over, under)
    terms, place = np.unique([over // shared, under // shared], return_inverse=True)
    logs = np.array([scaled_log(int(term)) for term in terms], np.int64)[place.reshape(2, -1)]
    return int(np.abs(logs[0] - logs[1]).max(initial=0)) / 2**40 * math.log(2)


def _cm(told: Told, column: str) -> Number | None:
    """Rows off the majority of their class, and those that were left out."""
    counts = told.classes.counted.get(column)
    if counts is None:
        return None
    majorities = (
        np.maximum.reduceat(counts.rows, counts.starts) if len(counts.rows) else counts.rows
    )
    return int(told.classes.total - majorities.sum()) + (told.suppressed or 0)


def _values(told: Told, column: str) -> Number | None:
    if column not in told.classes.quasi:
        return None
    return int(np.count_nonzero(told.classes.rows_of_values(column)))


def _s_k(told: Told, _: str) -> Number:
    return int(np.sum(told.classes.rows**2))


def _discernibility(told: Told, _: str) -> Number | None:
    if told.suppressed is None or told.input_rows is None:
        return None
    return int(np.sum(told.classes.rows**2)) + told.suppressed * told.input_rows


def _average_class_size(told: Told, _: str) -> Number | None:
    if told.suppressed is None or told.input_rows is None:
        return None
    classes = len(told.classes.rows) + (1 if told.suppressed else 0)
    return told.input_rows / classes if classes else 0.0


def _losses(told: Told) -> list[tuple[Fraction, Fraction]] | None:
    """Of each quasi-identifier its loss in whole rows, and its weight."""
    if told.plan is None or told.lost_rows is None or told.suppressed is None:
        return None
    found = []
    for recode in told.plan.recodes:
        # a one-value domain has nothing to lose, suppressed or not
        gone = told.suppressed if recode.column in told.lost_rows else 0
        loss = told.lost_rows.get(recode.column, Fraction(0)) + gone
        found.append((loss, told.plan.schema[recode.column].weight))
    return found


def _glm(told: Told, _: str) -> Number | None:
    losses = _losses(told)
    if losses is None:
        return None
    return float(sum((weight * loss for loss, weight in losses), Fraction(0)))


def _loss_arithmetic(told: Told, _: str) -> Number | None:
    losses = _losses(told)
    if losses is None:
        return None
    weights = sum((weight for _, weight in losses), Fraction(0))
    total = sum((weight * loss for loss, weight in losses), Fraction(0))
    return float(total / (told.input_rows * weights)) if weights and told.input_rows else 0.0


def _loss_geometric(told: Told, _: str) -> Number | None:
    losses = _losses(told)
    if losses is None:
        return None
    weights = sum((weight for _, weight in losses), Fraction(0))
    if not weights or not told.input_rows:
        return 0.0
    shares = [(weight / weights, loss / told.input_rows) for loss, weight in losses]
    logs = sum(float(weight) * math.log1p(float(share)) for weight, share in shares)
    return math.expm1(logs)


def _ql(told: Told, _: str) -> Number | None:
    if told.plan is None or told.input_rows is None:
        return None
    return quality(told.plan).get("ql")  # None where it takes the values of the input


def _worst_group_suppression(told: Told, column: str) -> Number | None:
    """The largest share of rows that a value of the input lost."""
    if column not in told.kept:
        return None
    had, kept = told.kept[column]
    shares = (had - kept) / np.maximum(had, 1)
    return float(shares.max()) if len(shares) else 0.0


def _of_rules(name: str) -> Compute:
    return lambda told, _: told.risks.get(name)


FORMULAS: Mapping[str, Formula] = {
    "rows": Formula(lambda told, _: told.classes.total),
    "classes": Formula(lambda told, _: len(told.classes.rows)),
    "values": Formula(_values, takes_column=True),
    "k": Formula(_k),
    "s_k": Formula(_s_k),
    "distinct_l": Formula(_distinct_l, takes_column=True),
    "s_l": Formula(_s_l, takes_column=True),
    # both sides compute the same whole number, and a bound may lie within a millionth of it
    "entropy_l": Formula(_entropy_l, takes_column=True, relative=1e-13),
    "delta_disclosure": Formula(_delta_disclosure, takes_column=True, relative=1e-13),
    "cm": Formula(_cm, takes_column=True),
    "suppressed": Formula(lambda told, _: told.suppressed),
    "discernibility": Formula(_discernibility),
    "average_class_size": Formula(_average_class_size),
    "glm": Formula(_glm),
    "loss_arithmetic": Formula(_loss_arithmetic),
    "loss_geometric": Formula(_loss_geometric),
    "worst_group_suppression": Formula(_worst_group_suppression, takes_column=True),
    "ql": Formula(_ql),
    "secure": Formula(_of_rules("secure")),
    # engines may add up risks in steps, finer the fewer rows there are
    "sf": Formula(_of_rules("sf"), within=1e-9),
    "worst_risk": Formula(_of_rules("worst_risk")),
    "at_risk": Formula(_of_rules("at_risk")),
}


def formula_of(name: str) -> Formula | None:
    """The formula of a measure, which may name its column; None when there is none here."""
    parsed = parse_name(name)
    found = None if parsed is None else FORMULAS.get(parsed.base)
    if parsed is None or found is None or found.takes_column != (parsed.column is not None):
        return None
    return found


def columns_of(names: Iterable[str]) -> tuple[str, ...]:
    """The columns that formulas of these measures look at."""
    parsed = [parse_name(name) for name in names if formula_of(name) is not None]
    return tuple(dict.fromkeys(one.column for one in parsed if one and one.column))


def computed(told: Told) -> dict[str, Number]:
    """Every formula that these counts can answer, by the name of its measure."""
    whole = {n: f.compute(told, "") for n, f in FORMULAS.items() if not f.takes_column}
    return {**{n: v for n, v in whole.items() if v is not None}, **of_columns(told)}


def of_columns(told: Told) -> dict[str, Number]:
    """Those that look at one column."""
    columns = tuple(dict.fromkeys((*told.classes.quasi, *told.classes.counted, *told.kept)))
    found: dict[str, Number] = {}
    for base, formula in FORMULAS.items():
        for column in columns if formula.takes_column else ():
            value = formula.compute(told, column)
            if value is not None:
                found[f"{base}({column})"] = value
    return found


def fits(name: str, promised: Number, found: Number) -> bool:
    """Whether two computations of one measure may be of the same table."""
    formula = formula_of(name)
    if formula is None:
        return agree(promised, found)
    return agree(promised, found, relative=formula.relative, within=formula.within)


def agree(
    promised: Number, found: Number, *, relative: float = TOLERANCE, within: float = 0
) -> bool:
    """Whole numbers must be equal; others may differ by rounding, or `within` so much."""
    if isinstance(promised, int) and isinstance(found, int):
        return promised == found
    return math.isclose(promised, found, rel_tol=relative, abs_tol=max(within, relative / 1000))


def reaches(bound: Bound, found: Number) -> bool:
    """Whether a recomputed number is on the right side of a bound; rounding breaks none."""
    return bound.holds(found) or fits(bound.measure, bound.number, found)
