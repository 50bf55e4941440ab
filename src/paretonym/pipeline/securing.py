"""From confidentiality rules to every least distorting table that keeps them, and the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from paretonym.errors import InfeasibleError, JobError
from paretonym.lattice.lattice import Node
from paretonym.measures import ClassTable, Evaluator, build, parse
from paretonym.measures.characteristic import SecurityTests
from paretonym.measures.rules import Confidential, characteristics_of
from paretonym.model.candidate import Candidate, Counts
from paretonym.model.front import Front, Objective
from paretonym.model.measure_catalog import AT_RISK, QL, SF, WORST_RISK, K
from paretonym.pipeline.open_job import OpenJob
from paretonym.search.aog_ga import evolve_codes
from paretonym.search.benefit import Benefit, Optimum
from paretonym.search.best_granulation import best_secure
from paretonym.search.breadth_first import breadth_first
from paretonym.search.incognito import incognito
from paretonym.search.outcome import as_number
from paretonym.search.progress import Progress, Silent
from paretonym.search.secure_nodes import SecureNodes

Ways = Literal["both", "incognito", "breadth-first"]
WAYS: tuple[Ways, ...] = ("both", "incognito", "breadth-first")
FIGURES = (SF, QL, WORST_RISK, AT_RISK, K)
_BOTH = 200_000  # nodes up to which both searches run, so that one confirms the other


@dataclass(frozen=True, slots=True)
class Exposure:
    """Who could be sure of what at some levels: counts only."""

    levels: Mapping[str, int]
    people: int  # about whom at least one secret is certain
    by_rule: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        rules = [{"rule": n, "people": count} for n, count in enumerate(self.by_rule, start=1)]
        return {"levels": dict(self.levels), "people": self.people, "by_rule": rules}


@dataclass(frozen=True, slots=True)
class Secured:
    """What `paretonym secure` found."""

    nodes: int
    rows: int
    minimal: tuple[Candidate, ...]
    tests: Mapping[str, int]
    full_width: Mapping[str, int]
    optimum: tuple[Candidate, Optimum]  # no secure granulation has a larger sf · ql: proven
    genetic: tuple[Candidate, Optimum]  # of the published algorithm
    exposed: Exposure

    def to_json(self) -> dict[str, Any]:
        best, proof = self.optimum
        entry, found = self.genetic
        return {
            "nodes": self.nodes,
            "rows": self.rows,
            "minimal": [_figures(one) for one in self.minimal],
            "tests": dict(self.tests),
            "full_width_tests": dict(self.full_width),
            "optimum": {**_figures(best), "evaluations": proof.evaluations},
            "genetic": {
                **_figures(entry),
                "secure": found.benefit > 0,
                "evaluations": found.evaluations,
            },
            "exposed": self.exposed.to_json(),
        }

    def as_front(self) -> Front:
        """The minimal granulations as a front, so that one can be picked from them."""
        return Front(
            method="exhaustive", exact=True, nodes=self.nodes, evaluated=self.nodes,
            objectives=tuple(
                Objective(info.name, info.direction) for info in FIGURES if info.direction
            ),
            entries=self.minimal,
            rows=self.rows, table="",
        )  # fmt: skip


def _figures(one: Candidate) -> dict[str, Any]:
    return {"levels": dict(one.levels), "values": dict(one.values)}


def secure_of(
    opened: OpenJob,
    *,
    way: Ways | None = None,
    levels: Mapping[str, int] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Secured:
    """All minimal secure granulations, the optimum under security, and who is exposed."""
    rules = _rules(opened)
    default: Ways = "both" if opened.lattice.size <= _BOTH else "incognito"
    found = minimal_of(opened, way or default, progress=progress)
    answer = next(iter(found.values()))
    if not answer.minimal:
        raise InfeasibleError(_impossible(opened, rules))
    evaluator = evaluator_of(opened, [info.name for info in FIGURES])
    benefit = Benefit(evaluator, threads=threads, progress=progress)
    optimum = best_secure(benefit, answer.minimal)
    genetic = genetic_of(opened, seed=opened.job.search.seed or 0, threads=threads)
    current = opened.lattice.finest if levels is None else opened.lattice.node_of(levels)
    return Secured(
        nodes=opened.lattice.size,
        rows=opened.histogram.rows,
        minimal=_entries(evaluator, answer.minimal),
        tests={name: one.tests for name, one in found.items()},
        full_width={name: one.full_width for name, one in found.items()},
        optimum=(_entries(evaluator, [optimum.node])[0], optimum),
        genetic=(_entries(evaluator, [genetic.node])[0], genetic),
        exposed=exposure_at(opened, current),
    )


def _rules(opened: OpenJob) -> Confidential:
    if opened.context.confidential is None:
        raise JobError(
            "the job keeps nothing confidential; add rules, for example "
            "confidential: [{say: diagnosis = HIV}]"
        )
    return opened.context.confidential


def evaluator_of(opened: OpenJob, names: Sequence[str]) -> Evaluator:
    """Without the job's other requirements: security is asked for on its own here."""
    measures = [build(parse(name), opened.context) for name in names]
    return Evaluator(opened.histogram, opened.lattice, measures, opened.context)


