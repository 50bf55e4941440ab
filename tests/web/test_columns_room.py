"""The Columns room in a browser: what it lists, how it edits the job, what it survives."""

from __future__ import annotations

import re

import pytest
from tests.support.browsing import AXE, TORN_WORDS
from tests.web.serving import EXAMPLES

from paretonym.jobfile.flow import scalar
from paretonym.jobfile.loading import job_from_text

PEOPLE = EXAMPLES / "people.yaml"


def words(page, selector):
    return re.sub(r"\s+", " ", page.inner_text(selector)).strip()


@pytest.fixture
def people(served, visit):
    """The room with the example open, and the project behind it."""
    running = served(PEOPLE)
    page = visit(running.room("columns"))
    page.wait_for_selector(".tree")
    return page, running.project


def edited(page, project, act):
    """Does something, waits until the page shows it, and gives the job's text."""
    page.wait_for_selector(".column-list:not([aria-busy])")
    number = project.place + 1
    act()
    page.wait_for_selector(f".history li:nth-child({number}):not(.undone)", state="attached")
    return project.text


def test_every_column_is_listed_with_what_it_holds(people):
    page, _ = people
    rows = [words(page, f"tr:has(> th #column-{i})") for i in range(8)]
    assert rows[1].startswith("birth date 590 0 580")
    assert rows[4].startswith("education text 6 25 0")
    assert "600 rows, 8 columns: 5 quasi-identifiers, 1 sensitive" in words(page, ".columns-head")


@pytest.mark.parametrize("width", [1280, 375])
def test_no_word_of_the_list_is_torn_apart(people, width):
    page, _ = people
    page.set_viewport_size({"width": width, "height": 720})
    assert page.evaluate(TORN_WORDS, ".column-list") == []


def test_arrow_keys_walk_through_the_columns_and_the_address_follows(people):
    page, _ = people
    page.focus("#column-1")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    page.wait_for_selector("h2:has-text('education')")
    assert page.url.endswith("?column=education")
    assert page.evaluate("document.activeElement.id") == "column-4"
    page.reload()
    page.wait_for_selector(".column-side h2:has-text('education')")


def test_the_tree_has_the_rows_of_each_block(people):
    """254 people went to university: 148 bachelors, 82 masters, 24 doctors."""
    page, _ = people
    page.click("#column-4")
    page.wait_for_selector("summary:has-text('university')")
    assert words(page, "summary:has-text('university')") == "university 3 values 254 42.3 %"
    page.click("summary:has-text('university')")
    page.wait_for_selector(".tree .leaf:has-text('bachelor')")  # filled when it is opened
    assert "bachelor 148" in words(page, ".tree")
    assert words(page, ".steps") == "value 7 groups 1 4 * 1"


def test_a_role_brings_and_takes_its_keys_in_one_step(people):
    page, project = people
    before = project.text
    text = edited(page, project, lambda: page.select_option("#role-1", "insensitive"))
    assert "birth: {role: insensitive}" in text
    assert "# levels: the day, the year, the decade" in text
    page.click("#undo")
    page.wait_for_selector("#role-1:has(option[value=quasi]:checked)")
    assert project.text == before
    text = edited(page, project, lambda: page.select_option("#role-6", "quasi+target"))
    assert "diagnosis: {role: [quasi, target], hierarchy: suppress}" in text


def test_a_proposal_can_be_corrected_in_place(served, visit):
    """What was compared of a secret goes with that role; values without a group are in `other`."""
    running = served(EXAMPLES / "people.csv")
    page = visit(running.room("columns"))
    page.wait_for_selector(".tree")
    assert "objectives: [k, glm, distinct_l(job)]" in running.project.text
    text = edited(page, running.project, lambda: page.select_option("#role-5", "quasi"))
    assert "objectives: [k, glm]" in text
    page.click("#undo")
    page.wait_for_selector("#role-5:has(option[value=sensitive]:checked)")
    assert "objectives: [k, glm, distinct_l(job)]" in running.project.text
    page.click("#column-4")
    page.wait_for_selector("input[aria-label='Group of primary']")
    assert page.input_value("input[aria-label='Group of primary']") == ""
    assert page.input_value("input[aria-label='Group of master']") == "master"


