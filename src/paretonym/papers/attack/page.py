"""reproduction.html of Tavrov and Chertov 2016: the attack seed by seed, and Figures 1 and 2 on
real people.
"""

from __future__ import annotations

from paretonym.groups.attack import Attacked
from paretonym.papers.attack.facts import AttackFacts, SplitFacts
from paretonym.papers.attack.tables import attack_tables
from paretonym.papers.lines import Line, LinesFacts
from paretonym.papers.page import DISC, DOT, RING, PanelFacts, Series, page
from paretonym.report.attack import NAMES

_SEEDS = "The attack on generated people"


def panels(facts: AttackFacts) -> tuple[PanelFacts | LinesFacts, ...]:
    return (_seeds(facts), *(panel for one in facts.splits for panel in _signals(one)))


def _seeds(facts: AttackFacts) -> PanelFacts:
    def counted(name: str, counts: list[int], paint: str) -> Series:
        points = [
            (float(one.seed), float(count)) for one, count in zip(facts.seeds, counts, strict=True)
        ]
        return Series(f"{name} ({sum(counts)})", tuple(points), paint)

    found = [one.found for one in facts.seeds]
    return PanelFacts(
        _SEEDS,
        "outliers and what is found of them",
        "seed",
        "areas",
        (
            counted("true", [one.tp + one.fn for one in found], DISC),
            counted("disclosed", [one.tp for one in found], RING),
            counted("false", [one.fp for one in found], DOT),
        ),
    )


def _signals(one: SplitFacts) -> list[LinesFacts]:
    """The region with the most members, as each adversary restores it."""
    region = one.largest
    place = one.signals.regions.index(region)
    state = one.states[region.region]
    figure = f"Figures 1 and 2, split {one.key}: quantity signal of {state}"
    true = Line("true", region.quantity, region.judged["quantity"].outliers)

    def panel(attacker: Attacked) -> LinesFacts:
        seen = attacker.regions[place]
        restored = Line("restored", seen.quantity, seen.outliers, is_dashed=True)
        return LinesFacts(
            figure, NAMES[attacker.name], f"area of {state}", "members", region.areas,
            (true, restored),
        )  # fmt: skip

    return [panel(attacker) for attacker in one.attackers]


def attack_reproduction_html(facts: AttackFacts) -> str:
    """reproduction.html: the tables and the figures."""
    return page("reproduction_attack.html", facts, attack_tables(facts), panels(facts))
