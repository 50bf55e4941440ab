"""Signals of a group for the terminal: a table for each region, with what stands out marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from paretonym.groups.signals import KINDS, RegionSignals, whole
from paretonym.model.group import SignalKind
from paretonym.report.words import number, printable

if TYPE_CHECKING:
    from rich.table import Table

_BAR = 24  # characters of the longest bar
_MARKS: dict[SignalKind, str] = {"quantity": "Q", "concentration": "C"}


def signal_table(region: RegionSignals, kind: SignalKind, *, max_rows: int = 24) -> Table:
    """Areas with their signals; `kind` is drawn as bars.

    Of a long list the outliers and the largest values are shown, and the caption says so.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, caption_justify="left", header_style="bold")
    table.add_column("area", no_wrap=True)
    for heading in ("records", "quantity", "concentration"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in (f"{kind} as bars", "outlier"):
        table.add_column(heading, no_wrap=True)
    drawn = region.signal(kind)
    for place in shown_areas(region, kind, max_rows):
        marks = [_MARKS[one] for one in KINDS if _is_outlier(region, one, place)]
        cells = (
            printable(region.areas[place]),
            number(region.records[place]),
            number(whole(region.quantity[place])),
            f"{region.concentration[place]:.2%}",
            bar(drawn[place], drawn),
            " ".join(marks),
        )
        table.add_row(*(Text(cell, style="bold red" if marks else "") for cell in cells))
    table.caption = Text(_caption(region, table.row_count))
    return table


def _is_outlier(region: RegionSignals, kind: SignalKind, place: int) -> bool:
    return region.areas[place] in region.judged[kind].outliers


def shown_areas(region: RegionSignals, kind: SignalKind, max_rows: int) -> list[int]:
    """Every outlier, then the largest ones, in the order of the areas."""
    values = region.signal(kind)
    marked = [p for p in range(len(values)) if any(_is_outlier(region, k, p) for k in KINDS)]
    by_size = sorted(range(len(values)), key=lambda place: -values[place])
    others = [place for place in by_size if place not in marked]
    return sorted([*marked, *others[: max(max_rows - len(marked), 0)]])


def bar(value: float, values: Sequence[float]) -> str:
    """As long as the value's share of the largest one; in eighths of a character."""
    largest = max(values, default=0.0)
    eighths = round(max(value, 0.0) / largest * _BAR * 8) if largest > 0 else 0
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _caption(region: RegionSignals, shown: int) -> str:
    count = len(region.areas)
    named = "all areas" if region.region is None else f"region {printable(region.region)}"
    some = "" if shown == count else f"; {shown} shown: outliers and the largest"
    lines = [f"{named}: {number(count)} areas{some}. Outliers: Q quantity, C concentration."]
    return "\n".join([*lines, *region.notes])
