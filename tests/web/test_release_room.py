"""The Release room in a browser: from a candidate to files whose promises were recomputed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from tests.support.browsing import AXE
from tests.web import journey
from tests.web.serving import EXAMPLES
from tests.web.test_columns_room import words

import paretonym as pn

PEOPLE = EXAMPLES / "people.yaml"
COARSE = "levels=3.5.1.1.1&below=5"  # 589 rows in 14 classes


def made(page):
    page.click("#make:enabled")
    page.wait_for_selector("#verdict")


def downloaded(page, what):
    with page.expect_download() as waiting:
        page.click(f"#get-{what}")
    return Path(waiting.value.path()).read_bytes(), waiting.value.suggested_filename


def names_in(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return set(archive.namelist())


def test_a_release_is_made_recomputed_and_taken_away(served, visit, tmp_path):
    running = served(PEOPLE)
    page = visit(running.room("release", COARSE))
    page.wait_for_selector("text=589 rows released in 14 classes, 11 rows left out")
    assert "not protected: visit" in words(page, "#room")
    made(page)
    assert "Every promise was recomputed from the file and holds." in words(page, "#verdict")
    table = page.inner_text(".checks").splitlines()
    assert "smallest class (k)\t5\t5\t✓ holds" in table
    assert "rows released\t589\t589\t✓ holds" in table
    assert "(missing) 7 25 28.0 %" in words(page, "table.lost:has-text('education')")

    public, name = downloaded(page, "public")
    assert name == "people-public.zip"
    assert names_in(public) == {"data.csv", "manifest.json", "report.html"}
    with zipfile.ZipFile(io.BytesIO(public)) as archive:
        archive.extractall(tmp_path / "handed on")
    assert pn.verify(tmp_path / "handed on").ok
    assert any(one.startswith("internal/") for one in names_in(downloaded(page, "release")[0]))
    data, name = downloaded(page, "data")
    assert (name, data.count(b"\n")) == ("people-data.csv", 590)

    page.goto(running.room("release").split("#")[0])  # another visit, and nothing chosen in it
    page.wait_for_selector("#verdict")
    assert "Classes of fewer than 5 people are left out." in words(page, "#verdict")
    named = [item.split()[0] for item in page.locator("#verdict .level-list li").all_inner_texts()]
    assert named == ["birth", "zip", "sex", "education", "job"]
    assert "level 3" not in words(page, "#verdict")  # its name stands there, not its number
    running.project.change(running.project.revision, [change()], None)
    page.reload()
    page.wait_for_selector("text=The job was changed since this release was made")


def change():
    from paretonym.jobfile.edits import Change

    return Change(("suppression", "limit"), "6%")


def test_from_the_front_through_a_pick_to_a_release(served, visit):
    running = served(PEOPLE)
    page = visit(running.room("release"))
    page.click("text=Go to Columns and find the front")
    journey.find_front(page)
    page.click("nav a:has-text('Release')")
    page.click(".chips button:has-text('k ≥ 5')")
    page.wait_for_url("**/release?levels=*")
    made(page)
    assert not page.query_selector("tr.wrong")


def test_what_cannot_be_released_is_not_offered(served, visit):
    page = visit(served(PEOPLE).room("release", "levels=0.0.0.0.0&below=5"))
    page.wait_for_selector("#why-not:has-text('more rows than the job allows')")
    assert page.is_disabled("#make")


def test_k_of_one_is_warned_of(served, visit):
    page = visit(served(PEOPLE).room("release", "levels=0.0.0.0.0&below=1"))
    page.wait_for_selector("text=k = 1: some people are alone")


def test_a_broken_promise_releases_nothing(served, visit, tmp_path):
    """Each note repeats the dropped name of its own row."""
    table = tmp_path / "leak.csv"
    lines = [f"Person Number{i:03d},{20 + i % 2},seen Person Number{i:03d}" for i in range(40)]
    table.write_text("\n".join(["name,age,note", *lines]) + "\n", encoding="utf-8")
    job = tmp_path / "leak.yaml"
    job.write_text(
        "table: leak.csv\ncolumns:\n  name: {role: identifier}\n"
        "  age: {role: quasi, hierarchy: suppress}\n"
        "  note: {role: insensitive, because: a test}\nobjectives: [k, glm]\n",
        encoding="utf-8",
    )
    page = visit(served(job).room("release", "levels=0&below=1"))
    page.click("#make:enabled")
    page.wait_for_selector("h2:has-text('Nothing was released')")
    assert "cells that carry a dropped identifier" in words(page, "#room")
    assert not page.query_selector("#get-data")


@pytest.mark.parametrize("width", [1440, 800])
def test_labels_and_contrast(served, visit, width):
    page = visit(served(PEOPLE).room("release", COARSE), width=width)
    made(page)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0


def test_levels_stand_beside_their_own_columns(served, visit, tmp_path):
    """Keys that look like numbers come first in JavaScript, whatever the job's order is."""
    lines = [f"{20 + i % 40},{'abcd'[i % 4]},{'xyz'[i % 3]},flu,{i % 2}" for i in range(60)]
    (tmp_path / "years.csv").write_text("\n".join(["age,2020,2019,sick,2018", *lines]) + "\n")
    job = tmp_path / "years.yaml"
    job.write_text(
        "table: years.csv\ncolumns:\n"
        "  age: {role: quasi, hierarchy: {intervals: [5, 10, 20]}}\n"
        '  "2020": {role: quasi, hierarchy: suppress}\n'
        '  "2019": {role: quasi, hierarchy: suppress}\n'
        "  sick: {role: insensitive}\n"
        '  "2018": {role: insensitive}\n'
        "objectives: [k, glm]\n"
    )
    page = visit(served(job).room("release", "levels=3.0.1&below=1"))
    page.wait_for_selector(".level-list")
    assert words(page, ".level-list") == "age level 3 2020 level 0 2019 level 1"
    assert "not protected: sick, 2018." in words(page, "#room")
