"""From an uploaded table to a verified download, through the API alone; and what it refuses."""

from __future__ import annotations

import base64
import io
import json
import os
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from tests.web.asking import EXAMPLES, PEOPLE, asking, done, finished, opened, uploaded

import paretonym as pn
from paretonym.model.measure_catalog import BUILT_IN
from paretonym.web import server_state
from paretonym.web.server import Options, furnished
from paretonym.web.server_state import ServerState


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[tuple[TestClient, ServerState]]:
    with asking(tmp_path / "house") as pair:
        yield pair


@pytest.fixture
def client(asked: tuple[TestClient, ServerState]) -> TestClient:
    return asked[0]


def test_from_an_upload_to_a_verified_download(client: TestClient, tmp_path: Path) -> None:
    project = uploaded(client)
    number = project["id"]
    assert project["faults"] == []
    assert not project["savable"]
    assert client.get(f"/api/projects/{number}/columns").json()["rows"] == 600

    search = done(client, number, "front")
    assert search["state"] == "done"
    front = client.get(f"/api/projects/{number}/front").json()
    point = next(pick for pick in front["picks"] if pick["says"] == "k>=5")["index"]
    levels = np.frombuffer(base64.b64decode(front["points"]["levels"]), "<u2")
    levels = levels.reshape(-1, len(front["columns"]))[point].tolist()
    below = int(np.frombuffer(base64.b64decode(front["points"]["below"]), "<i4")[point])

    node = client.post(f"/api/projects/{number}/node", json={"levels": levels, "below": below})
    assert node.json()["released"] + node.json()["suppressed"] == 600

    chosen = {"levels": levels, "below": below, "digest": project["digest"], "front": search["id"]}
    made = done(client, number, "release", **chosen)
    assert made["state"] == "done", made
    assert made["checks"]
    assert all(check["holds"] for check in made["checks"])

    address = client.post(f"/api/projects/{number}/downloads", json={"what": "release"}).json()
    archive = client.get(address["address"])
    zipfile.ZipFile(io.BytesIO(archive.content)).extractall(tmp_path / "release")
    assert pn.verify(tmp_path / "release", against=PEOPLE).ok
    report = (tmp_path / "release" / "internal" / "report.html").read_text()
    assert "exhaustive: the front is complete" in report
    public = client.post(f"/api/projects/{number}/downloads", json={"what": "public"}).json()
    names = zipfile.ZipFile(io.BytesIO(client.get(public["address"]).content)).namelist()
    assert sorted(names) == ["data.csv", "manifest.json", "report.html"]


def test_the_same_job_gives_the_same_numbers_as_the_terminal(
    asked: tuple[TestClient, ServerState], tmp_path: Path
) -> None:
    client, server_state = asked
    project = opened(client, server_state, tmp_path / "job")
    done(client, project["id"], "front")
    view = client.get(f"/api/projects/{project['id']}/front").json()
    front = pn.find_front(pn.load_job(EXAMPLES / "people.yaml"))
    count = view["front_count"]
    assert count == len(front.entries)
    for objective in front.objectives:
        values = np.frombuffer(base64.b64decode(view["points"]["values"][objective.name]), "<f8")
        assert values[:count].tolist() == [e.values[objective.name] for e in front.entries]


def test_edits_are_undone_step_by_step_and_saved_with_comments(
    asked: tuple[TestClient, ServerState], tmp_path: Path
) -> None:
    client, server_state = asked
    project = opened(client, server_state, tmp_path / "job")
    file = tmp_path / "job" / "people.yaml"
    before = file.read_text()
    at = f"/api/projects/{project['id']}"

    def edit(project: Any, path: list[Any], value: Any) -> Any:
        change = {"revision": project["revision"], "changes": [{"path": path, "value": value}]}
        answer = client.post(f"{at}/edits", json=change)
        assert answer.status_code == 200, answer.text
        return answer.json()

    one = edit(project, ["suppression", "limit"], "3%")
    two = edit(one, ["columns", "birth", "weight"], 4)
    assert two["job"]["columns"]["birth"]["weight"] == "4"
    assert [edit["undone"] for edit in two["edits"]] == [False, False]
    assert file.read_text() == before  # nothing is written before it is asked for
    back = client.post(f"{at}/undo", json={"revision": two["revision"]}).json()
    assert back["text"] == one["text"]
    saved = client.post(f"{at}/save", json={"revision": back["revision"]}).json()
    assert saved["saved"]
    assert file.read_text() == one["text"]
    comments = [line for line in before.splitlines() if line.lstrip().startswith("#")]
    assert all(line in one["text"] for line in comments)
    again = client.post(f"{at}/undo", json={"revision": saved["revision"]}).json()
    assert again["text"] == before
    nothing = client.post(f"{at}/undo", json={"revision": again["revision"]})
    assert nothing.status_code == 400


