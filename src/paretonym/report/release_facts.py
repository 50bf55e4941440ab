"""What the two reports of a release say, as plain words and numbers.

The public facts are made from the public manifest and the checks a recipient can repeat, and
from nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from paretonym.model.granulation import STAR, UNNAMED
from paretonym.model.job import About
from paretonym.model.measure_info import info_of
from paretonym.report import words
from paretonym.report.release_bars import (
    GroupColumnFacts,
    class_size_bars,
    group_column,
    loss_bar,
)
from paretonym.report.release_extra import HierarchyApplied, ReleaseExtra
from paretonym.report.release_parameters import (
    Parameters,
    RuleFacts,
    exchanges,
    parameters,
    rule_facts,
)
from paretonym.report.release_risk import (
    ColumnUtility,
    Line,
    column_utility,
    risk_lines,
    utility_lines,
)
from paretonym.report.release_words import (
    CITATIONS,
    ONE_CLASS,
    ROLES,
    SINGLE_PERSONS,
    STATEMENTS,
    how_to_repeat,
)
from paretonym.report.svg import Bar
from paretonym.report.words import Basis, Number

if TYPE_CHECKING:
    from paretonym.publishing.checker import Check
    from paretonym.publishing.manifest import (
        Detail,
        InternalManifest,
        PublicManifest,
        ReleasedColumn,
    )
    from paretonym.publishing.verify import Verification

_HEX = re.compile(r"^[0-9a-f]{40,}$")
_OWN_VALUES = ("median", "mode")
_COUNTED_ROLES = {"quasi", "sensitive", "target"}  # others are not counted in classes
_NOTHING = About()


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    name: str
    roles: str
    done: str
    hierarchy: str | None


@dataclass(frozen=True, slots=True)
class PromiseFacts:
    name: str
    long: str
    promised: str
    recomputed: str
    holds: bool
    result: str
    note: str = ""
    code: str | None = None  # a digest, shown short
    repeat: str = ""  # how a recipient gets the same number
    of_values: bool = False  # whether it holds for a column in every class


@dataclass(frozen=True, slots=True)
class DetailFacts:
    """A key column before and after, by what may be published of it."""

    column: str
    lost_before: str
    lost_after: str
    values: str


@dataclass(frozen=True, slots=True)
class PublicFacts:
    file: str
    kind: str
    sha256: str
    reading: tuple[str, ...]
    columns: tuple[ColumnFacts, ...]
    about: About
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    passed: tuple[str, ...]  # neither keys nor sensitive: no promise speaks of them
    grouped: tuple[str, ...]  # quasi-identifiers whose values were made coarser
    blank: tuple[str, ...]  # quasi-identifiers that read `*` in every row
    kept: tuple[str, ...]  # quasi-identifiers at their finest level
    promises: tuple[PromiseFacts, ...]
    file_checks: tuple[PromiseFacts, ...]
    failures: int
    unchecked: tuple[str, ...]  # required of the release, but recomputed by nobody
    k: str
    rows: str
    classes: str
    with_l: tuple[str, ...]  # columns with a promised number of distinct values
    statistics: tuple[tuple[str, str], ...]  # column, mean or median or mode
    true_values: tuple[str, ...]  # columns that show one person's own value for a whole group
    exchanged: tuple[str, ...]  # columns whose values were exchanged between similar records
    suppressed: str
    detail: tuple[DetailFacts, ...]  # of the key columns, where it was measured
    formula_cells: tuple[tuple[str, str], ...]
    neutralised: bool
    software: str
    citations: tuple[tuple[str, str], ...]  # for what, paper

    @property
    def title(self) -> str | None:
        """A title names one file; that of an earlier release is not this one's."""
        return None if self.about.earlier else self.about.title


