from __future__ import annotations

import math
import re

import pytest
from report_cases import (
    AGE,
    ELL,
    FORBIDDEN,
    GLM,
    ZIP,
    K,
    cloud_of,
    entry,
    front,
    random_front,
    three_points,
)
from tests.support.report_pages import assert_well_formed, links

from paretonym.model.candidate import Candidate, Counts, SuppressBelow
from paretonym.model.front import Direction, Objective
from paretonym.report import front_facts, front_html
from paretonym.report.facts import CLOUD_DRAWN, FRONT_DRAWN, best_places, spread, steps_through


def facts_of(made, **changes):
    settings = {"hierarchies": [AGE, ZIP], "limit_rows": 3, "rule": "staircase"}
    return front_facts(made, **(settings | changes))


def test_the_facts_of_three_points():
    facts = facts_of(three_points(), notes=["a note"])
    assert facts.exactness == "complete for these hierarchies and objectives"
    assert [o.long for o in facts.objectives] == [
        "smallest class (k)",
        "information loss (GLM), % of its maximum",
        "distinct values of illness in a class (ℓ)",
    ]
    assert [o.direction for o in facts.objectives] == [
        "larger is better",
        "smaller is better",
        "larger is better",
    ]
    middle = facts.table[1]
    assert middle.candidate.values["glm"] == 50.0
    assert middle.shown["glm"] == "25.0 %"
    assert (middle.candidate.suppressed, middle.suppressed_share) == (3, 0.03)
    assert middle.candidate.levels == {"age": 1, "zip": 0}
    assert facts.limit_share == 0.03
    assert facts.notes == ("a note",)


def test_weights_change_the_maximum_of_glm():
    """100 · (1 + 3) = 400, so 50 is an eighth."""
    facts = facts_of(three_points(), weights={"zip": 3})
    assert facts.table[1].shown["glm"] == "12.5 %"


def test_a_stopped_search_says_how_far_it_got():
    facts = facts_of(three_points(exact=False, evaluated=4000, nodes=17_920, interrupted=True))
    assert facts.exactness == "not exact: stopped after 4,000 of 17,920 nodes"
    assert "complete for these" not in front_html(facts)


def test_prices_of_k_take_the_first_other_objective():
    facts = facts_of(three_points())
    assert [(p.at_least, p.row.candidate.values["k"]) for p in facts.prices][:4] == [
        (2, 5),
        (3, 5),
        (5, 5),
        (10, 100),
    ]
    assert facts.price_by == "information loss (GLM), % of its maximum"
    assert facts_of(front([entry(0, 0, glm=1.0)], (GLM,))).prices == ()


def test_hierarchies_with_digest_and_domain():
    age, zip_code = facts_of(three_points()).hierarchies
    assert (age.digest, age.domain) == (AGE.digest, "observed in the table")
    assert zip_code.domain == "declared"
    assert [(level.name, level.blocks) for level in age.levels] == [
        ("as it is", 4),
        ("first digit", 2),
        ("everything", 1),
    ]


def test_figures_pair_the_first_objective_with_each_other():
    first, second = facts_of(three_points()).figures
    assert [(p.x, p.y) for p in first.points] == [(1, 0), (5, 25), (100, 100)]
    assert first.x_log
    assert second.y_name == "distinct values of illness in a class (ℓ)"
    # only the last point is best when both are maximised
    assert [p.best for p in second.points] == [False, False, True]


def test_steps_show_what_can_be_reached():
    """To get more than k = 1 one has to pay what k = 5 costs."""
    points = [(1.0, 0.0), (5.0, 25.0)]
    assert steps_through(points, Direction.MAX) == ((1, 0), (1, 25), (5, 25))
    assert steps_through(points, Direction.MIN) == ((1, 0), (5, 0), (5, 25))
    assert steps_through([], Direction.MAX) == ()


