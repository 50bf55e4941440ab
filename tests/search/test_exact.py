"""Branch and bound proves the very front that trying every node finds; `auto` chooses by size."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from tests.support.brute_force import SmallTable
from tests.support.searching import (
    Problem,
    every_candidate,
    mutually_best,
    problems,
    true_entries,
)
from tests.support.small_tables import granulations_of, small_tables

from paretonym.errors import InfeasibleError, JobError
from paretonym.kernels.screening import NO_BOUND, NOTHING, beaten
from paretonym.lattice import Lattice
from paretonym.measures import Evaluator
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.model.job import Budget
from paretonym.search import ChosenMethod, branch_and_bound, choose, evolve, find
from paretonym.search.branch_and_bound import BranchAndBound, Lines, Parts
from paretonym.search.meter import Meter
from paretonym.search.progress import Silent
from paretonym.search.scored_nodes import ScoredNodes

ANY = list(HealthCheck)


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=ANY)
@given(
    problems(boxes=True), st.integers(0, 3), st.sampled_from([0, 0, 3, 48]),
    st.sampled_from([1, 3, 64]), st.sampled_from([2, 8]),
)  # fmt: skip
def test_exact_equals_exhaustive(problem, seed, first, batch, worth):
    """Vectors, nodes, thresholds and ties; or both say that there is nothing.

    With 48 random nodes to begin with, little of a small lattice would be left to the proof.
    """
    everything = problem.find_or_not("exhaustive")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evolve, "_FIRST", first)
        patch.setattr(branch_and_bound, "_BATCH", batch)
        patch.setattr(branch_and_bound, "_WORTH_FINEST", worth)
        proven = problem.find_or_not("exact", seed=seed)
    event("infeasible" if everything is None else "feasible")
    if everything is None:
        assert proven is None
        return
    assert proven is not None
    assert proven.entries == everything.entries
    assert proven.objectives == everything.objectives
    assert (proven.exact, everything.exact) == (True, True)
    assert proven.proven == proven.nodes == everything.evaluated
    assert proven.evaluated <= proven.nodes
    event("saved" if proven.evaluated < proven.nodes else "visited all")


def test_infeasible_by_proof_says_how_far_the_table_reaches():
    with pytest.raises(InfeasibleError, match=r"k >= 9.*largest k within that limit is 8"):
        replace(LARGER, require=(("k", 9),)).find("exact")
    with pytest.raises(InfeasibleError, match=r"glm <= 1"):
        replace(LARGER, require=(("k", 8), ("glm", 1))).find("exact")


def chain_of(values: str, *widths: int) -> tuple[dict[str, str], ...]:
    """Level 0, neighbours in groups of each width, `*`."""
    levels = [{v: v for v in values}]
    levels += [{v: f"{w}-{i // w}" for i, v in enumerate(values)} for w in widths]
    return (*levels, dict.fromkeys(values, "*"))


def larger_table(rows: int = 8, seed: int = 4) -> SmallTable:
    draw = np.random.default_rng(seed)
    labels = (
        chain_of("abcdefgh", 2, 4), chain_of("abcdefgh", 2, 4), chain_of("abcd", 2),
        chain_of("abcd", 2), chain_of("ab"),
    )  # fmt: skip
    columns = [draw.choice(list(levels[0]), rows) for levels in labels]
    columns += [draw.choice(["s0", "s1", "s2"], rows), draw.choice(["t0", "t1"], rows)]
    made = tuple(tuple(str(v) for v in row) for row in zip(*columns, strict=True))
    return SmallTable(made, labels, (1, 2, 1, 1, 3))


LARGER = Problem(larger_table(), ("k", "glm"))  # 4 x 4 x 3 x 3 x 2 = 288 nodes
LARGEST = Problem(larger_table(200), ("k", "glm", "distinct_l(sensitive)"), "staircase", 6)


def test_a_proof_saves_evaluations():
    """Two thirds of the nodes at most: a proof that visits everything would be no proof."""
    proven, everything = LARGEST.find("exact"), LARGEST.find("exhaustive")
    assert proven.entries == everything.entries
    assert proven.evaluated < 2 * proven.nodes / 3


def test_what_is_evaluated_is_settled():
    """`Front.proven`: nodes evaluated, or shown to be unable to add to the front."""
    front = LARGEST.find("exact", evaluations=50)
    assert front.proven >= front.evaluated


@pytest.mark.parametrize("evaluations", [1, 2, 10, 50, 51, 60, 100])
def test_a_budget_leaves_the_proof_open(evaluations):
    """What is found is true, what is claimed is less than everything."""
    truth = every_candidate(LARGEST)
    front = LARGEST.find("exact", evaluations=evaluations)
    assert not front.exact
    assert front.evaluated == evaluations
    assert front.proven < front.nodes
    true_entries(front, truth)
    assert mutually_best(front)


@settings(max_examples=100, deadline=None, suppress_health_check=ANY)
@given(problems(boxes=True), st.integers(1, 60), st.sampled_from([0, 48]))
def test_any_budget_is_kept_and_exact_means_exact(problem, evaluations, first):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evolve, "_FIRST", first)
        front = problem.find_or_not("exact", evaluations=evaluations)
    whole = problem.find_or_not("exhaustive")
    if front is None:
        return
    assert whole is not None
    assert front.evaluated <= evaluations
    true_entries(front, every_candidate(problem))
    assert front.exact == (front.proven == front.nodes)
    if front.exact:
        assert front.entries == whole.entries


def test_at_every_moment_the_open_parts_hold_all_that_is_missing():
    """Any-time: each candidate of the final front is found already or lies in an open part."""
    evaluator, targets = LARGEST.parts()
    final = {tuple(e.levels.values()) for e in LARGEST.find("exhaustive").entries}
    spent = 0
    for budget in (5, 40, 90, 130, 170):
        scored_nodes = ScoredNodes(
            evaluator, targets, Meter(Budget(evaluations=budget), Silent()), threads=1, whole=True
        )
        search = BranchAndBound.begin(scored_nodes)
        search.run()
        lines = lines_of(evaluator)
        spent += len(search.open) > 0
        for node in final:
            place = tuple(lines[j].index(level) for j, level in enumerate(node))
            inside = (search.open.low <= place) & (place <= search.open.high)
            assert scored_nodes.place(node) is not None or inside.all(axis=1).any()
        assert search.proven == 288 - search.open.nodes()
    assert spent >= 3


@pytest.mark.parametrize("method", ["exact", "evolve", "pbg-ea"])
def test_a_time_budget_finds_something_however_short(method):
    """One that is used up before the first evaluation must not say that nothing was good enough."""
    evaluator, targets = LARGEST.parts()
    front = find(evaluator, targets, ChosenMethod(method, Budget(seconds=1e-9), ""))
    assert front.evaluated > 0


# ---- lines and parts


def lines_of(evaluator) -> list[list[int]]:
    """The row in which each attribute's levels stand: a range of one level is that level."""
    return [line_of(g) for g in evaluator.lattice.granulations]


