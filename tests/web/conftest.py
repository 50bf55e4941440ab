"""Fixtures of the browser tests."""

from __future__ import annotations

from typing import Any

import pytest
from tests.web.compiling import compile_once
from tests.web.serving import served, visit

__all__ = ["served", "visit"]


@pytest.fixture(scope="session", autouse=True)
def compiled(tmp_path_factory: Any) -> None:
    """No wait of a test has to last until kernels are compiled."""
    compile_once(tmp_path_factory.mktemp("compiled"))
