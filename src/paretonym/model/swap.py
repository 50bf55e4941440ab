"""Swaps: the first step of a plan, which exchanges where people are between pairs of records.

Rows are those of one table, counted from 0 in its own order, so that swaps belong to that table
and to no other. Beside the pairs stands what they were made for: the groups whose whereabouts
must no longer stand out, told in raw values alone, so that a checker needs nothing else.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, cast, get_args

from paretonym.errors import JobError
from paretonym.model.group import Side, SignalKind
from paretonym.model.logic.predicate import (
    Predicate,
    atoms_of,
    predicate_from_json,
    predicate_to_json,
)

SWAPS_FORMAT = "paretonym-swaps/1"
NO_REGION = ""  # stands for the one region of a group whose job tells no regions apart

Areas = Mapping[str, tuple[str, ...]]  # region -> labels of areas
Texts = tuple[str | None, ...]

_SHARE = re.compile(r"[0-9]{1,30}(\.[0-9]{1,30}|/[0-9]{1,30})?")


@dataclass(frozen=True, slots=True)
class GradedAttribute:
    """What an attribute of fuzzy rules makes of raw cells; other cells are not looked at."""

    name: str
    columns: tuple[str, ...]
    grades: Mapping[Texts, tuple[float, ...]]  # cells -> grade in each fuzzy value, from the first

    def __post_init__(self) -> None:
        _require(bool(self.columns) and bool(self.grades), "an attribute needs columns and grades")
        _require(all(len(t) == len(self.columns) for t in self.grades), "a cell for each column")
        _require(len(set(map(len, self.grades.values()))) == 1, "every row has the same values")
        every = chain.from_iterable(self.grades.values())
        _require(all(0 <= grade <= 1 for grade in every), "a grade lies between 0 and 1")

    @property
    def values(self) -> int:
        return len(next(iter(self.grades.values())))


@dataclass(frozen=True, slots=True)
class Graded:
    """Members by fuzzy rules: some rule's product of grades reaches the cut (Tavrov and Chertov
    2016, eq. 11, 12).

    A rule has an index for each attribute: 0 is any value, k the attribute's k-th fuzzy value.
    """

    attributes: tuple[GradedAttribute, ...]
    rules: tuple[tuple[int, ...], ...]
    cut: float = 0.5

    def __post_init__(self) -> None:
        _require(0 < self.cut <= 1, "a cut is above 0 and at most 1")
        most = [attribute.values for attribute in self.attributes]
        for rule in self.rules:
            _require(len(rule) == len(most), "a rule has an index for each attribute")
            fits = all(0 <= index <= last for index, last in zip(rule, most, strict=True))
            _require(fits, "a rule names a fuzzy value that its attribute does not have")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c for one in self.attributes for c in one.columns))


Member = Predicate | Graded


@dataclass(frozen=True, slots=True)
class GroupPromise:
    """Where a group stood out before the swaps, and where it still does after them.

    The regions named are those that are judged. Outliers are what the modified Thompson tau
    technique finds, less the areas to ignore.
    """

    group: str
    parameter: tuple[str, ...]
    region: str | None
    only: Predicate | None  # who is looked at at all; None: everybody
    member: Member
    signal: SignalKind
    alpha: str  # an exact share, as 0.01 or 1/100
    side: Side
    ignore: tuple[str, ...]
    smallest_area: int
    outliers_before: Areas
    outliers_after: Areas

    def __post_init__(self) -> None:
        _require(bool(self.parameter), "a group needs columns that say where somebody is")
        _require(self.signal in get_args(SignalKind), "no such signal")
        _require(self.side in get_args(Side), "no such side")
        _require(bool(_SHARE.fullmatch(self.alpha)), "alpha is an exact number")
        _require(0 < Fraction(self.alpha) < 1, "alpha is a share")
        _require(self.smallest_area >= 0, "a number of records")
        _require(set(self.outliers_before) == set(self.outliers_after), "the same regions")
        _require(bool(self.outliers_before), "at least one region is judged")
        if self.region is None:
            _require(set(self.outliers_before) == {NO_REGION}, "there is one region only")
        for areas in (*self.outliers_before.values(), *self.outliers_after.values()):
            _require(len(set(areas)) == len(areas), "an area stands once")
            _require(not set(areas) & set(self.ignore), "an area to ignore is no outlier")

    @property
    def places(self) -> tuple[str, ...]:
        """The columns that say where somebody is, the region first."""
        region = () if self.region is None else (self.region,)
        return tuple(dict.fromkeys((*region, *self.parameter)))

    @property
    def columns(self) -> tuple[str, ...]:
        """Everything that has to be read to judge the promise."""
        said = [] if self.only is None else list(atoms_of(self.only))
        if isinstance(self.member, Graded):
            rules = self.member.columns
        else:
            rules, said = (), [*said, *atoms_of(self.member)]
        return tuple(dict.fromkeys((*self.places, *(atom.column for atom in said), *rules)))

    def to_json(self) -> dict[str, Any]:
        return {
            "group": self.group,
            "parameter": list(self.parameter),
            "region": self.region,
            "only": None if self.only is None else predicate_to_json(self.only),
            "member": _member_to_json(self.member),
            "signal": self.signal,
            "alpha": self.alpha,
            "side": self.side,
            "ignore": list(self.ignore),
            "smallest_area": self.smallest_area,
            "outliers_before": {r: list(areas) for r, areas in self.outliers_before.items()},
            "outliers_after": {r: list(areas) for r, areas in self.outliers_after.items()},
        }


@dataclass(frozen=True, slots=True)
class Margin:
    """Counts of these columns' combinations are the same before and after."""

    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        _require(len(set(self.columns)) == len(self.columns) > 0, "columns, each of them once")


