"""Tables and pictures of the reproduction of Dewri et al. 2010, from facts made up here."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.support.report_pages import assert_well_formed, links

from paretonym.papers.facts import Spread, markdown
from paretonym.papers.page import draw
from paretonym.papers.pbg.facts import (
    PbgFacts,
    ProblemFacts,
    Published,
    Quality,
    RunStage,
    VectorFacts,
)
from paretonym.papers.pbg.page import panels, pbg_html
from paretonym.papers.pbg.tables import pbg_tables


def quality(*, ce: float = 0.002, rr: float = 0.9, evaluations: float = 700) -> Quality:
    return Quality(
        Spread(ce, 1e-6, 4),
        Spread(ce / 2, None, 4),
        Spread(rr, 4e-4, 4),
        Spread(evaluations, 0.0, 4),
        Spread(2, 0.0, 4),
    )


PROBLEM = ProblemFacts(
    title="k, ℓ, GLM",
    figure=1,
    objectives=("k", "distinct_l(job)", "glm"),
    nodes=10_000,
    rows=100,
    glm_maximum=800.0,
    published=Published((3.7e-4, 6.5e-9), (0.94, 8e-4), 916, 9.1),
    pbg_ea=quality(),
    evolve=quality(ce=0.0, rr=1.0),
    exact_evaluations=1_500,
    stages=(RunStage(100, quality()), RunStage(150, quality(rr=0.95, evaluations=850))),
    reached=RunStage(171.4, quality(rr=0.97, evaluations=916)),
    drawn_from=Spread(50.2, None, 4),
    front=((1.0, 1.0, 0.0), (5.0, 2.0, 200.0), (100.0, 3.0, 800.0)),
    pbg_ea_archive=((1.0, 1.0, 0.0), (4.0, 2.0, 240.0)),
    evolve_archive=((1.0, 1.0, 0.0), (100.0, 3.0, 800.0)),
)
VECTOR = VectorFacts("k 5", {"k": 5, "glm": 100}, True, 29, Published((0.1, 0.0)), quality())
FACTS = PbgFacts("0.0", 4, 1, 100, 1, (PROBLEM,), (VECTOR,))


def cells(title: str) -> list[tuple[str, ...]]:
    return list(next(table for table in pbg_tables(FACTS) if table.title.startswith(title)).rows)


def test_spread_of_three_runs_by_hand() -> None:
    """1, 2, 6: mean 3, squares 4 + 1 + 9 over n - 1 = 7, standard error the root of 7 / 3."""
    spread = Spread.of([1.0, 2.0, 6.0])
    assert (spread.mean, spread.variance, spread.runs) == (3, 7, 3)
    assert spread.error == pytest.approx((7 / 3) ** 0.5)
    assert Spread.of([5.0]).variance is None
    assert Spread.of([5.0]).error is None


def test_the_paper_stands_beside_what_was_measured() -> None:
    assert cells("Table 1(b)") == [
        ("k, ℓ, GLM", "3", "3.7e-4 (6.5e-9)", "2.0e-3 (1.0e-6)", "0 (1.0e-6)",
         "0.94 (8.0e-4)", "0.900 (4.0e-4)", "1.000 (4.0e-4)"),
    ]  # fmt: skip
    assert cells("Table 2(b)") == [
        ("k, ℓ, GLM", "10,000", "916 (9.1 %)", "700 (7.0 %)", "700 (7.0 %)", "1,500 (15.0 %)", "50")
    ]


def test_a_guessed_vector_is_marked_and_what_is_not_printed_is_a_dash() -> None:
    assert cells("Table 2(a)") == [
        ("k 5 *", "29", "1.0e-1 (0)", "2.0e-3 (1.0e-6)", "–", "0.900 (4.0e-4)")
    ]


def test_more_iterations_show_the_standard_error_and_the_papers_evaluations() -> None:
    """A variance of 4e-4 over four runs is a standard error of .01."""
    assert cells("More iterations") == [
        ("k, ℓ, GLM", "100", "700 (7.0 %)", "0.94 (8.0e-4)", "0.900 ± 0.010", "3.7e-4 (6.5e-9)",
         "1.0e-3"),
        ("k, ℓ, GLM", "150", "850 (8.5 %)", "–", "0.950 ± 0.010", "–", "1.0e-3"),
        ("k, ℓ, GLM", "171 (mean)", "916 (9.2 %)", "–", "0.970 ± 0.010", "–", "1.0e-3"),
    ]  # fmt: skip


def test_three_objectives_make_two_pictures_over_the_loss() -> None:
    """GLM 200 of 800 is 25 %."""
    first, second = panels(FACTS)
    assert (first.y_name, second.y_name) == ("k", "ℓ")
    assert first.x_name == second.x_name == "GLM, % of its maximum"
    assert [len(series.points) for series in first.series] == [3, 2, 2]
    assert first.series[0].points[1] == (25, 5)
    assert second.series[1].points[1] == (30, 2)


def test_a_picture_draws_every_point_and_a_key() -> None:
    assert draw(panels(FACTS)[0]).count("<circle") == 3 + 2 + 2 + 3


def test_the_page_is_well_formed_and_asks_for_nothing() -> None:
    page = pbg_html(FACTS)
    assert_well_formed(page)
    assert links(page) == []
    assert page.count("<svg") == 2
    for table in pbg_tables(FACTS):
        assert table.title in page


def test_markdown_tables_are_rectangular() -> None:
    lines = markdown(pbg_tables(FACTS)).splitlines()
    for table in pbg_tables(FACTS):
        start = lines.index(f"### {table.title}") + 4
        body = lines[start : start + len(table.rows) + 2]
        assert {line.count("|") for line in body} == {len(table.header) + 1}
        assert len({len(line) for line in body}) == 1


def test_json_says_what_the_facts_say() -> None:
    data = json.loads(json.dumps(FACTS.to_json(), allow_nan=False))
    problem = data["problems"][0]
    assert problem["pbg_ea"]["rr"] == {"mean": 0.9, "variance": 4e-4}
    assert problem["published"]["evaluations"] == 916
    assert problem["reached"]["iterations"] == 171.4
    assert data["vectors"][0]["epsilon"] == {"k": 5, "glm": 100}


def test_a_run_that_never_gets_there_has_no_last_line() -> None:
    without = replace(FACTS, problems=(replace(PROBLEM, reached=None),))
    assert len(pbg_tables(without)[-1].rows) == 2
    assert without.to_json()["problems"][0]["reached"] is None
