"""The built-in measures: one small definition each (Dewri et al. 2010, Iyengar 2002).

Class-wise measures and sums speak of the released classes only; suppressed rows enter the
losses at their full cost.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from paretonym.measures.classes import ClassTable
from paretonym.measures.losses import shared_losses
from paretonym.measures.measure import (
    Context,
    Fast,
    Measure,
    Monotone,
    Reduce,
    Reduced,
    Statistic,
    Values,
    at_most_one,
    direct,
)
from paretonym.measures.registry import register
from paretonym.model import measure_catalog
from paretonym.model.arrays import Array

CLASSES = Statistic(
    "classes", lambda classes, _: np.ones(len(classes), np.int64), fast=Fast("classes")
)
SQUARES = Statistic("squares", lambda classes, _: classes.size * classes.size, fast=Fast("squares"))
SMALLEST = Statistic(
    "smallest", lambda classes, _: classes.size, reduce=Reduce.MIN, fast=Fast("smallest")
)


def _rows(context: Context) -> Fraction:
    return Fraction(context.rows)


def _rows_squared(context: Context) -> Fraction:
    return Fraction(context.rows**2)


def _full_loss(context: Context) -> Fraction:
    """Every cell lost: n·s, each quasi-identifier with its weight."""
    return context.rows * sum(context.weights, Fraction(0))


def _lost_leaves(classes: ClassTable, context: Context) -> Array:
    """A row of numbers a class: leaves - 1 for every quasi-identifier, times the class's rows."""
    positions = range(len(context.granulations))
    return np.stack([(classes.leaves(j) - 1) * classes.size for j in positions], axis=1)


LOSSES = Statistic("losses", _lost_leaves, fast=Fast("losses"))


def _shared_loss(classes: ClassTable, context: Context) -> Array:
    factors = shared_losses(context).factors
    positions = range(len(context.granulations))
    per_row: Array = sum(
        ((classes.leaves(j) - 1) * factors[j] for j in positions),
        np.zeros(len(classes), np.int64),
    )
    return per_row * classes.size


LOSS = Statistic("loss", _shared_loss, fast=Fast("loss"))


@register(measure_catalog.K)
def k() -> Measure:
    return Measure.of(
        measure_catalog.K, (SMALLEST,), direct("smallest"), Monotone.WITH_SUPPRESSION,
        most=_rows, bounded=True,
    )  # fmt: skip


@register(measure_catalog.SUPPRESSED)
def suppressed() -> Measure:
    return Measure.of(
        measure_catalog.SUPPRESSED, (), lambda reduced: Values(reduced.suppressed), Monotone.NO,
        most=_rows, bounded=True,
    )  # fmt: skip


@register(measure_catalog.DISTINCT_L)
def distinct_l(column: str) -> Measure:
    """Distinct ℓ-diversity: the fewest distinct values of a column in a released class."""
    key = f"distinct({column})"
    statistic = Statistic(
        key, lambda classes, _: classes.distinct(column), Reduce.MIN, (column,),
        Fast("distinct", column),
    )  # fmt: skip

    def most(context: Context) -> Fraction:
        values = len(context.totals.get(column, ()))
        return Fraction(min(values, context.rows) if values else context.rows)

    return Measure.of(
        measure_catalog.DISTINCT_L, (statistic,), direct(key),
        Monotone.WITHOUT_SUPPRESSION,
        column=column, most=most, bounded=True,
    )  # fmt: skip


@register(measure_catalog.S_K)
def s_k() -> Measure:
    """Sum of the property vector 'size of the class' (Dewri et al. 2010, section 7): sum of
    size².
    """
    return Measure.of(
        measure_catalog.S_K, (SQUARES,), direct("squares"), Monotone.WITHOUT_SUPPRESSION,
        most=_rows_squared, bounded=True,
    )  # fmt: skip


@register(measure_catalog.S_L)
def s_l(column: str) -> Measure:
    """Sum of the property vector 'count of one's sensitive value' (Dewri et al. 2010)."""
    key = f"sum_squares({column})"
    statistic = Statistic(
        key, lambda classes, _: classes.sum_squares(column), Reduce.SUM, (column,),
        Fast("sum_squares", column),
    )  # fmt: skip
    return Measure.of(
        measure_catalog.S_L, (statistic,), direct(key), Monotone.WITHOUT_SUPPRESSION,
        column=column, most=_rows_squared, bounded=True,
    )  # fmt: skip


def _glm(reduced: Reduced) -> Values:
    losses = shared_losses(reduced.context)
    if losses.scale:
        return Values(reduced["loss"] + reduced.suppressed * losses.full_cost, losses.scale)
    shares = _per_attribute(reduced)
    weights = reduced.context.weights
    exact = [
        float(sum((w * share for w, share in zip(weights, row, strict=True)), Fraction(0)))
        for row in shares
    ]
    return Values(np.array(exact, np.float64))


def _per_attribute(reduced: Reduced) -> list[list[Fraction]]:
    """GLM of every quasi-identifier apart, exact, for each candidate."""
    context = reduced.context
    spans = [context.domain(j) - 1 for j in range(len(context.granulations))]
    return [
        [
            Fraction(int(lost) + int(gone) * span, span) if span else Fraction(0)
            for lost, span in zip(row, spans, strict=True)
        ]
        for row, gone in zip(reduced["losses"], reduced.suppressed, strict=True)
    ]