def line_of(granulation: Granulation) -> list[int]:
    lines = Lines(Lattice.of([granulation]), context_like([granulation]))
    places = np.arange(granulation.levels)[:, None]
    return [int(v) for v in lines.finest(parts_of(places, places))[:, 0]]


def context_like(granulations):
    return SimpleNamespace(weights=tuple(Fraction(1) for _ in granulations))


def parts_of(low, high, objectives: int = 1) -> Parts:
    low, high = np.asarray(low), np.asarray(high)
    return Parts(low, high, np.full((len(low), objectives), NO_BOUND, np.int64))


@settings(max_examples=200, deadline=None, suppress_health_check=ANY)
@given(small_tables())
def test_every_range_lies_between_its_ends(table):
    """Also where levels do not compare: the ends are levels, finer and coarser than all."""
    for granulation in granulations_of(table):
        lines = Lines(Lattice.of([granulation]), context_like([granulation]))
        line = line_of(granulation)
        at_most = granulation.finer | np.eye(granulation.levels, dtype=bool)
        assert sorted(line) == list(range(granulation.levels))
        for low in range(len(line)):
            for high in range(low, len(line)):
                part = parts_of([[low]], [[high]])
                finest, coarsest = int(lines.finest(part)[0, 0]), int(lines.coarsest(part)[0, 0])
                inside = line[low : high + 1]
                assert at_most[finest, inside].all()
                assert at_most[inside, coarsest].all()
                if granulation.is_chain:
                    assert (finest, coarsest) == (inside[0], inside[-1])
                # nothing tighter exists
                below = [v for v in range(len(line)) if at_most[v, inside].all()]
                above = [v for v in range(len(line)) if at_most[inside, v].all()]
                blocks = [p.blocks for p in granulation.partitions]
                assert blocks[finest] == min(blocks[v] for v in below)
                assert blocks[coarsest] == max(blocks[v] for v in above)


def test_the_ends_of_a_poset_by_hand():
    """Two ways to pair four values do not compare: what bounds both is the value and the star."""
    leaves = "abcd"
    names = {"value": leaves, "ab": "xxyy", "ac": "xyxy", "*": "****"}
    partitions = tuple(partition_from_labels(n, list(labels)) for n, labels in names.items())
    granulation = Granulation("q", tuple(leaves), partitions)
    lines = Lines(Lattice.of([granulation]), context_like([granulation]))
    both = parts_of([[1]], [[2]])
    assert line_of(granulation) == [0, 1, 2, 3]
    assert (lines.finest(both).item(), lines.coarsest(both).item()) == (0, 3)
    one = parts_of([[0]], [[1]])
    assert (lines.finest(one).item(), lines.coarsest(one).item()) == (0, 1)


