"""Recompute a release's promises from its files alone.

A recipient has the public files; whoever made the release also has the folder `internal`, with
which the losses, the labels and the plan are checked as well, and perhaps the input table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.errors import JobError, TableError, VerificationError
from paretonym.model.bound import Bound
from paretonym.model.plan import Plan
from paretonym.model.source import TableSource
from paretonym.publishing.atomic import INTERNAL, MANIFEST, PLAN
from paretonym.publishing.checker import (
    Check,
    Description,
    Recomputed,
    check,
    file_checks,
    recompute,
    sha256_of,
)
from paretonym.publishing.formulas import columns_of, fits, formula_of, reaches
from paretonym.publishing.manifest import (
    InternalManifest,
    PublicManifest,
    ReleasedColumn,
    public_count,
)
from paretonym.publishing.source_check import SourceResult, check_source
from paretonym.publishing.step_checks import Files, file_checks_of

Watch = Callable[[tuple[Check, ...]], None]


def unwatched(_checks: tuple[Check, ...]) -> None:
    """Nobody looks on."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The checks made; `stated` names measures that these files cannot prove."""

    checks: tuple[Check, ...]
    internal_checked: bool
    stated: tuple[str, ...] = ()
    public_checks: tuple[Check, ...] = ()  # the part that a recipient could make
    unchecked: tuple[str, ...] = ()  # required, but not recomputed
    needs_input: tuple[str, ...] = ()  # those of them that the original table can tell

    @property
    def ok(self) -> bool:
        return bool(self.checks) and all(check.holds for check in self.checks)

    @property
    def without_formula(self) -> tuple[str, ...]:
        """Required measures that the checker cannot compute from whatever files."""
        return tuple(name for name in self.unchecked if name not in self.needs_input)

    @property
    def failures(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.holds)


def verify(folder: Path, *, against: TableSource | None = None) -> Verification:
    """Check a release folder; with `against`, also that its rows come from that table."""
    manifest = read_public(folder)
    inside = read_internal(folder)
    if against is not None and inside is None:
        raise JobError(
            f"comparing with a table needs the folder '{INTERNAL}' of the release, "
            f"which '{folder}' lacks"
        )
    data = folder / manifest.data.name
    try:
        if inside is None:
            return verify_public(manifest, data)
        internal, plan = inside
        if against is not None:
            against = plan.source(against)
        return verify_internal(
            manifest, data, internal=internal, plan=plan, folder=folder, against=against
        )
    except _DataFaultError as fault:
        failed = Check(manifest.data.name, "readable", "damaged", holds=False, note=str(fault))
        hashed = _hash_check(manifest, data)
        return Verification((*hashed, failed), inside is not None)


class _DataFaultError(Exception):
    """The data file cannot be read as the manifest describes it."""


def verify_public(manifest: PublicManifest, data: Path) -> Verification:
    promised = tuple(manifest.promises)
    wanted = _columns_of(promised, [c.name for c in manifest.columns if not c.is_quasi])
    found, digest = _recompute(data, Description.of(manifest, wanted=wanted))
    checks = file_checks(manifest, found, digest)
    return Verification(checks, internal_checked=False, public_checks=checks)


