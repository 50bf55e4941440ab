"""An attack on a group: signals restored without the removed columns, held against the truth.

The adversary sees the harmonised main file without its group, and an auxiliary file with it
(Tavrov and Chertov 2016, "General approach"). What is true comes from the whole main file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paretonym.groups.adequacy import Adequacy, adequacy
from paretonym.groups.attackers import Attacker, Grades, Model
from paretonym.groups.harmonise import Agreement
from paretonym.groups.records import Records
from paretonym.groups.resampling import (
    Interval,
    adequacy_intervals,
    auc,
    auc_interval,
    binomial_interval,
)
from paretonym.groups.rules import Rule, in_words
from paretonym.groups.signals import (
    AreaTable,
    GroupSignals,
    Label,
    RegionSignals,
    judge,
    per_area,
    whole,
)
from paretonym.model.arrays import Flags, Floats, Ints
from paretonym.model.fuzzy import Variable
from paretonym.model.group import AttackerName, AttackSpec, GroupSpec

_PERMUTING, _RESAMPLING = 101, 102  # streams of randomness, apart from those of the attackers
_STREAMS: dict[AttackerName, int] = {"fuzzy": 0, "logistic": 1, "boosting": 2}


@dataclass(frozen=True, slots=True)
class Restored:
    """One region as the adversary sees it; lists follow the areas of its signals."""

    region: str | None
    areas: tuple[str, ...]
    quantity: tuple[float, ...]  # sums of grades (Tavrov and Chertov 2016, eq. 9)
    crisp: tuple[float, ...]  # people counted whole (eq. 17)
    concentration: tuple[float, ...]  # sums of grades by records
    outliers: tuple[str, ...]  # of the signal that the job looks at
    crisp_outliers: tuple[str, ...]
    adequacy: Adequacy

    def to_json(self) -> dict[str, Any]:
        return {
            "region": self.region,
            "restored": [whole(value) for value in self.quantity],
            "crisp": [whole(value) for value in self.crisp],
            "concentration": list(self.concentration),
            "outliers": list(self.outliers),
            "crisp_outliers": list(self.crisp_outliers),
            "adequacy": self.adequacy.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Ranking:
    """How well the restored concentration ranks areas that must not be found before all others."""

    auc: float | None
    interval: Interval | None
    positives: int
    areas: int

    def to_json(self) -> dict[str, Any]:
        return {
            "auc": self.auc,
            "interval": _bounds(self.interval),
            "positives": self.positives,
            "areas": self.areas,
        }


@dataclass(frozen=True, slots=True)
class Trial:
    """The same attack by an adversary who learnt from permuted labels: nothing, that is."""

    adequacy: Adequacy
    auc: float | None
    rules: int

    def to_json(self) -> dict[str, Any]:
        found = self.adequacy
        counts = {"tp": found.tp, "fp": found.fp, "fn": found.fn, "tn": found.tn}
        return {**counts, "youden_j": found.youden_j, "auc": self.auc, "rules": self.rules}


@dataclass(frozen=True, slots=True)
class Attacked:
    """What one adversary learns of where the group is."""

    name: AttackerName
    rules: tuple[Rule, ...]
    words: tuple[str, ...]  # the rules again
    regions: tuple[Restored, ...]
    intervals: Mapping[str, Interval | None]  # of the figures of `adequacy`, by bootstrap
    ranking: Ranking
    control: tuple[Trial, ...]

    @property
    def adequacy(self) -> Adequacy:
        return sum((region.adequacy for region in self.regions), Adequacy(0, 0, 0, 0))

    @property
    def trusted(self) -> Interval | None:
        """How far an outlier of this adversary may be believed: Wilson's interval of precision."""
        return binomial_interval(self.adequacy.tp, self.adequacy.tp + self.adequacy.fp)

    @property
    def as_good_by_chance(self) -> int:
        """Controls that agree with the truth at least as well."""
        own = self.adequacy.youden_j
        return sum(
            own is not None and (trial.adequacy.youden_j or 0.0) >= own for trial in self.control
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "rules": [
                {
                    "text": words,
                    "values": list(rule.values),
                    "df": rule.df,
                    "rcf": None if rule.no_false_positives else rule.rcf,
                    "no_false_positives": rule.no_false_positives,
                    "support": rule.support,
                }
                for rule, words in zip(self.rules, self.words, strict=True)
            ],
            "regions": [region.to_json() for region in self.regions],
            "adequacy": self.adequacy.to_json(),
            "intervals": {name: _bounds(one) for name, one in self.intervals.items()},
            "precision_interval": _bounds(self.trusted),
            "ranking": self.ranking.to_json(),
            "control": {
                "as_good": self.as_good_by_chance,
                "trials": [trial.to_json() for trial in self.control],
            },
        }


