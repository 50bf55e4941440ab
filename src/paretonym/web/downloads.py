"""Files that a page may fetch: single ones as they are, folders as a zip."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from paretonym.publishing.atomic import MANIFEST, REPORT, atomic_file, write_text
from paretonym.web.answers import Wanted
from paretonym.web.messages import OUT, Kind
from paretonym.web.projects import Project
from paretonym.web.server_state import BusyError, MissingError, ServerState

_KINDS: dict[Wanted, Kind] = {
    "data": "release",
    "public": "release",
    "release": "release",
    "front": "front",
    "attack": "attack",
    "protect": "protect",
}


def address(server_state: ServerState, project: Project, what: Wanted) -> str:
    """Where the browser can fetch it, once."""
    file, name = _file(server_state, project, what)
    return f"/downloads/{server_state.ticket(file, name)}/{name}"


def _file(server_state: ServerState, project: Project, what: Wanted) -> tuple[Path, str]:
    stem = _plain(project.name)
    if what == "job":
        now = project.snapshot
        file = project.folder / f"job-{now.digest}.yaml"  # an earlier ticket gives what it showed
        write_text(file, now.text)
        return file, f"{stem}.yaml"
    done = server_state.last(project, _KINDS[what], whole=True)
    if done.state == "running":
        raise BusyError("these files are still being written; wait a moment")
    folder = done.folder / OUT
    if what == "data":
        data = next((f for f in folder.glob("data.*") if f.is_file()), None)
        if data is None:
            raise MissingError("there is no released file")
        return data, f"{stem}-{data.name}"
    files = _public(folder) if what == "public" else sorted(folder.rglob("*"))
    file = done.folder / f"{what}.zip"
    _zip(file, folder, [f for f in files if f.is_file()])
    return file, f"{stem}-{what}.zip"


def _public(folder: Path) -> list[Path]:
    """What may be handed on: nothing of the internal folder."""
    return [
        file
        for file in sorted(folder.iterdir())
        if file.name in (MANIFEST, REPORT) or file.name.startswith("data.")
    ]


def _zip(target: Path, folder: Path, files: list[Path]) -> None:
    if target.exists():
        return
    with atomic_file(target) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for file in files:
            made.write(file, file.relative_to(folder))


def _plain(name: str) -> str:
    """A name that every file system and header takes."""
    stem = re.sub(r"\.(csv|tsv|txt|gz|parquet|yaml|yml)$", "", name.lower())
    return re.sub(r"[^a-z0-9_-]+", "-", stem).strip("-")[:60] or "table"
