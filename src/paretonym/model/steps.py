"""The steps of a plan: frozen, each says in words what it does and keeps its own form in JSON.

Here stands what a step means. How it is made on a table is the business of `tables/applying.py`,
how it is checked in a file that of `publishing/step_checks.py`; both have one function a type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, Self

from paretonym.model.bound import Bound, bounds_from_json, bounds_to_json
from paretonym.model.hierarchy import HierarchySpec, rule_from_json, rule_to_json
from paretonym.model.swap import Swaps
from paretonym.model.writing import WriteAs, WrittenStatistics, pairs

# what a value gets that no released row can show; rows that carry it are always suppressed
UNLISTED = "(not in the plan)"


class Step(Protocol):
    """One thing that is done to a table, after the steps before it."""

    kind: ClassVar[str]  # its name in a plan's JSON
    parts: ClassVar[tuple[str, ...]]  # keys of its JSON, where that has keys

    def says(self) -> str:
        """What is done, as part of a sentence."""

    def to_json(self) -> Any: ...

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The reverse of `to_json`; any other form is a KeyError, TypeError or ValueError."""


@dataclass(frozen=True, slots=True)
class Swap:
    """Let pairs of records exchange the columns that say where somebody is."""

    kind: ClassVar[str] = "swap"
    parts: ClassVar[tuple[str, ...]] = ("format", "table", "columns", "pairs", "groups", "margins")

    swaps: Swaps

    def says(self) -> str:
        pairs, columns = len(self.swaps.pairs), ", ".join(self.swaps.columns)
        return f"{pairs:,} pair{'' if pairs == 1 else 's'} of records exchange {columns}"

    def to_json(self) -> dict[str, Any]:
        return self.swaps.to_json()

    @classmethod
    def from_json(cls, data: Any) -> Self:
        return cls(Swaps.from_json(data))


@dataclass(frozen=True, slots=True)
class Drop:
    """Leave columns out: identifiers, and what the release is not about."""

    kind: ClassVar[str] = "drop"
    parts: ClassVar[tuple[str, ...]] = ()

    columns: tuple[str, ...]

    def says(self) -> str:
        if not self.columns:
            return "no column is left out"
        return f"left out as a whole: {', '.join(self.columns)}"

    def to_json(self) -> list[str]:
        return list(self.columns)

    @classmethod
    def from_json(cls, data: Any) -> Self:
        if not isinstance(data, list) or not all(isinstance(name, str) for name in data):
            raise TypeError("columns to leave out are a list of names")
        return cls(tuple(data))


@dataclass(frozen=True, slots=True)
class Recode:
    """Replace each value of a quasi-identifier by the text of its block at one level.

    The text is the block's label, or with `written` a statistic of the block's released rows.
    """

    kind: ClassVar[str] = "recode"
    parts: ClassVar[tuple[str, ...]] = (
        "column", "level", "partition", "labels", "leaves", "domain", "hierarchy", "rule", "written"
    )  # fmt: skip

    column: str
    level: int
    partition: str
    labels: Mapping[str | None, str | None]  # text of a value -> what is shown; None is missing
    leaves: Mapping[str | None, int]  # what is shown -> values of the domain under it
    domain: int
    hierarchy: str  # digest of the Granulation
    rule: HierarchySpec | None = None  # how values that did not occur would be labelled, if known
    written: WrittenStatistics | None = None  # None: blocks are shown by their labels

    @property
    def write(self) -> WriteAs:
        return "label" if self.written is None else self.written.way

    def shown(self, label: str | None) -> str | None:
        """What stands in the release for the block of this label."""
        return label if self.written is None else self.written.texts.get(label, UNLISTED)

    @property
    def changes_nothing(self) -> bool:
        """Every value keeps its own text, so that a typed column may pass as it is."""
        return all(value == label for value, label in self.labels.items())

    def says(self) -> str:
        if self.changes_nothing:
            return f"{self.column} is shown as it is"
        if self.written is None:
            return f"{self.column} is shown at level {self.level} ({self.partition})"
        return (
            f"{self.column} is shown as the {self.write} of its rows at level {self.level} "
            f"({self.partition})"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "level": self.level,
            "partition": self.partition,
            "labels": [[value, label] for value, label in self.labels.items()],
            "leaves": [[label, count] for label, count in self.leaves.items()],
            "domain": self.domain,
            "hierarchy": self.hierarchy,
            "rule": rule_to_json(self.rule),
            "written": None if self.written is None else self.written.to_json(),
        }

    @classmethod
    def from_json(cls, data: Any) -> Self:
        written = data.get("written")
        return cls(
            column=data["column"],
            level=_whole(data["level"]),
            partition=data["partition"],
            labels=pairs(data["labels"]),
            leaves={text: _whole(count) for text, count in pairs(data["leaves"]).items()},
            domain=_whole(data["domain"]),
            hierarchy=data["hierarchy"],
            rule=rule_from_json(data["rule"]),
            written=None if written is None else WrittenStatistics.from_json(written),
        )


@dataclass(frozen=True, slots=True)
class Suppress:
    """Leave out the rows of every class that is too small or violates a class-wise requirement."""

    kind: ClassVar[str] = "suppress"
    parts: ClassVar[tuple[str, ...]] = ("below", "require", "limit_rows")

    below: int  # classes with fewer rows than this are left out
    require: tuple[Bound, ...] = ()  # e.g. distinct_l(x) of at least 3
    limit_rows: int = 0

    def says(self) -> str:
        misses = [f"with fewer than {self.below:,} rows"] if self.below > 1 else []
        misses += [f"without {bound.says()}" for bound in self.require]
        if not misses:
            return "no row is left out"
        return f"rows in classes {' or '.join(misses)} are left out"

    def to_json(self) -> dict[str, Any]:
        return {
            "below": self.below,
            "require": bounds_to_json(self.require),
            "limit_rows": self.limit_rows,
        }

    @classmethod
    def from_json(cls, data: Any) -> Self:
        require = bounds_from_json(data["require"])
        return cls(_whole(data["below"]), require, _whole(data["limit_rows"]))


# in the order in which they may stand in a plan: what comes later builds on what comes before
STEPS: Mapping[str, type[Step]] = MappingProxyType(
    {step.kind: step for step in (Swap, Drop, Recode, Suppress)}
)


def require_order(steps: Sequence[Step]) -> None:
    """Steps are made one after the other: in another order they would mean something else."""
    places = [list(STEPS).index(step.kind) for step in steps]
    if places != sorted(places):
        raise ValueError("the steps stand in an order that cannot be followed")


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError("not a whole number")
    return value
