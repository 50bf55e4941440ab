"""How the blocks of a column are shown: by their labels, or by a statistic of their rows.

Attribute-oriented granulation (section 3.1) calls the first generalization and the second
microaggregation: a value is replaced by the mean, median or mode of the rows whose value lies in
the same block of its own column. Both tell the same rows apart, so every class, k and loss is the
same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

WriteAs = Literal["label", "mean", "median", "mode"]
OrderKind = Literal["text", "number", "date", "listed"]


@dataclass(frozen=True, slots=True)
class ValueOrder:
    """How a column's own values are read and which of two comes first."""

    kind: OrderKind = "text"
    decimal_comma: bool = False  # of numbers
    format: str = ""  # of dates, in strptime's directives
    listed: tuple[str, ...] = ()  # a stated order, smallest first

    def to_json(self) -> dict[str, Any]:
        details: dict[OrderKind, dict[str, Any]] = {
            "number": {"decimal_comma": self.decimal_comma},
            "date": {"format": self.format},
            "listed": {"values": list(self.listed)},
        }
        return {"kind": self.kind, **details.get(self.kind, {})}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ValueOrder:
        match data["kind"]:
            case "text":
                return cls()
            case "number":
                return cls("number", decimal_comma=bool(data["decimal_comma"]))
            case "date":
                return cls("date", format=str(data["format"]))
            case "listed":
                return cls("listed", listed=tuple(map(str, data["values"])))
        raise ValueError("no such order of values")


@dataclass(frozen=True, slots=True)
class WrittenStatistics:
    """Statistics in the place of labels, and what somebody needs to compute them again."""

    way: WriteAs
    order: ValueOrder
    # label of each released block -> its statistic; in this direction two blocks that were given
    # the same text stay visible
    texts: Mapping[str | None, str | None]
    frozen: bool = False  # taken from an earlier table than the one the plan is applied to
    # value of the domain -> label of its block, for blocks without a released row
    hidden: Mapping[str | None, str | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "way": self.way,
            "order": self.order.to_json(),
            "texts": [[label, text] for label, text in self.texts.items()],
            "frozen": self.frozen,
            "hidden": [[value, label] for value, label in self.hidden.items()],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WrittenStatistics:
        if data["way"] not in get_args(WriteAs) or data["way"] == "label":
            raise ValueError("no such statistic")
        order = ValueOrder.from_json(data["order"])
        hidden = pairs(data.get("hidden", []))
        return cls(data["way"], order, pairs(data["texts"]), bool(data["frozen"]), hidden)


def pairs(listed: list[list[Any]]) -> dict[Any, Any]:
    """A mapping that JSON holds as pairs, because its keys may be null; none may stand twice."""
    if not isinstance(listed, list) or any(len(pair) != 2 for pair in listed):
        raise TypeError("not a list of pairs")
    found = dict(listed)
    if len(found) < len(listed):
        raise ValueError("a key stands twice")
    return found
