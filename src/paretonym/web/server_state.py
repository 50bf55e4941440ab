"""Everything the server holds: projects, their tasks, open tables, tickets for downloads."""

from __future__ import annotations

import hmac
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paretonym import datasets
from paretonym.errors import JobError, ParetonymError, TableError
from paretonym.jobfile.tables import source_in
from paretonym.model.source import TableSource
from paretonym.pipeline.open_job import OpenJob, open_job
from paretonym.pipeline.outputs import inputs_of
from paretonym.proposal.profile import TableProfile, profile_of
from paretonym.proposal.proposing import Proposal, propose
from paretonym.publishing.atomic import PRIVATE_FOLDER
from paretonym.tables import Table, open_table
from paretonym.views.front_views import inputs_digest
from paretonym.web import tasks
from paretonym.web.guard import STOPPING
from paretonym.web.messages import CHANGED_INPUTS, Kind, Request
from paretonym.web.open_tables import Shelf
from paretonym.web.projects import (
    Project,
    Snapshot,
    StaleError,
    Step,
    data_of,
    digest_of,
    read_text,
    refuse_long,
)
from paretonym.web.tasks import Task

UPLOAD_LIMIT = 1_000_000_000
MOST_PROJECTS = 50
MOST_RUNNING = 3
TICKET_SECONDS = 300.0
CODE_SECONDS = 120.0  # a browser may be slow to start
_OPEN_JOBS, _TABLES, _PROFILES = 3, 3, 10
_PATIENCE = 3.0  # seconds that work has to end by itself when the server ends

EXAMPLES = {
    "people": ("people/people.yaml", "600 made-up patients of a practice"),
    "adult": ("adult/job.yaml", "UCI Adult: 30,162 people of a census"),
    "clinic": ("clinic/clinic.yaml", "made-up patients, with secrets that are to be kept"),
    "bases": ("groups/bases.yaml", "60,000 made-up people; where are the soldiers?"),
}
# how an uploaded file is called here, by how it ends there; its own name is only shown
_ENDINGS = (".csv.gz", ".tsv.gz", ".txt.gz", ".csv", ".tsv", ".txt", ".gz", ".parquet")
_PLAIN_STEM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")


class MissingError(ParetonymError):
    """Something that an address names is not there, or not any more."""


class EntryError(ParetonymError):
    """Somebody asks for the token without a code that holds."""


class BusyError(ParetonymError):
    """The work cannot start now."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave to fetch one file once."""

    file: Path
    name: str
    until: float


