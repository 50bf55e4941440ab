"""Debian's Chromium, started once for all tests; one way to find it and to miss it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import PATIENCE

CHROMIUM = Path("/usr/bin/chromium")
AXE = Path(__file__).parents[1] / "web" / "vendor" / "axe.min.js"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# words of up to 20 letters that stand on two lines
TORN_WORDS = """(selector) => {
  const WORD = /(?<=^|[\\s(-])[\\p{L}\\p{N}]{2,20}(?=$|[\\s,.;:)-])/gu;
  const torn = [];
  const texts = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const found of texts.currentNode.data.matchAll(WORD)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, found.index);
      range.setEnd(texts.currentNode, found.index + found[0].length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) torn.push(found[0]);
    }
  }
  return torn;
}"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; fails where playwright or Chromium is missing."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        launched = started.chromium.launch(executable_path=str(CHROMIUM), args=[*FLAGS])
        try:
            yield launched
        finally:
            launched.close()


def new_context(browser: Any, **options: Any) -> Any:
    """A visit of its own, in which nothing is waited for longer than anywhere else."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * PATIENCE)
    return context


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Skips where there is no browser, unless PARETONYM_BROWSER is `required`."""
    if os.environ.get("PARETONYM_BROWSER") != "required":
        pytest.importorskip("playwright.sync_api")
        if not CHROMIUM.exists():
            pytest.skip("Chromium is not installed")
    with chromium() as launched:
        yield launched
