"""Measures of privacy and loss: definitions, a registry, and an evaluator."""

from paretonym.measures import attribute as attribute
from paretonym.measures import builtin as builtin
from paretonym.measures import confidential as confidential
from paretonym.measures.classes import ClassTable
from paretonym.measures.evaluator import Candidates, Evaluator, Requirement, make_context
from paretonym.measures.measure import (
    Context,
    Measure,
    Monotone,
    Reduce,
    Reduced,
    Statistic,
    Values,
    direct,
)
from paretonym.measures.registry import (
    build,
    known_measures,
    objective_of,
    parse,
    register,
    takes_column,
)
from paretonym.measures.spread import property_vectors, spread_index

__all__ = [
    "Candidates",
    "ClassTable",
    "Context",
    "Evaluator",
    "Measure",
    "Monotone",
    "Reduce",
    "Reduced",
    "Requirement",
    "Statistic",
    "Values",
    "build",
    "direct",
    "known_measures",
    "make_context",
    "objective_of",
    "parse",
    "property_vectors",
    "register",
    "spread_index",
    "takes_column",
]
