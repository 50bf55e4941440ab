"""The Groups room in a browser: one base, found by an adversary and masked again."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.support.attacking import GROUP, MAIN, MAIN_NAMES, OTHER, OTHER_NAMES, QUICK, csv_text
from tests.web.journey import edits
from tests.web.serving import EXAMPLES

SOLDIERS: dict[str, Any] = {
    **GROUP,
    "auxiliary": {"table": "town-other.csv"},
    "attack": {**QUICK, "attackers": ["fuzzy"]},
    "protect": {
        "influential": {"way": {"categorical": 1}, "when": {"categorical": 1}},
        "distortion": "100%",
        "compatibility": "1",
    },
}


def write(folder: Path, main: Any = MAIN, **groups: Any) -> Path:
    """A town whose area f has the base."""
    (folder / "town.csv").write_text(csv_text(MAIN_NAMES, main))
    (folder / "town-other.csv").write_text(csv_text(OTHER_NAMES, OTHER))
    job = folder / "town.yaml"
    job.write_text(json.dumps({"table": "town.csv", "groups": groups, "search": {"seed": 1}}))
    return job


def section(page: Any, kind: str) -> Any:
    return page.locator(f"[data-section={kind}]")


def numbers(figure: Any) -> list[list[str]]:
    """The table under a figure, which is made when it is opened."""
    figure.locator("summary").click()
    figure.locator("table").wait_for()
    return [row.locator("th, td").all_inner_texts() for row in figure.locator("tbody tr").all()]


@pytest.fixture
def page(tmp_path: Path, served: Any, visit: Any) -> Any:
    return visit(served(write(tmp_path, soldiers=SOLDIERS)).room("groups"))


def test_the_group_is_counted_without_being_asked(page: Any) -> None:
    figure = section(page, "signal").locator("figure")
    figure.wait_for()
    assert "stands out: f" in figure.inner_text()
    assert "133 members among 833 records" in section(page, "signal").inner_text()
    assert "job = s" in page.locator("#room .says").inner_text()
    assert numbers(figure)[5] == ["f", "190", "▼ 90"]
    page.get_by_role("button", name="Concentration").click()
    assert numbers(section(page, "signal").locator("figure"))[5][2] == "▼ 47.4 %"
    assert "kind=concentration" in page.url
    page.get_by_role("button", name="Largest first").click()
    first = numbers(section(page, "signal").locator("figure"))[0]
    assert first[0] == "f"


def test_coming_back_while_counting_begins_does_not_count_twice(
    tmp_path: Path, served: Any, visit: Any
) -> None:
    """Who turns to the room again before the server has answered sees one count and no refusal."""
    here = served(write(tmp_path, soldiers=SOLDIERS))
    page = visit(here.room("columns"))
    page.locator("nav").wait_for()
    held: list[Any] = []
    page.route("**/tasks", lambda route: held.append(route))
    with page.expect_request("**/tasks"):
        page.keyboard.press("5")
    page.keyboard.press("5")
    page.wait_for_timeout(300)  # a second request would come now
    for route in held:
        route.continue_()
    section(page, "signal").locator("figure").wait_for()
    assert page.locator("#messages .notice").count() == 0
    assert [task.kind for task in here.server_state.tasks.values()] == ["signal"]


def test_an_attack_finds_the_base_and_stays_after_a_reload(page: Any) -> None:
    section(page, "signal").locator("figure").wait_for()
    page.locator("[data-start=attack]").click()
    section(page, "attack").locator("figure").first.wait_for()
    page.reload()
    attack = section(page, "attack")
    attack.locator("figure").wait_for()
    assert "1 of 1 place recovered" in attack.locator("[data-adversary=fuzzy]").inner_text()
    assert "none as good" in attack.inner_text()
    assert "on foot, night" in attack.locator(".rules-table").inner_text()
    row = attack.locator(".places tbody tr")
    assert [text.strip() for text in row.locator("th, td").all_inner_texts()] == [
        "f", "90", "▼ stands out", "▼ recovered",
    ]  # fmt: skip
    figure = numbers(attack.locator("figure"))
    assert figure[5][1] == "▼ 90"
    assert figure[5][2].startswith("▼ ")
    assert attack.locator("canvas").count() == 1


def test_swaps_mask_the_base_and_can_be_fetched(page: Any, tmp_path: Path) -> None:
    section(page, "signal").locator("figure").wait_for()
    page.locator("[data-start=protect]").click()
    protect = section(page, "protect")
    protect.locator("figure").first.wait_for()
    assert "stands out nowhere any more" in protect.inner_text()
    assert "proven to be the least" in protect.inner_text()
    rows = {cells[0]: cells[1:] for cells in numbers(protect.locator("figure").first)}
    assert rows["f"][0] == "▼ 90"
    assert not any("▼" in cells[1] for cells in rows.values())
    # swaps move members about, and lose none
    assert sum(int(cells[1]) for cells in rows.values()) == 133
    with page.expect_download() as waiting:
        protect.locator("[data-download=protect]").click()
    file = tmp_path / "protected.zip"
    waiting.value.save_as(file)
    (data,) = [name for name in zipfile.ZipFile(file).namelist() if name.startswith("data.")]
    header = zipfile.ZipFile(file).read(data).decode().splitlines()[0]
    assert header == "area,way,when"


def test_what_the_server_refuses_is_shown_where_it_was_asked(
    tmp_path: Path, served: Any, visit: Any
) -> None:
    alone = {key: value for key, value in SOLDIERS.items() if key not in ("auxiliary", "protect")}
    page = visit(served(write(tmp_path, soldiers=alone)).room("groups"))
    section(page, "signal").locator("figure").wait_for()
    for kind, words in (("attack", "auxiliary"), ("protect", "no group says how")):
        page.locator(f"[data-start={kind}]").press("Enter")
        notice = section(page, kind).locator(".notice.bad")
        notice.wait_for()
        assert words in notice.inner_text()


def test_hundreds_of_areas_and_odd_names_stay_readable(
    tmp_path: Path, served: Any, visit: Any
) -> None:
    odd = "<b>x</b>\u202e{a|b}"
    main = [(f"{number:03}", job, "car", "day") for number in range(300) for job in "sc"]
    main += [(odd, "s", "car", "day")] * 40 + [(odd, "c", "car", "day")]
    spec = {"vital": "job = s", "parameter": ["area"]}
    page = visit(
        served(write(tmp_path, main, one=spec, two={**spec, "vital": "job = c"})).room("groups")
    )
    figure = section(page, "signal").locator("figure")
    figure.wait_for()
    assert "301 areas" in figure.inner_text()
    page.get_by_role("button", name="Largest first").click()
    figure = section(page, "signal").locator("figure")
    rows = numbers(figure)
    assert (len(rows), rows[0][2]) == (301, "▼ 40")
    assert page.locator("#room b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
    page.get_by_role("button", name="two", exact=True).click()
    assert "“two”" in page.locator("#room").inner_text()
    assert "group=two" in page.url


def name_a_group(page: Any, *, vital: str, area: str, remove: str) -> None:
    page.fill("#group-name", "the nurses")
    page.fill("#group-vital", vital)
    group = page.locator(".group-start")
    group.get_by_role("group", name="Where somebody is").get_by_label(area, exact=True).check()
    group.get_by_role("group", name="Taken out").get_by_label(remove, exact=True).check()
    page.click("#add-group")


def test_a_job_without_groups_gets_one_from_a_form(served: Any, visit: Any) -> None:
    """From a plain table to a drawn signal, and back by one step."""
    here = served(EXAMPLES / "people.csv")
    page = visit(here.room("groups"))
    page.get_by_text("docs/group-anonymity.md").wait_for()
    page.click("#add-group")
    page.locator("#group-problem", has_text="a name of your own").wait_for()
    name_a_group(page, vital="jobb = nurse", area="zip", remove="job")
    page.locator("#group-problem", has_text="did you mean 'job'").wait_for()
    page.fill("#group-vital", "job = nurze")
    page.click("#add-group")
    page.locator("#group-problem", has_text="does not occur").wait_for()
    assert edits(page) == 0
    page.fill("#group-vital", "job = nurse")
    page.click("#add-group")
    figure = section(page, "signal").locator("figure")
    figure.locator("canvas").wait_for()
    (group,) = here.project.snapshot.job().groups
    assert (group.name, group.parameter, group.remove) == ("the nurses", ("zip",), ("job",))
    page.click("#undo")
    page.locator("#add-group").wait_for()
    assert "the nurses" not in here.project.text


def test_the_form_also_starts_a_job_that_has_no_columns(
    tmp_path: Path, served: Any, visit: Any
) -> None:
    """The columns come from the table then; without a group such a job is not whole."""
    write(tmp_path)
    (tmp_path / "town.yaml").write_text("table: town.csv\n")
    page = visit(served(tmp_path / "town.yaml").room("groups"))
    name_a_group(page, vital="job = s", area="area", remove="job")
    section(page, "signal").locator("figure canvas").wait_for()
    assert page.locator("#bar .fault").count() == 0
