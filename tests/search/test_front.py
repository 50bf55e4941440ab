"""The front is exact: the same vectors, nodes and ties as trying everything by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import brute_force
from tests.support.box_archive import minimal
from tests.support.brute_force import SmallTable
from tests.support.small_tables import engine_parts, small_tables

from paretonym.errors import CancelledError, InfeasibleError, LatticeTooBigError
from paretonym.measures import Evaluator, Requirement, build, objective_of, parse
from paretonym.search import ChosenMethod, RunSettings, Silent, Target, exhaustive, find

OBJECTIVES = [
    ("k", True), ("glm", False), ("distinct_l(sensitive)", True), ("cm(target)", False),
    ("s_k", True), ("max:s_l(sensitive)", True), ("min:s_l(sensitive)", False),
    ("suppressed", False), ("discernibility", False), ("average_class_size", False),
    ("worst_group_suppression(sensitive)", False), ("loss_arithmetic", False),
]  # fmt: skip
NAME = {text: text.split(":")[-1] for text, _ in OBJECTIVES}


sizes = st.fractions(Fraction(1, 4), 8, max_denominator=6)


def search(
    table, texts, *, limit=0, rule="staircase", require_k=0, threads=1, epsilon=None, **bounds
):
    histogram, lattice, context, _ = engine_parts(table, [])
    wanted = [parse(text) for text in texts]
    measures = [build(one, context) for one in wanted]
    targets = [Target(objective_of(one, m), m) for one, m in zip(wanted, measures, strict=True)]
    require = [Requirement.of(build(parse("k"), context), require_k)] if require_k else []
    require += [Requirement.of(build(parse(n), context), bound) for n, bound in bounds.items()]
    evaluator = Evaluator(
        histogram, lattice, measures, context, require=require, limit=limit, rule=rule
    )
    settings = RunSettings(threads=threads)
    return find(evaluator, targets, EXHAUSTIVE, epsilon=epsilon, settings=settings)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    small_tables(max_rows=10),
    st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=6, unique_by=lambda o: NAME[o[0]]),
    st.sampled_from(["required", "staircase", "paper"]),
    st.integers(0, 4),
    st.integers(0, 3),
)
def test_front_equals_brute_force(table, objectives, rule, limit, require_k):
    limit = min(limit, len(table.rows) - 1)
    truth = brute_force.front(
        table, [(NAME[text], up) for text, up in objectives],
        limit=limit, rule=rule, require_k=require_k,
    )  # fmt: skip
    texts = [text for text, _ in objectives]
    if not truth:
        with pytest.raises(InfeasibleError):
            search(table, texts, limit=limit, rule=rule, require_k=require_k)
        return
    front = search(table, texts, limit=limit, rule=rule, require_k=require_k)
    found = {}
    for entry in front.entries:
        vector = tuple(
            -entry.values[NAME[t]] if up else entry.values[NAME[t]] for t, up in objectives
        )
        found[vector] = ((tuple(entry.levels.values()), entry.suppress_below), entry.ties)
    assert front.exact
    assert front.evaluated == front.nodes
    expected = {tuple(float(v) for v in vector): facts for vector, facts in truth.items()}
    assert found == expected


def two_columns(rows) -> SmallTable:
    flat = {v: v for v in "ab"}
    star = dict.fromkeys("ab", "*")
    return SmallTable(tuple(rows), ((flat, star), (flat, star)), (1, 1))


TABLE = two_columns(
    [("a", "a", "s0", "t0")] * 3 + [("b", "a", "s1", "t0")] * 2 + [("b", "b", "s0", "t1")]
)


def test_the_front_of_a_table_one_can_see_through():
    """3 + 2 + 1 rows: k=1 costs nothing; 3 rows need one column starred; 6 need both."""
    front = search(TABLE, ["k", "glm"])
    assert [(e.values["k"], e.values["glm"], tuple(e.levels.values())) for e in front.entries] == [
        (1, 0, (0, 0)),
        (3, 6, (0, 1)),
        (6, 12, (1, 1)),
    ]


def test_boxes_leave_one_entry_for_each_of_the_best():
    """k in boxes of 3, glm as 12 - glm in boxes of 6: (1, 2), (1, 1), (2, 0); the second goes."""
    front = search(TABLE, ["k", "glm"], epsilon={"k": Fraction(3), "glm": Fraction(6)})
    assert [(e.values["k"], e.values["glm"]) for e in front.entries] == [(1, 0), (6, 12)]
    assert front.exact


def test_the_first_of_a_box_stands_for_it():
    """One box holds all; the objective without a size keeps its values apart."""
    wide = {"k": Fraction(100), "glm": Fraction(100)}
    assert [e.values["k"] for e in search(TABLE, ["k", "glm"], epsilon=wide).entries] == [1]
    front = search(TABLE, ["k", "glm"], epsilon={"k": Fraction(100)})
    assert [e.values["glm"] for e in front.entries] == [0]
    front = search(TABLE, ["k", "glm"], epsilon={"glm": Fraction(100)})
    assert [e.values["k"] for e in front.entries] == [3, 6]  # all lost: an index of 0, its own box


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_tables(max_rows=10), st.integers(0, 3), sizes, sizes, sizes)
def test_the_boxed_front_represents_every_best_box(table, limit, k_size, glm_size, cm_size):
    """Its boxes are the best boxes of the plain front, its entries are the plain front's."""
    texts = ["k", "glm", "cm(target)"]
    epsilon = dict(zip(texts, (k_size, glm_size, cm_size), strict=True))
    limit = min(limit, len(table.rows) - 1)
    every = search(table, texts, limit=limit).entries
    few = search(table, texts, limit=limit, epsilon=epsilon).entries
    rows = len(table.rows)
    most = {"glm": Fraction(rows * sum(table.weights)), "cm(target)": Fraction(rows)}

    def box(entry):
        values = {n: Fraction(v).limit_denominator(10**6) for n, v in entry.values.items()}
        index = {n: most[n] - v if n in most else v for n, v in values.items()}
        return tuple(math.ceil(index[n] / epsilon[n]) for n in texts)

    assert {box(entry) for entry in few} == minimal([box(entry) for entry in every])
    assert len({box(entry) for entry in few}) == len(few)
    assert [entry for entry in every if entry in few] == list(few)


