"""What the two reports of a release say, as plain words and numbers.

The public facts are made from the public manifest and the checks a recipient can repeat, and
from nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from paretonym.report import words
from paretonym.report.svg import Bar
from paretonym.report.words import Basis, Number

if TYPE_CHECKING:
    from paretonym.publishing.checker import Check
    from paretonym.publishing.manifest import InternalManifest, PublicManifest, ReleasedColumn
    from paretonym.publishing.verify import Verification

RECOMPUTED = "recomputed from the file"
MISSING = "(missing)"
GROUPS_SHOWN = 15
_BINS_MOST = 24  # with more distinct sizes the histogram takes 1-2-5 bins
_HEX = re.compile(r"^[0-9a-f]{40,}$")
_STATEMENTS = {"sha256": "SHA-256 of the file", "columns": "columns"}
_OWN_VALUES = ("median", "mode")
_ROLES = {
    "quasi": "may be known to an outsider",
    "sensitive": "what an outsider may want to learn",
    "target": "what analysts may want to predict",
    "insensitive": "passed through",
    "weight": "survey weight",
}


@dataclass(frozen=True, slots=True)
class ReleaseExtra:
    """What the maker of a release knows beside its manifests."""

    # column, level, partition name, digest, values in the domain, blocks at this level
    hierarchies: tuple[tuple[str, int, str, str, int, int], ...] = ()
    losses: Mapping[str, float] = field(default_factory=dict)  # column -> share 0..1
    # column -> (label of a value, rows lost, rows before)
    suppressed_by_group: Mapping[str, Sequence[tuple[str | None, int, int]]] = field(
        default_factory=dict
    )
    class_sizes: Sequence[tuple[int, int]] = ()  # size, number of classes of that size
    before: Mapping[str, Number] = field(default_factory=dict)
    after: Mapping[str, Number] = field(default_factory=dict)
    notes: Sequence[str] = ()
    glm_maximum: float | None = None  # n · Σ weights; without it GLM is shown as it is
    sections: str = ""  # further HTML of the internal report, as it is


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


@dataclass(frozen=True, slots=True)
class PublicFacts:
    file: str
    kind: str
    sha256: str
    reading: tuple[str, ...]
    columns: tuple[ColumnFacts, ...]
    quasi: tuple[str, ...]
    others: tuple[str, ...]
    promises: tuple[PromiseFacts, ...]
    file_checks: tuple[PromiseFacts, ...]
    failures: int
    k: str
    rows: str
    classes: str
    with_l: tuple[str, ...]  # columns with a promised number of distinct values
    true_values: tuple[str, ...]  # columns that show one person's own value for a whole group
    exchanged: tuple[str, ...]  # columns whose values were exchanged between similar records
    suppressed: str
    formula_cells: tuple[tuple[str, str], ...]
    neutralised: bool
    software: str


@dataclass(frozen=True, slots=True)
class GroupFacts:
    label: str
    lost: int
    rows: int

    @property
    def share(self) -> float:
        return self.lost / self.rows if self.rows else 0.0


@dataclass(frozen=True, slots=True)
class GroupColumnFacts:
    column: str
    groups: tuple[GroupFacts, ...]  # those that lost the largest share first
    left_out: int
    left_out_lost: int


@dataclass(frozen=True, slots=True)
class HierarchyApplied:
    column: str
    level: int
    name: str
    digest: str
    leaves: int
    blocks: int


@dataclass(frozen=True, slots=True)
class InternalFacts:
    public: PublicFacts
    checks: tuple[PromiseFacts, ...]
    ok: bool
    failed: int
    stated: tuple[tuple[str, str], ...]
    input_rows: int
    released_rows: int
    suppressed: int
    suppressed_share: float
    balanced: bool  # in = out + suppressed
    suppress_below: int
    hierarchies: tuple[HierarchyApplied, ...]
    losses: tuple[Bar, ...]
    groups: tuple[GroupColumnFacts, ...]
    class_sizes: tuple[Bar, ...]
    comparison: tuple[tuple[str, str, str], ...]  # name, before, after
    formula_cells: tuple[tuple[str, int], ...]
    accepted: tuple[str, ...]
    shuffled: bool
    seed: int | None
    digests: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def public_facts(manifest: PublicManifest, checks: Sequence[Check]) -> PublicFacts:
    by_name = {check.name: check for check in checks}
    promises = tuple(
        _promise(name, value, by_name.get(name)) for name, value in manifest.promises.items()
    )
    known = [by_name[name] for name in ("sha256", "columns") if name in by_name]
    listed = [check_facts(check, Basis(0)) for check in known]
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
        quasi=tuple(c.name for c in manifest.columns if c.is_quasi),
        others=tuple(c.name for c in manifest.columns if not c.is_quasi),
        promises=promises,
        file_checks=tuple(listed),
        failures=failing,
        k=words.number(k),
        rows=words.number(manifest.promises["rows"]),
        classes=words.number(manifest.promises["classes"]),
        with_l=tuple(x for name in manifest.promises if (x := _diverse(name)) is not None),
        true_values=tuple(c.name for c in manifest.columns if c.written in _OWN_VALUES),
        exchanged=tuple(c.name for c in manifest.columns if c.exchanged),
        suppressed=public_count(manifest.suppressed, k),
        formula_cells=tuple(
            (name, public_count(count, k)) for name, count in manifest.formula_cells.items()
        ),
        neutralised=manifest.data.neutralised,
        software=manifest.software,
    )


def public_count(count: int | str, k: int) -> str:
    """A small count stays hidden: "<k" with the k it means."""
    return f"<k (fewer than {words.number(k)})" if isinstance(count, str) else words.number(count)


def _diverse(name: str) -> str | None:
    base, column = words.parts(name)
    return column if base == "distinct_l" else None


def _promise(name: str, value: Number, check: Check | None) -> PromiseFacts:
    """A promise nobody recomputed does not count as kept."""
    long, promised = words.long_name(name), words.number(value)
    if check is None or check.promised != value:
        return PromiseFacts(name, long, promised, "–", holds=False, result="not recomputed")
    return check_facts(check, Basis(0))


def check_facts(check: Check, basis: Basis) -> PromiseFacts:
    return PromiseFacts(
        name=check.name,
        long=_STATEMENTS.get(check.name) or words.long_name(check.name, basis),
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
    roles = ", ".join(_ROLES.get(role, role) for role in column.roles)
    if column.level is None:
        done = "as in the source"
    elif column.level == 0:
        done = "values kept apart (level 0)"
    else:
        done = f"values grouped: level {column.level}, “{column.level_name}”{_written(column)}"
    if column.exchanged:
        done = f"some values exchanged between similar records; then {done}"
        done = done.replace("then as in the source", "otherwise as in the source")
    return ColumnFacts(column.name, roles, done, column.hierarchy)


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
) -> InternalFacts:
    basis = Basis(internal.input_rows, extra.glm_maximum)
    released = int(public.promises["rows"])
    return InternalFacts(
        public=public_facts(public, verification.public_checks),
        checks=tuple(check_facts(check, basis) for check in verification.checks),
        ok=verification.ok,
        failed=len(verification.failures),
        stated=tuple(
            (words.long_name(name, basis), words.human(name, internal.values[name], basis))
            for name in verification.stated
            if name in internal.values
        ),
        input_rows=internal.input_rows,
        released_rows=released,
        suppressed=internal.suppressed,
        suppressed_share=internal.suppressed / internal.input_rows if internal.input_rows else 0.0,
        balanced=internal.input_rows == released + internal.suppressed,
        suppress_below=internal.suppress_below,
        hierarchies=tuple(HierarchyApplied(*line) for line in extra.hierarchies),
        losses=tuple(_loss_bar(name, share) for name, share in extra.losses.items()),
        groups=tuple(
            group_column(column, lines) for column, lines in extra.suppressed_by_group.items()
        ),
        class_sizes=class_size_bars(extra.class_sizes),
        comparison=_comparison(extra, basis),
        formula_cells=tuple(internal.formula_cells.items()),
        accepted=internal.accepted,
        shuffled=internal.shuffle_key is not None,
        seed=internal.seed,
        digests=_digests(internal),
        notes=tuple(extra.notes),
    )


def _digests(internal: InternalManifest) -> tuple[tuple[str, str], ...]:
    return (
        ("input table (fingerprint)", internal.input_fingerprint),
        ("job", internal.job_digest),
        *internal.files.items(),
    )


def _loss_bar(name: str, share: float) -> Bar:
    shown = words.percent(share)
    return Bar(name, share, shown, f"{name}: {shown} of what it can lose")


def _comparison(extra: ReleaseExtra, basis: Basis) -> tuple[tuple[str, str, str], ...]:
    def told(values: Mapping[str, Number], name: str) -> str:
        return words.human(name, values[name], basis) if name in values else "–"

    names = dict.fromkeys((*extra.before, *extra.after))
    return tuple(
        (words.long_name(name, basis), told(extra.before, name), told(extra.after, name))
        for name in names
    )


def group_column(column: str, lines: Iterable[tuple[str | None, int, int]]) -> GroupColumnFacts:
    """Who lost rows: the largest shares first, then the larger numbers of rows."""
    groups = [GroupFacts(MISSING if v is None else v, lost, rows) for v, lost, rows in lines]
    losing = sorted((g for g in groups if g.lost), key=lambda g: (-g.share, -g.lost, g.label))
    rest = losing[GROUPS_SHOWN:]
    return GroupColumnFacts(
        column, tuple(losing[:GROUPS_SHOWN]), len(rest), sum(group.lost for group in rest)
    )


def class_size_bars(sizes: Iterable[tuple[int, int]]) -> tuple[Bar, ...]:
    """One bar for each size, or 1-2-5 bins when the sizes are many or far apart."""
    counts = sorted((size, count) for size, count in sizes if count)
    if not counts:
        return ()
    low, high = counts[0][0], counts[-1][0]
    edges = list(range(low, high + 2)) if high - low < _BINS_MOST else _round_edges(low, high)
    bars = []
    for start, end in pairwise(edges):
        inside = [(size, count) for size, count in counts if start <= size < end]
        classes = sum(count for _, count in inside)
        people = sum(size * count for size, count in inside)
        label = words.number(start) if end == start + 1 else _range(start, end - 1)
        told = f"groups of {label}: {words.number(classes)}, with {words.plural(people, 'row')}"
        bars.append(Bar(label, float(classes), words.number(classes), told))
    return tuple(bars)


def _range(start: int, last: int) -> str:
    return f"{words.number(start)}–{words.number(last)}"


def _round_edges(low: int, high: int) -> list[int]:
    """1, 2, 5, 10, 20 … from the one at or below `low` to the one above `high`."""
    edges: list[int] = []
    power = 1
    while not edges or edges[-1] <= high:
        edges += [power, 2 * power, 5 * power]
        power *= 10
    first = max(i for i, edge in enumerate(edges) if edge <= max(low, 1))
    last = next(i for i, edge in enumerate(edges) if edge > high)
    # the first bin starts at the smallest size, so that no bar suggests groups below k
    return [low, *edges[first + 1 : last + 1]]