def test_a_change_of_what_another_tab_has_changed_is_refused(client: TestClient) -> None:
    project = client.post("/api/examples/people").json()
    at = f"/api/projects/{project['id']}/edits"
    change = {"revision": project["revision"], "text": project["text"] + "\n# first\n"}
    assert client.post(at, json=change).status_code == 200
    second = client.post(at, json={**change, "text": "table: other.csv"})
    assert second.status_code == 409
    assert "# first" in client.get(f"/api/projects/{project['id']}").json()["text"]


def test_a_file_that_was_changed_elsewhere_is_not_overwritten(
    asked: tuple[TestClient, ServerState], tmp_path: Path
) -> None:
    client, server_state = asked
    project = opened(client, server_state, tmp_path / "job")
    at = f"/api/projects/{project['id']}"
    text = {"revision": project["revision"], "text": project["text"] + "# here\n"}
    now = client.post(f"{at}/edits", json=text).json()
    (tmp_path / "job" / "people.yaml").write_text("# by an editor\n")
    assert client.post(f"{at}/save", json={"revision": now["revision"]}).status_code == 409
    assert (tmp_path / "job" / "people.yaml").read_text() == "# by an editor\n"


def test_a_job_that_is_a_link_is_saved_where_it_points(
    asked: tuple[TestClient, ServerState], tmp_path: Path
) -> None:
    client, server_state = asked
    opened(client, server_state, tmp_path / "real")
    (tmp_path / "link.yaml").symlink_to("real/people.yaml")
    project = server_state.open_job(tmp_path / "link.yaml")
    at = f"/api/projects/{project.id}"
    now = client.post(f"{at}/edits", json={"revision": 0, "text": f"{project.text}# here\n"}).json()
    assert client.post(f"{at}/save", json={"revision": now["revision"]}).json()["saved"]
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "real" / "people.yaml").read_text() == now["text"]


def test_a_link_that_points_nowhere_is_no_free_name(
    asked: tuple[TestClient, ServerState], tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_bytes(PEOPLE.read_bytes())
    (tmp_path / "people.yaml").symlink_to("elsewhere.yaml")
    assert asked[1].open_table(tmp_path / "people.csv").path == tmp_path / "people-2.yaml"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "table",
        "{",
        "columns: [",
        "table: people.csv\ncolumns: 3",
        "a: &a [*a]",
        "\x00",
        "🦆" * 9,
    ],
)
def test_a_job_edited_into_nonsense_is_told_and_the_rest_stays_alive(
    client: TestClient, text: str
) -> None:
    project = client.post("/api/examples/people").json()
    at = f"/api/projects/{project['id']}"
    now = client.post(f"{at}/edits", json={"revision": project["revision"], "text": text}).json()
    assert now["faults"]
    assert client.get(f"{at}/columns").status_code in (200, 400)
    refused = client.post(f"{at}/tasks", json={"kind": "front"})
    assert refused.status_code == 400
    back = client.post(f"{at}/undo", json={"revision": now["revision"]}).json()
    assert back["faults"] == []


def test_a_fault_names_its_line(client: TestClient) -> None:
    project = client.post("/api/examples/people").json()
    text = project["text"].replace("role: identifier", "role: nobody")
    line = next(i for i, t in enumerate(text.splitlines(), 1) if "role: nobody" in t)
    at = f"/api/projects/{project['id']}/edits"
    now = client.post(at, json={"revision": project["revision"], "text": text}).json()
    assert [fault["line"] for fault in now["faults"]] == [line]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("people.csv", b""),
        ("people.csv", b"\x89PNG\r\n\x1a\n" + os.urandom(500)),
        ("people.parquet", b"PAR1 nonsense PAR1"),
        ("people.csv.gz", b"\x1f\x8b\x08 nonsense"),
        ("people.csv", b"a,b\n1\n"),
        ("people.csv", b"a,a\n1,2\n"),
        ("people.csv", b"a,b\n"),
        ("people.exe", b"a,b\n1,2\n"),
        ("", b"a,b\n1,2\n"),
        ("../../etc/passwd", b"a,b\n1,2\n"),
    ],
)
def test_what_is_no_table_is_refused_and_leaves_nothing(
    asked: tuple[TestClient, ServerState], name: str, content: bytes
) -> None:
    client, server_state = asked
    answer = client.post("/api/tables", params={"name": name}, content=content)
    assert answer.status_code == 400, answer.text
    assert answer.json()["message"]
    assert str(server_state.folder) not in answer.text
    assert client.get("/api/state").json()["projects"] == []
    left = [file for file in server_state.folder.rglob("*") if file.is_file()]
    assert left == []


