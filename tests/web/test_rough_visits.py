"""Visits that go wrong: hostile tables, two tabs, closed pages, files that are no tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from tests.web import journey
from tests.web.serving import EXAMPLES, Served

PEOPLE = EXAMPLES / "people.yaml"
SCRIPT = "<script>window.__hacked = 1</script>"
IMAGE = "<img src=x onerror='window.__hacked = 2'>"
MANY = 100_000  # characters of one cell
HEADS = [
    IMAGE,
    SCRIPT,
    "__proto__",
    "constructor",
    "=cmd|' /C calc'!A0",
    "\u202egnirts",
    'q"\n,uote',
]
CELLS = [
    [IMAGE, f"{IMAGE}2"],
    [SCRIPT, "javascript:window.__hacked=3"],
    ["{{__hacked}}", "${window.__hacked = 4}"],
    ["toString", "valueOf"],
    ["=cmd|' /C calc'!A0", "@SUM(1)"],
    ["\u202eabc\u2066", "\u200fdef"],
    ['line\n"two"', "x" * MANY],
]
# what a page would do if a text became markup or a script
WATCH = """
  window.__violations = 0;
  document.addEventListener("securitypolicyviolation", () => { window.__violations += 1; });
"""


def write_hostile(file: Path, *, columns: int = len(HEADS)) -> Path:
    """Every head and cell is a trap; each value stands in half of the 60 rows."""
    heads = HEADS + [f"{IMAGE}{place}" for place in range(len(HEADS), columns)]
    cells = CELLS + [[f"{SCRIPT}{place}", "0"] for place in range(len(HEADS), columns)]
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(heads)
        for row in range(60):
            place = row if row < 2 else 0  # the huge cell need not stand there thirty times
            writer.writerow(
                [one[(row + i) % 2 if i != 6 else place % 2] for i, one in enumerate(cells)]
            )
    return file


def unharmed(page: Any) -> None:
    assert page.evaluate("window.__hacked") is None
    assert page.evaluate("window.__violations") == 0
    assert page.locator("#room img, #room script, #bar img, #bar script").count() == 0


@pytest.fixture
def hostile(served: Any, visit: Any) -> Any:
    """The start page, with an ear for everything that a text might do."""
    page = visit(served().address)
    page.context.add_init_script(WATCH)
    page.on("dialog", lambda _: pytest.fail("a text opened a dialog"))
    page.reload()
    return page


def test_a_hostile_table_is_only_text(hostile: Any, tmp_path: Path) -> None:
    page = hostile
    page.locator("details.reading summary").click()
    page.select_option("#header", "true")  # its names stand among its cells as well
    journey.upload(page, write_hostile(tmp_path / "<b>hostile.csv"))
    roles = ["quasi", "quasi", "quasi", "quasi", "sensitive", "quasi", "insensitive"]
    for place, role in enumerate(roles):
        if page.input_value(f"#role-{place}") != role:
            number = journey.edits(page) + 1
            page.select_option(f"#role-{place}", role)
            journey.await_edits(page, number)
        page.click(f"#column-{place}")
        page.locator(".column-side .tree").wait_for()
    assert SCRIPT in page.inner_text("#room")
    longest = (
        "Math.max(...[...document.querySelectorAll('bdi')].map(one => one.textContent.length))"
    )
    assert page.evaluate(longest) <= 200
    unharmed(page)
    find_and_open(page)
    preview = page.get_by_role("region", name="Preview")
    assert IMAGE in preview.inner_text()
    unharmed(page)


def find_and_open(page: Any) -> None:
    """The front, its first point, and the point's page; each looked at."""
    journey.find_front(page)
    unharmed(page)
    page.locator("table.grid [aria-rowindex='2']").click()
    journey.open_in_node(page)


def test_three_hundred_hostile_columns_stay_usable(hostile: Any, tmp_path: Path) -> None:
    page = hostile
    journey.upload(page, write_hostile(tmp_path / "wide.csv", columns=300))
    page.fill("#filter-columns", "299")
    assert page.locator(".column-list tbody").first.locator("tr").count() == 1
    assert journey.sticks_out(page) <= 0
    unharmed(page)


# ---- the way in


def test_a_code_lets_one_browser_in_and_the_token_any(served: Any, visit: Any) -> None:
    running: Served = served(PEOPLE)
    code = running.server_state.entry_code()
    by_code = running.room("columns").split("#")[0] + f"#code={code}"
    page = visit(by_code)
    journey.await_columns(page)
    assert "code" not in page.url
    page.reload()
    journey.await_columns(page)
    assert visit.complaints == []
    late = visit(by_code)
    late.locator("#messages").get_by_text(
        "open the address that the terminal shows"
    ).first.wait_for()
    visit.provokes("401")
    journey.await_columns(visit(running.room("columns")))


