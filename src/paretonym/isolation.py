"""Pythons that the program starts take no module from the working folder.

Python itself puts that folder first for `-m` and `-c`, and it often holds files of somebody else:
a `secrets.py` beside a table would be executed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_START = """\
import sys
sys.path[:] = [*sys.argv[1:], *(place for place in sys.path if place not in sys.argv)]
from {module} import main
main()
"""
_SAFE = {"PYTHONSAFEPATH": "1", "PYTHONPATH": None}  # an empty entry there is the working folder


def command(module: str) -> list[str]:
    """Runs `main` of the module in a Python that heeds neither working folder nor environment.

    It is told where this program found its own modules: they need not lie where an isolated Python
    looks, but among the user's packages or under PYTHONPATH.
    """
    utf8 = ["-X", "utf8"] if sys.flags.utf8_mode else []  # names of files read as they do here
    start = _START.format(module=module)
    return [sys.executable, "-I", *utf8, "-c", start, *_places()]


@contextmanager
def guarded() -> Iterator[None]:
    """Pythons that multiprocessing starts in this block keep off the working folder as well.

    It starts them with `-c`, and tells them where modules lie only when they run already.
    """
    before = {name: os.environ.get(name) for name in _SAFE}
    _set(_SAFE)
    try:
        yield
    finally:
        _set(before)


def _set(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _places() -> list[str]:
    """Where modules are found, in that order, without the working folder; last this very package.

    The package may have been found in the working folder: behind all the others it shadows nothing.
    """
    places = [str(Path(p).absolute()) for p in sys.path if not _is_working_folder(p)]
    own = str(Path(__file__).absolute().parents[1])
    return places if own in places else [*places, own]


def _is_working_folder(place: str) -> bool:
    try:
        return Path(place).samefile(os.curdir)
    except OSError:  # a place that does not exist
        return False
