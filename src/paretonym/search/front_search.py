"""One way into every search: choose the method, run it, and say what came of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from paretonym.errors import CancelledError, InfeasibleError, JobError, NothingFoundError
from paretonym.measures import Evaluator
from paretonym.model.front import Front
from paretonym.model.job import Budget, Method
from paretonym.search.archive import Archive
from paretonym.search.boxes import Boxing
from paretonym.search.branch_and_bound import BranchAndBound
from paretonym.search.cloud_sampling import CloudSampler
from paretonym.search.evolve import Evolution
from paretonym.search.exhaustive import MOST_NODES_PLAIN, Exhaustive
from paretonym.search.meter import Meter
from paretonym.search.nondominated import Vectors
from paretonym.search.outcome import (
    entries_of,
    how_far,
    in_order,
    measures_beside,
)
from paretonym.search.pbg_ea import ITERATIONS, POPULATION, PbgEa
from paretonym.search.progress import Progress, Silent
from paretonym.search.scored_nodes import ScoredNodes
from paretonym.search.state import Forgetful, Keeper, State
from paretonym.search.target import Target

# nodes times distinct combinations: what a pass over the lattice has to read at most
_EXHAUSTIVE_WORK = 5 * 10**9  # some seconds
_EXACT_WORK = 5 * 10**11  # half a minute, with two or three objectives
_EXHAUSTIVE_RATE, _EXACT_RATE = 5 * 10**8, 10**10  # what a second is sure to do of it
PROOFS: tuple[Method, ...] = ("exhaustive", "exact")  # what ends early can go on to a whole front
_SEEDS = 1_000, 20  # evaluations that find incumbents before a proof begins, or 1 node in 20


@dataclass(frozen=True, slots=True)
class ChosenMethod:
    """Which search is run, with which budget, and why."""

    method: Method
    budget: Budget | None
    why: str


def choose(evaluator: Evaluator, method: Method, budget: Budget | None) -> ChosenMethod:
    """`auto` decides from sizes alone, so that every machine decides alike."""
    if method == "auto":
        method, why = _by_size(evaluator, budget)
    else:
        why = "as the job says"
    if method == "exhaustive" and budget is not None and budget.evaluations is not None:
        raise JobError(
            "an exhaustive search visits every node; a budget of evaluations goes with exact, "
            "evolve and pbg-ea"
        )
    return ChosenMethod(method, budget, why)


def _by_size(evaluator: Evaluator, budget: Budget | None) -> tuple[Method, str]:
    nodes, combinations = evaluator.lattice.size, evaluator.histogram.combinations
    sizes = f"{nodes:,} nodes and {combinations:,} distinct combinations"
    if budget is not None and budget.evaluations is not None:
        return "evolve", f"{sizes}, of which a budget of evaluations picks some"
    seconds = math.inf if budget is None or budget.seconds is None else budget.seconds
    if not evaluator.is_fast:
        if nodes <= MOST_NODES_PLAIN and budget is None:
            return "exhaustive", f"{sizes} are few enough to visit every node"
        return "evolve", f"{sizes} are too many to visit with a measure written in Python"
    if nodes * combinations <= min(_EXHAUSTIVE_WORK, seconds * _EXHAUSTIVE_RATE):
        return "exhaustive", f"{sizes} are few enough to visit every node"
    if nodes * combinations <= min(_EXACT_WORK, seconds * _EXACT_RATE):
        return "exact", f"{sizes} are few enough for a proof, too many to visit every node"
    return "evolve", f"{sizes} are too many for a proof in short time"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What surrounds a search: threads, progress, where its state is kept."""

    threads: int = 1
    progress: Progress = field(default_factory=Silent)
    keeper: Keeper = field(default_factory=Forgetful)
    state: State | None = None  # of an interrupted search that is to go on


@dataclass(slots=True)
class _Result:
    """What a search knows so far; filled even when it is interrupted."""

    members: Vectors | None = None
    evaluated: int = 0
    proven: int = 0
    cloud: CloudSampler = field(default_factory=CloudSampler)


def find(
    evaluator: Evaluator,
    targets: Sequence[Target],
    how: ChosenMethod,
    *,
    seed: int = 0,
    epsilon: Mapping[str, Fraction] | None = None,
    settings: RunSettings | None = None,
    table: str = "",
) -> Front:
    """The front by the way chosen; interrupted, what is known so far, marked so.

    The evaluator may have been built for more measures than the targets: the cloud shows them.
    """
    settings = settings or RunSettings()
    boxing = Boxing.of(targets, epsilon or {}, evaluator.context)
    search = _Search(evaluator, tuple(targets), how, seed, boxing, settings)
    interrupted = False
    try:
        try:
            search.run()
        finally:
            settings.progress.finish()  # in here, so that who takes interrupts off then misses none
    except KeyboardInterrupt:
        interrupted = True
        search.keep()
    result = search.result()
    size = evaluator.lattice.size
    exact = result.proven == size and not interrupted
    if result.members is None or not len(result.members):
        if interrupted:
            raise CancelledError("stopped before any candidate was found")
        raise _nothing(evaluator, how, result.proven)
    members = _one_a_box(result.members) if boxing else result.members
    names = [target.objective.name for target in targets]
    names += [measure.name for measure in measures_beside(evaluator, targets)]
    return Front(
        method=how.method,
        exact=exact,
        nodes=size,
        evaluated=result.evaluated,
        objectives=tuple(target.objective for target in targets),
        entries=entries_of(evaluator, members, targets),
        rows=evaluator.histogram.rows,
        table=table,
        seconds=search.meter.seconds,
        proven=result.proven,
        interrupted=interrupted,
        cloud=result.cloud.cloud(members, names),
    )


