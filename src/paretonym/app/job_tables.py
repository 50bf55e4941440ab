"""The form of a table: one file or several, and how their text is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo

from paretonym.app import job_text as text
from paretonym.app.job_text import Form
from paretonym.model.source import TableSource

Delimiter = Annotated[str, PlainValidator(text.read_delimiter)]
Said = Annotated[str, PlainValidator(text.read_said)]


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

    path: Annotated[tuple[Path, ...], PlainValidator(_paths)] | None = None
    delimiter: Delimiter | None = None
    encoding: Said = "utf-8"
    names: Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(unique_names)] | None = (
        None
    )
    missing: tuple[str, ...] = ()

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
