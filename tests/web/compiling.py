"""All kinds of work once, before any test waits: on a new machine that compiles for minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
from tests.web.asking import asking, done, opened
from tests.web.test_groups_room import SOLDIERS
from tests.web.test_groups_room import write as write_town

from paretonym.kernels.jit import CACHE_FOLDER

COMPILING = 900.0  # seconds
FIRST, SECOND = ({"levels": [2, 2, 0, 2, level], "below": 6} for level in (1, 2))
# in the folder of these very kernels, so that it is gone with them
STAMP = CACHE_FOLDER / f"compiled-for-browser-tests-{numba.__version__}"


def compile_once(folder: Path) -> None:
    """In processes like those that the explorer starts, and in this one, which looks at nodes."""
    if STAMP.exists():
        return
    with asking(folder / "server_state") as (client, server_state):

        def work(project: str, kind: str, **options: Any) -> Any:
            ended = done(client, project, kind, patience=COMPILING, **options)
            assert ended["state"] == "done", ended
            return ended

        people = opened(client, server_state, folder / "people")["id"]
        front = work(people, "front")
        work(people, "release", **SECOND, digest=front["digest"], front=front["id"])
        for way, data in (("node", SECOND), ("compare", {"a": FIRST, "b": SECOND})):
            answer = client.post(f"/api/projects/{people}/{way}", json=data)
            assert answer.status_code == 200, answer.text
        work(client.post("/api/examples/clinic").json()["id"], "secure")
        (folder / "town").mkdir()
        town = server_state.open_job(write_town(folder / "town", soldiers=SOLDIERS)).id
        for kind in ("signal", "attack", "protect"):
            work(town, kind)
    STAMP.touch()
