"""Where bundled files lie, under the names that a job file uses after `dataset:`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from paretonym.errors import JobError, nearest

FOLDER = Path(__file__).parent
TABLES = {"adult": "adult/adult.csv.gz"}  # a bare name is a table
SUFFIXES = {".csv", ".gz", ".yaml", ".md"}


def path(name: str) -> Path:
    """The file of a bundled table ("adult") or of one of its parts ("adult/education.csv").

    A name is looked up among the files that exist, never joined to a path: nothing outside
    this folder can be reached through a job file.
    """
    known = catalogue()
    if name not in known:
        raise JobError(
            f"there is no bundled file of this name{nearest(name, sorted(known))}; "
            f"known are: {', '.join(sorted(known))}"
        )
    return known[name]


def catalogue() -> dict[str, Path]:
    """Every name that `path` knows."""
    known = {table: FOLDER / file for table, file in TABLES.items()}
    for table in TABLES:
        for file in sorted((FOLDER / table).iterdir()):
            if file.suffix in SUFFIXES:
                known[f"{table}/{file.name}"] = file
    return known


def adult() -> pa.Table:
    """The Adult table: 30,162 complete rows, every column as text."""
    # types are stated, not inferred: ages are text here as in any other CSV
    with path("adult").open("rb") as raw, pa.CompressedInputStream(raw, "gzip") as stream:
        data = stream.read()
    header = data[: data.index(b"\n")].decode()
    text = csv.ConvertOptions(
        column_types={name: pa.string() for name in header.split(",")}, strings_can_be_null=False
    )
    return csv.read_csv(pa.BufferReader(data), convert_options=text)