def test_best_places():
    points = [(1, 5), (2, 5), (2, 7), (3, 9), (3, 9)]
    assert best_places(points, Direction.MAX, Direction.MIN) == {(2, 5), (3, 9)}
    assert best_places(points, Direction.MAX, Direction.MAX) == {(3, 9)}


def test_spread_keeps_both_ends():
    assert spread(5, 12) == [0, 1, 2, 3, 4]
    assert spread(9, 3) == [0, 4, 8]
    assert spread(9, 1) == [0]
    assert spread(9, 0) == []


def test_a_cloud_that_is_drawn_whole_is_no_sample():
    cloud = cloud_of([(float(i), float(i)) for i in range(712)])
    made = facts_of(front([entry(0, 0, k=1, glm=0.0)], cloud=cloud))
    assert made.figures[0].cloud_told == "candidates: all 712"
    page = front_html(made)
    assert "a sample" not in page
    assert "candidates: all 712" in page


def test_the_page_of_a_front_is_marked_as_internal():
    page = front_html(facts_of(three_points()))
    assert '<p class="kicker">Internal · do not publish</p>' in page


def test_the_cloud_and_a_long_front_are_thinned():
    cloud = cloud_of([(float(i % 977) + 1, float(i)) for i in range(10_000)])
    entries = [entry(0, 0, k=i, glm=float(i)) for i in range(1, 5001)]
    facts = facts_of(front(entries, cloud=cloud))
    assert len(facts.figures[0].cloud) == CLOUD_DRAWN
    assert facts.figures[0].cloud_told == "candidates: a sample of 4,000 of 10,000"
    assert len(facts.figures[0].points) == FRONT_DRAWN
    assert facts.figures[0].left_out == 3000
    assert (len(facts.table), facts.points) == (1000, 5000)
    page = front_html(facts)
    assert "1,000 of 5,000 points" in page
    assert len(page) < 2_000_000


@pytest.mark.parametrize(
    "made",
    [
        three_points(),
        random_front(),
        front([entry(1, 1, k=5)], (K,)),
        front([entry(1, 1, k=5, glm=3.0)]),
        front([entry(0, 0, k=5, glm=3.0, ell=1), entry(1, 1, k=5, glm=3.0, ell=1)], (K, GLM, ELL)),
        front([entry(0, 0, k=10**18, glm=1e30), entry(1, 1, k=10**30, glm=1e40)]),
        front(
            [entry(0, 0, k=0, glm=0.0), entry(1, 1, k=3, glm=math.inf)],
            cloud=cloud_of([(1.0, 2.0)]),
        ),
        front([], rows=0),
        front([entry(0, 0, 3, k=3, suppressed=3)], (K, Objective("suppressed", Direction.MIN))),
    ],
    ids=["three", "random", "one objective", "one point", "equal", "huge", "odd", "empty", "rows"],
)
def test_every_shape_of_front_makes_a_page(made):
    page = front_html(facts_of(made))
    assert_well_formed(page)
    assert links(page) == []
    assert not [word for word in FORBIDDEN if word in page.lower()]
    assert page.count("<svg") == max(len(made.objectives) - 1, 0)
    assert not re.search(r'="(nan|-?inf)', page)


def test_names_from_the_data_are_escaped():
    evil = '"><script>alert(1)</script>'
    objectives = (K, Objective(f"distinct_l({evil})", Direction.MAX))
    made = Candidate({evil: 1}, (SuppressBelow(2),), Counts(), {"k": 5, f"distinct_l({evil})": 2})
    hierarchy = type(AGE)(evil, AGE.leaves, AGE.partitions)
    page = front_html(facts_of(front([made], objectives), hierarchies=[hierarchy], notes=[evil]))
    assert_well_formed(page)
    assert "<script>alert" not in page
    assert page.count("<script>") == 1  # our own, which sorts tables
    assert "&lt;script&gt;alert" in page


def test_only_our_own_script_and_style_may_act():
    page = front_html(facts_of(three_points()))
    assert "default-src 'none'; style-src" in page.replace("&#39;", "'")
    assert " style=" not in page
