"""The addresses of the server: each checks its request, asks app, and answers."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse

from paretonym.errors import JobError, TableError
from paretonym.jobfile.edits import Change, edited
from paretonym.jobfile.layout import column_notes
from paretonym.jobfile.loading import parse_column
from paretonym.model.job import ColumnSpec, Job
from paretonym.model.source import TableSource
from paretonym.views.column_views import (
    ColumnsView,
    TreeView,
    columns_view,
    hierarchy_preview,
    tree_of,
)
from paretonym.views.node_shapes import CompareView, NodeView, PreviewView
from paretonym.views.node_views import compare_views, node_view, preview
from paretonym.web import answers, downloads, views
from paretonym.web.messages import RESULT, Kind
from paretonym.web.projects import Snapshot, data_of
from paretonym.web.server_state import MissingError, ServerState

REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": answers.FaultShown, "description": says}
    for code, says in {
        400: "bad input",
        401: "no token",
        403: "wrong host or origin",
        404: "not there",
        409: "changed meanwhile, or busy",
        413: "too large",
        422: "not understood, or infeasible",
        503: "a file could not be used, no memory, or being stopped",
    }.items()
}

BYTES = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}
FRONT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}}
}


Delimiter = Annotated[str, Query(pattern="^[,;|\\t]$")] | None


def routes(server_state: ServerState) -> APIRouter:
    router = APIRouter(prefix="/api", responses=REFUSALS)
    _add_tables(router, server_state)
    _add_edits(router, server_state)
    _add_columns(router, server_state)
    _add_tasks(router, server_state)
    _add_nodes(router, server_state)
    return router


def _add_tables(router: APIRouter, server_state: ServerState) -> None:
    @router.post("/entry")
    def enter(asked: answers.EntryAsked) -> answers.EntryShown:
        """The token for the code that the browser was started with."""
        return answers.EntryShown(token=server_state.enter(asked.code))

    @router.get("/state")
    def state() -> answers.StateShown:
        return views.state(server_state)

    @router.post("/tables", openapi_extra={"requestBody": BYTES})
    async def upload(
        request: Request,
        name: str,
        encoding: str = "utf-8",
        delimiter: Delimiter = None,
        *,
        header: bool | None = None,
    ) -> answers.ProjectShown:
        """The bytes of one table as the body; `header` says whether its first row holds names."""
        file = server_state.upload_place(name)
        try:
            await _store(request, file)
            shown = name.rsplit("/", 1)[-1].rsplit("\\", 1)[-1][:120]
            source = TableSource(file, delimiter=delimiter, encoding=encoding)
            project = await run_in_threadpool(
                server_state.open_upload, source, shown, header=header
            )
        except BaseException:
            shutil.rmtree(file.parent, ignore_errors=True)
            raise
        return await run_in_threadpool(views.project, server_state, project)

    @router.post("/examples/{name}")
    def example(name: str) -> answers.ProjectShown:
        return views.project(server_state, server_state.open_example(name))

    @router.get("/projects/{number}")
    def project(number: str) -> answers.ProjectShown:
        return views.project(server_state, server_state.project(number))

    @router.delete("/projects/{number}")
    def close(number: str) -> answers.StateShown:
        """Its work is stopped; results and an uploaded table are removed, other files stay."""
        server_state.close_project(number)
        return views.state(server_state)


def _add_edits(router: APIRouter, server_state: ServerState) -> None:
    @router.post("/projects/{number}/edits")
    def edit(number: str, asked: answers.EditAsked) -> answers.ProjectShown:
        one = server_state.project(number)
        if (asked.text is None) == (asked.changes is None):
            raise JobError("give either changes or the whole text")
        if asked.text is not None:
            one.rewrite(asked.revision, asked.text)
        else:
            one.change(asked.revision, _changes(asked.changes or ()), asked.says)
        return views.project(server_state, one)

    @router.post("/projects/{number}/check")
    def check(number: str, asked: answers.CheckAsked) -> list[answers.LineFault]:
        """What would be wrong with the job after such changes; nothing is kept."""
        now = server_state.project(number).snapshot
        return views.check(
            server_state, replace(now, text=edited(now.text, _changes(asked.changes)))
        )

    @router.post("/projects/{number}/undo")
    def undo(number: str, asked: answers.RevisionAsked) -> answers.ProjectShown:
        one = server_state.project(number)
        one.move(asked.revision, -1)
        return views.project(server_state, one)

    @router.post("/projects/{number}/redo")
    def redo(number: str, asked: answers.RevisionAsked) -> answers.ProjectShown:
        one = server_state.project(number)
        one.move(asked.revision, 1)
        return views.project(server_state, one)

    @router.post("/projects/{number}/save")
    def save(number: str, asked: answers.RevisionAsked) -> answers.ProjectShown:
        one = server_state.project(number)
        one.save(asked.revision)
        return views.project(server_state, one)

    @router.post("/projects/{number}/downloads")
    def download(number: str, asked: answers.DownloadAsked) -> answers.DownloadShown:
        address = downloads.address(server_state, server_state.project(number), asked.what)
        return answers.DownloadShown(address=address)


def _changes(asked: Sequence[answers.ChangeAsked]) -> list[Change]:
    return [Change(tuple(one.path), one.value, remove=one.remove) for one in asked]


async def _store(request: Request, file: Path) -> None:
    size = 0
    with file.open("xb") as stream:
        async for part in request.stream():
            size += len(part)
            stream.write(part)
    if not size:
        raise TableError("the file is empty; choose one with a header and rows")


def _add_columns(router: APIRouter, server_state: ServerState) -> None:
    @router.get("/projects/{number}/columns")
    def columns(number: str) -> ColumnsView:
        now = server_state.project(number).snapshot
        data = data_of(now)  # a text that is no YAML ends here
        with server_state.table(now) as table:
            notes = column_notes(now.text)
            profile = server_state.profile(now, table)
            return columns_view(_job(now), data, table, profile, base=now.base, notes=notes)

    @router.get("/projects/{number}/columns/{index}/tree")
    def tree(number: str, index: int) -> TreeView:
        now = server_state.project(number).snapshot
        with server_state.table(now) as table:
            name = _column(table.names, index)
            return tree_of(name, table, _spec(now, name))

    @router.post("/projects/{number}/hierarchy")
    def hierarchy(number: str, asked: answers.HierarchyAsked) -> TreeView:
        """What a hierarchy would be like, before it is written into the job."""
        now = server_state.project(number).snapshot
        with server_state.table(now) as table:
            return hierarchy_preview(asked.data, asked.column, table, base=now.base)


def _job(now: Snapshot) -> Job | None:
    try:
        return now.job()
    except JobError:
        return None


def _spec(now: Snapshot, name: str) -> ColumnSpec | None:
    """What the job says of a column, where it can be read."""
    columns = data_of(now).get("columns")
    entry = columns.get(name) if isinstance(columns, dict) else None
    if not isinstance(entry, dict):
        return None
    return parse_column(entry, name=name, base=now.base)


def _column(names: tuple[str, ...], index: int) -> str:
    if not 0 <= index < len(names):
        raise JobError("the table has no such column")
    return names[index]


def _add_tasks(router: APIRouter, server_state: ServerState) -> None:
    @router.get("/projects/{number}/tasks")
    def tasks(number: str) -> list[answers.TaskShown]:
        return [views.task(one) for one in server_state.tasks_of(server_state.project(number))]

    @router.post("/projects/{number}/tasks")
    def start(number: str, asked: answers.TaskAsked) -> answers.TaskShown:
        project = server_state.project(number)
        task = server_state.start(
            project,
            asked.kind,
            chosen_for=asked.digest,
            levels=tuple(asked.levels),
            below=asked.below,
            format=asked.format,
            neutralise=asked.neutralise,
            **views.chosen_from(server_state, project, asked),
        )
        return views.task(task)

    @router.get("/tasks/{number}")
    def task(number: str) -> answers.TaskShown:
        return views.task(server_state.task(number))

    @router.post("/tasks/{number}/cancel")
    def cancel(number: str) -> answers.TaskShown:
        one = server_state.task(number)
        one.stop()
        return views.task(one)

    @router.get("/projects/{number}/results/{kind}")
    def result(number: str, kind: Kind) -> answers.ResultShown:
        return views.result(server_state, server_state.project(number), kind)


def _add_nodes(router: APIRouter, server_state: ServerState) -> None:
    @router.get("/projects/{number}/front", response_class=FileResponse, responses=FRONT)
    def front(number: str, task: answers.FrontId = None) -> Response:
        """A front as it was computed, with every point; the last one where none is named."""
        found = server_state.front(server_state.project(number), task)
        if found is None or not found.has_result:
            raise MissingError("no front was found yet")
        return FileResponse(found.folder / RESULT, media_type="application/json")

    @router.post("/projects/{number}/open")
    def open_table(number: str) -> answers.StateShown:
        """Have the table at hand before the first click asks for it."""
        with server_state.looking_at(server_state.project(number), None):
            return views.state(server_state)

    @router.post("/projects/{number}/node", response_model=NodeView)
    def node(number: str, asked: answers.NodeAsked) -> Any:
        with server_state.looking_at(server_state.project(number), asked.front) as opened:
            chosen = opened.lattice.node_at(asked.levels)
            return node_view(opened, chosen, asked.below).to_json()

    @router.post("/projects/{number}/compare", response_model=CompareView)
    def compare(number: str, asked: answers.PairAsked) -> Any:
        with server_state.looking_at(server_state.project(number), asked.front) as opened:
            a, b = (opened.lattice.node_at(one.levels) for one in (asked.a, asked.b))
            return compare_views(opened, (a, asked.a.below), (b, asked.b.below)).to_json()

    @router.post("/projects/{number}/preview")
    def rows(number: str, asked: answers.NodeAsked) -> PreviewView:
        with server_state.looking_at(server_state.project(number), asked.front) as opened:
            chosen = opened.lattice.node_at(asked.levels)
            return preview(opened, chosen, asked.below)
