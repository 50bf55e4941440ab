"""Secure granulations of Adult under three rules: searches against the pass for k, and optima."""

from __future__ import annotations

from statistics import mean

import numpy as np

from benchmarks.adult_pass import best_of
from paretonym.measures import Evaluator, build, parse
from paretonym.measures.characteristic import SecurityTests
from paretonym.measures.rules import characteristics_of
from paretonym.model.job import Genetic
from paretonym.papers.aog.published import ADULT
from paretonym.papers.aog.running import job_under
from paretonym.pipeline.open_job import OpenJob, open_job
from paretonym.search.aog_ga import evolve_codes
from paretonym.search.benefit import Benefit
from paretonym.search.best_granulation import best_secure
from paretonym.search.breadth_first import breadth_first
from paretonym.search.incognito import incognito
from paretonym.search.progress import Silent
from paretonym.search.secure_nodes import SecureNodes

RUNS = 20


def run() -> dict[str, float]:
    with open_job(job_under(ADULT)) as opened:
        assert opened.context.confidential is not None
        marks = characteristics_of(opened.context.confidential, opened.histogram)
        tests = SecurityTests(opened.histogram.codes, marks, opened.lattice)
        k = [build(parse("k"), opened.context)]
        evaluator = Evaluator(opened.histogram, opened.lattice, k, opened.context)
        by_breadth = breadth_first(tests, progress=Silent())  # compiled and warm
        by_subsets = incognito(tests, progress=Silent())
        assert by_breadth.minimal == by_subsets.minimal == _brute_force(opened)
        _pass_k(evaluator)
        once = best_of(5, lambda: _pass_k(evaluator))
        breadth = best_of(5, lambda: breadth_first(tests, progress=Silent()))
        subsets = best_of(5, lambda: incognito(tests, progress=Silent()))
        print(f"  granulations:                                    {opened.lattice.size:8,}")
        print(f"  minimal secure, equal to brute force over all:   {len(by_breadth.minimal):8,}")
        print(f"  the pass for k alone, one thread:                {once:8.3f} s")
        _say("breadth-first", by_breadth, breadth, once)
        _say("incognito", by_subsets, subsets, once)
        found = _optima(opened, by_subsets)
    return {"breadth_first": breadth / once, "incognito": subsets / once, **found}


def _say(name: str, found: SecureNodes, seconds: float, once: float) -> None:
    print(f"  {name + ':':<49}{seconds:8.3f} s")
    print(f"    tests:                                         {found.tests:8,}")
    print(f"    tests that leave no attribute out:             {found.full_width:8,}")
    print(f"  -> times the pass:                               {seconds / once:8.2f}   (3)")


def _pass_k(evaluator: Evaluator) -> int:
    return sum(part.nodes for part in evaluator.sweep(threads=1))


def _benefits(opened: OpenJob) -> tuple[np.ndarray, np.ndarray]:
    """secure, and sf · ql where it is 1, of every node by its rank, from a pass over all."""
    measures = [build(parse(name), opened.context) for name in ("secure", "sf", "ql")]
    evaluator = Evaluator(opened.histogram, opened.lattice, measures, opened.context)
    secure, product = np.zeros((2, opened.lattice.size))
    for part in evaluator.sweep(threads=2):
        flag, security, quality = (part.values(m) for m in measures)
        secure[part.rank] = flag.exact
        product[part.rank] = (
            flag.exact * (security.exact / security.scale) * (quality.exact / quality.scale)
        )
    return secure.astype(bool), product


def _brute_force(opened: OpenJob) -> tuple[tuple[int, ...], ...]:
    """Secure nodes above no other secure node; the job's hierarchies are chains."""
    secure, _ = _benefits(opened)
    shaped = secure.reshape(opened.lattice.levels)
    below = np.zeros_like(shaped)
    for axis in range(shaped.ndim):
        moved = np.moveaxis(below, axis, 0)
        moved[1:] |= np.moveaxis(shaped, axis, 0)[:-1]
    return tuple(sorted(tuple(map(int, node)) for node in np.argwhere(shaped & ~below)))


def _optima(opened: OpenJob, minimal: SecureNodes) -> dict[str, float]:
    _, product = _benefits(opened)
    best = float(product.max())
    proven = best_secure(Benefit(_plain(opened)), minimal.minimal)
    assert abs(proven.benefit - best) < 1e-12
    runs = [
        evolve_codes(Benefit(_plain(opened)), Genetic(), np.random.default_rng(seed))
        for seed in range(RUNS)
    ]
    hits = sum(abs(one.benefit - best) < 1e-12 for one in runs)
    used = proven.evaluations + minimal.tests
    share = used / opened.lattice.size
    evaluations, reached = mean(o.evaluations for o in runs), mean(o.benefit for o in runs) / best
    print(f"  optimum of sf · ql, by a pass over all:          {best:8.5f}")
    print(f"  proven with evaluations and tests:               {used:8,} ({share:.1%}; 5 %)")
    print(f"  published algorithm, runs that reach it:         {hits:8} of {RUNS}")
    print(f"    evaluations, mean:                             {evaluations:8.0f}")
    print(f"    share of the optimum, mean:                    {reached:8.3f}")
    return {"proven_share": share, "published_hits": hits}


def _plain(opened: OpenJob) -> Evaluator:
    return Evaluator(opened.histogram, opened.lattice, (), opened.context)
