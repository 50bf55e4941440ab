"""numba, set up once: a private cache folder and one decorator."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

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
    folder = (Path(base) if base else Path.home() / ".cache") / "paretonym" / _edition()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError:  # a home that cannot be written: compile anew each time
        folder = Path(tempfile.mkdtemp(prefix="paretonym-kernels-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


CACHE_FOLDER = Path(os.environ.setdefault("NUMBA_CACHE_DIR", str(_private_cache())))

from numba import njit  # noqa: E402  (numba reads the variable when it is imported)

_COMMON = {"cache": True, "nogil": True, "boundscheck": False, "error_model": "numpy"}


def compiled(function: Function) -> Function:
    """Compile, cache on disk, and release the interpreter lock while running."""
    return njit(**_COMMON)(function)  # type: ignore[no-any-return]


def lean(function: Function) -> Function:
    """The same for functions that allocate nothing, without counting references to arrays.

    The counting would cost more than the work: an atomic addition for every array an inner
    loop takes out of a tuple or hands to a helper.
    """
    return njit(_nrt=False, **_COMMON)(function)  # type: ignore[no-any-return]


def inner(function: Function) -> Function:
    """Lean, and for compiled callers only: without a door for Python it compiles in half the time.

    The door takes every array out of the tuples that are handed over.
    """
    closed = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(_nrt=False, **closed, **_COMMON)(function)  # type: ignore[no-any-return]


def inlined(function: Function) -> Function:
    """Lean, and always compiled into its callers."""
    return njit(_nrt=False, forceinline=True, **_COMMON)(function)  # type: ignore[no-any-return]


def is_compiled() -> bool:
    """Whether an earlier run left compiled kernels behind."""
    return any(CACHE_FOLDER.rglob("*.nbi"))
