"""A project: one job as text, every edit of it, and where its table and results lie."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paretonym.errors import JobError, OutputError, ParetonymError
from paretonym.jobfile.edits import Change, edited, said_of
from paretonym.jobfile.loading import job_from_text
from paretonym.jobfile.yaml import read_yaml
from paretonym.model.job import Job
from paretonym.model.reading import read_file
from paretonym.publishing.atomic import PRIVATE_FILE, write_text

LONGEST = 2_000_000  # characters of a job; the longest that people write have some thousands
_SHOWN = 60


class StaleError(ParetonymError):
    """Somebody else, perhaps another tab, has changed the same thing meanwhile."""


@dataclass(frozen=True, slots=True)
class Step:
    """The job after one edit."""

    says: str
    text: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The job at one moment: what a task works on."""

    text: str
    name: str
    base: Path

    @property
    def digest(self) -> str:
        return digest_of(self.text)

    def job(self) -> Job:
        return job_from_text(self.text, name=self.name, base=self.base)


@dataclass(slots=True)
class Project:
    """Edits are a list of whole texts, so that undoing one cannot leave anything behind."""

    id: str
    name: str
    table_name: str
    base: Path  # the folder that paths in the job are relative to
    folder: Path  # for results; private
    path: Path | None  # of the job file; None for an uploaded table
    steps: list[Step]
    place: int = 0  # of the step that holds
    revision: int = 0  # counts every change, also undoing
    example: str | None = None  # its name, of one that comes with the product
    on_disk: str | None = None  # digest of the file as it was last read or written
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def text(self) -> str:
        return self.steps[self.place].text

    @property
    def saved(self) -> bool:
        return self.on_disk == digest_of(self.text)

    @property
    def has_unsaved_edits(self) -> bool:
        """Also where an edit that was saved is undone; a proposal as it came is no edit."""
        return not self.saved and (self.place > 0 or self.on_disk is not None)

    @property
    def snapshot(self) -> Snapshot:
        with self.lock:
            name = self.path.name if self.path else "job.yaml"
            return Snapshot(self.text, name, self.base)

    def change(self, revision: int, changes: Sequence[Change], says: str | None) -> None:
        with self.lock:
            self._require(revision)
            label = says or "; ".join(map(said_of, changes))
            self._add(Step(_short(label), edited(self.text, changes)))

    def rewrite(self, revision: int, text: str) -> None:
        """The whole text, as somebody typed it; it may be nonsense, and is kept all the same."""
        with self.lock:
            self._require(revision)
            self._add(Step("text edited by hand", text))

    def move(self, revision: int, by: int) -> None:
        """Undo (-1) or redo (1) one edit."""
        with self.lock:
            self._require(revision)
            if not 0 <= self.place + by < len(self.steps):
                raise JobError("there is nothing to undo" if by < 0 else "there is nothing to redo")
            self.place += by
            self.revision += 1

    def save(self, revision: int) -> None:
        """Back to the job file, unless it was changed there since."""
        with self.lock:
            self._require(revision)
            if self.path is None:
                raise OutputError("an uploaded table has no job file here; download the job")
            now = digest_of(read_text(self.path)) if self.path.exists() else None
            if now != self.on_disk:
                raise StaleError(
                    f"{self.path.name} was changed by another program; download this job, or "
                    f"start the explorer again to see that one"
                )
            mode = PRIVATE_FILE if now is None else self.path.stat().st_mode & 0o777
            write_text(self.path.resolve(), self.text, mode=mode)  # a link stays a link
            self.on_disk = digest_of(self.text)

    def _add(self, step: Step) -> None:
        refuse_long(step.text)
        if step.text == self.text:
            return
        self.steps[self.place + 1 :] = [step]
        self.place += 1
        self.revision += 1

    def _require(self, revision: int) -> None:
        if revision != self.revision:
            raise StaleError(
                "the job was changed in another tab or window meanwhile; look at it as it is now "
                "and repeat the change"
            )


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_text(path: Path) -> str:
    """The job file with its line ends as they are."""
    try:
        text = read_file(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise JobError(f"{path.name}: cannot be read as UTF-8 text") from None
    refuse_long(text)
    return text


def refuse_long(text: str) -> None:
    if len(text) > LONGEST:
        raise JobError(
            f"a job of more than {LONGEST:,} characters is not taken here; put long lists of "
            f"values into hierarchy files"
        )


def data_of(snapshot: Snapshot) -> dict[str, Any]:
    """The job's keys as they are written, also where they mean nothing; a JobError if no YAML."""
    data = read_yaml(snapshot.text, snapshot.name).data
    return data if isinstance(data, dict) else {}


def _short(label: str) -> str:
    return label if len(label) <= _SHOWN else label[: _SHOWN - 1] + "…"
