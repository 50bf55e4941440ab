"""Requests that no page makes: refused in one line, nothing torn, nothing left, no defect."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.asking import PEOPLE, asking

from paretonym.web import projects
from paretonym.web.server_state import MOST_PROJECTS, ServerState

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[tuple[TestClient, ServerState]]:
    with asking(tmp_path / "house") as pair:
        yield pair


@pytest.fixture
def client(asked: tuple[TestClient, ServerState]) -> TestClient:
    return asked[0]


@pytest.fixture
def at(client: TestClient) -> str:
    return f"/api/projects/{client.post('/api/examples/people').json()['id']}"


def refused(answer: Any) -> bool:
    return 400 <= answer.status_code < 500 and bool(answer.json()["message"])


HALF = rb'"\ud800"'
VALUES = [
    HALF, b'{"\\ud800": 1}', b"[" * 60 + b"]" * 60, b"[" * 980 + b"]" * 980, b"[" * 100_000,
    b"1" + b"0" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_values_that_no_job_can_hold_are_refused(client: TestClient, at: str, value: bytes) -> None:
    before = client.get(at).json()
    change = b'{"revision": 0, "changes": [{"path": ["require"], "value": ' + value + b"}]}"
    assert refused(client.post(f"{at}/edits", content=change, headers=JSON))
    column = b'{"column": "zip", "data": {"role": "quasi", "hierarchy": ' + value + b"}}"
    assert refused(client.post(f"{at}/hierarchy", content=column, headers=JSON))
    assert client.get(at).json() == before


@pytest.mark.parametrize(
    "text", [HALF, rb'"\"\\ud800\": 1"', rb'"\"\\0a\": 1"', rb'"table: \"\\ud800\""']
)
def test_characters_that_are_none_do_not_break_the_page(
    client: TestClient, at: str, text: bytes
) -> None:
    body = b'{"revision": 0, "text": ' + text + b"}"
    edit = client.post(f"{at}/edits", content=body, headers=JSON)
    assert edit.status_code == 422 if text == HALF else edit.json()["faults"][0]["line"] == 1
    assert client.get(at).status_code == 200
    for answer in (client.get(f"{at}/columns"), client.post(f"{at}/tasks", json={"kind": "x"})):
        assert answer.status_code < 500


def test_a_body_of_another_kind_is_refused(client: TestClient, at: str) -> None:
    body = b'{"revision": 0, "text": "a: 1"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert refused(client.post(f"{at}/edits", content=body, headers={"Content-Type": kind}))
    for broken in (b"", b"{", b"\xff\xfe\xfd", b'"text"', b"null"):
        assert refused(client.post(f"{at}/edits", content=broken, headers=JSON))
    assert client.get(at).json()["revision"] == 0


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "ODD"])
def test_other_methods_do_nothing(client: TestClient, at: str, method: str) -> None:
    for path in ("/", "/api/state", at, f"{at}/edits", "/assets/app.js", "/downloads/x/y"):
        if (method, path) != ("DELETE", at):
            assert client.request(method, path).status_code == 405


ODD = ["%00", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%ED%A0%80", "%FF", "a" * 50_000, "%0d%0aX:y"]


@pytest.mark.parametrize("odd", ODD)
def test_odd_steps_of_a_path_reach_nothing(client: TestClient, at: str, odd: str) -> None:
    for path in (
        f"/api/projects/{odd}", f"/api/projects/{odd}/columns", f"/api/tasks/{odd}",
        f"{at}/columns/{odd}/tree", f"{at}/results/{odd}", f"/downloads/{odd}/x",
        f"/downloads/x/{odd}", f"/assets/{odd}", f"{at}/",
    ):  # fmt: skip
        assert refused(client.get(path)), path
    assert refused(client.post(f"/api/examples/{odd}"))
    assert refused(client.post(f"/api/tasks/{odd}/cancel"))


def test_much_of_everything_is_borne(client: TestClient) -> None:
    headers = {f"X-{number}": "a" * 100 for number in range(2000)}
    assert client.get("/api/state", headers=headers).status_code == 200
    assert client.get(f"/api/state?{'a=b&' * 15_000}").status_code == 200


def test_a_table_that_is_no_file_is_refused_at_once(
    client: TestClient, at: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    text = client.get(at).json()["text"]
    for revision, place in enumerate((tmp_path / "pipe", "/dev/zero", tmp_path, "none.csv")):
        wrong = text.replace("table: people.csv", f"table: {place}")
        client.post(f"{at}/edits", json={"revision": revision, "text": wrong})
        for answer in (client.get(f"{at}/columns"), client.post(f"{at}/open")):
            assert answer.status_code == 400
            assert "file" in answer.json()["message"]


def test_a_hierarchy_file_that_is_none_is_refused_at_once(
    client: TestClient, at: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (str(tmp_path / "pipe"), "/dev/zero"):
        column = {"role": "quasi", "hierarchy": {"file": place}}
        answer = client.post(f"{at}/hierarchy", json={"column": "zip", "data": column})
        assert answer.status_code == 400
        assert "file" in answer.json()["message"]


def at_once(count: int, ask: Callable[[int], Any]) -> list[Any]:
    """The answers of that many threads."""
    answers: list[Any] = [None] * count
    ready = threading.Barrier(count)

    def one(number: int) -> None:
        ready.wait()
        answers[number] = ask(number)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_of_edits_at_the_same_time_one_wins(client: TestClient, at: str) -> None:
    for revision in range(3):

        def edit(number: int, revision: int = revision) -> Any:
            text = f"# {revision} {number}\n" * 200
            return client.post(f"{at}/edits", json={"revision": revision, "text": text})

        answers = at_once(20, edit)
        won = [number for number, answer in enumerate(answers) if answer.status_code == 200]
        assert len(won) == 1
        assert {answer.status_code for answer in answers} == {200, 409}
        now = client.get(at).json()
        assert now["text"] == f"# {revision} {won[0]}\n" * 200
        assert len(now["edits"]) == now["revision"] == revision + 1


def test_nodes_that_are_asked_for_at_the_same_time_are_the_same(
    client: TestClient, at: str
) -> None:
    def ask(number: int) -> Any:
        if number % 4 == 0:
            return client.post(f"{at}/open")
        return client.post(f"{at}/node", json={"levels": [1] * 5})

    answers = at_once(8, ask)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for number, answer in enumerate(answers) if number % 4}) == 1


def test_no_more_tables_than_agreed_are_open(asked: tuple[TestClient, ServerState]) -> None:
    client, server_state = asked
    same = {client.post("/api/examples/people").json()["id"] for _ in range(3)}
    assert len(same) == 1  # an example that nobody changed is not opened again
    for _ in range(MOST_PROJECTS - 1):
        server_state.open_job(PEOPLE.with_suffix(".yaml"))
    assert client.post("/api/examples/adult").status_code == 409
    upload = client.post("/api/tables?name=people.csv", content=PEOPLE.read_bytes())
    assert upload.status_code == 409
    assert not list(server_state.folder.glob("uploads/*"))
    assert client.delete(f"/api/projects/{same.pop()}").status_code == 200
    assert client.post("/api/examples/adult").status_code == 200


def test_a_name_that_is_refused_leaves_no_folder(asked: tuple[TestClient, ServerState]) -> None:
    client, server_state = asked
    assert refused(client.post("/api/tables?name=people.exe", content=b"a\n1\n"))
    assert not list(server_state.folder.glob("uploads/*"))


def test_an_earlier_download_gives_what_it_was_asked_for(client: TestClient, at: str) -> None:
    first = client.get(at).json()["text"]
    early = client.post(f"{at}/downloads", json={"what": "job"}).json()["address"]
    client.post(f"{at}/edits", json={"revision": 0, "text": "# later\n"})
    late = client.post(f"{at}/downloads", json={"what": "job"}).json()["address"]
    assert client.get(late).text == "# later\n"
    assert client.get(early).text == first


def test_a_full_disk_is_told(client: TestClient, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    answer = client.post("/api/examples/adult")
    assert (answer.status_code, "No space left" in answer.text) == (503, True)


def test_what_a_defect_says_goes_nowhere(
    asked: tuple[TestClient, ServerState], at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server_state = asked

    def defect(*_: object) -> None:
        raise RuntimeError("Canary-4711")

    monkeypatch.setattr(ServerState, "opened", defect)
    strict = TestClient(client.app, base_url=str(client.base_url), headers=client.headers)
    answer = strict.post(f"{at}/open")  # this client would raise what reaches the server
    assert answer.status_code == 500
    assert "Canary" not in json.dumps(answer.json())
    assert server_state.projects


def test_no_way_leads_to_a_job_that_is_too_long(
    asked: tuple[TestClient, ServerState], at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server_state = asked
    before = client.get(at).json()
    monkeypatch.setattr(projects, "LONGEST", len(before["text"]) + 100)
    for edit in (
        {"text": before["text"] + "#" * 200},
        {"changes": [{"path": ["columns", "zip", "because"], "value": "x" * 200}]},
    ):
        answer = client.post(f"{at}/edits", json={"revision": 0, **edit})
        assert refused(answer)
        assert "characters is not taken here" in answer.json()["message"]
    assert client.get(at).json() == before
    monkeypatch.setattr(projects, "LONGEST", 100)
    assert refused(client.post("/api/tables?name=people.csv", content=PEOPLE.read_bytes()))
    assert not list(server_state.folder.glob("uploads/*"))


def test_a_lack_of_memory_is_no_defect(
    asked: tuple[TestClient, ServerState], at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = asked

    def exhausted(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(ServerState, "profile", exhausted)
    answer = client.get(f"{at}/columns")
    assert answer.status_code == 503
    assert answer.json()["message"].startswith("not enough memory for this job; use fewer")
