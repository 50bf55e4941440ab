"""Views of one candidate: facts a hand can check, and brute force over rows for all tables."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.viewing import (
    PEOPLE,
    people_open_job,
    random_open_job,
    rows_of_people,
    vectors_by_hand,
)

import paretonym as pn
from paretonym.pipeline.fronts import front_of, score_of, scores_of
from paretonym.pipeline.open_job import open_job
from paretonym.views.node_shapes import OthersView, WorstView
from paretonym.views.node_views import classes_at, compare_views, node_view, preview, view_of

GROUPED = (1, 1)  # north and south, sex gone: classes of 5 and 1


@pytest.fixture
def opened():
    with people_open_job() as opened:
        yield opened


def test_a_node_by_hand(opened):
    """The south has one person, who is left out: five are left, four of them with flu."""
    view = node_view(opened, GROUPED, 5).to_json()
    assert json.loads(json.dumps(view, allow_nan=False)) == view
    facts = {name: view[name] for name in ("levels", "below", "suppressed", "released", "classes")}
    assert facts == {"levels": [1, 1], "below": 5, "suppressed": 1, "released": 5, "classes": 1}
    assert view["feasible"]
    assert view["class_sizes"] == [{"from": 5, "to": 5, "classes": 1, "rows": 5}]
    own, same = view["privacy"]
    assert (own["property"], own["says"]) == ("k", "people in the own class")
    assert own["worst"] == {"value": 5, "people": 5}
    assert same["property"] == "s_l(illness)"
    assert same["says"] == "people in the own class with the same illness"
    assert (same["minimum"], same["maximum"], same["mean"]) == (1, 4, 17 / 5)
    assert same["worst"] == {"value": 1, "people": 1}
    assert [(q["share"], q["value"]) for q in same["quantiles"]] == [
        (0.05, 1), (0.25, 4), (0.5, 4), (0.75, 4), (0.95, 4),
    ]  # fmt: skip
    assert same["steps"] == [[1, 1], [4, 5]]


def test_losses_and_distributions_by_hand(opened):
    """A cell under two of three values loses a half, one that is left out all."""
    view = node_view(opened, GROUPED, 5).to_json()
    assert view["losses"] == [
        {"column": "zip", "level": 1, "name": "groups 1", "loss": (5 / 2 + 1) / 6},
        {"column": "sex", "level": 1, "name": "*", "loss": 1.0},
    ]
    place, sex, illness = view["distributions"]
    assert (place["column"], place["role"]) == ("zip", "quasi")
    assert (place["values"], place["blocks"]) == (3, 1)
    assert place["bars"] == [{"label": "north", "before": 5, "after": 5}]
    assert place["others"] == {"values": 1, "before": 1, "after": 0}  # rare and gone: unnamed
    assert place["distance"] == pytest.approx(1 / 6)
    assert sex["bars"] == [{"label": "*", "before": 6, "after": 5}]
    assert (sex["distance"], sex["others"]) == (0.0, None)
    assert (sex["values"], sex["blocks"], illness["values"], illness["blocks"]) == (2, 1, 3, 2)
    assert [bar["label"] for bar in illness["bars"]] == ["cold", "flu"]


@pytest.mark.parametrize("cells", [1, 10**7])
def test_columns_that_pass_through_are_compared(monkeypatch, cells):
    """The one left out is the only one who came by bus; seven names are more than six values."""
    data = {
        "columns": {
            "town": {"role": "quasi", "hierarchy": "suppress"},
            "came": {"role": "insensitive"},
            "note": {"role": "insensitive", "because": "made up"},
            "share": {"role": "weight"},
        },
        "objectives": ["k", "glm"],
        "suppression": {"limit": 1},
    }
    people = {
        "town": [*"aaabbbc"],
        "came": ["car", "car", None, "foot", "foot", "foot", "bus"],
        "note": [*"tuvwxyz"],
        "share": [1, 2, 2, 2, 2, 2, 1],
    }
    monkeypatch.setattr("paretonym.pipeline.passing.COMPARED", 6)
    monkeypatch.setattr("paretonym.pipeline.passing._CELLS", cells)
    with open_job(pn.make_job(data, table=pd.DataFrame(people))) as opened:
        view = node_view(opened, (0,), 3).to_json()
        file = view_of(opened, classes_at(opened, (0,), 3), named=False)
    _, came, share = view["distributions"]
    assert (came["column"], came["role"], came["values"], came["blocks"]) == (
        "came", "insensitive", 4, 3,
    )  # fmt: skip
    assert came["bars"] == [
        {"label": "car", "before": 2, "after": 2},
        {"label": "foot", "before": 3, "after": 3},
        {"label": None, "before": 1, "after": 1},
    ]
    assert came["others"] == {"values": 1, "before": 1, "after": 0}
    assert came["distance"] == pytest.approx(1 / 7)
    assert [(bar["before"], bar["after"]) for bar in share["bars"]] == [(2, 1), (5, 5)]
    assert view["not_compared"] == [{"column": "note", "why": "it has 7 values, more than 6"}]
    assert [bar.label for bar in file.distributions[1].bars] == ["value 2", "value 3", None]


def test_who_lost_rows_by_hand(opened):
    lost = {
        each["column"]: each["rows"] for each in node_view(opened, GROUPED, 5).to_json()["lost"]
    }
    assert lost["sex"] == [
        {"label": "f", "lost": 1, "rows": 4},
        {"label": "m", "lost": 0, "rows": 2},
    ]
    assert {"label": "cold", "lost": 0, "rows": 1} in lost["illness"]
    told = json.dumps(node_view(opened, GROUPED, 5).to_json())
    assert '"rare"' not in told
    assert "2010" not in told


def test_a_value_has_one_number_in_every_list():
    """Towns in the order of a hierarchy that is not the table's; two of them keep their names."""
    order = {"groups": {"river": ["c", "a"], "b": ["b"], "d": ["d"]}}
    data = {
        "columns": {"town": {"role": "quasi", "hierarchy": order}, "ill": {"role": "sensitive"}},
        "objectives": ["k", "glm"],
        "suppression": {"limit": 2},
    }
    people = {"town": [*"abbbccdddd", None], "ill": [*"yxyxyxyxyx", None]}
    with open_job(pn.make_job(data, table=pd.DataFrame(people))) as opened:
        for level in (0, 1):
            view = view_of(opened, classes_at(opened, (level,), 2), named=False)
            rows_of = {
                one.column: {line.label: line.rows for line in one.rows} for one in view.lost
            }
            for one in view.distributions:
                said = {bar.label: bar.before for bar in one.bars if bar.label != "river"}
                assert said.items() <= rows_of[one.column].items()
            assert {"a", "b", "c", "d", "x", "y"}.isdisjoint(
                bar.label for one in view.distributions for bar in one.bars
            )


