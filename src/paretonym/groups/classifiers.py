"""Adversaries from statistics: logistic regression and gradient boosting.

They need scikit-learn, which is an extra. They learn from distinct combinations with counts, in one
thread: sums in another order would give another model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from paretonym.errors import JobError
from paretonym.groups.attackers import Grades, People
from paretonym.groups.fuzzy import read_numbers
from paretonym.groups.records import Column, Records, distinct, sums
from paretonym.groups.rules import Rule
from paretonym.model.arrays import Codes, Floats
from paretonym.model.fuzzy import Variable
from paretonym.model.group import AttackerName

EXTRA = "pip install 'paretonym[attack]'"
_MOST_BINS = 12  # of a number in the logistic regression, equally full
_LEAF = 20  # people that a leaf of a tree stands on at least
_MOST_CODES = 200  # told apart in one attribute; rarer ones are one


def installed() -> bool:
    return find_spec("sklearn") is not None


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums in one order, whatever the machine."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


class _Classifier(Protocol):
    def fit(self, features: Any, group: Any, *, sample_weight: Any) -> Any: ...

    def predict_proba(self, features: Any) -> Any: ...


@dataclass(frozen=True, eq=False, slots=True)
class ProbabilityModel:
    """A person's grade is the probability of being a member.

    Crisp are those from `least` on: so many that in the auxiliary file their number would be that
    of the members. At one half hardly anybody of a rare group would be found.
    """

    features: Callable[[People], Any]
    classifier: _Classifier
    least: float = 0.0
    rules: tuple[Rule, ...] = field(default=(), init=False)

    def probabilities(self, people: People) -> Floats:
        """Equal combinations are looked at once."""
        names = list(people)
        first, inverse = distinct(list(people.values()), len(people[names[0]].codes))
        once = {name: Column(c.values, c.codes[first]) for name, c in people.items()}
        with one_thread():
            found = self.classifier.predict_proba(self.features(once))[:, 1]
        return np.asarray(found, np.float64)[inverse]

    def grade(self, people: People) -> Grades:
        found = self.probabilities(people)
        return Grades(found, found >= self.least)


@dataclass(frozen=True, slots=True)
class _StatisticalAttacker(ABC):
    """What both have in common."""

    variables: tuple[Variable, ...]
    steps: int = field(default=200, init=False)

    def learn(
        self,
        records: Records,
        *,
        draw: np.random.Generator,
        progress: Callable[[int], None] | None = None,
    ) -> ProbabilityModel:
        people = {v.column: records.columns[v.column] for v in self.variables}
        features = self.features(records)
        classifier = self.classifier(int(draw.integers(2**31)))
        others = records.records - records.members
        _refuse_one_class(records)
        inside, outside = np.flatnonzero(records.members), np.flatnonzero(others)
        rows = np.concatenate([inside, outside])
        at = {name: Column(c.values, c.codes[rows]) for name, c in people.items()}
        group = np.repeat([1, 0], [len(inside), len(outside)])
        counts = np.concatenate([records.members[inside], others[outside]])
        times = np.minimum(counts, self.repeats)
        lines = np.repeat(np.arange(len(rows)), times)
        with one_thread():
            classifier.fit(features(at)[lines], group[lines], sample_weight=(counts / times)[lines])
        learnt = ProbabilityModel(features, classifier)
        least = _as_many(learnt.probabilities(people), records)
        if progress:
            progress(self.steps)
        return ProbabilityModel(features, classifier, least)

    @property
    def repeats(self) -> int:
        """How often a combination is shown at most; it weighs as many people as have it."""
        return 1

    @abstractmethod
    def features(self, records: Records) -> Callable[[People], Any]:
        """How people become numbers, from the values of the auxiliary file."""

    @abstractmethod
    def classifier(self, seed: int) -> _Classifier:
        """What learns, not yet taught."""


def _refuse_one_class(records: Records) -> None:
    if not 0 < records.total_members < records.total:
        raise JobError(
            "the auxiliary file holds nobody of the group, or nobody else: nothing can be learnt"
        )


def _as_many(probabilities: Floats, records: Records) -> float:
    """The probability from which on there are as many people as members, or just more."""
    order = np.argsort(-probabilities, kind="stable")
    counted = np.cumsum(records.records[order])
    last = int(np.searchsorted(counted, records.total_members))
    return float(probabilities[order[last]])


def _frequent(column: Column, records: Records) -> Codes:
    """A place for each value: its own, or a common one where it is rare or unknown here."""
    counts = sums(column.codes, records.records, len(column.values))
    order = np.argsort(-counts, kind="stable")
    kept = [code for code in order[:_MOST_CODES] if counts[code] > 0]
    places = np.full(len(column.values), len(kept), np.int32)
    places[kept] = np.arange(len(kept))
    return places


def _as_numbers(name: str, values: Sequence[str | None]) -> Floats:
    numbers = read_numbers(name, values, decimal_comma=False)
    return np.array([np.nan if number is None else float(number) for number in numbers])


def _told_numbers(name: str, column: Column, records: Records) -> Floats:
    """Nothing but zeros where the file itself has no number."""
    numbers = _as_numbers(name, column.values)
    there = sums(column.codes, records.records, len(column.values)) > 0
    return np.zeros(len(numbers)) if np.isnan(numbers[there]).all() else numbers


class LogisticAttacker(_StatisticalAttacker):
    """Every value, or bin of numbers, has a weight of its own."""

    name: AttackerName = "logistic"

    def features(self, records: Records) -> Callable[[People], Any]:
        places = {v.column: self._places(v, records) for v in self.variables}

        def of(people: People) -> Any:
            from scipy.sparse import csr_array, hstack

            parts = []
            for name, place in places.items():
                columns = place[people[name].codes]
                rows, width = np.arange(len(columns)), int(place.max()) + 1
                parts.append(csr_array((np.ones(len(rows)), (rows, columns)), (len(rows), width)))
            return hstack(parts, format="csr")

        return of

    def _places(self, variable: Variable, records: Records) -> Codes:
        """The bin or the code of each value; missing numbers are a bin of their own."""
        column = records.columns[variable.column]
        if not variable.numeric:
            return _frequent(column, records)
        numbers = _as_numbers(variable.column, column.values)
        counts = sums(column.codes, records.records, len(column.values))
        there = np.flatnonzero(~np.isnan(numbers) & (counts > 0))
        if not len(there):
            return np.zeros(len(numbers), np.int32)  # always missing: says nothing
        there = there[np.argsort(numbers[there], kind="stable")]
        below = np.cumsum(counts[there])
        shares = np.arange(1, _MOST_BINS) / _MOST_BINS
        edges = np.unique(numbers[there[np.searchsorted(below, shares * below[-1])]])
        found = np.searchsorted(edges, np.nan_to_num(numbers), side="left")
        return np.where(np.isnan(numbers), len(edges) + 1, found).astype(np.int32)

    def classifier(self, seed: int) -> _Classifier:
        from sklearn.linear_model import LogisticRegression

        made: _Classifier = LogisticRegression(solver="newton-cholesky", random_state=seed)
        return made


class BoostingAttacker(_StatisticalAttacker):
    """Trees, each mending what those before it got wrong."""

    name: AttackerName = "boosting"

    @property
    def repeats(self) -> int:
        """Leaves count lines and not weights: with so many they count people."""
        return _LEAF

    def features(self, records: Records) -> Callable[[People], Any]:
        images = {}
        for variable in self.variables:
            column = records.columns[variable.column]
            if variable.numeric:
                images[variable.column] = _told_numbers(variable.column, column, records)
            else:
                images[variable.column] = _frequent(column, records).astype(np.float64)

        def of(people: People) -> Floats:
            return np.stack([image[people[name].codes] for name, image in images.items()], axis=1)

        return of

    def classifier(self, seed: int) -> _Classifier:
        from sklearn.ensemble import HistGradientBoostingClassifier

        made: _Classifier = HistGradientBoostingClassifier(
            categorical_features=[not variable.numeric for variable in self.variables],
            early_stopping=False,
            l2_regularization=1.0,
            min_samples_leaf=_LEAF,
            random_state=seed,
        )
        return made
