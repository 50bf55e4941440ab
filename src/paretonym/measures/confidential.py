"""Logical confidentiality as numbers: attribute-oriented granulation, sections 3 and 4.

A rule keeps one sentence secret about some people. Two kinds of counts of a class tell
everything: how many of its rows fulfil each sentence, and how many people each set of rules
(a *pattern*) protects. Counts add up when classes merge. Nothing is suppressed here: what is
promised is promised to everybody.
"""

from __future__ import annotations

import numpy as np

from paretonym.errors import JobError
from paretonym.kernels import extremes, shapes
from paretonym.kernels.risks import figures_of_classes
from paretonym.measures.classes import ClassTable
from paretonym.measures.measure import (
    Context,
    Extreme,
    Fast,
    Measure,
    Monotone,
    Reduce,
    Reduced,
    Statistic,
    Values,
    at_most_one,
)
from paretonym.measures.registry import register
from paretonym.measures.rules import Confidential
from paretonym.model import measure_catalog
from paretonym.model.arrays import Array
from paretonym.model.measure_info import known_infos


def figures(classes: ClassTable, context: Context) -> Array:
    """The figures of every class, by the very function that compiled passes use.

    A logarithm may differ in its last bit between two libraries, and sums that are compared
    must not.
    """
    rules = _of(context)
    counts = np.stack([classes.predicate(name) for name in rules.counts], axis=1)
    return figures_of_classes(rules.own_rules, counts, classes.size)


def _of(context: Context) -> Confidential:
    if context.confidential is None:
        *first, last = (info.name for info in known_infos() if info.needs_rules)
        raise JobError(
            f"{', '.join(first)} and {last} need rules: say under confidential: what nobody may "
            f"learn"
        )
    return context.confidential


def _figure(name: str, place: int) -> Statistic:
    return Statistic(
        name, lambda classes, context: figures(classes, context)[:, place], fast=Fast(name)
    )


def _posterior(classes: ClassTable, context: Context) -> Array:
    rules = _of(context)
    counts = np.stack([classes.predicate(name) for name in rules.counts], axis=1)
    return rules.posteriors(counts, classes.size).view(np.int64)


EXPOSED = _figure("exposed", shapes.EXPOSED)
AT_RISK = _figure("at_risk", shapes.AT_RISK)
RISK = _figure("risk", shapes.RISK)
# the bits of a float between 0 and 1 sort like the float
POSTERIOR = Statistic(
    "posterior", _posterior, Reduce.MAX,
    fast=Fast(
        "extreme", extreme=Extreme(extremes.POSTERIOR, lambda context: _of(context).application)
    ),
)  # fmt: skip
QUALITY = Statistic(
    "quality",
    lambda classes, context: np.full(len(classes), context.qualities.of(classes.node)),
    Reduce.MAX,
    fast=Fast("quality"),
)


@register(measure_catalog.SECURE, needs_context=True)
def secure(context: Context) -> Measure:
    """1 when nobody's secret follows with certainty, else 0 (attribute-oriented granulation,
    section 3.1).
    """
    _of(context)
    return Measure.of(
        measure_catalog.SECURE, (EXPOSED,),
        lambda reduced: Values((reduced["exposed"] == 0).astype(np.int64)),
        Monotone.WITHOUT_SUPPRESSION,
        most=at_most_one, bounded=True,
    )  # fmt: skip


@register(measure_catalog.SF, needs_context=True)
def sf(context: Context) -> Measure:
    """Security (attribute-oriented granulation, section 4.1): 1 less the mean risk of all
    people.
    """
    whole = _of(context).scale * context.rows

    def combine(reduced: Reduced) -> Values:
        return Values(whole - reduced["risk"], whole)

    return Measure.of(
        measure_catalog.SF, (RISK,), combine, Monotone.NO,
        most=at_most_one,
    )  # fmt: skip


@register(measure_catalog.WORST_RISK, needs_context=True)
def worst_risk(context: Context) -> Measure:
    """The largest posterior of a sentence for a person it is to be kept secret about.

    A mean of two shares lies between them, so it never grows by generalising; unless a class
    that a rule did not concern is merged into one that it does.
    """
    return Measure.of(
        measure_catalog.WORST_RISK, (POSTERIOR,),
        lambda reduced: Values(reduced["posterior"].view(np.float64)),
        Monotone.WITHOUT_SUPPRESSION if _of(context).is_for_everybody else Monotone.NO,
        most=at_most_one, bounded=_of(context).is_for_everybody,
        better_above=True,
    )  # fmt: skip


@register(measure_catalog.AT_RISK, needs_context=True)
def at_risk(context: Context) -> Measure:
    """The share of people about whom a rule's sentence has a posterior above the job's own."""
    _of(context)
    return Measure.of(
        measure_catalog.AT_RISK, (AT_RISK,),
        lambda reduced: Values(reduced["at_risk"], context.rows), Monotone.NO,
        most=at_most_one,
    )  # fmt: skip


@register(measure_catalog.QL, needs_context=True)
def ql(context: Context) -> Measure:
    """Quality (attribute-oriented granulation, section 4.2): entropy of the partitions over that of
    single values.
    """
    return Measure.of(
        measure_catalog.QL, (QUALITY,),
        lambda reduced: Values(reduced["quality"], context.qualities.scale),
        Monotone.WITHOUT_SUPPRESSION,
        most=at_most_one, bounded=True, better_above=False,
    )  # fmt: skip
