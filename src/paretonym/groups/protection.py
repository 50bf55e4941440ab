"""Protecting a group: outliers are masked by swaps, region by region, and judged by two verdicts.

The paper's verdict asks what Chertov and Tavrov 2017 (eq. 2) asks; the job's verdict asks
everything the job says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from paretonym.errors import InfeasibleError, JobError
from paretonym.groups.attackers import RuleModel
from paretonym.groups.flow import Network
from paretonym.groups.memetic import evolve_swaps
from paretonym.groups.restrictions import Restriction, compatibility, thresholds
from paretonym.groups.signals import judge
from paretonym.groups.swapping import MILLION, Region
from paretonym.groups.targets import MaskingDemand, mask
from paretonym.model.arrays import Flags, Ints, Pairs
from paretonym.model.group import GroupSpec, OutlierRule
from paretonym.model.protect import Method, ProtectSpec

By = Literal["attributes", "model"]


@dataclass(frozen=True, eq=False, slots=True)
class ProtectionTask:
    """One region: what stands out, what must hold, and who may go where."""

    name: str | None  # of the region
    region: Region
    rule: OutlierRule
    spec: ProtectSpec
    outliers: tuple[str, ...]  # to be masked

    @property
    def places(self) -> list[int]:
        return [self.region.areas.index(area) for area in self.outliers]

    def judged(self, signal: Ints) -> list[float]:
        """The signal as the technique sees it."""
        if self.rule.signal == "quantity":
            return [float(value) for value in signal]
        return [float(v) / max(int(s), 1) for v, s in zip(signal, self.region.sizes, strict=True)]

    def outliers_of(self, signal: Ints) -> tuple[str, ...]:
        """What an expert would still find; nobody is kept as an outlier by hand here."""
        return judge(self.judged(signal), self.region.areas, replace(self.rule, keep=())).outliers

    def forbidden(self, signal: Ints) -> list[int]:
        """Areas that stand out although the job does not allow it."""
        found = self.outliers_of(signal)
        old = [area for area in found if area in self.outliers]
        few = Fraction(len(old), max(len(self.outliers), 1)) <= self.spec.remaining
        new = [] if self.spec.new_outliers == "allow" else [a for a in found if a not in old]
        return [self.region.areas.index(area) for area in ([] if few else old) + new]

    @property
    def restrictions(self) -> list[Restriction]:
        """In members: thresholds of a concentration are those of its area's size."""
        region, given = self.region, dict(self.spec.threshold.by_hand)
        signal, sizes = region.signal.tolist(), region.sizes.tolist()
        shares = self.rule.signal == "concentration"
        unit = [Fraction(size) if shares else Fraction(1) for size in sizes]
        level = [Fraction(value) / one for value, one in zip(signal, unit, strict=True)]
        others = [v for area, v in zip(region.areas, level, strict=True)
                  if area not in (*self.outliers, *self.rule.ignore)]  # fmt: skip
        wanted = {area: level[place] for area, place in zip(self.outliers, self.places, strict=True)
                  if area not in given}  # fmt: skip
        sink = self.spec.threshold
        found = thresholds(wanted, others, largest=sink.largest, extra=sink.extra) if wanted else {}
        return [
            Restriction(
                area,
                int(signal[place]),
                Fraction(given[area]) if area in given else found[area] * unit[place],
            )
            for area, place in zip(self.outliers, self.places, strict=True)
        ]

    @property
    def leave(self) -> Flags:
        named = self.spec.leave or self.outliers
        return np.array([area in named for area in self.region.areas], np.bool_)

    @property
    def enter(self) -> Flags:
        """Never the outliers themselves, whatever the job names."""
        named = self.spec.enter or self.region.areas
        areas = self.region.areas
        return np.array([a in named and a not in self.outliers for a in areas], np.bool_)

    @property
    def most_distorted(self) -> int:
        """C_max of Chertov and Tavrov 2017 in millionths: every member of an outlier swapped as
        badly as can be.
        """
        members = sum(int(self.region.signal[place]) for place in self.places)
        return self.region.largest_distortion * members


@dataclass(frozen=True, slots=True)
class Individual:
    """One individual of a final population, as Chertov and Tavrov's (2017) Table 3 lists it."""

    distortion: int
    compatibility: float
    fitness: float
    swaps: int
    signal: tuple[int, ...]
    outliers: tuple[str, ...]
    feasible_paper: bool
    feasible_job: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "distortion": self.distortion / MILLION,
            "compatibility": self.compatibility,
            "fitness": self.fitness,
            "swaps": self.swaps,
            "feasible_paper": self.feasible_paper,
            "feasible_job": self.feasible_job,
        }


