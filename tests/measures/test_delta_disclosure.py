"""δ-disclosure: pass, nodes, plain evaluation and definition agree; searches find its front."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import brute_force
from tests.support import delta_disclosure as definition
from tests.support.brute_force import SmallTable
from tests.support.entropy import log_number
from tests.support.searching import RULES, Problem, dominates, nodes_of, signed
from tests.support.small_tables import engine_parts, small_tables

from paretonym.kernels import extremes
from paretonym.measures import Evaluator, Requirement, build, layout, parse
from paretonym.measures.attribute import DISCLOSURE_CODE, delta_disclosure, disclosure_numbers
from paretonym.measures.measure import Context
from paretonym.measures.nodes import NodeScorer
from paretonym.model.front import Direction

relaxed = {"deadline": None, "suppress_health_check": list(HealthCheck)}
NAME = "delta_disclosure(sensitive)"
BOUNDS = st.sampled_from([None, Fraction(1, 4), Fraction(7, 10), Fraction(1), Fraction(3, 2), 3])


def evaluator_of(table, *, limit, rule, require_k=0, require_d=None):
    names = ["k", NAME, "entropy_l(sensitive)", "s_l(sensitive)", "glm"]
    histogram, lattice, context, measures = engine_parts(table, names)
    bounds = {"k": require_k or None, NAME: require_d}
    require = [Requirement.of(build(parse(n), context), b) for n, b in bounds.items() if b]
    return Evaluator(histogram, lattice, measures, context, require=require, limit=limit, rule=rule)


def numbers(evaluator, candidates):
    """{(node, threshold): number}"""
    measure = next(m for m in evaluator.measures if m.name == NAME)
    exact = candidates.values(measure).exact
    assert exact.dtype == np.int64
    nodes = map(evaluator.lattice.unrank, map(int, candidates.rank))
    keys = zip(nodes, candidates.suppress_below.tolist(), strict=True)
    return dict(zip(keys, exact.tolist(), strict=True))


def by_pass(evaluator, threads=1):
    found = {}
    for part in evaluator.sweep(threads=threads):
        found |= numbers(evaluator, part)
    return found


def by_nodes(evaluator, threads=1, seed=0):
    """Two batches in a random order, so that tables come from different finer ones."""
    scorer, nodes = NodeScorer(evaluator, threads=threads), nodes_of(evaluator)
    order = [nodes[int(i)] for i in np.random.default_rng(seed).permutation(len(nodes))]
    half, found = len(order) // 2, {}
    for batch in (order[:half], order[half:]):
        if batch:
            found |= numbers(evaluator, scorer.score(batch).candidates)
    return found


def assert_all_agree(table, *, threads=1, seed=0, **options):
    evaluator = evaluator_of(table, **options)
    assert evaluator.is_fast
    truth = {
        (node, threshold): number
        for node in table.nodes()
        for threshold, number in definition.candidates(table, node, **options).items()
    }
    assert by_pass(evaluator, threads) == truth
    assert by_nodes(evaluator, threads, seed) == truth
    assert numbers(evaluator, evaluator.score_all(nodes_of(evaluator))) == truth
    return evaluator


@settings(max_examples=500, **relaxed)
@given(small_tables(), RULES, st.integers(0, 5), st.integers(0, 4), BOUNDS, st.integers(0, 99))
def test_pass_nodes_plain_and_definition_agree(table, rule, limit, need_k, need_d, seed):
    limit = min(limit, len(table.rows) - 1)
    assert_all_agree(
        table, rule=rule, limit=limit, seed=seed, require_k=need_k, require_d=need_d
    )  # fmt: skip


@settings(max_examples=150, **relaxed)
@given(small_tables(sensitive_values=9, max_rows=30), RULES, st.integers(0, 12), BOUNDS)
def test_sparse_lists_and_several_threads(table, rule, limit, need_d):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "DENSE_VALUES", 1)
        limit = min(limit, len(table.rows) - 1)
        evaluator = assert_all_agree(table, rule=rule, limit=limit, require_d=need_d, threads=2)
        values = len(set(table.column("sensitive")))
        assert len(evaluator.layout.space.sparse_values) == (values > 1)


@settings(max_examples=100, **relaxed)
@given(small_tables(max_rows=40), st.integers(0, 30), RULES, BOUNDS)
def test_sizes_beyond_those_told_apart(table, limit, rule, need_d):
    limit = min(limit, len(table.rows) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "TOLD_APART", (2, 2))
        assert_all_agree(table, rule=rule, limit=limit, require_d=need_d)


# ---- the numbers themselves


def given_of(totals):
    (statistic,) = delta_disclosure("x").statistics
    context = Context(sum(totals), (), (), {"x": np.array(totals, np.int64)})
    return context, statistic.fast.extreme.given(context)


def by_kernel(counts, totals):
    """A class with so many rows of each value; the others of the table are elsewhere."""
    _, table = given_of(totals)
    code = np.arange(len(counts), dtype=np.int32)
    return -int(extremes.disclosure(code, np.array(counts, np.int32), sum(counts), table))


def by_numpy(counts, totals):
    context, _ = given_of(totals)
    code = np.flatnonzero(counts)
    lists = SimpleNamespace(
        count=np.array(counts, np.int64)[code], code=code, offset=np.array([0, len(code)]),
        combination=np.zeros(len(code), np.int64),
    )  # fmt: skip
    classes = SimpleNamespace(size=np.array([sum(counts)]), count_lists=lambda _: lists)
    return int(disclosure_numbers(classes, context, "x")[0])


ROWS = st.integers(0, 30) | st.integers(0, 10**8)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(ROWS, ROWS), min_size=1, max_size=8))
def test_a_class_of_any_size_has_the_number_of_its_definition(pairs):
    """Also in a thousand million rows, where products of counts fill 60 bits."""
    counts, totals = [a for a, _ in pairs], [max(a + b, 1) for a, b in pairs]
    if not sum(counts):
        return
    number = definition.class_number(dict(enumerate(counts)), dict(enumerate(totals)))
    assert by_kernel(counts, totals) == by_numpy(counts, totals) == number
    size, rows = sum(counts), sum(totals)
    furthest = max(
        abs(math.log(c * rows / (size * t))) for c, t in zip(counts, totals, strict=True) if c
    )
    assert math.isclose(DISCLOSURE_CODE.shown(number), furthest, rel_tol=1e-9, abs_tol=1e-9)


def test_the_largest_table_stays_inside_64_bits():
    totals = [10**9 - 7, 7]
    for counts in ([10**9 - 8, 6], [1, 7], [10**9 - 7, 1], [999_999_937, 7]):
        number = definition.class_number(dict(enumerate(counts)), dict(enumerate(totals)))
        assert by_kernel(counts, totals) == number


def test_the_logarithm_of_any_number_up_to_60_bits():
    _, table = given_of([10**5])
    logs, draw = table[3:], np.random.default_rng(0)
    edges = [2**i + d for i in range(17, 60) for d in (-1, 0, 1)]
    for number in (*edges, *draw.integers(1, 10**18, 2_000).tolist(), 10**18):
        assert int(extremes.log_of(np.int64(number), logs)) == log_number(number), number


@given(st.lists(st.integers(1, 50), min_size=1, max_size=5), st.integers(2, 40))
def test_equal_ratios_tie_exactly(counts, times):
    totals = [3 * c + i for i, c in enumerate(counts)]
    many = [times * c for c in counts], [times * t for t in totals]
    assert by_kernel(counts, totals) == by_kernel(*many)


def test_the_shares_of_the_table_are_0_and_twice_as_frequent_is_log_2():
    assert by_kernel([2, 1, 0], [4, 2, 0]) == 0
    assert by_kernel([2, 1], [200, 100]) == 0
    assert by_kernel([1, 0], [50, 50]) == 2**40  # a value that the class lacks counts nothing
    assert by_kernel([1, 3], [50, 50]) == 2**40  # half as frequent is as far as twice


def test_requirements_round_down():
    for bound in (Fraction(7, 10), Fraction(1), Fraction(0), Fraction(22, 7), Fraction(1, 10**9)):
        assert DISCLOSURE_CODE.bound(bound) == definition.bound_number(bound)
    between = (2**40 + Fraction(1, 2)) / 2**40 * Fraction(math.log(2))
    assert DISCLOSURE_CODE.bound(between) == 2**40
    assert DISCLOSURE_CODE.bound(between - Fraction(1, 2**40)) == 2**40 - 1
    assert DISCLOSURE_CODE.bound(Fraction(10**30)) == -DISCLOSURE_CODE.bound(Fraction(-(10**30)))


ROWS_OF_THREE = [("a", "s0", "t"), ("a", "s0", "t"), ("a", "s1", "t"), ("b", "s1", "t")]


def test_a_bound_between_two_classes_suppresses_one_of_them():
    """Class a has 4/3 and 2/3 of the table's shares, class b twice that of s1."""
    table = SmallTable(tuple(ROWS_OF_THREE), (({"a": "a", "b": "b"}, {"a": "*", "b": "*"}),), (1,))
    third = log_number(3) - log_number(2)
    found = by_pass(evaluator_of(table, limit=1, rule="required", require_d=Fraction(1, 2)))
    assert found == {((0,), 3): third, ((1,), 4): 0}
    assert by_pass(evaluator_of(table, limit=1, rule="required", require_d=Fraction(2, 5))) == {
        ((1,), 4): 0
    }
    assert by_pass(evaluator_of(table, limit=1, rule="required", require_d=2)) == {
        ((0,), 1): 2**40, ((1,), 4): 0
    }  # fmt: skip


