"""A front and a list of checks for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from paretonym.model.front import Front
from paretonym.report import words
from paretonym.report.facts import cloud_places, exactness, is_finite, spread
from paretonym.report.scale import Axis, make_axis, suits_log
from paretonym.report.words import Basis, Weight, printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from paretonym.publishing.checker import Check

_LEVELS_WIDTH = 36  # wider headings put all levels in one column


def _basis(front: Front, weights: Mapping[str, Weight] | None) -> Basis:
    columns = front.entries[0].levels if front.entries else ()
    return Basis(front.rows, words.glm_maximum(front.rows, columns, weights))


def _text(words_shown: str, style: str = "") -> Text:
    """Text as it is: names in square brackets are not markup, control characters are boxes."""
    from rich.text import Text

    return Text(printable(words_shown), style=style)


def front_table(
    front: Front,
    max_rows: int = 12,
    *,
    weights: Mapping[str, Weight] | None = None,
    named: str | None = None,
) -> Table:
    """The front as a table; a long one is shown by evenly spread rows, and says so.

    `named` says what the rows are where they are no front, and nothing is suppressed.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    basis = _basis(front, weights)
    picked = [front.entries[i] for i in spread(len(front.entries), max_rows)]
    columns = list(picked[0].levels) if picked else []
    apart = sum(len(name) + 3 for name in columns) <= _LEVELS_WIDTH
    names = [objective.name for objective in front.objectives]
    with_suppressed = "suppressed" not in names and named is None
    table = Table(box=box.SIMPLE_HEAD, caption_justify="left", header_style="bold")
    for name in names:
        table.add_column(_text(words.short_name(name)), justify="right", no_wrap=True)
    if with_suppressed:
        table.add_column(_text("suppressed"), justify="right", no_wrap=True)
    for heading in columns if apart else ["levels"]:
        table.add_column(_text(heading), justify="center" if apart else "left")
    for entry in picked:
        cells = [words.human(name, entry.values[name], basis) for name in names]
        if with_suppressed:
            cells.append(words.human("suppressed", entry.suppressed, basis))
        levels = [str(entry.levels[column]) for column in columns]
        cells += levels if apart else [" ".join(levels)]
        table.add_row(*(_text(cell) for cell in cells))
    lines = _caption(front, len(picked), [] if apart else columns, named)
    table.caption = Text("\n").join(_text(line) for line in lines)
    return table


def _caption(front: Front, shown: int, columns: Sequence[str], named: str | None) -> list[str]:
    total = len(front.entries)
    noun, rest = ("point", f"; {exactness(front)}") if named is None else (named, "")
    what = words.plural(total, noun)
    spread_out = f"{shown} of {what}, evenly spread" if shown < total else what
    lines = [f"{spread_out}{rest}."]
    if columns:
        lines.append(f"Levels in the order {', '.join(columns)}.")
    return lines


def checks_table(checks: Sequence[Check]) -> Table:
    """Each statement about a release, promised and recomputed from the file."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for heading in ("statement", "promised", "recomputed from the file", ""):
        table.add_column(heading, overflow="fold")
    for check in checks:
        table.add_row(
            _text(check.name),
            _text(_value(check.promised)),
            _text(_value(check.recomputed)),
            _text("holds", "green") if check.holds else _text(_failed(check), "bold red"),
        )
    return table


def _value(value: int | float | str) -> str:
    if isinstance(value, str):
        return words.short_digest(value) + "…" if len(value) == 64 else value
    return words.number(value)


def _failed(check: Check) -> str:
    return f"fails: {check.note}" if check.note else "fails"


def front_plot(
    front: Front,
    width: int = 64,
    height: int = 16,
    *,
    weights: Mapping[str, Weight] | None = None,
    plain: bool = False,
) -> str:
    """The first two objectives against each other in characters; "" without two of them.

    `width` and `height` hold everything, labels included. `plain` keeps to ASCII marks.
    """
    if len(front.objectives) < 2 or not front.entries:
        return ""
    basis = _basis(front, weights)
    x, y = (objective.name for objective in front.objectives[:2])
    points = [_place((e.values[x], e.values[y]), x, y, basis) for e in front.entries]
    points = [point for point in points if is_finite(point)]
    cloud = cloud_places(front, x, y, basis)
    axes = [_axis([point[i] for point in points + cloud]) for i in (0, 1)]
    marks = ("*", ".") if plain else ("●", "·")
    margin = max((len(name) for name in _ends(axes[1])), default=1) + 2
    grid = _grid(axes, points, cloud, marks, max(width - margin, 10), max(height - 4, 3))
    return _framed(grid, axes, margin, [words.axis_name(n, basis) for n in (x, y)], plain=plain)


def _place(values: tuple[float, float], x: str, y: str, basis: Basis) -> tuple[float, float]:
    return words.drawn(x, values[0], basis), words.drawn(y, values[1], basis)


def _axis(values: Sequence[float]) -> Axis:
    return make_axis(values, log=suits_log(values))


def _ends(axis: Axis) -> list[str]:
    return [name for _, name in axis.ticks]


def _grid(
    axes: Sequence[Axis],
    points: Sequence[tuple[float, float]],
    cloud: Sequence[tuple[float, float]],
    marks: tuple[str, str],
    width: int,
    height: int,
) -> list[list[str]]:
    grid = [[" "] * width for _ in range(height)]
    for layer, mark in ((cloud, marks[1]), (points, marks[0])):
        for x, y in layer:
            column = _cell(axes[0], x, width)
            grid[height - 1 - _cell(axes[1], y, height)][column] = mark
    return grid


def _cell(axis: Axis, value: float, cells: int) -> int:
    return min(max(round(axis.share(value) * (cells - 1)), 0), cells - 1)


def _framed(
    grid: list[list[str]], axes: Sequence[Axis], margin: int, labels: Sequence[str], *, plain: bool
) -> str:
    """The grid with ticks to its left and below, and what the axes mean."""
    width, height = len(grid[0]), len(grid)
    upright, corner, level = ("|", "+", "-") if plain else ("│", "└", "─")
    names = [""] * height
    for value, name in axes[1].ticks:
        names[height - 1 - _cell(axes[1], value, height)] = name
    below = [" "] * width
    for value, name in axes[0].ticks:
        start = min(max(_cell(axes[0], value, width) - len(name) // 2, 0), width - len(name))
        if start >= 0 and all(c == " " for c in below[max(start - 1, 0) : start + len(name) + 1]):
            below[start : start + len(name)] = name
    log = [" (log scale)" if axis.log else "" for axis in axes]
    lines = [f"{printable(labels[1])}{log[1]}"]
    lines += [
        f"{name:>{margin - 2}} {upright}{''.join(row)}".rstrip()
        for name, row in zip(names, grid, strict=True)
    ]
    lines.append(" " * (margin - 1) + corner + level * width)
    lines.append((" " * margin + "".join(below)).rstrip())
    lines.append((" " * margin + f"{printable(labels[0])}{log[0]}".center(width)).rstrip())
    return "\n".join(lines)