@dataclass(slots=True)
class ServerState:
    """One run of the explorer. `folder` is private; everything it makes lies there."""

    folder: Path
    token: str
    temporary: bool
    upload_limit: int = UPLOAD_LIMIT
    projects: dict[str, Project] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    tickets: dict[str, Ticket] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    _open_jobs: Shelf[OpenJob] = field(default_factory=lambda: Shelf(_OPEN_JOBS))
    _profiles: dict[str, TableProfile] = field(default_factory=dict)
    _tables: Shelf[Table] = field(default_factory=lambda: Shelf(_TABLES))
    _is_closed: bool = False
    _code: tuple[str, float] | None = None  # and until when it holds

    # who may enter

    def entry_code(self) -> str:
        """Worth the token once: other people of the machine can read what a browser is given."""
        with self.lock:
            code = secrets.token_urlsafe(32)
            self._code = code, time.monotonic() + CODE_SECONDS
            return code

    def enter(self, code: str) -> str:
        """The token for the code."""
        with self.lock:
            known, until = self._code or ("", 0.0)
            holds = hmac.compare_digest(code.encode(), known.encode())
            if not holds or time.monotonic() > until:
                raise EntryError("this address holds once; open the one that the terminal shows")
            self._code = None
            return self.token

    @property
    def scratch(self) -> Path:
        """For copies of tables that are open; nothing in it stays."""
        return self.folder / "tmp"

    @property
    def _uploads(self) -> Path:
        return self.folder / "uploads"

    # projects

    def open_job(self, path: Path) -> Project:
        text = read_text(path)
        project = self._new(path.stem, path.name, path.absolute().parent, path, text)
        project.on_disk = digest_of(text)
        return project

    def open_table(self, path: Path) -> Project:
        """A table on this machine: its job can be saved beside it."""
        proposal = propose(TableSource(path), table_text=path.name)
        place = _free_name(path)
        return self._proposed(path.name, path.absolute().parent, place, proposal)

    def upload_place(self, shown: str) -> Path:
        """Where a file goes that a browser calls `shown`, in a folder of its own."""
        name = stored_name(shown)
        self._refuse_many()
        folder = self._uploads / secrets.token_urlsafe(12)
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True)
        return folder / name

    def open_upload(
        self, source: TableSource, shown: str, *, header: bool | None = None
    ) -> Project:
        """A file that came from the browser under the name `shown`."""
        file = Path(str(source.data))
        try:
            proposal = propose(source, table_text=file.name, header=header)
        except TableError as error:
            raise type(error)(str(error).replace(str(file), "the file")) from None
        return self._proposed(shown, file.parent, None, proposal)

    def _proposed(self, name: str, base: Path, path: Path | None, proposal: Proposal) -> Project:
        """The columns of a new table are shown at once, so what was counted for them is kept."""
        project = self._new(name, name, base, path, proposal.text)
        self._keep_profile(_stamped(source_of(project.snapshot)), proposal.profile)
        return project

    def open_example(self, name: str) -> Project:
        if name not in EXAMPLES:
            raise MissingError("there is no such example")
        for project in list(self.projects.values()):
            if project.example == name and not project.place:
                return project  # nothing was changed in it
        path = datasets.path(EXAMPLES[name][0])
        return self._new(name, path.name, path.parent, None, read_text(path), example=name)

    def _new(
        self,
        name: str,
        table: str,
        base: Path,
        path: Path | None,
        text: str,
        example: str | None = None,
    ) -> Project:
        refuse_long(text)
        with self.lock:
            self._refuse_closed()
            self._refuse_many()
            number = secrets.token_urlsafe(9)
            folder = self.folder / "results" / number
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True)
            project = Project(number, name, table, base, folder, path, [Step("opened", text)])
            project.example = example
            self.projects[number] = project
            return project

    def _refuse_closed(self) -> None:
        """A request that outlives the server must not make its folder again."""
        if self._is_closed:
            raise BusyError(STOPPING)

    def _refuse_many(self) -> None:
        if len(self.projects) >= MOST_PROJECTS:
            raise BusyError(f"{MOST_PROJECTS} tables are open; close one on the start page")

    def project(self, number: str) -> Project:
        if number not in self.projects:
            raise MissingError("this table is not open here; go to the start page")
        return self.projects[number]

    def close_project(self, number: str) -> None:
        """Stop its work; its results go, and the table too if it was uploaded."""
        with self.lock:
            project = self.project(number)
            del self.projects[number]
            started = self.tasks_of(project)
        _end(started)
        with self.lock:
            for task in started:
                del self.tasks[task.id]
        shutil.rmtree(project.folder, ignore_errors=True)
        if project.base.parent == self._uploads:
            self._forget_upload(project.base)

    def _forget_upload(self, folder: Path) -> None:
        for shelf in (self._open_jobs, self._tables):
            shelf.drop(folder.name)
        with self.lock:
            for key in [key for key in self._profiles if folder.name in key]:
                del self._profiles[key]
        shutil.rmtree(folder, ignore_errors=True)

    def unsaved(self) -> list[str]:
        """Job files whose edits were not written back."""
        return [
            project.path.name
            for project in list(self.projects.values())
            if project.path is not None and project.has_unsaved_edits
        ]

    # open tables

    @contextmanager
    def opened(self, snapshot: Snapshot) -> Iterator[OpenJob]:
        job = snapshot.job()
        key = f"{snapshot.digest}\n{[_stamp(path) for path in inputs_of(job)]}"
        with self._open_jobs.using(key, lambda: open_job(job)) as opened:
            yield opened

    @contextmanager
    def table(self, snapshot: Snapshot) -> Iterator[Table]:
        """The table alone: it can be looked at even when the rest of the job is nonsense."""
        source = source_of(snapshot)
        with self._tables.using(_stamped(source), lambda: open_table(source)) as table:
            yield table

    def profile(self, snapshot: Snapshot, table: Table) -> TableProfile:
        """Counts about the job's table, taken once as long as not many others are looked at."""
        key = _stamped(source_of(snapshot))
        with self.lock:
            known = self._profiles.pop(key, None)
        profile = known or profile_of(table)
        self._keep_profile(key, profile)
        return profile

    def _keep_profile(self, key: str, profile: TableProfile) -> None:
        with self.lock:
            self._profiles[key] = profile
            for oldest in list(self._profiles)[:-_PROFILES]:
                del self._profiles[oldest]

    # tasks

    def start(
        self, project: Project, kind: Kind, *, chosen_for: str | None = None, **options: Any
    ) -> Task:
        """`chosen_for`: the digest of the job that the levels of a release were chosen for."""
        now = project.snapshot
        if kind == "release" and chosen_for != now.digest:
            raise StaleError(
                "the job was changed since this point was chosen, and its levels may mean "
                "something else now; find the front again and choose from it"
            )
        now.job()  # a job that cannot be read is refused here, with its line
        place = project.folder / f"{kind}-{secrets.token_urlsafe(6)}"
        request = Request(kind, now.text, now.name, str(now.base), str(place), **options)
        with self.lock:
            self._refuse_closed()
            self.project(project.id)  # it may have been closed meanwhile
            running = [t for t in self.tasks.values() if t.state == "running"]
            for task in running:
                if task.project == project.id:
                    return _joined(task, request)
            if len(running) >= MOST_RUNNING:
                raise BusyError(f"{MOST_RUNNING} tasks are running; wait for one, or cancel it")
            task = tasks.start(project.id, request, now.digest)
            self.tasks[task.id] = task
            return task

    def task(self, number: str) -> Task:
        if number not in self.tasks:
            raise MissingError("there is no such task")
        return self.tasks[number]

    def tasks_of(self, project: Project) -> list[Task]:
        return [task for task in list(self.tasks.values()) if task.project == project.id]

    def last(self, project: Project, kind: Kind, *, whole: bool = False) -> Task:
        """The newest task of a kind that left something to show; `whole`: and all its files."""
        for task in reversed(self.tasks_of(project)):
            if task.kind == kind and task.has_result and not (whole and task.state == "failed"):
                return task
        raise MissingError("nothing was computed yet")

    def front(self, project: Project, number: str | None) -> Task | None:
        """The front that a page shows: another one may have been found meanwhile.

        A page that shows none gets the last one, if there is any.
        """
        if number is None:
            with suppress(MissingError):
                return self.last(project, "front")
            return None
        task = self.task(number)
        if task.project != project.id or task.kind != "front":
            raise MissingError("this front is not one of this table's")
        return task

    @contextmanager
    def looking_at(self, project: Project, number: str | None) -> Iterator[OpenJob]:
        """The job, the table and the hierarchies that the front on show was found for."""
        task = self.front(project, number)
        asked = project.snapshot if task is None else _snapshot_of(task)
        with self.opened(asked) as opened:
            if task is not None and task.inputs not in (None, inputs_digest(opened)):
                raise StaleError(CHANGED_INPUTS)
            yield opened

    # downloads

    def ticket(self, file: Path, name: str) -> str:
        with self.lock:
            now = time.monotonic()
            self.tickets = {k: t for k, t in self.tickets.items() if t.until > now}
            number = secrets.token_urlsafe(24)
            self.tickets[number] = Ticket(file, name, now + TICKET_SECONDS)
            return number

    def redeem(self, number: str) -> Ticket:
        with self.lock:
            ticket = self.tickets.pop(number, None)
        if ticket is None or ticket.until < time.monotonic() or not ticket.file.is_file():
            raise MissingError("this download is over; ask for it again")
        return ticket

    def close(self) -> None:
        """Stop what runs and leave no open table; uploads go unless a folder was asked for."""
        with self.lock:
            self._is_closed = True
            started = list(self.tasks.values())
        try:
            _end(started)
            self._open_jobs.close(_PATIENCE)
            self._tables.close(_PATIENCE)
        finally:
            shutil.rmtree(self.folder if self.temporary else self.scratch, ignore_errors=True)


