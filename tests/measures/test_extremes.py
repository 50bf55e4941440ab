"""Measures of the worst class: pass, single nodes, plain evaluation and definition agree."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import entropy
from tests.support.brute_force import SmallTable
from tests.support.searching import RULES, Problem, nodes_of
from tests.support.small_tables import engine_parts, small_tables

from paretonym.kernels import extremes
from paretonym.kernels.screening import NOTHING
from paretonym.measures import Evaluator, Requirement, attribute, build, layout, parse
from paretonym.measures.attribute import ENTROPY_CODE, entropy_l, log_number, logs_up_to
from paretonym.measures.nodes import NodeScorer
from paretonym.model.front import Direction
from paretonym.model.job import Budget
from paretonym.search.meter import Meter
from paretonym.search.nondominated import sortable
from paretonym.search.progress import Silent
from paretonym.search.scored_nodes import ScoredNodes

relaxed = {"deadline": None, "suppress_health_check": list(HealthCheck)}
NAMES = ["k", "entropy_l(sensitive)", "distinct_l(sensitive)", "s_l(sensitive)", "glm"]
BOUNDS = st.sampled_from([None, Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2), 3])


def evaluator_of(table, *, limit, rule, require_k=0, require_l=0, require_e=None, names=NAMES):
    histogram, lattice, context, measures = engine_parts(table, names)
    bounds = {
        "k": require_k, "distinct_l(sensitive)": require_l, "entropy_l(sensitive)": require_e
    }  # fmt: skip
    require = [Requirement.of(build(parse(n), context), b) for n, b in bounds.items() if b]
    return Evaluator(histogram, lattice, measures, context, require=require, limit=limit, rule=rule)


def numbers(evaluator, candidates):
    """{(node, threshold): entropy number}"""
    measure = next(m for m in evaluator.measures if m.name.startswith("entropy"))
    exact = candidates.values(measure).exact
    assert exact.dtype == np.int64
    nodes = map(evaluator.lattice.unrank, map(int, candidates.rank))
    return dict(
        zip(zip(nodes, candidates.suppress_below.tolist(), strict=True), exact.tolist(),
            strict=True)
    )  # fmt: skip


def by_pass(evaluator, threads=1):
    found = {}
    for part in evaluator.sweep(threads=threads):
        found |= numbers(evaluator, part)
    return found


def by_nodes(evaluator, threads=1, seed=0):
    """Batches in a random order, so that tables come from different finer ones."""
    scorer = NodeScorer(evaluator, threads=threads)
    nodes = nodes_of(evaluator)
    order = [nodes[int(i)] for i in np.random.default_rng(seed).permutation(len(nodes))]
    half = len(order) // 2
    found = {}
    for batch in (order[:half], order[half:]):
        if batch:
            found |= numbers(evaluator, scorer.score(batch).candidates)
    return found


def by_definition(table, **options):
    return {
        (node, threshold): number
        for node in table.nodes()
        for threshold, number in entropy.candidates(table, node, **options).items()
    }


def assert_all_agree(table, *, threads=1, seed=0, **options):
    evaluator = evaluator_of(table, **options)
    assert evaluator.is_fast
    truth = by_definition(table, **options)
    assert by_pass(evaluator, threads) == truth
    assert by_nodes(evaluator, threads, seed) == truth
    assert numbers(evaluator, evaluator.score_all(nodes_of(evaluator))) == truth
    return evaluator


@settings(max_examples=1000, **relaxed)
@given(small_tables(), RULES, st.integers(0, 5), st.integers(0, 4), st.integers(0, 3), BOUNDS,
       st.integers(0, 99))  # fmt: skip
def test_pass_nodes_plain_and_definition_agree(table, rule, limit, need_k, need_l, need_e, seed):
    assert_all_agree(
        table, rule=rule, limit=min(limit, len(table.rows) - 1), seed=seed,
        require_k=need_k, require_l=need_l, require_e=need_e,
    )  # fmt: skip


@settings(max_examples=150, **relaxed)
@given(small_tables(sensitive_values=9, max_rows=30), RULES, st.integers(0, 12), BOUNDS)
def test_sparse_lists_and_several_threads(table, rule, limit, need_e):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "DENSE_VALUES", 1)
        limit = min(limit, len(table.rows) - 1)
        evaluator = assert_all_agree(table, rule=rule, limit=limit, require_e=need_e, threads=2)
        values = len(set(table.column("sensitive")))
        assert len(evaluator.layout.space.sparse_values) == (values > 1)


@settings(max_examples=150, **relaxed)
@given(small_tables(max_rows=40), st.integers(0, 30), RULES, BOUNDS)
def test_sizes_beyond_those_told_apart(table, limit, rule, need_e):
    """Large limits on large classes take the slow lane of the staircase."""
    limit = min(limit, len(table.rows) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "TOLD_APART", (2, 2))
        assert_all_agree(table, rule=rule, limit=limit, require_e=need_e)


def test_two_columns_and_none_but_the_worst_class():
    """Each column has its own number; the column with one value makes every class the worst."""
    rows = [("a", "s0", "t0"), ("a", "s1", "t0"), ("b", "s0", "t0"), ("b", "s0", "t0")]
    table = SmallTable(tuple(rows), (({"a": "a", "b": "b"}, {"a": "*", "b": "*"}),), (1,))
    names = ["entropy_l(sensitive)", "entropy_l(target)", "k"]
    histogram, lattice, context, measures = engine_parts(table, names)
    evaluator = Evaluator(histogram, lattice, measures, context)
    (part,) = list(evaluator.sweep())
    shown = [part.values(m).all_shown().tolist() for m in measures]
    three_quarters = math.exp(-(0.75 * math.log(0.75) + 0.25 * math.log(0.25)))
    assert shown[0] == [1.0, pytest.approx(three_quarters, rel=1e-11)]
    assert shown[1:] == [[1.0, 1.0], [2, 4]]


# ---- the numbers themselves


def number(*counts: int) -> int:
    return int(
        extremes.entropy(np.array(counts, np.int32), extremes.LARGEST, logs_up_to(sum(counts)))
    )


@settings(max_examples=500, deadline=None)
@given(st.lists(st.integers(1, 3_000) | st.integers(1, 10**8), min_size=1, max_size=12))
def test_a_class_of_any_size_has_the_number_of_its_definition(counts):
    """Also of a thousand million rows, where logarithms lie on lines between the table's."""
    value = number(*counts)
    assert value == entropy.class_number(counts)
    assert value == number(*reversed(counts), 0, 0)
    size = sum(counts)
    bits = math.fsum(c / size * math.log2(size / c) for c in counts)
    slack = 2 if size <= 2**16 else 188
    assert abs(value - bits * 2**40) < slack + 2**-50 * 2**40 * max(1, bits)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=6), st.integers(1, 60))
