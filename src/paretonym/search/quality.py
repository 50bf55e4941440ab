"""How good an archive is beside the true front (Dewri et al. 2010, section 7)."""

from __future__ import annotations

import numpy as np

from paretonym.kernels.dominance import keep_nondominated
from paretonym.model.arrays import Array
from paretonym.model.front import Direction
from paretonym.search.boxes import Boxing


def quality_indices(values: Array, boxing: Boxing) -> Array:
    """Objectives as shown, one row a candidate, to indices of which more is better.

    A loss L enters as K - L, K the largest value it can take: rows times columns for GLM, rows for
    CM. That is the index whose boxes the grid numbers.
    """
    indices = np.array(values, np.float64)
    for j, side in enumerate(boxing.sides):
        if side.direction is Direction.MIN:
            indices[:, j] = float(side.most or 0) - indices[:, j]
    return indices


def convergence_error(found: Array, true: Array) -> float:
    """CE: the distances of all found vectors to their nearest true one, added up.

    Rows are quality indices. Each is divided by its maximum in the true set first, unless that
    is 0. 0 means that everything found is on the true front.
    """
    most = true.max(axis=0)
    scale = np.where(most > 0, most, 1.0)
    apart = found[:, None] / scale - true[None] / scale
    return float(np.sqrt((apart**2).sum(axis=2)).min(axis=1).sum())


def representation_ratio(found: Array, true: Array) -> float:
    """RR: the share of the non-dominated boxes of the true set that hold something found.

    Rows are boxes as `Boxing` numbers them: smaller is better. 1 means that all are held.
    """
    distinct = np.unique(true, axis=0)  # sorted lexicographically, as the kernel asks
    wanted = distinct[keep_nondominated(np.ascontiguousarray(distinct))]
    held = {tuple(box) for box in found.tolist()}
    return sum(tuple(box) in held for box in wanted.tolist()) / len(wanted)