def _end(started: Sequence[Task]) -> None:
    """Each may end by itself for a while, all at the same time; nothing works afterwards."""
    for task in started:
        task.stop()
    end = time.monotonic() + _PATIENCE
    for task in started:
        task.end(max(0.0, end - time.monotonic()))


def _snapshot_of(task: Task) -> Snapshot:
    return Snapshot(task.request.text, task.request.name, Path(task.request.base))


def _joined(task: Task, request: Request) -> Task:
    """The same work asked for twice, by a double click or by two tabs, is done once."""
    if not task.stopping and task.request == replace(request, folder=task.request.folder):
        return task
    raise BusyError("something is running for this table already; wait or cancel it")


def stored_name(shown: str) -> str:
    """What an upload is called here."""
    ending = next((e for e in _ENDINGS if shown.lower().endswith(e)), None)
    if ending is None:
        raise TableError(
            "the file's name does not end like a table's; use .csv, .tsv, .txt (also .gz) or "
            ".parquet"
        )
    stem = shown[: -len(ending)]
    # a job that is downloaded names its table; a name with anything odd in it is not taken over
    return f"{stem}{ending}" if _PLAIN_STEM.fullmatch(stem) else f"table{ending}"


def source_of(snapshot: Snapshot) -> TableSource:
    """How the job's table is read; the rest of the job may be wrong."""
    data = data_of(snapshot)
    if "table" not in data:
        raise JobError("the job names no table; write table: and the file's path")
    return source_in(data["table"], snapshot.base)


def _stamped(source: TableSource) -> str:
    """A file that is written anew is another table."""
    return f"{source}\n{_stamp(source.data) if isinstance(source.data, Path) else 0}"


def _stamp(path: Path) -> str:
    try:
        return f"{path}\n{path.stat().st_mtime_ns}"
    except OSError:
        return str(path)  # reading it says what is wrong


def _free_name(table: Path) -> Path:
    """Where a job for a table would be saved: never over something else."""
    folder = table.absolute().parent
    stem = table.name.split(".")[0] or "job"
    names: Sequence[str] = [f"{stem}.yaml", *(f"{stem}-{n}.yaml" for n in range(2, 1000))]
    return next(folder / name for name in names if not os.path.lexists(folder / name))
