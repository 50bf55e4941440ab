"""Swaps on disk: internal files, since they say whose whereabouts were exchanged."""

from __future__ import annotations

import json
from pathlib import Path

from paretonym.errors import JobError
from paretonym.model.plan import Plan, is_plan
from paretonym.model.reading import read_file
from paretonym.model.swap import Swaps
from paretonym.publishing.atomic import PRIVATE_FILE, write_text
from paretonym.publishing.manifest import version_beside


def load_swaps(path: Path) -> Swaps:
    """A file of swaps, or the plan of a release that made some."""
    try:
        data = json.loads(read_file(path).decode())
    except (OSError, ValueError, RecursionError):
        raise JobError(
            f"{path.name}: no swaps can be read there; give the file that paretonym group "
            f"protect writes"
        ) from None
    if is_plan(data):
        swaps = Plan.from_json(data, written_by=version_beside(path)).swaps
        if swaps is None:
            raise JobError(f"{path.name}: this plan makes no swaps; name one that does")
        return swaps
    return Swaps.from_json(data)


def write_swaps(swaps: Swaps, path: Path) -> None:
    """Mode 0600; one pair a line would be long, so the file is dense."""
    write_text(path, json.dumps(swaps.to_json(), ensure_ascii=False) + "\n", mode=PRIVATE_FILE)
