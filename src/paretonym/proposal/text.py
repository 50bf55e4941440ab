"""The text of a proposed job file: YAML that reads back as it was meant, with its reasons."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paretonym.encode.hierarchies.intervals import plain
from paretonym.errors import JobError
from paretonym.jobfile.quoting import escaped, quoted
from paretonym.model.hierarchy import Dates, Groups, HierarchySpec, Intervals, Mask
from paretonym.model.measure_catalog import DISTINCT_L, GLM, K
from paretonym.model.measure_info import DIRECTION_WORDS, MeasureInfo, MeasureName
from paretonym.model.schema import Role
from paretonym.model.source import TableSource
from paretonym.proposal.hierarchies import Option

_MEASURE = re.compile(r"[A-Za-z0-9_]+(\([A-Za-z0-9_.-]+\))?")
_LONGEST_KEY = 1000  # YAML ends the search for a key's colon at 1024 characters
_LONGEST_SHOWN = 60
_WIDTH = 96

INTRODUCTION = """\
# A first proposal of a job, made from the names of columns and from counts. A value of the table
# stands here only as a category of a hierarchy, and only if at least {named} rows hold it.
# Table: {rows} rows, {columns} columns. Every line marked `guess` is one: read it, correct it.
# Then, with this file saved as job.yaml:
#   paretonym check job.yaml                                  is everything in order?
#   paretonym front job.yaml -o front                         all trade-offs, with a report
#   paretonym release job.yaml --pick "k>=5" -o release       apply one, and recompute it"""

ROLES = """\
# Roles: quasi (an outsider may know it: generalised), sensitive (what an outsider wants to learn:
# kept), identifier (left out), weight and insensitive (passed through unchanged), target.
# Every column needs one. The hierarchy of a quasi column says how it may be generalised."""

GROUPS = """\
# Groups: nothing is known of what texts mean, so frequent values keep their names and all others
# share one label (other). Better groups are yours to write: a name, then its values in brackets,
#   groups:
#     paid: [private, public]
#     unpaid: [family]"""

SUPPRESSION = """\
# Rows in classes that stay too small may be left out: at most this share of them.
# guess: one in a hundred, which few tables miss.
suppression: {limit: 1%}"""


@dataclass(frozen=True, slots=True)
class Line:
    """One column of the job."""

    name: str
    role: Role
    option: Option | None  # of a quasi column
    comment: str


def comment(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text,
        width=_WIDTH,
        initial_indent=f"{indent}# ",
        subsequent_indent=f"{indent}#   ",
        break_on_hyphens=False,
    )


def refuse_unwritable(names: Iterable[str]) -> None:
    """A job has no way to write this one name."""
    if "<<" in names:
        raise JobError("a column named '<<' cannot stand in a job file; rename it in the table")


def table_lines(source: TableSource, names: Sequence[str], table_text: str) -> str:
    options: dict[str, str] = {"path": quoted(table_text)}
    if source.delimiter is not None:
        options["delimiter"] = f'"{escaped(source.delimiter)}"'
    if source.encoding != "utf-8":
        options["encoding"] = quoted(source.encoding)
    if source.names is not None:
        options["names"] = _listed(map(quoted, names))
    declared = [text for text in source.missing if text]
    if declared:
        options["missing"] = _listed(map(quoted, declared))
    if len(options) == 1:
        return f"table: {options['path']}"
    return "\n".join(["table:", *(f"  {key}: {value}" for key, value in options.items())])


def column_lines(line: Line) -> str:
    key = quoted(line.name)
    start = f"  ? {key}\n  :" if len(key) > _LONGEST_KEY else f"  {key}:"
    return f"{comment(line.comment, '  ')}\n{start}{_settings(line)}"


def _settings(line: Line) -> str:
    inside = {"role": line.role.value}
    if line.option is not None:
        spec = line.option.spec
        if isinstance(spec, Groups):
            return _grouped(line.role, spec)
        if isinstance(spec, Dates):
            inside["format"] = f'"{spec.format}"'
        inside["hierarchy"] = _hierarchy(spec)
    return f" {_mapped(inside)}"


def _grouped(role: Role, spec: Groups) -> str:
    """One group a line, to be edited."""
    lines = ["", f"    role: {role.value}", "    hierarchy:", "      groups:"]
    lines += [
        f"        {quoted(name)}: {_listed(map(quoted, members))}"
        for name, members in spec.levels[0]
    ]
    if spec.other is not None:
        lines.append(f"      other: {quoted(spec.other)}")
    return "\n".join(lines)


def _hierarchy(spec: HierarchySpec) -> str:
    match spec:
        case Intervals():
            inside = {"intervals": _listed(map(plain, spec.widths))}
            ends = (("origin", spec.origin or None), ("bottom", spec.bottom), ("top", spec.top))
            inside |= {key: plain(edge) for key, edge in ends if edge is not None}
            if spec.decimal_comma:
                inside["decimal_comma"] = "true"
            return _mapped(inside)
        case Dates():
            return _mapped({"date": _listed(spec.units)})
        case Mask():
            return _mapped({"mask": spec.side})
        case _:
            return "suppress"


def shown(name: str) -> str:
    """A column's name within a comment."""
    short = name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
    return quoted(short)


def measure(name: str) -> str:
    return name if _MEASURE.fullmatch(name) else f'"{"".join(map(escaped, name))}"'


def objective_lines(sensitive: str | None) -> str:
    wanted = [K, GLM, *([DISTINCT_L] if sensitive is not None else [])]
    lines = [
        "# What the front compares, one to six measures. guess: these are the most usual ones.",
        *(f"#   {info.name:12} {_said(info)}" for info in wanted),
    ]
    names = [MeasureName(info.name, sensitive if info.takes_column else None) for info in wanted]
    return "\n".join([*lines, f"objectives: {_listed(measure(name.plain) for name in names)}"])


def _said(info: MeasureInfo) -> str:
    words = info.long.replace("{column}", "a sensitive column")
    if info.direction is None:
        return words
    return f"{words}: {DIRECTION_WORDS[info.direction].better} is better"


def _listed(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _mapped(items: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{key}: {value}' for key, value in items.items())}}}"
