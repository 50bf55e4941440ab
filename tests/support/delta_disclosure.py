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


def candidates(table: SmallTable, node, *, limit, rule, require_k=0, require_d=None):
    """{threshold: largest number of the released classes} of a node."""
    sensitive = table.column("sensitive")
    totals = Counter(sensitive)
    most = math.inf if require_d is None else bound_number(Fraction(require_d))
    kept = []
    for rows in classes_of(table, node).values():
        number = class_number(Counter(sensitive[row] for row in rows), totals)
        if len(rows) >= require_k and number <= most:
            kept.append((len(rows), number))
    found = {}
    for threshold in sorted({n for n, _ in kept}):
        released = [(n, d) for n, d in kept if n >= threshold]
        if len(table.rows) - sum(n for n, _ in released) <= limit:
            found[threshold] = max(d for _, d in released)
    chosen = list(found)
    if rule != "staircase":
        chosen = chosen[:1] if rule == "required" else chosen[-1:]
    return {threshold: found[threshold] for threshold in chosen}
