"""Quality of a granulation (002, section 4.2): how much of each domain's entropy is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from paretonym.measures.measure import Array
from paretonym.model.granulation import Granulation, Partition


def entropy_share(partition: Partition, domain: Array) -> float:
    """h(partition) / log |V| over the leaves of a domain; 1 where the domain is one value.

    The base of the logarithm cancels.
    """
    if len(domain) < 2:
        return 1.0
    sizes = np.bincount(partition.block_of[domain])
    shares = sizes[sizes > 0] / len(domain)
    return -float((shares * np.log(shares)).sum()) / math.log(len(domain))


def qualities_of(
    granulations: Sequence[Granulation], weights: Sequence[Fraction], domains: Sequence[Array]
) -> tuple[Array, ...]:
    """Each attribute's part of the quality, level by level; weights are made to add up to 1."""
    total = sum(weights, Fraction(0))
    return tuple(
        float(weight / total) * np.array([entropy_share(p, domain) for p in g.partitions])
        for g, weight, domain in zip(granulations, weights, domains, strict=True)
    )
