"""The API does what its own description says: no defect, no answer of another form or status."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis import checks as known

from paretonym.web import tasks
from paretonym.web.application import create, unguarded
from paretonym.web.guard import Application
from paretonym.web.messages import RESULT, Request
from paretonym.web.projects import Project
from paretonym.web.server_state import ServerState
from paretonym.web.tasks import Task

HOST = "127.0.0.1:8765"
HEADERS = {"Host": HOST, "X-Paretonym-Token": "token"}
CHECKS = [
    known.not_a_server_error,
    known.status_code_conformance,
    known.content_type_conformance,
    known.response_headers_conformance,
    known.response_schema_conformance,
]
LEVELS = 5  # quasi-identifiers of the example
CHANGING = ("edits", "undo", "redo", "save")  # these have a project of their own

SCHEMA = schemathesis.openapi.from_dict(unguarded(ServerState(Path("unused"), "", True)).openapi())
SCHEMA.app = unguarded(ServerState(Path("unused"), "", True))  # every call names the one it is for


@dataclass(frozen=True, slots=True)
class Served:
    application: Application
    server_state: ServerState
    looked_at: Project
    edited: Project
    task: Task


def done_at_once(project: str, request: Request, digest: str) -> Task:
    """In place of a process: what it would leave."""
    task = Task(f"task-{request.folder[-8:]}", project, request, digest, state="done")
    task.folder.mkdir(parents=True)
    (task.folder / RESULT).write_text(json.dumps({"points": []}))
    return task


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "start", done_at_once)
        server_state = ServerState(tmp_path_factory.mktemp("house"), "token", temporary=True)
        looked_at, edited = server_state.open_example("people"), server_state.open_example("people")
        task = server_state.start(looked_at, "front")
        yield Served(create(server_state, frozenset({HOST})), server_state, looked_at, edited, task)
        server_state.close()


def aim(case: Case, served: Served) -> None:
    """Let the request concern what is there; the rest of it stays as it was made up."""
    last = case.path.rsplit("/", 1)[-1]
    target = served.edited if last in CHANGING else served.looked_at
    if "/tasks/" in case.path:
        case.path_parameters["number"] = served.task.id
    elif "number" in case.path_parameters:
        case.path_parameters["number"] = target.id
    elif "name" in case.path_parameters:
        case.path_parameters["name"] = "people"
    if isinstance(case.body, dict):
        if isinstance(case.body.get("revision"), int):
            case.body["revision"] = target.revision
        for node in (case.body, case.body.get("a"), case.body.get("b")):
            fit(node)


def fit(node: Any) -> None:
    if isinstance(node, dict) and isinstance(node.get("levels"), list):
        whole = [level for level in node["levels"] if isinstance(level, int)]
        node["levels"] = [abs(level) % 2 for level in [*whole, *range(LEVELS)][:LEVELS]]


@pytest.mark.slow
@SCHEMA.parametrize()
@settings(
    max_examples=15,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_as_described(case: Case, served: Served) -> None:
    aim(case, served)
    response = case.call(app=served.application, headers=HEADERS)
    case.validate_response(response, checks=CHECKS)
    for project in list(served.server_state.projects):  # uploads and examples must not add up
        if project not in (served.looked_at.id, served.edited.id):
            del served.server_state.projects[project]
