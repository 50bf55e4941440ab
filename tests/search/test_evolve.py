"""The two evolutionary searches: true candidates only, within the budget, the same every time."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.support.brute_force import SmallTable
from tests.support.searching import (
    MIDDLE,
    Problem,
    Recorder,
    dominates,
    every_candidate,
    middle_table,
    mutually_best,
    problems,
    signed,
    true_entries,
    write_search_job,
)
from tests.support.small_tables import granulations_of, small_tables

import paretonym.datasets as datasets
from paretonym.jobfile.loading import load_job
from paretonym.lattice import Lattice
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.model.job import Budget, SearchOptions
from paretonym.pipeline.fronts import front_of
from paretonym.pipeline.open_job import open_job
from paretonym.search import ChosenMethod, RunSettings, evolve, find, pbg_ea
from paretonym.search.meter import Meter
from paretonym.search.operators import Moves
from paretonym.search.pbg_ea import PbgEa, fitness_of
from paretonym.search.progress import Silent
from paretonym.search.scored_nodes import ScoredNodes
from paretonym.views.front_files import write_front

ANY = list(HealthCheck)


class Counting(Silent):
    """Progress that remembers how many evaluations it was told of."""

    def __init__(self) -> None:
        self.steps = 0

    def advance(self, steps: int) -> None:
        self.steps += steps


# ---- both


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=ANY)
@given(problems(), st.sampled_from(["evolve", "pbg-ea"]), st.integers(1, 80), st.integers(0, 9))
def test_only_true_candidates_within_the_budget(problem, method, evaluations, seed):
    progress, keeper = Counting(), Recorder()
    settings = RunSettings(progress=progress, keeper=keeper)
    front = problem.find_or_not(method, evaluations=evaluations, seed=seed, settings=settings)
    truth = every_candidate(problem)
    if front is None:
        event("infeasible")
        assert not truth or evaluations < problem.parts()[0].lattice.size
        return
    true_entries(front, truth)
    assert mutually_best(front)
    assert front.evaluated <= min(evaluations, front.nodes)
    assert front.proven == front.evaluated == progress.steps
    assert front.exact == (front.evaluated == front.nodes)
    if keeper.states:  # every node once
        ranks = keeper.states[-1].arrays["rank"]
        assert len(np.unique(ranks)) == len(ranks) <= evaluations
    if front.exact:
        assert front.entries == problem.find("exhaustive").entries


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=ANY)
@given(problems(), st.integers(0, 9))
def test_evolve_with_room_for_everything_finds_everything(problem, seed):
    """It stops before the budget only when nothing that could be better is left nearby."""
    size = problem.parts()[0].lattice.size
    whole = problem.find_or_not("exhaustive")
    front = problem.find_or_not("evolve", evaluations=size, seed=seed)
    if whole is None:
        assert front is None
        return
    assert front is not None
    event("saved" if front.evaluated < size else "visited all")
    if front.evaluated == size:
        assert front.entries == whole.entries
    else:
        assert not front.exact
    assert set(signed(front)) == set(signed(whole))


@settings(max_examples=60, deadline=None, suppress_health_check=ANY)
@given(problems(boxes=True), st.sampled_from(["evolve", "pbg-ea"]), st.integers(0, 3))
def test_boxes_hold_true_candidates_and_the_best_boxes(problem, method, seed):
    size = problem.parts()[0].lattice.size
    front = problem.find_or_not(method, evaluations=min(size, 60), seed=seed)
    if front is None:
        return
    true_entries(front, every_candidate(problem))
    assert mutually_best(front)
    if front.exact:
        assert len(front.entries) == len(problem.find("exhaustive").entries)


def test_a_complete_front_with_boxes_has_the_exhaustive_values():
    """One constant column with four levels: all nodes are one vector; a boxed archive keeps one."""
    levels = ({"v": "v"}, {"v": "a"}, {"v": "b"}, {"v": "*"})
    table = SmallTable((("v", "s0", "t0"),) * 2, (levels,), (1,))
    problem = Problem(table, ("k",), epsilon=(("k", Fraction(1)),))
    whole, front = problem.find("exhaustive"), problem.find("evolve", evaluations=9)
    assert whole.entries[0].ties == 3
    assert front.exact
    assert [entry.values for entry in front.entries] == [e.values for e in whole.entries]


def test_nodes_without_a_candidate_do_not_count_in_the_fitness():
    """Only minimised objectives: zeros would dominate everybody."""
    problem = replace(MIDDLE, texts=("glm", "suppressed"), require=(("k", 30),), limit=0)
    search = begun(problem, iterations=0)
    search.run()
    _, fitness = search._rated()
    assert np.isinf(fitness).any()
    assert fitness.min() == 0


@pytest.mark.parametrize("method", ["evolve", "pbg-ea"])
def test_seeds_decide_and_nothing_else(method):
    """The same seed draws the same nodes on one thread and on two; another seed draws others."""
    seen = {}
    for seed, threads in [(1, 1), (1, 2), (2, 1)]:
        keeper = Recorder()
        settings = RunSettings(threads=threads, keeper=keeper)
        front = MIDDLE.find(method, evaluations=150, seed=seed, settings=settings)
        seen[seed, threads] = keeper.states[-1].arrays["rank"].tolist(), front.entries
    assert seen[1, 1] == seen[1, 2]
    assert seen[1, 1][0] != seen[2, 1][0]


def test_without_a_budget_evolve_ends_by_itself(monkeypatch):
    """So many generations in a row without a new member, and no earlier."""
    keeper = Recorder()
    monkeypatch.setattr(evolve, "_STALLED", 3)
    monkeypatch.setattr(evolve, "_BATCH", 4)
    front = MIDDLE.find("evolve", seed=1, settings=RunSettings(keeper=keeper))
    vectors = [state.arrays["member.vectors"] for state in keeper.states]
    news = [len(a) != len(b) or (a != b).any() for a, b in itertools.pairwise(vectors)]
    assert front.evaluated < front.nodes
    assert not any(news[-3:])
    assert all(any(news[i : i + 3]) for i in range(len(news) - 3))
    # with a budget it goes on
    more = MIDDLE.find("evolve", seed=1, evaluations=front.evaluated + 40)
    assert more.evaluated > front.evaluated


# ---- PBG-EA as published


def begun(problem: Problem, **options):
    evaluator, targets = problem.parts()
    scored_nodes = ScoredNodes(
        evaluator, targets, Meter(options.pop("budget", None), Silent()), threads=1
    )
    return PbgEa.begin(scored_nodes, seed=1, **options)


def test_the_first_population():
    """25 nodes; the last two are the top and the bottom, and all are evaluated before any child."""
    search = begun(MIDDLE, iterations=0)
    assert search.population.shape == (25, 5)
    assert search.population[-2:].tolist() == [[3, 3, 3, 2, 2], [0, 0, 0, 0, 0]]
    search.run()
    scored_nodes = search.scored_nodes
    assert {tuple(row) for row in scored_nodes.levels} == {tuple(row) for row in search.population}
    assert scored_nodes.place((0, 0, 0, 0, 0)) is not None
    assert scored_nodes.place((3, 3, 3, 2, 2)) is not None


def test_the_published_numbers():
    assert (pbg_ea.POPULATION, pbg_ea.ITERATIONS, pbg_ea.CROSSOVER) == (25, 100, 0.8)


@pytest.mark.parametrize("iterations", [0, 1, 7])
def test_so_many_iterations_and_no_more(iterations):
    keeper = Recorder()
    search = begun(MIDDLE, iterations=iterations, keeper=keeper)
    search.run()
    assert search.iteration == iterations == len(keeper.states)
    assert [state.facts["iteration"] for state in keeper.states] == list(range(1, iterations + 1))
    for state in keeper.states:
        assert state.arrays["population"].shape == (25, 5)
        assert (state.arrays["population"] >= 0).all()
        assert (state.arrays["population"] < np.array([4, 4, 4, 3, 3])).all()


def test_without_a_budget_there_are_a_hundred_iterations():
    keeper = Recorder()
    problem = replace(MIDDLE, texts=("k", "glm"), rule="paper")
    front = problem.find("pbg-ea", seed=1, settings=RunSettings(keeper=keeper))
    assert front.evaluated == front.nodes or len(keeper.states) == 100
    assert front.evaluated <= 25 * 101


def test_with_a_budget_it_goes_on_until_that_is_used_up(monkeypatch):
    monkeypatch.setattr(pbg_ea, "ITERATIONS", 1)
    assert MIDDLE.find("pbg-ea", evaluations=200, seed=1).evaluated == 200


def test_fitness_by_hand():
    """Smaller is better. a = (1, 1) dominates all others, b = (2, 3) and c = (3, 2) dominate d.

    a dominates 3, b and c 1 each: a has 0, b and c have a's 3, d has 3 + 1 + 1.
    """
    assert fitness_of(np.array([[1, 1], [2, 3], [3, 2], [4, 4]])).tolist() == [0, 3, 3, 5]
    alike = np.array([[1, 2], [1, 2], [2, 1], [2, 2]])  # equal vectors do not dominate each other
    assert fitness_of(alike).tolist() == [0, 0, 0, 3]


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12))
@settings(max_examples=100, deadline=None)
def test_fitness_as_it_is_written_down(vectors):
    strength = [sum(dominates(a, b) for b in vectors) for a in vectors]
    pairs = list(zip(vectors, strength, strict=True))
    truth = [sum(s for a, s in pairs if dominates(a, b)) for b in vectors]
    assert fitness_of(np.array(vectors)).tolist() == truth


def test_tournaments_prefer_the_fit():
    """Of two different nodes the fitter one: whoever nobody dominates is drawn most often."""
    problem = replace(MIDDLE, require=(("k", 30),), limit=0)
    search = begun(problem, iterations=3)
    search.run()
    nodes, fitness = search._rated()
    assert np.isinf(fitness).any()
    assert (fitness == 0).any()
    assert len({tuple(node) for node in nodes}) == len(nodes)
    best = {tuple(node) for node in nodes[fitness == 0]}
    drawn = np.concatenate([search._selected() for _ in range(200)])
    counts = {tuple(node): 0 for node in nodes}
    for node in drawn:
        counts[tuple(node)] += 1
    mean = len(drawn) / len(nodes)
    assert all(counts[node] > mean for node in best)


def test_pairs_swap_their_ends(monkeypatch):
    """Row i holds i everywhere, so that a child shows its parents: one cut, behind it the other."""
    rates = []
    monkeypatch.setattr(Moves, "mutated", lambda _, __, nodes, rate: rates.append(rate) or nodes)
    search = begun(MIDDLE, iterations=0)
    parents = np.repeat(np.arange(25)[:, None], 5, axis=1)
    swapped = 0
    for _ in range(100):
        children = search._recombined(parents)
        assert children.shape == (25, 5)
        np.testing.assert_array_equal(np.sort(children, axis=0), parents)
        for child in children:
            assert np.count_nonzero(np.diff(child)) <= 1
        swapped += np.count_nonzero(children[:, 0] != children[:, -1]) / 2
    assert set(rates) == {1 / 5}
    assert 0.75 < swapped / (100 * 12) < 0.85  # 12 pairs of 25 a time, four of five cross


def test_a_node_the_budget_left_out_does_not_count():
    search = begun(MIDDLE, iterations=None, budget=Budget(evaluations=10))
    search.run()
    nodes, _ = search._rated()
    assert len(search.scored_nodes) == 10
    assert len(nodes) == 10


def test_a_lattice_of_one_attribute():
    """Nothing to cross; mutation alone goes on."""
    table = middle_table()
    rows = tuple((row[0], *row[5:]) for row in table.rows)
    problem = Problem(replace(table, rows=rows, labels=table.labels[:1], weights=(1,)), ("k",))
    for method in ("pbg-ea", "evolve"):
        front = problem.find(method, evaluations=100)
        assert (front.exact, front.evaluated) == (True, 4)


# ---- moves


def poset() -> Granulation:
    """Two ways to pair four values, which do not compare."""
    leaves = "abcd"
    names = {"value": leaves, "ab": "xxyy", "ac": "xyxy", "*": "****"}
    parts = tuple(partition_from_labels(name, list(labels)) for name, labels in names.items())
    return Granulation("q", tuple(leaves), parts)


def test_neighbours_of_a_poset_by_hand():
    """From `ab` one goes to the values or to the star, never across to `ac`."""
    moves = Moves(Lattice.of([poset(), poset()]))
    found = {tuple(map(int, node)) for node in moves.neighbours(np.array([[1, 0]]))}
    assert found == {(0, 0), (3, 0), (1, 1), (1, 2)}


def comparable(granulations, before, after) -> list[int]:
    """How many covers each attribute moved along: 0 or 1, -1 where it was no cover."""
    steps = []
    for g, a, b in zip(granulations, map(int, before), map(int, after), strict=True):
        is_cover = b in g.covers[a] or a in g.covers[b]
        steps.append(0 if a == b else 1 if is_cover else -1)
    return steps


@settings(max_examples=150, deadline=None, suppress_health_check=ANY)
@given(small_tables(), st.integers(0, 999))
def test_moves_go_along_covers(table, seed):
    granulations = granulations_of(table)
    lattice = Lattice.of(granulations)
    moves, draw = Moves(lattice), np.random.default_rng(seed)
    nodes = moves.random(draw, 20)
    assert nodes.shape == (20, len(lattice.levels))
    assert (nodes >= 0).all()
    assert (nodes < lattice.levels).all()
    before = nodes.copy()
    mutated = moves.mutated(draw, nodes, 0.5)
    for node, child in zip(nodes, mutated, strict=True):
        assert min(comparable(granulations, node, child)) >= 0
    for node in nodes[:3]:
        near = [tuple(map(int, n)) for n in moves.neighbours(node[None])]
        origin = tuple(map(int, node))
        up = set(lattice.upper_covers(origin))
        down = {
            lattice.unrank(rank)
            for rank in range(lattice.size)
            if origin in set(lattice.upper_covers(lattice.unrank(rank)))
        }
        assert set(near) == up | down
        assert len(near) == len(set(near))
    for node, child in zip(nodes, moves.exchanges(draw, nodes), strict=True):
        changed = sum(a != b for a, b in zip(node, child, strict=True))
        assert changed <= 2
    first, second = moves.random(draw, 10), moves.random(draw, 10)
    crossed = moves.crossed(draw, first, second)
    assert ((crossed == first) | (crossed == second)).all()
    np.testing.assert_array_equal(nodes, before)  # parents stay as they were


def test_mutation_at_rate_zero_and_one():
    moves = Moves(Lattice.of([poset()] * 3))
    draw = np.random.default_rng(0)
    nodes = np.array([[0, 3, 1]] * 200)
    np.testing.assert_array_equal(moves.mutated(draw, nodes, 0.0), nodes)
    changed = moves.mutated(draw, nodes, 1.0)
    # at an end one side leads nowhere; in the middle both lead on
    assert {0, 1, 2} == set(changed[:, 0].tolist())
    assert {1, 2, 3} == set(changed[:, 1].tolist())
    assert {0, 3} == set(changed[:, 2].tolist())


# ---- the same bytes, whatever runs beside


SCRIPT = """
import sys
from dataclasses import replace
from pathlib import Path
from paretonym.pipeline.open_job import open_job
from paretonym.views.front_files import write_front
from paretonym.pipeline.fronts import front_of
from paretonym.jobfile.loading import load_job
from paretonym.model.job import Budget, SearchOptions
job = load_job(Path(sys.argv[1]))
for method in ("evolve", "pbg-ea", "exact"):
    budget = None if method == "exact" else Budget(evaluations=60)
    with open_job(replace(job, search=SearchOptions(method, 5, budget))) as opened:
        write_front(front_of(opened, threads=int(sys.argv[3])), opened, Path(sys.argv[2]) / method)
