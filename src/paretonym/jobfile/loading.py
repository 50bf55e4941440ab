"""A job file, or the same as plain data, made into a Job; every problem is told at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from paretonym.errors import JobError
from paretonym.jobfile.digest import digest_of
from paretonym.jobfile.errors import job_error, missing_key, problems_of
from paretonym.jobfile.forms import ColumnForm, JobForm, read_method
from paretonym.jobfile.group_faults import group_faults
from paretonym.jobfile.hierarchies import DateForm, IntervalsForm
from paretonym.jobfile.measure_faults import measure_faults
from paretonym.jobfile.secrets import faults_of
from paretonym.jobfile.texts import (
    BUNDLED,
    Problem,
    as_text,
    find_path,
    read_budget,
    shown,
)
from paretonym.jobfile.yaml import Where, read_yaml
from paretonym.model.job import Budget, ColumnSpec, Job, Method, SearchOptions, Suppression
from paretonym.model.reading import read_file
from paretonym.model.schema import DROPPED, Role

__all__ = [
    "job_from_text",
    "load_job",
    "parse_budget",
    "parse_column",
    "parse_job",
    "parse_method",
]


def load_job(path: str | os.PathLike[str]) -> Job:
    """Read a job file.

    Args:
        path: The file (YAML). Paths in it are relative to its folder.

    Returns:
        The job, checked as far as that is possible without its table.

    Raises:
        JobError: Something is not understood; the message tells every fault at once.

    Example:
        job = pn.load_job("ten.yaml")
        assert job.objectives == ("k", "glm")
    """
    file = Path(path)
    return job_from_text(_read_text(file), name=file.name, base=file.parent, path=file)


def job_from_text(text: str, *, name: str, base: Path, path: Path | None = None) -> Job:
    """A job from the text of its file, which messages call `name`; paths start at `base`."""
    document = read_yaml(text.removeprefix("\ufeff"), name)
    if document.data is None:
        raise JobError(f"{name}: the file is empty; a job needs table, columns and objectives")
    if not isinstance(document.data, dict):
        raise JobError(f"{name}: expected keys such as table: and columns: at the top level")
    return _parse(document.data, base=base, path=path, table=None, name=name, lines=document.lines)


def parse_job(
    data: Mapping[str, Any],
    *,
    base: Path,
    path: Path | None = None,
    table: object | None = None,
) -> Job:
    """A job from plain data, whose scalars may be texts, numbers or booleans.

    `table` takes the place of the table that the data names: a frame, or a path, which then
    is relative to the current folder as every argument is. Reading options stay.
    """
    if not isinstance(data, Mapping):
        raise JobError("expected a mapping with the keys table, columns and objectives")
    name = "" if path is None else path.name
    return _parse(data, base=Path(base), path=path, table=table, name=name, lines={})


def parse_column(data: Any, *, name: str, base: Path) -> ColumnSpec:
    """One column from plain data, checked as in a job, but not against the rest of it."""
    under = ("columns", name)
    problems: list[Problem] = []
    try:
        form = ColumnForm.model_validate(as_text(data, under, problems), context=base)
        problems += _check_column(name, form)
    except ValidationError as error:
        problems += problems_of(error, under=under)
    if problems:
        raise job_error(problems)
    return form.spec(name)


def parse_budget(text: str) -> Budget:
    """A budget as the command line gives it, in place of the job's own."""
    try:
        return read_budget(text)
    except PydanticCustomError as error:
        raise JobError(f"--budget: {error.message()}") from None


def parse_method(text: str) -> Method:
    """A method as the command line gives it."""
    try:
        return read_method(text)
    except PydanticCustomError as error:
        raise JobError(f"--method: {error.message()}") from None


