"""Conditions on one row, as data: what a sentence compiles to and what a histogram can count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ValueIn:
    """The row's text in `column` is one of `values`; None stands for a missing value."""

    column: str
    values: frozenset[str | None]


@dataclass(frozen=True, slots=True)
class Not:
    inner: Predicate


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple[Predicate, ...]


Predicate = ValueIn | Not | AllOf | AnyOf

_DEEPEST = 200  # more than any sentence compiles to; deeper data must not exhaust the stack


def holds(predicate: Predicate, row: Mapping[str, str | None]) -> bool:
    """Whether one row fulfils the condition (attribute-oriented granulation, section 3.1: u |=
    φ).
    """
    match predicate:
        case ValueIn(column, values):
            return row[column] in values
        case Not(inner):
            return not holds(inner, row)
        case AllOf(parts):
            return all(holds(part, row) for part in parts)
        case AnyOf(parts):
            return any(holds(part, row) for part in parts)


def atoms_of(predicate: Predicate) -> Iterator[ValueIn]:
    """Everything that a condition says of single columns."""
    match predicate:
        case ValueIn():
            yield predicate
        case Not(inner):
            yield from atoms_of(inner)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from atoms_of(part)


def predicate_to_json(predicate: Predicate) -> dict[str, Any]:
    """Plain data; equal conditions give equal data, whatever order their values came in."""
    match predicate:
        case ValueIn(column, values):
            return {"column": column, "in": _in_order(values)}
        case Not(inner):
            return {"not": predicate_to_json(inner)}
        case AllOf(parts):
            return {"all": [predicate_to_json(part) for part in parts]}
        case AnyOf(parts):
            return {"any": [predicate_to_json(part) for part in parts]}


def predicate_from_json(data: Any) -> Predicate:
    """The same condition again; what `predicate_to_json` does not write is a ValueError."""
    return _from_json(data, 0)


def _from_json(data: Any, depth: int) -> Predicate:
    if depth > _DEEPEST or not isinstance(data, dict):
        raise ValueError("not a predicate, or nested too deep")
    match data, len(data):
        case {"column": str(column), "in": list(values)}, 2:
            return ValueIn(column, _values_from_json(values))
        case {"not": inner}, 1:
            return Not(_from_json(inner, depth + 1))
        case {"all": list(parts)}, 1:
            return AllOf(tuple(_from_json(part, depth + 1) for part in parts))
        case {"any": list(parts)}, 1:
            return AnyOf(tuple(_from_json(part, depth + 1) for part in parts))
    raise ValueError("a predicate is one of column and in, not, all, any")


def _values_from_json(values: list[Any]) -> frozenset[str | None]:
    if not all(value is None or isinstance(value, str) for value in values):
        raise ValueError("the values of a predicate are texts or null")
    if values != _in_order(frozenset(values)):
        raise ValueError("the values of a predicate stand in order, each of them once")
    return frozenset(values)


def _in_order(values: frozenset[str | None]) -> list[str | None]:
    """Missing first, then by code point."""
    missing: list[str | None] = [None] if None in values else []
    return missing + sorted(value for value in values if value is not None)
