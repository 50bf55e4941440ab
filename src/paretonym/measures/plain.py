"""One node evaluated from its class table with numpy: for user measures, and beside the pass.

It follows the definitions word by word; the compiled pass is held against it by the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.measures.classes import ClassTable
from paretonym.measures.measure import Context, Reduce, Statistic
from paretonym.model.arrays import Array, Flags
from paretonym.model.bound import Bound
from paretonym.model.job import Rule


@dataclass(frozen=True, slots=True)
class ClassRule:
    """A class whose number is below `at_least` must be suppressed (above, when it is a MAX)."""

    statistic: Statistic
    bound: Bound  # as it is required

    @property
    def at_least(self) -> float:
        """The bound among the numbers of classes."""
        code = self.statistic.code
        return code.bound(self.bound.value) if code else float(self.bound.value)

    def violated(self, classes: ClassTable, context: Context) -> Flags:
        return self.falls_short(self.statistic.per_class(classes, context))

    def falls_short(self, numbers: Array) -> Flags:
        if self.statistic.reduce is Reduce.MAX:
            return np.asarray(numbers > self.at_least)
        return np.asarray(numbers < self.at_least)


def thresholds(size: Array, violating: Flags, *, limit: int, rule: Rule) -> list[int]:
    """The smallest released class sizes the rule allows; empty when the node is infeasible."""
    rows = int(size[violating].sum())
    kept = np.sort(size[~violating])
    if rows > limit or not len(kept):
        return []
    found = []
    for step in np.unique(kept):
        if rows + int(kept[kept < step].sum()) > limit:
            break
        found.append(int(step))
        if rule == "required":
            break
    return found[-1:] if rule == "paper" else found


def released_classes(size: Array, violating: Flags, threshold: int) -> Flags:
    return np.asarray(~violating & (size >= threshold))


_REDUCERS: dict[Reduce, Callable[..., Array]] = {
    Reduce.SUM: np.sum,
    Reduce.MIN: np.min,
    Reduce.MAX: np.max,
}


def evaluate_node(
    classes: ClassTable,
    context: Context,
    statistics: Sequence[Statistic],
    rules: Sequence[ClassRule],
    *,
    limit: int,
    rule: Rule,
) -> tuple[list[int], list[int], dict[str, Array]]:
    """Thresholds, suppressed rows and reduced statistics of every candidate of a node."""
    violating = np.zeros(len(classes), np.bool_)
    for class_rule in rules:
        violating |= class_rule.violated(classes, context)
    steps = thresholds(classes.size, violating, limit=limit, rule=rule)
    kept = [released_classes(classes.size, violating, step) for step in steps]
    suppressed = [context.rows - int(classes.size[mask].sum()) for mask in kept]
    reduced = {}
    for s in statistics:
        numbers = s.per_class(classes, context)
        rows = [_REDUCERS[s.reduce](numbers[mask], axis=0) for mask in kept]
        reduced[s.key] = np.array(rows, numbers.dtype).reshape(-1, *numbers.shape[1:])
    return steps, suppressed, reduced