@dataclass(frozen=True, slots=True)
class InternalFacts:
    public: PublicFacts
    checks: tuple[PromiseFacts, ...]
    ok: bool
    failed: int
    stated: tuple[tuple[str, str], ...]
    unchecked: tuple[str, ...]  # required by the job, but not recomputed
    input_rows: int
    released_rows: int
    suppressed: int
    suppressed_share: float
    balanced: bool  # in = out + suppressed
    suppress_below: int
    dropped: tuple[str, ...]
    omitted: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...]
    hierarchies: tuple[HierarchyApplied, ...]
    risk: tuple[Line, ...]
    utility: tuple[Line, ...]
    columns: tuple[ColumnUtility, ...]
    unmeasured: tuple[str, ...]  # released columns whose distribution was not compared
    losses: tuple[Bar, ...]
    groups: tuple[GroupColumnFacts, ...]
    undivided: tuple[tuple[str, tuple[str, ...]], ...]  # why, columns whose values are not shown
    class_sizes: tuple[Bar, ...]
    parameters: Parameters
    rules: tuple[RuleFacts, ...]
    exchanges: tuple[tuple[str, Parameters], ...]  # the group, or nothing for all of them
    citations: tuple[tuple[str, str], ...]  # for what, paper
    formula_cells: tuple[tuple[str, int], ...]
    accepted: tuple[str, ...]
    shuffled: bool
    digests: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    @property
    def largest_share(self) -> float:
        """Of a value's rows that were lost, in any column."""
        return max((g.share for column in self.groups for g in column.groups), default=1.0)


def public_facts(
    manifest: PublicManifest,
    checks: Sequence[Check],
    *,
    about: About = _NOTHING,
    unchecked: Sequence[str] = (),
) -> PublicFacts:
    by_name = {check.name: check for check in checks}
    quasi = [c for c in manifest.columns if c.is_quasi]
    names = [c.name for c in quasi]
    promises = tuple(
        _promise(name, value, by_name.get(name), names) for name, value in manifest.promises.items()
    )
    known = [by_name[name] for name in ("sha256", "columns") if name in by_name]
    listed = [_repeatable(check_facts(check, Basis(0)), names) for check in known]
    failing = sum(not p.holds for p in promises) + sum(
        not check.holds for check in checks if check.name not in manifest.promises
    )
    k = int(manifest.promises["k"])
    return PublicFacts(
        file=manifest.data.name,
        kind="CSV" if manifest.data.format == "csv" else "Parquet",
        sha256=manifest.data.sha256,
        reading=_reading(manifest),
        columns=tuple(_column(column) for column in manifest.columns),
        about=about,
        quasi=tuple(names),
        sensitive=tuple(c.name for c in manifest.columns if "sensitive" in c.roles),
        passed=tuple(
            c.name for c in manifest.columns if not c.is_quasi and "sensitive" not in c.roles
        ),
        grouped=tuple(c.name for c in quasi if c.level and not _is_blank(c)),
        blank=tuple(c.name for c in quasi if _is_blank(c)),
        kept=tuple(c.name for c in quasi if not c.level),
        promises=promises,
        file_checks=tuple(listed),
        failures=failing,
        unchecked=tuple(words.long_name(n) for n in unchecked if not _speaks_of_rules(n)),
        k=words.number(k),
        rows=words.number(manifest.promises["rows"]),
        classes=words.number(manifest.promises["classes"]),
        with_l=tuple(x for name in manifest.promises if (x := _told_of(name)) is not None),
        statistics=tuple((c.name, c.written) for c in manifest.columns if c.written),
        true_values=tuple(c.name for c in manifest.columns if c.written in _OWN_VALUES),
        exchanged=tuple(c.name for c in manifest.columns if c.exchanged),
        suppressed=public_count(manifest.suppressed, k),
        detail=tuple(_detail(name, detail) for name, detail in manifest.detail.items()),
        formula_cells=tuple(
            (name, public_count(count, k)) for name, count in manifest.formula_cells.items()
        ),
        neutralised=manifest.data.neutralised,
        software=manifest.software,
        citations=tuple(CITATIONS[name] for name in _methods(manifest)),
    )


def _speaks_of_rules(name: str) -> bool:
    """The public does not hear of confidential rules, nor of what was required of them."""
    info = info_of(name)
    return info is not None and info.needs_rules


