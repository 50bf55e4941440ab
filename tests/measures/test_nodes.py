"""Single nodes: the same candidates as the plain evaluation, and bounds that nothing exceeds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.searching import OBJECTIVES, RULES, Problem, nodes_of
from tests.support.small_tables import ALL, engine_parts, small_tables

from paretonym.encode.histogram import Histogram, count_column
from paretonym.kernels.regroup import reach
from paretonym.kernels.screening import NO_BOUND, NOTHING
from paretonym.lattice import Lattice
from paretonym.measures import Evaluator, Requirement, build, layout, make_context, nodes, parse
from paretonym.measures.nodes import NodeScorer
from paretonym.model.front import Direction
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.model.job import Budget
from paretonym.search.meter import Meter
from paretonym.search.nondominated import sortable
from paretonym.search.progress import Silent
from paretonym.search.scored_nodes import ScoredNodes

FEW, MANY = 1, 512_000_000  # bytes: nothing but the finest table is kept, or everything is


def evaluator_of(table, *, limit, rule, require_k=0, require_l=0, glm=None, names=ALL):
    histogram, lattice, context, measures = engine_parts(table, names)
    bounds = {"k": require_k, "distinct_l(sensitive)": require_l}
    require = [Requirement.of(build(parse(n), context), b) for n, b in bounds.items() if b]
    if glm is not None:
        require.append(Requirement.of(build(parse("glm"), context), glm))
    limit = min(limit, len(table.rows) - 1)
    return Evaluator(histogram, lattice, measures, context, require=require, limit=limit, rule=rule)


def assert_same(found, plain, measures):
    """Every number of every candidate, in the same order; floats to the last bit."""
    assert found.nodes == plain.nodes
    np.testing.assert_array_equal(found.rank, plain.rank)
    np.testing.assert_array_equal(found.suppress_below, plain.suppress_below)
    np.testing.assert_array_equal(found.suppressed, plain.suppressed)
    for measure in measures:
        ours, theirs = found.values(measure), plain.values(measure)
        assert ours.scale == theirs.scale
        assert ours.exact.dtype.kind == theirs.exact.dtype.kind
        np.testing.assert_array_equal(ours.exact, theirs.exact, err_msg=measure.name)


def shuffled(evaluator, seed: int):
    """All nodes in a random order and in batches of random sizes: sources differ each time."""
    draw = np.random.default_rng(seed)
    every = nodes_of(evaluator)
    order = [every[int(i)] for i in draw.permutation(len(every))]
    cuts = sorted({0, len(every), *(int(c) for c in draw.integers(0, len(every) + 1, 4))})
    return [order[a:b] for a, b in itertools.pairwise(cuts)]


def assert_scores_plainly(evaluator, batches, **options):
    scorer = NodeScorer(evaluator, **options)
    for batch in batches:
        scored = scorer.score(batch)
        plain = evaluator.score_all(batch)
        assert_same(scored.candidates, plain, evaluator.measures)
        ranks = [evaluator.lattice.rank(node) for node in batch]
        assert scored.counts.tolist() == [int((plain.rank == rank).sum()) for rank in ranks]
    assert scorer.nodes_scored == sum(map(len, batches))
    return scorer


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    small_tables(), RULES, st.integers(0, 5), st.integers(0, 4), st.integers(0, 3),
    st.integers(0, 99), st.sampled_from([(FEW, 1), (3_000, 1), (MANY, 1), (MANY, 2)]),
)  # fmt: skip
def test_single_nodes_equal_the_plain_evaluation(
    table, rule, limit, require_k, require_l, seed, room
):
    evaluator = evaluator_of(
        table, rule=rule, limit=limit, require_k=require_k, require_l=require_l
    )
    most_bytes, threads = room
    assert_scores_plainly(
        evaluator, shuffled(evaluator, seed), most_bytes=most_bytes, threads=threads
    )


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(sensitive_values=9), RULES, st.integers(0, 4), st.integers(0, 3),
       st.integers(0, 99), st.sampled_from([(FEW, 2), (MANY, 1), (MANY, 2)]))  # fmt: skip
def test_long_value_lists_as_sparse_rows(table, rule, limit, require_l, seed, room):
    names = [name for name in ALL if not name.startswith("worst")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "DENSE_VALUES", 1)
        evaluator = evaluator_of(table, rule=rule, limit=limit, require_l=require_l, names=names)
        most_bytes, threads = room
        assert_scores_plainly(
            evaluator, shuffled(evaluator, seed), most_bytes=most_bytes, threads=threads
        )


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(), RULES, st.integers(0, 4), st.integers(0, 99), st.sampled_from([FEW, MANY]))
def test_stepping_stones_change_nothing(table, rule, limit, seed, most_bytes):
    """Tables on the way to the usual nodes, laid for every node that has a larger source."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "_LARGE", (0, 10**9))
        patch.setattr(nodes, "_RECENT", 20)
        patch.setattr(nodes, "_STRAY", 9)
        evaluator = evaluator_of(table, rule=rule, limit=limit)
        batches = shuffled(evaluator, seed)
        assert_scores_plainly(evaluator, batches, most_bytes=most_bytes, threads=2)


