"""Files and folders that appear whole or not at all.

Everything is written under a temporary name beside its target, readable by its owner only,
forced to disk and renamed. Whatever goes wrong before the rename, including Ctrl-C and a full
disk, removes the temporary name and leaves what stood there before.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from paretonym.errors import OutputError

PUBLIC_FILE, PRIVATE_FILE = 0o644, 0o600
PUBLIC_FOLDER, PRIVATE_FOLDER = 0o755, 0o700

DATA_FILES = {"csv": "data.csv", "parquet": "data.parquet"}
MANIFEST, REPORT, PLAN, INTERNAL = "manifest.json", "report.html", "plan.json", "internal"
MANIFEST_FORMAT = "paretonym-manifest/1"

_OUR_FILES = {
    *DATA_FILES.values(),
    MANIFEST,
    REPORT,
    f"{INTERNAL}/{PLAN}",
    f"{INTERNAL}/{MANIFEST}",
    f"{INTERNAL}/{REPORT}",
}


@contextlib.contextmanager
def atomic_file(path: Path, *, mode: int = PRIVATE_FILE) -> Iterator[BinaryIO]:
    """Open `path` for writing; it takes its name and mode only when the block ends well."""
    with _os_errors(path):
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    temporary = Path(name)
    try:
        with _os_errors(path):
            with os.fdopen(number, "wb") as stream:
                yield stream
                stream.flush()
                os.fchmod(stream.fileno(), mode)
                os.fsync(stream.fileno())
            temporary.replace(path)
            _sync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str, *, mode: int = PRIVATE_FILE) -> None:
    with atomic_file(path, mode=mode) as stream:
        stream.write(text.encode())


def make_folder(path: Path) -> None:
    """A folder to write into, with those above it."""
    with _os_errors(path):
        path.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def release_folder(target: Path) -> Iterator[Path]:
    """A private folder to fill; it becomes `target` when the block ends well.

    An existing target is replaced only when it is empty or an earlier release, and only at
    the very end: until then, and after any error, it stays as it was.
    """
    place = target.resolve()
    refuse_foreign_folder(place)
    with _os_errors(place):
        # a target may be nested in folders that do not exist yet
        place.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}.", suffix=".part"))
    try:
        with _os_errors(place):
            yield staging
            _set_modes_and_sync(staging)
            refuse_foreign_folder(place)  # somebody may have filled it meanwhile
            _put_in_place(staging, place)
            _sync_folder(place.parent)
    finally:
        # after a successful exchange the old release carries the temporary name
        shutil.rmtree(staging, ignore_errors=True)


def refuse_foreign_folder(target: Path) -> None:
    """An existing target must be empty or hold a release and nothing else."""
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"'{target}' is a file; a release needs a folder of its own")
    found = {
        str(path.relative_to(target))
        for path in target.rglob("*")
        if path.is_symlink() or path.is_file()
    }
    if not found and not any(target.iterdir()):
        return
    if not _is_release(target):
        raise OutputError(
            f"the folder '{target}' exists and is not an earlier release; choose a new folder"
        )
    strangers = len(found - _OUR_FILES)
    if strangers:
        raise OutputError(
            f"the folder '{target}' holds an earlier release and {strangers} other file(s), which "
            f"replacing it would delete; move them away or choose a new folder"
        )


def refuse_same_path(source: Path, output: Path) -> None:
    """The output must not be the input, nor a folder that contains it (by any link)."""
    given, wanted = source.resolve(), output.resolve()
    clash = given == wanted or wanted in given.parents
    if not clash and given.exists() and wanted.exists():
        places = [wanted, *wanted.rglob("*")] if wanted.is_dir() else [wanted]
        clash = any(_same_file(given, place) for place in places)
    if clash:
        raise OutputError(
            f"the output '{output}' is, or contains, the input table; choose another place"
        )


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # a dangling link is nobody's file
        return False


def _is_release(folder: Path) -> bool:
    try:
        data = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and data.get("format") == MANIFEST_FORMAT


@contextlib.contextmanager
def _os_errors(path: Path) -> Iterator[None]:
    """Say in our words that the system refused; its own text holds nothing but the reason."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise OutputError(
            f"cannot write '{path}': {reason}; what stood there before is untouched"
        ) from None


def _set_modes_and_sync(staging: Path) -> None:
    internal = staging / INTERNAL
    for path in sorted(staging.rglob("*")):
        private = path == internal or internal in path.parents
        if path.is_dir():
            path.chmod(PRIVATE_FOLDER if private else PUBLIC_FOLDER)
            _sync_folder(path)
        else:
            path.chmod(PRIVATE_FILE if private else PUBLIC_FILE)
    _sync_folder(staging)
    staging.chmod(PUBLIC_FOLDER)


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _put_in_place(staging: Path, target: Path) -> None:
    if not target.exists() or not any(target.iterdir()):
        staging.replace(target)  # a rename onto an empty folder is atomic
        return
    if _exchange(staging, target):
        return
    # No atomic exchange here: the old release waits under a name of its own in between.
    aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".old"))
    target.replace(aside)
    try:
        staging.replace(target)
    except BaseException:
        aside.replace(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step (Linux); False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    at_cwd, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    return bool(renameat2(at_cwd, os.fsencode(one), at_cwd, os.fsencode(other), exchange) == 0)
