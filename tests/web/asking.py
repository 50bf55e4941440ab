"""A client of the guarded application, without a network."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tests.support.waiting import PATIENCE

from paretonym.web.application import create
from paretonym.web.server import hosts_of
from paretonym.web.server_state import ServerState

PORT = 8765
EXAMPLES = Path(__file__).parents[2] / "examples"
PEOPLE = EXAMPLES / "people.csv"


@contextmanager
def asking(
    folder: Path, *, upload_limit: int = 10_000_000
) -> Iterator[tuple[TestClient, ServerState]]:
    server_state = ServerState(folder, "token", temporary=True, upload_limit=upload_limit)
    with TestClient(
        create(server_state, hosts_of(PORT)),  # type: ignore[arg-type]
        base_url=f"http://127.0.0.1:{PORT}",
        headers={"X-Paretonym-Token": "token"},
        raise_server_exceptions=False,
    ) as client:
        yield client, server_state
    server_state.close()


def uploaded(client: TestClient, file: Path = PEOPLE) -> dict[str, Any]:
    answer = client.post(f"/api/tables?name={file.name}", content=file.read_bytes())
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def opened(
    client: TestClient, server_state: ServerState, folder: Path, text: str | None = None
) -> Any:
    """The people's job in a folder of its own, as a project."""
    folder.mkdir(exist_ok=True)
    for name in ("people.csv", "people-jobs.csv", "people.yaml"):
        (folder / name).write_bytes((EXAMPLES / name).read_bytes())
    if text is not None:
        (folder / "people.yaml").write_text(text)
    project = server_state.open_job(folder / "people.yaml")
    return client.get(f"/api/projects/{project.id}").json()


def finished(
    client: TestClient, task: dict[str, Any], *, patience: float = PATIENCE
) -> dict[str, Any]:
    """Wait for a task's end."""
    end = time.monotonic() + patience
    while task["state"] == "running":
        assert time.monotonic() < end, task
        time.sleep(0.05)
        task = client.get(f"/api/tasks/{task['id']}").json()
    return task


def done(
    client: TestClient, project: str, kind: str, *, patience: float = PATIENCE, **options: Any
) -> dict[str, Any]:
    answer = client.post(f"/api/projects/{project}/tasks", json={"kind": kind, **options})
    assert answer.status_code == 200, answer.text
    return finished(client, answer.json(), patience=patience)
