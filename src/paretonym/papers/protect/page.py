"""reproduction.html of protection by swaps: signals before and after, distortions, and alpha."""

from __future__ import annotations

from collections.abc import Iterable

from paretonym.papers.bars import BarsFacts, counted
from paretonym.papers.lines import Line, LinesFacts
from paretonym.papers.page import Panel, page
from paretonym.papers.protect.alpha_facts import alpha_panels
from paretonym.papers.protect.facts import (
    EvolvedFacts,
    LevelFacts,
    ProtectFacts,
    RegionFacts,
    Solution,
)
from paretonym.papers.protect.tables import named, protect_tables

_FIGURES = {
    "attributes": "Chertov and Tavrov 2017, Figure 2",
    "model": "Tavrov and Chertov 2016, Figure 3",
}
_SPENT = "Distortion of the solutions that mask"


def panels(facts: ProtectFacts) -> tuple[Panel, ...]:
    return (
        *(panel for one in facts.every_region for panel in _signals(one)),
        *(panel for one in facts.every_region for panel in _spent(one)),
        *alpha_panels(facts),
    )


def _signals(one: RegionFacts) -> Iterable[LinesFacts]:
    """At the compatibility of the paper: the published algorithm's best, and the flow's."""
    level = one.levels[0]
    figure = f"{_FIGURES[one.against]}: {one.name}, before and after"
    best = level.published.best[:1]
    found = [("published algorithm", solution) for solution in best]
    found += [] if level.flow is None else [("flow", level.flow)]
    for title, solution in found:
        yield LinesFacts(
            figure, title, f"area of {one.name}", "members", one.areas,
            (
                Line("before", one.before, _named(one, one.outliers)),
                Line("after", solution.signal, _outliers(one, solution), is_dashed=True),
            ),
        )  # fmt: skip


def _outliers(one: RegionFacts, solution: Solution) -> tuple[str, ...]:
    return _named(one, solution.outliers)


def _named(one: RegionFacts, places: Iterable[int]) -> tuple[str, ...]:
    return tuple(one.areas[place - 1] for place in places)


def _spent(one: RegionFacts) -> Iterable[BarsFacts]:
    for level in one.levels:
        for made in (level.published, level.improved):
            if made.distortions:
                yield _bars(one, level, made)


def _bars(one: RegionFacts, level: LevelFacts, made: EvolvedFacts) -> BarsFacts:
    return BarsFacts(
        f"{_SPENT}: {named(one)}",
        f"{made.name}, compatibility {level.compatible:g}",
        "cumulative metric, from",
        "solutions",
        counted(made.distortions),
    )


def protect_html(facts: ProtectFacts) -> str:
    """reproduction.html: the tables and the figures."""
    return page("reproduction_protect.html", facts, protect_tables(facts), panels(facts))