def test_equal_shares_tie_exactly(counts, times):
    assert number(*counts) == number(*(times * c for c in counts))


def test_the_table_is_rounded_to_the_nearest():
    for c in (*range(1, 3_000), 40_001, 65_535, 65_536, 65_537, 10**9):
        assert log_number(c) == entropy.log_number(c)


@pytest.mark.parametrize("values", [1, 2, 3, 7, 100, 65_537])
@pytest.mark.parametrize("each", [1, 2, 50])
def test_equally_frequent_values_count_as_many_as_they_are(values, each):
    found = number(*[each] * values)
    assert found == log_number(values) == ENTROPY_CODE.bound(Fraction(values))
    assert ENTROPY_CODE.shown(found) == values


def test_requirements_round_up_and_nothing_asked_is_always_met():
    almost = Fraction(3) - Fraction(1, 10**15)
    assert ENTROPY_CODE.bound(almost) == math.ceil(2**40 * math.log2(3))
    assert ENTROPY_CODE.bound(Fraction(0)) < ENTROPY_CODE.bound(Fraction(1, 10**9)) < 0
    for bound in (Fraction(5, 2), Fraction(1001, 1000), Fraction(1, 3)):
        assert ENTROPY_CODE.bound(bound) == entropy.bound_number(bound)


def test_a_uniform_class_of_three_meets_three_and_a_lopsided_one_goes():
    rows = [("a", f"s{i % 3}", "t") for i in range(6)] + [("b", f"s{i % 3}", "t") for i in range(4)]
    table = SmallTable(tuple(rows), (({"a": "a", "b": "b"}, {"a": "*", "b": "*"}),), (1,))
    found = by_pass(evaluator_of(table, limit=4, rule="required", require_e=3))
    assert found == {((0,), 6): log_number(3)}
    assert by_pass(evaluator_of(table, limit=3, rule="required", require_e=3)) == {}


# ---- merging and bounds


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), min_size=1, max_size=5))
def test_merging_two_classes_never_leaves_less_than_the_worse_one(pairs):
    """Up to 1,024 rows, to the last unit."""
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    if not sum(first) or not sum(second):
        return
    merged = [a + b for a, b in pairs]
    assert number(*merged) >= min(number(*first), number(*second))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(0, 8), st.data())
def test_no_part_of_a_class_is_better_than_at_best(counts, limit, data):
    """Rows are left out at random, the others cut in two."""
    if not sum(counts):
        return
    limit = min(limit, sum(counts) - 1)
    array, logs = np.array(counts, np.int32), logs_up_to(sum(counts))
    code = np.arange(len(counts), dtype=np.int32)
    best = extremes.at_best(extremes.ENTROPY, code, array, sum(counts), logs, limit)
    rows = [value for value, count in enumerate(counts) for _ in range(count)]
    kept = data.draw(st.permutations(rows))[data.draw(st.integers(0, limit)) :]
    cut = data.draw(st.integers(0, len(kept)))
    parts = [np.bincount(p, minlength=len(counts)) for p in (kept[:cut], kept[cut:]) if p]
    assert min(number(*part.tolist()) for part in parts) <= best
    assert best >= number(*counts)


