"""How much detail a release gave up, in figures that may be published.

What is made public must not depend on rows that were left out: a loss over all rows times their
number is the count that `<k` hides, and an observed domain counts values that only those rows
hold. So only released rows and the values in them are counted, beside what a hierarchy declares.
What remains is how many values stand behind the labels. Over an observed domain that is a fact
about people, so that the figure is rounded until one value more or less moves it by one step at
most; a domain too small for any step gets no figure.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from paretonym.measures import ClassTable
from paretonym.model.arrays import Array
from paretonym.pipeline.open_job import OpenJob
from paretonym.publishing.manifest import Detail

_STEPS = (1, 2, 5, 10, 20, 50)  # per cent


def published_detail(opened: OpenJob, classes: ClassTable, kept: Array) -> dict[str, Detail]:
    """Of each quasi-identifier; k and suppression have no part in it."""
    return {
        granulation.column: _detail(opened, position, classes, kept)
        for position, granulation in enumerate(opened.lattice.granulations)
    }


def _detail(opened: OpenJob, position: int, classes: ClassTable, kept: Array) -> Detail:
    granulation = opened.lattice.granulations[position]
    partition = granulation.partitions[classes.node[position]]
    released = np.where(kept[classes.class_of], opened.histogram.sizes, 0)
    leaves = opened.histogram.codes[:, position]
    rows = np.bincount(leaves, weights=released, minlength=len(granulation.leaves))
    declared = [granulation.declares(leaf) for leaf in granulation.leaves]
    known = (rows > 0) | np.array(declared, np.bool_)
    under = np.bincount(partition.block_of[known], minlength=partition.blocks)
    shown = np.bincount(partition.block_of, weights=rows, minlength=partition.blocks)
    values, domain = int(np.count_nonzero(shown)), int(known.sum())
    if not classes.node[position]:
        return Detail(values, lost=0)
    if partition.blocks == 1:
        return Detail(values, lost=100)
    step = 1 if granulation.declared else step_for(domain)
    if step is None or domain == 1 or not values:
        return Detail(values)
    lost = sum(int(n) * (int(count) - 1) for n, count in zip(shown, under, strict=True) if n)
    share = Fraction(lost, int(shown.sum()) * (domain - 1))
    return Detail(values, lost=step * round(share * 100 / step), step=step)


def step_for(domain: int) -> int | None:
    """The finest step of which one value of the domain is no more than a part."""
    return next((step for step in _STEPS if step * (domain - 1) >= 100), None)
