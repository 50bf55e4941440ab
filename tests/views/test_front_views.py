"""The view of a front says what the front says, and a page of it can be drawn without the table."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.viewing import (
    people_job,
    people_open_job,
    random_open_job,
    rows_of_people,
    unpacked,
    vectors_by_hand,
)

import paretonym as pn
from paretonym.pipeline.fronts import front_of, score_of
from paretonym.pipeline.open_job import open_job
from paretonym.report import words
from paretonym.report.words import Basis
from paretonym.views.front_files import write_front
from paretonym.views.front_views import front_view, with_details
from paretonym.views.node_views import classes_at, view_of


@pytest.fixture
def opened():
    with people_open_job() as opened:
        yield opened


def points_of(view) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    points = view["points"]
    levels = unpacked(points["levels"], "<u2").reshape(points["count"], len(view["columns"]))
    values = {name: unpacked(text, "<f8") for name, text in points["values"].items()}
    below, lost = (unpacked(points[name], "<i4") for name in ("below", "suppressed"))
    assert {len(levels), len(below), len(lost), *map(len, values.values())} == {points["count"]}
    return levels, below, lost, values


@settings(max_examples=15)
@given(rows_of_people, st.integers(0, 4))
def test_points_are_the_front_and_then_every_other_candidate(rows, limit):
    """All measures of each candidate are those of its score."""
    with random_open_job(rows, limit) as opened:
        front = front_of(opened)
        view = front_view(front, opened)
        json.dumps(view, allow_nan=False)
        levels, below, lost, values = points_of(view)
        assert view["front_count"] == len(front.entries)
        for i, entry in enumerate(front.entries):
            assert tuple(levels[i]) == tuple(entry.levels.values())
            assert (below[i], lost[i]) == (entry.suppress_below, entry.suppressed)
            assert {name: values[name][i] for name in entry.values} == entry.values
        every = {(*map(int, node), int(k)) for node, k in zip(levels, below, strict=True)}
        assert len(every) == len(below) == view["candidates"]
        for i, (node, k) in enumerate(zip(levels, below, strict=True)):
            score = score_of(opened, tuple(map(int, node)), suppress_below=int(k))
            assert score.suppress_below == k
            for name, column in values.items():
                assert column[i] == pytest.approx(score.values[name], rel=1e-12)


def test_what_the_front_is(opened):
    front = front_of(opened)
    view = front_view(front, opened)
    assert [column["name"] for column in view["columns"]] == ["zip", "sex"]
    assert [column["weight"] for column in view["columns"]] == [2, 1]
    assert [level["blocks"] for level in view["columns"][0]["levels"]] == [3, 2, 1]
    assert (view["rows"], view["nodes"], view["limit_rows"], view["exact"]) == (6, 6, 1, True)
    assert view["ties"] == [entry.ties for entry in front.entries]
    same = {name: view[name] for name in ("method", "exact", "nodes", "evaluated")}
    assert front.to_json().items() >= same.items()
    names = [measure["name"] for measure in view["measures"]]
    assert names[:2] == ["k", "glm"]
    assert list(view["points"]["values"]) == names
    assert {"suppressed", "s_l(illness)", "distinct_l(illness)", "average_class_size"} <= {*names}
    assert [m["objective"] for m in view["measures"]] == [True, True, *[False] * (len(names) - 2)]
    directions = {m["name"]: m["direction"] for m in view["measures"]}
    assert (directions["k"], directions["glm"], directions["s_l(illness)"]) == ("max", "min", None)


def test_requirements_and_picks():
    with people_open_job(require={"k": 2}) as opened:
        front = front_of(opened)
        view = front_view(front, opened)
        (required,) = view["require"]
        assert (required["name"], required["bound"]) == ("k", 2)
        assert (required["direction"], required["shown"]) == ("max", "2")
        assert_picks_differ(view, front)


def assert_picks_differ(view, front):
    """Every quick choice leads where it says, and no two to the same point."""
    for pick in view["picks"]:
        for how in pick["says"].split(", "):
            assert front.entries[pick["index"]] is pn.pick(front, how)
    indexes = [pick["index"] for pick in view["picks"]]
    assert len(set(indexes)) == len(indexes)


def test_a_required_k_leaves_no_smaller_choice():
    """Groups of 5 and more are required: k of at least 2 and 3 would lead to the same point."""
    with people_open_job(require={"k": 5}) as opened:
        front = front_of(opened)
        view = front_view(front, opened)
        assert [pick["says"] for pick in view["picks"]] == ["k>=5, knee"]
        assert_picks_differ(view, front)


def test_a_front_without_k_has_its_knee(opened):
    with people_open_job(objectives=["glm", "suppressed"]) as other:
        view = front_view(front_of(other), other)
    assert [pick["says"] for pick in view["picks"]] == ["knee"]
    assert [m["name"] for m in view["measures"] if m["objective"]] == ["glm", "suppressed"]


def test_fewer_of_the_cloud_on_request(opened):
    front = front_of(opened)
    levels, *_ = points_of(front_view(front, opened, most=2))
    assert len(levels) == len(front.entries) + 2


def shown(measure, value: float, rows: int) -> str:
    """What a page makes of scale and format."""
    scaled = float(f"{value * measure['scale']:.12g}")
    if measure["format"] == "flag":
        return "yes" if value else "no"
    if measure["format"] == "percent":
        return words.percent(scaled / 100)
    if measure["format"] == "rows":
        return f"{words.number(scaled)} ({words.percent(scaled / rows)})"
    return words.number(scaled)


@settings(max_examples=15)
@given(rows_of_people, st.integers(0, 4))
def test_scale_and_format_give_the_words_of_the_reports(rows, limit):
    with random_open_job(rows, limit) as opened:
        view = front_view(front_of(opened), opened)
        basis = Basis(len(rows), 2.0 * len(rows))
        *_, values = points_of(view)
        for measure in view["measures"]:
            for value in values[measure["name"]]:
                told = words.human(measure["name"], float(value), basis)
                assert shown(measure, float(value), len(rows)) == told
                drawn = words.drawn(measure["name"], float(value), basis)
                assert value * measure["scale"] == pytest.approx(drawn)


@pytest.mark.parametrize("name", ["secure", "sf", "cm(x)", "my_own", "worst_group_suppression(x)"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_scale_and_format_of_other_measures(name, value):
    basis = Basis(120, None)
    measure = {"scale": words.drawing_scale(name, basis), "format": words.form(name, basis)}
    assert shown(measure, value, 120) == words.human(name, value, basis)


@given(st.floats(1e-3, 1e15))
def test_the_largest_loss_is_a_hundred_per_cent(most):
    scale = words.drawing_scale("glm", Basis(1, most))
    assert most * scale == pytest.approx(100, rel=1e-15)


@settings(max_examples=12)
@given(rows_of_people, st.integers(0, 3))
def test_details_are_those_of_the_points(rows, limit):
    with random_open_job(rows, limit) as opened:
        front = front_of(opened)
        view = with_details(front_view(front, opened), front, opened)
        json.dumps(view, allow_nan=False)
        indexes = view["spread"]["indexes"]
        assert indexes == list(range(len(front.entries)))  # few: every one
        assert view["spread"]["properties"] == ["k", "s_l(secret)"]
        vectors = []
        for index in indexes:
            entry = front.entries[index]
            node = opened.lattice.node_of(entry.levels)
            candidate = classes_at(opened, node, entry.suppress_below)
            wanted = view_of(opened, candidate, named=False).to_json()
            assert view["details"][str(index)] == wanted
            vectors.append(vectors_by_hand(rows, node, entry.suppress_below))
        for name, text in view["spread"]["matrix"].items():
            matrix = unpacked(text, "<f8").reshape(len(indexes), len(indexes))
            by_hand = [
                [sum(max(p - q, 0) for p, q in zip(a[name], b[name], strict=True)) for b in vectors]
                for a in vectors
            ]
            assert matrix.tolist() == by_hand


def test_fewer_details_where_they_cost_much(opened, monkeypatch):
    """Five combinations: with room for 4 · 5 comparisons only the picks and no more."""
    monkeypatch.setattr("paretonym.views.front_views._SPREAD_WORK", 4 * 5)
    front = front_of(opened)
    view = front_view(front, opened)
    found = with_details(view, front, opened)["spread"]["indexes"]
    picked = {pick["index"] for pick in view["picks"]}
    assert picked <= set(found)
    assert len(found) == max(len(picked), 2)


def test_no_name_and_no_row_is_in_a_page(opened):
    front = front_of(opened)
    text = json.dumps(with_details(front_view(front, opened), front, opened))
    assert not [name for name in ("ann", "bob", "cem", "fay") if f'"{name}"' in text]


def test_unknown_values_are_not_a_number(opened):
    """A front whose cloud was not kept still has its objectives."""
    from dataclasses import replace

    from paretonym.model.front import NO_CLOUD, Cloud

    front = front_of(opened)
    none = np.empty(0, np.int64)
    bare = replace(front, cloud=Cloud(none, none, none, {"s_k": none.astype(float)}, 0))
    *_, values = points_of(front_view(bare, opened))
    assert all(math.isnan(value) for value in values["s_k"])
    assert values["k"].tolist() == [entry.values["k"] for entry in front.entries]
    assert front_view(replace(front, cloud=NO_CLOUD), opened)["candidates"] == 0


# ---- notebooks


def test_a_notebook_shows_a_figure_and_a_table():
    html = pn.find_front(people_job())._repr_html_()
    assert html.count("<svg") == 1
    assert "<table" in html
    assert "<script" not in html
    assert "http" not in html.replace("http://www.w3.org", "")
    assert "complete for these hierarchies and objectives" in html


def test_a_front_of_one_objective_has_no_figure():
    html = pn.find_front(people_job(objectives=["k"]))._repr_html_()
    assert "<svg" not in html
    assert "<table" in html


def test_hostile_names_stay_text():
    import pandas as pd

    evil = '<script>alert("x")</script>'
    data = {
        "columns": {
            evil: {"role": "quasi", "hierarchy": "suppress"},
            "b": {"role": "sensitive"},
        },
        "objectives": ["k", "glm", "distinct_l(b)"],
    }
    frame = pd.DataFrame({evil: ["1", "2", "2"], "b": ["x", "y", "x"]})
    html = pn.find_front(pn.make_job(data, table=frame))._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_a_notebook_tells_losses_as_shares_of_the_weighted_maximum():
    """Six people; zip counts twice and sex once: 18 is all that can be lost."""
    front = pn.find_front(people_job())
    assert max(entry.values["glm"] for entry in front.entries) == 18
    assert {"100 %"} <= {row.shown["glm"] for row in front.facts().table}


def test_it_is_the_same_front(opened):
    shown_front, front = pn.find_front(people_job()), front_of(opened)
    told = shown_front.to_json(with_seconds=False)
    assert tuple(entry.pop("shown") for entry in told["front"]) == shown_front.shown
    assert told == front.to_json(with_seconds=False)
    assert shown_front.facts().points == len(front.entries)


def test_a_file_that_gets_passed_around_names_no_cell(tmp_path: Path) -> None:
    """Also not at level 0 of a candidate that releases everybody as they are."""
    rows = "\n".join(f"{30 + i % 5},CANARY{i % 3},CANARYFLU,CANARYBUS" for i in range(60))
    table = tmp_path / "rare.csv"
    table.write_text(f"age,town,illness,came\n{rows}\n99,CANARYTOWN,CANARYILLNESS,CANARYFOOT\n")
    job = tmp_path / "job.yaml"
    job.write_text(
        "table: rare.csv\n"
        "columns:\n"
        "  age: {role: quasi, hierarchy: suppress}\n"
        "  town: {role: quasi, hierarchy: suppress}\n"
        "  illness: {role: sensitive}\n"
        "  came: {role: insensitive}\n"
        "objectives: [k, glm]\n"
        "suppression: {limit: 5 rows}\n"
    )
    with open_job(pn.load_job(job)) as opened:
        write_front(front_of(opened), opened, tmp_path / "front")
    for file in (tmp_path / "front").iterdir():
        assert "CANARY" not in file.read_text(), file.name


def test_a_mask_does_not_show_a_short_cell_in_such_a_file(tmp_path: Path) -> None:
    """Behind a mask made for the longest cell, a short one may stand as it is."""
    cells = ["KLIMT", "SMITH1", "OLDENBURGER", "ABELARD"]
    rows = "\n".join(f"{30 + i % 2},{cells[i % 4]}" for i in range(80))
    (tmp_path / "t.csv").write_text(f"age,key\n{rows}\n")
    job = tmp_path / "job.yaml"
    job.write_text(
        "table: t.csv\n"
        "columns:\n"
        "  age: {role: quasi, hierarchy: suppress}\n"
        "  key: {role: quasi, hierarchy: {mask: right}}\n"
        "objectives: [k, glm]\n"
    )
    with open_job(pn.load_job(job)) as opened:
        levels = range(len(opened.lattice.granulations[1].partitions))
        told = {
            named: json.dumps(
                [
                    view_of(opened, classes_at(opened, (0, level), 1), named=named).to_json()
                    for level in levels
                ]
            )
            for named in (True, False)
        }
    assert '"KLIMT*' in told[True]  # as the release would write it, and the app shows it
    assert not any(cell in told[False] for cell in cells)
