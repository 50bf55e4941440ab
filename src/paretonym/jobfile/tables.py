"""The form of a table: one file or several, and how their text is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError, ValidationInfo

from paretonym.errors import JobError
from paretonym.jobfile import texts as text
from paretonym.jobfile.keys import Reads, key
from paretonym.jobfile.texts import Form
from paretonym.model.source import TableSource

Delimiter = Annotated[str, Reads(text.read_delimiter, "one character, not a quote")]
Said = Annotated[str, Reads(text.read_said, "a text")]


def path_alone(value: Any) -> Any:
    """`table: x.csv` says the same as `table: {path: x.csv}`; so does a list of files."""
    return {"path": value} if isinstance(value, str | list) else value


def _paths(value: Any, info: ValidationInfo) -> tuple[Path, ...]:
    found = tuple(text.find_path(one, Path(info.context or "")) for one in text.listed(value))
    if not found or len(set(found)) < len(found):
        raise text.fault("no file, or one that stands twice; list each file once")
    return found


def unique_names(value: tuple[str, ...]) -> tuple[str, ...]:
    if "" in value or len(set(value)) < len(value):
        raise text.fault("a name is empty or stands twice; give each column a name of its own")
    return value


class TableForm(Form):
    """Where the table is and how its text is read."""

    path: Annotated[
        Annotated[tuple[Path, ...], Reads(_paths, "a path, or a list of paths")] | None,
        key(
            "CSV, gzipped CSV or Parquet, relative to the folder of the job file; `dataset:NAME` "
            "comes with paretonym. Only the `group` commands read a list of files, which must "
            "have the same columns",
            "people.csv",
            unset="needed, but in Python, where the table may be a frame",
        ),
    ] = None
    delimiter: Annotated[
        Delimiter | None,
        key(
            'what stands between cells; a tab is written `"\\t"`, in double quotes',
            '";"',
            unset="found among `,` `;` and tab",
        ),
    ] = None
    encoding: Annotated[
        Said, key("how a CSV is encoded: `utf-8`, `latin-1`, `cp1252`, …", "latin-1")
    ] = "utf-8"
    names: Annotated[
        Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(unique_names)] | None,
        key(
            "the names of the columns, for a CSV that has no header row",
            "[age, zip, sex]",
            unset="the first row names them",
        ),
    ] = None
    missing: Annotated[
        tuple[str, ...],
        key(
            "texts that stand for a missing value, beside the empty cell, which always does",
            '["?", NA]',
            unset="the empty cell only",
        ),
    ] = ()

    def sources(self, table: object | None = None) -> tuple[TableSource, ...]:
        """One for each file; `table` takes their place.

        The empty cell is always missing: a release has no other way to write a missing value.
        """
        return tuple(
            TableSource(
                data=data,
                delimiter=self.delimiter,
                encoding=self.encoding,
                names=self.names,
                missing=tuple(dict.fromkeys(("", *self.missing))),
            )
            for data in ((self.path or ()) if table is None else (table,))
        )


def source_in(table: Any, base: Path) -> TableSource:
    """The first file of a job's table, whatever the rest of the job is like."""
    try:
        sources = TableForm.model_validate(path_alone(table), context=base).sources()
    except ValidationError:
        sources = ()
    if not sources:
        raise JobError(
            "table: not understood; write a path, or path, delimiter, encoding, names, missing"
        )
    return sources[0]