def verify_internal(
    manifest: PublicManifest,
    data: Path,
    *,
    internal: InternalManifest,
    plan: Plan,
    folder: Path,
    against: TableSource | None = None,
    watch: Watch = unwatched,
) -> Verification:
    """All checks that the internal files allow; `watch` hears of each part when it is done."""
    required = _required(plan, internal)
    names = (*manifest.promises, *internal.values, *(bound.measure for bound in required))
    shown = [c.name for c in plan.schema.columns if c.name in plan.schema.kept and not c.is_quasi]
    shown += [r.column for r in plan.recodes if r.changes_nothing]
    # the plan says what is a quasi-identifier; a manifest that disagrees fails below
    description = Description(manifest.data, plan.schema.quasi, _columns_of(names, shown))
    found, digest = _recompute(data, description, plan=plan, input_rows=internal.input_rows)
    public = file_checks(manifest, found, digest)
    watch(public)
    known = dict(found.values)
    extra: tuple[Check, ...] = ()
    if against is not None:
        result = _compare(against, data, manifest, plan, internal)
        known = {**result.values, **known}
        extra = result.checks
    values = {name: value for name, value in internal.values.items() if name in known}
    stated = tuple(name for name in internal.values if name not in known)
    rest = (
        *(inner for inner in check(values, known) if inner not in public),
        *_consistency_checks(manifest, internal, plan, found),
        *file_checks_of(plan, Files(found, known)),
        *_requirement_checks(required, known),
        *_partly_checks(internal, found, known),
        *_detail_checks(manifest, internal, found),
        *_file_hash_checks(folder, internal, {manifest.data.name: digest}),
        *extra,
    )
    watch(rest)
    unchecked = tuple(dict.fromkeys(b.measure for b in required if b.measure not in known))
    later = () if against is not None else tuple(n for n in unchecked if formula_of(n) is not None)
    if plan.swaps is not None and against is None:
        groups = tuple(f"group '{one.group}'" for one in plan.swaps.promises)
        unchecked, later = unchecked + groups, later + groups
    return Verification(
        (*public, *rest),
        internal_checked=True,
        stated=stated,
        public_checks=public,
        unchecked=unchecked,
        needs_input=later,
    )


def _required(plan: Plan, internal: InternalManifest) -> tuple[Bound, ...]:
    """What the plan asks of every class and of the rules, and all that the job required."""
    every = (*plan.suppress.require, *plan.secrecy.require, *internal.require)
    return tuple(dict.fromkeys(every))


def _recompute(data: Path, description: Description, **inside: Any) -> tuple[Recomputed, str]:
    """What the file says, and its hash; it is read once for each."""
    try:
        return recompute(data, description, **inside), sha256_of(data)
    except (TableError, VerificationError) as error:
        raise _DataFaultError(str(error)) from None
    except FileNotFoundError:
        raise _DataFaultError("the data file is missing") from None
    except OSError:
        raise _DataFaultError("the data file cannot be read") from None


def _compare(
    against: TableSource,
    data: Path,
    manifest: PublicManifest,
    plan: Plan,
    internal: InternalManifest,
) -> SourceResult:
    return check_source(
        against,
        data,
        manifest.data,
        plan,
        suppressed=internal.suppressed,
        accepted=internal.accepted,
    )


def _columns_of(names: tuple[str, ...], allowed: list[str]) -> tuple[str, ...]:
    """The columns X of names such as distinct_l(X) that the data file can answer for."""
    return tuple(name for name in columns_of(names) if name in allowed)


def _consistency_checks(
    manifest: PublicManifest, internal: InternalManifest, plan: Plan, found: Recomputed
) -> list[Check]:
    """The two manifests and the plan must tell one story."""
    rows = int(found.values["rows"])
    total = rows + internal.suppressed
    k = int(manifest.promises["k"])
    agreed = public_count(internal.suppressed, k) == manifest.suppressed
    promised = {n: v for n, v in manifest.promises.items() if n in internal.values}
    same_promises = all(internal.values[name] == value for name, value in promised.items())
    same_columns = manifest.columns == released_columns(plan)
    checks = [
        Check(
            "released + suppressed", internal.input_rows, total, holds=total == internal.input_rows
        ),
        _says("suppressed rows in the public manifest", holds=agreed),
        _says("public promises equal the internal values", holds=same_promises),
        _says("columns, roles and hierarchies equal the plan's", holds=same_columns),
    ]
    if plan.secrecy.secrets:
        gone = internal.input_rows - rows
        said = "rows left out although rules hold for everybody"
        checks.append(Check(said, 0, gone, holds=gone == 0))
    return checks


def _says(name: str, *, holds: bool) -> Check:
    return Check(name, "agree", "agree" if holds else "differ", holds=holds)


def _requirement_checks(
    required: tuple[Bound, ...], known: Mapping[str, int | float]
) -> list[Check]:
    """Every bound that a recomputed number can be held against."""
    checks = []
    for bound in required:
        if bound.measure in known:
            found = known[bound.measure]
            name, holds = f"required: {bound.measure}", reaches(bound, found)
            checks.append(Check(name, bound.side, found, holds=holds))
    return checks


