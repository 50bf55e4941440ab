"""Facts of the reproduction of Dewri et al. 2010: its published figures and our own, over several
runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.papers.facts import Spread

Points = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Quality:
    """CE, RR, unique nodes evaluated and the size of the archive, over the runs of a search."""

    ce: Spread
    ce_per_member: Spread
    rr: Spread
    evaluations: Spread
    members: Spread  # of the archive

    def to_json(self) -> dict[str, Any]:
        return {
            "ce": self.ce.to_json(),
            "ce_per_member": self.ce_per_member.to_json(),
            "rr": self.rr.to_json(),
            "evaluations": self.evaluations.to_json(),
            "members": self.members.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Published:
    """What the paper prints; None where it prints nothing. CE and RR: mean and variance."""

    ce: tuple[float, float] | None = None
    rr: tuple[float, float] | None = None
    evaluations: int | None = None
    percent: float | None = None  # of the nodes

    def to_json(self) -> dict[str, Any]:
        def pair(of: tuple[float, float] | None) -> dict[str, float] | None:
            return None if of is None else {"mean": of[0], "variance": of[1]}

        return {
            "ce": pair(self.ce),
            "rr": pair(self.rr),
            "evaluations": self.evaluations,
            "percent": self.percent,
        }


@dataclass(frozen=True, slots=True)
class RunStage:
    """How far the runs have come after so many iterations."""

    iterations: float  # a mean where each run has its own
    quality: Quality

    def to_json(self) -> dict[str, Any]:
        return {"iterations": self.iterations, **self.quality.to_json()}


@dataclass(frozen=True, slots=True)
class ProblemFacts:
    """One set of objectives: every figure that belongs to it."""

    title: str
    figure: int  # of the paper, which draws it
    objectives: tuple[str, ...]  # names of measures
    nodes: int
    rows: int
    glm_maximum: float
    published: Published
    pbg_ea: Quality
    evolve: Quality
    exact_evaluations: int
    stages: tuple[RunStage, ...]
    reached: RunStage | None  # when a run has made as many evaluations as the paper's
    drawn_from: Spread  # nodes that a tournament draws from, mean of a run's iterations
    front: Points  # values of the objectives
    pbg_ea_archive: Points  # of the first run
    evolve_archive: Points

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "figure": self.figure,
            "objectives": list(self.objectives),
            "nodes": self.nodes,
            "published": self.published.to_json(),
            "pbg_ea": self.pbg_ea.to_json(),
            "evolve": self.evolve.to_json(),
            "exact": {"evaluations": self.exact_evaluations},
            "stages": [stage.to_json() for stage in self.stages],
            "reached": None if self.reached is None else self.reached.to_json(),
            "drawn_from": self.drawn_from.to_json(),
            "front": self.front,
            "pbg_ea_archive": self.pbg_ea_archive,
            "evolve_archive": self.evolve_archive,
        }


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """One discretization vector."""

    title: str
    epsilon: Mapping[str, int]
    guessed: bool  # the text we have of the paper lost a part of this vector
    boxes: int  # non-dominated boxes of the true front
    published: Published
    pbg_ea: Quality

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "epsilon": dict(self.epsilon),
            "guessed": self.guessed,
            "boxes": self.boxes,
            "published": self.published.to_json(),
            "pbg_ea": self.pbg_ea.to_json(),
        }


@dataclass(frozen=True, slots=True)
class PbgFacts:
    """Dewri et al. 2010 on the bundled Adult table."""

    software: str
    runs: int
    seed: int
    rows: int
    limit: int
    problems: tuple[ProblemFacts, ...]
    vectors: tuple[VectorFacts, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "paper": "pbg",
            "software": self.software,
            "runs": self.runs,
            "seed": self.seed,
            "rows": self.rows,
            "limit": self.limit,
            "problems": [problem.to_json() for problem in self.problems],
            "vectors": [vector.to_json() for vector in self.vectors],
        }