def test_stepping_stones_are_laid_where_tables_are_large(monkeypatch):
    """243 nodes in batches and little room: some of them come from waypoints."""
    laid = []
    tables = nodes._Engine.tables
    monkeypatch.setattr(
        nodes._Engine, "tables", lambda *given: laid.extend(given[2]) or tables(*given)
    )
    monkeypatch.setattr(nodes, "_LARGE", (10, 10**9))
    monkeypatch.setattr(nodes, "_RECENT", 100)
    evaluator = wide_evaluator(5, 16, sensitive=70, limit=10)
    assert_scores_plainly(evaluator, shuffled(evaluator, 2), most_bytes=100_000)
    assert laid


WIDE = ["k", "s_k", "glm", "distinct_l(x)", "s_l(x)", "cm(x)", "loss_geometric", "suppressed"]


def chain(name: str, values: int) -> Granulation:
    """The value, four neighbours together, everything."""
    leaves = [f"{name}-{i}" for i in range(values)]
    return Granulation(
        name,
        tuple(leaves),
        (
            partition_from_labels("value", leaves),
            partition_from_labels("fours", [f"f{i // 4}" for i in range(values)]),
            partition_from_labels("*", ["*"] * values),
        ),
    )


def wide_evaluator(columns: int, values: int, sensitive: int, *, limit: int, rule="staircase"):
    """300 rows, alike in pairs; columns x bits of values is how wide a key has to be."""
    draw = np.random.default_rng(columns)
    half = draw.integers(0, values, (150, columns))
    rows = np.concatenate([half, np.where(draw.random(half.shape) < 0.1, 0, half)])
    codes, inverse, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    code = draw.integers(0, sensitive, 300)
    x = count_column(
        tuple(f"s{i}" for i in range(sensitive)),
        inverse.ravel().astype(np.int64), code, np.ones(300, np.int64), len(sizes),
    )  # fmt: skip
    names = tuple(f"q{j}" for j in range(columns))
    histogram = Histogram(300, names, codes.astype(np.int32), sizes.astype(np.int64), {"x": x})
    lattice = Lattice.of([chain(name, values) for name in names])
    context = make_context(histogram, lattice, {})
    measures = [build(parse(name), context) for name in WIDE]
    return Evaluator(histogram, lattice, measures, context, limit=limit, rule=rule)