def _partly_checks(
    internal: InternalManifest, found: Recomputed, known: Mapping[str, int | float]
) -> list[Check]:
    """Where some rules need the input: what the others refute is refuted all the same."""
    checks = []
    for name, value in found.partly.items():
        if name in known or name not in internal.values:
            continue
        promised = internal.values[name]
        better = value >= promised if name == "secure" else value <= promised
        said = f"{name}, by the rules that the file shows"
        checks.append(Check(said, promised, value, holds=better or fits(name, promised, value)))
    return checks


def _detail_checks(
    manifest: PublicManifest, internal: InternalManifest, found: Recomputed
) -> list[Check]:
    """Detail lost, by the plan's leaves.

    A plan also counts values that only suppressed rows hold, which the public figure must not
    know of; so with suppressed rows the figure is stated.
    """
    if internal.suppressed:
        return []
    return [
        Check(
            f"detail of {name} lost, in per cent",
            detail.lost,
            float(found.lost[name] * 100),
            holds=abs(found.lost[name] * 100 - detail.lost) * 2 <= (detail.step or 0),
        )
        for name, detail in manifest.detail.items()
        if detail.lost is not None and name in found.lost
    ]


def _file_hash_checks(
    folder: Path, internal: InternalManifest, known: Mapping[str, str]
) -> list[Check]:
    """`known` are the hashes of files that were read already."""
    checks = []
    for name, digest in internal.files.items():
        path = folder / name
        found = known.get(name) or (sha256_of(path) if path.is_file() else "missing")
        checks.append(Check(f"sha256 of {name}", digest, found, holds=found == digest))
    return checks


def _hash_check(manifest: PublicManifest, data: Path) -> list[Check]:
    if not data.is_file():
        return []
    found = sha256_of(data)
    return [Check("sha256", manifest.data.sha256, found, holds=found == manifest.data.sha256)]


def released_columns(plan: Plan) -> tuple[ReleasedColumn, ...]:
    """The public description of the columns that a plan releases."""
    recodes = {recode.column: recode for recode in plan.recodes}
    columns = []
    for name in plan.schema.kept:
        roles = tuple(sorted(str(role) for role in plan.schema[name].roles))
        recode = recodes.get(name)
        moved = plan.swaps is not None and bool(plan.swaps.pairs) and name in plan.swaps.columns
        if recode is None:
            columns.append(ReleasedColumn(name, roles, exchanged=moved))
        else:
            digest, written = plan.public_digest(recode), recode.written
            columns.append(
                ReleasedColumn(
                    name,
                    roles,
                    recode.level,
                    recode.partition,
                    digest,
                    written=None if written is None else written.way,
                    frozen=written is not None and written.frozen,
                    exchanged=moved,
                )
            )
    return tuple(columns)


def read_public(folder: Path) -> PublicManifest:
    path = folder / MANIFEST
    if not path.is_file():
        raise JobError(f"'{folder}' holds no {MANIFEST}; it is not a release of paretonym")
    return PublicManifest.from_json(_read_json(path))


def read_internal(folder: Path) -> tuple[InternalManifest, Plan] | None:
    """The internal files, or None for a recipient who does not have them."""
    inside = folder / INTERNAL
    present = [(inside / name).is_file() for name in (MANIFEST, PLAN)]
    if not any(present):
        return None
    if not all(present):
        raise VerificationError(
            f"the folder '{inside}' is incomplete: it needs both {MANIFEST} and {PLAN}"
        )
    internal = InternalManifest.from_json(_read_json(inside / MANIFEST))
    plan = _read_json(inside / PLAN)
    if not isinstance(plan, dict):
        raise JobError(f"'{inside / PLAN}' is not a plan")
    return internal, Plan.from_json(plan, written_by=internal.software)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise JobError(f"'{path}' cannot be read") from None
    except (ValueError, RecursionError):
        raise VerificationError(f"'{path}' is damaged: it is not JSON") from None
