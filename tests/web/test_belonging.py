"""What is shown and released belongs to the front, the job and the files it was chosen from."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.waiting import until
from tests.web import journey
from tests.web.asking import asking, done, opened
from tests.web.serving import EXAMPLES, Served

from paretonym.web import server_state as houses
from paretonym.web.server_state import ServerState

LEVELS = [2, 2, 0, 2, 2]  # of examples/people.yaml: k = 6


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[tuple[TestClient, ServerState]]:
    with asking(tmp_path / "house") as pair:
        yield pair


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "job"


def edited(client: TestClient, project: Any, path: list[str], value: Any) -> Any:
    at = f"/api/projects/{project['id']}"
    revision = client.get(at).json()["revision"]
    change = {"revision": revision, "changes": [{"path": path, "value": value}]}
    answer = client.post(f"{at}/edits", json=change)
    assert answer.status_code == 200, answer.text
    return answer.json()


def node_of(client: TestClient, project: Any, **where: Any) -> Any:
    return client.post(f"/api/projects/{project['id']}/node", json={"levels": LEVELS, **where})


def release_of(client: TestClient, project: Any, front: Any) -> Any:
    chosen = {"levels": LEVELS, "below": 6, "digest": front["digest"], "front": front["id"]}
    return done(client, project["id"], "release", **chosen)


def test_a_node_belongs_to_the_front_that_the_page_shows(
    asked: tuple[TestClient, ServerState], folder: Path
) -> None:
    """The same levels mean decades in the first front, and everything in the second."""
    client, server_state = asked
    project = opened(client, server_state, folder)
    first = done(client, project["id"], "front")
    changed = edited(client, project, ["columns", "birth", "hierarchy", "date"], ["decade"])
    assert changed["faults"] == []
    second = done(client, project["id"], "front")

    def name(front: str) -> str:
        (birth,) = (
            one["name"]
            for one in node_of(client, project, front=front).json()["losses"]
            if one["column"] == "birth"
        )
        return str(birth)

    assert name(first["id"]) != name(second["id"])
    at = f"/api/projects/{project['id']}/front"
    assert client.get(at).json() == client.get(f"{at}?task={second['id']}").json()
    assert client.get(at).json() != client.get(f"{at}?task={first['id']}").json()


def test_a_front_of_another_table_is_none_of_this_one(
    asked: tuple[TestClient, ServerState], folder: Path
) -> None:
    client, server_state = asked
    project = opened(client, server_state, folder)
    other = client.post("/api/examples/people").json()
    front = done(client, other["id"], "front")
    assert node_of(client, project, front=front["id"]).status_code == 404
    assert client.get(f"/api/projects/{project['id']}/front?task={front['id']}").status_code == 404


def shortened(file: Path) -> None:
    """The last row of a table goes."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:-1]), encoding="utf-8")


def regrouped(file: Path) -> None:
    """One job moves to another branch."""
    lines = file.read_text(encoding="utf-8").splitlines()
    cells = [line.split(";") for line in lines]
    branch = next(row[1] for row in cells[2:] if row[1] != cells[1][1])
    cells[1][1] = branch
    file.write_text("\n".join(";".join(row) for row in cells) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "change"), [("people.csv", shortened), ("people-jobs.csv", regrouped)]
)
def test_files_that_were_changed_since_the_front_are_noticed(
    asked: tuple[TestClient, ServerState], folder: Path, name: str, change: Any
) -> None:
    """The text of the job is the same; what its levels mean is not."""
    client, server_state = asked
    project = opened(client, server_state, folder)
    front = done(client, project["id"], "front")
    assert node_of(client, project, front=front["id"]).status_code == 200
    time.sleep(0.01)  # so that the file's time differs
    change(folder / name)
    looked = node_of(client, project, front=front["id"])
    assert (looked.status_code, "was changed since the front" in looked.text) == (409, True)
    made = release_of(client, project, front)
    assert made["state"] == "failed"
    assert "was changed since the front" in made["message"]
    again = done(client, project["id"], "front")
    assert release_of(client, project, again)["state"] == "done"


