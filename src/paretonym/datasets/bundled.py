"""Where bundled files lie, under the names that a job file uses after `dataset:`."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from paretonym.datasets.bases import EDITION as BASES_EDITION
from paretonym.datasets.bases import bases
from paretonym.datasets.made_up import EDITION as MADE_UP_EDITION
from paretonym.datasets.made_up import made_up
from paretonym.errors import JobError, nearest

FOLDER = Path(__file__).parent
TABLES = {  # a bare name is a table
    "adult": "adult/adult.csv.gz",
    "granulation": "granulation/table.csv",
}
FOLDERS = (
    *TABLES,
    "clinic",
    "groups",
    "people",
)  # whose files have a name, such as groups/acs.yaml
SUFFIXES = {".csv", ".gz", ".yaml", ".md"}


@dataclass(frozen=True, slots=True)
class Generated:
    """A table that is made when it is first asked for."""

    make: Callable[[int, int], pa.Table]
    edition: int
    rows: int
    seed: int


GENERATED = {
    "made-up": Generated(made_up, MADE_UP_EDITION, 200_000, 1),
    "bases": Generated(bases, BASES_EDITION, 60_000, 1),
    "bases-auxiliary": Generated(bases, BASES_EDITION, 60_000, 2),
}


def path(name: str) -> Path:
    """The file of a bundled table ("adult") or of one of its parts ("adult/education.csv").

    Generated tables lie in the user's cache and are written there when they are missing.
    A name is looked up among the files that exist, never joined to a path: nothing outside
    this folder can be reached through a job file.
    """
    if name in GENERATED:
        return _stored(name)
    known = catalogue()
    if name not in known:
        names = sorted([*known, *GENERATED])
        raise JobError(
            f"there is no bundled file of this name{nearest(name, names)}; "
            f"known are: {', '.join(names)}"
        )
    return known[name]


def catalogue() -> dict[str, Path]:
    """Every name of a file that lies in the package."""
    known = {table: FOLDER / file for table, file in TABLES.items()}
    for folder in FOLDERS:
        for file in sorted((FOLDER / folder).iterdir()):
            if file.suffix in SUFFIXES:
                known[f"{folder}/{file.name}"] = file
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


def _stored(name: str) -> Path:
    """Kept between runs; where the cache cannot be written, until the process ends."""
    made = GENERATED[name]
    file = f"{name}-{made.edition}-{made.rows}-{made.seed}.csv"
    try:
        return _store(made, _cache() / file)
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        return _store(made, _scratch() / file)


def _store(made: Generated, file: Path) -> Path:
    if not file.is_file():
        table = made.make(made.rows, made.seed)
        texts = table.cast(pa.schema([(column, pa.string()) for column in table.column_names]))
        # written under another name first: whoever finds the file finds all of it
        handle, part = tempfile.mkstemp(dir=file.parent, prefix=f".{file.stem}-")
        try:
            with os.fdopen(handle, "wb") as stream:
                csv.write_csv(texts, stream, csv.WriteOptions(quoting_style="none"))
            Path(part).replace(file)
        finally:
            Path(part).unlink(missing_ok=True)
    return file


def _cache() -> Path:
    """The folder of the compiled kernels' caches, which nobody else can write to."""
    base = os.environ.get("PARETONYM_CACHE") or os.environ.get("XDG_CACHE_HOME")
    folder = (Path(base) if base else Path.home() / ".cache") / "paretonym"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


@cache
def _scratch() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="paretonym-tables-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
