"""Facts of protecting a group by swaps: what Chertov and Tavrov 2017 prints, and experiments of our
own.

Areas are counted from 1 and distortions are sums of the influential metric, as in the papers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from paretonym.papers.attack.facts import SurveyFile

CLOSE = 0.05  # asked: the improved algorithm is no more above the optimum
FEASIBLE = 0.95  # asked: at least so much of the published algorithm's last population
Places = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A line of Chertov and Tavrov's (2017) Table 3 as printed."""

    fitness: float
    metric: int
    compatibility: float
    outliers: Places


@dataclass(frozen=True, slots=True)
class PrintedSolution:
    """A line of Chertov and Tavrov's (2017) Table 3, as printed and from its signal."""

    number: int
    signal: tuple[int, ...]
    printed: PrintedRow
    swaps: int
    compatibility: float  # by the printed formula, a product
    fitness: float
    mean_compatibility: float  # by the geometric mean of the factors
    mean_fitness: float
    outliers: Places

    @property
    def is_same(self) -> bool:
        return self.printed.outliers == self.outliers


@dataclass(frozen=True, slots=True)
class PrintedAlpha:
    """The printed signals at another alpha."""

    alpha: float
    outliers: float  # mean number of a signal
    masked: int  # signals in which no old outlier stands out


@dataclass(frozen=True, slots=True)
class Solution:
    """A set of swaps, as Table 3 lists it."""

    signal: tuple[int, ...]
    distortion: float
    compatibility: float
    fitness: float  # eq. 3 as printed
    swaps: int
    outliers: Places
    masked: bool  # compatible enough, and no old outlier is left, whatever that costs
    feasible_paper: bool  # within the allowed distortion as well
    feasible_job: bool  # and nothing new stands out


@dataclass(frozen=True, slots=True)
class EvolvedFacts:
    """The last populations of all runs of one algorithm, judged at one level."""

    name: str
    generations: int
    size: int  # solutions
    masked: int
    feasible_paper: int
    feasible_job: int
    best: tuple[Solution, ...]  # a few that are masked, least distortion first
    distortions: tuple[float, ...]  # of all that are masked, ascending
    fault: str = ""  # why there is no solution at all

    @property
    def least(self) -> float | None:
        return self.distortions[0] if self.distortions else None

    @property
    def mean(self) -> float | None:
        return fmean(self.distortions) if self.distortions else None

    @property
    def share(self) -> float:
        return self.feasible_paper / self.size if self.size else 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "least": self.least, "mean": self.mean}


@dataclass(frozen=True, slots=True)
class LevelFacts:
    """One compatibility that is asked for: the flow, and what evolution makes of it."""

    compatible: float
    share: float  # of C_max that may be spent
    flow: Solution | None
    bound: float | None  # nothing that fulfils the restrictions distorts less
    fault: str  # of the flow
    published: EvolvedFacts
    improved: EvolvedFacts

    @property
    def is_proven(self) -> bool:
        return self.flow is not None and self.flow.distortion == self.bound

    def gap(self, distortion: float | None) -> float | None:
        """The part of a distortion that the bound does not account for."""
        if distortion is None or self.bound is None:
            return None
        return (distortion - self.bound) / distortion if distortion else 0.0

    def above_flow(self, one: EvolvedFacts) -> float | None:
        """How much more it distorts than the flow does."""
        if one.least is None or self.flow is None or not self.flow.distortion:
            return None
        return one.least / self.flow.distortion - 1

    def to_json(self) -> dict[str, Any]:
        return {
            "compatibility": self.compatible,
            "share": self.share,
            "flow": None if self.flow is None else asdict(self.flow),
            "lower_bound": self.bound,
            "gap": self.gap(None if self.flow is None else self.flow.distortion),
            "fault": self.fault,
            "published": self._with_gaps(self.published),
            "improved": self._with_gaps(self.improved),
        }

    def _with_gaps(self, one: EvolvedFacts) -> dict[str, Any]:
        gaps = {"gap": self.gap(one.least), "above_flow": self.above_flow(one)}
        return {**one.to_json(), **gaps}