def test_a_table_that_is_written_anew_is_shown_anew(
    asked: tuple[TestClient, ServerState], folder: Path
) -> None:
    client, server_state = asked
    project = opened(client, server_state, folder)
    at = f"/api/projects/{project['id']}/columns"
    assert client.get(at).json()["rows"] == 600
    time.sleep(0.01)
    shortened(folder / "people.csv")
    assert client.get(at).json()["rows"] == 599


def test_an_edited_example_is_not_handed_out_as_new(asked: tuple[TestClient, ServerState]) -> None:
    client, _ = asked
    first = client.post("/api/examples/people").json()
    assert client.post("/api/examples/people").json()["id"] == first["id"]  # untouched
    edited(client, first, ["suppression", "limit"], "3%")
    fresh = client.post("/api/examples/people").json()
    assert fresh["id"] != first["id"]
    assert fresh["edits"] == []


def test_what_is_not_on_disk_is_unsaved(
    asked: tuple[TestClient, ServerState], folder: Path
) -> None:
    """Also after a saved edit was undone."""
    client, server_state = asked
    project = opened(client, server_state, folder)
    at = f"/api/projects/{project['id']}"
    assert server_state.unsaved() == []
    now = edited(client, project, ["suppression", "limit"], "3%")
    assert server_state.unsaved() == ["people.yaml"]
    now = client.post(f"{at}/save", json={"revision": now["revision"]}).json()
    assert server_state.unsaved() == []
    client.post(f"{at}/undo", json={"revision": now["revision"]})
    assert server_state.unsaved() == ["people.yaml"]


def test_so_many_tasks_run_at_once_and_no_more(
    asked: tuple[TestClient, ServerState], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = asked
    monkeypatch.setattr(houses, "MOST_RUNNING", 1)
    people, adult = (client.post(f"/api/examples/{n}").json() for n in ("people", "adult"))
    first = client.post(f"/api/projects/{adult['id']}/tasks", json={"kind": "front"}).json()
    refused = client.post(f"/api/projects/{people['id']}/tasks", json={"kind": "front"})
    assert refused.status_code == 409
    assert "1 tasks are running" in refused.json()["message"]
    early = client.post(f"/api/projects/{adult['id']}/downloads", json={"what": "front"})
    assert early.status_code in (404, 409)  # nothing yet, or still being written
    client.post(f"/api/tasks/{first['id']}/cancel")


def test_a_download_is_over_after_a_while(
    asked: tuple[TestClient, ServerState], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = asked
    monkeypatch.setattr(houses, "TICKET_SECONDS", -1.0)
    project = client.post("/api/examples/people").json()
    at = f"/api/projects/{project['id']}/downloads"
    address = client.post(at, json={"what": "job"}).json()["address"]
    assert client.get(address).status_code == 404


# ---- in the browser


def test_what_is_released_is_what_the_page_shows(served: Any, visit: Any, tmp_path: Path) -> None:
    """Another tab changes the job and finds a new front: the levels here mean the old ones."""
    for name in ("people.csv", "people-jobs.csv", "people.yaml"):
        (tmp_path / name).write_bytes((EXAMPLES / name).read_bytes())
    running: Served = served(tmp_path / "people.yaml")
    page = visit(running.room("columns"))
    journey.await_columns(page)
    journey.find_front(page)
    journey.choose(page)
    page.get_by_role("button", name="Release this…").click()
    page.locator("#make:enabled").wait_for()
    shown = page.inner_text("section[aria-label='The candidate']")
    assert "decade" in shown

    project = running.project
    assert project is not None
    text = project.text.replace("date: [year, decade]", "date: [decade]")
    assert text != project.text
    project.rewrite(project.revision, text)
    running.server_state.start(project, "front")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("#why-not", has_text="The job was changed").wait_for()
    until(lambda: running.server_state.tasks_of(project)[-1].state != "running", "the front")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(1000)
    assert page.locator("#make").is_disabled()
    assert "decade" in page.inner_text("section[aria-label='The candidate']")


def test_another_tables_front_has_no_say_here(served: Any, visit: Any) -> None:
    """From a table with a front to one without, and a release of a secure table there."""
    page = visit(served().address)
    journey.open_example(page, "people")
    journey.find_front(page)
    page.click("a.home")
    journey.await_start(page)
    journey.open_example(page, "clinic")
    journey.find_secure(page)
    page.locator("article.found").first.get_by_role("link", name="Release").click()
    page.locator("#make:enabled").wait_for()
