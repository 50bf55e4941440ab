"""Fronts over confidentiality measures: every search gives what the definitions say."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.brute_force import candidates, measures
from tests.support.secrets import Confided, secrets_for
from tests.support.small_tables import small_tables

from paretonym.errors import InfeasibleError
from paretonym.measures import Evaluator, Requirement, build, objective_of, parse
from paretonym.search import ChosenMethod, Target, find

UP = {"sf": True, "ql": True, "k": True, "secure": True, "worst_risk": False, "at_risk": False}


@st.composite
def questions(draw):
    table = draw(small_tables(max_rows=10))
    case = Confided(table, draw(secrets_for(table)))
    names = draw(st.lists(st.sampled_from(sorted(UP)), min_size=1, max_size=3, unique=True))
    require = draw(
        st.sampled_from([(), (("secure", 1),), (("worst_risk", 0.75),), (("secure", 1), ("k", 2))])
    )
    return case, tuple(names), require


def front_by_definition(case, names, require):
    """Non-dominated vectors, rounded where logarithms are added up."""
    found = set()
    for node in case.table.nodes():
        least = next((bound for name, bound in require if name == "k"), 0)
        released = candidates(case.table, node, limit=0, rule="staircase", require_k=least)
        if not released:
            continue
        values = case.figures(node) | {"k": measures(case.table, node, released[0][1])["k"]}
        if all(
            values[name] >= bound if UP[name] else values[name] <= bound for name, bound in require
        ):
            found.add(tuple(round(-values[n] if UP[n] else values[n], 9) for n in names))
    return {
        one
        for one in found
        if not any(o != one and all(a <= b for a, b in zip(o, one, strict=True)) for o in found)
    }


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(questions())
def test_exhaustive_and_exact_equal_the_definitions(question):
    case, names, require = question
    histogram, lattice, context, _ = case.parts()
    wanted = [parse(name) for name in names]
    built = [build(one, context) for one in wanted]
    bounds = [Requirement.of(build(parse(name), context), bound) for name, bound in require]
    evaluator = Evaluator(histogram, lattice, built, context, require=bounds)
    targets = [Target(objective_of(w, m), m) for w, m in zip(wanted, built, strict=True)]
    expected = front_by_definition(case, names, require)
    if not expected:
        for method in ("exhaustive", "exact"):
            with pytest.raises(InfeasibleError):
                find(evaluator, targets, ChosenMethod(method, None, ""))
        return
    fronts = [find(evaluator, targets, ChosenMethod(m, None, "")) for m in ("exhaustive", "exact")]
    assert fronts[0].entries == fronts[1].entries
    shown = {
        tuple(round(-e.values[n] if UP[n] else e.values[n], 9) for n in names)
        for e in fronts[0].entries
    }
    assert shown == expected
