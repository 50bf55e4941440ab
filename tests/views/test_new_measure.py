"""A measure that is registered with its words is found, with them, wherever measures are shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.registering import SMALL, own_measures, register_in_pairs
from tests.support.viewing import people_open_job

import paretonym as pn
from paretonym.errors import JobError
from paretonym.model.measure_info import known_infos
from paretonym.pipeline.assembly import Output
from paretonym.pipeline.fronts import front_of, score_of
from paretonym.pipeline.releasing import release_node
from paretonym.report import words
from paretonym.report.terminal import front_table
from paretonym.views.front_files import write_front
from paretonym.views.node_views import node_view
from paretonym.web.views import _measures

__all__ = ["own_measures"]

pytestmark = pytest.mark.usefixtures("own_measures")


def test_a_score_shows_it() -> None:
    register_in_pairs()
    with people_open_job() as opened:
        score = score_of(opened, opened.lattice.finest)
        view = node_view(opened, opened.lattice.finest, None)
    value = score.values["in_pairs"]
    assert re.fullmatch(rf"{value} \(.+ %\)", score.shown["in_pairs"])
    assert score.to_json()["shown"]["in_pairs"] == score.shown["in_pairs"]
    (told,) = [one for one in view.to_json()["values"] if one["name"] == "in_pairs"]
    assert told["long"] == SMALL.long
    assert told["shown"] == score.shown["in_pairs"]


def test_the_report_of_a_release_shows_it(tmp_path: Path) -> None:
    register_in_pairs()
    with people_open_job() as opened:
        made = release_node(opened, score_of(opened, (1, 1)), output=Output(tmp_path / "r"))
    assert "in_pairs" in made.internal.stated
    page = (tmp_path / "r" / "internal" / "report.html").read_text()
    risk = page[page.index('id="risk"') : page.index('id="utility"')]
    assert SMALL.long in risk
    public = (tmp_path / "r" / "report.html").read_text()
    assert SMALL.long not in public


def test_a_front_and_its_page_show_it(tmp_path: Path) -> None:
    register_in_pairs()
    with people_open_job(objectives=["k", "in_pairs"]) as opened:
        front = front_of(opened)
        write_front(front, opened, tmp_path)
    data = json.loads((tmp_path / "front.json").read_text())
    for told, entry in zip(data["front"], front.entries, strict=True):
        assert told["values"] == dict(entry.values)
        assert told["shown"].keys() == told["values"].keys()
        value = entry.values["in_pairs"]
        assert told["shown"]["in_pairs"].startswith(f"{value} (")
    page = (tmp_path / "explorer.html").read_text()
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    view = json.loads(found[1])
    (measure,) = [one for one in view["measures"] if one["name"] == "in_pairs"]
    wanted = {"long": SMALL.long, "short": SMALL.short, "says": SMALL.says, "unit": "rows"}
    assert wanted.items() <= measure.items()
    assert view["directions"][measure["direction"]]["side"] == "at most"
    assert SMALL.short in (tmp_path / "report.html").read_text()
    assert front_table(front) is not None


def test_pages_offer_it() -> None:
    register_in_pairs()
    (told,) = [one for one in _measures() if one.name == "in_pairs"]
    assert (told.long, told.direction, told.first_bound) == (SMALL.long, "min", "0")
    assert [one.name for one in _measures()] == [info.name for info in known_infos()]


def test_shown_values_stand_beside_exact_ones() -> None:
    values: dict[str, Any] = {"k": 5, "suppressed": 1, "loss_arithmetic": 0.25, "glm": 40.0}
    assert words.shown_values(values, words.Basis(10, 80.0)) == {
        "k": "5",
        "suppressed": "1 (10.0 %)",
        "loss_arithmetic": "25.0 %",
        "glm": "50.0 %",
    }


def test_a_bound_on_it_is_judged_by_its_info() -> None:
    register_in_pairs()
    with people_open_job(objectives=["k", "in_pairs"]) as opened:
        front = front_of(opened)
    assert pn.pick(front, "in_pairs<=100%")
    with pytest.raises(JobError, match="in_pairs is never below 0"):
        pn.pick(front, "in_pairs<=-1")
