"""Comparing a release with the table it came from, in plain code.

The input is read again, recoded with the plan's maps and compared with the released rows as
multisets: every released row must be a recoded input row, whole classes go or stay, and what
is missing is exactly what was suppressed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paretonym.errors import TableError
from paretonym.model.arrays import Flags, Ints
from paretonym.model.plan import Plan
from paretonym.model.source import TableSource
from paretonym.model.steps import Recode
from paretonym.publishing.cells import is_text, plain_type
from paretonym.publishing.checker import Check, read_data
from paretonym.publishing.class_counts import ClassCounts
from paretonym.publishing.codes import (
    Coded,
    CodedTable,
    CsvDialect,
    code_table,
    csv_names,
    positions,
    read_csv,
    read_parquet,
    row_ids,
)
from paretonym.publishing.confidentiality import quality, risks
from paretonym.publishing.formulas import Told, of_columns
from paretonym.publishing.manifest import DataFile, Number
from paretonym.publishing.step_checks import Compared, source_checks_of
from paretonym.publishing.swap_check import make_swaps

_DELIMITERS = (",", ";", "\t")
_ARROW_FILES = (".arrow", ".feather", ".ipc")


@dataclass(frozen=True, slots=True)
class SourceResult:
    """Checks that need the input, and measures that only the input's raw values can prove."""

    checks: tuple[Check, ...]
    values: Mapping[str, Number]
    rows: int


@dataclass(frozen=True, eq=False, slots=True)
class _Aligned:
    """One kept column with the input's and the release's cells on one scale."""

    before: Ints  # code of each input row after recoding; `size` when the plan has no label
    after: Ints  # code of each released row; `size + 1` when the input has no such cell
    size: int
    shown: Coded  # the input column as it would be released


def check_source(
    source: TableSource,
    path: Path,
    data: DataFile,
    plan: Plan,
    *,
    suppressed: int,
    accepted: Collection[str] = (),
) -> SourceResult:
    """Everything that can be said about `path` with the input at hand.

    `accepted` names columns whose matches with a dropped identifier the user has looked at
    and allowed (a place called like a person, say).
    """
    missing = {*plan.missing, *data.missing}
    given = read_source(source, plan, missing=missing)
    before = given if plan.swaps is None else make_swaps(given, plan.swaps)
    after = read_data(path, data)
    kept = plan.schema.kept
    if after.names != kept:
        wrong = Check("released columns", len(kept), len(after.names), holds=False)
        return SourceResult((wrong,), {}, before.rows)
    recodes = {recode.column: recode for recode in plan.recodes}
    aligned = {
        name: _align(before.columns[name], after.columns[name], recodes.get(name), name)
        for name in kept
    }
    released = _released_rows(aligned, plan.schema.quasi, before.rows, after.rows)
    checks = [
        Check(
            "rows in",
            before.rows,
            after.rows + suppressed,
            holds=before.rows == after.rows + suppressed,
            note="released + suppressed",
        ),
        *_row_checks(aligned, plan, before.rows, suppressed),
        *_type_checks(before, after, recodes, data),
        *source_checks_of(
            Compared(
                plan=plan,
                before=given,
                swapped=before,
                after=after,
                shown={name: aligned[name].shown for name in kept},
                released=released,
                accepted=accepted,
            )
        ),
    ]
    values = (
        _raw_values(before, aligned, plan, released)
        | _shown_values(aligned, plan, before.rows, after.rows)
        | _rule_values(before, aligned, plan)
    )
    return SourceResult(tuple(checks), values, before.rows)


def read_source(source: TableSource, plan: Plan, *, missing: Collection[str]) -> CodedTable:
    """The input as codes, read without the table room."""
    wanted = _spoken_of(plan)
    table = _read_any(source, wanted, missing)
    absent = [name for name in wanted if name not in table.columns]
    if absent:
        raise TableError(
            f"the table lacks {len(absent)} column(s) of the plan: {', '.join(absent)}; "
            f"is it the table this release was made from?"
        )
    return table


def _spoken_of(plan: Plan) -> tuple[str, ...]:
    """Every column that a check looks at. An omitted one names nobody, and may have no text."""
    schema, swaps = plan.schema, plan.swaps
    named = swaps.named if swaps is not None else ()
    return tuple(dict.fromkeys((*schema.kept, *schema.identifiers, *named, *plan.secrecy.columns)))


