"""The compiled pass, the plain evaluation and the brute force agree on every measure."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import brute_force
from tests.support.small_tables import ALL, engine_parts, small_tables

from paretonym.measures import Evaluator, Requirement, layout

RULES = st.sampled_from(["required", "staircase", "paper"])


def evaluator_of(table, *, limit, rule, require_k=0, require_l=0, names=ALL):
    histogram, lattice, context, measures = engine_parts(table, names)
    require = []
    if require_k:
        require.append(Requirement.of(measures[ALL.index("k")], require_k))
    if require_l:
        require.append(Requirement.of(measures[ALL.index("distinct_l(sensitive)")], require_l))
    return Evaluator(histogram, lattice, measures, context, require=require, limit=limit, rule=rule)


def as_facts(evaluator, candidates):
    """{(node, threshold): {measure: value}}"""
    facts = {}
    values = {m.name: candidates.values(m) for m in evaluator.measures}
    for i in range(len(candidates)):
        key = (evaluator.lattice.unrank(int(candidates.rank[i])), int(candidates.suppress_below[i]))
        facts[key] = {name: v.shown(i) for name, v in values.items()}
    return facts


def by_pass(evaluator, threads=1):
    facts = {}
    nodes = 0
    for part in evaluator.sweep(threads=threads):
        facts |= as_facts(evaluator, part)
        nodes += part.nodes
    assert nodes == evaluator.lattice.size
    return facts


def by_brute_force(table, **options):
    return {
        (node, threshold): brute_force.measures(table, node, released)
        for node in table.nodes()
        for threshold, released in brute_force.candidates(table, node, **options)
    }


def assert_same(engine, truth):
    assert engine.keys() == truth.keys()
    for key, values in truth.items():
        for name, value in values.items():
            if name == "loss_geometric":
                assert math.isclose(engine[key][name], value, rel_tol=1e-12, abs_tol=1e-15)
            else:
                assert engine[key][name] == float(value), (key, name)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(), RULES, st.integers(0, 5), st.integers(0, 4), st.integers(0, 3))
def test_pass_equals_plain_equals_brute_force(table, rule, limit, require_k, require_l):
    limit = min(limit, len(table.rows) - 1)
    options = {"limit": limit, "rule": rule, "require_k": require_k, "require_l": require_l}
    evaluator = evaluator_of(table, **options)
    truth = by_brute_force(table, **options)
    assert_same(by_pass(evaluator), truth)
    plainly = {}
    for node in table.nodes():
        plainly |= as_facts(evaluator, evaluator.score(node))
    assert_same(plainly, truth)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(sensitive_values=9), RULES, st.integers(0, 4), st.integers(0, 3))
def test_long_value_lists_take_the_sparse_path_to_the_same_numbers(table, rule, limit, require_l):
    limit = min(limit, len(table.rows) - 1)
    options = {"limit": limit, "rule": rule, "require_l": require_l}
    names = [name for name in ALL if not name.startswith("worst")]
    dense = by_pass(evaluator_of(table, names=names, **options))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "DENSE_VALUES", 1)
        evaluator = evaluator_of(table, names=names, **options)
        assert (
            len(evaluator.layout.space.sparse_values) > 0 or len(set(table.column("target"))) == 1
        )
        assert by_pass(evaluator) == dense


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(max_rows=30), st.integers(0, 8))
def test_two_threads_find_what_one_finds(table, limit):
    evaluator = evaluator_of(table, limit=min(limit, len(table.rows) - 1), rule="staircase")
    assert by_pass(evaluator, threads=2) == by_pass(evaluator)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(max_rows=40), st.integers(0, 30), RULES)
def test_sizes_beyond_those_told_apart_are_still_exact(table, limit, rule):
    """Large limits on large classes take the slow lane of the staircase."""
    limit = min(limit, len(table.rows) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "TOLD_APART", (2, 2))
        evaluator = evaluator_of(table, limit=limit, rule=rule)
        assert_same(by_pass(evaluator), by_brute_force(table, limit=limit, rule=rule))
