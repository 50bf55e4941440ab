"""Entropy ℓ in plain Python from its definition: whole numbers, decimals, nothing of the engine."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

from tests.support.brute_force import SmallTable, classes_of

UNIT = 2**40


@cache
def log_number(c: int) -> int:
    """T(c): 2^40 log2(c) to the nearest integer, on straight lines beyond 2^16."""
    if c > 2**16:
        k = c.bit_length() - 16
        q, r = divmod(c, 2**k)
        return k * UNIT + log_number(q) + (log_number(q + 1) - log_number(q)) * r // 2**k
    with localcontext(prec=60):
        return round(Decimal(c).ln() / Decimal(2).ln() * UNIT)


def class_number(counts) -> int:
    shared = math.gcd(*counts)
    reduced = [c // shared for c in counts]
    size = sum(reduced)
    return log_number(size) - sum(c * log_number(c) for c in reduced) // size


def bound_number(bound: Fraction) -> int:
    if bound <= 0:
        return -(2**62)
    if bound.denominator == 1:
        return log_number(int(bound))
    with localcontext(prec=60):
        exact = Decimal(bound.numerator) / Decimal(bound.denominator)
        return math.ceil(exact.ln() / Decimal(2).ln() * UNIT)


def class_numbers(table: SmallTable, node) -> list[tuple[int, int, int]]:
    """Rows, different sensitive values and entropy number of every class."""
    sensitive = table.column("sensitive")
    found = []
    for rows in classes_of(table, node).values():
        counts = Counter(sensitive[row] for row in rows).values()
        found.append((len(rows), len(counts), class_number(counts)))
    return found


def candidates(table: SmallTable, node, *, limit, rule, require_k=0, require_l=0, require_e=None):
    """{threshold: smallest entropy number of the released classes} of a node."""
    every = class_numbers(table, node)
    least = -(2**62) if require_e is None else bound_number(Fraction(require_e))
    kept = [(n, e) for n, d, e in every if n >= require_k and d >= require_l and e >= least]
    found = {}
    for threshold in sorted({n for n, _ in kept}):
        released = [(n, e) for n, e in kept if n >= threshold]
        if len(table.rows) - sum(n for n, _ in released) <= limit:
            found[threshold] = min(e for _, e in released)
    chosen = list(found)
    if rule != "staircase":
        chosen = chosen[:1] if rule == "required" else chosen[-1:]
    return {threshold: found[threshold] for threshold in chosen}
