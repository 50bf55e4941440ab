"""Long work in processes of its own: started, watched, stopped; it outlives the page."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess  # nosec: only this very program is started
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from paretonym import isolation
from paretonym.publishing.atomic import PRIVATE_FOLDER
from paretonym.web.messages import RESULT, Kind, Request

State = Literal["running", "done", "failed", "cancelled"]
_PATIENCE = 20.0  # seconds between asking a process to stop and making it
_LOG = 200  # remarks kept
_SCRATCH = "tmp"  # in the task's folder: where its process puts what is not to stay


@dataclass(slots=True)
class Task:
    """One piece of work; a thread of the server listens to its process."""

    id: str
    project: str
    request: Request
    digest: str  # of the job's text
    state: State = "running"
    what: str = "starting"
    done: int = 0
    total: int = 0
    message: str | None = None
    inputs: str | None = None  # of a front: digest of the table and hierarchies it was found from
    checks: list[dict[str, Any]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended: float | None = None
    stopping: bool = False
    begun: float = field(default_factory=time.monotonic)
    process: subprocess.Popen[bytes] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def kind(self) -> Kind:
        return self.request.kind

    @property
    def folder(self) -> Path:
        return Path(self.request.folder)

    @property
    def scratch(self) -> Path:
        return self.folder / _SCRATCH

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.begun

    @property
    def has_result(self) -> bool:
        """A front can be looked at while its files are still being written."""
        return (self.folder / RESULT).exists()

    def hear(self, message: dict[str, Any]) -> None:
        if "progress" in message:
            told = message["progress"]
            self.what, self.done, self.total = told["what"], told["done"], told["total"]
        elif "say" in message:
            self.log = [*self.log, str(message["say"])][-_LOG:]
        elif "checks" in message:
            self.checks = self.checks + message["checks"]
        elif "inputs" in message:
            self.inputs = message["inputs"]
        elif "end" in message:
            self.message = message["message"]
            self.ended = time.monotonic()
            self.state = message["end"]

    def lost(self) -> None:
        """The process is gone without a word."""
        if self.state == "running":
            self.ended = time.monotonic()
            self.message = (
                "stopped; nothing was kept"
                if self.stopping
                else "the process ended unexpectedly; the machine may be out of memory"
            )
            self.state = "cancelled" if self.stopping else "failed"

    def stop(self) -> None:
        """Ask the process to stop; one that does not is ended."""
        with self.lock:
            if self.state != "running" or self.process is None or self.stopping:
                return
            self.stopping = True
        self.what = "stopping"
        with contextlib.suppress(OSError, ValueError):
            if self.process.stdin is not None:
                self.process.stdin.write(b"stop\n")
                self.process.stdin.flush()
        timer = threading.Timer(_PATIENCE, self.process.kill)
        timer.daemon = True
        timer.start()

    def end(self, seconds: float) -> None:
        """Wait that long for the process, then make it end: nothing writes afterwards."""
        if self.process is None:
            return
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.clear()

    def clear(self) -> None:
        """A process that is killed cannot remove its copies of the table itself."""
        shutil.rmtree(self.scratch, ignore_errors=True)


def start(project: str, request: Request, digest: str) -> Task:
    """A new process on the request, with a thread that listens to it."""
    task = Task(secrets.token_urlsafe(12), project, request, digest)
    task.folder.mkdir(mode=PRIVATE_FOLDER, parents=True)
    task.scratch.mkdir(mode=PRIVATE_FOLDER)
    task.process = subprocess.Popen(  # noqa: S603  (this very program)
        isolation.command("paretonym.web.work"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(task.scratch)},
        start_new_session=True,  # Ctrl-C in the terminal is for the server, which stops its tasks
    )
    threading.Thread(target=_listen, args=(task,), daemon=True).start()
    return task


def _listen(task: Task) -> None:
    process = task.process
    if process is None or process.stdin is None or process.stdout is None:
        return
    with contextlib.suppress(OSError):
        process.stdin.write(task.request.line())
        process.stdin.flush()
    for line in process.stdout:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            task.hear(json.loads(line))
    process.wait()
    task.clear()
    task.lost()
    with contextlib.suppress(OSError):  # what could not be said to a process that has ended
        process.stdin.close()
    process.stdout.close()
