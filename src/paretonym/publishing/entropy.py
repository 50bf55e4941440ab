"""How mixed the values of an attribute are in a class, counted once more: entropy ℓ.

Entropy ℓ-diversity (Machanavajjhala et al. 2006, "ℓ-Diversity: Privacy Beyond k-Anonymity") asks
that exp(entropy) is at least ℓ in every class. Entropies are whole multiples of 1/2^40 bit, and the
definition leaves no choice, so that this code must find the engine's numbers without knowing it:

1. The counts of a class are divided by their greatest common divisor: c_1 … c_m, with the sum N.
2. T(c) is 2^40 · log2(c), rounded to the nearest integer, for 1 ≤ c ≤ 2^16. For larger c, k is the
   smallest number with q = ⌊c / 2^k⌋ < 2^16, r is c - q · 2^k, and T(c) is
   k · 2^40 + T(q) + ⌊(T(q + 1) - T(q)) · r / 2^k⌋.
3. The number of the class is T(N) - ⌊(c_1 · T(c_1) + … + c_m · T(c_m)) / N⌋.

A number E is shown as 2^(E / 2^40), and as m where E is T(m) for a whole number m.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache

import numpy as np

from paretonym.model.arrays import Ints
from paretonym.publishing.class_counts import ValueCounts

_BIT = 1 << 40
_TABLE = 1 << 16
_DECIMALS = Context(prec=50, rounding=ROUND_HALF_EVEN)
_LN_2 = _DECIMALS.ln(Decimal(2))


@lru_cache(maxsize=_TABLE + 1)
def _tabled(count: int) -> int:
    if count & (count - 1) == 0:  # a power of two
        return (count.bit_length() - 1) * _BIT
    bits = _DECIMALS.divide(_DECIMALS.ln(Decimal(count)), _LN_2)
    return int(_DECIMALS.multiply(bits, Decimal(_BIT)).to_integral_value())


def scaled_log(count: int) -> int:
    """T of a whole number above 0."""
    if count <= _TABLE:
        return _tabled(count)
    shift = count.bit_length() - 16
    whole, rest = count >> shift, count & ((1 << shift) - 1)
    low, high = _tabled(whole), _tabled(whole + 1)
    return shift * _BIT + low + ((high - low) * rest >> shift)


def entropy_l(counts: ValueCounts) -> float:
    """The smallest number of any class, as it is shown; 0 when there is no class."""
    if not len(counts.rows):
        return 0.0
    part, starts, total = _reduced(counts)
    fits = total <= _TABLE  # 64 bits hold its sum: 2^16 rows of at most 16 · 2^40 each
    inside = np.repeat(fits, np.diff(starts, append=len(part)))
    sums = np.add.reduceat(np.where(inside, part, 0) * _logs(part), starts)[fits]
    numbers = (_logs(total[fits]) - sums // total[fits]).tolist()
    ends = [*starts[1:], len(part)]
    for place in np.flatnonzero(~fits):  # in Python's own integers
        numbers.append(_number(part[starts[place] : ends[place]].tolist()))
    return _shown(min(numbers))


def _logs(counts: Ints) -> Ints:
    distinct, place = np.unique(counts, return_inverse=True)
    return np.array([scaled_log(int(c)) for c in distinct], np.int64)[place.reshape(-1)]


def _number(counts: Sequence[int]) -> int:
    rows = sum(counts)
    return scaled_log(rows) - sum(c * scaled_log(c) for c in counts) // rows


def _reduced(counts: ValueCounts) -> tuple[Ints, Ints, Ints]:
    """Counts without their class's common divisor, where classes start, and their sums."""
    starts = counts.starts
    lengths = np.diff(starts, append=len(counts.rows))
    part = counts.rows // np.repeat(np.gcd.reduceat(counts.rows, starts), lengths)
    return part, starts, np.add.reduceat(part, starts)


def _shown(number: int) -> float:
    value = 2.0 ** (number / _BIT)
    whole = round(value)
    return float(whole) if whole > 0 and scaled_log(whole) == number else value
