"""The independent recomputation: plain formulas over the file that was written.

Nothing here is shared with the engine. The formulas stand in a table of their own (`formulas`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from paretonym.errors import VerificationError
from paretonym.model.plan import Plan
from paretonym.model.secret import Secrecy
from paretonym.publishing.class_counts import ClassCounts
from paretonym.publishing.codes import CodedTable, CsvDialect, read_csv, read_parquet
from paretonym.publishing.confidentiality import shown_in_file
from paretonym.publishing.formulas import Told, agree, computed, fits
from paretonym.publishing.manifest import DataFile, Number, PublicManifest

__all__ = [
    "Check",
    "Description",
    "Recomputed",
    "agree",
    "check",
    "file_checks",
    "read_data",
    "recompute",
    "sha256_of",
]


@dataclass(frozen=True, slots=True)
class Description:
    """How to read a data file and what to recompute from it."""

    data: DataFile
    quasi: tuple[str, ...]
    wanted: tuple[str, ...] = ()  # other kept columns to count per class

    @classmethod
    def of(cls, manifest: PublicManifest, *, wanted: Sequence[str] = ()) -> Description:
        quasi = tuple(column.name for column in manifest.columns if column.is_quasi)
        return cls(manifest.data, quasi, tuple(wanted))


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What the file itself says."""

    names: tuple[str, ...]
    values: Mapping[str, Number]  # rows, classes, k, s_k, distinct_l(x), glm …
    unlisted: Mapping[str, int] = field(default_factory=dict)  # cells that no label of the plan is
    partly: Mapping[str, Number] = field(default_factory=dict)  # by the rules that the file shows
    lost: Mapping[str, Fraction] = field(default_factory=dict)  # column -> share, of released rows


@dataclass(frozen=True, slots=True)
class Check:
    """One statement about a release and whether the files bear it out."""

    name: str
    promised: Number | str
    recomputed: Number | str
    holds: bool
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "promised": self.promised,
            "recomputed": self.recomputed,
            "holds": self.holds,
        }


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_data(
    path: Path,
    data: DataFile,
    *,
    wanted: Sequence[str] | None = None,
    as_stored: Sequence[str] = (),
) -> CodedTable:
    """The written file as codes; `wanted` None reads every column.

    Quasi-identifiers are read `as_stored`: a class that a reader of the file can split by two
    forms of missing is not one class, whatever the engine takes for missing.
    """
    if data.format == "parquet":
        return read_parquet(path, wanted=wanted, missing=data.missing, as_stored=as_stored)
    return read_csv(
        path,
        CsvDialect(data.delimiter),
        wanted=wanted,
        missing=data.missing,
        neutralised=data.neutralised,
        as_stored=as_stored,
    )


def recompute(
    path: Path,
    description: Description,
    *,
    plan: Plan | None = None,
    input_rows: int | None = None,
) -> Recomputed:
    """Read the file and compute everything it can prove.

    With the plan and the number of input rows (known inside only) also the losses, which need
    the leaves under each label and the number of suppressed rows, and what the plan's rules of
    confidentiality say, if they speak of nothing but columns that the file shows unchanged.
    """
    rules = Secrecy() if plan is None else shown_in_file(plan)
    columns = tuple(dict.fromkeys((*description.quasi, *description.wanted, *rules.columns)))
    if plan is not None and {r.column for r in plan.recodes} != set(description.quasi):
        raise VerificationError("the plan does not recode exactly the quasi-identifiers")
    table = read_data(path, description.data, wanted=columns, as_stored=description.quasi)
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise VerificationError(
            f"the data file lacks {len(absent)} promised column(s): {', '.join(absent)}"
        )
    told = _told(table, description, plan, input_rows, rules)
    partly: dict[str, Number] = {}
    if plan is not None and len(rules.secrets) < len(plan.secrecy.secrets):
        # more rules can only make these two worse
        partly = {n: told.risks[n] for n in ("secure", "worst_risk") if n in told.risks}
        told = replace(told, rules=Secrecy())
    known = told.input_rows is not None
    lost = told.lost_rows or {} if known else {}
    return Recomputed(
        table.names,
        computed(told),
        told.unlisted if known else {},
        partly,
        {name: rows / table.rows for name, rows in lost.items() if table.rows},
    )


def _told(
    table: CodedTable,
    description: Description,
    plan: Plan | None,
    input_rows: int | None,
    rules: Secrecy,
) -> Told:
    """The counts of the file, with what is known inside only."""
    quasi = {name: table.columns[name] for name in description.quasi}
    wanted = {name: table.columns[name] for name in description.wanted}
    said = {name: table.columns[name] for name in rules.columns}
    return Told(
        ClassCounts.of(quasi, wanted, table.rows),
        plan,
        None if plan is None else input_rows,
        rules,
        ClassCounts.of({**quasi, **said}, {}, table.rows) if rules.secrets else None,
    )


def check(promises: Mapping[str, Number], recomputed: Mapping[str, Number]) -> tuple[Check, ...]:
    """Compare each promise with its recomputed value; what cannot be recomputed fails."""
    return tuple(_check_one(name, value, recomputed) for name, value in promises.items())


def _check_one(name: str, promised: Number, recomputed: Mapping[str, Number]) -> Check:
    if name not in recomputed:
        return Check(name, promised, "not recomputed", holds=False, note="no such number")
    found = recomputed[name]
    if name == "k" and found <= 0:
        return Check(name, promised, found, holds=False, note="no row was released")
    return Check(name, promised, found, holds=fits(name, promised, found))


def file_checks(manifest: PublicManifest, recomputed: Recomputed, sha256: str) -> tuple[Check, ...]:
    """Hash, exact list and order of the columns, and every public promise."""
    promised = tuple(column.name for column in manifest.columns)
    return (
        Check(
            "sha256",
            manifest.data.sha256,
            sha256,
            holds=manifest.data.sha256 == sha256,
        ),
        Check(
            "columns",
            ", ".join(promised),
            # a file that lost its header has cells where the names should be
            ", ".join(name if name in promised else "(another)" for name in recomputed.names),
            holds=promised == recomputed.names,
            note="names and order",
        ),
        *check(manifest.promises, recomputed.values),
        *check({f"values({n})": d.values for n, d in manifest.detail.items()}, recomputed.values),
    )
