"""The independent recomputation: plain formulas over the file that was written.

Nothing here is shared with the engine. The definitions are those of Dewri et al. 2010 (property
based generalizations) and of Iyengar 2002 for the two losses; missing values are a category.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.errors import VerificationError
from paretonym.model.arrays import Ints
from paretonym.model.plan import Plan
from paretonym.model.secret import Secrecy
from paretonym.publishing.codes import (
    Coded,
    CodedTable,
    CsvDialect,
    positions,
    read_csv,
    read_parquet,
    row_ids,
)
from paretonym.publishing.confidentiality import quality, risks, shown_in_file
from paretonym.publishing.manifest import DataFile, Number, PublicManifest

TOLERANCE = 1e-9  # relative, for numbers that are not integers
_WITHIN = {"sf": 1e-9}  # engines may add up risks in steps, finer the fewer rows there are


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

    sha256: str
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
    quasi = {name: table.columns[name] for name in description.quasi}
    classes, count = class_ids(list(quasi.values()), table.rows)
    sizes = np.bincount(classes, minlength=count).astype(np.int64)
    values: dict[str, Number] = {
        "rows": table.rows,
        "classes": count,
        "k": int(sizes.min()) if count else 0,
        "s_k": int(np.sum(sizes**2)),
        **{f"values({n})": int(np.count_nonzero(c.counts())) for n, c in quasi.items()},
    }
    for name in description.wanted:
        values |= per_class(name, classes, count, table.columns[name])
    unlisted: dict[str, int] = {}
    lost: dict[str, Fraction] = {}
    if plan is not None and input_rows is not None:
        suppressed = input_rows - table.rows
        for name in description.wanted:
            values[f"cm({name})"] += suppressed
        unlisted = unlisted_cells(quasi, plan)
        values |= _class_losses(values, input_rows)
        if not any(unlisted.values()):
            lost = _lost_rows(quasi, plan)
            values |= _label_losses(lost, plan, rows=table.rows, input_rows=input_rows)
        values |= quality(plan)
    partly: dict[str, Number] = {}
    if plan is not None and rules.secrets:
        found = risks(rules, table.columns, classes, count)
        if len(rules.secrets) == len(plan.secrecy.secrets):
            values |= found
        else:  # more rules can only make these two worse
            partly = {name: found[name] for name in ("secure", "worst_risk") if name in found}
    shares = {name: rows / table.rows for name, rows in lost.items() if table.rows}
    return Recomputed(sha256_of(path), table.names, values, unlisted, partly, shares)


def class_ids(quasi: Sequence[Coded], rows: int) -> tuple[Ints, int]:
    """Rows with equal quasi-identifiers share a number; without any, all rows are one class."""
    return row_ids([(column.codes, column.size) for column in quasi], rows)


def per_class(name: str, classes: Ints, count: int, column: Coded) -> dict[str, Number]:
    """Smallest number of distinct values, sum of squared counts, and rows off the majority."""
    if not len(classes):
        return {f"distinct_l({name})": 0, f"s_l({name})": 0, f"cm({name})": 0}
    pairs, sizes = np.unique(classes * column.size + column.codes, return_counts=True)
    owner = pairs // column.size  # ascending, because pairs are
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    majorities = np.maximum.reduceat(sizes, starts)
    return {
        f"distinct_l({name})": int(np.bincount(owner, minlength=count).min()),
        f"s_l({name})": int(np.sum(sizes.astype(np.int64) ** 2)),
        f"cm({name})": int(len(classes) - majorities.sum()),
    }


def _class_losses(values: Mapping[str, Number], input_rows: int) -> dict[str, Number]:
    suppressed = input_rows - int(values["rows"])
    groups = int(values["classes"]) + (1 if suppressed else 0)
    return {
        "suppressed": suppressed,
        "discernibility": int(values["s_k"]) + suppressed * input_rows,
        "average_class_size": input_rows / groups if groups else 0.0,
    }


def unlisted_cells(quasi: Mapping[str, Coded], plan: Plan) -> dict[str, int]:
    """For each recoded column, the cells that are no label of the plan's step."""
    found = {}
    for recode in plan.recodes:
        column = quasi[recode.column]
        places = positions(column, list(recode.leaves), recode.column)
        found[recode.column] = int(column.counts()[places < 0].sum())
    return found


def _lost_rows(quasi: Mapping[str, Coded], plan: Plan) -> dict[str, Fraction]:
    """Of each column, what its released rows lost, in whole rows.

    A one-value domain has nothing to lose and is not there.
    """
    found = {}
    for recode in plan.recodes:
        if recode.domain == 1:
            continue
        column = quasi[recode.column]
        leaves = np.array(list(recode.leaves.values()), np.int64)
        under = leaves[positions(column, list(recode.leaves), recode.column)]
        lost = sum(
            int(rows) * (int(count) - 1) for rows, count in zip(column.counts(), under, strict=True)
        )
        found[recode.column] = Fraction(lost, recode.domain - 1)
    return found


def _label_losses(
    lost: Mapping[str, Fraction], plan: Plan, *, rows: int, input_rows: int
) -> dict[str, Number]:
    """GLM (Iyengar 2002) exactly, and its two normalised means over the attributes."""
    total, weights = Fraction(0), Fraction(0)
    shares: list[tuple[Fraction, Fraction]] = []
    for recode in plan.recodes:
        weight = plan.schema[recode.column].weight
        # a one-value domain has nothing to lose, suppressed or not
        gone = input_rows - rows if recode.column in lost else 0
        loss = lost.get(recode.column, Fraction(0)) + gone
        total += weight * loss
        weights += weight
        shares.append((loss / input_rows if input_rows else Fraction(0), weight))
    if not weights or not input_rows:
        return {"glm": float(total), "loss_arithmetic": 0.0, "loss_geometric": 0.0}
    logs = sum(float(weight / weights) * math.log1p(float(share)) for share, weight in shares)
    return {
        "glm": float(total),
        "loss_arithmetic": float(total / (input_rows * weights)),
        "loss_geometric": math.expm1(logs),
    }


def check(promises: Mapping[str, Number], recomputed: Mapping[str, Number]) -> tuple[Check, ...]:
    """Compare each promise with its recomputed value; what cannot be recomputed fails."""
    return tuple(_check_one(name, value, recomputed) for name, value in promises.items())


def _check_one(name: str, promised: Number, recomputed: Mapping[str, Number]) -> Check:
    if name not in recomputed:
        return Check(name, promised, "not recomputed", holds=False, note="no such number")
    found = recomputed[name]
    if name == "k" and found <= 0:
        return Check(name, promised, found, holds=False, note="no row was released")
    return Check(name, promised, found, holds=agree(promised, found, within=_WITHIN.get(name, 0)))


def agree(promised: Number, found: Number, *, within: float = 0) -> bool:
    """Whole numbers must be equal; others may differ by rounding, or `within` so much."""
    if isinstance(promised, int) and isinstance(found, int):
        return promised == found
    return math.isclose(promised, found, rel_tol=TOLERANCE, abs_tol=max(within, 1e-12))


def file_checks(manifest: PublicManifest, recomputed: Recomputed) -> tuple[Check, ...]:
    """Hash, exact list and order of the columns, and every public promise."""
    promised = tuple(column.name for column in manifest.columns)
    return (
        Check(
            "sha256",
            manifest.data.sha256,
            recomputed.sha256,
            holds=manifest.data.sha256 == recomputed.sha256,
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
