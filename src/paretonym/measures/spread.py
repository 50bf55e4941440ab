"""Property vectors of a release and the binary spread index between two (Dewri et al. 2010,
definitions 1, 4).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from paretonym.lattice.lattice import Node
from paretonym.measures.evaluator import Evaluator
from paretonym.model.arrays import Ints


def property_vectors(
    evaluator: Evaluator, node: Node, suppress_below: int, *, column: str | None = None
) -> Ints:
    """P1: every row's class size; with a column, P2: rows of the class with the same value.

    Rows come in the histogram's order (the same for every node of a lattice), a suppressed
    row has 0. P2 lists, within a combination, the values of the column in their order.

    Args:
        evaluator: Of an opened job.
        node: One level for each quasi-identifier, in the job's order.
        suppress_below: Classes with fewer rows are suppressed.
        column: A column whose values are counted, for P2.

    Returns:
        One number for each row.

    Example:
        with pn.open_job(pn.load_job("ten.yaml")) as opened:
            node = opened.lattice.node_of({"school": 1, "sex": 0})
            sizes = pn.property_vectors(opened.evaluator(), node, 2)
        assert sorted(sizes.tolist()) == [0, 2, 2, 3, 3, 3, 4, 4, 4, 4]
    """
    classes, kept = evaluator.released(node, suppress_below)
    if column is None:
        return classes.property_vector(kept, classes.size)
    raw = evaluator.histogram.counts[column]
    return np.repeat(classes.same_value(kept, column), raw.count)


def spread_index(first: npt.ArrayLike, second: npt.ArrayLike) -> int:
    """How much the first table gives people more than the second: sum of max(p - q, 0).

    Args:
        first: A property vector.
        second: The same of another release of the same table.

    Returns:
        0 when nobody is better off in the first table.

    Example:
        assert pn.spread_index([4, 4, 1], [2, 5, 1]) == 2
        assert pn.spread_index([2, 5, 1], [4, 4, 1]) == 1
    """
    difference = np.asarray(first, np.int64) - np.asarray(second, np.int64)
    return int(np.maximum(difference, 0).sum())
