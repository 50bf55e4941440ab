"""The questions asked of an engine, as sqlglot expressions.

Only plain GROUP BY, CASE and joins with mapping tables are used, so that other dialects can
run the same expressions. Columns go by position (c0, c1, …): a table's own names may differ in
case only, which some engines do not tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from paretonym.model.logic.predicate import AllOf, AnyOf, Not, Predicate, ValueIn
from paretonym.tables.carriers import Field
from paretonym.tables.engine import SOURCE

WEIGHT_TYPE = "DECIMAL(38, 9)"  # exact, so that a sum does not depend on the order of the rows
REGEXES = {
    "integer": r"^-?(0|[1-9][0-9]*)$",
    "decimal": r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$",
    "date": r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
    "digits": r"^[0-9]+$",
    "mark": r"^[0-9A-Za-z]*[0-9][0-9A-Za-z]*$",
}


def column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def relation(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def alias(expression: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(expression, name, quoted=True)


def within(query: exp.Select, name: str) -> exp.Subquery:
    return query.subquery(exp.to_identifier(name, quoted=True))


def text(value: str) -> exp.Literal:
    return exp.Literal.string(value)


def when(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


@dataclass(frozen=True)
class Keys:
    """Normalised texts of the table's columns: missing is NULL, everything else is text."""

    fields: Sequence[Field]
    missing: Sequence[str]
    table: str | None = None  # qualifies the columns

    def position(self, name: str) -> int:
        return next(i for i, field in enumerate(self.fields) if field.name == name)

    def raw(self, name: str) -> exp.Column:
        return column(f"c{self.position(name)}", self.table)

    def key(self, name: str) -> exp.Expr:
        field = self.fields[self.position(name)]
        shown: exp.Expr = self.raw(name)
        if not field.is_text:
            shown = exp.cast(shown, "VARCHAR")
        gone = [value for value in self.missing if value or field.is_text]
        conditions: list[exp.Expr] = []
        if field.is_float:  # engines differ in how they spell it
            conditions.append(exp.Lower(this=shown.copy()).isin(text("nan"), text("-nan")))
        if gone:
            conditions.append(shown.copy().isin(*map(text, gone)))
        if not conditions:
            return shown
        return when(exp.or_(*conditions), exp.null(), shown)

    def holds(self, predicate: Predicate) -> exp.Expr:
        """True or false, never NULL, so that NOT means what it says for missing values."""
        match predicate:
            case ValueIn(name, values):
                return self._value_in(name, values)
            case Not(inner):
                return exp.not_(exp.paren(self.holds(inner)))
            case AllOf(parts):
                return exp.and_(*map(self.holds, parts)) if parts else exp.true()
            case AnyOf(parts):
                return exp.or_(*map(self.holds, parts)) if parts else exp.false()

    def _value_in(self, name: str, values: frozenset[str | None]) -> exp.Expr:
        known = sorted(value for value in values if value is not None)
        alternatives: list[exp.Expr] = []
        if known:
            present = self.key(name).is_(exp.null()).not_()
            alternatives.append(exp.and_(present, self.key(name).isin(*map(text, known))))
        if None in values:
            alternatives.append(self.key(name).is_(exp.null()))
        return exp.or_(*alternatives) if alternatives else exp.false()


def histogram(
    keys: Keys, names: Sequence[str], predicates: Mapping[str, Predicate], weight: str | None
) -> exp.Select:
    """Keys k0 …, their rows, rows p0 … that fulfil each predicate, and sums of weights.

    Weights are w of all rows, then w0 … of those that fulfil each predicate.
    """
    inner = [alias(keys.key(name), f"k{i}") for i, name in enumerate(names)]
    inner += [
        alias(when(keys.holds(predicate), exp.Literal.number(1), exp.Literal.number(0)), f"p{i}")
        for i, predicate in enumerate(predicates.values())
    ]
    if weight is not None:
        number = exp.cast(keys.raw(weight), WEIGHT_TYPE)
        none = exp.cast(exp.Literal.number(0), WEIGHT_TYPE)
        inner.append(alias(number, "w"))
        inner += [
            alias(when(keys.holds(predicate), number.copy(), none.copy()), f"w{i}")
            for i, predicate in enumerate(predicates.values())
        ]
    if not inner:  # no engine selects nothing
        inner.append(alias(exp.Literal.number(1), "one"))
    cells = within(exp.select(*inner).from_(relation(SOURCE)), "cells")
    groups = [column(f"k{i}") for i in range(len(names))]
    counts = [alias(exp.Count(this=exp.Star()), "rows")]
    counts += [_total(f"p{i}", "BIGINT") for i in range(len(predicates))]
    if weight is not None:
        counts += [_total(f"w{i}", "DOUBLE") for i in ("", *range(len(predicates)))]
    query = exp.select(*groups, *counts).from_(cells)
    return query.group_by(*(group.copy() for group in groups)) if groups else query


