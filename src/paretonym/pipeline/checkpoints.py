"""A search's state on disk, so that a long search can go on after whatever stopped it.

One file beside the front's own, replaced whole each time: arrays in numpy's format, which is
read without executing anything, and facts as JSON. It names the software, the job and the
table it belongs to, and goes on with no other.
"""

from __future__ import annotations

import json
import time
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from paretonym.errors import OutputError
from paretonym.jobfile.digest import search_digest
from paretonym.model.job import Job, Method
from paretonym.pipeline.open_job import OpenJob
from paretonym.publishing.atomic import atomic_file, make_folder
from paretonym.search import ChosenMethod, State
from paretonym.version import __version__

CHECKPOINT = "checkpoint.npz"

FORMAT = "paretonym-checkpoint/2"
SECONDS = 30.0  # between two checkpoints, at most
_ABOUT = "about"  # the array that holds the facts; a state's own names are other ones

_OTHERS = {
    "format": "has another format",
    "software": "was written by another version of paretonym",
    "job": "belongs to another job, or the job or a hierarchy file was changed",
    "table": "belongs to another table, or the table was changed",
    "method": "belongs to a search by another method",
    "seed": "belongs to a search with another seed",
}


class Checkpoints:
    """Keeps a search's state in a folder every `seconds`; reads it back."""

    def __init__(
        self, folder: Path, opened: OpenJob, how: ChosenMethod, *, seconds: float = SECONDS
    ) -> None:
        self.file = folder / CHECKPOINT
        self._seconds = seconds
        self._last = time.monotonic()
        self._owner = {
            "format": FORMAT,
            "software": __version__,
            "job": search_digest(opened.job),
            "table": opened.table.fingerprint,
            "method": how.method,
            "seed": opened.job.search.seed or 0,
        }

    def is_due(self) -> bool:
        return time.monotonic() - self._last >= self._seconds

    def keep(self, state: State) -> None:
        make_folder(self.file.parent)
        about = {**self._owner, "facts": dict(state.facts)}
        text = np.frombuffer(json.dumps(about, allow_nan=False).encode(), np.uint8)
        with atomic_file(self.file) as stream:
            np.savez(stream, **{_ABOUT: text}, **state.arrays)  # type: ignore[arg-type]
        self._last = time.monotonic()

    def load(self) -> State:
        """The state kept last; an error, and the file untouched, when it is not this search's."""
        if not self.file.exists():
            raise OutputError(
                f"there is no {self.file} to go on from; run without --resume, or name the "
                f"folder of the interrupted search with -o"
            )
        about, arrays = _read(self.file)
        for part, fault in _OTHERS.items():
            if about.get(part) != self._owner[part]:
                raise OutputError(
                    f"{self.file} {fault}, so this search cannot go on from it; remove it, or "
                    f"choose another folder with -o"
                )
        return State(arrays, about["facts"])

    def refuse_unfinished(self) -> None:
        """A search begun anew would overwrite what an interrupted one left."""
        if self.file.exists():
            raise OutputError(
                f"{self.file} is left of a search that did not finish; go on with --resume, or "
                f"remove it to begin anew"
            )

    def remove(self) -> None:
        """The search is over; also what a killed process left half written."""
        self.file.unlink(missing_ok=True)
        for left in self.file.parent.glob(f".{CHECKPOINT}.*.part"):
            left.unlink(missing_ok=True)


def _array(stored: zipfile.ZipFile, name: str) -> Any:
    """One array; never an object, which reading would have to bring to life."""
    with stored.open(name) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _read(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        with zipfile.ZipFile(file) as stored:
            arrays = {name.removesuffix(".npy"): _array(stored, name) for name in stored.namelist()}
        about = json.loads(bytes(arrays.pop(_ABOUT)))
        about = {"facts": about["facts"], **about}  # a mapping, and it has facts
    except (OSError, TypeError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        raise OutputError(
            f"{file} is not a checkpoint that can be read; remove it, or choose another "
            f"folder with -o"
        ) from None
    return about, arrays


def begun_by(folder: Path, job: Job) -> Job:
    """The job with the method that its interrupted search was begun by, where it leaves it open.

    `auto` also looks at the budget, which may be another one now.
    """
    file = folder / CHECKPOINT
    if job.search.method != "auto" or not file.exists():
        return job
    kept = _read(file)[0].get("method")
    method: Method = next((m for m in get_args(Method) if m == kept), "auto")
    return replace(job, search=replace(job.search, method=method))
