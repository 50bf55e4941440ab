"""The tables of the reproduction of attribute-oriented granulation as text, for the page and for
Markdown.
"""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.papers.aog.facts import (
    AogFacts,
    Code,
    CodeFacts,
    FigureFacts,
    Groups,
    LogicFacts,
    SecrecyFacts,
)
from paretonym.papers.facts import NOTHING, PrintedTable
from paretonym.report.words import number, percent

SHOWN = 10  # granulations of a list; the JSON holds all
_FEW = 4  # minimal ones named one by one


def aog_tables(facts: AogFacts) -> tuple[PrintedTable, ...]:
    lists = [_best(one, domain, facts) for one in facts.examples for domain in facts.domains]
    return (
        *map(_figure, facts.figures),
        _logic(*facts.logic),
        _minimal(facts.secrecies),
        _optima(facts),
        *lists,
        _codes(*facts.codes),
        _genetic(facts),
    )


def _figure(figure: FigureFacts) -> PrintedTable:
    """A column that is not as printed stands twice."""
    header, rows = [], []
    for place, name in enumerate(figure.header):
        header.append(name)
        if place in figure.differing:
            header.append(f"{name}, paper")
    for computed, printed in zip(figure.computed, figure.printed, strict=True):
        rows.append(
            tuple(
                cell
                for place, pair in enumerate(zip(computed, printed, strict=True))
                for cell in (pair if place in figure.differing else pair[:1])
            )
        )
    return PrintedTable(figure.title, _compared(figure), tuple(header), tuple(rows))


def _compared(figure: FigureFacts) -> str:
    if not figure.differing:
        return "Every cell is as printed."
    names = " and ".join(figure.header[place] for place in figure.differing)
    groups = "the same people" if figure.has_same_groups else "not the same people"
    return (
        f"As printed but for {names}, where the paper's cells stand beside ours. In each column "
        f"the same cells mean {groups} as in the paper. {figure.note}"
    )


def _logic(printed: LogicFacts, computed: LogicFacts) -> PrintedTable:
    def lines(of: LogicFacts) -> list[tuple[str, str]]:
        return [
            ("ind(τ)", _groups(of.ind)),
            *((f"ind of {name} alone", _groups(groups)) for name, groups in of.ind_of.items()),
            *((f"people of whom {say} is certain", _group(who)) for say, who in of.certain.items()),
            ("CON = {(Health, 2)} for all: τ is", _secure(is_secure=of.is_secure_for_all)),
            ("CON(u1) = {(Health, 1)}: τ is", _secure(is_secure=of.is_secure_for_u1)),
        ]

    return PrintedTable(
        "Section 3.2: what (1, 3, 2) hides",
        "The granulation of Figures 2 and 4: month of birth, two digits of the ZIP, 10 cm. τ is "
        "secure for a person when no sentence of the person's CON is certain.",
        ("", "paper", "here", "same"),
        _beside(lines(printed), lines(computed)),
        of_numbers=False,
    )


def _minimal(secrecies: Sequence[SecrecyFacts]) -> PrintedTable:
    def listed(minimal: Sequence[Code]) -> str:
        return ", ".join(map(_code, minimal)) if len(minimal) <= _FEW else number(len(minimal))

    return PrintedTable(
        "Figures 5 and 6: minimal secure granulations, and what it takes to find them",
        "The paper gives the search and no results. Minimal: nothing finer is secure; in the order "
        "of the search's output, or their number. Tests: how often security is tested; breadth-"
        "first as in Figure 5, or over subsets of attributes in the manner of Incognito (section "
        "3.4), with the tests that leave no attribute out in brackets.",
        ("rules", "granulations", "secure", "minimal", "tests, breadth-first", "tests, subsets"),
        tuple(
            (
                one.title, number(one.nodes), number(one.secure), listed(one.minimal),
                *(
                    f"{number(one.tests[way])} ({number(one.full_width[way])})"
                    for way in ("breadth_first", "incognito")
                ),
            )
            for one in secrecies
        ),
    )  # fmt: skip


def _optima(facts: AogFacts) -> PrintedTable:
    rows = []
    for one in facts.examples:
        for domain in facts.domains:
            largest, best = one.best(domain, secure=False)[0], one.best(domain)[0]
            insecure = "" if largest.is_secure else ", insecure"
            rows.append(
                (
                    one.title, domain,
                    f"{_code(largest.code)}{insecure}", _share(largest.product(domain)),
                    _code(best.code), _share(best.product(domain)),
                )
            )  # fmt: skip
    return PrintedTable(
        "Section 4: the largest sf · ql",
        "Without asking for security the product is largest at the identity, which shows the table "
        "as it is and is insecure: the search needs the condition of section 3. Quality is "
        f"over the values that occur ({_sizes(facts, 'observed')} of birth, ZIP and height) or "
        f"over full domains ({_sizes(facts, 'full')}: the days of 1955 and 1956, all ZIPs, 100 to "
        "199 cm).",
        ("rules", "domains", "largest of all", "sf · ql", "best secure", "sf · ql"),
        tuple(rows),
    )


