"""Searches of lattices with millions of nodes: quality in equal time, proofs, cost of a node.

UCI Census-Income (KDD) when its file lies beside examples/kdd.yaml or in the shared data folder
beside the project, the made-up register of examples/big.yaml otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.indicators.hv import HV
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize

from paretonym.jobfile.loading import load_job
from paretonym.measures.nodes import NodeScorer
from paretonym.model.front import Direction
from paretonym.model.job import Budget, Job
from paretonym.model.schema import Role
from paretonym.pipeline.open_job import OpenJob, open_job
from paretonym.search import ChosenMethod, RunSettings, Silent, find
from paretonym.search.evolve import Evolution
from paretonym.search.meter import Meter
from paretonym.search.operators import Moves
from paretonym.search.pbg_ea import PbgEa
from paretonym.search.scored_nodes import ScoredNodes

_PROJECT = Path(__file__).parents[1]
_EXAMPLES = _PROJECT / "examples"
_KDD = (
    _EXAMPLES / "census-income.data.gz",
    _PROJECT.parent / "shared" / "data" / "kdd_census_income" / "train.csv.gz",
)
SECONDS = 60.0
MOMENTS = (5.0, 10.0, 20.0, 60.0)  # seconds at which the archive is looked at


def large_job() -> Job:
    for path in _KDD:
        if path.exists():
            print("  UCI Census-Income (KDD), examples/kdd.yaml")
            job = load_job(_EXAMPLES / "kdd.yaml")
            return replace(job, source=replace(job.source, data=path))
    print("  the made-up register, examples/big.yaml")
    return load_job(_EXAMPLES / "big.yaml")


def without_last(job: Job, count: int) -> Job:
    """The same job with its last quasi-identifiers dropped: a smaller lattice."""
    gone = job.quasi[len(job.quasi) - count :]
    columns = tuple(
        replace(c, roles=frozenset({Role.IDENTIFIER}), hierarchy=None) if c.name in gone else c
        for c in job.columns
    )
    return replace(job, columns=columns)


def _minimised(opened: OpenJob, shown: np.ndarray) -> np.ndarray:
    directions = [t.objective.direction for t in opened.targets]
    return shown * [-1.0 if d is Direction.MAX else 1.0 for d in directions]


class _Watch(Silent):
    """Copies of the archive at given moments; called whenever nodes were evaluated."""

    scored_nodes: ScoredNodes

    def __init__(self) -> None:
        self.seen: dict[float, np.ndarray] = {}

    def advance(self, steps: int) -> None:  # noqa: ARG002
        for moment in MOMENTS:
            if self.scored_nodes.meter.seconds < moment:
                self.seen[moment] = self.scored_nodes.archive.members.shown


def _random(scored_nodes: ScoredNodes, seed: int) -> None:
    draw, moves = np.random.default_rng(seed), Moves(scored_nodes.lattice)
    while not scored_nodes.meter.is_used_up:
        scored_nodes.visit([tuple(map(int, node)) for node in moves.random(draw, 24)])


class _Nodes(Problem):  # type: ignore[misc]
    """The lattice as pymoo sees it: integer levels, a node's largest k within the limit."""

    def __init__(self, opened: OpenJob, scored_nodes: ScoredNodes) -> None:
        levels = np.array(opened.lattice.levels)
        super().__init__(
            n_var=len(levels), n_obj=len(opened.targets), xl=0, xu=levels - 1, vtype=int
        )
        self.opened, self.scored_nodes = opened, scored_nodes

    def _evaluate(self, x: np.ndarray, out: dict[str, np.ndarray], *_: object) -> None:
        nodes = [tuple(map(int, node)) for node in x]
        self.scored_nodes.visit(nodes)
        worst = np.full(len(self.opened.targets), 1e300)
        values = []
        for node in nodes:
            place = self.scored_nodes.place(node)
            known = place is not None and self.scored_nodes.feasible[place]
            values.append(
                _minimised(self.opened, self.scored_nodes.last[place]) if known else worst
            )
        out["F"] = np.array(values)


def _nsga2(opened: OpenJob, scored_nodes: ScoredNodes, seed: int) -> None:
    algorithm = NSGA2(
        pop_size=100,
        sampling=IntegerRandomSampling(),
        crossover=SBX(prob=0.9, eta=3.0, vtype=float, repair=RoundingRepair()),
        mutation=PM(prob=1.0, eta=3.0, vtype=float, repair=RoundingRepair()),
        eliminate_duplicates=True,
    )
    left = scored_nodes.meter.budget.seconds - scored_nodes.meter.seconds  # type: ignore[union-attr,operator]
    minimize(_Nodes(opened, scored_nodes), algorithm, ("time", left), seed=seed, verbose=False)


