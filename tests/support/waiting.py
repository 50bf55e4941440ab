"""How long a test waits for what must come: one limit for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 30.0  # seconds; what compiles does so before anybody waits, see tests/web/conftest.py


def until(holds: Callable[[], object], what: str = "what the test waits for") -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"{what} does not come within {PATIENCE:.0f} s"
        time.sleep(0.02)
