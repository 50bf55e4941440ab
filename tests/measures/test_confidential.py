"""secure, sf, ql, worst_risk and at_risk: attribute-oriented granulation, sections 3 and 4."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.brute_force import SmallTable
from tests.support.secrets import FIGURES, Confided, secrets_for
from tests.support.small_tables import small_tables

from paretonym.errors import JobError
from paretonym.lattice import Lattice
from paretonym.measures import Evaluator, Requirement, build, make_context, parse
from paretonym.measures.nodes import NodeScorer
from paretonym.measures.quality import entropy_share
from paretonym.model.granulation import partition_from_labels
from paretonym.model.logic.predicate import ValueIn
from paretonym.model.secret import Secret


@st.composite
def confided(draw) -> Confided:
    table = draw(small_tables())
    at_risk = draw(st.sampled_from([Fraction(1, 2), Fraction(2, 3), Fraction(0)]))
    return Confided(table, draw(secrets_for(table)), at_risk)


def shown(evaluator: Evaluator, candidates, place: int) -> dict[str, float]:
    return {m.name: candidates.values(m).shown(place) for m in evaluator.measures}


def same(found: dict[str, float], expected: dict[str, float]) -> bool:
    return all(math.isclose(found[n], expected[n], rel_tol=1e-9, abs_tol=1e-9) for n in FIGURES)


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(confided())
def test_pass_single_nodes_and_plain_python_agree_with_the_definitions(case):
    histogram, lattice, context, measures = case.parts()
    evaluator = Evaluator(histogram, lattice, measures, context)
    assert evaluator.is_fast
    by_pass = {}
    for part in evaluator.sweep():
        for place, rank in enumerate(part.rank):
            by_pass[int(rank)] = shown(evaluator, part, place)
    nodes = list(case.table.nodes())
    scored = NodeScorer(evaluator).score(nodes).candidates
    plain = evaluator.score_all(nodes)
    for place, node in enumerate(nodes):
        found = by_pass[lattice.rank(node)]
        assert same(found, case.figures(node))
        # not only close: the very same numbers, so that ties are ties
        assert shown(evaluator, scored, place) == found == shown(evaluator, plain, place)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(confided())
def test_security_never_falls_and_quality_never_rises_by_generalising(case):
    nodes = list(case.table.nodes())
    lattice = Lattice.of(case.parts()[1].granulations)
    figures = {node: case.figures(node) for node in nodes}
    whole = all(secret.protects is None for secret in case.secrets)
    for low, high in itertools.product(nodes, nodes):
        if lattice.below(low, high):
            assert figures[low]["secure"] <= figures[high]["secure"]
            assert figures[low]["ql"] >= figures[high]["ql"] - 1e-12
            if whole:
                assert figures[low]["worst_risk"] >= figures[high]["worst_risk"]


def table_of(rows: str) -> SmallTable:
    """Rows `quasi sensitive target`; the quasi-identifier is kept, or becomes `*`."""
    cells = tuple(tuple(row.split()) for row in rows.split(","))
    values = sorted({row[0] for row in cells})
    return SmallTable(cells, (({v: v for v in values}, dict.fromkeys(values, "*")),), (1,))


ILL = ValueIn("sensitive", frozenset({"ill"}))


def test_a_class_in_which_all_are_ill_exposes_all_of_it():
    """Class a: 2 of 2 ill; class b: 1 of 2. Together 3 of 4, and nobody can be certain."""
    case = Confided(table_of("a ill x,a ill x,b ill x,b well x"), (Secret("ill", ILL),))
    assert case.figures((0,))["secure"] == 0
    coarse = case.figures((1,))
    assert (coarse["secure"], coarse["worst_risk"], coarse["sf"]) == (1, 0.75, 1.0)


def test_a_rule_for_some_protects_them_only():
    """All of class a are ill, but the rule protects only x, of whom there is none in a."""
    table = table_of("a ill y,a ill y,b ill x,b well x")
    case = Confided(table, (Secret("ill", ILL, ValueIn("target", frozenset({"x"}))),))
    histogram, lattice, context, measures = case.parts()
    found = Evaluator(histogram, lattice, measures, context).score((0,))
    values = {m.name: found.values(m).shown(0) for m in measures}
    assert (values["secure"], values["worst_risk"], values["at_risk"]) == (1, 0.5, 0)


def test_a_merged_class_may_be_worse_where_rules_are_for_some():
    """The same table as one class: 3 of 4 are ill, and it holds the people x."""
    table = table_of("a ill y,a ill y,b ill x,b well x")
    case = Confided(table, (Secret("ill", ILL, ValueIn("target", frozenset({"x"}))),))
    assert case.figures((1,))["worst_risk"] == 0.75
    measure = build(parse("worst_risk"), case.parts()[2])
    assert not measure.bounded


@pytest.mark.parametrize(("prior", "sf"), [(Fraction(1, 2), 1.0), (Fraction(1, 4), 0.5)])
def test_a_population_that_believes_less_has_more_to_learn(prior, sf):
    """Half of the class is ill: with a prior of a quarter, half of the doubt is gone."""
    case = Confided(table_of("a ill x,a well x"), (Secret("ill", ILL, prior=prior),))
    histogram, lattice, context, measures = case.parts(("sf",))
    found = Evaluator(histogram, lattice, measures, context).score((0,))
    assert found.values(measures[0]).shown(0) == pytest.approx(sf, abs=1e-12)


def test_what_everybody_fulfils_or_nobody_has_no_risk_to_learn():
    """A prior of 1 leaves no doubt to take away, one of 0 nothing to believe."""
    for value, secure in (("ill", 0), ("dead", 1)):
        secret = Secret("all", ValueIn("sensitive", frozenset({value})))
        case = Confided(table_of("a ill x,b ill x"), (secret,))
        histogram, lattice, context, measures = case.parts()
        for node in case.table.nodes():
            found = Evaluator(histogram, lattice, measures, context).score(node)
            values = {m.name: found.values(m).shown(0) for m in measures}
            assert (values["sf"], values["secure"]) == (1, secure)


def test_damage_weighs_the_rules_of_a_person():
    """One certain secret of damage 3, one of which nothing is learnt, of damage 1: risk 3/4."""
    well = ValueIn("sensitive", frozenset({"well"}))
    case = Confided(
        table_of("a ill x,a ill x,b well x,b well x"),
        (Secret("ill", ILL, damage=Fraction(3)), Secret("well", well)),
    )
    assert case.figures((0,))["sf"] == pytest.approx(1 - (3 / 4 * 2 + 1 / 4 * 2) / 4)


def test_nothing_may_be_suppressed_where_rules_are_kept():
    case = Confided(table_of("a ill x,a well x"), (Secret("ill", ILL),))
    histogram, lattice, context, measures = case.parts()
    with pytest.raises(JobError, match="nothing may be suppressed"):
        Evaluator(histogram, lattice, measures, context, limit=1)


def test_measures_of_confidentiality_need_rules():
    case = Confided(table_of("a ill x,a well x"), (Secret("ill", ILL),))
    histogram, lattice, _, _ = case.parts()
    context = make_context(histogram, lattice, {})
    with pytest.raises(JobError, match="under confidential"):
        build(parse("sf"), context)


def many_columns(of: int) -> SmallTable:
    """Binary columns, all of one weight; two people who differ in each of them."""
    levels = ({"a": "a", "b": "b"}, {"a": "*", "b": "*"})
    rows = (("a",) * of + ("ill", "x"), ("b",) * of + ("well", "x"))
    return SmallTable(rows, (levels,) * of, (1,) * of)


@pytest.mark.parametrize("kept", range(11))
def test_quality_reaches_a_bound_exactly(kept):
    """`kept` of ten equal columns are kept: so many tenths of the quality, not a rounding less."""
    case = Confided(many_columns(10), (Secret("ill", ILL),))
    histogram, lattice, context, (measure,) = case.parts(("ql",))
    node = (0,) * kept + (1,) * (10 - kept)
    for bound, met in (
        (Fraction(kept, 10), True),
        (Fraction(kept, 10) + Fraction(1, 10**9), False),
    ):
        evaluator = Evaluator(
            histogram, lattice, (measure,), context, require=[Requirement.of(measure, bound)]
        )
        for place in (node, node[::-1]):  # wherever the columns stand
            found = evaluator.score(place)
            assert found.values(measure).shown(0) == kept / 10
            assert bool(evaluator.meets(found)[0]) == met


def test_partitions_of_equal_sizes_have_equal_quality():
    sizes = ([7, 1, 3, 5, 2], [2, 5, 3, 1, 7], [1, 2, 3, 5, 7])
    shares = {
        entropy_share(
            partition_from_labels("p", [str(i) for i, n in enumerate(s) for _ in range(n)]),
            np.arange(18),
        )
        for s in sizes
    }
    assert len(shares) == 1


def test_quality_over_what_occurs_or_over_all_that_is_declared():
    """Four values in blocks of 2, 1, 1: entropy 1.5 bits of 2; only the first two occur: 0 of 1."""
    partition = partition_from_labels("halves", ["a", "a", "b", "c"])
    assert entropy_share(partition, np.arange(4)) == pytest.approx(0.75)
    assert entropy_share(partition, np.arange(2)) == 0
    assert entropy_share(partition, np.arange(1)) == 1