def test_a_threshold_that_nothing_within_the_limit_reaches(opened):
    """At level 0 every group has at most two people: at 3 or more nobody is left."""
    view = node_view(opened, (0, 0), 3)
    assert not view.feasible
    assert (view.released, view.suppressed, view.classes) == (0, 6, 0)
    assert (view.values, view.privacy, view.class_sizes) == ((), (), ())
    assert {each.distance for each in view.distributions} == {None}
    assert preview(opened, (0, 0), 3).rows == ()
    some = node_view(opened, (0, 0), 2)
    assert not some.feasible
    assert (some.released, some.suppressed) == (2, 4)
    assert some.privacy[0].minimum == 2


def test_the_least_suppression_when_no_threshold_is_given(opened):
    assert node_view(opened, GROUPED, None).to_json() == node_view(opened, GROUPED, 1).to_json()


def test_the_numbers_of_a_score(opened):
    score = score_of(opened, GROUPED, suppress_below=5)
    view = node_view(opened, GROUPED, 5)
    assert {value.name: value.value for value in view.values} == score.values
    assert (view.suppressed, view.classes) == (score.suppressed, score.classes)
    assert next(v.shown for v in view.values if v.name == "glm") == "72.2 %"  # (2·3.5 + 6) / 18


def test_two_candidates_side_by_side(opened):
    """Five people gain a class of 5 over those of 1 and 2; the one in the south loses hers."""
    view = compare_views(opened, (GROUPED, 5), ((0, 0), 1)).to_json()
    assert view["a"] == {"levels": [1, 1], "below": 5}
    assert view["b"] == {"levels": [0, 0], "below": 1}
    own = view["spread"][0]
    # classes of level 0: 1010 f, 1010 m, 1020 m (one each), 1020 f (two), 2010 f (one)
    assert (own["a_over_b"], own["b_over_a"]) == (4 + 4 + 4 + 3 + 3, 1)
    assert (own["better_a"], own["better_b"], own["equal"]) == (5, 1, 0)
    values = {each["name"]: each for each in view["values"]}
    assert (values["k"]["a"], values["k"]["b"], values["k"]["better"]) == ("5", "1", "a")
    assert values["glm"]["better"] == "b"
    assert values["s_l(illness)"]["better"] is None  # more may be better or worse


