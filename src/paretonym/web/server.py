"""`paretonym explore`: find a port, say the address, serve until Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import gc
import secrets
import signal
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from paretonym.errors import OutputError
from paretonym.publishing.atomic import PRIVATE_FOLDER
from paretonym.web.application import create
from paretonym.web.projects import Project
from paretonym.web.server_state import UPLOAD_LIMIT, ServerState

HOST = "127.0.0.1"
_JOBS = (".yaml", ".yml")
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")  # not every system has the last one


@dataclass(frozen=True, slots=True)
class Options:
    """How the explorer is started."""

    opened: Path | None = None  # a job or a table
    folder: Path | None = None
    port: int | None = None
    browser: bool = True
    upload_limit: int = UPLOAD_LIMIT


def serve(options: Options, *, say: Callable[[str], None], ready: Callable[[str], None]) -> None:
    """Until it is stopped; the address holds the token and goes to the terminal only."""
    gc.enable()  # commands do without, but this one runs for hours
    if hasattr(signal, "SIGHUP"):  # a terminal that is closed: also then nothing is left behind
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    server_state = furnished(options)
    tempfile.tempdir = str(server_state.scratch)  # also after a crash copies of tables lie together
    try:
        project = None if options.opened is None else open_file(server_state, options.opened)
        with closing(_listening(options.port)) as listener:
            port = listener.getsockname()[1]
            address = address_of(port, server_state.token, project)
            say(f"explorer: {address}")
            say(_where(server_state))
            say("stop it with Ctrl-C")
            ready(address)
            if options.browser:
                webbrowser.open(entry_of(port, server_state.entry_code(), project))
            _run(server_state, port, listener)
    finally:
        with _undisturbed():
            server_state.close()
        with contextlib.suppress(OSError, ValueError):  # the terminal may be gone
            for name in server_state.unsaved():
                say(f"not saved: the changes of {name}")


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A second Ctrl-C changes nothing: closing takes seconds, and half of it would leave data."""
    known = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    before = [(number, signal.signal(number, signal.SIG_IGN)) for number in known]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def furnished(options: Options) -> ServerState:
    """Server state with a token of its own, and a private folder."""
    if options.folder is None:
        folder = Path(tempfile.mkdtemp(prefix="paretonym-explore-"))
    else:
        try:
            options.folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            # one of its own: the folder may be shared, and its mode is not ours to change
            folder = Path(tempfile.mkdtemp(prefix="explore-", dir=options.folder))
        except OSError as error:
            raise OutputError(f"{options.folder}: {error.strerror or 'cannot be made'}") from None
    server_state = ServerState(
        folder.resolve(),
        secrets.token_urlsafe(32),
        temporary=options.folder is None,
        upload_limit=options.upload_limit,
    )
    server_state.scratch.mkdir(mode=PRIVATE_FOLDER)
    return server_state


def open_file(server_state: ServerState, path: Path) -> Project:
    return (
        server_state.open_job(path)
        if path.suffix.lower() in _JOBS
        else server_state.open_table(path)
    )


def address_of(port: int, token: str, project: Project | None) -> str:
    """The token stands behind #: browsers keep that part to themselves."""
    return f"{_page_of(port, project)}#token={token}"


def entry_of(port: int, code: str, project: Project | None) -> str:
    """For starting a browser: the list of processes shows this address to everybody."""
    return f"{_page_of(port, project)}#code={code}"


def _page_of(port: int, project: Project | None) -> str:
    place = "" if project is None else f"table/{project.id}"
    return f"http://{HOST}:{port}/{place}"


def hosts_of(port: int) -> frozenset[str]:
    return frozenset({f"{HOST}:{port}", f"localhost:{port}"})


def _where(server_state: ServerState) -> str:
    if server_state.temporary:
        return (
            "uploads and results lie in a private temporary folder and are removed at the end; "
            "download what you want to keep, or name a folder with -o"
        )
    return f"uploads and results lie in {server_state.folder}"


def _listening(port: int | None) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port or 0))
        listener.listen()
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        reason = "is taken" if taken else f"cannot be used ({error.strerror})"
        raise OutputError(
            f"port {port} {reason}; choose another, or leave out --port to get a free one"
        ) from None
    return listener


def _run(server_state: ServerState, port: int, listener: socket.socket) -> None:
    config = uvicorn.Config(
        create(server_state, hosts_of(port)),
        log_level="critical",  # a request that ends with the server is no error to tell of
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listener])
