"""Tables and pictures of the reproduction of attribute-oriented granulation, from facts made up
here.
"""

from __future__ import annotations

import json

from tests.support.report_pages import assert_well_formed, links

from paretonym.papers.aog.facts import (
    AogFacts,
    CodeFacts,
    FigureFacts,
    GranulationFacts,
    LogicFacts,
    OptimumFacts,
    RunFacts,
    SecrecyFacts,
)
from paretonym.papers.aog.page import aog_html, panels
from paretonym.papers.aog.tables import aog_tables
from paretonym.papers.facts import PrintedTable, markdown


def granulation(code: tuple[int, ...], ql: float, *, secure: bool) -> GranulationFacts:
    return GranulationFacts(code, ("p", "q", "r"), secure, 0.5, {"observed": ql, "full": ql / 2})


FIGURE = FigureFacts(
    "Figure 4", ("id", "zip"), (("1", "70"), ("2", "80")), (("1", "7"), ("2", "8"))
)
LOGIC = LogicFacts((("u1", "u2"),), {"zip": (("u1",), ("u2",))}, {"ill = 1": ()}, True, False)
CODES = CodeFacts((1,), (4,), ("01",), ((1,),), ("01",), ("10",), ("11",))
PRINTED = CodeFacts((1,), None, ("01",), ((1,),), ("01",), ("10",), ("00",))
SECRECY = SecrecyFacts(
    title="all secret",
    rules=("ill = 1",),
    nodes=1_200,
    secure=2,
    minimal=((1, 0),),
    tests={"breadth_first": 30, "incognito": 12},
    full_width={"breadth_first": 9, "incognito": 1},
    optimum=OptimumFacts((1, 0), 0.4, 3),
    runs=(RunFacts(1, (1, 0), 0.4, 100), RunFacts(2, (1, 1), 0.3, 140), RunFacts(3, (0,), 0, 60)),
    granulations=(
        granulation((0, 0), 1.0, secure=False),
        granulation((1, 0), 0.8, secure=True),
        granulation((1, 1), 0.6, secure=True),
    ),
)
FACTS = AogFacts(
    "0.0", 3, 1, {"observed": (2, 3), "full": (20, 3_000)}, (FIGURE,), (LOGIC, LOGIC),
    (PRINTED, CODES), (SECRECY,), SECRECY,
)  # fmt: skip


def table(title: str) -> PrintedTable:
    return next(one for one in aog_tables(FACTS) if one.title.startswith(title))


def test_a_column_that_differs_stands_twice() -> None:
    shown = table("Figure 4")
    assert shown.header == ("id", "zip", "zip, paper")
    assert shown.rows == (("1", "7", "70"), ("2", "8", "80"))
    assert "the same people" in shown.says


def test_groups_are_the_same_when_cells_correspond() -> None:
    """8 stands for 70 and for 80 here, so two people look alike who did not."""
    merged = FigureFacts("", ("zip",), (("70",), ("80",)), (("8",), ("8",)))
    assert FIGURE.has_same_groups
    assert not merged.has_same_groups


def test_a_misprint_is_named_and_what_is_not_printed_is_a_dash() -> None:
    same = {row[0]: row[3] for row in table("Section 4.3: codes").rows}
    assert same["01011010 means"] == "yes"
    assert same["00100101 means"] == "–"
    assert [what for what, mark in same.items() if mark == "no: misprint"] == [
        "Figure 8, children of 010 0111 001 and 100 0100 111"
    ]


def test_nobody_is_told_in_words() -> None:
    rows = {row[0]: row[1:] for row in table("Section 3.2").rows}
    assert rows["people of whom ill = 1 is certain"] == ("nobody", "nobody", "yes")
    assert rows["ind of zip alone"][1] == "{u1}, {u2}"


def test_the_genetic_algorithm_stands_beside_the_proof() -> None:
    """Shares 1, 3/4 and 0 of the optimum; 300 evaluations in three runs of 1,200 nodes."""
    assert table("Section 4.3: the genetic").rows[0] == (
        "all secret", "1,200", "(1, 0)", "0.40000", "3", "12", "1 of 3", "100 (8.33 %)", "58.3 %",
    )  # fmt: skip


def test_the_largest_product_is_told_beside_the_best_secure_one() -> None:
    assert table("Section 4: the largest").rows[0] == (
        "all secret", "observed", "(0, 0), insecure", "0.50000", "(1, 0)", "0.40000",
    )  # fmt: skip


def test_lists_hold_secure_granulations_by_falling_product() -> None:
    shown = table("sf and ql with all secret, full").rows
    assert [row[0] for row in shown] == ["(1, 0)", "(1, 1)"]


def test_pictures_show_every_granulation_and_every_run() -> None:
    scatter, runs = panels(FACTS)
    assert [len(series.points) for series in scatter.series] == [3, 2, 1]
    assert [round(y, 6) for _, y in runs.series[0].points] == [100, 75, 0]


def test_the_page_is_well_formed_and_asks_for_nothing() -> None:
    page = aog_html(FACTS)
    assert_well_formed(page)
    assert links(page) == []
    assert page.count("<svg") == 2
    for one in aog_tables(FACTS):
        assert one.title in page


def test_markdown_is_complete_and_its_tables_are_rectangular() -> None:
    lines = markdown(aog_tables(FACTS)).splitlines()
    for one in aog_tables(FACTS):
        start = lines.index(f"### {one.title}") + 4
        body = lines[start : start + len(one.rows) + 2]
        assert {line.count("|") for line in body} == {len(one.header) + 1}
        assert len({len(line) for line in body}) == 1


def test_json_says_what_the_facts_say() -> None:
    data = json.loads(json.dumps(FACTS.to_json(), allow_nan=False))
    assert data["codes"]["published"]["second_parent"] is None
    assert data["secrecies"][0]["reached"] == 1
    assert data["secrecies"][0]["granulations"][1]["product"] == {"observed": 0.4, "full": 0.2}
    assert data["figures"][0]["differing"] == ["zip"]
