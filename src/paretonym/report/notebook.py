"""A front in a notebook: one figure and a short table, with styles of its own and no script."""

from __future__ import annotations

from paretonym.report import figures
from paretonym.report.facts import FrontFacts, spread
from paretonym.report.html import drawn, fragment

ROWS = 12


def front_fragment(facts: FrontFacts) -> str:
    """HTML to be put into a page as it is; every name in it is escaped."""
    rows = [facts.table[i] for i in spread(len(facts.table), ROWS)]
    figure = drawn(figures.scatter(facts.figures[0])) if facts.figures else ""
    return fragment("notebook.html", facts=facts, rows=rows, figure=figure)