@dataclass(frozen=True, slots=True)
class Swaps:
    """Pairs of rows that exchange `columns` one after the other, and what that achieves.

    A row may be in several pairs: a later group may move somebody whom an earlier one moved.
    """

    columns: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    fingerprint: str  # of the table they were computed on
    rows: int
    promises: tuple[GroupPromise, ...] = ()
    margins: tuple[Margin, ...] = ()

    def __post_init__(self) -> None:
        _require(len(set(self.columns)) == len(self.columns) > 0, "columns, each of them once")
        used = list(chain.from_iterable(self.pairs))
        _require(all(one != other for one, other in self.pairs), "a pair is of two rows")
        _require(not used or (min(used) >= 0 and max(used) < self.rows), "a row of the table")

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that swaps, promises or margins speak of."""
        promised = chain.from_iterable(one.columns for one in self.promises)
        kept = chain.from_iterable(one.columns for one in self.margins)
        return tuple(dict.fromkeys((*self.columns, *promised, *kept)))

    @property
    def fingerprint_after(self) -> str:
        """Of the swapped table: another one, so that nothing made on the first fits it."""
        return _digest(["swapped", self.fingerprint, self.columns, self.pairs])

    @property
    def digest(self) -> str:
        """Of everything, promises included."""
        return _digest(self.to_json())

    def check_columns(self, *, kept: Collection[str], every: Collection[str]) -> None:
        """Columns of a plan: what is exchanged is released, what is spoken of is there."""
        _require(set(self.columns) <= set(kept), "an exchanged column is dropped")
        _require(set(self.named) <= set(every), "a column is not in the table")

    def to_json(self) -> dict[str, Any]:
        return {
            "format": SWAPS_FORMAT,
            "table": {"fingerprint": self.fingerprint, "rows": self.rows},
            "columns": list(self.columns),
            "pairs": [list(pair) for pair in self.pairs],
            "groups": [promise.to_json() for promise in self.promises],
            "margins": [list(margin.columns) for margin in self.margins],
        }

    @classmethod
    def from_json(cls, data: object) -> Swaps:
        if not isinstance(data, dict) or data.get("format") != SWAPS_FORMAT:
            raise JobError(f"this is not a list of swaps of the format {SWAPS_FORMAT}")
        try:
            return _swaps_from_json(data)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
            raise JobError("the swaps are damaged: a part is missing or malformed") from None


def _require(holds: bool, said: str) -> None:  # noqa: FBT001 - reads as a statement
    if not holds:
        raise ValueError(said)


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _member_to_json(member: Member) -> dict[str, Any]:
    if not isinstance(member, Graded):
        return {"predicate": predicate_to_json(member)}
    return {
        "attributes": [
            {
                "name": one.name,
                "columns": list(one.columns),
                "grades": [[list(texts), list(grades)] for texts, grades in one.grades.items()],
            }
            for one in member.attributes
        ],
        "rules": [list(rule) for rule in member.rules],
        "cut": member.cut,
    }


def _swaps_from_json(data: Mapping[str, Any]) -> Swaps:
    _keys(data, "format", "table", "columns", "pairs", "groups", "margins")
    _keys(data["table"], "fingerprint", "rows")
    pairs = tuple(tuple(map(_whole, _list(pair))) for pair in _list(data["pairs"]))
    _require(all(len(pair) == 2 for pair in pairs), "two rows are a pair")
    return Swaps(
        columns=_texts(data["columns"]),
        pairs=cast("tuple[tuple[int, int], ...]", pairs),
        fingerprint=_text(data["table"]["fingerprint"]),
        rows=_whole(data["table"]["rows"]),
        promises=tuple(map(_promise_from_json, _list(data["groups"]))),
        margins=tuple(Margin(_texts(columns)) for columns in _list(data["margins"])),
    )


def _promise_from_json(data: Any) -> GroupPromise:
    _keys(data, *GroupPromise.__dataclass_fields__)
    region, only = data["region"], data["only"]
    return GroupPromise(
        group=_text(data["group"]),
        parameter=_texts(data["parameter"]),
        region=None if region is None else _text(region),
        only=None if only is None else predicate_from_json(only),
        member=_member_from_json(data["member"]),
        signal=cast(SignalKind, _text(data["signal"])),
        alpha=_text(data["alpha"]),
        side=cast(Side, _text(data["side"])),
        ignore=_texts(data["ignore"]),
        smallest_area=_whole(data["smallest_area"]),
        outliers_before=_areas(data["outliers_before"]),
        outliers_after=_areas(data["outliers_after"]),
    )


def _areas(data: Any) -> Areas:
    return {_text(region): _texts(areas) for region, areas in data.items()}


def _member_from_json(data: Any) -> Member:
    if "predicate" in data:
        _keys(data, "predicate")
        return predicate_from_json(data["predicate"])
    _keys(data, "attributes", "rules", "cut")
    return Graded(
        attributes=tuple(map(_attribute_from_json, _list(data["attributes"]))),
        rules=tuple(tuple(map(_whole, _list(rule))) for rule in _list(data["rules"])),
        cut=_number(data["cut"]),
    )


def _attribute_from_json(data: Any) -> GradedAttribute:
    _keys(data, "name", "columns", "grades")
    grades: dict[Texts, tuple[float, ...]] = {}
    for texts, row in data["grades"]:
        cells = tuple(None if text is None else _text(text) for text in _list(texts))
        _require(cells not in grades, "cells stand once")
        grades[cells] = tuple(map(_number, _list(row)))
    return GradedAttribute(_text(data["name"]), _texts(data["columns"]), grades)


def _keys(data: Any, *keys: str) -> None:
    _require(isinstance(data, dict) and set(data) == set(keys), "other keys than expected")


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError("not a list")
    return data


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _texts(data: Any) -> tuple[str, ...]:
    return tuple(map(_text, _list(data)))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError("not a whole number")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    return float(value)
