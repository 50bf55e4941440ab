"""Streams a release: each step of a plan in its turn, then a shuffle.

A step is made by the function that `MAKES` has for its type: it says what the step changes in
what is asked of the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from paretonym.errors import TableError, nearest
from paretonym.model.steps import Drop, Recode, Step, Suppress, Swap, require_order
from paretonym.tables import sql
from paretonym.tables.carriers import Field, restore
from paretonym.tables.engine import SOURCE, Session
from paretonym.tables.numbering import Numbering

PERMUTATION, SUPPRESSED = "permutation", "suppressed"
CELLS = "cells"


@dataclass(frozen=True)
class Release:
    """What is to be written of a table, column by column, as the steps so far leave it."""

    keys: sql.Keys
    fingerprint: str  # of the table
    keep: tuple[str, ...]  # in the table's order
    recodes: Mapping[str, Recode] = field(default_factory=dict)
    suppresses: bool = False  # a step leaves classes out

    @classmethod
    def of(cls, keys: sql.Keys, fingerprint: str, steps: Sequence[Step]) -> Release:
        """One step after the other."""
        require_order(steps)
        release = cls(keys, fingerprint, tuple(field.name for field in keys.fields))
        for step in steps:
            release = MAKES[type(step)](release, step)
        return release

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

    @cached_property
    def numbering(self) -> Numbering:
        """Classes are by what is shown: blocks with the same text are one."""
        return Numbering.of([list(recode.labels.values()) for recode in self.recodes.values()])

    def relations(self) -> dict[str, pa.Table]:
        """One mapping table for each recoding."""
        return {f"m{i}": self._mapping(i, name) for i, name in enumerate(self.mapped)}

    def _mapping(self, place: int, name: str) -> pa.Table:
        """Value, label and the label's part of a class number; a missing value has a flag."""
        labels = self.recodes[name].labels
        return pa.table(
            {
                "value": pa.array([value or "" for value in labels], pa.string()),
                "missing": pa.array([value is None for value in labels], pa.bool_()),
                "label": pa.array(list(labels.values()), pa.string()),
                "part": self.numbering.parts(place, list(labels.values())),
            }
        )

    def suppressed(self, classes: pa.Table) -> pa.Table:
        """The numbers of classes that are given by what they show."""
        if not self.suppresses:
            raise TableError("classes are to be left out, and no step of the plan suppresses")
        words = self.numbering.numbers(classes, self.mapped)
        return pa.table({f"w{i}": word for i, word in enumerate(words)})

    def unknown(self) -> exp.Query:
        """For each mapped column, the rows whose text its recoding lacks."""
        counts = [
            exp.Sum(
                this=sql.when(
                    sql.column("part", f"m{i}").is_(exp.null()),
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
                self._word(word).eq(sql.column(f"w{word}", SUPPRESSED))
                for word in range(self.numbering.words)
            ]
            query = query.join(
                sql.relation(SUPPRESSED), on=exp.and_(*matches), join_type="left"
            ).where(sql.column("w0", SUPPRESSED).is_(exp.null()))
        query = query.order_by(sql.column("position", PERMUTATION))
        return query if most is None else query.limit(most)

    def _cells(self) -> exp.Subquery:
        """Numbered rows with the raw cells that pass and the keys that are mapped."""
        selected = [sql.alias(exp.Window(this=exp.RowNumber()), "row")]
        selected += [
            sql.alias(self._raw(name), f"c{self.keys.position(name)}")
            for name in self.keep
            if self.passes(name)
        ]
        for name in self.mapped:
            place, key = self.keys.position(name), self.keys.key(name)
            # any text may be a value, so that a missing one needs the flag beside its stand-in
            selected.append(sql.alias(exp.func("COALESCE", key, sql.text("")), f"k{place}"))
            selected.append(sql.alias(key.copy().is_(exp.null()), f"n{place}"))
        return sql.within(exp.select(*selected).from_(sql.relation(SOURCE)), CELLS)

    def _join_mappings(self, query: exp.Select) -> exp.Select:
        for i, name in enumerate(self.mapped):
            place = self.keys.position(name)
            known = exp.and_(
                sql.column(f"k{place}", CELLS).eq(sql.column("value", f"m{i}")),
                sql.column(f"n{place}", CELLS).eq(sql.column("missing", f"m{i}")),
            )
            query = query.join(sql.relation(f"m{i}"), on=known, join_type="left")
        return query

    def _word(self, word: int) -> exp.Expr:
        """One word of the number of a row's class."""
        parts: list[exp.Expr] = [
            sql.column("part", f"m{i}") for i, own in enumerate(self.numbering.word) if own == word
        ]
        total = parts[0]
        for part in parts[1:]:
            total = exp.Add(this=total, expression=part)
        return exp.paren(total)

    def _output(self, name: str) -> exp.Expr:
        if self.passes(name):
            return sql.column(f"c{self.keys.position(name)}", CELLS)
        return sql.column("label", f"m{self.mapped.index(name)}")

    def finish(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Columns that pass in their own type, labels as text."""
        arrays = [
            restore(array, self._field(name)) if self.passes(name) else array.cast(pa.string())
            for name, array in zip(self.keep, batch.columns, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _swap(release: Release, step: Swap) -> Release:
    """Rows are named by number, so that a table exchanges its records when it is opened."""
    if release.fingerprint != step.swaps.fingerprint_after:
        raise TableError(
            "the records of this table were not exchanged as the plan says; open it with its swaps"
        )
    return release


def _drop(release: Release, step: Drop) -> Release:
    for name in step.columns:
        _require_kept(release, name)
    return replace(release, keep=tuple(n for n in release.keep if n not in step.columns))


def _recode(release: Release, step: Recode) -> Release:
    _require_kept(release, step.column)
    if step.column in release.recodes:
        raise TableError(f"column '{step.column}' is recoded twice")
    return replace(release, recodes={**release.recodes, step.column: step})


def _suppress(release: Release, _step: Suppress) -> Release:
    """Which classes fall short is counted before; they are given by what they show."""
    return replace(release, suppresses=True)


def _require_kept(release: Release, name: str) -> None:
    if name not in release.keep:
        raise TableError(
            f"the table has no column '{name}', or it was dropped{nearest(name, [*release.keep])}"
        )


MAKES: Mapping[type[Step], Callable[[Release, Any], Release]] = MappingProxyType(
    {Swap: _swap, Drop: _drop, Recode: _recode, Suppress: _suppress}
)


def permutation(rows: int, order_key: bytes) -> pa.Table:
    """A new position for each row, the same for the same key."""
    seed = int.from_bytes(b"\x01" + order_key, "big")  # the 1 keeps leading zeros apart
    generator = np.random.Generator(np.random.PCG64(seed))
    return pa.table(
        {"row": np.arange(1, rows + 1, dtype=np.int64), "position": generator.permutation(rows)}
    )


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
