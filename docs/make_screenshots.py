"""Makes the pictures of docs/tutorial.md and docs/explore.md by going the tutorial's way.

Run it in the project's folder after `make setup`, with Debian's Chromium installed:

    .venv/bin/python -m docs.make_screenshots

It starts the explorer, walks from examples/people.csv to a release, verifies it, and writes
docs/pictures/explore-*.png. Only the digest and the time of the release differ from run to run.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from tests.support.browsing import chromium
from tests.web import journey
from tests.web.serving import EXAMPLES, serving, visiting

import paretonym as pn

PICTURES = Path(__file__).parent / "pictures"
TABLE = EXAMPLES / "people.csv"
WIDTH, HEIGHT, TALL = 1280, 800, 960
LARGEST = 200_000  # bytes of one picture


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        chromium() as browser,
        serving(Path(name)) as served,
        visiting(browser) as visit,
    ):
        page = visit(served.address, width=WIDTH, height=HEIGHT)
        prepare(page)
        choose(page)
        finish(page, Path(name))
        for example in ("clinic", "bases"):
            look_around(visit(served.address, width=WIDTH, height=HEIGHT), example)


def keep(page: Any, name: str, **where: str) -> None:
    file = PICTURES / f"explore-{name}.png"
    journey.picture(page, file, **where)
    if file.stat().st_size > LARGEST:
        raise SystemExit(f"{file.name} has more than {LARGEST:,} bytes")


def prepare(page: Any) -> None:
    journey.await_start(page)
    keep(page, "start")
    journey.upload(page, TABLE)
    page.locator(".column-side .tree").wait_for()
    keep(page, "columns")
    journey.set_role(page, "job", "quasi")
    journey.set_role(page, "visit", "insensitive")
    journey.group_education(page)
    keep(page, "hierarchy")
    journey.settle(page)
    keep(page, "settings", top=".settings")


def choose(page: Any) -> None:
    journey.find_front(page)
    journey.choose(page)
    page.set_viewport_size({"width": WIDTH, "height": TALL})
    keep(page, "front")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    journey.open_in_node(page)
    keep(page, "node")
    journey.compare_with_another(page)
    keep(page, "compare")


def finish(page: Any, folder: Path) -> None:
    journey.release_first(page)
    keep(page, "candidate")
    journey.make_release(page)
    keep(page, "release", top="#verdict")
    if not pn.verify(journey.take(page, "release", folder / "release"), against=TABLE).ok:
        raise SystemExit("the release of the tutorial cannot be verified")


def look_around(page: Any, example: str) -> None:
    """The rooms that the tutorial only passes by, with something in them."""
    journey.open_example(page, example)
    if example == "clinic":
        journey.find_secure(page)
        keep(page, "security", top=".panel:has(.secure-plot)")
    else:
        journey.turn_to(page, "groups")
        journey.await_signal(page)
        keep(page, "groups", top="[data-section=signal]")


if __name__ == "__main__":
    main()
