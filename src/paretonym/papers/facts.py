"""What the reproductions of all papers share: figures over runs, and tables as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Any, Protocol

NOTHING = "–"  # what a paper does not print


class ReproductionFacts(Protocol):
    """Every figure of a paper, printed and computed again."""

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over several runs; one run has no variance."""

    mean: float
    variance: float | None
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(fmean(values), variance(values) if len(values) > 1 else None, len(values))

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.variance is None else math.sqrt(self.variance / self.runs)

    def to_json(self) -> dict[str, Any]:
        return {"mean": self.mean, "variance": self.variance}


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table as it is shown: every cell a text."""

    title: str
    says: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    of_numbers: bool = True  # all columns but the first stand to the right


def markdown(tables: Iterable[PrintedTable]) -> str:
    """The tables as Markdown, columns aligned so that they read as plain text as well."""
    return "\n".join(map(_markdown, tables))


def _markdown(table: PrintedTable) -> str:
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]
    to_right = [table.of_numbers and place > 0 for place in range(len(widths))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, to_right, strict=True)
        )
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * (width - 1) + ":" if right else "-" * width
        for width, right in zip(widths, to_right, strict=True)
    ]
    lines = [line(table.header), line(rule), *map(line, table.rows)]
    return f"### {table.title}\n\n{table.says}\n\n" + "\n".join(lines) + "\n"
