"""The real server on a free port, and pages of a browser that may speak with it alone."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn

from paretonym.web.application import create
from paretonym.web.projects import Project
from paretonym.web.server import HOST, address_of, hosts_of, open_file
from paretonym.web.server_state import UPLOAD_LIMIT, ServerState

EXAMPLES = Path(__file__).parents[2] / "examples"
PATIENCE = 240_000  # milliseconds: the first run compiles


@dataclass(frozen=True, slots=True)
class Served:
    """A running server and what it holds; `address` has the token behind #."""

    address: str
    server_state: ServerState
    project: Project | None
    folder: Path

    def room(self, name: str, query: str = "") -> str:
        base, token = self.address.split("#")
        return f"{base}/{name}{f'?{query}' if query else ''}#{token}"


@contextmanager
def serving(
    folder: Path, opened: Path | None = None, *, upload_limit: int = UPLOAD_LIMIT
) -> Iterator[Served]:
    """Serves from a thread of this process; its work still runs in processes of its own."""
    private = folder / "house"
    private.mkdir()
    server_state = ServerState(private, "t" * 43, temporary=True, upload_limit=upload_limit)
    project = None if opened is None else open_file(server_state, opened)
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            create(server_state, hosts_of(port)),  # type: ignore[arg-type]
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            _await_start(server)
            yield Served(
                address_of(port, server_state.token, project), server_state, project, folder
            )
        finally:
            server.should_exit = True
            thread.join(timeout=10)
            server_state.close()


def _await_start(server: uvicorn.Server) -> None:
    end = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < end, "the server does not start"
        time.sleep(0.02)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """`served(job or table)`: a server that has opened a copy of it, with its neighbours."""
    running = []

    def serve(opened: Path | None = None, **limits: int) -> Served:
        folder = tmp_path / f"served{len(running)}"
        folder.mkdir()
        if opened is not None:
            stem = opened.name.split(".")[0]
            for file in opened.parent.glob(f"{stem}*"):
                shutil.copy(file, folder / file.name)
            opened = folder / opened.name
        manager = serving(folder, opened, **limits)
        running.append(manager)
        return manager.__enter__()

    yield serve
    for manager in reversed(running):
        manager.__exit__(None, None, None)


@dataclass(slots=True)
class Visitor:
    """Opens pages and writes down what they complain of and whom they ask."""

    browser: Any
    contexts: list[Any] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)

    def __call__(self, address: str, *, width: int = 1440, height: int = 1000) -> Any:
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, accept_downloads=True
        )
        context.set_default_timeout(PATIENCE)
        self.contexts.append(context)
        return self.page(context, address)

    def page(self, context: Any, address: str) -> Any:
        """One more tab of a visit."""
        page = context.new_page()
        page.on("console", lambda message: self._heard(message))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.add(urlsplit(request.url).netloc))
        page.goto(address)
        return page

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} {message.location}")


@contextmanager
def visiting(browser: Any) -> Iterator[Visitor]:
    """At the end no page has complained, and none has asked another host.

    A test that provokes a refusal empties `complaints` after it has looked at them.
    """
    visitor = Visitor(browser)
    yield visitor
    for context in visitor.contexts:
        context.close()
    assert visitor.complaints == [], visitor.complaints  # this file's asserts are not rewritten
    assert all(host.split(":")[0] == HOST for host in visitor.asked if host), visitor.asked


@pytest.fixture
def visit(browser: Any) -> Iterator[Visitor]:
    with visiting(browser) as visitor:
        yield visitor
