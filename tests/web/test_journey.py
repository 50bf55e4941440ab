"""A whole visit as a browser sees it: through every room, from a CSV to a release that holds."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.web import journey
from tests.web.serving import EXAMPLES, Served, serving, visiting

import paretonym as pn
from paretonym.jobfile.loading import job_from_text

TABLE = EXAMPLES / "people.csv"
WIDTHS = (1440, 800)


@dataclass(frozen=True, slots=True)
class Walked:
    """What one visit came by: each room's address, what it said, and what was brought home."""

    served: Served
    addresses: dict[str, str]
    told: dict[str, str]
    folder: Path


@pytest.fixture(scope="module")
def walked(browser: Any, tmp_path_factory: Any) -> Iterator[Walked]:
    """One visit through every room with the mouse; the server stays for the other tests."""
    folder = tmp_path_factory.mktemp("journey")
    with serving(folder) as served:
        addresses: dict[str, str] = {}
        told: dict[str, str] = {}
        with visiting(browser) as visit:
            page = visit(served.address)

            def remember(room: str) -> None:
                token = served.address.split("#")[1]
                addresses[room] = f"{page.url}#{token}"
                told[room] = page.inner_text("#room")

            walk(page, remember)
            journey.take(page, "release", folder / "everything")
            journey.take(page, "public", folder / "handed on")
        yield Walked(served, addresses, told, folder)


def walk(page: Any, remember: Any) -> None:
    journey.await_start(page)
    remember("start")
    journey.upload(page, TABLE)
    journey.correct(page)
    remember("columns")
    journey.find_front(page)
    journey.choose(page)
    page.wait_for_url("**levels=*")
    remember("front")
    journey.open_in_node(page)
    remember("node")
    for room in ("security", "groups"):
        journey.turn_to(page, room)
        remember(room)
    for _ in range(2):
        page.go_back()
    journey.await_node(page)
    journey.compare_with_another(page)
    remember("both")
    journey.release_first(page)
    journey.make_release(page)
    remember("release")


def test_a_csv_becomes_a_release_that_can_be_verified(walked: Walked) -> None:
    everything = pn.verify(walked.folder / "everything", against=TABLE)
    assert everything.ok
    assert everything.internal_checked
    handed = walked.folder / "handed on"
    assert {file.name for file in handed.iterdir()} == {"data.csv", "manifest.json", "report.html"}
    assert pn.verify(handed).ok
    header, *rows = (handed / "data.csv").read_text(encoding="utf-8").splitlines()
    assert header == "birth,zip,sex,education,job,diagnosis,visit"
    groups: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}
    for row in rows:
        *quasi, diagnosis, _ = row.split(",")
        sizes[str(quasi)] = sizes.get(str(quasi), 0) + 1
        groups.setdefault(str(quasi), set()).add(diagnosis)
    assert len(rows) >= 570  # at most 5 % of 600 may be left out
    assert min(sizes.values()) >= 5
    assert min(map(len, groups.values())) >= 2


def test_each_room_says_what_the_journey_is_about(walked: Walked) -> None:
    told = walked.told
    assert "5 quasi-identifiers, 1 sensitive, 1 identifier, 1 insensitive" in told["columns"]
    assert "Required of every point: k ≥ 5, ℓ of diagnosis ≥ 2." in told["front"]
    assert "One candidate" in told["node"]
    assert "This job has no rules yet" in told["security"]
    assert "This job names no groups" in told["groups"]
    assert "Person by person" in told["both"]
    assert "Every promise was recomputed from the file and holds." in told["release"]
    assert "Passed through unchanged and not protected: visit." in told["release"]


def test_the_same_job_gives_the_same_numbers_in_the_terminal(
    walked: Walked, tmp_path: Path
) -> None:
    number = walked.addresses["front"].split("/table/")[1].split("/")[0]
    project = walked.served.server_state.projects[number]
    job = job_from_text(project.text, name="job.yaml", base=project.base)
    made = pn.release(job, pick="k>=5", out=tmp_path / "release")
    here, there = (
        sorted((folder / "data.csv").read_text(encoding="utf-8").splitlines())
        for folder in (made.folder, walked.folder / "handed on")
    )
    assert here == there  # the order of rows is drawn anew for each release