@dataclass(frozen=True, slots=True)
class Left:
    """What stands out in a signal at some alpha, and how much of it was to be masked."""

    all: int
    old: int


@dataclass(frozen=True, slots=True)
class OwnMask:
    """What masking the outliers of one alpha costs, and what is left of them at the largest."""

    distortion: float
    swaps: int
    left: Left
    left_at_largest: Left


@dataclass(frozen=True, slots=True)
class AlphaRow:
    """Outliers before and after, judged at one alpha."""

    alpha: float
    before: int
    masked: Left | None  # by the flow at the job's alpha
    evolved: Left | None  # the published algorithm's best at the job's alpha
    own: OwnMask | None  # by the flow at this alpha; nothing where it fails
    fault: str = ""


@dataclass(frozen=True, slots=True)
class RegionFacts:
    """One region: what stands out in it, and what was tried."""

    title: str  # of the experiment
    against: str
    name: str
    areas: tuple[str, ...]
    before: tuple[int, ...]
    outliers: Places
    thresholds: tuple[float, ...]
    centre: float  # c of the penalty for many rows
    most: float  # C_max
    alpha: float
    levels: tuple[LevelFacts, ...]
    alphas: tuple[AlphaRow, ...] = ()

    def to_json(self) -> dict[str, Any]:
        own = ("title", "against", "name", "areas", "before", "outliers", "thresholds", "centre",
               "most", "alpha")  # fmt: skip
        return {
            **{name: getattr(self, name) for name in own},
            "levels": [level.to_json() for level in self.levels],
            "alphas": [asdict(row) for row in self.alphas],
        }


@dataclass(frozen=True, slots=True)
class ProtectFacts:
    """Everything."""

    software: str
    runs: int
    seed: int
    printed: tuple[PrintedSolution, ...]
    printed_alphas: tuple[PrintedAlpha, ...]
    regions: tuple[RegionFacts, ...]  # generated people: attributes, then model
    survey: tuple[RegionFacts, ...]
    files: tuple[SurveyFile, ...]
    missing: tuple[str, ...]  # files that were not there

    @property
    def every_region(self) -> tuple[RegionFacts, ...]:
        return self.regions + self.survey

    @property
    def published(self) -> tuple[EvolvedFacts, ...]:
        """The published algorithm on generated people, asked as in the first of the two papers."""
        return tuple(one.levels[0].published for one in self.regions)

    @property
    def worst_improved(self) -> float | None:
        """The most that the improved algorithm is above a proven optimum on the bundled people."""
        levels = (level for one in self.regions for level in one.levels)
        found = [level.above_flow(level.improved) for level in levels if level.is_proven]
        known = [value for value in found if value is not None]
        return max(known) if known and len(known) == len(found) else None

    @property
    def least_published(self) -> float | None:
        """By how much the published algorithm is above the flow, at best, asked as in Chertov and
        Tavrov 2017.
        """
        found = (one.levels[0].above_flow(one.levels[0].published) for one in self.every_region)
        return min((value for value in found if value is not None), default=None)

    def to_json(self) -> dict[str, Any]:
        return {
            "paper": "protect",
            "software": self.software,
            "runs": self.runs,
            "seed": self.seed,
            "printed": [asdict(one) for one in self.printed],
            "printed_alphas": [asdict(one) for one in self.printed_alphas],
            "asked": {"improved_above_optimum": CLOSE, "feasible": FEASIBLE},
            "reached": {
                "improved_above_optimum": self.worst_improved,
                "feasible": {one.against: one.levels[0].published.share for one in self.regions},
            },
            "generated": [one.to_json() for one in self.regions],
            "survey": {
                "missing": list(self.missing),
                "regions": [one.to_json() for one in self.survey],
            },
        }
