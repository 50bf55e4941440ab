"""A candidate: what could be published, from the search that finds it to the page that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class SuppressBelow:
    """Rows of classes with fewer rows than this are left out."""

    below: int


Beyond = SuppressBelow  # every kind of step that follows the levels of a candidate


@dataclass(frozen=True, slots=True)
class Counts:
    """Exact counts of a candidate."""

    released: int = 0  # rows
    suppressed: int = 0  # rows
    classes: int | None = None  # that are released; None: not counted, as in a search
    ties: int = 0  # further candidates with the same objective vector, on a front


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recoding, the steps beyond it, and what is known of the release they would make.

    Without a release that meets the requirements (`feasible` is false) it may have no values.
    """

    levels: Mapping[str, int]  # column -> level, in the job's order of columns
    beyond: tuple[Beyond, ...] = ()
    counts: Counts = Counts()
    values: Mapping[str, float | int] = field(default_factory=dict)  # objectives first
    feasible: bool = True
    # the values as people read them, where the pipeline that made it knows what shares refer to
    shown: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def suppress_below(self) -> int:
        """The threshold of class sizes; 0 where none is set."""
        return max((step.below for step in self.beyond), default=0)

    @property
    def suppressed(self) -> int:
        return self.counts.suppressed

    @property
    def classes(self) -> int | None:
        return self.counts.classes

    @property
    def ties(self) -> int:
        return self.counts.ties

    def to_json(self) -> dict[str, Any]:
        return {
            "levels": dict(self.levels),
            "suppress_below": self.suppress_below,
            "values": dict(self.values),
            "shown": dict(self.shown),
            "suppressed": self.suppressed,
            "classes": self.classes,
            "feasible": self.feasible,
        }

    def to_front_json(self) -> dict[str, Any]:
        """As one of a front, all of whose members are feasible and whose classes nobody counts."""
        return {
            "levels": dict(self.levels),
            "suppress_below": self.suppress_below,
            "suppressed": self.suppressed,
            "values": dict(self.values),
            "ties": self.ties,
        }