def _read_any(source: TableSource, wanted: Collection[str], missing: Collection[str]) -> CodedTable:
    if not isinstance(source.data, str | Path):
        return code_table(_as_table(source.data), wanted=wanted, missing=missing)
    path = Path(source.data)
    if not path.is_file():
        raise TableError(f"there is no table '{path}'")
    if path.suffix.lower() in (".parquet", ".pq"):
        return read_parquet(path, wanted=wanted, missing=missing)
    if path.suffix.lower() in _ARROW_FILES:
        return code_table(_read_arrow(path), wanted=wanted, missing=missing)
    dialect = _dialect(path, source, wanted)
    return read_csv(path, dialect, wanted=wanted, missing=missing)


def _as_table(data: object) -> Any:
    try:
        return pa.table(data)
    except (pa.ArrowException, TypeError, ValueError):
        raise TableError(
            f"a table of type {type(data).__name__} cannot be read; "
            f"give a path or a pandas, polars or Arrow frame"
        ) from None


def _read_arrow(path: Path) -> Any:
    try:
        with pa.OSFile(str(path)) as file:
            return pa.ipc.open_file(file).read_all()
    except (pa.ArrowException, OSError):
        raise TableError(f"'{path.name}': not a readable Arrow file") from None


def _dialect(path: Path, source: TableSource, wanted: Collection[str]) -> CsvDialect:
    """Without a given delimiter, the one under which the header holds the plan's columns."""

    def made(delimiter: str) -> CsvDialect:
        return CsvDialect(
            delimiter, source.encoding, source.names, skip_blank_lines=True, strip_names=True
        )

    if source.delimiter is not None:
        return made(source.delimiter)
    for delimiter in _DELIMITERS:
        first = _first_row(path, CsvDialect(delimiter, source.encoding, strip_names=True))
        fits = len(first) == len(source.names) if source.names else set(wanted) <= set(first)
        if fits:
            return made(delimiter)
    return made(",")


def _first_row(path: Path, dialect: CsvDialect) -> tuple[str, ...]:
    """Nothing where quotes are broken under this delimiter: `"a";"b"` is no row with commas."""
    try:
        return csv_names(path, dialect)
    except TableError:
        return ()


def _align(before: Coded, after: Coded, recode: Recode | None, name: str) -> _Aligned:
    if recode is None:
        shown, places = before, _joint(before, after, name)
        codes = before.codes
    else:
        labels = list(dict.fromkeys(recode.labels.values()))
        index = {label: place for place, label in enumerate(labels)}
        keys = positions(before, list(recode.labels), name)
        of_key = np.array([index[label] for label in recode.labels.values()] or [0], np.int64)
        mapped = np.where(keys >= 0, of_key[keys], len(labels))
        codes = mapped[before.codes]
        places = positions(after, labels, name)
        shown = Coded(codes, pa.array([*labels, None], pa.string()), pa.string())
    size = len(shown.values)
    places = np.where(places < 0, size + 1, places)
    return _Aligned(codes, places[after.codes], size, shown)


def _joint(before: Coded, after: Coded, name: str) -> Ints:
    """The place of each released value among the input's values, or -1."""
    kind = before.values.type
    if after.values.type == kind:
        found = pc.index_in(after.values, value_set=before.values)
        return np.asarray(pc.fill_null(found, -1).to_numpy(), np.int64)
    if is_text(kind):
        return positions(after, before.values.to_pylist(), name)
    back = positions(before, after.texts(name), name)  # typed input, text released
    places = np.full(after.size, -1, np.int64)
    known = back >= 0
    places[back[known]] = np.flatnonzero(known)
    return places


def _released_rows(
    aligned: Mapping[str, _Aligned], quasi: Collection[str], rows: int, released: int
) -> Flags:
    """Input rows whose class appears in the release."""
    both, count = _ids(aligned, quasi)
    sizes = np.bincount(both[rows:], minlength=count)
    return np.asarray(sizes[both[:rows]] > 0) if released else np.zeros(rows, np.bool_)


def _ids(aligned: Mapping[str, _Aligned], names: Collection[str]) -> tuple[Ints, int]:
    """Number equal rows over the input's rows followed by the released ones."""
    first = next(iter(aligned.values()))
    stacked = [
        (np.concatenate([aligned[n].before, aligned[n].after]), aligned[n].size + 2) for n in names
    ]
    return row_ids(stacked, len(first.before) + len(first.after))