def test_pages_are_told_what_is_known_of_measures(asked: tuple[TestClient, ServerState]) -> None:
    client, _ = asked
    state = client.get("/api/state").json()
    told = {one["name"]: one for one in state["measures"]}
    assert {info.name for info in BUILT_IN} <= told.keys()
    for info in BUILT_IN:
        assert info.to_json() == told[info.name]
    assert state["directions"]["max"] == {"better": "more", "side": "at least", "sign": "≥"}
    assert state["directions"]["min"] == {"better": "less", "side": "at most", "sign": "≤"}


def test_a_new_table_is_counted_once(
    asked: tuple[TestClient, ServerState], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, opening = asked
    table = tmp_path / "people.csv"
    table.write_bytes(PEOPLE.read_bytes())
    numbers = [uploaded(client)["id"], opening.open_table(table).id]
    monkeypatch.setattr(server_state, "profile_of", lambda _: pytest.fail("it was counted again"))
    for number in numbers:
        assert client.get(f"/api/projects/{number}/columns").json()["rows"] == 600


def test_a_table_that_is_written_anew_is_counted_again(
    asked: tuple[TestClient, ServerState], tmp_path: Path
) -> None:
    client, opening = asked
    table = tmp_path / "people.csv"
    table.write_bytes(PEOPLE.read_bytes())
    number = opening.open_table(table).id
    table.write_bytes(b"\n".join(PEOPLE.read_bytes().splitlines()[:101]) + b"\n")
    os.utime(table, ns=(1, 1))
    view = client.get(f"/api/projects/{number}/columns").json()
    assert view["rows"] == 100
    assert view["columns"][0]["distinct"] <= 100


def test_a_name_never_becomes_a_path(asked: tuple[TestClient, ServerState], tmp_path: Path) -> None:
    client, server_state = asked
    for name in ("../../../x.csv", "/tmp/y.csv", "..\\z.csv", "a\x00b.csv", "\u202evsc.csv"):  # noqa: S108
        answer = client.post("/api/tables", params={"name": name}, content=PEOPLE.read_bytes())
        assert answer.status_code == 200
    files = {file.name for file in server_state.folder.rglob("*") if file.is_file()}
    assert files == {"table.csv"}
    assert not (tmp_path / "x.csv").exists()


def test_an_upload_above_the_limit_is_refused(tmp_path: Path) -> None:
    with asking(tmp_path / "small", upload_limit=10_000) as (client, server_state):
        answer = client.post("/api/tables?name=people.csv", content=PEOPLE.read_bytes())
        assert answer.status_code == 413
        assert "paretonym explore" in answer.json()["message"]

        def parts() -> Iterator[bytes]:
            for _ in range(50):
                yield b"x" * 1000

        assert client.post("/api/tables?name=people.csv", content=parts()).status_code == 413
        assert not [file for file in server_state.folder.rglob("*") if file.is_file()]


def test_the_same_work_asked_for_twice_is_done_once(client: TestClient) -> None:
    """A double click, or the same room in two tabs."""
    project = client.post("/api/examples/bases").json()
    at = f"/api/projects/{project['id']}/tasks"
    first = client.post(at, json={"kind": "signal"}).json()
    second = client.post(at, json={"kind": "signal"}).json()
    assert first["state"] == second["state"] == "running"
    assert first["id"] == second["id"]
    assert finished(client, first)["state"] == "done"
    third = client.post(at, json={"kind": "signal"}).json()
    assert third["id"] != first["id"]
    client.post(f"/api/tasks/{third['id']}/cancel")
    assert client.post(at, json={"kind": "signal"}).status_code == 409  # it is ending


def test_long_work_is_cancelled(client: TestClient) -> None:
    project = client.post("/api/examples/bases").json()
    at = f"/api/projects/{project['id']}/tasks"
    task = client.post(at, json={"kind": "attack"}).json()
    busy = client.post(at, json={"kind": "signal"})
    assert busy.status_code == 409
    time.sleep(0.5)
    client.post(f"/api/tasks/{task['id']}/cancel")
    ended = finished(client, task)
    assert ended["state"] == "cancelled"
    assert client.get(f"/api/projects/{project['id']}/results/attack").status_code == 404
    assert done(client, project["id"], "signal")["state"] == "done"


def test_a_table_that_is_closed_leaves_nothing(asked: tuple[TestClient, ServerState]) -> None:
    client, kept = asked
    number, other = uploaded(client)["id"], uploaded(client)["id"]
    done(client, number, "front")
    assert client.get(f"/api/projects/{number}/columns").status_code == 200
    left = client.delete(f"/api/projects/{number}").json()["projects"]
    assert [one["id"] for one in left] == [other]
    assert client.get(f"/api/projects/{number}").status_code == 404
    assert client.delete(f"/api/projects/{number}").status_code == 404
    assert not kept.tasks
    assert [file.name for file in kept.folder.rglob("*") if file.is_file()] == ["people.csv"]
    assert client.get(f"/api/projects/{other}/columns").status_code == 200


def test_closing_a_table_stops_its_work(asked: tuple[TestClient, ServerState]) -> None:
    client, kept = asked
    number = client.post("/api/examples/bases").json()["id"]
    task = client.post(f"/api/projects/{number}/tasks", json={"kind": "attack"}).json()
    (told,) = client.get("/api/state").json()["projects"]
    assert told["running"]
    process = kept.tasks[task["id"]].process
    assert client.delete(f"/api/projects/{number}").json()["projects"] == []
    assert process is not None
    assert process.poll() is not None
    assert client.get(f"/api/tasks/{task['id']}").status_code == 404


def test_closing_a_job_leaves_its_files_alone(
    asked: tuple[TestClient, ServerState], tmp_path: Path
) -> None:
    client, kept = asked
    number = opened(client, kept, tmp_path / "job")["id"]
    before = sorted((tmp_path / "job").iterdir())
    client.post(f"/api/projects/{number}/edits", json={"revision": 0, "text": "table: x.csv"})
    (told,) = client.get("/api/state").json()["projects"]
    assert told["unsaved"]
    assert not told["running"]
    assert client.delete(f"/api/projects/{number}").status_code == 200
    assert sorted((tmp_path / "job").iterdir()) == before


def test_a_process_that_vanishes_is_told(asked: tuple[TestClient, ServerState]) -> None:
    client, server_state = asked
    project = client.post("/api/examples/bases").json()
    task = client.post(f"/api/projects/{project['id']}/tasks", json={"kind": "attack"}).json()
    process = server_state.tasks[task["id"]].process
    assert process is not None
    process.kill()
    ended = finished(client, task)
    assert ended["state"] == "failed"
    assert "unexpectedly" in ended["message"]


def test_an_infeasible_job_says_how_far_it_got(client: TestClient) -> None:
    project = client.post("/api/examples/people").json()
    at = f"/api/projects/{project['id']}"
    change = {"path": ["require"], "value": {"k": 600, "distinct_l(diagnosis)": 9000}}
    client.post(f"{at}/edits", json={"revision": 0, "changes": [change]})
    ended = done(client, project["id"], "front")
    assert ended["state"] == "failed"
    assert "no node meets the requirements" in ended["message"]


def test_a_code_holds_for_a_while_only(
    asked: tuple[TestClient, ServerState], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, kept = asked
    nobody = client.post("/api/entry", json={"code": "é"}, headers={"X-Paretonym-Token": ""})
    assert nobody.status_code == 401
    code = kept.entry_code()
    start = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: start + server_state.CODE_SECONDS + 1)
    with pytest.raises(server_state.EntryError):
        kept.enter(code)


def test_downloads_work_once(client: TestClient) -> None:
    project = client.post("/api/examples/people").json()
    got = client.post(f"/api/projects/{project['id']}/downloads", json={"what": "job"}).json()
    first = client.get(got["address"], headers={"X-Paretonym-Token": ""})
    assert first.text == project["text"]
    assert "attachment" in first.headers["content-disposition"]
    assert client.get(got["address"]).status_code == 404
    absent = client.post(f"/api/projects/{project['id']}/downloads", json={"what": "data"})
    assert absent.status_code == 404


def test_a_front_whose_files_were_not_written_is_not_taken_away(
    asked: tuple[TestClient, ServerState],
) -> None:
    client, kept = asked
    number = client.post("/api/examples/people").json()["id"]
    task = kept.tasks[done(client, number, "front")["id"]]
    at = f"/api/projects/{number}/downloads"
    assert client.post(at, json={"what": "front"}).status_code == 200
    task.state = "failed"  # the disk was full after it had been shown
    assert client.post(at, json={"what": "front"}).status_code == 404
    assert client.get(f"/api/projects/{number}/front").status_code == 200


PATHS = """
    /assets/../guard.py /assets/%2e%2e/guard.py /assets/..%2fguard.py /assets/index.html
    /downloads/x/y /downloads/../../etc/passwd /table/../api/state /api/projects/../state
    /openapi.json /docs /redoc /.git/config //etc/passwd
"""


@pytest.mark.parametrize("path", PATHS.split())
def test_paths_reach_nothing_else(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"X-Paretonym-Token": ""})
    assert answer.status_code in (401, 404)


