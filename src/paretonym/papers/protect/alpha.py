"""What alpha of the technique does to outliers before and after masking: Chertov and Tavrov's
(2017) open question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from paretonym.errors import InfeasibleError
from paretonym.groups.protection import ProtectionTask, protect_by_flow
from paretonym.groups.swapping import MILLION
from paretonym.model.arrays import Ints
from paretonym.papers.protect.facts import AlphaRow, Left, LevelFacts, OwnMask, Solution
from paretonym.papers.protect.tasks import ALPHAS, Effort, asked

_LEVEL = 0.5  # the compatibility of Chertov and Tavrov 2017


def alpha_rows(
    task: ProtectionTask, level: LevelFacts, effort: Effort, *, threads: int
) -> Iterator[AlphaRow]:
    """What was found at the job's alpha is judged at all; then each masks its own outliers."""
    best = next(iter(level.published.best), None)
    for alpha in effort.alphas:
        judge = _at(task, alpha)
        own, fault = _own(judge, threads)
        yield AlphaRow(
            float(alpha),
            len(judge.outliers),
            _left(judge, level.flow, task),
            _left(judge, best, task),
            own,
            fault,
        )


def _at(task: ProtectionTask, alpha: Fraction) -> ProtectionTask:
    """The same region, looked at with another alpha."""
    judge = replace(task, rule=replace(task.rule, alpha=alpha), spec=asked(_LEVEL))
    return replace(judge, outliers=judge.outliers_of(task.region.signal))


def _left(judge: ProtectionTask, one: Solution | None, task: ProtectionTask) -> Left | None:
    if one is None:
        return None
    return _standing(judge, np.array(one.signal, np.int64), task.outliers)


def _standing(judge: ProtectionTask, signal: Ints, masked: tuple[str, ...]) -> Left:
    found = judge.outliers_of(signal)
    return Left(len(found), sum(area in masked for area in found))


def _own(judge: ProtectionTask, threads: int) -> tuple[OwnMask | None, str]:
    if not judge.outliers:
        return OwnMask(0.0, 0, Left(0, 0), _at_largest(judge, judge.region.signal)), ""
    try:
        made = protect_by_flow(judge, threads=threads)
    except InfeasibleError as error:
        return None, str(error)
    left = _standing(judge, made.after, judge.outliers)
    mask = OwnMask(made.distortion / MILLION, len(made.pairs), left, _at_largest(judge, made.after))
    return mask, ""


def _at_largest(judge: ProtectionTask, signal: Ints) -> Left:
    return _standing(_at(judge, ALPHAS[-1]), signal, judge.outliers)
