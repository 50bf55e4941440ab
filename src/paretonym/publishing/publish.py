"""Write a release, read it back, and put it in place only when every promise holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import Any

from paretonym.errors import OutputError, VerificationError
from paretonym.model.bound import Bound
from paretonym.model.plan import Plan
from paretonym.model.source import TableSource
from paretonym.publishing.atomic import (
    DATA_FILES,
    INTERNAL,
    MANIFEST,
    PLAN,
    PRIVATE_FOLDER,
    REPORT,
    refuse_same_path,
    release_folder,
    write_text,
)
from paretonym.publishing.checker import Check, Description, recompute, sha256_of
from paretonym.publishing.manifest import (
    DataFile,
    Detail,
    InternalManifest,
    Number,
    PublicManifest,
    dump_json,
    public_count,
)
from paretonym.publishing.verify import (
    Verification,
    Watch,
    read_internal,
    read_public,
    released_columns,
    unwatched,
    verify_internal,
)
from paretonym.publishing.writers import Format, WrittenFacts, write_data

PublicReport = Callable[[PublicManifest, Verification], str]
InternalReport = Callable[[PublicManifest, InternalManifest, Verification], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRequest:
    """Everything a release needs beside its rows."""

    folder: Path
    source: TableSource  # the input, read again for the comparison
    plan: Plan
    levels: Mapping[str, int]
    values: Mapping[str, Number]  # every measure of the chosen candidate, as the engine saw it
    suppressed: int
    input_rows: int
    fingerprint: str  # of the input table
    job_digest: str
    require: tuple[Bound, ...] = ()  # what the job asks of the release
    classes: int | None = None  # number of released classes, when the engine states it
    detail: Mapping[str, Detail] = field(default_factory=dict)  # by quasi-identifier, if measured
    format: Format = "csv"
    delimiter: str = ","
    neutralise: bool = False
    shuffle_key: bytes | None = None
    seed: int | None = None
    # columns whose matches with a dropped identifier the user has looked at and allowed
    accepted: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Publication:
    """A release that stands in its folder, and what was recomputed from it."""

    folder: Path
    public: PublicManifest
    internal: InternalManifest
    verification: Verification


def publish(
    reader: Any,
    request: ReleaseRequest,
    *,
    public_report: PublicReport,
    internal_report: InternalReport,
    watch: Watch = unwatched,
) -> Publication:
    """Write the batches of `reader` (recoded, suppressed, shuffled) as a verified release.

    Any promise that the written file does not bear out raises VerificationError and leaves
    nothing behind; an earlier release in the same folder stays as it was.
    """
    if isinstance(request.source.data, str | Path):
        refuse_same_path(Path(request.source.data), request.folder)
    request = replace(request, values=_plain_numbers(request.values))
    with release_folder(request.folder) as staging:
        (staging / INTERNAL).mkdir(mode=PRIVATE_FOLDER)
        written = _write_data(reader, staging, request)
        public = _public_manifest(staging, request, written)
        write_text(staging / MANIFEST, dump_json(public.to_json()))
        write_text(staging / INTERNAL / PLAN, dump_json(request.plan.to_json()))
        internal, made = _verified(staging, request, public, written, watch)
        write_text(staging / INTERNAL / MANIFEST, dump_json(internal.to_json()))
        _require_same_when_read(staging, public, internal, request.plan)
        write_text(staging / REPORT, public_report(public, made))
        write_text(staging / INTERNAL / REPORT, internal_report(public, internal, made))
    return Publication(request.folder, public, internal, made)


def _plain_numbers(values: Mapping[str, Number]) -> dict[str, Number]:
    """Python's own numbers: an engine may hand over numpy's, which JSON does not know."""
    plain: dict[str, Number] = {}
    for name, value in values.items():
        plain[name] = int(value) if isinstance(value, Integral) else float(value)
        if not math.isfinite(plain[name]):
            raise OutputError(f"the measure '{name}' is not a finite number; leave it out")
    return plain


def _write_data(reader: Any, staging: Path, request: ReleaseRequest) -> WrittenFacts:
    return write_data(
        reader,
        staging / DATA_FILES[request.format],
        format=request.format,
        delimiter=request.delimiter,
        neutralise=request.neutralise,
        missing=request.plan.missing,
    )


def _public_manifest(
    staging: Path, request: ReleaseRequest, written: WrittenFacts
) -> PublicManifest:
    """Promises come from the engine, not from the file: the file has to bear them out."""
    plan = request.plan
    name = DATA_FILES[request.format]
    data = DataFile(
        name=name,
        sha256=written.sha256,
        format=request.format,
        delimiter=request.delimiter,
        missing=_missing_in_file(plan, written),
        neutralised=request.neutralise and request.format == "csv",
    )
    promises = _promises(staging / name, data, request)
    k = int(promises["k"])
    return PublicManifest(
        data=data,
        columns=released_columns(plan),
        promises=promises,
        suppressed=public_count(request.suppressed, k),
        formula_cells={n: public_count(c, k) for n, c in written.formula_cells.items()},
        detail={
            column.name: request.detail[column.name]
            for column in released_columns(plan)
            if column.name in request.detail
        },
    )


def _missing_in_file(plan: Plan, written: WrittenFacts) -> tuple[str, ...]:
    """Texts that mean missing in the written file.

    Columns that pass through keep the texts the job declares; a null among them was written as
    an empty cell. Recoded columns need no word of it: their empty cell is a class of its own.
    """
    nulls = written.with_nulls - set(plan.schema.quasi)
    return tuple(dict.fromkeys((*plan.missing, *([""] if nulls else []))))


def _promises(path: Path, data: DataFile, request: ReleaseRequest) -> dict[str, Number]:
    """k, rows, classes and distinct ℓ of the columns that are shown as they are.

    What the engine was not asked for is a plain fact about the file and is taken from it.
    """
    schema, values = request.plan.schema, request.values
    facts: Mapping[str, Number] = {}
    if "k" not in values or request.classes is None:
        facts = recompute(path, Description(data, schema.quasi)).values
    shown = {f"distinct_l({c.name})" for c in schema.columns if not c.is_quasi}
    return {
        "k": values["k"] if "k" in values else facts["k"],
        "rows": request.input_rows - request.suppressed,
        "classes": facts["classes"] if request.classes is None else request.classes,
        **{name: value for name, value in values.items() if name in shown},
    }


def _verified(
    staging: Path,
    request: ReleaseRequest,
    public: PublicManifest,
    written: WrittenFacts,
    watch: Watch,
) -> tuple[InternalManifest, Verification]:
    key = request.shuffle_key
    small = (MANIFEST, f"{INTERNAL}/{PLAN}")
    internal = InternalManifest(
        values=request.values,
        levels=request.levels,
        suppress_below=request.plan.suppress.below,
        suppressed=request.suppressed,
        input_rows=request.input_rows,
        input_fingerprint=request.fingerprint,
        job_digest=request.job_digest,
        shuffle_key=None if key is None else key.hex(),
        seed=request.seed,
        recomputed=(),
        stated=(),
        files={
            public.data.name: written.sha256,
            **{name: sha256_of(staging / name) for name in small},
        },
        accepted=tuple(sorted(request.accepted)),
        formula_cells=written.formula_cells,
        require=request.require,
    )
    made = verify_internal(
        public,
        staging / public.data.name,
        internal=internal,
        plan=request.plan,
        folder=staging,
        against=request.source,
        watch=watch,
    )
    _require(made)
    stated = made.stated
    proven = tuple(name for name in request.values if name not in stated)
    return replace(internal, recomputed=proven, stated=stated), made


def _require_same_when_read(
    staging: Path, public: PublicManifest, internal: InternalManifest, plan: Plan
) -> None:
    """The small files must say the same after a trip through the disk."""
    if read_public(staging) != public or read_internal(staging) != (internal, plan):
        raise VerificationError(
            "a manifest or the plan reads back differently from what was written; "
            "nothing was released"
        )


def _require(verification: Verification) -> None:
    if verification.ok:
        return
    failed = "; ".join(_told(check) for check in verification.failures)
    raise VerificationError(
        f"the written file does not bear out what was promised, so it was removed: {failed}. "
        f"Nothing was released"
    )


def _told(check: Check) -> str:
    note = f" ({check.note})" if check.note else ""
    return f"{check.name}: promised {check.promised}, found {check.recomputed}{note}"
