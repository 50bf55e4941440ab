"""The Security room in a browser: rules as sentences, and every least distorting secure table."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import JOB, NAMES, ROWS, write_csv
from tests.web.journey import edits
from tests.web.serving import EXAMPLES

FLU = {"say": "illness = flu"}


def write(folder: Path, **changes: Any) -> Path:
    write_csv(folder / "people.csv", NAMES, ROWS)
    job = folder / "people.yaml"
    job.write_text(json.dumps({**JOB, **changes}, indent=1))
    return job


@pytest.fixture
def with_rule(tmp_path: Path, served: Any, visit: Any) -> Any:
    job = write(tmp_path, confidential=[FLU], suppression={"limit": "0"})
    return visit(served(job).room("security"))


def fill(page: Any, place: int, **texts: str) -> None:
    for key, text in texts.items():
        page.locator(f"#rule-{place}-{key}").fill(text)
    page.locator("form.rule-form button.main").click()


def test_the_first_rule_also_stops_suppression(tmp_path: Path, served: Any, visit: Any) -> None:
    """The job may leave out one row, which no rule allows."""
    server = served(write(tmp_path))
    page = visit(server.room("security"))
    page.get_by_text("This job has no rules yet").wait_for()
    assert page.locator("[data-start=secure]").is_hidden()
    page.get_by_role("button", name="put illness into the sentence").click()
    page.keyboard.type(" = flu")
    fill(page, 0, damage="2")
    page.locator("[data-change='0']").wait_for()
    assert (
        "Nobody may be certain that illness = flu about anybody."
        in page.locator(".rule").inner_text()
    )
    job = server.project.snapshot.job()
    assert [(str(one.say), int(one.damage)) for one in job.confidential] == [("illness = flu", 2)]
    assert job.suppression.limit.rows == 0
    assert page.locator("[data-start=secure]").is_enabled()


def test_a_rule_with_a_fault_is_refused_before_it_is_kept(with_rule: Any) -> None:
    page = with_rule
    page.get_by_role("button", name="Add a rule").click()
    problem = page.locator("#rule-1-problem")
    for say, words in (
        ("illness = flu adn age = 3", "did you mean 'and'"),
        ("illnesss = flu", "did you mean 'illness'"),
        ("age = 3", "quasi-identifier"),
        ("illness = fluu", "does not occur"),
    ):
        fill(page, 1, say=say)
        problem.get_by_text(words).wait_for()
    assert edits(page) == 0
    assert page.locator("[data-start=secure]").is_enabled()
    page.get_by_role("button", name="Cancel").click()
    assert page.locator(".rule").count() == 1
    assert page.locator("#bar .fault").count() == 0


def test_rules_are_added_and_taken_away(with_rule: Any) -> None:
    page = with_rule
    page.get_by_role("button", name="Add a rule").click()
    fill(page, 1, say="illness = cold", **{"for": "zip = 1010"})
    page.locator("[data-change='1']").wait_for()
    assert "about people of whom zip = 1010 is true" in page.locator(".rule").nth(1).inner_text()
    page.get_by_role("button", name="Remove rule 1").click()
    page.locator("[data-change='1']").wait_for(state="detached")
    assert "illness = cold" in page.locator(".rule").inner_text()
    page.get_by_role("button", name="Remove rule 1").click()
    page.get_by_text("This job has no rules yet").wait_for()


def test_a_faulty_rule_that_stands_in_the_job_hinders_no_other(
    tmp_path: Path, served: Any, visit: Any
) -> None:
    """Only running it finds out about a value in a job that was written elsewhere."""
    job = write(tmp_path, confidential=[{"say": "illness = fluu"}], suppression={"limit": "0"})
    page = visit(served(job).room("security"))
    page.get_by_role("button", name="Add a rule").click()
    fill(page, 1, say="illness = cold")
    page.locator("[data-change='1']").wait_for()
    page.locator("[data-start=secure]").click()
    page.locator(".rule.faulty").get_by_text("does not occur").wait_for()


def test_the_example_is_one_of_this_table(served: Any, visit: Any) -> None:
    page = visit(served(EXAMPLES / "people.yaml").room("security"))
    example = page.locator(".help .example")
    example.wait_for()
    column, value = example.inner_text().split(" = ")
    with (EXAMPLES / "people.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row[column] == value.strip("'")]
    assert len(rows) >= 10


def test_secure_tables_with_the_proven_best(with_rule: Any) -> None:
    """As the table is, everybody stands alone, so the five with flu are given away."""
    page = with_rule
    page.locator("[data-start=secure]").click()
    page.locator(".secure-plot canvas").first.wait_for()
    text = page.locator("#room").inner_text()
    assert "5 people of 9" in text
    assert page.locator("table.exposure td").all_inner_texts() == ["5"]
    assert "this is proven" in text
    assert "Secure means only that nobody can be certain." in text
    for word in ("paper 00", "granulations", "evaluation", "Incognito"):  # the workshop's
        assert word not in text
    page.get_by_text("How they were found").click()
    page.get_by_text("looked at by the search “Incognito”").wait_for()
    assert page.locator("table.grid tr[aria-selected=true]").count() == 1
    best = page.locator("article.found").first.get_by_role("link", name="Open in Node")
    levels = best.get_attribute("href").split("levels=")[1].split("&")[0]
    assert len(levels.split(".")) == 2
    page.get_by_role("button", name="security", exact=True).click()
    assert "sort=sf" in page.url
    page.locator("table.grid").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert "levels=" in page.url
    page.reload()
    page.locator(".secure-plot canvas").first.wait_for()
    assert page.locator(".notice.stale").count() == 0
    page.get_by_role("button", name="Change rule 1").click()
    fill(page, 0, prior="10%")
    page.locator(".notice.stale").wait_for()
    page.locator("article.found").first.get_by_role("link", name="Release").click()
    page.get_by_text("find the secure tables again first").wait_for()  # levels of an older job
    assert "/security" in page.url


def test_a_secure_table_in_which_people_can_be_found_says_so(
    tmp_path: Path, served: Any, visit: Any
) -> None:
    """The rule keeps a secret about nobody who has it, so nothing needs to be coarser."""
    rule = {"say": "illness = flu", "for": "zip = 1020"}
    job = write(tmp_path, confidential=[rule], suppression={"limit": "0"})
    page = visit(served(job).room("security"))
    page.locator("[data-start=secure]").click()
    best = page.locator("article.found").first
    best.get_by_text("k = 1: the secrets are kept, but people can still be found").wait_for()


@pytest.mark.parametrize("width", [1440, 800])
def test_nothing_sticks_out_of_the_page(with_rule: Any, width: int) -> None:
    page = with_rule
    page.set_viewport_size({"width": width, "height": 900})
    page.locator("[data-start=secure]").click()
    page.locator(".secure-plot canvas").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
