"""reproduction.html of attribute-oriented granulation: security over quality of all granulations,
and runs of chance.
"""

from __future__ import annotations

from paretonym.papers.aog.facts import AogFacts, GranulationFacts, SecrecyFacts
from paretonym.papers.aog.tables import aog_tables
from paretonym.papers.page import DISC, DOT, RING, PanelFacts, Series, page
from paretonym.report.words import number

_SCATTER = "Section 4: security and quality of all granulations"
_RUNS = "Section 4.3: runs of the genetic algorithm"


def panels(facts: AogFacts) -> tuple[PanelFacts, ...]:
    """The granulations under each set of rules of the example, and the runs on Adult."""
    return (*map(_granulations, facts.examples), _runs(facts.adult))


def _granulations(one: SecrecyFacts) -> PanelFacts:
    def placed(kept: list[GranulationFacts]) -> tuple[tuple[float, float], ...]:
        return tuple((g.ql["observed"], g.sf) for g in kept)

    every = list(one.granulations)
    secure = [g for g in every if g.is_secure]
    minimal = [g for g in every if g.code in one.minimal]
    return PanelFacts(
        _SCATTER,
        one.title,
        "quality ql, observed domains",
        "security sf",
        (
            Series(f"all ({len(every)})", placed(every), DISC),
            Series(f"secure ({len(secure)})", placed(secure), RING),
            Series(f"minimal ({len(minimal)})", placed(minimal), DOT),
        ),
    )


def _runs(one: SecrecyFacts) -> PanelFacts:
    best, tests = one.optimum, number(one.tests["incognito"])
    shares = [(float(r.evaluations), 100 * r.product / best.product) for r in one.runs]
    return PanelFacts(
        _RUNS,
        one.title,
        "granulations evaluated",
        "% of the optimum",
        (
            Series(f"runs ({len(shares)})", tuple(shares), DISC),
            Series(f"proof (and {tests} tests)", ((float(best.evaluations), 100.0),), RING),
        ),
    )


def aog_html(facts: AogFacts) -> str:
    """reproduction.html: the tables and the figures."""
    return page("reproduction_aog.html", facts, aog_tables(facts), panels(facts))