@settings(max_examples=100, deadline=None, suppress_health_check=ANY)
@given(small_tables(), st.integers(0, 999))
def test_halves_are_disjoint_and_cover(table, seed):
    granulations = granulations_of(table)
    lattice = Lattice.of(granulations)
    assume(lattice.size > 1)
    lines = Lines(lattice, context_like(granulations))
    draw = np.random.default_rng(seed)
    one, other = draw.integers(0, lattice.levels, size=(2, 20, len(lattice.levels)))
    parts = parts_of(np.minimum(one, other), np.maximum(one, other))
    parts = parts.at(np.any(parts.low < parts.high, axis=1))
    halves = lines.halved(parts)
    assert len(halves) == 2 * len(parts)
    assert halves.nodes() == parts.nodes()
    for i in range(len(parts)):
        first, second = places_in(halves, i), places_in(halves, len(parts) + i)
        assert first
        assert second
        assert not first & second
        assert first | second == places_in(parts, i)
        assert (halves.bounds[[i, len(parts) + i]] == parts.bounds[i]).all()


def places_in(parts: Parts, row: int) -> set[tuple[int, ...]]:
    ranges = [np.arange(a, b + 1) for a, b in zip(parts.low[row], parts.high[row], strict=True)]
    mesh = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1)
    return {tuple(map(int, place)) for place in mesh.reshape(-1, len(ranges))}


def test_parts_count_their_nodes_beyond_64_bits():
    parts = parts_of(np.zeros((2, 40), np.int64), np.full((2, 40), 9))
    assert parts.nodes() == 2 * 10**40
    assert parts.at(slice(0, 0)).nodes() == 0


def test_what_beats_a_bound():
    """Better somewhere and worse nowhere; an equal bound may hide a tie and stays."""
    front = np.array([[1, 5], [3, 2]])
    bounds = np.array([[1, 5], [1, 6], [0, 9], [3, 3], [2, 4], [NO_BOUND, 9], [NOTHING] * 2])
    assert beaten(front, bounds).tolist() == [False, True, False, True, False, False, True]


# ---- which search


class Sizes:
    """An evaluator that only knows how big it is."""

    def __init__(self, nodes: int, combinations: int, *, is_fast: bool = True) -> None:
        self.lattice = SimpleNamespace(size=nodes)
        self.histogram = SimpleNamespace(combinations=combinations)
        self.is_fast = is_fast


BILLION = 10**9


@pytest.mark.parametrize(
    ("nodes", "combinations", "method"),
    [
        (1, 1, "exhaustive"),
        (17_920, 20_000, "exhaustive"),
        (5 * BILLION, 1, "exhaustive"),
        (BILLION, 5, "exhaustive"),
        (BILLION + 1, 5, "exact"),
        (5 * BILLION + 1, 1, "exact"),
        (5 * BILLION, 100, "exact"),
        (5 * BILLION + 1, 100, "evolve"),
        (12_441_600, 190_000, "evolve"),
        (10**30, 10, "evolve"),
    ],
)
def test_auto_goes_by_nodes_times_combinations(nodes, combinations, method):
    how = choose(Sizes(nodes, combinations), "auto", None)
    assert how.method == method
    assert f"{nodes:,} nodes and {combinations:,} distinct combinations" in how.why


@pytest.mark.parametrize(("nodes", "method"), [(200_000, "exhaustive"), (200_001, "evolve")])
@pytest.mark.parametrize("combinations", [1, 10**7])
def test_a_measure_written_in_python_is_never_proven(nodes, combinations, method):
    how = choose(Sizes(nodes, combinations, is_fast=False), "auto", None)
    assert how.method == method
    assert ("Python" in how.why) == (method == "evolve")


@pytest.mark.parametrize("method", ["exhaustive", "exact", "pbg-ea", "evolve"])
def test_a_method_that_is_named_is_taken(method):
    budgets = [Budget(seconds=3), Budget(evaluations=7)]
    for budget in budgets[: 1 if method == "exhaustive" else 2]:
        how = choose(Sizes(10**12, 10**6), method, budget)
        assert (how.method, how.budget, how.why) == (method, budget, "as the job says")
    assert choose(Sizes(10**12, 10**6), method, None).budget is None


def test_a_pass_over_all_nodes_takes_no_budget_of_evaluations():
    with pytest.raises(JobError, match="visits every node"):
        choose(Sizes(100, 10), "exhaustive", Budget(evaluations=7))


def test_a_measure_in_python_goes_through_every_search(monkeypatch):
    """Nothing is known of nodes that were not visited; so a proof visits all of them."""
    monkeypatch.setattr(Evaluator, "is_fast", property(lambda self: False))
    problem = Problem(larger_table(12), ("k", "glm"), "staircase", 1)
    whole = problem.find("exhaustive")
    proven = problem.find("exact")
    assert (proven.entries, proven.evaluated, proven.exact) == (whole.entries, 288, True)
    for method in ("evolve", "pbg-ea"):
        front = problem.find(method, evaluations=40)
        assert front.evaluated == 40
        true_entries(front, every_candidate(problem))


def test_objectives_in_any_order_have_the_same_front():
    evaluator, targets = LARGEST.parts()
    straight = find(evaluator, targets, ChosenMethod("exact", None, ""))
    turned = find(evaluator, targets[::-1], ChosenMethod("exact", None, ""))

    def facts(front):
        return {(tuple(e.levels.values()), e.suppress_below, e.ties) for e in front.entries}

    assert facts(straight) == facts(turned)