def minimal_of(
    opened: OpenJob, way: Ways, *, progress: Progress | None = None
) -> dict[str, SecureNodes]:
    """All minimal secure granulations, by the name of each search."""
    progress = progress or Silent()
    marks = characteristics_of(_rules(opened), opened.histogram)
    tests = SecurityTests(opened.histogram.codes, marks, opened.lattice)
    found = {}
    if way in ("both", "incognito"):
        found["incognito"] = incognito(tests, progress=progress)
    if way in ("both", "breadth-first"):
        found["breadth_first"] = breadth_first(tests, progress=progress)
    return found


def _impossible(opened: OpenJob, rules: Confidential) -> str:
    """Which rules even one class of all people does not keep."""
    counts = opened.histogram.predicates
    certain = [
        rule + 1
        for rule, name in enumerate(rules.counts[: len(rules.damages)])
        if int(counts[name].sum()) == opened.histogram.rows
        and any(applies[rule] for applies in rules.applies)
    ]
    listed = ", ".join(map(str, certain))
    return (
        f"no granulation keeps every rule: the sentence of rule {listed} is true of all "
        f"{opened.histogram.rows:,} people in the table, so it is certain even when all look "
        f"alike. Leave the rule out, or do not release the column"
    )


def exposure_at(opened: OpenJob, node: Node) -> Exposure:
    """People about whom a secret is certain, in all and by rule."""
    rules = _rules(opened)
    classes = ClassTable(opened.histogram, opened.lattice.granulations, node)
    number = len(rules.damages)
    hits = [classes.predicate(name) for name in rules.counts[:number]]
    certain = np.stack([count == classes.size for count in hits], axis=1)
    people, by_rule = 0, np.zeros(number, np.int64)
    for name, applies in zip(rules.counts[number:], rules.applies, strict=True):
        protected = classes.predicate(name)
        exposed = certain & np.array(applies)
        people += int(protected[exposed.any(axis=1)].sum())
        by_rule += protected @ exposed
    return Exposure(opened.lattice.named(node), people, tuple(map(int, by_rule)))


def _entries(evaluator: Evaluator, nodes: Sequence[Node]) -> tuple[Candidate, ...]:
    """Nothing is suppressed at any of them."""
    found = evaluator.score_all(nodes)
    return tuple(
        Candidate(
            evaluator.lattice.named(node),
            counts=Counts(evaluator.histogram.rows),
            values={m.name: as_number(found.values(m).shown(place)) for m in evaluator.measures},
        )
        for place, node in enumerate(nodes)
    )


def genetic_of(opened: OpenJob, *, seed: int, threads: int) -> Optimum:
    """What the published genetic algorithm finds."""
    benefit = Benefit(evaluator_of(opened, ()), threads=threads)
    return evolve_codes(benefit, opened.job.security.genetic, np.random.default_rng(seed))