def rivals(seconds: float = SECONDS) -> dict[str, float]:
    """Hypervolume after equal time, as a share of the proven front's."""
    with open_job(large_job()) as opened:
        evaluator = opened.evaluator()
        started = time.perf_counter()
        best = find(
            evaluator,
            opened.targets,
            ChosenMethod("exact", None, ""),
            seed=1,
            settings=RunSettings(2),
        )
        print(
            f"  {opened.lattice.size:,} nodes, {opened.histogram.combinations:,} combinations; "
            f"exact: {len(best.entries)} points proven from {best.evaluated:,} nodes "
            f"({best.evaluated / best.nodes:.2%}) in {time.perf_counter() - started:.0f} s"
        )
        true = _minimised(opened, np.array([list(e.values.values()) for e in best.entries]))
        ideal, nadir = true.min(axis=0), true.max(axis=0)
        width = np.where(nadir > ideal, nadir - ideal, 1.0)
        volume = HV(ref_point=np.full(true.shape[1], 1.1))
        whole = volume((true - ideal) / width)
        runs: dict[str, Callable[[ScoredNodes], None]] = {
            "evolve": lambda e: Evolution.begin(e, seed=1).run(),
            "pbg-ea, as published": lambda e: PbgEa.begin(e, seed=1, iterations=None).run(),
            "NSGA-II (pymoo)": lambda e: _nsga2(opened, e, 1),
            "random": lambda e: _random(e, 1),
        }
        shares = {}
        known = {tuple(point) for point in true}
        print(f"  {'hypervolume after':24}" + "".join(f"{m:9.0f} s" for m in MOMENTS))
        for name, run in runs.items():
            watch = _Watch()
            meter = Meter(Budget(seconds=seconds), watch)
            watch.scored_nodes = scored_nodes = ScoredNodes(
                evaluator, opened.targets, meter, threads=2
            )
            run(scored_nodes)
            seen = [_minimised(opened, watch.seen[m]) for m in MOMENTS if m <= seconds]
            volumes = [float(volume((points - ideal) / width) / whole) for points in seen]
            found = sum(tuple(point) in known for point in seen[-1])
            shares[name] = volumes[-1]
            print(
                f"  {name:24}" + "".join(f"{v:11.6f}" for v in volumes)
                + f"   {len(scored_nodes):,} nodes, {found} of {len(known)} points"
            )  # fmt: skip
    return shares


def proof(dropped: int = 2) -> float:
    """k and GLM on a lattice of over a million nodes: branch and bound against the full pass."""
    job = replace(without_last(large_job(), dropped), objectives=("k", "glm"))
    with open_job(job) as opened:
        evaluator = opened.evaluator()
        seconds, fronts = [], []
        for method in ("exact", "exhaustive"):
            started = time.perf_counter()
            fronts.append(
                find(
                    evaluator,
                    opened.targets,
                    ChosenMethod(method, None, ""),
                    settings=RunSettings(2),
                )
            )
            seconds.append(time.perf_counter() - started)
        assert fronts[0].entries == fronts[1].entries
        assert fronts[0].exact
        share = fronts[0].evaluated / fronts[0].nodes
        print(
            f"  {opened.lattice.size:,} nodes: exact evaluates {share:.2%} of them, prunes "
            f"{1 - share:.2%}; {seconds[0]:.1f} s against {seconds[1]:.1f} s for the full pass"
        )
        print(f"  -> exact / exhaustive:                         {seconds[0] / seconds[1]:8.3f}")
    return seconds[0] / seconds[1]


def node_cost(evaluations: int = 5_000) -> float:
    """A node scored during evolution against the same nodes scored from the finest table."""
    with open_job(large_job()) as opened:
        evaluator = opened.evaluator()
        meter = Meter(Budget(evaluations=evaluations), Silent())
        scored_nodes = ScoredNodes(evaluator, opened.targets, meter, threads=1)
        spent = [0.0]
        score = scored_nodes.scorer.score

        def timed(nodes: list[tuple[int, ...]]) -> object:
            started = time.perf_counter()
            found = score(nodes)
            spent[0] += time.perf_counter() - started
            return found

        scored_nodes.scorer.score = timed  # type: ignore[method-assign,assignment]
        Evolution.begin(scored_nodes, seed=1).run()
        chosen = np.random.default_rng(0).choice(len(scored_nodes), 300, replace=False)
        nodes = [tuple(map(int, node)) for node in scored_nodes.levels[chosen]]
        alone = NodeScorer(evaluator, most_bytes=0)
        alone.uses_waypoints = False
        alone.score(nodes[:2])
        started = time.perf_counter()
        for node in nodes:
            alone.score([node])
        base = (time.perf_counter() - started) / len(nodes)
        here = spent[0] / len(scored_nodes)
    print(
        f"  {len(scored_nodes):,} nodes, {here * 1e3:.2f} ms each; "
        f"from the base {base * 1e3:.2f} ms"
    )
    print(f"  -> in the search / from the base:              {here / base:8.3f}   (asked: 0.2)")
    return here / base