def _row_checks(
    aligned: Mapping[str, _Aligned], plan: Plan, rows: int, suppressed: int
) -> list[Check]:
    both, count = _ids(aligned, tuple(aligned))
    gone = np.bincount(both[:rows], minlength=count) - np.bincount(both[rows:], minlength=count)
    strangers, lost = int(-gone[gone < 0].sum()), int(gone[gone > 0].sum())
    classes, number = _ids(aligned, plan.schema.quasi)
    before = np.bincount(classes[:rows], minlength=number)
    after = np.bincount(classes[rows:], minlength=number)
    torn = int(np.count_nonzero((after > 0) & (after != before)))
    return [
        Check("released rows that are no recoded input row", 0, strangers, holds=not strangers),
        Check("input rows not released", suppressed, lost, holds=lost == suppressed),
        Check("classes released only in part", 0, torn, holds=not torn),
    ]


def _type_checks(
    before: CodedTable, after: CodedTable, recodes: Mapping[str, Recode], data: DataFile
) -> list[Check]:
    """Parquet keeps the type of every column that is not recoded."""
    if data.format != "parquet":
        return []
    return [
        Check(
            f"type of {name}",
            str(parquet_type(before.types[name])),
            str(plain_type(after.types[name])),
            holds=parquet_type(before.types[name]) == plain_type(after.types[name]),
        )
        for name in after.names
        if name not in recodes
    ]


def parquet_type(kind: Any) -> Any:
    """The type as Parquet holds it: days and milliseconds are its coarsest units of time."""
    kind = plain_type(kind)
    if pa.types.is_date(kind):
        return pa.date32()
    if pa.types.is_timestamp(kind) and kind.unit == "s":
        return pa.timestamp("ms", kind.tz)
    return pa.time32("ms") if kind == pa.time32("s") else kind


def _rule_values(
    before: CodedTable, aligned: Mapping[str, _Aligned], plan: Plan
) -> dict[str, Number]:
    """What the rules say of everybody: the input's own records in the classes of the release.

    The checks of rows hold that these are the released rows, and that none is left out.
    """
    if not plan.secrecy.secrets:
        return {}
    quasi = [(aligned[name].before, aligned[name].size + 1) for name in plan.schema.quasi]
    classes, count = row_ids(quasi, before.rows)
    everybody = np.ones(before.rows, np.int64)
    return dict(risks(plan.secrecy, before.columns, classes, count, everybody))


def _raw_values(
    before: CodedTable,
    aligned: Mapping[str, _Aligned],
    plan: Plan,
    released: Flags,
) -> dict[str, Number]:
    """Measures over raw values that the release does not show.

    A quasi-identifier that is also a target counts by its original values, and the share of
    rows a group loses needs the rows that are gone.
    """
    schema = plan.schema
    inside = {n: _only(before.columns[n], released) for n in schema.quasi}
    shown = {n: aligned[n].before[released] for n in schema.quasi}
    quasi = {n: Coded(codes, range(aligned[n].size), None) for n, codes in shown.items()}
    told = Told(
        ClassCounts.of(quasi, inside, int(released.sum())),
        input_rows=before.rows,
        kept={
            name: (column.counts(), _only(column, released).counts())
            for name, column in before.columns.items()
            if name in schema.quasi
        },
    )
    return of_columns(told) | quality(plan, before=before.columns)


def _shown_values(
    aligned: Mapping[str, _Aligned], plan: Plan, rows: int, released: int
) -> dict[str, Number]:
    """Measures that hold the released cells of a column against those of the input."""
    cells = {n: Coded(one.after, range(one.size + 2), None) for n, one in aligned.items()}
    quasi = {n: cells[n] for n in plan.schema.quasi}
    shown = {n: cells[n] for n in aligned if n not in quasi}
    told = Told(
        ClassCounts.of(quasi, shown, released),
        input_rows=rows,
        kept={
            n: (np.bincount(aligned[n].before, minlength=column.size), column.counts())
            for n, column in shown.items()
        },
    )
    return of_columns(told)


def _only(column: Coded, rows: Flags) -> Coded:
    return Coded(column.codes[rows], column.values, column.type)