@dataclass(frozen=True, eq=False, slots=True)
class Protected:
    """One region after the swaps."""

    task: ProtectionTask
    pairs: Pairs
    distortion: int  # millionths
    lower_bound: int  # of everything that the restrictions allow, by the flow
    method: Method
    evolved: tuple[Individual, ...] = ()  # what the memetic algorithm ended with

    @property
    def after(self) -> Ints:
        return self.task.region.after(self.pairs)

    @property
    def remaining(self) -> tuple[str, ...]:
        return self.task.outliers_of(self.after)

    @property
    def compatibility(self) -> float:
        values = dict(zip(self.task.region.areas, self.after.tolist(), strict=True))
        return compatibility(self.task.restrictions, values)

    @property
    def gap(self) -> float:
        return (self.distortion - self.lower_bound) / self.distortion if self.distortion else 0.0

    @property
    def paper_faults(self) -> list[str]:
        """What Chertov and Tavrov 2017 (eq. 2) would object to; nothing: feasible."""
        task, spec = self.task, self.task.spec
        old = [area for area in self.remaining if area in task.outliers]
        share = Fraction(len(old), max(len(task.outliers), 1))
        allowed = spec.distortion * task.most_distorted
        rules = (
            (self.compatibility >= spec.compatibility, "compatibility"),
            (share <= spec.remaining, "old outliers remain"),
            (self.distortion <= allowed, "distortion"),
        )
        return [fault for holds, fault in rules if not holds]

    @property
    def job_faults(self) -> list[str]:
        """The same, new outliers, and what no swap may do."""
        task = self.task
        new = task.spec.new_outliers == "forbid" and any(
            area not in task.outliers for area in self.remaining
        )
        faults = [*self.paper_faults, *(["new outliers"] if new else [])]
        return faults + task.region.faults(self.pairs) + self._moves()

    def _moves(self) -> list[str]:
        region = self.task.region
        left, entered = region.area[self.pairs[:, 0]], region.area[self.pairs[:, 1]]
        wrong = [] if self.task.leave[left].all() else ["a member leaves another area"]
        return wrong + ([] if self.task.enter[entered].all() else ["a member enters another area"])

    def to_json(self) -> dict[str, Any]:
        region = self.task.region
        return {
            "region": self.task.name,
            "areas": list(region.areas),
            "before": region.signal.tolist(),
            "after": self.after.tolist(),
            "thresholds": {one.area: float(one.threshold) for one in self.task.restrictions},
            "swaps": len(self.pairs),
            "distortion": self.distortion / MILLION,
            "lower_bound": self.lower_bound / MILLION,
            "gap": self.gap,
            "compatibility": self.compatibility,
            "allowed_distortion": float(self.task.spec.distortion * self.task.most_distorted)
            / MILLION,
            "outliers_before": list(self.task.outliers),
            "outliers_after": list(self.remaining),
            "feasible_paper": not self.paper_faults,
            "feasible_job": not self.job_faults,
            "evolved": [one.to_json() for one in self.evolved],
        }


@dataclass(frozen=True, eq=False, slots=True)
class ProtectionStage:
    """One group as its attributes or as a model tells it, masked in every region."""

    by: By
    regions: tuple[Protected, ...]  # those in which something stood out
    member: Flags  # of each row
    model: RuleModel | None = None  # that tells who is a member, where the attributes do not

    @property
    def pairs(self) -> Pairs:
        """Rows of the table."""
        parts = [one.task.region.rows[one.pairs] for one in self.regions]
        return np.concatenate([np.empty((0, 2), np.int64), *parts])


@dataclass(frozen=True, eq=False, slots=True)
class GroupProtection:
    """One group: what was done about it."""

    spec: GroupSpec
    stages: tuple[ProtectionStage, ...]

    @property
    def method(self) -> Method:
        return (self.spec.protect or ProtectSpec()).method

    @property
    def regions(self) -> list[Protected]:
        return [one for stage in self.stages for one in stage.regions]

    @property
    def pairs(self) -> Pairs:
        return np.concatenate([np.empty((0, 2), np.int64), *(s.pairs for s in self.stages)])

    def to_json(self) -> dict[str, Any]:
        regions = self.regions
        spent = sum(one.distortion for one in regions)
        proven = sum(one.lower_bound for one in regions)
        return {
            "name": self.spec.name,
            "method": self.method,
            "swaps": len(self.pairs),
            "distortion": spent / MILLION,
            "lower_bound": proven / MILLION,
            "gap": (spent - proven) / spent if spent else 0.0,
            "feasible_paper": all(not one.paper_faults for one in regions),
            "feasible_job": all(not one.job_faults for one in regions),
            "compatibility": min((one.compatibility for one in regions), default=1.0),
            "outliers_before": [area for one in regions for area in one.task.outliers],
            "outliers_after": [area for one in regions for area in one.remaining],
            "stages": [
                {"against": stage.by, "regions": [one.to_json() for one in stage.regions]}
                for stage in self.stages
            ],
        }


def protect_by_flow(
    task: ProtectionTask, *, threads: int = 1, progress: Callable[[int], None] | None = None
) -> Protected:
    """The least distortion, with a bound that holds for everything the restrictions allow."""
    network = network_of(task, threads=threads)
    found = mask(network, demand_of(task, network), progress=progress)
    made = Protected(task, found.pairs, found.distortion, found.lower_bound, "flow")
    _refuse_dear(made)
    return made


