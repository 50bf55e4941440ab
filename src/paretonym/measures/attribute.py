"""How the values of a sensitive attribute are spread in every class: entropy ℓ and δ-disclosure.

What follows is entropy ℓ; `delta_disclosure` says for itself what its number is.

**The number of a class.** Entropy ℓ-diversity (Machanavajjhala et al. 2006, "ℓ-Diversity: Privacy
Beyond k-Anonymity") asks that exp(H) is at least ℓ in every class, H being the entropy of the
attribute's values in it. Entropies are compared as whole multiples of 1/2^40 bit, by a
definition that leaves no choice to whoever computes it:

1. Divide the class's counts by their greatest common divisor; let these be c_1 … c_m, their sum N.
2. T(c) is 2^40 · log2(c), rounded to the nearest integer, for 1 ≤ c ≤ 2^16 (a power of two is
   exact, and no other logarithm lies halfway between two integers).
   For larger c, let k be the smallest number with q = ⌊c / 2^k⌋ < 2^16 and r = c - q · 2^k; then
   T(c) = k · 2^40 + T(q) + ⌊(T(q + 1) - T(q)) · r / 2^k⌋.
3. The number of the class is T(N) - ⌊(c_1 · T(c_1) + … + c_m · T(c_m)) / N⌋.

The measure is the smallest number E of the released classes. People see exp(H), which is
2^(E / 2^40); where E is T(m) for a whole number m, they see m. A requirement ℓ ≥ x asks for
E ≥ T(x) where x is a whole number, else for E ≥ 2^40 · log2(x) rounded up; x ≤ 0 asks for nothing.

**What follows.** Equal shares have equal numbers, in whichever order they are added: (1, 1), (2, 2)
and (50, 50) tie. A class of m equally frequent values has the number T(m), so it meets ℓ ≥ m. The
number is less than 1/2^40 bit below and less than 2/2^40 bit above the entropy while N is at most
2^16, and no more than 188/2^40 bit away from it beyond.

**Merging.** Entropy is concave: a class has at least that of the less mixed of two parts. Two
numbers may err by 3 units between them. Two parts of different shares and n rows in all lie apart
by at least 8 / (n^4 · ln 2) bit in what the mean gains on the smaller entropy (by Pinsker's
inequality), which is 11 units at n = 1,024: up to there the law holds of the numbers as well. For
larger classes bounds allow for the error, 3 units up to 2^16 rows and 512 beyond.
"""

from __future__ import annotations

import math
from decimal import Context as Precision
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from paretonym.kernels.extremes import DISCLOSURE, ENTROPY, LOG_BITS, LOG_TABLE
from paretonym.measures.classes import ClassTable
from paretonym.measures.measure import (
    Code,
    Context,
    Extreme,
    Fast,
    Measure,
    Monotone,
    Reduce,
    Statistic,
    direct,
)
from paretonym.measures.registry import register
from paretonym.model import measure_catalog
from paretonym.model.arrays import Array

_DIGITS = Precision(prec=50)
_UNIT = 1 << LOG_BITS
_NEAR = 1 / 32  # nearer to halfway between two integers than a float's logarithm can be trusted
_SPLIT = 20
_NO_BOUND = -(2**62)
_ANY = 2**62  # no number is as large


def _exact_log(x: Fraction) -> Decimal:
    """2^40 · log2(x), far more exact than its rounding needs."""
    precise = _DIGITS.divide(Decimal(x.numerator), Decimal(x.denominator))
    return _DIGITS.multiply(
        _DIGITS.divide(_DIGITS.ln(precise), _DIGITS.ln(Decimal(2))), Decimal(_UNIT)
    )


@lru_cache(maxsize=4)
def _logs(bits: int) -> Array:
    """T(0) = 0 (which is only ever added 0 times), T(1) … T(2^bits)."""
    scaled = np.log2(np.arange(1, (1 << bits) + 1)) * _UNIT
    found = np.rint(scaled).astype(np.int64)
    for place in np.flatnonzero(np.abs(scaled - np.floor(scaled) - 0.5) < _NEAR):
        found[place] = int(_exact_log(Fraction(int(place) + 1)).to_integral_value())
    found = np.concatenate([np.zeros(1, np.int64), found])
    found.setflags(write=False)
    return found


def logs_up_to(rows: int) -> Array:
    """The table of T for classes of a table with so many rows."""
    return _logs(min(max(rows - 1, 1).bit_length(), LOG_TABLE.bit_length() - 1))


def log_number(number: int) -> int:
    """T of any whole number above 0."""
    shift = max(number.bit_length() - (LOG_TABLE.bit_length() - 1), 0)
    entry = number >> shift
    logs = logs_up_to(entry + 1)
    low, high = int(logs[entry]), int(logs[entry + 1])
    return shift * _UNIT + low + ((high - low) * (number - (entry << shift)) >> shift)