def test_an_enormous_bound_asks_for_nothing():
    table = SmallTable(tuple(ROWS_OF_THREE), (({"a": "a", "b": "b"}, {"a": "*", "b": "*"}),), (1,))
    found = by_pass(evaluator_of(table, limit=1, rule="required", require_d=Fraction(10**30)))
    assert found == by_pass(evaluator_of(table, limit=1, rule="required"))


def test_generalising_can_make_it_worse():
    """s0 makes half of one class and the other lacks it; s1 as well, and in both it is at 1/8."""
    totals = [20, 40, 40]
    parts = by_kernel([2, 2, 0], totals), by_kernel([0, 0, 36], totals)
    assert max(parts) == log_number(5) - log_number(2)
    assert by_kernel([2, 2, 36], totals) == 3 * 2**40
    assert not delta_disclosure("x").bounded


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(0, 8), st.data())
def test_no_part_of_a_class_is_better_than_at_best(counts, limit, data):
    """Rows are left out at random, the others cut in two."""
    if not sum(counts):
        return
    limit, totals = min(limit, sum(counts) - 1), [c + 2 for c in counts]
    _, table = given_of(totals)
    code, array = np.arange(len(counts), dtype=np.int32), np.array(counts, np.int32)
    best = extremes.at_best(extremes.DISCLOSURE, code, array, sum(counts), table, limit)
    rows = [value for value, count in enumerate(counts) for _ in range(count)]
    kept = data.draw(st.permutations(rows))[data.draw(st.integers(0, limit)) :]
    cut = data.draw(st.integers(0, len(kept)))
    parts = [Counter(p) for p in (kept[:cut], kept[cut:]) if p]
    assert min(-by_kernel([p[v] for v in range(len(counts))], totals) for p in parts) <= best


