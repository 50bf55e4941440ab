"""What a release says about itself: one manifest for everybody, one for its maker.

The public manifest holds promises that anyone can recompute from the data file. It holds no
raw values, seeds, keys or risks, and writes counts under k as "<k". Everything else stands in
the internal manifest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from paretonym.errors import JobError, ParetonymError, VerificationError
from paretonym.model.bound import Bound, bounds_from_json, bounds_to_json
from paretonym.model.reading_back import refuse_unknown, writer_of
from paretonym.publishing.atomic import DATA_FILES, MANIFEST, MANIFEST_FORMAT
from paretonym.publishing.writers import Format

Number = int | float
_Made = TypeVar("_Made")
Count = int | Literal["<k"]

STATEMENT = (
    "Every number under 'promises' was recomputed from the data file after it was written. "
    "Beyond these numbers the manifest claims only what stands under 'detail': the different "
    "values of each key column, which were counted as well, and the share of its detail that was "
    "lost, which its publisher states."
)
_REQUIRED = ("k", "rows", "classes")
_BOTH = ("format", "kind", "software", "suppressed_rows", "formula_cells")
_PARTS = {
    "public": (*_BOTH, "statement", "data", "columns", "rows", "promises", "detail"),
    "internal": (
        *_BOTH, "input", "job", "levels", "suppress_below", "values", "require", "recomputed",
        "stated", "accepted_matches", "shuffle_key", "seed", "files",
    ),
}  # fmt: skip


def software_version() -> str:
    try:
        return metadata.version("paretonym")
    except metadata.PackageNotFoundError:
        return "unknown"


def public_count(count: int, k: int) -> Count:
    """A count as the public may see it: small ones could single people out."""
    return "<k" if 0 < count < k else count


@dataclass(frozen=True, slots=True)
class DataFile:
    """The data file: its name, hash, and how its cells are to be read."""

    name: str
    sha256: str
    format: Format
    delimiter: str = ","
    missing: tuple[str, ...] = ("",)  # texts that stand for a missing value, beside null
    neutralised: bool = False  # cells that read like formulas carry a leading quote

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"file": self.name, "sha256": self.sha256, "format": self.format}
        if self.format == "csv":
            data["dialect"] = {
                "delimiter": self.delimiter,
                "quote": '"',
                "line_end": "\n",
                "encoding": "utf-8",
                "header": True,
            }
        data["missing"] = list(self.missing)
        data["formulas_neutralised"] = self.neutralised
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DataFile:
        kind = data["format"]
        # the name is fixed, so that a foreign manifest cannot point outside its folder
        if kind not in DATA_FILES or data["file"] != DATA_FILES[kind]:
            raise ValueError
        return cls(
            name=data["file"],
            sha256=_text(data["sha256"]),
            format=kind,
            delimiter=_text(data["dialect"]["delimiter"]) if kind == "csv" else ",",
            missing=tuple(_text(text) for text in data["missing"]),
            neutralised=_flag(data["formulas_neutralised"]),
        )


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """One column of the data file; a quasi-identifier names its level and hierarchy."""

    name: str
    roles: tuple[str, ...]
    level: int | None = None
    level_name: str | None = None
    hierarchy: str | None = None  # digest of the hierarchy that was applied
    written: str | None = None  # mean, median or mode; None: as the label of its group
    frozen: bool = False  # that statistic was taken from an earlier table
    exchanged: bool = False  # values were exchanged between similar records first

    @property
    def is_quasi(self) -> bool:
        return "quasi" in self.roles

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"name": self.name, "roles": list(self.roles)}
        if self.level is not None:
            data |= {"level": self.level, "level_name": self.level_name}
            data["hierarchy"] = self.hierarchy
        if self.written is not None:
            data |= {"written_as": self.written, "of_an_earlier_table": self.frozen}
        if self.exchanged:
            data["exchanged_between_records"] = True
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ReleasedColumn:
        level, written = data.get("level"), data.get("written_as")
        return cls(
            name=_text(data["name"]),
            roles=tuple(_text(role) for role in data["roles"]),
            level=None if level is None else _count(level),
            level_name=data.get("level_name"),
            hierarchy=data.get("hierarchy"),
            written=None if written is None else _text(written),
            frozen=_flag(data.get("of_an_earlier_table", False)),
            exchanged=_flag(data.get("exchanged_between_records", False)),
        )


@dataclass(frozen=True, slots=True)
class Detail:
    """What a quasi-identifier still tells, over the released rows alone."""

    values: int  # different ones in the file
    lost: int | None = None  # per cent of its detail; None: too few values to say so
    step: int | None = None  # `lost` is rounded to steps of so many per cent; None: exact

    def to_json(self) -> dict[str, int | None]:
        return {"values": self.values, "lost_percent": self.lost, "rounded_to": self.step}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Detail:
        lost, step = data["lost_percent"], data["rounded_to"]
        return cls(
            values=_count(data["values"]),
            lost=None if lost is None else _count(lost),
            step=None if step is None else _count(step),
        )


@dataclass(frozen=True, slots=True)
class PublicManifest:
    data: DataFile
    columns: tuple[ReleasedColumn, ...]
    promises: Mapping[str, Number]  # k, rows, classes, distinct_l(column) …
    suppressed: Count
    formula_cells: Mapping[str, Count] = field(default_factory=dict)
    detail: Mapping[str, Detail] = field(default_factory=dict)  # none where it was not measured
    software: str = field(default_factory=software_version)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": MANIFEST_FORMAT,
            "kind": "public",
            "software": {"name": "paretonym", "version": self.software},
            "statement": STATEMENT,
            "data": self.data.to_json(),
            "columns": [column.to_json() for column in self.columns],
            "rows": self.promises["rows"],
            "suppressed_rows": self.suppressed,
            "formula_cells": dict(self.formula_cells),
            "promises": dict(self.promises),
            "detail": {name: detail.to_json() for name, detail in self.detail.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PublicManifest:
        _require_kind(data, "public")
        return _guarded(_public_from_json, data)


@dataclass(frozen=True, slots=True)
class InternalManifest:
    """Everything needed to rebuild and judge the release; mode 0600, never published."""

    values: Mapping[str, Number]  # every measure of the chosen candidate
    levels: Mapping[str, int]
    suppress_below: int
    suppressed: int
    input_rows: int
    input_fingerprint: str
    job_digest: str
    shuffle_key: str | None  # hex
    seed: int | None
    recomputed: tuple[str, ...]  # names recomputed when the release was made
    stated: tuple[str, ...]  # names only the engine knows
    files: Mapping[str, str]  # sha256 of the data file, the plan and the public manifest
    accepted: tuple[str, ...] = ()  # columns allowed to match a dropped identifier
    formula_cells: Mapping[str, int] = field(default_factory=dict)
    require: tuple[Bound, ...] = ()  # everything that the job required
    software: str = field(default_factory=software_version)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": MANIFEST_FORMAT,
            "kind": "internal",
            "software": {"name": "paretonym", "version": self.software},
            "input": {"rows": self.input_rows, "fingerprint": self.input_fingerprint},
            "job": self.job_digest,
            "levels": dict(self.levels),
            "suppress_below": self.suppress_below,
            "suppressed_rows": self.suppressed,
            "values": dict(self.values),
            "require": bounds_to_json(self.require),
            "recomputed": list(self.recomputed),
            "stated": list(self.stated),
            "accepted_matches": list(self.accepted),
            "formula_cells": dict(self.formula_cells),
            "shuffle_key": self.shuffle_key,
            "seed": self.seed,
            "files": dict(self.files),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> InternalManifest:
        _require_kind(data, "internal")
        return _guarded(_internal_from_json, data)


def version_beside(plan: Path) -> str | None:
    """The version that wrote a plan, by the manifest in the same folder, if one stands there."""
    try:
        text = (plan.parent / MANIFEST).read_text(encoding="utf-8")
        return InternalManifest.from_json(json.loads(text)).software
    except (OSError, ValueError, RecursionError, ParetonymError):
        return None


def dump_json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _require_kind(data: object, kind: str) -> None:
    if not isinstance(data, Mapping) or data.get("format") != MANIFEST_FORMAT:
        raise JobError(f"this is not a manifest of the format {MANIFEST_FORMAT}")
    if data.get("kind") != kind:
        raise JobError(f"this is not a paretonym manifest of the {kind} kind")
    refuse_unknown(f"the {kind} manifest holds", data, _PARTS[kind], writer_of(data))


def _guarded(build: Callable[[Mapping[str, Any]], _Made], data: Mapping[str, Any]) -> _Made:
    try:
        return build(data)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise VerificationError(
            "the manifest is damaged: a part of it is missing or malformed; "
            "ask its maker for a fresh copy or release again"
        ) from None


def _public_from_json(data: Mapping[str, Any]) -> PublicManifest:
    promises = {_text(name): _number(value) for name, value in data["promises"].items()}
    if any(name not in promises for name in _REQUIRED) or data["rows"] != promises["rows"]:
        raise ValueError
    return PublicManifest(
        data=DataFile.from_json(data["data"]),
        columns=tuple(ReleasedColumn.from_json(column) for column in data["columns"]),
        promises=promises,
        suppressed=_public_count(data["suppressed_rows"]),
        formula_cells={
            _text(name): _public_count(count) for name, count in data["formula_cells"].items()
        },
        # manifests of earlier versions state none
        detail={_text(n): Detail.from_json(d) for n, d in data.get("detail", {}).items()},
        software=_text(data["software"]["version"]),
    )


def _internal_from_json(data: Mapping[str, Any]) -> InternalManifest:
    key, seed = data["shuffle_key"], data["seed"]
    return InternalManifest(
        values={_text(name): _number(value) for name, value in data["values"].items()},
        levels={_text(name): _count(level) for name, level in data["levels"].items()},
        suppress_below=_count(data["suppress_below"]),
        suppressed=_count(data["suppressed_rows"]),
        input_rows=_count(data["input"]["rows"]),
        input_fingerprint=_text(data["input"]["fingerprint"]),
        job_digest=_text(data["job"]),
        shuffle_key=None if key is None else _text(key),
        seed=None if seed is None else _integer(seed),
        recomputed=tuple(_text(name) for name in data["recomputed"]),
        stated=tuple(_text(name) for name in data["stated"]),
        files={_text(name): _text(digest) for name, digest in data["files"].items()},
        accepted=tuple(_text(name) for name in data["accepted_matches"]),
        formula_cells={_text(n): _count(count) for n, count in data["formula_cells"].items()},
        require=bounds_from_json(data.get("require", [])),  # earlier versions wrote none
        software=_text(data["software"]["version"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value


def _count(value: object) -> int:
    number = _integer(value)
    if number < 0:
        raise ValueError
    return number


def _number(value: object) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError
    return value


def _public_count(value: object) -> Count:
    return cast(Count, value) if value == "<k" else _count(value)
