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


@pytest.mark.parametrize("kind", ["checkbox", "range"])
def test_digits_turn_the_page_unless_somebody_types(here: Any, visit: Any, kind: str) -> None:
    page = visit(here.room("columns"))
    journey.find_front(page)
    page.locator(f"#room input[type={kind}]").first.focus()
    press(page, "1", "columns")
    page.locator("#limit").focus()
    page.keyboard.press("5")
    assert page.input_value("#limit").endswith("5")
    assert "/columns" in page.url


def test_the_list_of_edits_gives_way(here: Any, visit: Any) -> None:
    """To a click outside, to Escape and to another room."""
    page = visit(here.room("columns"))
    journey.await_columns(page)
    journey.set_role(page, "visit", "quasi")
    entries = page.locator("details.history li")
    for give_way in (
        lambda: page.locator(".columns-head h1").click(),
        lambda: page.keyboard.press("Escape"),
        lambda: page.keyboard.press("2"),
    ):
        page.locator("details.history summary").click()
        entries.wait_for()
        give_way()
        entries.wait_for(state="hidden")


def test_a_message_covers_nothing_and_can_be_closed(here: Any, visit: Any) -> None:
    page = visit(here.room("columns"))
    journey.await_columns(page)
    page.route("**/tasks", lambda route: route.abort())
    page.click("#find-front")
    message = page.get_by_role("alert").filter(has_text="does not answer")
    message.wait_for()
    button = page.locator("#find-front")
    below, above = button.bounding_box(), message.bounding_box()
    assert below["y"] >= above["y"] + above["height"]
    button.click(trial=True)
    message.get_by_role("button").click()
    message.wait_for(state="detached")
    visit.complaints.clear()


def test_a_job_that_cannot_be_read_is_said_so_in_every_room_that_reads_it(
    here: Any, visit: Any
) -> None:
    here.project.rewrite(0, "table: people.csv\ncolumns: [1,2\n")
    page = visit(here.room("groups"))
    page.get_by_role("heading", name="The job cannot be read").wait_for()
    assert "Line " in page.inner_text("#room")
    assert "no groups" not in page.inner_text("#room")
    press(page, "4", "security")
    page.get_by_role("heading", name="The job cannot be read").wait_for()
    assert "no rules" not in page.inner_text("#room")
    page.click("#undo")
    page.get_by_role("heading", name="What must stay secret").wait_for()
    page.click("#redo")
    page.get_by_role("link", name="Mend the text in Columns").click()
    page.locator("#job-text").wait_for()
    visit.provokes("400")


def test_an_address_without_a_room_says_so(here: Any, visit: Any) -> None:
    page = visit(here.room("nowhere"))
    page.get_by_role("heading", name="There is no such room").wait_for()
    assert page.locator("nav [aria-current]").count() == 0
    press(page, "4", "security")
    page.get_by_role("heading", name="What must stay secret").wait_for()