def explored_of(problem):
    evaluator, targets = problem.parts()
    scored_nodes = ScoredNodes(
        evaluator, targets, Meter(Budget(evaluations=10**6), Silent()), threads=1
    )
    scored_nodes.visit(nodes_of(evaluator))
    return scored_nodes


@settings(max_examples=300, **relaxed)
@given(small_tables(max_rows=20), RULES, st.integers(0, 6), BOUNDS, st.integers(0, 3))
def test_no_candidate_is_better_than_its_bounds(table, rule, limit, need_e, need_k):
    """A class may violate the requirement although none of its larger parts does."""
    limit = min(limit, len(table.rows) - 1)
    require = (("entropy_l(sensitive)", need_e),) if need_e else ()
    require += (("k", need_k),) if need_k else ()
    texts = ("entropy_l(sensitive)", "k", "glm")
    scored_nodes = explored_of(Problem(table, texts, rule, limit, require))
    evaluator, nodes = scored_nodes.evaluator, nodes_of(scored_nodes.evaluator)
    below = evaluator.lattice.below
    for place, node in enumerate(nodes):
        candidates = evaluator.score(node)
        if not len(candidates):
            continue
        best = np.array([
            sortable(candidates.values(t.measure), t.objective.direction).min()
            for t in scored_nodes.targets
        ])  # fmt: skip
        coarser = [m for m, other in enumerate(nodes) if below(node, other)]
        finer = [m for m, other in enumerate(nodes) if below(other, node)]
        assert (scored_nodes.ceiling[coarser] <= best).all()
        assert (scored_nodes.floor[finer] <= best).all()
        assert scored_nodes.ceiling[place, 0] > -(2**62)


def test_a_violating_class_may_fall_into_parts_that_do_not():
    """Ten rows are evenly mixed, one more spoils them: the coarse node says nothing of the fine."""
    rows = [("a", f"s{i % 2}", "t") for i in range(10)] + [("b", "s0", "t")]
    table = SmallTable(tuple(rows), (({"a": "a", "b": "b"}, {"a": "*", "b": "*"}),), (1,))
    problem = Problem(table, ("k", "glm"), "staircase", 1, (("entropy_l(sensitive)", 2),))
    explored = explored_of(problem)
    assert explored.feasible.tolist() == [True, False]
    assert (explored.ceiling[1] < NOTHING).all()
    exact, exhaustive = problem.find("exact"), problem.find("exhaustive")
    assert exact.entries == exhaustive.entries
    assert [tuple(e.levels.values()) for e in exact.entries] == [(0,)]


@settings(max_examples=200, **relaxed)
@given(
    small_tables(max_rows=20), RULES, st.integers(0, 5), BOUNDS,
    st.sampled_from([("glm",), ("k", "glm"), ("cm(target)", "distinct_l(sensitive)")]),
)  # fmt: skip
def test_exact_search_finds_the_front_of_all_nodes(table, rule, limit, need_e, others):
    limit = min(limit, len(table.rows) - 1)
    require = (("entropy_l(sensitive)", need_e),) if need_e else ()
    problem = Problem(table, ("entropy_l(sensitive)", *others), rule, limit, require)
    exact, exhaustive = problem.find_or_not("exact"), problem.find_or_not("exhaustive")
    assert (exact is None) == (exhaustive is None)
    if exact and exhaustive:
        pairs = [[tuple(e.values.items()) for e in front.entries] for front in (exact, exhaustive)]
        assert pairs[0] == pairs[1]


@settings(max_examples=100, **relaxed)
@given(small_tables(max_rows=10), st.integers(0, 3))
def test_boxes_are_of_the_numbers_that_people_see(table, limit):
    limit = min(limit, len(table.rows) - 1)
    name = "entropy_l(sensitive)"
    problem = Problem(table, (name, "glm"), "staircase", limit, epsilon=((name, Fraction(1, 2)),))
    whole = Problem(table, (name, "glm"), "staircase", limit).find("exhaustive")
    boxed = problem.find("exhaustive")
    boxes = {math.ceil(2 * e.values[name]) for e in boxed.entries}
    assert max(math.ceil(2 * e.values[name]) for e in whole.entries) in boxes
    assert len(boxed.entries) <= len(whole.entries)


def test_it_is_a_measure_like_the_others():
    measure = entropy_l("illness")
    assert measure.direction is Direction.MAX
    assert measure.class_wise
    assert measure.columns == ("illness",)
    assert parse("entropy_l(illness)").column == "illness"
    assert attribute.entropy_l("x").bounded
