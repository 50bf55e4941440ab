"""What several reproductions start from: bundled jobs as data, and progress in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paretonym import datasets
from paretonym.jobfile.yaml import read_yaml
from paretonym.search import Progress


def bundled(name: str) -> tuple[dict[str, Any], dict[str, Any], Path]:
    """A bundled job as data, its only group, and the folder that it lies in."""
    file = datasets.path(name)
    data: dict[str, Any] = read_yaml(file.read_text(encoding="utf-8"), file.name).data
    (group,) = data["groups"].values()
    return data, group, file.parent


class Part:
    """Part of a longer work: what it reports becomes so many steps of the whole."""

    def __init__(self, whole: Progress, steps: int) -> None:
        self._whole, self._steps = whole, steps
        self._total = self._done = self._told = 0

    def start(self, what: str, total: int) -> None:  # noqa: ARG002
        self._total = max(total, 1)

    def advance(self, steps: int) -> None:
        self._done += steps
        reached = self._done * self._steps // self._total
        self._whole.advance(reached - self._told)
        self._told = reached

    def finish(self) -> None:
        pass
