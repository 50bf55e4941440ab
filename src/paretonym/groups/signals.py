"""Where a group is: quantity and concentration signals of its areas, and what stands out in them.

The quantity of an area counts the group's members in it, its concentration is their share of the
area's records (Tavrov and Chertov 2016, section 3; Chertov and Tavrov 2012). Signals are judged
region by region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from paretonym.errors import JobError
from paretonym.groups.outliers import find_outliers
from paretonym.groups.records import Records, distinct, sums
from paretonym.model.arrays import Floats, Ints
from paretonym.model.group import GroupSpec, OutlierRule, SignalKind

KINDS: tuple[SignalKind, ...] = ("quantity", "concentration")
FEWEST_AREAS = 3  # of a region in which outliers can be told
_JOIN = "-"  # between the parameter values of an area's label

Label = tuple[str | None, str]  # region and area


@dataclass(frozen=True, slots=True)
class Judgement:
    """Outliers of a signal, by area: what the technique found and what the expert left."""

    found: tuple[str, ...]
    outliers: tuple[str, ...]
    flat: bool = False


@dataclass(frozen=True, slots=True)
class RegionSignals:
    """The areas of one region in the order of their labels."""

    region: str | None  # None: the job does not tell regions apart
    areas: tuple[str, ...]
    records: tuple[int, ...]
    quantity: tuple[float, ...]
    concentration: tuple[float, ...]
    judged: Mapping[SignalKind, Judgement]
    notes: tuple[str, ...] = ()
    reference: Mapping[SignalKind, tuple[float | None, ...]] | None = None  # None: no such area

    def signal(self, kind: SignalKind) -> tuple[float, ...]:
        return self.quantity if kind == "quantity" else self.concentration

    def difference(self, kind: SignalKind) -> tuple[float | None, ...]:
        """To the reference; nothing without one."""
        theirs = () if self.reference is None else self.reference[kind]
        return tuple(
            None if other is None else ours - other
            for ours, other in zip(self.signal(kind), theirs, strict=bool(theirs))
        )

    def to_json(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "region": self.region,
            "areas": list(self.areas),
            "quantity": [whole(number) for number in self.quantity],
            "concentration": list(self.concentration),
            "outliers": {kind: list(self.judged[kind].outliers) for kind in KINDS},
            "records": list(self.records),
            "found": {kind: list(self.judged[kind].found) for kind in KINDS},
            "notes": list(self.notes),
        }
        if self.reference is not None:
            result["reference"] = {kind: _numbers(self.reference[kind]) for kind in KINDS}
            result["difference"] = {kind: _numbers(self.difference(kind)) for kind in KINDS}
        return result


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the signals do not show."""

    without_area: int  # records looked at that have no area or no region
    areas: int  # with too few records
    area_records: int
    area_members: int
    regions: int  # with too small a share of the group
    region_members: int

    def to_json(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class GroupSignals:
    """All regions of one group."""

    name: str
    rule: OutlierRule
    weighted: bool
    records: int  # looked at
    members: int
    regions: tuple[RegionSignals, ...]
    left_out: LeftOut

    def to_json(self) -> dict[str, Any]:
        rule = self.rule
        return {
            "name": self.name,
            "records": self.records,
            "members": self.members,
            "weighted": self.weighted,
            "alpha": float(rule.alpha),
            "side": rule.side,
            "signal": rule.signal,
            "keep": list(rule.keep),
            "ignore": list(rule.ignore),
            "regions": [region.to_json() for region in self.regions],
            "left_out": self.left_out.to_json(),
        }


def _numbers(values: Sequence[float | None]) -> list[float | int | None]:
    return [None if value is None else whole(value) for value in values]


def whole(number: float) -> float | int:
    """Whole numbers as such."""
    return int(number) if number.is_integer() else number


@dataclass(frozen=True, eq=False, slots=True)
class AreaTable:
    """Every area of every region with its counts."""

    labels: tuple[Label, ...]
    of_combination: Ints  # the area of each combination; -1: none
    records: Ints
    members: Ints
    weights: Floats
    member_weights: Floats

    @staticmethod
    def of(records: Records, spec: GroupSpec) -> AreaTable:
        """Records that lack a part of their place have no area."""
        columns = [records.columns[name] for name in spec.places]
        first, inverse = distinct(columns, len(records.records))
        places = [[column.values[code] for code in column.codes[first]] for column in columns]
        label_of = [_label(dict(zip(spec.places, place, strict=True)), spec)
                    for place in zip(*places, strict=True)]  # fmt: skip
        labels = [label for label in label_of if label is not None]
        if len(set(labels)) < len(labels):
            raise JobError(
                f"groups.{spec.name}.parameter: two areas have the same joined label; leave out "
                f"a column, or recode its values"
            )
        labels.sort(key=lambda label: (label[0] or "", label[1]))
        number = {label: place for place, label in enumerate(labels)}
        area_of = np.array([-1 if one is None else number[one] for one in label_of], np.int64)
        area = area_of[inverse]
        return AreaTable(
            labels=tuple(labels),
            of_combination=area,
            records=per_area(area, records.records, len(labels)).astype(np.int64),
            members=per_area(area, records.members, len(labels)).astype(np.int64),
            weights=per_area(area, records.weights, len(labels)),
            member_weights=per_area(area, records.member_weights, len(labels)),
        )

    def signal(self, kind: SignalKind, place: int) -> float:
        quantity, whole = float(self.member_weights[place]), float(self.weights[place])
        if kind == "quantity":
            return quantity
        return quantity / whole if whole else 0.0


def per_area(area: Ints, counts: Ints | Floats, areas: int) -> Floats:
    """-1 is none of the areas."""
    return sums(area + 1, counts, areas + 1)[1:]


def _label(place: Mapping[str, str | None], spec: GroupSpec) -> Label | None:
    """None where a part of the place is missing."""
    parts = [place[name] for name in spec.parameter]
    region = None if spec.region is None else place[spec.region]
    if spec.region is not None and region is None:
        return None
    known = [part for part in parts if part is not None]
    return (region, _JOIN.join(known)) if len(known) == len(parts) else None


def find_signals(
    records: Records, spec: GroupSpec, *, reference: Records | None = None
) -> GroupSignals:
    """The group's signals in every region that holds enough of it."""
    table = AreaTable.of(records, spec)
    known = {area for _, area in table.labels}
    _refuse_unknown(spec, known)
    large = np.flatnonzero(table.records >= spec.smallest_area)
    if not len(large):
        largest = int(table.records.max(initial=0))
        raise JobError(
            f"groups.{spec.name}.smallest_area: every area is smaller; the largest has "
            f"{largest:,} records"
        )
    by_region: dict[str | None, list[int]] = {}
    for place in large.tolist():
        by_region.setdefault(table.labels[place][0], []).append(place)
    share = {region: _share(table, region) for region in by_region}
    kept = {r: places for r, places in by_region.items() if share[r] >= spec.region_share}
    if not kept:
        raise JobError(
            f"groups.{spec.name}.region_share: no region holds so much of the group; the largest "
            f"share is {float(max(share.values())):.2%}"
        )
    other = None if reference is None else AreaTable.of(reference, spec)
    regions = tuple(_region(r, places, table, spec, other) for r, places in kept.items())
    return GroupSignals(
        name=spec.name,
        rule=spec.outliers,
        weighted=records.weighted,
        records=records.total,
        members=records.total_members,
        regions=regions,
        left_out=_left_out(records, table, spec, by_region, kept),
    )


def _refuse_unknown(spec: GroupSpec, known: set[str]) -> None:
    for key in ("keep", "ignore"):
        for number, area in enumerate(getattr(spec.outliers, key), start=1):
            if area not in known:
                raise JobError(
                    f"groups.{spec.name}.outliers.{key}, item {number}: there is no such area "
                    f"among {len(known):,}; write the values of "
                    f"{', '.join(spec.parameter)} joined by '{_JOIN}'"
                )


def _share(table: AreaTable, region: str | None) -> Fraction:
    """Of the group's members that have an area."""
    inside = [label[0] == region for label in table.labels]
    return Fraction(int(table.members[inside].sum()), max(int(table.members.sum()), 1))


def _region(
    region: str | None,
    places: Sequence[int],
    table: AreaTable,
    spec: GroupSpec,
    other: AreaTable | None,
) -> RegionSignals:
    areas = tuple(table.labels[place][1] for place in places)
    signals = {kind: tuple(table.signal(kind, place) for place in places) for kind in KINDS}
    judged = {kind: judge(signals[kind], areas, spec.outliers) for kind in KINDS}
    made = RegionSignals(
        region=region,
        areas=areas,
        records=tuple(int(table.records[place]) for place in places),
        quantity=signals["quantity"],
        concentration=signals["concentration"],
        judged=judged,
        notes=tuple(_notes(areas, judged)),
    )
    if other is None:
        return made
    at = {label: place for place, label in enumerate(other.labels)}
    found = [at.get((region, area)) for area in areas]
    compared = {
        kind: tuple(None if place is None else other.signal(kind, place) for place in found)
        for kind in KINDS
    }
    return replace(made, reference=compared)


def judge(signal: Sequence[float], areas: Sequence[str], rule: OutlierRule) -> Judgement:
    """The outliers of a signal over these areas, revised as the expert says."""
    outliers = find_outliers(signal, alpha=float(rule.alpha), side=rule.side)
    found = tuple(areas[place] for place in outliers.indexes)
    left = tuple(
        area for area in areas if area in rule.keep or (area in found and area not in rule.ignore)
    )
    return Judgement(found, left, outliers.flat)


def _notes(areas: Sequence[str], judged: Mapping[SignalKind, Judgement]) -> list[str]:
    if len(areas) < FEWEST_AREAS:
        return [f"outliers need at least {FEWEST_AREAS} areas; the region has {len(areas)}"]
    return [
        f"{kind}: the quartiles agree, so that every area off the median stands out; look twice"
        for kind in KINDS
        if judged[kind].flat
    ]


def _left_out(
    records: Records,
    table: AreaTable,
    spec: GroupSpec,
    by_region: Mapping[str | None, list[int]],
    kept: Mapping[str | None, list[int]],
) -> LeftOut:
    small = table.records < spec.smallest_area
    away = [place for region, places in by_region.items() if region not in kept for place in places]
    return LeftOut(
        without_area=records.total - int(table.records.sum()),
        areas=int(small.sum()),
        area_records=int(table.records[small].sum()),
        area_members=int(table.members[small].sum()),
        regions=len(by_region) - len(kept),
        region_members=int(table.members[away].sum()),
    )