# ---- two tabs, closed pages


def bar_says(page: Any, number: int) -> None:
    page.locator(f".history li:nth-child({number}):not(.undone)").wait_for(state="attached")


def test_the_second_of_two_tabs_is_told(served: Any, visit: Any) -> None:
    running: Served = served(PEOPLE)
    assert running.project is not None
    first = visit(running.room("columns"))
    journey.await_columns(first)
    second = visit.page(first.context, running.room("columns"))
    journey.await_columns(second)
    first.fill("#limit", "7%")
    first.press("#limit", "Enter")
    bar_says(first, 1)
    second.fill("#limit", "9%")
    second.press("#limit", "Enter")
    second.get_by_text("the job was changed in another tab").wait_for()
    bar_says(second, 1)  # it shows the job as it is now
    assert second.input_value("#limit") == "7%"
    assert "limit: 7%" in running.project.text
    second.fill("#limit", "9%")
    second.press("#limit", "Enter")
    bar_says(second, 2)
    assert "limit: 9%" in running.project.text
    visit.provokes("409")


def test_a_search_outlives_its_page(served: Any, visit: Any) -> None:
    running: Served = served(PEOPLE)
    page = visit(running.room("columns"))
    page.click("#find-front:enabled")
    page.locator(".task").wait_for()
    context = page.context
    page.close()
    again = visit.page(context, running.room("front"))
    journey.await_front(again)
    assert "The front is complete" in again.inner_text("#room")


def test_a_search_can_be_cancelled(served: Any, visit: Any) -> None:
    running: Served = served()
    page = visit(running.address)
    page.locator("[data-example=adult]").click()
    page.click("#find-front:enabled")
    page.locator(".task button", has_text="Cancel").click()
    page.locator(".task").wait_for(state="detached")
    (task,) = running.server_state.tasks.values()
    assert task.state == "cancelled"
    if not task.has_result:
        page.locator("#find-front:enabled").wait_for()


def test_what_is_pressed_stays_in_place_while_work_goes_on(served: Any, visit: Any) -> None:
    """A button that is drawn anew between press and release would not hear of it."""
    page = visit(served().address)
    journey.open_example(page, "bases")
    journey.turn_to(page, "groups")
    journey.await_signal(page)
    page.locator("[data-start=attack]:enabled").click()
    page.locator(".task").wait_for()
    pressed = [page.query_selector(place) for place in (".task button", "nav a", "#job")]
    before = page.inner_text(".how-far")
    page.wait_for_function(
        "text => document.querySelector('.how-far').innerText !== text", arg=before
    )
    assert [one.evaluate("one => one.isConnected") for one in pressed] == [True] * 3
    page.locator(".task button").click()
    page.locator(".task").wait_for(state="detached")


def test_a_table_is_closed_on_the_start_page(served: Any, visit: Any) -> None:
    running: Served = served(PEOPLE)
    page = visit(running.room("columns"))
    journey.await_columns(page)
    page.fill("#limit", "7%")
    page.press("#limit", "Enter")
    bar_says(page, 1)
    asked: list[str] = []
    answers = [False, True]

    def answer(dialog: Any) -> None:
        asked.append(dialog.message)
        dialog.accept() if answers.pop(0) else dialog.dismiss()

    page.on("dialog", answer)
    page.click("a.home")
    journey.await_start(page)
    page.get_by_role("button", name="Close people").click()
    page.wait_for_timeout(200)
    assert running.server_state.projects  # not without a word about what would be lost
    page.get_by_role("button", name="Close people").click()
    page.get_by_text("Open now").wait_for(state="detached")
    assert asked == ["Close people? Its edits are not saved."] * 2
    assert not running.server_state.projects
    page.locator("[data-example=people]").click()
    journey.await_columns(page)
    page.click("a.home")
    page.get_by_role("button", name="Close people").click()  # nothing would be lost
    page.get_by_text("Open now").wait_for(state="detached")


def cancel_at_once(page: Any) -> None:
    """Before the process has read the table."""
    journey.turn_to(page, "columns")
    page.click("#find-front:enabled")
    page.locator(".task button", has_text="Cancel").click()
    page.locator(".task").wait_for(state="detached")


