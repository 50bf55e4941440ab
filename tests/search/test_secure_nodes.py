"""Minimal secure nodes: the paper's example, and two searches that agree with the definition."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.support import confidential
from tests.support.confidential import (
    ALWAYS,
    Case,
    cases,
    characteristic,
    classes,
    is_graded,
    minimal_secure,
    running_example,
    security_tests,
)

from paretonym.errors import LatticeTooBigError
from paretonym.kernels import characteristic as kernel
from paretonym.lattice import Lattice
from paretonym.measures.characteristic import SecurityTests
from paretonym.measures.keys import fields_of, packed
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.search.breadth_first import breadth_first
from paretonym.search.incognito import incognito
from paretonym.search.progress import Silent

ANY = list(HealthCheck)
SEARCHES = [breadth_first, incognito]


@pytest.mark.parametrize(
    ("health", "minimal", "secure", "tests"),
    [("2", [(1, 2, 2), (2, 5, 1)], 38, 84), ("012", [(2, 5, 1), (3, 4, 3)], 10, 112)],
)
def test_the_running_example_of_paper_002(health, minimal, secure, tests):
    """Codes: date dd/mm/yy, mm/yy, yy, *; ZIP by digits masked; height by 1, 5, 10, 20, *."""
    example = security_tests(running_example(*health))
    found = breadth_first(example, progress=Silent())
    assert list(found.found_in_order) == minimal
    assert found.tests == tests
    by_subsets = incognito(example, progress=Silent())
    assert by_subsets.minimal == found.minimal == tuple(minimal)
    assert by_subsets.tests < tests
    every = itertools.product(range(4), range(6), range(5))
    assert sum(example.exposed_rules(node) == 0 for node in every) == secure


@pytest.mark.slow
def test_breadth_first_equals_incognito_equals_the_definition():
    """500 random tables with posets, some of them not graded, and rules with and without `for`."""
    seen = Counter()

    @settings(max_examples=500, deadline=None, suppress_health_check=ANY)
    @given(cases())
    def check(case):
        tests = security_tests(case)
        expected = minimal_secure(case)
        by_breadth = breadth_first(tests, progress=Silent())
        by_subsets = incognito(tests, progress=Silent())
        assert by_breadth.minimal == by_subsets.minimal == tuple(sorted(expected))
        assert sorted(by_subsets.found_in_order) == sorted(by_breadth.found_in_order)
        assert by_subsets.full_width <= by_breadth.tests
        insecure = sum(bool(confidential.exposed(case, node)) for node in case.nodes())
        assert by_breadth.tests >= insecure + len(expected)
        seen["not graded"] += not all(map(is_graded, case.labels))
        seen["open at the top"] += any(len(set(levels[-1].values())) > 1 for levels in case.labels)
        seen["several minimal"] += len(expected) > 1
        seen["nothing secure"] += not expected
        seen["rules with for"] += any(whom != ALWAYS for _, whom in case.rules)

    check()
    others = ("not graded", "open at the top", "several minimal", "nothing secure")
    assert all(seen[what] >= 5 for what in (*others, "rules with for"))


def test_a_node_reached_too_early_is_taken_out():
    """0 < c < * is shorter than 0 < a < b < *, so Fig. 5 comes to * before b, which is finer.

    With w and x confidential, c leaves wx together and a leaves x alone; b mixes both with others.
    """
    levels = ("wxyz", "ccdd", "axaz", "bxbx", "****")
    labels = (tuple(dict(zip("wxyz", level, strict=True)) for level in levels),)
    rows = tuple(zip("wxyz", "1100", strict=True))
    tests = security_tests(Case(rows, labels, ((("is", 1, "1"), ALWAYS),)))
    found = breadth_first(tests, progress=Silent())
    assert found.minimal == ((3,),)
    assert found.tests == 5  # three insecure, one minimal, and * in vain
    assert incognito(tests, progress=Silent()).minimal == ((3,),)


@settings(max_examples=150, deadline=None, suppress_health_check=ANY)
@given(cases(chains=True))
def test_on_chains_breadth_first_tests_insecure_and_minimal_nodes_only(case):
    found = breadth_first(security_tests(case), progress=Silent())
    insecure = sum(bool(confidential.exposed(case, node)) for node in case.nodes())
    assert found.tests == insecure + len(found.minimal)


@settings(max_examples=150, deadline=None, suppress_health_check=ANY)
@given(cases())
def test_security_is_monotone_along_refinement(case):
    """What a node exposes, every finer one exposes; and both are what the rows say."""
    tests = security_tests(case)
    exposed = {node: tests.exposed_rules(node) for node in case.nodes()}
    for node, rules in exposed.items():
        assert rules == sum(1 << rule for rule in confidential.exposed(case, node))
    for finer, coarser in itertools.product(exposed, repeat=2):
        if tests.lattice.below(finer, coarser):
            assert exposed[coarser] & ~exposed[finer] == 0


@settings(max_examples=100, deadline=None, suppress_health_check=ANY)
@given(cases())
def test_characteristics_roll_up_from_any_finer_node(case):
    """United from the classes of any finer node, they are those of the rows themselves."""
    tests = security_tests(case)
    granulations = tests.lattice.granulations
    fields = fields_of(granulations)
    rows = [[list(ls[0]).index(row[j]) for j, ls in enumerate(case.labels)] for row in case.rows]
    keys = packed(np.array(rows, np.int32), granulations, fields)
    words = np.array([characteristic(case, [row]) for row in case.rows], np.uint64)
    finest = np.zeros(len(granulations), np.int64)
    tables = {
        node: kernel.roll_up(fields, keys, words, finest, np.array(node)) for node in case.nodes()
    }
    for node, (_, united) in tables.items():
        by_rows = [characteristic(case, rows) for rows in classes(case, node).values()]
        assert sorted(map(int, united)) == sorted(by_rows)
    for finer, coarser in itertools.product(tables, repeat=2):
        if tests.lattice.below(finer, coarser):
            made = kernel.roll_up(fields, *tables[finer], np.array(finer), np.array(coarser))
            assert as_dict(*made) == as_dict(*tables[coarser])


def as_dict(keys, words) -> dict[tuple[int, ...], int]:
    return {tuple(map(int, key)): int(word) for key, word in zip(keys, words, strict=True)}


@settings(max_examples=100, deadline=None, suppress_health_check=ANY)
@given(cases())
def test_whom_no_rule_protects_is_never_exposed(case):
    """Without a protected person the table is secure as it is, whatever the sentences say."""
    nobody = ("not", ALWAYS)
    tests = security_tests(
        Case(case.rows, case.labels, tuple((sentence, nobody) for sentence, _ in case.rules))
    )
    for search in SEARCHES:
        assert search(tests, progress=Silent()).minimal == (tests.lattice.finest,)


def test_only_the_protected_are_kept_apart_from_certainty():
    """a and b are ill, only a is protected: b may stand alone, a must meet the healthy c."""
    labels = (tuple(dict(zip("abc", level, strict=True)) for level in ("abc", "xbx", "***")),)
    rows = (("a", "ill"), ("b", "ill"), ("c", "well"))
    for_a = Case(rows, labels, ((("is", 1, "ill"), ("is", 0, "a")),))
    for_all = Case(rows, labels, ((("is", 1, "ill"), ALWAYS),))
    for search in SEARCHES:
        assert search(security_tests(for_a), progress=Silent()).minimal == ((1,),)
        assert search(security_tests(for_all), progress=Silent()).minimal == ((2,),)


@pytest.mark.parametrize("search", SEARCHES)
def test_what_all_satisfy_cannot_be_kept_secret(search):
    case = running_example("2")
    found = search(
        security_tests(Case(case.rows, case.labels, ((ALWAYS, ALWAYS),))), progress=Silent()
    )
    assert found.minimal == ()
    assert found.tests == (120 if search is breadth_first else 1)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("most_bytes", [0, 300])
def test_tables_that_find_no_room_change_nothing(search, most_bytes):
    case = running_example("0", "1", "2")
    cramped = search(security_tests(case, most_bytes=most_bytes), progress=Silent())
    assert cramped == search(security_tests(case), progress=Silent())


@pytest.mark.parametrize("search", SEARCHES)
def test_a_second_search_counts_anew(search):
    tests = security_tests(running_example("2"))
    assert search(tests, progress=Silent()) == search(tests, progress=Silent())


def test_thirty_two_rules_fit_in_a_word():
    first, last = np.uint64(1 << 32), np.uint64(1 << 63)
    assert kernel.exposed_rules(np.array([first, last])) == (1 << 31) + 1
    assert kernel.exposed_rules(np.array([first | np.uint64(1), last | np.uint64(1 << 31)])) == 0


class Interrupted(Silent):
    """Ctrl-C at the third report."""

    reports = 0
    finished = False

    def advance(self, steps: int) -> None:
        self.reports += 1
        if self.reports == 3:
            raise KeyboardInterrupt

    def finish(self) -> None:
        self.finished = True


@pytest.mark.parametrize("search", SEARCHES)
def test_an_interrupt_leaves_no_half_result(search):
    progress = Interrupted()
    tests = security_tests(running_example("2"))
    with pytest.raises(KeyboardInterrupt):
        search(tests, progress=progress)
    assert progress.finished
    again = search(tests, progress=Silent())
    assert again == search(security_tests(running_example("2")), progress=Silent())


@pytest.mark.parametrize("search", SEARCHES)
def test_a_lattice_too_large_to_mark_is_refused(search):
    top = partition_from_labels("*", ["*", "*"])
    wide = [
        Granulation(f"q{j}", ("a", "b"), (partition_from_labels("0", ["a", "b"]), top))
        for j in range(26)  # 2 ** 26 nodes
    ]
    tests = SecurityTests(np.zeros((1, 26), np.int32), np.zeros(1, np.uint64), Lattice.of(wide))
    with pytest.raises(LatticeTooBigError, match=r"67,108,864 nodes.*fewer levels.*secure: true"):
        search(tests, progress=Silent())
