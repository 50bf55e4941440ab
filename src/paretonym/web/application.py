"""The web application: pages, assets, the API, and how every error is answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from paretonym.errors import (
    NO_MEMORY,
    EncodingError,
    HeaderError,
    JobError,
    ParetonymError,
    place_of,
)
from paretonym.report.explorer_page import CHARTS, ROOMS, STYLE, asset
from paretonym.version import __version__
from paretonym.web.guard import Application, Guard
from paretonym.web.projects import StaleError
from paretonym.web.routes import routes
from paretonym.web.server_state import BusyError, EntryError, MissingError, ServerState

PAGES = Path(__file__).parent / "pages"
SCRIPTS = (  # in the order in which they are loaded, the shared ones first
    "front_gate.js",
    "job_words.js",
    "tree.js",
    "hierarchy_forms.js",
    "group_form.js",
    "hierarchy_editor.js",
    "column_panel.js",
    "job_settings.js",
    "job_text.js",
    "columns_room.js",
    "running.js",
    "sentence_form.js",
    "security_rules.js",
    "security_room.js",
    "group_figures.js",
    "group_attack.js",
    "group_protect.js",
    "group_start.js",
    "groups_room.js",
    "release_room.js",
    "start_room.js",
    "client.js",
    "app.js",
)
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def create(server_state: ServerState, hosts: frozenset[str]) -> Application:
    """The guarded application."""
    return Guard(unguarded(server_state), server_state.token, hosts, server_state.upload_limit)


def unguarded(server_state: ServerState) -> FastAPI:
    application = FastAPI(
        title="paretonym explore",
        version=__version__,
        docs_url=None,  # those pages would fetch their scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        redirect_slashes=False,
    )
    application.include_router(routes(server_state))
    _add_errors(application)
    _add_pages(application, server_state)
    return application


def files() -> dict[str, bytes]:
    """Every file a page may ask for, by name: nothing else can be reached."""
    shared = {Path(name).name: asset(name) for name in (CHARTS, STYLE, *ROOMS)}
    own = {file.name: file.read_bytes() for file in PAGES.iterdir() if file.suffix in _TYPES}
    return shared | own


def page_text() -> str:
    """The same page at every address; it holds no data."""
    names = (*ROOMS, *SCRIPTS, Path(CHARTS).name)  # the charts last: a room can wait for them
    tags = "\n  ".join(f'<script src="/assets/{name}" defer></script>' for name in names)
    text = (PAGES / "index.html").read_text(encoding="utf-8")
    return text.replace("<!-- scripts -->", tags)


def _add_pages(application: FastAPI, server_state: ServerState) -> None:
    known, text = files(), page_text()

    @application.get("/assets/{name}", include_in_schema=False)
    def one_file(name: str) -> Response:
        if name not in known:
            raise MissingError("there is no such file")
        return Response(known[name], media_type=_TYPES[Path(name).suffix])

    @application.get("/downloads/{number}/{name}", include_in_schema=False)
    def download(number: str, name: str) -> Response:
        ticket = server_state.redeem(number)
        if name != ticket.name:
            raise MissingError("this download is over; ask for it again")
        return FileResponse(
            ticket.file, media_type="application/octet-stream", filename=ticket.name
        )

    @application.get("/", include_in_schema=False)
    @application.get("/table/{number}", include_in_schema=False)
    @application.get("/table/{number}/{room}", include_in_schema=False)
    def page(number: str = "", room: str = "") -> Response:  # noqa: ARG001  (the script reads it)
        return HTMLResponse(text)


def _add_errors(application: FastAPI) -> None:
    @application.exception_handler(ParetonymError)
    def refused(_request: Request, error: Exception) -> Response:
        return _fault(_status(error), str(error), _line(error), _kind(error))

    @application.exception_handler(RequestValidationError)
    def not_understood(_request: Request, error: Exception) -> Response:
        # pydantic's own words would repeat what was sent
        places = {
            ".".join(str(step) for step in problem["loc"][1:4])[:100]
            for problem in getattr(error, "errors", list)()
        }
        named = ", ".join(sorted(place for place in places if place)) or "the request"
        return _fault(422, f"not understood: {named}")

    @application.exception_handler(HTTPException)
    def other(_request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 400)
        words = {404: "there is nothing at this address", 405: "this cannot be done here"}
        return _fault(status, words.get(status, "the request was not understood"))

    @application.exception_handler(OSError)
    def no_file(_request: Request, error: Exception) -> Response:
        reason = getattr(error, "strerror", None) or "the system refused"
        return _fault(503, f"a file could not be used: {reason}; make room, or look at its rights")

    @application.exception_handler(MemoryError)
    def too_much(_request: Request, _error: Exception) -> Response:
        return _fault(503, NO_MEMORY)

    @application.exception_handler(ClientDisconnect)
    def gone(_request: Request, _error: Exception) -> Response:
        return _fault(400, "the request broke off")

    @application.exception_handler(Exception)
    def defect(_request: Request, error: Exception) -> Response:
        return _fault(500, f"internal error, please report it: {place_of(error)}")


def _status(error: Exception) -> int:
    known = ((EntryError, 401), (MissingError, 404), (StaleError, 409), (BusyError, 409))
    for kind, status in known:
        if isinstance(error, kind):
            return status
    return 422 if getattr(error, "exit_code", 2) == 1 else 400


def _kind(error: Exception) -> str | None:
    """What a page can help with: it has a control for how a table is read."""
    kinds = {EncodingError: "encoding", HeaderError: "header"}
    return next((name for kind, name in kinds.items() if isinstance(error, kind)), None)


def _line(error: Exception) -> int | None:
    faults = error.faults if isinstance(error, JobError) else ()
    return faults[0].line if faults else None


def _fault(status: int, message: str, line: int | None = None, kind: str | None = None) -> Response:
    where: dict[str, Any] | None = None if line is None else {"line": line}
    told = {"message": message, "where": where, "kind": kind}
    return JSONResponse(told, status_code=status)