def test_compared_with_one_that_has_no_values(opened):
    view = compare_views(opened, (GROUPED, 5), ((0, 0), 3))
    assert {(each.b, each.better) for each in view.values} == {("–", None)}
    same = compare_views(opened, (GROUPED, 5), (GROUPED, 5))
    assert {each.better for each in same.values} == {"equal", None}
    assert {each.equal for each in same.spread} == {6}


def test_a_preview_shows_released_cells_and_no_names(opened):
    view = preview(opened, GROUPED, 5).to_json()
    assert view["columns"] == ["zip", "sex", "illness"]
    assert sorted(view["rows"]) == [["north", "*", "cold"], *[["north", "*", "flu"]] * 4]
    assert view["released"] == 5
    assert len(preview(opened, GROUPED, 5, rows=2).rows) == 2
    assert not {cell for row in view["rows"] for cell in row} & set(PEOPLE["name"])


def test_previews_come_in_another_order_each_time(opened):
    orders = {preview(opened, (0, 0), 1).rows for _ in range(20)}
    assert len(orders) > 1
    assert {tuple(sorted(rows)) for rows in orders} == {tuple(sorted(next(iter(orders))))}


def quantile(values: list[int], percent: int) -> int:
    """The smallest value that at least so many per cent of the people do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(percent * len(ordered) / 100), 1) - 1]


@settings(max_examples=25)
@given(rows_of_people, st.integers(0, 4), st.data())
def test_privacy_is_that_of_the_rows(rows, limit, data):
    with random_open_job(rows, limit) as opened:
        node = data.draw(st.sampled_from([(i, j) for i in range(3) for j in range(2)]))
        view = node_view(opened, node, data.draw(st.integers(1, 4)))
        vectors = vectors_by_hand(rows, node, view.below)
        released = [number for number in vectors["k"] if number]
        assert (view.released, view.suppressed) == (len(released), len(rows) - len(released))
        for each in view.privacy:
            numbers = [number for number in vectors[each.property] if number]
            assert each.minimum == min(numbers)
            assert each.maximum == max(numbers)
            assert each.mean == pytest.approx(sum(numbers) / len(numbers))
            assert each.worst == WorstView(min(numbers), numbers.count(min(numbers)))
            for one in each.quantiles:
                assert one.value == quantile(numbers, round(100 * one.share))
            assert all(at_most == sum(n <= v for n in numbers) for v, at_most in each.steps)
        for distribution in view.distributions:
            bars = [*distribution.bars, distribution.others or OthersView(0, 0, 0)]
            assert sum(bar.before for bar in bars) == len(rows)
            assert sum(bar.after for bar in bars) == len(released)
            assert (distribution.distance is None) == (not released)
            assert 0 <= (distribution.distance or 0) <= 1


@settings(max_examples=20)
@given(rows_of_people, st.data())
def test_spread_is_that_of_the_rows(rows, data):
    nodes = st.tuples(st.integers(0, 2), st.integers(0, 1))
    with random_open_job(rows, 0) as opened:
        one, other = data.draw(nodes), data.draw(nodes)
        view = compare_views(opened, (one, None), (other, None))
        first = vectors_by_hand(rows, one, view.a.below)
        second = vectors_by_hand(rows, other, view.b.below)
        for each in view.spread:
            pairs = list(zip(first[each.property], second[each.property], strict=True))
            assert each.a_over_b == sum(max(p - q, 0) for p, q in pairs)
            assert each.b_over_a == sum(max(q - p, 0) for p, q in pairs)
            assert each.better_a == sum(p > q for p, q in pairs)
            assert each.better_b == sum(p < q for p, q in pairs)
            assert each.equal == sum(p == q for p, q in pairs)


@pytest.mark.slow
@settings(max_examples=15)
@given(rows_of_people, st.integers(0, 4))
def test_many_scores_are_the_same_as_each(rows, limit):
    with random_open_job(rows, limit) as opened:
        places = [
            (opened.lattice.node_of(entry.levels), entry.suppress_below)
            for entry in front_of(opened).entries
        ]
        apart = [score_of(opened, node, suppress_below=below) for node, below in places]
        assert scores_of(opened, places) == apart
