"""`paretonym explore`: the local web app, when what it needs is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from paretonym.cli.show import Screen
from paretonym.errors import JobError, missing

EXTRA = "pip install 'paretonym[explore]'"
_MEGABYTE = 1_000_000


def explore(
    screen: Screen,
    opened: Path | None,
    *,
    folder: Path | None,
    port: int | None,
    browser: bool,
    megabytes: int,
) -> None:
    absent = [name for name in ("fastapi", "uvicorn") if not importlib.util.find_spec(name)]
    if absent:
        raise JobError(f"explore needs {missing(absent, EXTRA)}")
    if opened is not None and not opened.is_file():
        raise JobError(f"{opened}: there is no such file; give a job (.yaml) or a table")
    from paretonym.web.server import Options, serve

    serve(
        Options(opened, folder, port, browser, megabytes * _MEGABYTE),
        say=screen.say,
        ready=lambda address: screen.give({"address": address}),
    )
