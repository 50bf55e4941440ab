"""How a column's hierarchy is asked for: one small specification per builder.

A specification says what the job file says; `encode.build` turns it into a Granulation
once the observed values are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class FromFile:
    """A file `value;level1;level2;…`, one row a value; the domain is every row of the file."""

    path: Path
    delimiter: str | None = None
    open_top: bool = False


@dataclass(frozen=True, slots=True)
class Intervals:
    """Nested numeric intervals [a, a + width), widths ascending and each dividing the next.

    Values below `bottom` share one block at every level above the raw one; so do those at
    or above `top`.
    """

    widths: tuple[Decimal, ...]
    origin: Decimal = Decimal(0)
    bottom: Decimal | None = None
    top: Decimal | None = None
    decimal_comma: bool = False


@dataclass(frozen=True, slots=True)
class Mask:
    """Replace one more character by `*` at each level, from the right or from the left."""

    side: Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class OrderedGroups:
    """Values in a stated order, grouped by runs of `sizes` (ascending, each dividing the next)."""

    order: tuple[str, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """Named groups, a mapping per level; a level above the first groups the labels below it.

    With `other`, the first level puts every value that it does not name under that label.
    """

    levels: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
    open_top: bool = False
    other: str | None = None


DateUnit = Literal["day", "week", "month", "quarter", "year", "decade"]


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates read with an explicit strptime format and truncated to ever longer units."""

    format: str
    units: tuple[DateUnit, ...]


@dataclass(frozen=True, slots=True)
class Suppress:
    """Two levels only: the value itself, or `*`."""


Chain = FromFile | Intervals | Mask | OrderedGroups | Groups | Dates | Suppress


@dataclass(frozen=True, slots=True)
class Family:
    """A poset of named partitions, each the first level above the raw values of a builder.

    The finest (each value on its own) and the coarsest (`*`) are added at either end.
    """

    partitions: tuple[tuple[str, Chain], ...]


HierarchySpec = Chain | Family


def rule_to_json(spec: HierarchySpec | None) -> dict[str, Any] | None:
    """The builders that can label a value they have not seen, as plain data; others are None."""
    if isinstance(spec, Intervals):
        return {
            "intervals": [str(width) for width in spec.widths],
            "origin": str(spec.origin),
            "bottom": None if spec.bottom is None else str(spec.bottom),
            "top": None if spec.top is None else str(spec.top),
            "decimal_comma": spec.decimal_comma,
        }
    if isinstance(spec, Mask):
        return {"mask": spec.side}
    if isinstance(spec, Dates):
        return {"date": list(spec.units), "format": spec.format}
    return None


def rule_from_json(data: dict[str, Any] | None) -> HierarchySpec | None:
    if data is None:
        return None
    if "intervals" in data:
        bottom, top = data["bottom"], data["top"]
        return Intervals(
            tuple(Decimal(width) for width in data["intervals"]),
            Decimal(data["origin"]),
            None if bottom is None else Decimal(bottom),
            None if top is None else Decimal(top),
            bool(data["decimal_comma"]),
        )
    if "mask" in data:
        return Mask("left" if data["mask"] == "left" else "right")
    return Dates(str(data["format"]), tuple(data["date"]))
