"""Expected results that are not part of the repository; tests read them where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "oracles.json"
needs_oracles = pytest.mark.skipif(
    not SHARED.exists(), reason="the expected results are not at hand"
)


def oracle(name: str) -> dict[str, Any]:
    found = json.loads(SHARED.read_text(encoding="utf-8"))
    return next(one for one in found if one["id"] == name)
