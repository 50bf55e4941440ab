"""Objectives, and the set of best trade-offs among candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from paretonym.model.arrays import Array
from paretonym.model.candidate import Candidate


class Direction(StrEnum):
    """Which way a measure is better."""

    MAX = "max"
    MIN = "min"


@dataclass(frozen=True, slots=True)
class Objective:
    """A measure and the direction in which it improves."""

    name: str  # as in `distinct_l(occupation)`, without `min:` or `max:`
    direction: Direction


@dataclass(frozen=True, eq=False, slots=True)
class Cloud:
    """Candidates a search looked at, the front's own among them, ordered by node and threshold.

    When there are too many they are an even sample, which depends on the candidates alone.
    """

    rank: Array  # node numbers in the lattice
    suppress_below: Array
    suppressed: Array
    values: Mapping[str, Array]  # by measure: the objectives, then whatever else is known
    seen: int  # candidates that meet the requirements, kept or not

    def __len__(self) -> int:
        return len(self.rank)


_NONE = np.empty(0, np.int64)
NO_CLOUD = Cloud(_NONE, _NONE, _NONE, {}, 0)


@dataclass(frozen=True, slots=True)
class Front:
    """The non-dominated candidates, ordered by values and then levels.

    `exact` means: the set of objective vectors is complete for these hierarchies and
    objectives.
    """

    method: str
    exact: bool
    nodes: int
    evaluated: int
    objectives: tuple[Objective, ...]
    entries: tuple[Candidate, ...]
    rows: int
    table: str  # fingerprint of the table the front belongs to
    seconds: float = 0.0
    proven: int = 0  # nodes evaluated, or shown to be unable to add to the front
    interrupted: bool = False  # stopped by the user, not by its budget
    cloud: Cloud = field(default=NO_CLOUD, compare=False, repr=False)  # to draw behind the front

    def to_json(self, *, with_seconds: bool = True) -> dict[str, Any]:
        data: dict[str, Any] = {
            "method": self.method,
            "exact": self.exact,
            "nodes": self.nodes,
            "evaluated": self.evaluated,
            "proven": self.proven,
            "seconds": self.seconds,
            "objectives": [
                {"name": o.name, "direction": str(o.direction)} for o in self.objectives
            ],
            "front": [entry.to_front_json() for entry in self.entries],
        }
        if not with_seconds:
            del data["seconds"]
        return data