def _total(name: str, dtype: str) -> exp.Expr:
    return alias(exp.cast(exp.Sum(this=column(name)), dtype), name)


def records(
    keys: Keys, names: Sequence[str], predicates: Mapping[str, Predicate], seen: Predicate
) -> exp.Query:
    """Row by row: keys k0 …, the row's number from 1 on, and 1 or 0 for each predicate."""
    inner = [alias(exp.Window(this=exp.RowNumber()), "row")]
    inner += [alias(keys.key(name), f"k{i}") for i, name in enumerate(names)]
    inner += [
        alias(when(keys.holds(predicate), exp.Literal.number(1), exp.Literal.number(0)), f"p{i}")
        for i, predicate in enumerate(predicates.values())
    ]
    inner.append(alias(keys.holds(seen), "seen"))
    shown = [f"k{i}" for i in range(len(names))]
    shown += ["row", *(f"p{i}" for i in range(len(predicates)))]
    cells = within(exp.select(*inner).from_(relation(SOURCE)), "cells")
    return exp.select(*map(column, shown)).from_(cells).where(column("seen"))


def values(keys: Keys, name: str) -> exp.Select:
    """Each distinct text of a column (NULL when missing) with its rows."""
    return histogram(keys, [name], {}, None)


def ordered_values(keys: Keys, name: str) -> exp.Query:
    key = column("k0")
    return values(keys, name).order_by(key.is_(exp.null()), key.copy())


def profile(keys: Keys, name: str) -> exp.Query:
    """One row: counts and shapes of a column, from its distinct values."""
    key, rows = column("k0"), column("rows")
    length = exp.Length(this=key.copy())
    missing = when(key.copy().is_(exp.null()), rows.copy(), exp.Literal.number(0))
    shapes = [
        exp.Count(this=when(_matches(key, regex), exp.Literal.number(1), exp.null()))
        for regex in REGEXES.values()
    ]
    return exp.select(
        exp.cast(exp.func("COALESCE", exp.Sum(this=rows), exp.Literal.number(0)), "BIGINT"),
        exp.cast(exp.func("COALESCE", exp.Sum(this=missing), exp.Literal.number(0)), "BIGINT"),
        exp.Count(this=key),
        _alone(),
        exp.Min(this=length),
        exp.Max(this=length.copy()),
        *shapes,
    ).from_(within(values(keys, name), "distinct_values"))


def combination(keys: Keys, names: Sequence[str]) -> exp.Query:
    """One row: how many distinct combinations of the columns, and how many rows are alone."""
    groups = within(histogram(keys, names, {}, None), "groups")
    return exp.select(exp.Count(this=exp.Star()), _alone()).from_(groups)


def _alone() -> exp.Expr:
    single = column("rows").eq(exp.Literal.number(1))
    return exp.Count(this=when(single, exp.Literal.number(1), exp.null()))


def _matches(value: exp.Expr, regex: str) -> exp.Expr:
    return exp.RegexpLike(this=value.copy(), expression=text(regex))


def first_bad_weight(keys: Keys, name: str) -> exp.Query:
    """The number of the first row whose weight is missing or not a number, and how many are."""
    number = exp.Window(this=exp.RowNumber())
    bad = (
        keys.key(name)
        .is_(exp.null())
        .or_(exp.TryCast(this=keys.raw(name), to=exp.DataType.build(WEIGHT_TYPE)).is_(exp.null()))
    )
    inner = exp.select(alias(number, "row"), alias(bad, "bad")).from_(relation(SOURCE))
    return (
        exp.select(exp.Min(this=column("row")), exp.Count(this=exp.Star()))
        .from_(within(inner, "checked"))
        .where(column("bad"))
    )
