"""numba, set up once: a private cache folder, and the decorators that use it."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import config, njit

from paretonym.version import __version__

Function = TypeVar("Function", bound=Callable[..., Any])


def _edition() -> str:
    """These very kernels at this very place.

    numba renews a cached function when its own file changes, but not when a function that was
    compiled into it does.
    """
    here = Path(__file__).parent
    sha = hashlib.sha256(str(here).encode())
    for file in sorted(here.glob("*.py")):
        sha.update(file.read_bytes())
    return f"{__version__}-{sha.hexdigest()[:16]}"


def _private_cache() -> Path:
    """numba's cache holds pickles, so it must live where nobody else can write."""
    base = os.environ.get("PARETONYM_CACHE") or os.environ.get("XDG_CACHE_HOME")
    try:
        return _edition_under(Path(base) if base else Path.home() / ".cache")
    except OSError:  # a home that cannot be written: compile anew each time
        return _edition_under(_lent_cache())


def _edition_under(base: Path) -> Path:
    folder = base / "paretonym" / _edition()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    tempfile.TemporaryFile(dir=folder).close()  # the disk may be full
    return folder


def _lent_cache() -> Path:
    """A folder until this process ends; those that it starts need not compile anew as well."""
    base = tempfile.mkdtemp(prefix="paretonym-kernels-")
    atexit.register(shutil.rmtree, base, ignore_errors=True)
    os.environ["PARETONYM_CACHE"] = base
    return Path(base)


CACHE_FOLDER = _private_cache()

_COMMON = {"cache": True, "nogil": True, "boundscheck": False, "error_model": "numpy"}
_CACHE_SETTINGS = {
    "CACHE_DIR": str(CACHE_FOLDER),
    "CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",  # in that folder, or not at all
}
_settling = threading.Lock()  # modules of kernels may be imported by several threads at once


def _jitted(function: Function, **options: bool) -> Function:
    """A function settles where its cache lies when it is made, by numba's settings at that moment.

    They may be anything: numba reads them when it is first imported, which may have been long
    before, from the environment and from a file in the working folder.
    """
    with _settling:
        before = {name: getattr(config, name) for name in _CACHE_SETTINGS}
        try:
            _set(_CACHE_SETTINGS)
            return njit(**_COMMON, **options)(function)  # type: ignore[no-any-return]
        finally:
            _set(before)


def _set(settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        setattr(config, name, value)


def compiled(function: Function) -> Function:
    """Compile, cache on disk, and release the interpreter lock while running."""
    return _jitted(function)


def lean(function: Function) -> Function:
    """The same for functions that allocate nothing, without counting references to arrays.

    The counting would cost more than the work: an atomic addition for every array an inner
    loop takes out of a tuple or hands to a helper.
    """
    return _jitted(function, _nrt=False)


def inner(function: Function) -> Function:
    """Lean, and for compiled callers only: without a door for Python it compiles in half the time.

    The door takes every array out of the tuples that are handed over.
    """
    return _jitted(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Function) -> Function:
    """Lean, and always compiled into its callers."""
    return _jitted(function, _nrt=False, forceinline=True)


def is_compiled() -> bool:
    """Whether an earlier run left compiled kernels behind."""
    return any(CACHE_FOLDER.rglob("*.nbi"))