def _parse(
    data: Mapping[str, Any],
    *,
    base: Path,
    path: Path | None,
    table: object | None,
    name: str,
    lines: Mapping[Where, int],
) -> Job:
    problems: list[Problem] = []
    table, plain = _take_table(data, table, problems)
    texts = as_text(plain, (), problems)
    try:
        form = JobForm.model_validate(texts, context=base)
        columns = form.columns
        problems += _check_secrets(form) + group_faults(
            form.groups, list(form.columns), _dropped(form.columns)
        )
        problems += _check_swaps(form)
    except ValidationError as error:
        problems += problems_of(error)
        columns = _readable_columns(texts, base)
    problems += _check_needed(texts) + _check(texts, columns)
    if table is None and not _names_table(texts):
        problems.append((("table", "path"), "this key is missing; write path: people.csv"))
    if problems:
        raise job_error(problems, name=name, lines=lines)
    return _compile(form, path=path, table=table)


def _read_text(path: Path) -> str:
    try:
        if path.is_dir():
            raise JobError(f"{path}: this is a folder; give the path of a job file")
        data = read_file(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise JobError(f"{path}: {reason}; check the path of the job file") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise JobError(f"{path.name}, line {line}: not UTF-8; save the file as UTF-8") from None


def _take_table(
    data: Mapping[str, Any], table: object | None, problems: list[Problem]
) -> tuple[object | None, dict[str, Any]]:
    """The table given as an argument or as a frame in the data, and the data without it."""
    plain = dict(data)
    inside = plain.get("table")
    if isinstance(table, str | os.PathLike):
        try:
            table = _argument(os.fspath(table))
        except ValueError as error:
            problems.append((("table",), str(error)))
    elif table is None and not isinstance(inside, _PLAIN_KINDS):
        table = inside
    if table is not None:
        options = dict(inside) if isinstance(inside, Mapping) else {}
        options.pop("path", None)
        plain["table"] = options
    return table, plain


_PLAIN_KINDS = (
    str,
    os.PathLike,
    Mapping,
    list,
    tuple,
    set,
    frozenset,
    bytes,
    int,
    float,
    type(None),
)


def _argument(name: str | bytes) -> Path:
    """A bundled name needs no folder; any other path is relative to the current one."""
    if isinstance(name, str) and name.startswith(BUNDLED):
        return find_path(name, Path())
    return Path(os.fsdecode(name))


def _names_table(texts: Mapping[str, Any]) -> bool:
    """False only for a mapping without its path: everything else was complained about."""
    table = texts.get("table")
    return not isinstance(table, dict) or "path" in table


def _readable_columns(texts: Mapping[str, Any], base: Path) -> dict[str, ColumnForm]:
    """The columns that are fine by themselves, so that their own problems show as well."""
    raw = texts.get("columns")
    readable = {}
    for name, column in raw.items() if isinstance(raw, dict) else ():
        try:
            readable[name] = ColumnForm.model_validate(column, context=base)
        except ValidationError:
            continue
    return readable


def _check_needed(texts: Mapping[str, Any]) -> list[Problem]:
    """Only a job of groups does without columns and objectives."""
    needed = () if "groups" in texts else ("columns", "objectives")
    return [missing_key(key) for key in needed if key not in texts]


def _check(texts: Mapping[str, Any], columns: Mapping[str, ColumnForm]) -> list[Problem]:
    """What takes more than one key to see."""
    raw = texts.get("columns")
    names = list(raw) if isinstance(raw, dict) else []
    problems = [problem for name in columns for problem in _check_column(name, columns[name])]
    for name in names:
        if not name or name != name.strip():
            fault = "a column's name is not empty and has no blanks at its ends"
            problems.append((("columns", name), fault))
    if columns and len(columns) == len(names) and not _with(columns, Role.QUASI):
        fault = "no column has the role quasi; give it to what an outsider may know"
        problems.append((("columns",), fault))
    return problems + measure_faults(texts, names, _dropped(columns))


def _dropped(columns: Mapping[str, ColumnForm]) -> list[str]:
    return [name for name, column in columns.items() if DROPPED & column.role]


def _check_swaps(form: JobForm) -> list[Problem]:
    """Rows that are swapped have numbers in one file, and their cells are released."""
    if form.swaps is None:
        return []
    faults = []
    if len(form.table.path or ()) > 1:
        faults.append("row numbers belong to one file, and table lists several; name one")
    dropped = _dropped(form.columns)
    named = [name for name in form.swaps.columns if name in dropped]
    if named:
        said = ", ".join(shown(name) for name in named)
        faults.append(f"they exchange {said}, which the job drops; give another role")
    return [(("swaps",), fault) for fault in faults]


def _with(columns: Mapping[str, ColumnForm], role: Role) -> list[str]:
    return [name for name, column in columns.items() if role in column.role]


def _check_column(name: str, column: ColumnForm) -> list[Problem]:
    """A hierarchy where there must be one, and nothing that would be ignored."""
    quasi = Role.QUASI in column.role
    dates = any(isinstance(form, DateForm) for form in column.builders)
    ordered = column.write in ("median", "mode") and column.type is None
    intervals = any(isinstance(form, IntervalsForm) for form in column.builders)
    numbers = intervals or column.type == "number"
    given = "partitions" if column.hierarchy is None else "hierarchy"
    rules = (
        (quasi and not column.builders, "", "a quasi column needs a hierarchy or partitions; "
         "hierarchy: suppress is the simplest"),
        (not quasi and bool(column.builders), given, "only quasi columns are generalised; leave "
         "it out, or add quasi to the role"),
        (column.hierarchy is not None and column.partitions is not None, "partitions",
         "a column has a hierarchy or partitions, not both; keep one of them"),
        (dates and column.format is None, "format", "dates are read with a stated format only; "
         "add format: '%Y-%m-%d' or what the column holds"),
        (not dates and not ordered and column.format is not None, "format", "only date hierarchies "
         "and medians of dates use a format; leave it out, or use hierarchy: {date: month}"),
        (not numbers and column.decimal_comma is not None, "decimal_comma", "only intervals read "
         "numbers, and columns with type: number; leave it out, or add one of them"),
        (not quasi and column.write is not None, "write", "only quasi columns are generalised and "
         "may be written another way; leave it out, or add quasi to the role"),
        (quasi and column.write == "mean" and not numbers, "write", "a mean needs numbers; add "
         "type: number, or use write: median"),
        (not quasi and column.weight is not None, "weight", "only quasi columns have a weight in "
         "the losses; leave it out (a column of survey weights has role: weight)"),
    )  # fmt: skip
    return [
        (("columns", name, key) if key else ("columns", name), fault)
        for broken, key, fault in rules
        if broken
    ]


def _check_secrets(form: JobForm) -> list[Problem]:
    """Rules speak of columns that hold secrets, and are promised to everybody."""
    quasi, dropped = _with(form.columns, Role.QUASI), _dropped(form.columns)
    problems = faults_of(form.confidential, quasi, dropped, list(form.columns))
    limit = form.suppression.limit
    if form.confidential and (limit.percent or limit.rows):
        fault = "confidential rules hold for everybody, so nothing may be suppressed; write 0 rows"
        problems.append((("suppression", "limit"), fault))
    return problems


def _compile(form: JobForm, *, path: Path | None, table: object | None) -> Job:
    source, *more = form.table.sources(table)
    job = Job(
        source=source,
        columns=tuple(column.spec(name) for name, column in form.columns.items()),
        objectives=form.objectives,
        require=dict(form.require),
        suppression=Suppression(limit=form.suppression.limit, rule=form.suppression.rule),
        search=SearchOptions(form.search.method, form.search.seed, form.search.budget),
        epsilon=dict(form.epsilon),
        confidential=tuple(rule.spec() for rule in form.confidential),
        security=form.security.spec(),
        groups=tuple(group.spec(name) for name, group in form.groups.items()),
        swaps=form.swaps,
        more=tuple(more),
        about=form.about.spec(),
        path=path,
    )
    return replace(job, digest=digest_of(job))