@pytest.mark.parametrize(
    ("columns", "values", "words"), [(16, 16, 1), (17, 16, 2), (13, 17, 2), (30, 16, 2)]
)
@pytest.mark.parametrize("threads", [1, 2])
def test_keys_of_several_words(columns, values, words, threads):
    """16 columns of 4 bits fill a word; one more, or 13 columns of 5 bits, need a second."""
    evaluator = wide_evaluator(columns, values, sensitive=70, limit=20)
    draw = np.random.default_rng(1)
    nodes = [tuple(map(int, row)) for row in draw.integers(0, 3, (40, columns))]
    # most rows stay alone in such nodes: raise all but a few attributes as well
    nodes += [tuple(2 if draw.random() < 0.8 else level for level in node) for node in nodes]
    nodes = list(dict.fromkeys(nodes))
    scorer = assert_scores_plainly(evaluator, [nodes[:25], nodes[25:]], threads=threads)
    assert scorer._engine.base.keys.shape[1] == words


def test_more_than_64_values_are_kept_as_lists():
    """The same column dense and sparse: 65 values are one too many for lanes."""
    for sensitive, sparse in ((64, 0), (65, 1)):
        evaluator = wide_evaluator(4, 8, sensitive, limit=20)
        assert len(evaluator.layout.space.sparse_values) == sparse
        assert_scores_plainly(evaluator, shuffled(evaluator, 3), threads=2)


def test_a_node_comes_from_the_smallest_finer_table_at_hand():
    """16 columns: the second time, the coarsest node is made from the first one's few classes."""
    evaluator = wide_evaluator(6, 16, sensitive=5, limit=0)
    roomy, narrow = NodeScorer(evaluator), NodeScorer(evaluator, most_bytes=FEW)
    for scorer in (roomy, narrow):
        scorer.score([(2, 2, 2, 2, 2, 0)])
        scorer.score([evaluator.lattice.coarsest])
    combinations = evaluator.histogram.combinations
    assert roomy.classes_read == combinations + 16
    assert narrow.classes_read == 2 * combinations


def test_the_cache_forgets_and_still_answers():
    evaluator = wide_evaluator(5, 16, sensitive=5, limit=10)
    table = NodeScorer(evaluator)._engine.base.bytes
    scorer = assert_scores_plainly(evaluator, shuffled(evaluator, 5), most_bytes=3 * table)
    kept = scorer._cache._tables
    assert kept[0].node == evaluator.lattice.finest
    assert sum(one.bytes for one in kept) <= 3 * table
    assert 1 < len(kept) < evaluator.lattice.size


@given(
    st.lists(st.tuples(st.integers(1, 2_000), st.integers(1, 1_200)), min_size=1, max_size=12),
    st.integers(0, 4_000),
)
@settings(max_examples=300, deadline=None)
def test_how_far_suppression_reaches(pairs, limit):
    """The smallest number that more than `limit` rows do not exceed; beyond 512 as well."""
    record = np.array(pairs, np.int64)
    limit = min(limit, int(record[:, 0].sum()) - 1)
    for column in (0, 1):
        numbers = sorted(set(record[:, column].tolist()))
        rows = [int(record[record[:, column] <= v, 0].sum()) for v in numbers]
        truth = next(v for v, held in zip(numbers, rows, strict=True) if held > limit)
        assert reach(record, column, limit) == truth


# ---- bounds