@register(measure_catalog.GLM, needs_context=True)
def glm(context: Context) -> Measure:
    """General loss metric (Iyengar 2002): (leaves - 1) / (|domain| - 1) a cell, summed."""
    statistic = LOSS if shared_losses(context).scale else LOSSES
    return Measure.of(
        measure_catalog.GLM, (statistic,), _glm, Monotone.WITHOUT_SUPPRESSION,
        most=_full_loss, bounded=True,
    )  # fmt: skip


@register(measure_catalog.LOSS_ARITHMETIC, needs_context=True)
def loss_arithmetic(context: Context) -> Measure:
    """The peer's normalised loss, mean over the attributes: GLM as a share of its maximum."""
    statistic = LOSS if shared_losses(context).scale else LOSSES

    def combine(reduced: Reduced) -> Values:
        values = _glm(reduced)
        maximum = _full_loss(reduced.context)
        if values.scale == 1 and values.exact.dtype.kind == "f":
            return Values(values.exact / float(maximum))
        if maximum.denominator == 1:
            return Values(values.exact, values.scale * int(maximum))
        return Values(values.exact / float(maximum * values.scale))

    return Measure.of(
        measure_catalog.LOSS_ARITHMETIC, (statistic,), combine, Monotone.WITHOUT_SUPPRESSION,
        most=at_most_one, bounded=True,
    )  # fmt: skip


@register(measure_catalog.LOSS_GEOMETRIC)
def loss_geometric() -> Measure:
    """The peer's normalised loss, geometric mean: prod(1 + l_i)^(w_i / sum of w) - 1."""

    def combine(reduced: Reduced) -> Values:
        # equal integers must give equal floats, so each distinct row is worked out once
        rows = np.column_stack([reduced["losses"], reduced.suppressed])
        distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
        part = Reduced(reduced.context, distinct[:, -1], {"losses": distinct[:, :-1]})
        weights = reduced.context.weights
        total = float(sum(weights, Fraction(0)))
        values = [
            math.prod(
                (1.0 + float(share / reduced.context.rows)) ** (float(w) / total)
                for share, w in zip(shares, weights, strict=True)
            )
            - 1.0
            for shares in _per_attribute(part)
        ]
        return Values(np.array(values, np.float64)[inverse.ravel()])

    return Measure.of(
        measure_catalog.LOSS_GEOMETRIC, (LOSSES,), combine, Monotone.WITHOUT_SUPPRESSION,
        most=at_most_one, bounded=True,
    )  # fmt: skip


@register(measure_catalog.CM)
def cm(column: str) -> Measure:
    """Classification metric (Iyengar 2002): rows not of their class's majority, or suppressed."""
    key = f"minority({column})"
    statistic = Statistic(
        key, lambda classes, _: classes.size - classes.majority(column), Reduce.SUM, (column,),
        Fast("minority", column),
    )  # fmt: skip
    return Measure.of(
        measure_catalog.CM, (statistic,),
        lambda reduced: Values(reduced[key] + reduced.suppressed), Monotone.WITHOUT_SUPPRESSION,
        column=column, most=_rows, bounded=True,
    )  # fmt: skip


@register(measure_catalog.DISCERNIBILITY)
def discernibility() -> Measure:
    """Sum of size², and n for every suppressed row (the peer's formula)."""

    def combine(reduced: Reduced) -> Values:
        return Values(reduced["squares"] + reduced.suppressed * reduced.context.rows)

    return Measure.of(
        measure_catalog.DISCERNIBILITY, (SQUARES,), combine, Monotone.WITHOUT_SUPPRESSION,
        most=_rows_squared, bounded=True,
    )  # fmt: skip


@register(measure_catalog.AVERAGE_CLASS_SIZE)
def average_class_size() -> Measure:
    """Rows divided by classes, all suppressed rows forming one more class (the peer's formula)."""

    def combine(reduced: Reduced) -> Values:
        return Values(reduced.context.rows / (reduced["classes"] + (reduced.suppressed > 0)))

    return Measure.of(
        measure_catalog.AVERAGE_CLASS_SIZE, (CLASSES,), combine, Monotone.WITHOUT_SUPPRESSION,
        most=_rows, bounded=True,
    )  # fmt: skip


@register(measure_catalog.WORST_GROUP_SUPPRESSION)
def worst_group_suppression(column: str) -> Measure:
    """The largest share of rows that any value of a column loses."""
    key = f"released({column})"
    statistic = Statistic(
        key, lambda classes, _: classes.counts(column), Reduce.SUM, (column,),
        Fast("released", column),
    )  # fmt: skip

    def combine(reduced: Reduced) -> Values:
        totals = reduced.context.totals[column]
        return Values(((totals - reduced[key]) / totals).max(axis=1))

    return Measure.of(
        measure_catalog.WORST_GROUP_SUPPRESSION, (statistic,), combine, Monotone.NO,
        column=column, most=at_most_one, bounded=True,
    )  # fmt: skip
