"""Bars of the internal report: sizes of classes, who lost rows, what columns lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from paretonym.report import words
from paretonym.report.svg import Bar

MISSING = "(missing)"
GROUPS_SHOWN = 15
_BINS_MOST = 24  # with more distinct sizes the histogram takes 1-2-5 bins


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


def loss_bar(name: str, share: float) -> Bar:
    shown = words.percent(share)
    return Bar(name, share, shown, f"{name}: {shown} of what it can lose")


def group_column(column: str, lines: Iterable[tuple[str | None, int, int]]) -> GroupColumnFacts:
    """Who lost rows: the largest shares first, then the larger numbers of rows."""
    groups = [GroupFacts(MISSING if v is None else v, lost, rows) for v, lost, rows in lines]
    losing = sorted((g for g in groups if g.lost), key=lambda g: (-g.share, -g.lost, g.label))
    rest = losing[GROUPS_SHOWN:]
    return GroupColumnFacts(
        column, tuple(losing[:GROUPS_SHOWN]), len(rest), sum(group.lost for group in rest)
    )


def class_size_bins(sizes: Iterable[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """Smallest and largest size, classes, rows of each bin: single sizes, or 1-2-5 bins.

    The latter when the sizes are many or far apart.
    """
    counts = sorted((size, count) for size, count in sizes if count)
    if not counts:
        return []
    low, high = counts[0][0], counts[-1][0]
    edges = list(range(low, high + 2)) if high - low < _BINS_MOST else _round_edges(low, high)
    bins = []
    for start, end in pairwise(edges):
        inside = [(size, count) for size, count in counts if start <= size < end]
        classes = sum(count for _, count in inside)
        bins.append((start, end - 1, classes, sum(size * count for size, count in inside)))
    return bins


def class_size_bars(sizes: Iterable[tuple[int, int]]) -> tuple[Bar, ...]:
    bars = []
    for start, last, classes, people in class_size_bins(sizes):
        label = words.number(start) if last == start else _range(start, last)
        told = f"classes of {label}: {words.number(classes)}, with {words.plural(people, 'row')}"
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
    # the first bin starts at the smallest size, so that no bar suggests classes below k
    return [low, *edges[first + 1 : last + 1]]