def test_a_search_that_was_stopped_is_told_with_and_without_an_older_front(
    served: Any, visit: Any
) -> None:
    page = visit(served(PEOPLE).room("columns"))
    cancel_at_once(page)
    page.locator("#ended", has_text="nothing was searched").wait_for()
    assert "No front was searched" not in page.inner_text("#room")
    page.click("#find-front")
    journey.await_front(page)
    assert page.locator("#ended").count() == 0
    cancel_at_once(page)
    page.locator("#ended", has_text="What you see was found before it").wait_for()
    assert page.locator(".front-room").is_visible()


# ---- bad input


def test_a_file_that_is_no_table_is_refused_in_words(
    served: Any, visit: Any, tmp_path: Path
) -> None:
    page = visit(served().address)
    journey.await_start(page)
    for name, data in (
        ("picture.parquet", b"\x89PNG\r\n\x1a\n" + bytes(200)),
        ("empty.csv", b""),
        ("binary.csv", bytes(range(256)) * 20),
    ):
        file = tmp_path / name
        file.write_bytes(data)
        page.set_input_files("#file", file)
        message = page.locator("#messages .notice.bad")
        message.wait_for()
        assert str(tmp_path) not in message.inner_text()
        message.get_by_role("button").click()
    journey.upload(page, EXAMPLES / "people.csv")
    visit.provokes("400")


def test_a_file_in_another_encoding_opens_the_way_to_say_which(
    served: Any, visit: Any, tmp_path: Path
) -> None:
    page = visit(served().address)
    journey.await_start(page)
    rows = "".join(f"{number},Jürgen,{20 + number % 9}\n" for number in range(40))
    file = tmp_path / "western.csv"
    file.write_bytes(f"number,name,age\n{rows}".encode("cp1252"))
    page.set_input_files("#file", file)
    message = page.get_by_role("alert").filter(has_text="western.csv is not UTF-8 text")
    message.wait_for()
    assert "encoding:" not in message.inner_text()
    assert page.evaluate("document.activeElement.id") == "encoding"
    page.select_option("#encoding", "cp1252")
    page.set_input_files("#file", file)
    journey.await_columns(page)
    binary = tmp_path / "binary.csv"
    binary.write_bytes(bytes(range(256)) * 20)
    page.locator("#bar .home").click()
    journey.await_start(page)
    page.set_input_files("#file", binary)
    page.get_by_role("alert").filter(has_text="binary.csv is no table").wait_for()
    visit.provokes("400")


def test_a_file_above_the_limit_is_not_sent(served: Any, visit: Any) -> None:
    running = served(upload_limit=1000)
    page = visit(running.address)
    journey.await_start(page)
    page.set_input_files("#file", EXAMPLES / "people.csv")
    message = page.locator("#messages .notice.bad")
    message.wait_for()
    assert "at most 1,000 are taken here" in message.inner_text()
    assert "paretonym explore TABLE" in message.inner_text()
    assert not running.server_state.projects
    page.locator("[data-example=people]").click()
    journey.await_columns(page)


def test_a_job_edited_into_nonsense_leaves_every_room_alive(served: Any, visit: Any) -> None:
    running: Served = served(PEOPLE)
    page = visit(running.room("columns"))
    journey.await_columns(page)
    page.click("text=Edit the text")
    text = page.input_value("#job-text")
    page.fill("#job-text", text.replace("role: sensitive", "role: sensible"))
    page.click("#apply-text")
    page.locator("#bar .fault").wait_for()
    line = 1 + text[: text.index("role: sensitive")].count("\n")
    assert f"Line {line}" in page.inner_text("#job-faults")
    for room in ("front", "node", "security", "groups", "release"):
        journey.turn_to(page, room)
        assert "diagnosis" in page.inner_text("#bar .fault")
    page.get_by_role("link", name="Mend it in Columns").click()
    page.click("#undo")
    page.locator("#bar .fault").wait_for(state="detached")
    page.locator("#find-front:enabled").wait_for()
    visit.provokes("400")


def test_a_text_that_was_typed_and_not_applied_outlives_a_look_at_another_room(
    served: Any, visit: Any
) -> None:
    here = served(EXAMPLES / "people.yaml")
    page = visit(here.room("columns"))
    journey.await_columns(page)
    page.locator(".job-text summary").click()
    typed = page.input_value("#job-text") + "# not yet\n"
    page.fill("#job-text", typed)
    journey.turn_to(page, "groups")
    journey.turn_to(page, "columns")
    journey.await_columns(page)
    assert page.input_value("#job-text") == typed
    page.click("#discard-text")
    journey.turn_to(page, "groups")
    journey.turn_to(page, "columns")
    journey.await_columns(page)
    assert "not yet" not in page.input_value("#job-text")
    assert "not yet" not in here.project.text
