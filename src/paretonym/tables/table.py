"""A table, opened once and asked many questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

import pyarrow as pa

from paretonym.errors import TableError, nearest
from paretonym.model.closing import Closing
from paretonym.model.logic.predicate import AllOf, AnyOf, Not, Predicate, ValueIn
from paretonym.model.source import ColumnProfile, CombinationProfile, TableSource
from paretonym.model.steps import Step
from paretonym.model.swap import Swaps
from paretonym.tables import applying, histogram, opening, profiling, sql, swapping
from paretonym.tables.engine import DEFAULT_MEMORY_LIMIT, SOURCE, Engine, Session

NO_PREDICATES: Mapping[str, Predicate] = MappingProxyType({})


def open_table(
    source: TableSource,
    *,
    swaps: Swaps | None = None,
    memory_limit: str = DEFAULT_MEMORY_LIMIT,
) -> Table:
    """Read a table exactly, or raise a TableError that says where it cannot be.

    With swaps it is the table after them, under a fingerprint of its own.
    """
    engine = Engine(memory_limit=memory_limit)
    try:
        content = opening.read(source, engine.folder)
        if swaps is not None:
            content = swapping.swapped(content, swaps, engine.folder)
        return Table(content, source.missing, engine)
    except BaseException:
        engine.close()
        raise


class Table(Closing):
    """Rows of text or typed cells behind a private engine; close it to remove its folder."""

    def __init__(self, content: opening.Content, missing: Sequence[str], engine: Engine) -> None:
        self._content = content
        self._engine = engine
        self._keys = sql.Keys(content.fields, tuple(missing))
        self._closed = False
        self.kind = content.kind
        self.fingerprint = content.fingerprint
        self.names = tuple(field.name for field in content.fields)
        text_only = content.kind == "csv"
        self.types: Mapping[str, str] = MappingProxyType(
            {field.name: "text" if text_only else str(field.type) for field in content.fields}
        )

    def close(self) -> None:
        """Forget the cells and remove every temporary file."""
        if not self._closed:
            self._closed = True
            self._engine.close()

    def rows(self) -> int:
        return self._content.rows

    def histogram(
        self,
        keys: Sequence[str],
        *,
        predicates: Mapping[str, Predicate] = NO_PREDICATES,
        weight: str | None = None,
    ) -> pa.Table:
        """Each distinct tuple of keys once: `key:<name>`, `rows`, `count:<predicate>`.

        With a weight also its sums: `weight` of all rows, `weight:<predicate>`.
        Keys are dictionary<int32, string> with one sorted dictionary a column; missing is null.
        The rows are ordered by their keys, missing first.
        """
        self._check_readable((*keys, *_columns_in(predicates.values())))
        counts = ["rows", *(f"count:{name}" for name in predicates)]
        with self._session() as session:
            if weight is not None:
                self._check_weight(session, weight)
                counts += ["weight", *(f"weight:{name}" for name in predicates)]
            query = sql.histogram(self._keys, keys, predicates, weight)
            return histogram.collect(session.batches(query), keys, counts)

    def records(
        self, keys: Sequence[str], *, seen: Predicate, predicates: Mapping[str, Predicate]
    ) -> pa.Table:
        """Every row that fulfils `seen`, in the table's order: `key:<name>`, `row`, `is:<name>`.

        `row` is the row's number, counted from 0; keys are as in `histogram`.
        """
        self._check_readable((*keys, *_columns_in([seen, *predicates.values()])))
        counts = ["row", *(f"is:{name}" for name in predicates)]
        query = sql.records(self._keys, keys, predicates, seen)
        with self._session() as session:
            found = histogram.collect(session.batches(query), keys, counts, by="row")
        return found.set_column(len(keys), "row", pa.array(found["row"].to_numpy() - 1))

    def values_of(self, column: str) -> pa.Table:
        """The distinct texts of a column as `value` (null last: missing) with their `rows`."""
        self._check_readable([column])
        query = sql.ordered_values(self._keys, column)
        schema = pa.schema([("value", pa.string()), ("rows", pa.int64())])
        with self._session() as session:
            batches = [batch.rename_columns(schema.names) for batch in session.batches(query)]
        return pa.Table.from_batches(batches).cast(schema)

    def profile(self, columns: Sequence[str] | None = None) -> tuple[ColumnProfile, ...]:
        """Counts about each column; every column is read once, and no value is kept."""
        asked = self.names if columns is None else tuple(columns)
        self._check_known(asked)
        with self._session() as session:
            return tuple(self._profile(session, name) for name in asked)

    def combinations(self, asked: Sequence[Sequence[str]]) -> tuple[CombinationProfile, ...]:
        """Counts about each set of columns taken together, by one GROUP BY each."""
        self._check_readable(name for names in asked for name in names)
        with self._session() as session:
            return tuple(
                CombinationProfile(
                    tuple(names), self.rows(), *session.row(sql.combination(self._keys, names))
                )
                for names in asked
            )

    def apply(
        self,
        steps: Sequence[Step],
        *,
        suppress: pa.Table,
        order_key: bytes,
        most: int | None = None,
    ) -> pa.RecordBatchReader:
        """The table after the steps, as a stream in its column order and a shuffled row order.

        A column whose recoding changes nothing passes untouched; other recoded columns become
        text labels. A step that suppresses leaves out the rows of the classes in `suppress`: what
        the recoded columns show there, a column each. The shuffle depends on `order_key` alone;
        with `most` only its first rows come. Read the stream before closing the table.
        """
        release = applying.Release.of(self._keys, self.fingerprint, steps)
        self._check_readable(release.mapped)
        self._check_carried(release.keep)
        relations = release.relations()
        with self._session(relations) as session:
            applying.refuse_unknown(release, session)
        relations[applying.PERMUTATION] = applying.permutation(self.rows(), order_key)
        suppressing = suppress.num_rows > 0 and bool(release.mapped)
        if suppressing:
            relations[applying.SUPPRESSED] = release.suppressed(suppress)
        batches = self._stream(release, relations, suppressing=suppressing, most=most)
        return pa.RecordBatchReader.from_batches(release.schema, batches)

    def _stream(
        self,
        release: applying.Release,
        relations: Mapping[str, pa.Table],
        *,
        suppressing: bool,
        most: int | None,
    ) -> Iterator[pa.RecordBatch]:
        with self._session(relations) as session:
            yield from applying.stream(release, session, suppressing=suppressing, most=most)

    def _profile(self, session: Session, name: str) -> ColumnProfile:
        field = self._keys.fields[self._keys.position(name)]
        counts = session.row(sql.profile(self._keys, name))
        return profiling.profile_of(field, self.types[name], counts)

    @contextmanager
    def _session(self, relations: Mapping[str, pa.Table] | None = None) -> Iterator[Session]:
        if self._closed:
            raise TableError("the table is closed; open it again to read it")
        with self._engine.session({SOURCE: self._content.relation, **(relations or {})}) as session:
            yield session

    def _check_weight(self, session: Session, name: str) -> None:
        self._check_readable([name])
        row, count = session.row(sql.first_bad_weight(self._keys, name))
        if count:
            raise TableError(
                f"{self._content.locate(row)}, column '{name}': a weight must be a number, and "
                f"here it is not ({count} such rows); repair them or choose another weight"
            )

    def _check_known(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.types:
                raise TableError(
                    f"the table has no column '{name}'{nearest(name, list(self.names))}"
                )

    def _check_readable(self, names: Iterable[str]) -> None:
        """Only columns whose text is well defined can be keys."""
        names = tuple(names)
        self._check_known(names)
        for name in names:
            if not self._keys.fields[self._keys.position(name)].faithful_text:
                raise TableError(
                    f"column '{name}' of type {self.types[name]} has no plain text form; convert "
                    f"it to text, a date or a number to use it as a key"
                )

    def _check_carried(self, names: Iterable[str]) -> None:
        for name in names:
            if self._keys.fields[self._keys.position(name)].carrier is None:
                raise TableError(
                    f"column '{name}' of type {self.types[name]} cannot be released; convert it "
                    f"to plain values or drop it"
                )


def _columns_in(predicates: Iterable[Predicate]) -> Iterator[str]:
    for predicate in predicates:
        match predicate:
            case ValueIn(column, _):
                yield column
            case Not(inner):
                yield from _columns_in([inner])
            case AllOf(parts) | AnyOf(parts):
                yield from _columns_in(parts)
