"""The optimum under security: the genetic algorithm as published, and the proven one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.support.brute_force import SmallTable
from tests.support.secrets import Confided, secrets_for
from tests.support.small_tables import small_tables

from paretonym.measures import Evaluator
from paretonym.measures.characteristic import SecurityTests
from paretonym.measures.rules import characteristics_of
from paretonym.model.job import Genetic
from paretonym.model.logic.predicate import ValueIn
from paretonym.model.secret import Secret
from paretonym.search.aog_ga import Coding, evolve_codes, one_point, two_points
from paretonym.search.benefit import Benefit
from paretonym.search.best_granulation import best_secure
from paretonym.search.breadth_first import breadth_first
from paretonym.search.incognito import incognito
from paretonym.search.progress import Silent

EXAMPLE = Coding((4, 6, 5))  # birth, ZIP and height of attribute-oriented granulation, Figure 3


def bits(text: str):
    return np.array([int(digit) for digit in text])


def test_the_code_of_section_4_3():
    """01 011 010 is mm/yy, two digits of the ZIP, I10."""
    assert EXAMPLE.bits == (2, 3, 3)
    assert EXAMPLE.decode(bits("01011010")) == (1, 3, 2)
    assert EXAMPLE.encode((1, 3, 2)).tolist() == bits("01011010").tolist()


def test_the_crossover_of_section_4_3_and_its_repair():
    """Height has 5 levels and ZIP 6, so 5 becomes 0 and 7 becomes 1."""
    children = one_point(bits("01011010"), bits("00100101"), 3)
    assert [EXAMPLE.raw(child) for child in children] == [(1, 0, 5), (0, 7, 2)]
    repaired = [EXAMPLE.encode(EXAMPLE.decode(child)) for child in children]
    assert ["".join(map(str, code)) for code in repaired] == ["01000000", "00001010"]


def test_the_crossovers_of_figure_8():
    first, second = one_point(bits("0100111001"), bits("1000100111"), 5)
    assert "".join(map(str, second)) == "1000111001"
    assert "".join(map(str, first)) == "0100100111"
    first, second = two_points(bits("0100111001"), bits("1000100111"), 3, 7)
    assert "".join(map(str, first)) == "0100100001"
    assert "".join(map(str, second)) == "1000111111"


def test_an_attribute_of_one_level_has_no_bits():
    coding = Coding((1, 3))
    assert coding.bits == (0, 2)
    assert coding.decode(coding.encode((0, 2))) == (0, 2)


@st.composite
def confided(draw) -> Confided:
    table = draw(small_tables())
    return Confided(table, draw(secrets_for(table)))


def prepared(case: Confided):
    histogram, lattice, context, measures = case.parts()
    evaluator = Evaluator(histogram, lattice, measures, context)
    marks = characteristics_of(context.confidential, histogram)
    return evaluator, SecurityTests(histogram.codes, marks, lattice)


def benefits(case: Confided) -> dict[tuple[int, ...], float]:
    """Security times quality of every secure node, from the definitions."""
    found = {node: case.figures(node) for node in case.table.nodes()}
    return {node: f["sf"] * f["ql"] for node, f in found.items() if f["secure"]}


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(confided())
def test_the_proven_optimum_is_the_best_of_all_secure_nodes(case):
    secure = benefits(case)
    evaluator, tests = prepared(case)
    minimal = incognito(tests, progress=Silent()).minimal
    assert minimal == breadth_first(tests, progress=Silent()).minimal
    assert bool(minimal) == bool(secure)
    assume(secure)
    found = best_secure(Benefit(evaluator), minimal)
    assert found.benefit == pytest.approx(max(secure.values()), abs=1e-9)
    assert secure[found.node] == pytest.approx(found.benefit, abs=1e-9)
    assert found.evaluations <= len(secure)


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(confided(), st.integers(0, 5))
def test_the_genetic_algorithm_finds_what_is_there_and_repeats_itself(case, seed):
    evaluator, _ = prepared(case)
    secure = benefits(case)
    options = Genetic(population=6, generations=4)
    runs = [
        evolve_codes(Benefit(evaluator), options, np.random.default_rng(seed)) for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert runs[0].benefit == pytest.approx(secure.get(runs[0].node, 0), abs=1e-9)
    assert runs[0].evaluations <= min(evaluator.lattice.size, 6 * 5)


def test_a_node_is_evaluated_once():
    levels = ({"a": "a", "b": "b"}, {"a": "*", "b": "*"})
    table = SmallTable((("a", "ill", "x"), ("b", "well", "x")), (levels,), (1,))
    ill = ValueIn("sensitive", frozenset({"ill"}))
    case = Confided(table, (Secret("ill", ill),))
    evaluator, _ = prepared(case)
    benefit = Benefit(evaluator)
    benefit.of([(0,), (1,), (0,)])
    benefit.of([(1,)])
    assert len(benefit) == 2