def protect_by_evolution(
    task: ProtectionTask,
    *,
    draw: np.random.Generator,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Protected:
    """The memetic algorithm; of its final populations the feasible one that distorts least."""
    network = network_of(task, threads=threads)
    demand = demand_of(task, network)
    fewest = demand.removals(task.region.signal, task.spec.compatibility)
    more = demand.more(fewest, task.region.signal)
    bound = network.solve(fewest, network.most, more=more).distortion
    restrictions = task.restrictions
    found = evolve_swaps(
        task.region, restrictions, task.spec.memetic, draw=draw, leave=task.leave,
        enter=task.enter, wanted=task.spec.compatibility ** (1 / max(len(restrictions), 1)),
        threads=threads, progress=progress,
    )  # fmt: skip
    if found.generations < task.spec.memetic.generations:
        raise KeyboardInterrupt  # stopped: half an evolution is no answer
    method: Method = "improved" if task.spec.memetic.improved else "memetic"
    made = [
        (Protected(task, one.pairs, one.distortion, bound, method), one.fitness)
        for one in found.individuals
    ]
    listed = tuple(_individual(one, fitness) for one, fitness in made)
    ranked = sorted(
        zip(made, listed, strict=True),
        key=lambda pair: (not pair[1].feasible_job, not pair[1].feasible_paper,
                          pair[1].distortion),
    )  # fmt: skip
    (best, _), first = ranked[0]
    if not first.feasible_paper:
        raise InfeasibleError(
            f"{_named(task)}: none of {len(listed):,} evolved solutions is feasible "
            f"({', '.join(best.paper_faults)}); evolve longer, ask for less, or use method: flow"
        )
    return replace(best, evolved=listed)


def _individual(one: Protected, fitness: float) -> Individual:
    paper = not one.paper_faults
    return Individual(
        one.distortion, one.compatibility, fitness, len(one.pairs), tuple(one.after.tolist()),
        one.remaining, paper, paper and not one.job_faults,
    )  # fmt: skip


def network_of(task: ProtectionTask, *, threads: int = 1, pruned: bool = True) -> Network:
    region = task.region
    others = np.bincount(region.area[~region.member], minlength=len(region.areas))
    most = np.where(task.enter, others, 0)
    return Network(region, leave=task.leave, most=most, threads=threads, pruned=pruned)


def demand_of(task: ProtectionTask, network: Network) -> MaskingDemand:
    """What must hold; an error where that cannot be."""
    demand = MaskingDemand(task.restrictions, task.places, task.spec.compatibility, task.forbidden)
    _refuse_impossible(task, network, demand)
    return demand


def _refuse_dear(made: Protected) -> None:
    """Says the least share that works."""
    task = made.task
    if made.distortion > task.spec.distortion * task.most_distorted:
        needed = Fraction(made.distortion, task.most_distorted)
        least = Fraction(made.lower_bound, task.most_distorted)
        raise InfeasibleError(
            f"{_named(task)}: the swaps distort {math.ceil(needed * 10**4) / 100:g}% of the "
            f"largest possible, and protect.distortion allows "
            f"{float(100 * task.spec.distortion):g}%; nothing that fulfils the restrictions needs "
            f"less than {math.floor(least * 10**4) / 100:g}%"
        )


def _named(task: ProtectionTask) -> str:
    return "all areas" if task.name is None else f"region {task.name}"


def _refuse_impossible(task: ProtectionTask, network: Network, demand: MaskingDemand) -> None:
    """An outlier that cannot sink far enough: says how far it can."""
    needed = demand.removals(task.region.signal, task.spec.compatibility)
    lacking = [
        f"{area} can sink from {one.value:,} to "
        f"{one.value - int(network.removable[place]):,} at most and should to "
        f"{one.value - int(needed[place]):,}"
        for area, place, one in zip(task.outliers, task.places, task.restrictions, strict=True)
        if needed[place] > network.removable[place]
    ]
    if lacking:
        raise InfeasibleError(
            f"{_named(task)}: {'; '.join(lacking)}; the others may not be touched (protect.from, "
            f"protect.untouched)"
        )
    if int(needed.sum()) > int(network.most.sum()):
        raise InfeasibleError(
            f"{_named(task)}: {int(needed.sum()):,} members must leave, but only "
            f"{int(network.most.sum()):,} records that are no members may be swapped with them"
        )


def check_areas(spec: ProtectSpec, known: Mapping[str, Any], where: str) -> None:
    """Every area that the job names exists."""
    named: Sequence[tuple[str, Sequence[str]]] = (
        ("from", spec.leave), ("to", spec.enter),
        ("threshold.areas", [area for area, _ in spec.threshold.by_hand]),
    )  # fmt: skip
    for key, areas in named:
        for number, area in enumerate(areas, start=1):
            if area not in known:
                raise JobError(
                    f"{where}.protect.{key}, item {number}: there is no such area among "
                    f"{len(known):,}"
                )
