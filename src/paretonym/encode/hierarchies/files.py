"""Hierarchies read from a file `value;level1;level2;…`, one row a value, no header."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from paretonym.encode.hierarchies.draft import Draft, Label, Level, broken_nesting, plural
from paretonym.errors import HierarchyError
from paretonym.model.granulation import UNNAMED
from paretonym.model.hierarchy import FromFile
from paretonym.model.reading import read_file

DELIMITERS = (";", ",", "\t")


@dataclass(frozen=True, slots=True)
class Row:
    """A row and the line it starts on (a quoted cell may run over several lines)."""

    line: int
    cells: list[str]


def draft_file(spec: FromFile, column: str) -> Draft:
    """Every row declares a leaf, occurring or not; an empty value is the missing one."""
    where = f"column '{column}': {spec.path}"
    text = read_text(spec, where)
    delimiter = spec.delimiter or find_delimiter(text)
    rows = read_rows(text, delimiter, where)
    if not rows:
        raise HierarchyError(f"{where}: the file is empty; write one row a value")
    check_shape(rows, where)
    check_distinct(rows, where)
    check_labels(rows, where)
    levels = tuple(
        # an empty label is allowed to the missing value alone and keeps it a block of its own
        Level(f"{UNNAMED} {number}", tuple(row.cells[number] or None for row in rows))
        for number in range(1, len(rows[0].cells))
    )
    leaves: tuple[Label, ...] = tuple(row.cells[0] or None for row in rows)
    check_nested(levels, rows, where)
    return Draft(leaves=leaves, levels=levels, declared=True, open_top=spec.open_top)


def check_closed(spec: FromFile, column: str, draft: Draft) -> None:
    """The last column holds one label, or the user said that it need not.

    A missing value that the file does not list was added by us and is not held against it.
    """
    labels = set(draft.levels[-1].labels if draft.levels else draft.leaves)
    if len(labels) > 1 and len(labels - {None}) > 1:
        raise HierarchyError(
            f"column '{column}': {spec.path}: the last column has {len(labels)} labels, not one; "
            f"add a last column '*' or declare open_top: true"
        )


def read_text(spec: FromFile, where: str) -> str:
    try:
        data = read_file(spec.path)
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise HierarchyError(f"{where}: {reason}; check the path of the hierarchy file") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise HierarchyError(f"{where}, line {line}: not UTF-8; save the file as UTF-8") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise HierarchyError(f"{where}, line {line}: a NUL character; save the file as UTF-8 text")
    return text


def find_delimiter(text: str) -> str:
    """The first delimiter that cuts every row into the same number of cells, two or more.

    Where none does, the one most frequent in the first line, so that the complaint about
    uneven rows speaks of the file as its author sees it.
    """
    for delimiter in DELIMITERS:
        try:
            widths = {len(row.cells) for row in parse(text, delimiter)}
        except csv.Error:
            continue
        if len(widths) == 1 and widths.pop() > 1:
            return delimiter
    head = text.lstrip("\r\n").split("\n", 1)[0]
    return max(DELIMITERS, key=head.count)


def parse(text: str, delimiter: str) -> list[Row]:
    """Rows of the text; blank lines are skipped."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, start = [], 1
    for cells in reader:
        if cells:
            rows.append(Row(start, cells))
        start = reader.line_num + 1
    return rows


def read_rows(text: str, delimiter: str, where: str) -> list[Row]:
    try:
        return parse(text, delimiter)
    except (csv.Error, TypeError, ValueError) as error:
        # the csv module's own words name the fault ("unexpected end of data"), never a cell
        raise HierarchyError(
            f"{where}: not a well-formed file ({error}); check its quotes and its delimiter"
        ) from None


def check_shape(rows: Sequence[Row], where: str) -> None:
    width = len(rows[0].cells)
    ragged = [row for row in rows if len(row.cells) != width]
    if ragged:
        first = ragged[0]
        raise HierarchyError(
            f"{where}, line {first.line}: {plural(len(first.cells), 'cell')} where the first row "
            f"has {width} ({plural(len(ragged), 'row')} concerned); give every value the same "
            f"number of levels"
        )


def check_distinct(rows: Sequence[Row], where: str) -> None:
    lines: dict[str, int] = {}
    again = [
        (lines[row.cells[0]], row.line)
        for row in rows
        if lines.setdefault(row.cells[0], row.line) != row.line
    ]
    if again:
        first, second = again[0]
        raise HierarchyError(
            f"{where}, line {second}: the value of line {first} stands here again "
            f"({plural(len(again), 'row')} concerned); keep one row a value"
        )


def check_labels(rows: Sequence[Row], where: str) -> None:
    """An empty label would be read as a missing value in the release."""
    empty = [row for row in rows if row.cells[0] and "" in row.cells[1:]]
    if empty:
        raise HierarchyError(
            f"{where}, line {empty[0].line}: an empty label ({plural(len(empty), 'row')} "
            f"concerned); write a label at every level"
        )


def check_nested(levels: Sequence[Level], rows: Sequence[Row], where: str) -> None:
    """Values that share a label share every later one too."""
    for number, (finer, coarser) in enumerate(pairwise(levels), start=1):
        broken = broken_nesting(finer.labels, coarser.labels)
        if broken:
            label = finer.labels[broken[0]]
            first = rows[finer.labels.index(label)].line
            raise HierarchyError(
                f"{where}, line {rows[broken[0]].line}: the same label as line {first} at level "
                f"{number}, another one at level {number + 1} ({plural(len(broken), 'value')} "
                f"concerned); values that share a label must share every later one"
            )
