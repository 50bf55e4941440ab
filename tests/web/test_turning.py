"""Turning through the rooms by key and tab: each is found as it was left."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.web import journey
from tests.web.serving import EXAMPLES


@pytest.fixture
def here(served: Any) -> Any:
    return served(EXAMPLES / "people.yaml")


def query(page: Any) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def press(page: Any, key: str, room: str) -> None:
    page.keyboard.press(key)
    page.wait_for_url(f"**/{room}*")


def test_axes_point_and_comparison_outlive_a_look_at_other_rooms(here: Any, visit: Any) -> None:
    page = visit(here.room("columns"))
    journey.find_front(page)
    journey.choose(page)
    page.locator("select").filter(has=page.locator("option[value=suppressed]")).first.select_option(
        "suppressed"
    )
    page.wait_for_url("**suppressed**")
    left = query(page)
    assert left["levels"]
    page.locator("h1, h2").first.click()
    press(page, "5", "groups")
    journey.turn_to(page, "front")
    journey.await_front(page)
    assert query(page) == left
    press(page, "6", "release")
    assert query(page) == {name: left[name] for name in ("levels", "below")}
    page.locator("#make:enabled").wait_for()
    journey.turn_to(page, "front")
    journey.await_front(page)
    journey.choose(page)
    journey.open_in_node(page)
    journey.compare_with_another(page)
    both = query(page)
    assert both["other"]
    press(page, "1", "columns")
    press(page, "3", "node")
    page.get_by_role("heading", name="Two candidates side by side").wait_for()
    assert query(page) == both


def test_a_link_with_a_point_of_its_own_wins(here: Any, visit: Any) -> None:
    page = visit(here.room("columns"))
    journey.find_front(page)
    journey.choose(page)
    journey.open_in_node(page)
    press(page, "6", "release")
    page.get_by_role("button", name="Choose another").click()
    journey.await_front(page)
    journey.choose(page, "k ≥ 10")
    journey.open_in_node(page)
    chosen = query(page)
    press(page, "6", "release")
    assert query(page) == {name: chosen[name] for name in ("levels", "below")}
