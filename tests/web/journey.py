"""The steps of a visit, from a table to a verified release; each ends when its page is up."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from tests.support.browsing import AXE

AXE_RUN = """axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
})"""
EDUCATION = {
    "school": ("primary", "secondary"),
    "training": ("vocational",),
    "university": ("bachelor", "master", "doctorate"),
}


def await_start(page: Any) -> None:
    page.locator("[data-example]").first.wait_for()


def upload(page: Any, table: Path) -> None:
    await_start(page)
    page.set_input_files("#file", table)
    page.wait_for_url("**/table/**")  # it is read and a job is proposed; then it is looked at
    await_columns(page)


def await_columns(page: Any) -> None:
    page.locator(".column-list tbody tr").first.wait_for()
    page.locator(".column-side h2").wait_for()


def edits(page: Any) -> int:
    return int(page.locator(".history li:not(.undone)").count())


def await_edits(page: Any, number: int) -> None:
    """Waits until the page shows the job as it is after so many edits."""
    page.locator(f".history li:nth-child({number}):not(.undone)").wait_for(state="attached")
    page.locator(".column-list:not([aria-busy])").wait_for()


# ---- Columns


def set_role(page: Any, column: str, role: str) -> None:
    number = edits(page) + 1
    page.get_by_label(f"Role of {column}", exact=True).select_option(role)
    await_edits(page, number)


def look_at(page: Any, column: str) -> None:
    page.get_by_role("button", name=column, exact=True).click()
    page.locator(".column-side h2", has_text=column).wait_for()
    page.locator(".column-side .tree").wait_for()


def group_education(page: Any) -> None:
    """Groups that mean something, in place of the most frequent values."""
    look_at(page, "education")
    for group, values in EDUCATION.items():
        for value in values:
            page.get_by_label(f"Group of {value}", exact=True).fill(group)
    number = edits(page) + 1
    page.locator("#apply-hierarchy:enabled").click()
    await_edits(page, number)


def settle(page: Any) -> None:
    """What is compared, what is required, how much may be left out."""
    number = edits(page)
    page.select_option("#add-objective", "distinct_l(diagnosis)")
    await_edits(page, number + 1)
    page.select_option("#add-requirement", "distinct_l(diagnosis)")
    await_edits(page, number + 2)
    page.fill("#limit", "5%")
    page.press("#limit", "Enter")
    await_edits(page, number + 3)


def correct(page: Any) -> None:
    """What the proposal for examples/people.csv could not know."""
    set_role(page, "job", "quasi")
    set_role(page, "visit", "insensitive")
    group_education(page)
    settle(page)


# ---- Front and Node


def find_front(page: Any) -> None:
    page.click("#find-front:enabled")
    page.wait_for_url("**/front*")
    await_front(page)


def await_front(page: Any) -> None:
    page.locator(".front-room").wait_for()
    page.wait_for_function("() => document.documentElement.dataset.drawn")
    page.locator(".task").wait_for(state="detached")  # the files of the front are written


def choose(page: Any, pick: str = "k ≥ 5") -> None:
    page.get_by_role("button", name=pick, exact=True).click()
    page.get_by_role("button", name="Open in Node").wait_for()


def open_in_node(page: Any) -> None:
    page.get_by_role("button", name="Open in Node").click()
    await_node(page)


def await_node(page: Any) -> None:
    page.locator(".node-room").wait_for()
    page.get_by_role("region", name="Preview").first.wait_for()


def compare_with_another(page: Any) -> None:
    """Back to the front, one more point, and both side by side."""
    page.get_by_role("button", name="Show in Front").click()
    await_front(page)
    page.get_by_role("button", name="Compare with…").click()
    page.locator("table.grid tr[aria-selected=false]").first.click()
    page.get_by_role("button", name="Open both").click()
    page.get_by_role("heading", name="Two candidates side by side").wait_for()
    await_node(page)


# ---- the other rooms


def turn_to(page: Any, room: str) -> None:
    page.locator("nav a", has_text=room.capitalize()).click()
    page.wait_for_url(f"**/{room}*")
    page.locator("#room h1, #room h2").first.wait_for()


def open_example(page: Any, name: str) -> None:
    page.locator(f"[data-example={name}]").click()
    page.wait_for_url("**/table/*")
    page.locator("nav").wait_for()


def find_secure(page: Any) -> None:
    turn_to(page, "security")
    page.locator("[data-start=secure]:enabled").click()
    page.locator(".secure-plot canvas").wait_for()


def await_signal(page: Any) -> None:
    """Groups are counted without being asked for."""
    page.locator("[data-section=signal] figure canvas").first.wait_for()


def release_first(page: Any) -> None:
    """From two candidates side by side to the release of the first."""
    page.get_by_role("button", name="Release the first…").click()
    page.locator("#make:enabled").wait_for()


def make_release(page: Any) -> None:
    page.click("#make:enabled")
    page.locator("#verdict").wait_for()


def take(page: Any, what: str, folder: Path) -> Path:
    """Downloads a zip and unpacks it into a folder."""
    with page.expect_download() as waiting:
        page.click(f"#get-{what}")
    return unpacked(waiting.value, folder)


def unpacked(download: Any, folder: Path) -> Path:
    with zipfile.ZipFile(download.path()) as archive:
        archive.extractall(folder)
    return folder


# ---- looking


def serious_faults(page: Any) -> list[tuple[str, list[str]]]:
    """What axe-core finds to be serious or critical: the rule, and where."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return [
        (fault["id"], [node["html"][:160] for node in fault["nodes"][:3]])
        for fault in page.evaluate(AXE_RUN)["violations"]
        if fault["impact"] in {"serious", "critical"}
    ]


def sticks_out(page: Any) -> int:
    """Pixels by which the page is wider than its window."""
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(page.evaluate(wide))


def picture(page: Any, file: Path, *, top: str | None = None) -> None:
    """What the window shows, from the top of the page or of something in it."""
    page.mouse.move(0, 0)
    page.evaluate(
        """top => {
          document.activeElement?.blur();
          const at = top ? document.querySelector(top).getBoundingClientRect().top + scrollY : 0;
          scrollTo(0, top ? at - document.getElementById("bar").offsetHeight - 16 : 0);
        }""",
        top,
    )
    page.wait_for_timeout(150)  # charts follow the size of their place one frame later
    page.screenshot(path=file, animations="disabled", caret="hide")