def test_the_tutorial_tells_this_journey(walked: Walked) -> None:
    """docs/tutorial.md goes the same way; its numbers are those that the rooms show."""
    text = " ".join((EXAMPLES.parent / "docs" / "tutorial.md").read_text(encoding="utf-8").split())
    told = walked.told
    drawn = re.search(r"All (\d+) candidates looked at are drawn; (\d+) are", told["front"])
    assert drawn is not None
    assert f"All {drawn[1]} candidates that meet the requirements are drawn" in text
    assert f"and {drawn[2]} are on the front" in text
    first = re.search(r"(\d+) rows released in (\d+) classes, (\d+) rows left out", told["node"])
    assert first is not None
    assert f"{first[1]} rows are released in {first[2]} classes" in text
    assert f"and {first[3]} rows are left out" in text
    second = re.search(r"smallest class \(k\)\s+more is better\s+5\s+(\d+)", told["both"])
    lost = re.search(r"second: .* classes, (\d+) rows left out", told["both"])
    assert second is not None
    assert lost is not None
    assert f"classes of at least {second[1]} and leaves out {lost[1]} rows" in text


READY = {
    "start": "[data-example]",
    "columns": ".column-side .tree",
    "front": ".front-room canvas",
    "node": "[aria-label=Preview]",
    "both": "[aria-label=Preview]",
    "security": "form.rule-form",
    "groups": "#room h1",
    "release": "#verdict",
}


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("PARETONYM_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("room", READY)
def test_a_room_is_readable_for_everybody(
    walked: Walked, visit: Any, pictures: Path, room: str
) -> None:
    """axe-core finds nothing serious, nothing sticks out; a picture of each width is kept."""
    page = visit(walked.addresses[room])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 1000})
        page.locator(READY[room]).first.wait_for()
        journey.picture(page, pictures / f"{room}-{width}.png")
        assert journey.serious_faults(page) == [], width
        assert journey.sticks_out(page) <= 0, width


def test_rooms_full_of_results_are_readable_too(walked: Walked, visit: Any, pictures: Path) -> None:
    """The Security and Groups rooms with something in them."""
    for example, room in (("clinic", "security"), ("bases", "groups")):
        page = visit(walked.served.address)
        journey.open_example(page, example)
        if room == "security":
            journey.find_secure(page)
        else:
            journey.turn_to(page, room)
            journey.await_signal(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 1000})
            journey.picture(page, pictures / f"{room}-full-{width}.png")
            assert journey.serious_faults(page) == [], (room, width)
            assert journey.sticks_out(page) <= 0, (room, width)


# ---- without a mouse


def tab_to(page: Any, selector: str, most: int = 400) -> None:
    """Presses Tab until the element has the focus, as somebody without a mouse does."""
    page.locator(selector).first.wait_for()
    for _ in range(most):
        if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never comes to {selector}")


def choose_by_letters(page: Any, selector: str, letters: str) -> None:
    """A select by typing how the choice begins."""
    number = journey.edits(page) + 1
    tab_to(page, selector)
    page.keyboard.type(letters)
    journey.await_edits(page, number)


def test_the_whole_way_goes_without_a_mouse(walked: Walked, visit: Any, tmp_path: Path) -> None:
    page = visit(walked.addresses["start"])
    tab_to(page, "#file")
    with page.expect_file_chooser() as asked:
        page.keyboard.press("Enter")
    asked.value.set_files(TABLE)
    journey.await_columns(page)
    choose_by_letters(page, "[aria-label='Role of job']", "q")
    choose_by_letters(page, "[aria-label='Role of visit']", "i")
    tab_to(page, "#find-front:enabled")
    page.keyboard.press("Enter")
    journey.await_front(page)
    for digit, room in (("4", "security"), ("5", "groups"), ("2", "front")):
        page.keyboard.press(digit)
        page.wait_for_url(f"**/{room}*")
    tab_to(page, "table.grid")
    for key in ("End", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    tab_to(page, ".bar .actions .main")
    page.keyboard.press("Enter")
    journey.await_node(page)
    chosen = page.url.split("?")[1]
    page.keyboard.press("6")
    page.wait_for_url("**/release*")
    assert chosen in page.url
    tab_to(page, "#make:enabled")
    page.keyboard.press("Enter")
    page.locator("#verdict").wait_for()
    tab_to(page, "#get-release")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    folder = journey.unpacked(waiting.value, tmp_path / "everything")
    assert pn.verify(folder, against=TABLE).ok
