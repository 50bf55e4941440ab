"""Runs the command line inside the test's own process, and makes the tables it works on."""

from __future__ import annotations

import contextlib
import csv
import gc
import io
import json
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from paretonym.cli.main import run

NAMES = ("name", "age", "zip", "illness")
# ages in tens: twenties 3, thirties 3, missing 2, sixties 1; with zip at `*` the classes
ROWS = (
    ("Anna Abel", "21", "1010", "flu"),
    ("Berta Boll", "25", "1010", "flu"),
    ("Carl Cord", "28", "1020", "cold"),
    ("Dora Dahl", "34", "1010", "flu"),
    ("Emil Ende", "36", "1020", ""),
    ("Franz Fuchs", "39", "1020", "cold"),
    ("Greta Gross", "", "1010", "flu"),
    ("Hanna Huber", "", "1020", "cold"),
    ("Ivo Igel", "61", "1010", "flu"),
)
JOB: dict[str, Any] = {
    "table": "people.csv",
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "illness": {"role": "sensitive"},
    },
    "objectives": ["k", "glm"],
    "suppression": {"limit": "1"},
}
TENS = "age=1,zip=4"  # the node of the classes above


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on stdout."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self
        return json.loads(lines[0], parse_constant=_refuse_constant)


def _refuse_constant(text: str) -> None:
    raise AssertionError(f"{text} is not JSON")


def call(*arguments: object) -> Result:
    """What `paretonym ARGUMENTS` returns and prints."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    ending = signal.getsignal(signal.SIGTERM)
    with (
        mock.patch.object(sys, "argv", ["paretonym", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            run()
        except SystemExit as end:
            code = end.code or 0
        finally:
            gc.enable()
            signal.signal(signal.SIGTERM, ending)
    assert isinstance(code, int)
    return Result(code, out.getvalue(), err.getvalue())


def write_csv(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([names, *rows])
    return path


def write_job(folder: Path, job: Mapping[str, Any] | None = None, **changes: Any) -> Path:
    """A job file (JSON is YAML) with the changes made at its top level."""
    path = folder / "job.yaml"
    path.write_text(json.dumps({**(job or JOB), **changes}, ensure_ascii=False), encoding="utf-8")
    return path


def make_people(folder: Path, **changes: Any) -> Path:
    """people.csv and its job; returns the job's path."""
    write_csv(folder / "people.csv", NAMES, ROWS)
    return write_job(folder, **changes)


def with_column(name: str, form: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of the job with one of them changed."""
    return {**JOB["columns"], name: dict(form)}


def files_under(folder: Path) -> dict[str, bytes]:
    """Every file and what it holds."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def read_rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))
