"""How often values lie between which ends, as upright bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paretonym.report.scale import nice_step
from paretonym.report.svg import Bar, columns
from paretonym.report.words import number

_BINS = 12  # at most


@dataclass(frozen=True, slots=True)
class BarsFacts:
    """One picture."""

    figure: str
    title: str
    x_name: str
    y_name: str
    bars: tuple[tuple[str, int], ...]


def counted(values: Sequence[float]) -> tuple[tuple[str, int], ...]:
    """Bins of one width between whole ends, and how many values lie in each."""
    if not values:
        return ()
    low, high = min(values), max(values)
    step = nice_step(max((high - low) / _BINS, 1.0))
    first, last = int(low // step), int(high // step)
    found = [int(value // step) for value in values]
    return tuple(
        (number(int(place * step)), found.count(place)) for place in range(first, last + 1)
    )


def draw_bars(panel: BarsFacts) -> str:
    bars = [
        Bar(name, float(count), number(count), f"from {name}: {number(count)}")
        for name, count in panel.bars
    ]
    label = f"{panel.title}: {panel.y_name} over {panel.x_name}"
    return columns(bars, x_label=panel.x_name, y_label=panel.y_name, label=label)
