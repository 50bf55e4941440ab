"""Conditions on one row, as data: what a sentence compiles to and what a histogram can count."""

from __future__ import annotations

from dataclasses import dataclass


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
