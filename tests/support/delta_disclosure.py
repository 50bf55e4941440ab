"""δ-disclosure in plain Python from its definition: whole numbers and fractions, no engine."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

from tests.support.brute_force import SmallTable, classes_of
from tests.support.entropy import UNIT, log_number


def class_number(counts, totals) -> int:
    """`counts` are of one class, `totals` of the table: {value: rows}."""
    size, rows = sum(counts.values()), sum(totals.values())
    ratios = [Fraction(c * rows, size * totals[value]) for value, c in counts.items() if c]
    return max(abs(log_number(r.numerator) - log_number(r.denominator)) for r in ratios)


def bound_number(bound: Fraction) -> int:
    with localcontext(prec=60):
        exact = Decimal(bound.numerator) / Decimal(bound.denominator)
        return math.floor(exact * UNIT / Decimal(2).ln())


def numbers_of(table: SmallTable, node) -> dict[tuple[str, ...], int]:
    """The number of every class by its labels."""
    sensitive = table.column("sensitive")
    return {
        key: class_number(Counter(sensitive[row] for row in rows), Counter(sensitive))
        for key, rows in classes_of(table, node).items()
    }


def released(table: SmallTable, node, threshold, *, require_d=None):
    """The classes of a candidate: {labels: rows}."""
    most = math.inf if require_d is None else bound_number(Fraction(require_d))
    numbers = numbers_of(table, node)
    return {
        key: rows
        for key, rows in classes_of(table, node).items()
        if len(rows) >= threshold and numbers[key] <= most
    }


def candidates(table: SmallTable, node, *, limit, rule, require_k=0, require_d=None):
    """{threshold: largest number of the released classes} of a node."""
    numbers = numbers_of(table, node)
    kept = released(table, node, require_k, require_d=require_d)
    found = {}
    for threshold in sorted({len(rows) for rows in kept.values()}):
        stays = [key for key, rows in kept.items() if len(rows) >= threshold]
        if len(table.rows) - sum(len(kept[key]) for key in stays) <= limit:
            found[threshold] = max(numbers[key] for key in stays)
    chosen = list(found)
    if rule != "staircase":
        chosen = chosen[:1] if rule == "required" else chosen[-1:]
    return {threshold: found[threshold] for threshold in chosen}