def test_groups_are_previewed_and_then_applied(people):
    """With training put into school there are 3 blocks: school, university and the missing."""
    page, project = people
    before = project.text
    page.click("#column-4")
    page.fill("input[aria-label='Group of vocational']", "school")
    page.wait_for_selector("#apply-hierarchy:enabled")
    assert words(page, ".steps") == "value 7 groups 1 3 * 1"
    assert project.text == before
    text = edited(page, project, lambda: page.click("#apply-hierarchy"))
    job = job_from_text(text, name="people.yaml", base=project.base)
    groups = next(c.hierarchy for c in job.columns if c.name == "education").levels
    assert [sorted(members) for _, members in groups[0]] == [
        ["primary", "secondary", "vocational"],
        ["bachelor", "doctorate", "master"],
    ]


def test_values_without_a_group_can_be_pooled(people):
    """Only school is named: the four other values are pooled, and missing ones stay apart."""
    page, project = people
    page.click("#column-4")
    for value in ("vocational", "bachelor", "master", "doctorate"):
        page.fill(f"input[aria-label='Group of {value}']", "")
    page.fill("#other", "further")
    page.wait_for_selector("#apply-hierarchy:enabled")
    assert words(page, ".steps") == "value 7 groups 1 3 * 1"
    text = edited(page, project, lambda: page.click("#apply-hierarchy"))
    job = job_from_text(text, name="people.yaml", base=project.base)
    made = next(c.hierarchy for c in job.columns if c.name == "education")
    assert made.other == "further"
    assert [(name, sorted(members)) for name, members in made.levels[0]] == [
        ("school", ["primary", "secondary"])
    ]


def test_what_does_not_work_is_said_before_it_is_applied(people):
    page, _ = people
    page.click("#column-2")
    page.select_option("#builder", "intervals")
    page.fill("#widths", "")
    page.wait_for_selector("text=Give at least one width")
    assert page.is_disabled("#apply-hierarchy")


def test_another_builder_takes_keys_along_that_would_contradict_it(people):
    page, project = people
    page.click("#column-1")
    page.select_option("#builder", "mask")
    page.wait_for_selector("#apply-hierarchy:enabled")
    text = edited(page, project, lambda: page.click("#apply-hierarchy"))
    assert "birth: {role: quasi, weight: 2, hierarchy: {mask: right}}" in text


def test_the_other_settings_are_edits_too(people):
    page, project = people
    edited(page, project, lambda: page.select_option("#add-objective", "loss_geometric"))
    edited(page, project, lambda: page.click("#up-3"))
    edited(page, project, lambda: page.select_option("#add-requirement", "distinct_l(diagnosis)"))
    page.fill("#limit", "12 rows")
    text = edited(page, project, lambda: page.press("#limit", "Enter"))
    job = job_from_text(text, name="people.yaml", base=project.base)
    assert job.objectives == ("k", "glm", "loss_geometric", "distinct_l(diagnosis)")
    assert {name: int(bound) for name, bound in job.require.items()} == {"distinct_l(diagnosis)": 2}
    assert job.suppression.limit.rows == 12


def test_what_looks_like_a_number_and_is_none_stays_a_text(people):
    page, project = people
    page.click("#column-7")
    page.wait_for_selector("#column-because")
    for word in ("NaN", "Infinity", "2020"):
        text = edited(page, project, lambda word=word: write(page, "#column-because", word))
        assert f"because: {scalar(word)}" in text
    text = edited(page, project, lambda: write(page, "#limit", "Infinity"))
    assert f"limit: {scalar('Infinity')}" in text
    page.wait_for_selector("#bar .fault")


