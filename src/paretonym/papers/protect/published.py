"""What Chertov and Tavrov 2017 prints of its experiment beside signals that serve both papers."""

from __future__ import annotations

from fractions import Fraction

from paretonym.groups.outliers import thompson_tau
from paretonym.groups.restrictions import Restriction, compatibility, published_fitness
from paretonym.papers.attack.published import ALPHA, SIGNALS
from paretonym.papers.protect.facts import PrintedAlpha, PrintedRow, PrintedSolution

PAPERS = ("Chertov and Tavrov 2017", "Tavrov and Chertov 2016")  # in the order of the experiments
MOST = 1846  # C_max: 13 attributes of 142 members
# of the penalty; the formula as printed has 25, which is that of Tavrov and Chertov 2016
CENTRE = 130
RESTRICTIONS = (
    Restriction("5", 97, Fraction(10)),
    Restriction("29", 45, Fraction(10)),
)

# Table 3: fitness, cumulative metric, compatibility
_TABLE_3 = """
0.772 407 0.990
0.772 410 0.993
0.762 430 0.998
0.757 432 0.999
0.755 437 1.000
0.748 450 1.000
0.716 459 1.000
0.714 461 1.000
0.659 464 1.000
0.726 466 1.000
0.691 466 1.000
0.658 468 1.000
0.689 470 1.000
0.729 472 0.997
0.688 472 1.000
0.708 475 1.000
0.652 479 1.000
0.682 483 1.000
0.681 485 1.000
0.539 486 1.000
0.537 490 1.000
0.363 505 1.000
0.450 513 1.000
0.013 551 1.000
"""
ROWS = tuple(
    PrintedRow(float(fitness), int(metric), float(compatible), outliers)
    for (fitness, metric, compatible), (_, outliers) in zip(
        map(str.split, _TABLE_3.strip().splitlines()), SIGNALS, strict=True
    )
)


def printed_solutions() -> tuple[PrintedSolution, ...]:
    return tuple(
        _solution(number, signal, row)
        for number, ((signal, _), row) in enumerate(zip(SIGNALS, ROWS, strict=True), start=1)
    )


def _solution(number: int, signal: tuple[int, ...], row: PrintedRow) -> PrintedSolution:
    values = {one.area: signal[int(one.area) - 1] for one in RESTRICTIONS}
    swaps = sum(one.value - values[one.area] for one in RESTRICTIONS)
    product = compatibility(RESTRICTIONS, values)
    mean = product ** (1 / len(RESTRICTIONS))

    def fitness(compatible: float) -> float:
        return published_fitness(row.metric, MOST, compatible, swaps, centre=CENTRE)

    found = tuple(place + 1 for place in thompson_tau(signal, ALPHA))
    return PrintedSolution(
        number, signal, row, swaps, product, fitness(product), mean, fitness(mean), found
    )


def printed_alpha(alpha: Fraction) -> PrintedAlpha:
    old = {int(one.area) for one in RESTRICTIONS}
    found = [{place + 1 for place in thompson_tau(signal, float(alpha))} for signal, _ in SIGNALS]
    return PrintedAlpha(
        float(alpha), sum(map(len, found)) / len(found), sum(not places & old for places in found)
    )
