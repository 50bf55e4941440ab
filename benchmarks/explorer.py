"""The explorer in a browser: until the front is drawn, and from a click to the detail of a node.

The times are the browser's own, from the start of the navigation.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from paretonym import datasets

CHROMIUM = "/usr/bin/chromium"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
REPEATS = 5
PATIENCE = 300_000  # milliseconds
DRAWN = "() => document.documentElement.dataset.drawn"
DETAIL = "() => document.documentElement.dataset.node"


@contextmanager
def _scored_nodes(job: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "paretonym", "explore", str(job), "--no-browser", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        if server.stdout is None:
            raise AssertionError("the pipe was asked for")
        try:
            yield str(json.loads(server.stdout.readline())["address"])
        finally:
            server.terminate()


def _search(page: Page, address: str) -> str:
    """The address of the Front room, once there is a front."""
    page.goto(address)
    page.wait_for_selector("nav")
    front = "/".join(page.url.split("/")[:5]) + "/front"
    page.goto(front)
    page.click("#find-front")
    page.wait_for_function(DRAWN, timeout=PATIENCE)
    page.wait_for_selector(".task", state="detached", timeout=PATIENCE)
    return front


def _measure(page: Page, front: str) -> tuple[float, float]:
    page.goto(front)
    page.wait_for_function(DRAWN)
    drawn = float(page.evaluate(DRAWN))
    page.get_by_role("button", name="k ≥ 5", exact=True).click()
    page.wait_for_timeout(300)
    page.evaluate("() => addEventListener('click', () => { window.at = performance.now(); }, true)")
    page.get_by_role("button", name="Open in Node").click()
    page.wait_for_function(DETAIL)
    return drawn, float(page.evaluate("() => document.documentElement.dataset.node - window.at"))


def run() -> dict[str, Any]:
    text = datasets.path("adult/job.yaml").read_text(encoding="utf-8")
    figures = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        for name, limit in (("Adult, 1 % suppressed", "1%"), ("Adult, 10 % suppressed", "10%")):
            job = Path(folder) / "adult.yaml"
            job.write_text(text.replace("limit: 1%", f"limit: {limit}"), encoding="utf-8")
            with _scored_nodes(job) as address:
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                front = _search(page, address)
                times = [_measure(page, front) for _ in range(REPEATS)]
                page.close()
            drawn, detail = (sorted(column)[REPEATS // 2] for column in zip(*times, strict=True))
            figures[name] = (drawn, detail)
            print(f"  {name}: drawn after {drawn:.0f} ms, detail {detail:.0f} ms after a click")
        browser.close()
    return figures