def bounds_of(problem: Problem):
    """A book with every node evaluated, and the vectors of each node's candidates."""
    evaluator, targets = problem.parts()
    meter = Meter(Budget(evaluations=10**6), Silent())
    scored_nodes = ScoredNodes(evaluator, targets, meter, threads=1)
    nodes = nodes_of(evaluator)
    scored_nodes.visit(nodes)
    vectors = []
    for node in nodes:
        candidates = evaluator.score(node)
        columns = [sortable(candidates.values(t.measure), t.objective.direction) for t in targets]
        vectors.append(np.stack(columns, axis=1))
    return scored_nodes, nodes, vectors


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(), RULES, st.integers(0, 6), st.integers(0, 4), st.integers(0, 3))
def test_no_candidate_is_better_than_its_bounds(table, rule, limit, require_k, require_l):
    """Vectors are minimised: a bound is never above what it bounds, the nodes' own included."""
    limit = min(limit, len(table.rows) - 1)
    require = tuple(
        (n, b) for n, b in (("k", require_k), ("distinct_l(sensitive)", require_l)) if b
    )
    problem = Problem(table, OBJECTIVES, rule, limit, require)
    scored_nodes, nodes, vectors = bounds_of(problem)
    is_max = np.array([t.objective.direction is Direction.MAX for t in scored_nodes.targets])
    ceiling, floor = scored_nodes.ceiling, scored_nodes.floor
    for place, node in enumerate(nodes):
        assert scored_nodes.place(node) == place
        empty = (ceiling[place] == NOTHING).all()
        assert empty == (len(vectors[place]) == 0)
        # each side speaks of every measure of its direction, and of no other
        if not empty:
            assert (ceiling[place][is_max] > NO_BOUND).all()
            assert (ceiling[place][~is_max] == NO_BOUND).all()
        assert (floor[place][~is_max] > NO_BOUND).all()
        assert (floor[place][is_max] == NO_BOUND).all()
    below = scored_nodes.evaluator.lattice.below
    for place, node in enumerate(nodes):
        if not len(vectors[place]):
            continue
        best = vectors[place].min(axis=0)
        coarser = [m for m, other in enumerate(nodes) if below(node, other)]
        finer = [m for m, other in enumerate(nodes) if below(other, node)]
        assert (ceiling[coarser] <= best).all()
        assert (floor[finer] <= best).all()


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(), st.integers(0, 4))
def test_what_is_known_before_any_evaluation_is_the_loss_of_generalising(table, limit):
    """Free bounds equal each node's losses with nothing suppressed; other measures have none."""
    texts = ("glm", "loss_arithmetic", "loss_geometric", "k", "cm(target)", "suppressed")
    limit = min(limit, len(table.rows) - 1)
    evaluator, targets = Problem(table, texts, "staircase", limit).parts()
    whole, _ = Problem(table, texts, "required", 0).parts()  # nothing is ever suppressed
    scored_nodes = ScoredNodes(evaluator, targets, Meter(None, Silent()), threads=1)
    nodes = nodes_of(evaluator)
    bounds = scored_nodes.free_bounds(np.array(nodes))
    plain = whole.score_all(nodes)
    for q in range(3):
        values = plain.values(whole.measures[q])
        np.testing.assert_array_equal(bounds[:, q], sortable(values, Direction.MIN))
    assert (bounds[:, 3:] == NO_BOUND).all()


def test_bounds_of_a_table_one_can_see_through():
    """Classes of 3, 2 and 1 rows, one row may go: k reaches 2, s_l falls by 1 at most."""
    from tests.support.brute_force import SmallTable

    flat, star = {v: v for v in "abc"}, dict.fromkeys("abc", "*")
    rows = [("a", "s0", "t0")] * 3 + [("b", "s0", "t0"), ("b", "s1", "t0"), ("c", "s1", "t1")]
    table = SmallTable(tuple(rows), ((flat, star),), (1,))
    texts = ("k", "distinct_l(sensitive)", "s_k", "min:s_l(sensitive)", "cm(target)", "glm")
    scored_nodes, nodes, _ = bounds_of(Problem(table, texts, "staircase", 1))
    assert nodes == [(0,), (1,)]
    # k: classes of at most 2 hold 3 rows; distinct: classes of one value hold 4 rows
    assert scored_nodes.ceiling[0, :3].tolist() == [-2, -1, -(9 + 4 + 1)]
    assert scored_nodes.ceiling[1, :3].tolist() == [-6, -2, -36]
    # s_l: 9 + 1 + 1 + 1, less the one row that may go, whose class has a mean of 1
    assert scored_nodes.floor[0, 3:5].tolist() == [12 - 1, 0]
    assert scored_nodes.floor[1, 3:5].tolist() == [16 + 4, 1]
    assert scored_nodes.floor[:, 5].tolist() == [0, 6 * 2]  # glm in units of 1/(3 - 1)
