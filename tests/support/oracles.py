"""The shared oracles, which lie beside the project only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "oracles.json"
needs_oracles = pytest.mark.skipif(
    not SHARED.exists(), reason="the shared oracles lie beside the project only"
)


def oracle(name: str) -> dict[str, Any]:
    found = json.loads(SHARED.read_text(encoding="utf-8"))
    return next(one for one in found if one["id"] == name)
