"""Groups of people: where they are, whether they can be found, and how they are hidden."""

from paretonym.groups.adequacy import Adequacy, adequacy
from paretonym.groups.outliers import Outliers, find_outliers, thompson_tau

__all__ = ["Adequacy", "Outliers", "adequacy", "find_outliers", "thompson_tau"]