def _methods(manifest: PublicManifest) -> list[str]:
    """What the public may know of methods: an exchange is told, rules are not."""
    return [*SINGLE_PERSONS, *(["swaps"] if any(c.exchanged for c in manifest.columns) else [])]


def _citations(manifest: PublicManifest, extra: ReleaseExtra) -> tuple[tuple[str, str], ...]:
    """Also the methods that only the maker knows of."""
    names = _methods(manifest)
    names += ["adversaries"] if "swaps" in names else []
    names += ["rules"] if extra.secrecy.secrets else []
    return tuple(CITATIONS[name] for name in names)


def _detail(name: str, detail: Detail) -> DetailFacts:
    if detail.lost is None:
        after = "not stated: too few values"
    else:
        after = f"{'' if detail.step is None else 'about '}{detail.lost} %"
    return DetailFacts(name, "0 %", after, words.number(detail.values))


def public_count(count: int | str, k: int) -> str:
    """A small count stays hidden: "<k" with the k it means."""
    return f"<k (fewer than {words.number(k)})" if isinstance(count, str) else words.number(count)


def _told_of(name: str) -> str | None:
    """The column of which every class is promised something."""
    info, parsed = words.known(name)
    return parsed.column if info.class_wise else None


def _promise(name: str, value: Number, check: Check | None, quasi: Sequence[str]) -> PromiseFacts:
    """A promise nobody recomputed does not count as kept."""
    if check is None or check.promised != value:
        long, promised = words.long_name(name), words.number(value)
        line = PromiseFacts(name, long, promised, "–", holds=False, result="not recomputed")
    else:
        line = check_facts(check, Basis(0))
    return _repeatable(line, quasi)


def _repeatable(line: PromiseFacts, quasi: Sequence[str]) -> PromiseFacts:
    """With the way to repeat it; without key columns k is not the size of a class of persons."""
    long = ONE_CLASS if line.name == "k" and not quasi else line.long
    told = _told_of(line.name) is not None
    return replace(line, long=long, repeat=how_to_repeat(line.name, quasi), of_values=told)


def check_facts(check: Check, basis: Basis) -> PromiseFacts:
    return PromiseFacts(
        name=check.name,
        long=STATEMENTS.get(check.name) or words.long_name(check.name, basis),
        promised=_shown(check.name, check.promised, basis),
        recomputed=_shown(check.name, check.recomputed, basis),
        holds=check.holds,
        result="holds" if check.holds else "does not hold",
        note=check.note,
        code=str(check.promised) if _is_digest(check.promised) else None,
    )


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _HEX.match(value) is not None


def _shown(name: str, value: Number | str, basis: Basis) -> str:
    if isinstance(value, str):
        return words.short_digest(value) + "…" if _is_digest(value) else value
    return words.human(name, value, basis)


def _reading(manifest: PublicManifest) -> tuple[str, ...]:
    data = manifest.data
    lines = []
    if data.format == "csv":
        mark = {",": "commas", ";": "semicolons", "\t": "tabs"}.get(data.delimiter, data.delimiter)
        lines.append(f"UTF-8 text, first line holds the names, cells divided by {mark}")
    texts = [f"“{text}”" if text else "an empty cell" for text in data.missing]
    if texts:
        lines.append(f"missing values: {words.listed(texts)}")
    if data.neutralised:
        lines.append("cells that a spreadsheet would run as formulas carry a leading quote mark")
    return tuple(lines)


def _column(column: ReleasedColumn) -> ColumnFacts:
    roles = ", ".join(ROLES.get(role, role) for role in column.roles)
    if column.level is None:
        done = "as in the source"
    elif column.level == 0:
        done = "values kept apart (level 0)"
    else:
        done = f"{_grouped(column)}{_written(column)}"
    if column.exchanged:
        done = f"some values exchanged between similar records; then {done}"
        done = done.replace("then as in the source", "otherwise as in the source")
    return ColumnFacts(column.name, roles, done, column.hierarchy)


