"""The real server on a free port, and pages of a browser that may speak with it alone."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from tests.support.browsing import new_context
from tests.support.waiting import until

from paretonym.web.application import create
from paretonym.web.projects import Project
from paretonym.web.server import HOST, address_of, hosts_of, open_file
from paretonym.web.server_state import UPLOAD_LIMIT, ServerState

EXAMPLES = Path(__file__).parents[2] / "examples"


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
            until(lambda: server.started, "the server")
            yield Served(
                address_of(port, server_state.token, project), server_state, project, folder
            )
        finally:
            server.should_exit = True
            thread.join(timeout=10)
            server_state.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """`served(job or table)`: a server that has opened a copy of it, with its neighbours."""
    running = ExitStack()
    folders = (tmp_path / f"served{number}" for number in count())

    def serve(opened: Path | None = None, **limits: int) -> Served:
        folder = next(folders)
        folder.mkdir()
        if opened is not None:
            stem = opened.name.split(".")[0]
            for file in opened.parent.glob(f"{stem}*"):
                shutil.copy(file, folder / file.name)
            opened = folder / opened.name
        return running.enter_context(serving(folder, opened, **limits))

    with running:
        yield serve


@dataclass(slots=True)
class Visitor:
    """Opens pages and writes down what they complain of and whom they ask."""

    browser: Any
    contexts: list[Any] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    provoked: list[str] = field(default_factory=list)

    def __call__(self, address: str, *, width: int = 1440, height: int = 1000) -> Any:
        context = new_context(
            self.browser, viewport={"width": width, "height": height}, accept_downloads=True
        )
        self.contexts.append(context)
        return self.page(context, address)

    def page(self, context: Any, address: str) -> Any:
        """One more tab of a visit."""
        page = context.new_page()
        page.on("console", lambda message: self._heard(message))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.add(urlsplit(request.url).netloc))
        # from the start on, since the first listener makes the browser hand choosers over, and a
        # key that is pressed right afterwards can be faster than that
        page.on("filechooser", lambda _: None)
        page.goto(address)
        return page

    def provokes(self, words: str) -> None:
        """The test provokes complaints with these words; when they come does not matter."""
        self.provoked.append(words)

    def unprovoked(self) -> list[str]:
        return [one for one in self.complaints if not any(words in one for words in self.provoked)]

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} {message.location}")


@contextmanager
def visiting(browser: Any) -> Iterator[Visitor]:
    """At the end no page has complained, and none has asked another host.

    But for what the test `provokes`.
    """
    visitor = Visitor(browser)
    try:
        yield visitor
    finally:
        for context in visitor.contexts:
            context.close()
    left = visitor.unprovoked()
    assert left == [], left  # this file's asserts are not rewritten
    assert all(host.split(":")[0] == HOST for host in visitor.asked if host), visitor.asked


@pytest.fixture
def visit(browser: Any) -> Iterator[Visitor]:
    with visiting(browser) as visitor:
        yield visitor
