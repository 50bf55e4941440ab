"""Groups of people: where they are, whether they can be found, and how they are hidden."""

from paretonym.groups.adequacy import Adequacy, adequacy
from paretonym.groups.evolution import Evolved, evolve
from paretonym.groups.fuzzy import memberships
from paretonym.groups.outliers import Outliers, find_outliers, thompson_tau
from paretonym.groups.proposing import propose
from paretonym.groups.rules import Rule, RuleScorer, grades, in_words
from paretonym.model.fuzzy import FuzzyValue, Variable
from paretonym.model.group import Evolution

__all__ = [
    "Adequacy",
    "Evolution",
    "Evolved",
    "FuzzyValue",
    "Outliers",
    "Rule",
    "RuleScorer",
    "Variable",
    "adequacy",
    "evolve",
    "find_outliers",
    "grades",
    "in_words",
    "memberships",
    "propose",
    "thompson_tau",
]