"""


@pytest.mark.slow
def test_the_same_bytes_on_any_threads_and_any_hash_seed(tmp_path):
    job = write_search_job(tmp_path)
    (tmp_path / "run.py").write_text(SCRIPT)
    running = []
    for place, (hash_seed, threads) in enumerate([("0", "1"), ("1", "2")]):
        command = [sys.executable, tmp_path / "run.py", job, tmp_path / str(place), threads]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        running.append(subprocess.Popen(command, env=environment))
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    for method in ("evolve", "pbg-ea", "exact"):
        first, second = (tmp_path / place / method for place in "01")
        for name in ("front.json", "front.csv"):
            assert (first / name).read_bytes() == (second / name).read_bytes()
        facts = json.loads((first / "front.json").read_text())
        assert facts["exact"] == (method == "exact")


# ---- the bundled table


@pytest.fixture(scope="module")
def adult():
    job = load_job(datasets.path("adult/job.yaml"))
    rule = replace(job.suppression, rule="paper")
    with open_job(replace(job, objectives=("k", "glm"), suppression=rule)) as opened:
        yield opened


def test_five_percent_of_the_nodes_find_the_whole_front_of_adult(adult):
    """k against GLM under the papers' rule: 896 of 17,920 nodes, all 42 vectors, seed 1."""
    evaluator = adult.evaluator()
    exact = find(evaluator, adult.targets, ChosenMethod("exact", None, ""), seed=1)
    few = find(
        evaluator, adult.targets, ChosenMethod("evolve", Budget(evaluations=896), ""), seed=1,
        settings=RunSettings(threads=2),
    )  # fmt: skip
    assert (exact.exact, exact.nodes, len(exact.entries)) == (True, 17_920, 42)
    assert few.evaluated <= 896
    assert not few.exact
    assert signed(few) == signed(exact)


def test_a_front_of_adult_is_written_the_same_twice(adult, tmp_path):
    """Through the job's own options: 300 evaluations with seed 3, one thread and two."""
    options = SearchOptions("evolve", 3, Budget(evaluations=300))
    opened = replace(adult, job=replace(adult.job, search=options))
    for threads in (1, 2):
        write_front(front_of(opened, threads=threads), opened, tmp_path / str(threads))
    one, two = ((tmp_path / t / "front.json").read_bytes() for t in "12")
    assert one == two
    assert json.loads(one)["evaluated"] == 300


def test_an_epsilon_leaves_fewer_entries(adult):
    evaluator = adult.evaluator()
    how = ChosenMethod("evolve", Budget(evaluations=300), "")
    plain = find(evaluator, adult.targets, how, seed=1)
    epsilon = {"k": Fraction(100), "glm": Fraction(5_000)}
    boxed = find(evaluator, adult.targets, how, seed=1, epsilon=epsilon)
    assert 1 < len(boxed.entries) < len(plain.entries)
    assert mutually_best(boxed)
