"""Streams a release: recode, leave out suppressed rows, shuffle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from sqlglot import exp

from paretonym.errors import TableError
from paretonym.model.plan import Recode
from paretonym.tables import sql
from paretonym.tables.carriers import Field, restore
from paretonym.tables.engine import SOURCE, Session

PERMUTATION, SUPPRESSED = "permutation", "suppressed"
CELLS = "cells"


@dataclass(frozen=True)
class Release:
    """What is to be written of a table, column by column."""

    keys: sql.Keys
    recodes: Mapping[str, Recode]
    quasi: tuple[str, ...]
    keep: tuple[str, ...]  # in the table's order

    @property
    def schema(self) -> pa.Schema:
        return pa.schema(
            [(name, self._field(name).type if self.passes(name) else pa.string())
             for name in self.keep]
        )  # fmt: skip

    def passes(self, name: str) -> bool:
        """The column comes out as it went in.

        With other texts for missing than the empty one, even a recoding that changes no value
        has to turn those texts into the one form of a missing value.
        """
        recode = self.recodes.get(name)
        return recode is None or (recode.changes_nothing and set(self.keys.missing) <= {""})

    def _raw(self, name: str) -> exp.Expr:
        """The cell as it is; in a quasi-identifier every form of missing becomes NULL.

        Empty text, NaN and NULL are one category to the engine: told apart in the file, they
        would split a class.
        """
        raw = self.keys.raw(name)
        if name not in self.recodes:
            return raw
        return sql.when(self.keys.key(name).is_(exp.null()), exp.null(), raw)

    def _field(self, name: str) -> Field:
        return self.keys.fields[self.keys.position(name)]

    @property
    def mapped(self) -> tuple[str, ...]:
        """Columns whose texts have to be known to a recoding."""
        return tuple(self.recodes)

    def relations(self) -> dict[str, pa.Table]:
        """One mapping table for each recoding."""
        return {f"m{i}": _mapping(self.recodes[name]) for i, name in enumerate(self.mapped)}

    def unknown(self) -> exp.Query:
        """For each mapped column, the rows whose text its recoding lacks."""
        counts = [
            exp.Sum(
                this=sql.when(
                    sql.column("known", f"m{i}").is_(exp.null()),
                    exp.Literal.number(1),
                    exp.Literal.number(0),
                )
            )
            for i in range(len(self.mapped))
        ]
        return self._join_mappings(exp.select(*counts).from_(self._cells()))

    def rows(self, *, suppressing: bool, most: int | None = None) -> exp.Query:
        """The released cells o0, o1, … in the shuffled order, or the first of them."""
        outputs = [sql.alias(self._output(name), f"o{i}") for i, name in enumerate(self.keep)]
        query = exp.select(*outputs).from_(self._cells())
        query = query.join(
            sql.relation(PERMUTATION),
            on=sql.column("row", CELLS).eq(sql.column("row", PERMUTATION)),
        )
        query = self._join_mappings(query)
        if suppressing:
            matches = [
                sql.same(self._label(name), sql.column(f"q{i}", SUPPRESSED))
                for i, name in enumerate(self.quasi)
            ]
            query = query.join(
                sql.relation(SUPPRESSED), on=exp.and_(*matches), join_type="left"
            ).where(sql.column("hit", SUPPRESSED).is_(exp.null()))
        query = query.order_by(sql.column("position", PERMUTATION))
        return query if most is None else query.limit(most)

    def _cells(self) -> exp.Subquery:
        """Numbered rows with the raw cells that pass and the keys that are mapped."""
        keyed = dict.fromkeys((*self.mapped, *self.quasi))
        selected = [sql.alias(exp.Window(this=exp.RowNumber()), "row")]
        selected += [
            sql.alias(self._raw(name), f"c{self.keys.position(name)}")
            for name in self.keep
            if self.passes(name)
        ]
        selected += [
            sql.alias(self.keys.key(name), f"k{self.keys.position(name)}") for name in keyed
        ]
        return sql.within(exp.select(*selected).from_(sql.relation(SOURCE)), CELLS)

    def _join_mappings(self, query: exp.Select) -> exp.Select:
        for i, name in enumerate(self.mapped):
            key = sql.column(f"k{self.keys.position(name)}", CELLS)
            known = sql.same(key, sql.column("value", f"m{i}"))
            query = query.join(sql.relation(f"m{i}"), on=known, join_type="left")
        return query

    def _label(self, name: str) -> exp.Expr:
        if name in self.recodes:
            return sql.column("label", f"m{self.mapped.index(name)}")
        return sql.column(f"k{self.keys.position(name)}", CELLS)

    def _output(self, name: str) -> exp.Expr:
        if self.passes(name):
            return sql.column(f"c{self.keys.position(name)}", CELLS)
        return self._label(name)

    def finish(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Columns that pass in their own type, labels as text."""
        arrays = [
            restore(array, self._field(name)) if self.passes(name) else array.cast(pa.string())
            for name, array in zip(self.keep, batch.columns, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def permutation(rows: int, order_key: bytes) -> pa.Table:
    """A new position for each row, the same for the same key."""
    seed = int.from_bytes(b"\x01" + order_key, "big")  # the 1 keeps leading zeros apart
    generator = np.random.Generator(np.random.PCG64(seed))
    return pa.table(
        {"row": np.arange(1, rows + 1, dtype=np.int64), "position": generator.permutation(rows)}
    )


def suppressed(table: pa.Table, quasi: Sequence[str]) -> pa.Table:
    """The label tuples to leave out, under the names the query uses."""
    lacking = [name for name in quasi if name not in table.column_names]
    if lacking:
        raise TableError(f"the table of suppressed classes lacks the column '{lacking[0]}'")
    columns = {f"q{i}": table.column(name).cast(pa.string()) for i, name in enumerate(quasi)}
    return pa.table({**columns, "hit": pa.repeat(pa.scalar(value=True), table.num_rows)})


def refuse_unknown(release: Release, session: Session) -> None:
    """A value no recoding knows must not reach the release."""
    if not release.mapped:
        return
    counts = session.row(release.unknown())
    problems = [
        f"{int(count)} rows have a value of column '{name}' that its recoding does not know"
        for name, count in zip(release.mapped, counts, strict=True)
        if count
    ]
    if problems:
        raise TableError("; ".join(problems) + ". Add the values to the hierarchy.")


def stream(
    release: Release, session: Session, *, suppressing: bool, most: int | None
) -> Iterator[pa.RecordBatch]:
    for batch in session.batches(release.rows(suppressing=suppressing, most=most)):
        yield release.finish(batch)


def _mapping(recode: Recode) -> pa.Table:
    return pa.table(
        {
            "value": pa.array(list(recode.labels), pa.string()),
            "label": pa.array(list(recode.labels.values()), pa.string()),
            "known": pa.repeat(pa.scalar(value=True), len(recode.labels)),
        }
    )