def test_levels_chosen_for_an_older_job_are_not_released(client: TestClient) -> None:
    """Level 2 of a hierarchy that was edited since may be another grouping."""
    project = client.post("/api/examples/people").json()
    at = f"/api/projects/{project['id']}"
    text = project["text"].replace("[year, decade]", "[month, year]")
    assert text != project["text"]
    client.post(f"{at}/edits", json={"revision": 0, "text": text})
    asked = {"kind": "release", "levels": [2, 2, 0, 2, 2], "digest": project["digest"]}
    assert client.post(f"{at}/tasks", json=asked).status_code == 409
    without = {key: value for key, value in asked.items() if key != "digest"}
    assert client.post(f"{at}/tasks", json=without).status_code == 409


def test_nodes_are_checked(client: TestClient) -> None:
    project = client.post("/api/examples/people").json()
    at = f"/api/projects/{project['id']}/node"
    for levels in ([], [0], [99] * 5, [0] * 6):
        answer = client.post(at, json={"levels": levels})
        assert answer.status_code == 400, levels
    for wrong in ({}, {"levels": "0.0"}, {"levels": [-1] * 5}, {"levels": [0.5] * 5}, []):
        answer = client.post(at, json=wrong)
        assert answer.status_code == 422
        assert "internal" not in answer.text