def test_entries_are_ordered_by_values_and_ties_are_counted():
    """Starring the constant column changes nothing, so that node is a tie of the one shown."""
    table = two_columns([("a", "a", "s0", "t0")] * 2 + [("b", "a", "s1", "t0")] * 2)
    table = replace(table, labels=(table.labels[0], ({"a": "a"}, {"a": "*"})))
    front = search(table, ["k", "glm"])
    assert [(e.values["k"], e.ties, tuple(e.levels.values())) for e in front.entries] == [
        (2, 1, (0, 0)),
        (4, 1, (1, 0)),
    ]


def test_a_requirement_on_a_loss_removes_candidates_not_rows():
    front = search(TABLE, ["k", "glm"], glm=6)
    assert max(e.values["k"] for e in front.entries) == 3
    assert all(e.suppressed == 0 for e in front.entries)


def test_required_drops_only_what_a_requirement_forces():
    """Sizes 3, 2, 1 with k >= 2: only the class of 1 goes, whatever the limit allows."""
    front = search(TABLE, ["glm"], rule="required", require_k=2, limit=5)
    assert [(e.suppressed, tuple(e.levels.values())) for e in front.entries] == [(1, (0, 0))]


def test_infeasible_says_how_far_it_got():
    with pytest.raises(InfeasibleError, match=r"k >= 7.*largest k within that limit is 6"):
        search(TABLE, ["k"], require_k=7)


def test_a_lattice_too_big_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(exhaustive, "MOST_NODES", 3)
    with pytest.raises(LatticeTooBigError, match="4 nodes"):
        search(TABLE, ["k"])


EXHAUSTIVE = ChosenMethod("exhaustive", None, "")


class StopAfter(Silent):
    def __init__(self, nodes: int) -> None:
        self.left = nodes

    def start(self, what: str, total: int) -> None:
        self.advance(0)

    def advance(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise KeyboardInterrupt


def interrupted(nodes: int):
    histogram, lattice, context, measures = engine_parts(TABLE, ["k", "glm"])
    targets = [Target(objective_of(parse(m.name), m), m) for m in measures]
    evaluator = Evaluator(histogram, lattice, measures, context)
    return find(evaluator, targets, EXHAUSTIVE, settings=RunSettings(progress=StopAfter(nodes)))


def test_ctrl_c_before_anything_is_known_is_an_error():
    with pytest.raises(CancelledError):
        interrupted(-1)


def test_ctrl_c_keeps_what_is_known_marked_not_exact(monkeypatch):
    """A user measure makes the search go node by node: two of four nodes are known."""
    from paretonym.measures import Evaluator as Plain

    monkeypatch.setattr(Plain, "is_fast", property(lambda self: False))
    front = interrupted(1)
    assert not front.exact
    assert (front.evaluated, front.nodes) == (2, 4)