def entropy_numbers(classes: ClassTable, column: str) -> Array:
    """The number of every class; sums are made in two halves, since 64 bits do not hold them."""
    lists = classes.count_lists(column)
    begin = lists.offset[:-1]
    length = np.diff(lists.offset)
    count = lists.count // np.repeat(np.gcd.reduceat(lists.count, begin), length)
    size = np.add.reduceat(count, begin)
    log = _logs_of(count)
    high = np.add.reduceat(count * (log >> _SPLIT), begin)
    low = np.add.reduceat(count * (log & ((1 << _SPLIT) - 1)), begin)
    rest = ((high % size) << _SPLIT) + low
    return np.asarray(_logs_of(size) - ((high // size) << _SPLIT) - rest // size)


def _logs_of(numbers: Array) -> Array:
    distinct, place = np.unique(numbers, return_inverse=True)
    return np.array([log_number(int(n)) for n in distinct], np.int64)[place]


def _shown(number: int) -> float:
    value = 2.0 ** (number / _UNIT)
    whole = round(value)
    return float(whole) if whole > 0 and log_number(whole) == number else value


def _bound(wanted: Fraction) -> int:
    if wanted <= 0:
        return _NO_BOUND
    if wanted.denominator == 1:
        return log_number(int(wanted))
    return math.ceil(_exact_log(wanted))


ENTROPY_CODE = Code(_shown, _bound)


@register(measure_catalog.ENTROPY_L)
def entropy_l(column: str) -> Measure:
    """Entropy ℓ-diversity: the smallest exp(entropy) of a column in a released class."""
    key = f"entropy({column})"
    statistic = Statistic(
        key, lambda classes, _: entropy_numbers(classes, column), Reduce.MIN, (column,),
        Fast("extreme", column, Extreme(ENTROPY, lambda context: logs_up_to(context.rows))),
        ENTROPY_CODE,
    )  # fmt: skip

    def most(context: Context) -> Fraction:
        values = len(context.totals.get(column, ()))
        return Fraction(min(values, context.rows) if values else context.rows)

    return Measure.of(
        measure_catalog.ENTROPY_L, (statistic,), direct(key, ENTROPY_CODE),
        Monotone.WITHOUT_SUPPRESSION,
        column=column, most=most, bounded=True,
    )  # fmt: skip


def disclosure_numbers(classes: ClassTable, context: Context, column: str) -> Array:
    """The δ-disclosure number of every class."""
    lists = classes.count_lists(column)
    here = lists.count.astype(np.int64) * context.rows
    there = classes.size[lists.combination] * context.totals[column][lists.code]
    shared = np.gcd(here, there)
    apart = np.abs(_logs_of(here // shared) - _logs_of(there // shared))
    return np.asarray(np.maximum.reduceat(apart, lists.offset[:-1]))


def _shown_disclosure(number: int) -> float:
    return number * math.log(2) / _UNIT


def _disclosure_bound(wanted: Fraction) -> int:
    exact = _DIGITS.divide(Decimal(wanted.numerator), Decimal(wanted.denominator))
    number = _DIGITS.divide(_DIGITS.multiply(exact, Decimal(_UNIT)), _DIGITS.ln(Decimal(2)))
    return max(-_ANY, min(math.floor(number), _ANY))


DISCLOSURE_CODE = Code(_shown_disclosure, _disclosure_bound)


@register(measure_catalog.DELTA_DISCLOSURE)
def delta_disclosure(column: str) -> Measure:
    """δ-disclosure privacy: the furthest that a share in a released class is from the table's.

    δ-disclosure privacy (Brickell and Shmatikov 2008, "The Cost of Privacy: Destruction of
    Data-Mining Utility in Anonymized Data Publishing") asks that |ln(share of a value in a class /
    share in the table)| is below δ. Logarithms are compared as whole multiples of 1/2^40 bit:

    1. For a class with n rows, a value with c > 0 of them, and the source table with N rows, C of
       them having the value, r = (c · N) / (n · C) is reduced to p / q by the greatest common
       divisor. Up to N = 10^9 both products fit into 64 bits.
    2. The number of the class is max |T(p) - T(q)| over its values, with T as for entropy ℓ.

    The measure is the largest number of the released classes; people see number · ln 2 / 2^40. A
    requirement δ ≤ x asks for a number of at most 2^40 · x / ln 2, rounded down. The source table
    has all input rows, also those that are suppressed, and stays the same for every candidate.

    Only values that occur in the class count. As printed, the definition is infinite for a class
    that lacks a value of the table: nearly every small class would be.
    """
    key = f"disclosure({column})"

    def given(context: Context) -> Array:
        totals = context.totals[column]
        logs = logs_up_to(context.rows**2)  # p and q are products of two counts
        return np.concatenate([np.array([context.rows, len(totals)], np.int64), totals, logs])

    statistic = Statistic(
        key, lambda classes, context: disclosure_numbers(classes, context, column), Reduce.MAX,
        (column,), Fast("extreme", column, Extreme(DISCLOSURE, given)), DISCLOSURE_CODE,
    )  # fmt: skip
    return Measure.of(
        measure_catalog.DELTA_DISCLOSURE, (statistic,), direct(key, DISCLOSURE_CODE), Monotone.NO,
        column=column,
    )  # fmt: skip