def test_errors_never_repeat_what_was_sent(client: TestClient) -> None:
    secret = "Canary-4711"  # noqa: S105
    project = client.post("/api/examples/people").json()
    at = f"/api/projects/{project['id']}"
    for answer in (
        client.post(f"{at}/node", json={"levels": [secret]}),
        client.post(f"{at}/edits", json={"revision": secret}),
        client.post(f"/api/examples/{secret}"),
        client.get(f"/api/projects/{secret}"),
        client.post("/api/tables?name=x.csv", content=f"a,b\n1,2,{secret}\n".encode()),
    ):
        assert answer.status_code >= 400
        assert secret not in answer.text


def test_results_survive_a_reload_and_say_when_they_are_stale(client: TestClient) -> None:
    project = client.post("/api/examples/clinic").json()
    number = project["id"]
    assert done(client, number, "secure")["state"] == "done"
    first = client.get(f"/api/projects/{number}/results/secure").json()
    assert not first["stale"]
    assert first["result"]["minimal"]
    assert len(first["result"]["rules"]) == len(project["job"]["confidential"])
    text = {"revision": 0, "text": project["text"] + "\n# later\n"}
    client.post(f"/api/projects/{number}/edits", json=text)
    assert client.get(f"/api/projects/{number}/results/secure").json()["stale"]


def test_the_folder_is_private_and_a_temporary_one_goes_at_the_end(tmp_path: Path) -> None:
    for options in (Options(), Options(folder=tmp_path / "kept")):
        server_state = furnished(options)
        assert server_state.folder.stat().st_mode & 0o077 == 0
        server_state.open_example("people")
        server_state.close()
        assert server_state.folder.exists() == (options.folder is not None)


def test_the_api_describes_itself(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()
    assert {"/api/state", "/api/tables", "/api/projects/{number}/front"} <= set(schema["paths"])
    assert json.dumps(schema)


def test_changes_are_checked_without_being_made(client: TestClient) -> None:
    """A fault of the text, a fault that only the table tells, and none."""
    project = client.post("/api/examples/clinic").json()
    at = f"/api/projects/{project['id']}"
    place = ["confidential", len(project["job"]["confidential"])]

    def checked(say: str) -> Any:
        changes = [{"path": place, "value": {"say": say}}]
        answer = client.post(f"{at}/check", json={"changes": changes})
        assert answer.status_code == 200, answer.text
        return answer.json()

    (misspelt,) = checked("diagnosiss = HIV")
    assert "did you mean 'diagnosis'" in misspelt["message"]
    assert misspelt["path"][:2] == place
    (absent,) = checked("diagnosis = HIVE")
    assert "does not occur" in absent["message"]
    assert absent["path"] == place
    assert checked("diagnosis = HIV") == []
    now = client.get(at).json()
    assert (now["text"], now["edits"]) == (project["text"], [])