# ---- searches


def by_brute_force(problem):
    """The values of the best candidates: the definition, and plain Python for the others."""
    bound, found = dict(problem.require).get(NAME), set()
    for node in problem.table.nodes():
        numbers = definition.candidates(
            problem.table, node, limit=problem.limit, rule=problem.rule, require_d=bound
        )
        for threshold, number in numbers.items():
            released = definition.released(problem.table, node, threshold, require_d=bound)
            values = brute_force.measures(problem.table, node, released)
            values |= {NAME: DISCLOSURE_CODE.shown(number), "k": -values["k"]}
            values["distinct_l(sensitive)"] *= -1
            found.add(tuple(float(values[name]) for name in problem.texts))
    return {one for one in found if not any(dominates(other, one) for other in found)}


@settings(max_examples=150, **relaxed)
@given(
    small_tables(max_rows=20), RULES, st.integers(0, 5), BOUNDS, st.booleans(),
    st.sampled_from([("glm",), ("k", "glm"), ("cm(target)", "distinct_l(sensitive)")]),
)  # fmt: skip
def test_every_search_finds_the_front_by_brute_force(
    table, rule, limit, need_d, is_objective, others
):
    limit = min(limit, len(table.rows) - 1)
    require = ((NAME, need_d),) if need_d else ()
    problem = Problem(table, (NAME, *others) if is_objective else others, rule, limit, require)
    true = by_brute_force(problem)
    for method in ("exact", "exhaustive"):
        front = problem.find_or_not(method)
        assert (set() if front is None else set(signed(front))) == true, method
    if true:
        evolved = problem.find_or_not("evolve", evaluations=10_000)  # of far fewer nodes
        assert evolved is None or all(
            any(best == one or dominates(best, one) for best in true) for one in signed(evolved)
        )


def test_it_is_a_measure_like_the_others():
    measure = delta_disclosure("illness")
    assert measure.direction is Direction.MIN
    assert measure.class_wise
    assert measure.columns == ("illness",)
    assert parse("delta_disclosure(illness)").column == "illness"