def write(page, selector, text):
    page.fill(selector, text)
    page.press(selector, "Enter")


def test_nonsense_is_told_with_its_line_and_can_be_undone(people, visit):
    page, project = people
    page.click("text=Edit the text")
    wrong = page.input_value("#job-text").replace("hierarchy: suppress", "hierarchy: supress")
    page.fill("#job-text", wrong)
    edited(page, project, lambda: page.click("#apply-text"))
    line = 1 + wrong[: wrong.index("supress")].count("\n")
    assert words(page, "#job-faults li").startswith(f"Line {line} columns.sex.hierarchy")
    assert words(page, ".gutter .wrong") == str(line)
    assert page.is_disabled("#find-front")
    page.click("#undo")
    page.wait_for_selector("#find-front:enabled")
    assert "supress" not in page.input_value("#job-text")
    visit.provokes("/tree")  # of the faulty column


def test_two_quick_changes_are_both_made(people):
    """The second waits for the first instead of being taken for another tab's."""
    page, project = people
    page.evaluate(
        """() => {
          const limit = document.querySelector("#limit"), seed = document.querySelector("#seed");
          limit.value = "7%"; seed.value = "42";
          const change = () => new Event("change", {bubbles: true});
          [limit, seed].forEach((field) => field.dispatchEvent(change()));
        }"""
    )
    page.wait_for_function(
        "() => document.querySelector('.history summary').textContent.startsWith('2 ')"
    )
    assert "limit: 7%" in project.text
    assert "seed: 42" in project.text


def test_a_text_that_is_no_yaml_leaves_the_room_alive(people, visit):
    page, project = people
    page.click("text=Edit the text")
    page.fill("#job-text", "table: [people.csv\ncolumns: {")
    edited(page, project, lambda: page.click("#apply-text"))
    page.wait_for_selector("text=The columns cannot be shown as they are now")
    assert words(page, "#job-faults li")
    page.click("#undo")
    page.wait_for_selector("#find-front:enabled")
    page.wait_for_selector("text=The columns cannot be shown as they are now", state="detached")
    visit.provokes("400")  # the refused columns


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "=1+1",
    "\u202eevil",
    "__proto__",
    "constructor",
    "a" * 300,
]


def test_hostile_names_are_text(served, visit, tmp_path):
    table = tmp_path / "hostile.csv"
    rows = [",".join(f'"{name}"' for name in HOSTILE)]
    rows += [",".join(f'"<script>x{i % 3}</script>{j}"' for j in range(6)) for i in range(30)]
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    running = served(table)
    page = visit(running.room("columns"))
    page.on("dialog", lambda _: pytest.fail("a name was run"))
    for place in range(len(HOSTILE)):
        page.select_option(f"#role-{place}", "sensitive" if place else "quasi")
        page.click(f"#column-{place}")
        page.wait_for_selector(".tree .line")
        assert page.evaluate("document.querySelectorAll('#room img, #room script').length") == 0
        page.wait_for_selector(".column-list:not([aria-busy])")


def test_a_hundred_columns_can_be_filtered(served, visit, tmp_path):
    table = tmp_path / "wide.csv"
    names = [f"column{i}" for i in range(100)]
    lines = [",".join(names), *(",".join(str((i * r) % 7) for i in range(100)) for r in range(40))]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page = visit(served(table).room("columns"))
    page.wait_for_selector("#column-99")
    page.fill("#filter-columns", "column9")
    shown = page.eval_on_selector_all(".column-table tbody tr", "rows => rows.length")
    assert shown == 11  # column9 and column90 to column99


@pytest.mark.parametrize("width", [1440, 800])
def test_labels_and_contrast(served, visit, width):
    page = visit(served(PEOPLE).room("columns", "column=education"), width=width)
    page.wait_for_selector("summary:has-text('university')")
    page.click("text=Edit the text")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