def _grouped(column: ReleasedColumn) -> str:
    if _is_blank(column):
        return f"every value replaced by {STAR}"
    number, name = f"{UNNAMED} {column.level}", str(column.level_name)
    if name.startswith(number):
        return f"values grouped: {name} of its hierarchy"
    return f"values grouped: {number}, “{name}”"


def _is_blank(column: ReleasedColumn) -> bool:
    """Every row reads `*`, so that the column tells nothing."""
    return bool(column.level) and column.level_name == STAR and column.written is None


def _written(column: ReleasedColumn) -> str:
    if column.written is None:
        return ""
    rows = "its rows in an earlier table" if column.frozen else "its rows in this file"
    return f"; each group written as the {column.written} of {rows}"


def internal_facts(
    public: PublicManifest,
    internal: InternalManifest,
    verification: Verification,
    extra: ReleaseExtra,
    *,
    about: About = _NOTHING,
) -> InternalFacts:
    basis = Basis(internal.input_rows, extra.glm_maximum)
    released = int(public.promises["rows"])
    measured = [change.column for change in extra.changes]
    keys = [column.name for column in public.columns if column.is_quasi]
    return InternalFacts(
        public=public_facts(
            public, verification.public_checks, about=about, unchecked=verification.without_formula
        ),
        checks=tuple(_repeatable(check_facts(check, basis), keys) for check in verification.checks),
        ok=verification.ok,
        failed=len(verification.failures),
        stated=tuple(
            (words.long_name(name, basis), words.human(name, internal.values[name], basis))
            for name in verification.stated
            if name in internal.values
        ),
        unchecked=tuple(words.long_name(name, basis) for name in verification.unchecked),
        input_rows=internal.input_rows,
        released_rows=released,
        suppressed=internal.suppressed,
        suppressed_share=internal.suppressed / internal.input_rows if internal.input_rows else 0.0,
        balanced=internal.input_rows == released + internal.suppressed,
        suppress_below=internal.suppress_below,
        dropped=tuple(extra.dropped),
        omitted=tuple(extra.omitted),
        reasons=tuple(extra.reasons),
        hierarchies=tuple(extra.hierarchies),
        risk=risk_lines(extra, basis),
        utility=utility_lines(extra, basis),
        columns=tuple(map(column_utility, extra.changes)),
        unmeasured=tuple(c.name for c in public.columns if c.name not in measured),
        losses=tuple(loss_bar(c.column, c.loss) for c in extra.changes if c.loss is not None),
        groups=tuple(
            group_column(column, lines) for column, lines in extra.suppressed_by_group.items()
        ),
        undivided=_undivided(public, extra),
        class_sizes=class_size_bars(extra.class_sizes),
        parameters=parameters(internal, extra, basis),
        rules=tuple(map(rule_facts, extra.secrecy.secrets)),
        exchanges=exchanges(extra),
        citations=_citations(public, extra),
        formula_cells=tuple(internal.formula_cells.items()),
        accepted=internal.accepted,
        shuffled=internal.shuffle_key is not None,
        digests=_digests(internal),
        notes=tuple(extra.notes),
    )


def _undivided(
    public: PublicManifest, extra: ReleaseExtra
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Released columns of which nobody counted who lost rows."""
    rest = [c for c in public.columns if c.name not in extra.suppressed_by_group]
    many = tuple(c.name for c in rest if set(c.roles) & _COUNTED_ROLES)
    passed = tuple(c.name for c in rest if c.name not in many)
    told = (("too many values to show one by one", many),
            ("passed through, so not counted in classes", passed))  # fmt: skip
    return tuple((why, names) for why, names in told if names)


def _digests(internal: InternalManifest) -> tuple[tuple[str, str], ...]:
    known = (
        ("input table (fingerprint)", internal.input_fingerprint),
        ("job", internal.job_digest),
    )
    # a later file is recoded by a plan, without a job
    return (*((name, digest) for name, digest in known if digest), *internal.files.items())