def _nothing(evaluator: Evaluator, how: ChosenMethod, proven: int) -> InfeasibleError:
    size = evaluator.lattice.size
    if proven == size:
        return InfeasibleError(how_far(evaluator))
    if how.method in PROOFS:
        return NothingFoundError(
            f"{proven:,} of {size:,} nodes are settled, and none of them meets the requirements; "
            f"go on with --resume and a larger budget"
        )
    return InfeasibleError(
        "no node that was evaluated meets the requirements; give the search a larger budget, or "
        "prove that there is none with search: {method: exact}"
    )


def _one_a_box(front: Vectors) -> Vectors:
    """Offered in the order in which a front is shown: the first of a box stands for it.

    The non-dominated boxes of all candidates are those of the front, because a dominated
    candidate's box is no better than that of who dominates it.
    """
    archive = Archive()
    archive.offer(in_order(front))
    return archive.members


class _Search:
    """Runs a method from its beginning or from a kept state."""

    def __init__(
        self,
        evaluator: Evaluator,
        targets: tuple[Target, ...],
        how: ChosenMethod,
        seed: int,
        boxing: Boxing | None,
        settings: RunSettings,
    ) -> None:
        self._evaluator, self._targets, self._lattice = evaluator, targets, evaluator.lattice
        self._how, self._seed, self._boxing, self._settings = how, seed, boxing, settings
        self._proof: BranchAndBound | None = None
        self._current: Exhaustive | BranchAndBound | Evolution | PbgEa | None = None
        # a proof counts the nodes it has settled, the others count their evaluations
        self.meter = Meter(how.budget, Silent() if how.method == "exact" else settings.progress)

    @cached_property
    def _pass(self) -> Exhaustive:
        return Exhaustive(
            self._evaluator, self._targets, self.meter, self._settings.keeper,
            self._settings.threads, self._boxing,
        )  # fmt: skip

    @cached_property
    def _scored_nodes(self) -> ScoredNodes:
        return ScoredNodes(
            self._evaluator, self._targets, self.meter, threads=self._settings.threads,
            boxing=self._boxing, whole=self._how.method == "exact",
        )  # fmt: skip

    def run(self) -> None:
        self._announce()
        self.meter.start()
        if self._how.method == "exhaustive":
            if self._settings.state:
                self._pass.restore(self._settings.state)
            self._current = self._pass
            self._pass.run()
        elif self._how.method == "pbg-ea":
            self._current = published = self._published()
            published.run()
        elif self._how.method == "evolve":
            self._current = evolution = self._evolution()
            evolution.run()
        else:
            self._prove()

    def keep(self) -> None:
        """What an interrupt found: searches let it in only where their state is whole."""
        if self._current is not None and self.meter.evaluations:
            self._settings.keeper.keep(self._current.state())

    def _announce(self) -> None:
        budget = self._how.budget
        total = self._lattice.size
        if budget is not None and self._how.method != "exact":
            total = budget.evaluations or int(budget.seconds or 0)
        elif self._how.method == "pbg-ea":
            total = ITERATIONS * POPULATION
        elif self._how.method == "evolve":
            total = 0  # it ends when nothing new is found: nobody knows when
        self._settings.progress.start("searching", total)

    def _published(self) -> PbgEa:
        iterations = ITERATIONS if self._how.budget is None else None
        keeper, state = self._settings.keeper, self._settings.state
        if state:
            return PbgEa.resume(self._scored_nodes, state, iterations=iterations, keeper=keeper)
        return PbgEa.begin(
            self._scored_nodes, seed=self._seed, iterations=iterations, keeper=keeper
        )

    def _evolution(self) -> Evolution:
        keeper, state = self._settings.keeper, self._settings.state
        if state:
            return Evolution.resume(self._scored_nodes, state, keeper=keeper)
        return Evolution.begin(self._scored_nodes, seed=self._seed, keeper=keeper)

    def _prove(self) -> None:
        """Evolve to good incumbents first, then prove; a state tells how far it had come."""
        settings = self._settings
        if settings.state and settings.state.facts["phase"] == "exact":
            self._proof = BranchAndBound.resume(
                self._scored_nodes,
                settings.state,
                keeper=settings.keeper,
                progress=settings.progress,
            )
        else:
            seeds = min(_SEEDS[0], self._lattice.size // _SEEDS[1])
            self._current = evolution = self._evolution()
            evolution.run(until=max(seeds, 2))
            self._proof = BranchAndBound.begin(
                self._scored_nodes, keeper=settings.keeper, progress=settings.progress
            )
        self._current = self._proof
        self._proof.run()

    def result(self) -> _Result:
        if self._how.method == "exhaustive":
            done = self.meter.evaluations
            return _Result(self._pass.front, done, done, self._pass.cloud)
        scored_nodes = self._scored_nodes
        proven = max(self._proof.proven if self._proof else 0, len(scored_nodes))
        return _Result(scored_nodes.archive.members, len(scored_nodes), proven, scored_nodes.cloud)
