"""Can swapped records be told from the others? A detector that even knows some of them tries.

It learns from four fifths of the modified file, where it is told who was swapped, and is asked
about the rest: nobody outside is told as much. It sees the columns that the groups name; where the
file has others that speak of places, such as a home area, an adversary may see more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paretonym.groups.classifiers import one_thread
from paretonym.groups.records import Column
from paretonym.groups.resampling import auc
from paretonym.model.arrays import Flags, Floats, Ints
from paretonym.model.numbers import parse_number

_FOLDS = 5
_MOST = 200_000  # records that are looked at; of more a sample
_CODES = 250  # told apart in a column that holds no numbers


@dataclass(frozen=True, slots=True)
class Detected:
    """How well swapped records are found among all."""

    records: int
    swapped: int
    auc: float  # 0.5: no better than chance
    precision: float  # of as many as were swapped, those it suspects most: how many were

    @property
    def by_chance(self) -> float:
        """The precision of a guess."""
        return self.swapped / self.records

    def to_json(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "swapped": self.swapped,
            "auc": self.auc,
            "precision": self.precision,
            "by_chance": self.by_chance,
        }


def detect(
    columns: Mapping[str, Column], swapped: Flags, *, draw: np.random.Generator
) -> Detected | None:
    """None where too few or too many were swapped to learn from."""
    rows = np.arange(len(swapped))
    if len(rows) > _MOST:
        rows = np.sort(draw.choice(rows, _MOST, replace=False))
    truth = swapped[rows]
    if min(int(truth.sum()), int((~truth).sum())) < 2 * _FOLDS:
        return None
    features, named = _features(columns, rows)
    if not named:
        return None
    suspected = _suspected(features, named, truth, draw)
    found = auc(suspected, truth)
    if found is None:
        return None
    most = np.argsort(-suspected, kind="stable")[: int(truth.sum())]
    return Detected(len(rows), int(truth.sum()), found, float(truth[most].mean()))


def _features(columns: Mapping[str, Column], rows: Ints) -> tuple[Floats, list[bool]]:
    """Numbers as such, everything else as codes, the rarest of which are one."""
    made, named = [], []
    for column in columns.values():
        if len(np.unique(column.codes[rows])) < 2:
            continue  # says nothing
        numbers = [None if v is None else parse_number(v, decimal_comma=False)
                   for v in column.values]  # fmt: skip
        texts = any(n is None and v is not None
                    for n, v in zip(numbers, column.values, strict=True))  # fmt: skip
        codes = column.codes[rows]
        if texts:
            made.append(_frequent(codes, len(column.values)))
        else:
            images = np.array([np.nan if n is None else float(n) for n in numbers])
            made.append(images[codes])
        named.append(texts)
    return np.stack(made, axis=1) if made else np.zeros((len(rows), 0)), named


def _frequent(codes: np.ndarray[Any, Any], count: int) -> Floats:
    order = np.argsort(-np.bincount(codes, minlength=count), kind="stable")
    place = np.full(count, _CODES, np.int64)
    place[order[:_CODES]] = np.arange(min(count, _CODES))
    return np.asarray(place[codes], np.float64)


def _suspected(
    features: Floats, named: Sequence[bool], truth: Flags, draw: np.random.Generator
) -> Floats:
    """Every record judged by a model that did not learn from it."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    fold = draw.permutation(len(truth)) % _FOLDS
    found = np.zeros(len(truth))
    with one_thread():
        for number in range(_FOLDS):
            model = HistGradientBoostingClassifier(
                categorical_features=list(named), early_stopping=False, random_state=0
            )
            model.fit(features[fold != number], truth[fold != number])
            found[fold == number] = model.predict_proba(features[fold == number])[:, 1]
    return found