def _best(one: SecrecyFacts, domain: str, facts: AogFacts) -> PrintedTable:
    shown = one.best(domain)[:SHOWN]
    return PrintedTable(
        f"sf and ql with {one.title}, {domain} domains",
        f"The best {len(shown)} of {number(one.secure)} secure granulations by sf · ql, of "
        f"{number(one.nodes)}; {_sizes(facts, domain)} values of birth, ZIP and height. The "
        "attributes weigh the same, and so do the sentences of a person.",
        ("granulation", "birth", "zip", "height", "sf", "ql", "sf · ql"),
        tuple(
            (
                _code(g.code), *g.names,
                _share(g.sf), _share(g.ql[domain]), _share(g.product(domain)),
            )
            for g in shown
        ),
    )  # fmt: skip


def _codes(printed: CodeFacts, computed: CodeFacts) -> PrintedTable:
    def lines(of: CodeFacts) -> list[tuple[str, str]]:
        return [
            ("01011010 means", _code(of.decoded)),
            ("00100101 means", NOTHING if of.second_parent is None else _code(of.second_parent)),
            ("children of 010 11010 and 001 00101", ", ".join(of.offspring)),
            ("they mean", ", ".join(map(_code, of.offspring_decoded))),
            ("repaired", ", ".join(of.repaired)),
            ("Figure 8, children of 01001 11001 and 10001 00111", ", ".join(of.one_point)),
            ("Figure 8, children of 010 0111 001 and 100 0100 111", ", ".join(of.two_points)),
        ]

    return PrintedTable(
        "Section 4.3: codes, crossover and repair",
        "2, 3 and 3 bits for 4, 6 and 5 partitions; a number that is none of them is repaired by "
        "its remainder. A space marks a cut. The second parent of the example, (0, 4, 5), is "
        "illegal itself: there is no partition 5 of the height. The last children are misprinted: "
        "with two cuts, what stands between them changes places, but those that Figure 8 "
        "prints come from one cut after seven bits.",
        ("", "paper", "here", "same"),
        _beside(lines(printed), lines(computed)),
        of_numbers=False,
    )


def _genetic(facts: AogFacts) -> PrintedTable:
    def counted(count: float, nodes: int) -> str:
        return f"{number(round(count))} ({percent(count / nodes)})"

    return PrintedTable(
        "Section 4.3: the genetic algorithm beside the proven optimum",
        "The paper gives no results. Largest sf · ql among secure granulations, over observed "
        "domains. The proof evaluates secure granulations by falling quality, from the minimal "
        "ones on; its security tests are those over subsets. The genetic algorithm as published, "
        f"{facts.runs} runs: roulette, crossover at one or two points, bits flipped, fitness 0 "
        "for the insecure; mean (share of the granulations) of different ones evaluated. Share: of "
        "the optimum, mean over the runs.",
        (
            "rules", "granulations", "optimum", "sf · ql", "proof: evaluations", "and tests",
            "runs that reach it", "evaluations", "share",
        ),
        tuple(
            (
                one.title, number(one.nodes), _code(one.optimum.code), _share(one.optimum.product),
                number(one.optimum.evaluations), number(one.tests["incognito"]),
                f"{one.reached} of {facts.runs}",
                counted(one.evaluations.mean, one.nodes), percent(one.share.mean),
            )
            for one in facts.secrecies
        ),
    )  # fmt: skip


def _beside(
    printed: Sequence[tuple[str, str]], computed: Sequence[tuple[str, str]]
) -> tuple[tuple[str, ...], ...]:
    """What the paper prints, what comes out here, and whether they are the same."""

    def same(paper: str, here: str) -> str:
        if paper == NOTHING:
            return NOTHING
        return "yes" if paper == here else "no: misprint"

    return tuple(
        (what, paper, here, same(paper, here))
        for (what, paper), (_, here) in zip(printed, computed, strict=True)
    )


def _code(code: Code) -> str:
    return f"({', '.join(map(str, code))})"


def _group(people: Sequence[str]) -> str:
    return f"{{{', '.join(people)}}}" if people else "nobody"


def _groups(groups: Groups) -> str:
    return ", ".join(map(_group, groups))


def _secure(*, is_secure: bool) -> str:
    return "secure" if is_secure else "insecure"


def _sizes(facts: AogFacts, domain: str) -> str:
    *first, last = map(number, facts.domains[domain])
    return f"{', '.join(first)} and {last}"


def _share(value: float) -> str:
    return f"{value:.5f}"
