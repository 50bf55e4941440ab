"""Quality of a granulation (attribute-oriented granulation, section 4.2): how much of each domain's
entropy is left.

Qualities are whole multiples of 1/scale, so that ties are ties: equal partitions of equal
columns count alike, wherever they stand, and a sum does not depend on its order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from paretonym.model.arrays import Ints
from paretonym.model.granulation import Granulation, Partition

_BITS = 40  # of one column's share; sums stay within 62
_WEIGHTS = 20  # bits of all weights together; odd ones are rounded to this


def entropy_share(partition: Partition, domain: Ints) -> float:
    """h(partition) / log |V| over the leaves of a domain; 1 where the domain is one value.

    The base of the logarithm cancels. Blocks are taken in the order of their sizes, so that
    partitions of the same sizes have the same share to the last bit.
    """
    sizes = np.sort(np.bincount(partition.block_of[domain]))
    sizes = sizes[sizes > 0]
    if len(sizes) == len(domain):
        return 1.0
    if len(sizes) == 1:
        return 0.0
    total = len(domain)
    entropy = math.fsum(int(n) / total * math.log(total / int(n)) for n in sizes)
    return entropy / math.log(total)


@dataclass(frozen=True, slots=True)
class Qualities:
    """Each attribute's part of the quality, level by level, as whole numbers."""

    tables: tuple[Ints, ...]
    scale: int  # the quality of a table in which nothing is generalised

    def of(self, node: Sequence[int]) -> int:
        return sum(int(table[level]) for table, level in zip(self.tables, node, strict=True))

    def of_ranks(self, rank: Ints, strides: Sequence[int]) -> Ints:
        """The same for many nodes by their numbers."""
        quality = np.zeros(len(rank), np.int64)
        for stride, table in zip(strides, self.tables, strict=True):
            level, rank = np.divmod(rank, stride)
            quality += table[level]
        return quality


NO_QUALITIES = Qualities((), 1)


def qualities_of(
    granulations: Sequence[Granulation], weights: Sequence[Fraction], domains: Sequence[Ints]
) -> Qualities:
    whole = _whole_weights(weights)
    tables = tuple(
        np.array([w * round(entropy_share(p, domain) * 2**_BITS) for p in g.partitions], np.int64)
        for g, w, domain in zip(granulations, whole, domains, strict=True)
    )
    return Qualities(tables, sum(whole) * 2**_BITS)


def _whole_weights(weights: Sequence[Fraction]) -> list[int]:
    """Weights as integers in the same proportion, as near as their room allows."""
    common = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * common) for weight in weights]
    shared = math.gcd(*whole)
    whole = [weight // shared for weight in whole]
    if sum(whole).bit_length() <= _WEIGHTS:
        return whole
    total = sum(whole)
    return [max(1, round(Fraction(weight * 2**_WEIGHTS, total))) for weight in whole]
