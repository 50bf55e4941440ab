"""Draws facts; decides nothing that a reader would call a number."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.report import svg
from paretonym.report.facts import ScatterFacts
from paretonym.report.release_bars import GroupColumnFacts
from paretonym.report.scale import make_axis
from paretonym.report.svg import Bar, Marker
from paretonym.report.words import number, percent


def scatter(facts: ScatterFacts) -> str:
    xs = [point.x for point in facts.points] + [x for x, _ in facts.cloud]
    ys = [point.y for point in facts.points] + [y for _, y in facts.cloud]
    return svg.scatter(
        x_axis=make_axis(xs, log=facts.x_log),
        y_axis=make_axis(ys, log=facts.y_log),
        x_label=facts.x_name,
        y_label=facts.y_name,
        markers=[Marker(p.x, p.y, p.says, strong=p.best) for p in facts.points],
        cloud=facts.cloud,
        steps=facts.steps,
        label=f"Scatter of {facts.title}: {number(len(facts.points))} points of the front",
    )


def class_sizes(bars: Sequence[Bar]) -> str:
    return svg.columns(
        bars,
        x_label="rows in a class",
        y_label="number of classes",
        label=f"Histogram of class sizes in {len(bars)} bins",
    )


def losses(bars: Sequence[Bar]) -> str:
    return svg.rows(
        bars, longest=1.0, whole=True, label="Loss of each column as a share of what it can lose"
    )


def groups(facts: GroupColumnFacts, *, longest: float) -> str:
    """`longest` is the largest share of any column, so that bars of all of them compare."""
    bars = [
        Bar(
            group.label,
            group.share,
            f"{percent(group.share)} · {number(group.lost)}",
            f"{group.label}: {number(group.lost)} of {number(group.rows)} rows",
        )
        for group in facts.groups
    ]
    return svg.rows(bars, longest=longest, label=f"Share of rows lost by values of {facts.column}")