@dataclass(frozen=True, slots=True)
class GroupAttack:
    """One group: where it is, and what each adversary restores of that."""

    spec: GroupSpec
    signals: GroupSignals
    harmonised: Agreement
    variables: tuple[Variable, ...]
    attackers: tuple[Attacked, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            **self.signals.to_json(),
            "harmonised": self.harmonised.to_json(),
            "variables": {v.column: [value.name for value in v.values] for v in self.variables},
            "attackers": [one.to_json() for one in self.attackers],
            "attack_notes": list(self.notes),
        }


def _bounds(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


class AttackInput:
    """The areas that are looked at, and the truth about them."""

    def __init__(
        self, truth: Records, released: Records, spec: GroupSpec, signals: GroupSignals
    ) -> None:
        self.signals = signals
        self._spec = spec
        self._released = released
        self._table = AreaTable.of(released, spec)
        self._place = {label: place for place, label in enumerate(self._table.labels)}
        self._ranked, self._positive = self._ranking(AreaTable.of(truth, spec))

    def _ranking(self, true: AreaTable) -> tuple[list[Label], Flags]:
        """Areas to rank, and which of them must not be found: sites, else true outliers.

        Sites are told by the number of members alone, so that areas of all regions are ranked.
        """
        if self._spec.sites is not None:
            large = np.flatnonzero(true.records >= self._spec.smallest_area).tolist()
            sites = true.members[large] >= self._spec.sites
            return [true.labels[place] for place in large], np.asarray(sites, np.bool_)
        labels = [(one.region, area) for one in self.signals.regions for area in one.areas]
        marked = {(r.region, area) for r in self.signals.regions for area in self._outliers(r)}
        return labels, np.array([label in marked for label in labels], np.bool_)

    def _outliers(self, region: RegionSignals) -> tuple[str, ...]:
        return region.judged[self.signals.rule.signal].outliers

    def _per_area(self, counts: Floats) -> Floats:
        return per_area(self._table.of_combination, counts, len(self._table.labels))

    def _at(self, values: Floats, labels: Sequence[Label]) -> Floats:
        """An area of which no record is left after harmonisation has nothing."""
        places = [self._place.get(label, -1) for label in labels]
        return np.append(values, 0.0)[places]

    def restored(self, grades: Grades) -> tuple[Restored, ...]:
        """The signals that the grades give, region by region."""
        weights = self._released.weights
        quantity = self._per_area(grades.fuzzy * weights)
        crisp = self._per_area(grades.crisp * weights)
        size = self._per_area(weights)
        return tuple(
            self._region(region, *(self._at(values, labels) for values in (quantity, crisp, size)))
            for region in self.signals.regions
            for labels in [[(region.region, area) for area in region.areas]]
        )

    def _region(
        self, region: RegionSignals, quantity: Floats, crisp: Floats, size: Floats
    ) -> Restored:
        # what the publisher wants to count as an outlier does not stand out by that
        rule = replace(self.signals.rule, keep=())
        by_quantity = rule.signal == "quantity"
        seen = [part if by_quantity else _shares(part, size) for part in (quantity, crisp)]
        found, counted = (judge(part.tolist(), region.areas, rule).outliers for part in seen)
        place = {area: number for number, area in enumerate(region.areas)}
        return Restored(
            region.region,
            region.areas,
            tuple(quantity.tolist()),
            tuple(crisp.tolist()),
            tuple(_shares(quantity, size).tolist()),
            found,
            counted,
            adequacy(
                [place[area] for area in self._outliers(region)],
                [place[area] for area in found],
                len(region.areas),
            ),
        )

    def ranked(self, grades: Grades) -> Floats:
        """What the areas are ranked by: the concentration. Quantities rank by size alone."""
        weights = self._released.weights
        quantity = self._per_area(grades.fuzzy * weights)
        return self._at(_shares(quantity, self._per_area(weights)), self._ranked)

    def ranking(self, grades: Grades, draw: np.random.Generator, resamples: int) -> Ranking:
        values, positive = self.ranked(grades), self._positive
        return Ranking(
            auc(values, positive),
            auc_interval(values, positive, self._units(), draw=draw, resamples=resamples),
            int(positive.sum()),
            len(positive),
        )

    def auc(self, grades: Grades) -> float | None:
        return auc(self.ranked(grades), self._positive)

    def _units(self) -> Ints:
        """The region of each ranked area; with one region, the area itself."""
        regions = list(dict.fromkeys(region for region, _ in self._ranked))
        if len(regions) == 1:
            return np.arange(len(self._ranked))
        return np.array([regions.index(region) for region, _ in self._ranked], np.int64)


def _shares(part: Floats, size: Floats) -> Floats:
    return np.divide(part, size, out=np.zeros(len(part)), where=size > 0)


def attack(
    attacker: Attacker,
    auxiliary: Records,
    released: Records,
    given: AttackInput,
    variables: Sequence[Variable],
    *,
    options: AttackSpec,
    seed: Sequence[int],
    progress: Callable[[int], None] | None = None,
) -> Attacked:
    """One adversary, and as often as asked the same one with permuted labels."""
    stream = _STREAMS[attacker.name]
    people = {variable.column: released.columns[variable.column] for variable in variables}

    def learnt(records: Records, trial: int) -> tuple[Grades, tuple[Rule, ...]]:
        model = learn(attacker, records, seed, progress, trial=trial)
        return model.grade(people), model.rules

    grades, rules = learnt(auxiliary, 0)
    regions = given.restored(grades)
    resampling = np.random.default_rng([*seed, _RESAMPLING, stream])
    times = options.resamples
    intervals = adequacy_intervals(_units(regions), draw=resampling, resamples=times)
    ranking = given.ranking(grades, resampling, times)
    control = []
    for trial in range(1, options.controls + 1):
        guess, guessed = learnt(permuted(auxiliary, [*seed, _PERMUTING, trial]), trial)
        agreed = sum((one.adequacy for one in given.restored(guess)), Adequacy(0, 0, 0, 0))
        control.append(Trial(agreed, given.auc(guess), len(guessed)))
    return Attacked(
        name=attacker.name,
        rules=rules,
        words=tuple(in_words(rule, variables) for rule in rules),
        regions=regions,
        intervals=intervals,
        ranking=ranking,
        control=tuple(control),
    )


def learn(
    attacker: Attacker,
    records: Records,
    seed: Sequence[int],
    progress: Callable[[int], None] | None = None,
    *,
    trial: int = 0,
) -> Model:
    """Trial 0 is the attack itself, the others are its controls; each draws on its own."""
    draw = np.random.default_rng([*seed, _STREAMS[attacker.name], trial])
    return attacker.learn(records, draw=draw, progress=progress)


def _units(regions: Sequence[Restored]) -> list[Adequacy]:
    """What the bootstrap draws: regions, or the areas of the only one."""
    if len(regions) > 1:
        return [region.adequacy for region in regions]
    total = regions[0].adequacy
    return [
        one
        for count, one in (
            (total.tp, Adequacy(1, 0, 0, 0)),
            (total.fp, Adequacy(0, 1, 0, 0)),
            (total.fn, Adequacy(0, 0, 1, 0)),
            (total.tn, Adequacy(0, 0, 0, 1)),
        )
        for _ in range(count)
    ]


def permuted(records: Records, seed: Sequence[int]) -> Records:
    """The same people, the group's label dealt out among them by chance."""
    draw = np.random.default_rng(seed)
    members = draw.multivariate_hypergeometric(
        records.records, records.total_members, method="marginals"
    )
    return replace(records, members=members, member_weights=members.astype(np.float64))
