"""Compatibility, DF, RCF and support of rules, grades of records (Tavrov and Chertov 2016, eq. 11
to 17).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.group_tables import GroupTable, all_rules, group_tables, is_covered_by

from paretonym.errors import JobError
from paretonym.groups import FuzzyValue, RuleScorer, Variable, grades, in_words, memberships
from paretonym.groups.rules import Rule, most_general

AGE = Variable(
    "age",
    (FuzzyValue("young", "z", ("20", "40")), FuzzyValue("old", "s", ("40", "60"))),
)
SEX = Variable("sex", (FuzzyValue("male", "is", ("m",)), FuzzyValue("female", "is", ("f",))))


def six() -> GroupTable:
    """Ages 20, 25, 30, 35, 20, 60, all male but the fifth; the first three are the group.

    Grades of young: 1, 0.875, 0.5, 0.125, 1, 0.
    """
    ages = ["20", "25", "30", "35", "60"]
    tables = [memberships(AGE, ages), memberships(SEX, ["m", "f"])]
    codes = [np.array([0, 1, 2, 3, 0, 4]), np.array([0, 0, 0, 0, 1, 0])]
    group = np.array([1.0, 1, 1, 0, 0, 0])
    return GroupTable(tables, codes, group, 1 - group)


def test_a_rule_of_six_people_by_hand():
    """Young: members 1 + 0.875 + 0.5 of 3, others only the fifth: 0.125 is cut."""
    (young,) = six().scorer().score(np.array([[1, 0]]))
    assert young.support == pytest.approx(2.375 / 3)
    assert young.df == pytest.approx(2.375 / 3 - 3.375 / 6)
    assert young.rcf == pytest.approx(2.375)
    assert not young.no_false_positives


def test_a_rule_without_false_positives():
    """Young men: the fifth is a woman, so nobody outside of the group is left."""
    (found,) = six().scorer().score(np.array([[1, 1]]))
    assert found.no_false_positives
    assert math.isinf(found.rcf)
    assert found.df == pytest.approx(2.375 / 3 - 2.375 / 6)


def test_a_rule_about_anybody_and_one_about_nobody():
    anybody, nobody = six().scorer().score(np.array([[0, 0], [2, 2]]))
    assert anybody == Rule((0, 0), 0.0, 1.0, 1.0)
    assert nobody == Rule((2, 2), 0.0, 0.0, 0.0)


def test_the_cut_is_met_by_a_product_that_equals_it():
    """Grades 0.75 and 2/3 make 0.5; 0.5 alone counts, 0.49 does not, nor 0.7 times 0.7."""
    tables = [np.array([[1, 1, 1, 1], [0.75, 0.5, 0.49, 0.7]])]
    tables.append(np.array([[1, 1, 1], [2 / 3, 1, 0.7]]))
    codes = [np.array([0, 1, 2, 3]), np.array([0, 1, 1, 2])]
    found = grades([Rule((1, 1), 0, 0, 0)], tables, codes)
    assert found.tolist() == [0.5, 0.5, 0, 0]


def test_a_record_belongs_as_well_as_its_best_rule_says():
    table = six()
    rules = [Rule((1, 2), 0, 0, 0), Rule((1, 1), 0, 0, 0), Rule((2, 0), 0, 0, 0)]
    assert grades(rules, table.tables, table.codes).tolist() == [1, 0.875, 0.5, 0, 1, 1]
    assert grades([], table.tables, table.codes).tolist() == [0] * 6


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(group_tables())
def test_the_kernel_equals_plain_python(table: GroupTable):
    rules = all_rules(table.tables)
    found = table.scorer().score(rules)
    assert found == [table.score(rule) for rule in rules.tolist()]
    rows = range(len(table.members))
    best = [max(table.compatibility(rule, row) for rule in rules.tolist()) for row in rows]
    assert grades(found, table.tables, table.codes, cut=table.cut).tolist() == best


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(group_tables(grade=st.floats(0, 1)), st.randoms())
def test_neither_threads_nor_the_order_of_rows_change_a_bit(table: GroupTable, rng):
    rules = all_rules(table.tables)
    found = table.scorer().score(rules)
    for mine, plain in zip(found, map(table.score, rules.tolist()), strict=True):
        assert mine.support == pytest.approx(plain.support, abs=1e-12)
        assert mine.df == pytest.approx(plain.df, abs=1e-12)
    order = np.array(rng.sample(range(len(table.members)), len(table.members)))
    shuffled = GroupTable(table.tables, [c[order] for c in table.codes], table.members[order],
                          table.others[order], table.cut)  # fmt: skip
    with shuffled.scorer(threads=3) as scorer:
        assert scorer.score(rules) == found


def test_many_rows_make_few_cases():
    """1,000 people, 2 grades of age that count, 2 sexes: no more than 6 cases."""
    draw = np.random.default_rng(1)
    ages = [str(age) for age in range(100)]
    tables = [memberships(Variable("age", (FuzzyValue("young", "range", ("0", "30")),)), ages)]
    tables.append(memberships(SEX, ["m", "f"]))
    codes = [draw.integers(0, 100, 1000), draw.integers(0, 2, 1000)]
    group = (codes[0] < 20) & (codes[1] == 0)
    table = GroupTable(tables, codes, group.astype(float), 1.0 - group)
    scorer = table.scorer()
    assert len(scorer.cases.members) == 4
    assert scorer.score(np.array([[1, 1]])) == [table.score((1, 1))]


def test_combinations_that_fit_no_word_are_told_apart_all_the_same():
    """25 variables with 8 grades each: 8^25 combinations are more than 64 bits hold."""
    draw = np.random.default_rng(2)
    tables = [np.vstack([np.ones(8), np.linspace(0.5, 1, 8)]) for _ in range(25)]
    codes = [draw.integers(0, 8, 300) for _ in tables]
    codes = [np.concatenate([code, code]) for code in codes]
    group = np.tile(draw.random(300) < 0.3, 2).astype(float)
    table = GroupTable(tables, codes, group, 1 - group)
    scorer = table.scorer()
    assert len(scorer.cases.members) == 300
    rule = tuple(int(j in (0, 24)) for j in range(25))
    assert scorer.score(np.array([rule]))[0].df == pytest.approx(table.score(rule).df, abs=1e-12)


def test_weights_count_as_so_many_people():
    table = six()
    weights = np.array([2.0, 1, 1, 1, 3, 1])
    weighted = RuleScorer(
        table.tables, table.codes, members=table.members * weights, others=table.others * weights
    )
    (found,) = weighted.score(np.array([[1, 0]]))
    assert found.support == pytest.approx(3.375 / 4)
    assert found.rcf == pytest.approx(3.375 / 3)


def test_each_rule_is_scored_once():
    scorer = six().scorer()
    scorer.score(np.array([[1, 0], [1, 0], [0, 1]]))
    scorer.score(np.array([[0, 1]]))
    assert [rule.values for rule in scorer.known] == [(1, 0), (0, 1)]


def test_fitness_prefers_purity_at_equal_reach_but_not_one_person_over_thousands():
    """Group of 1,000; a rule that finds 1 member alone, one 900 and 9 others, one 900 alone."""
    tables = [np.vstack([np.ones(4), np.eye(4), [0, 1, 1, 0]])]
    codes = [np.array([0, 1, 2, 3])]
    scorer = RuleScorer(tables, codes, members=[1, 900, 0, 99], others=[0, 0, 9, 9000])
    single, pure, mixed = scorer.score(np.array([[1], [2], [5]]))
    assert single.no_false_positives
    assert pure.no_false_positives
    assert scorer.fitness(pure) > scorer.fitness(mixed) > scorer.fitness(single) > 0
    assert scorer.fitness(Rule((0,), -0.1, math.inf, 0.1)) == 0


@pytest.mark.parametrize(("members", "problem"), [(0, "nobody of the group"), (1, "everybody")])
def test_a_group_of_nobody_or_of_everybody_teaches_nothing(members, problem):
    table = six()
    group = np.full(6, float(members))
    with pytest.raises(JobError, match=problem):
        RuleScorer(table.tables, table.codes, members=group, others=1 - group)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_weights_that_are_no_weights_are_refused(weight):
    table = six()
    with pytest.raises(JobError, match="weights must be finite"):
        RuleScorer(table.tables, table.codes, members=[weight] * 6, others=[1] * 6)


@pytest.mark.parametrize("cut", [0, -1, 1.5, math.nan])
def test_a_cut_is_a_grade(cut):
    table = six()
    with pytest.raises(JobError, match="cut is a grade"):
        grades([], table.tables, table.codes, cut=cut)


@pytest.mark.parametrize("rule", [(0, 3), (-1, 0)])
def test_an_index_that_is_none_is_refused(rule):
    table = six()
    with pytest.raises(ValueError, match="does not have"):
        table.scorer().score(np.array([rule]))
    with pytest.raises(ValueError, match="does not have"):
        grades([Rule(rule, 0, 0, 0)], table.tables, table.codes)


def test_specialisations_go():
    """(1, 0, 2) says less than (1, 3, 2); (2, 0, 2) is another rule; any says least."""
    rules = [Rule(v, 0, 0, 0) for v in [(1, 3, 2), (1, 0, 2), (2, 0, 2), (1, 0, 2)]]
    assert [rule.values for rule in most_general(rules)] == [(1, 0, 2), (2, 0, 2)]
    assert [r.values for r in most_general([*rules, Rule((0, 0, 0), 0, 0, 0)])] == [(0, 0, 0)]
    assert most_general([]) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(group_tables(), st.data())
def test_without_specialisations_the_grades_are_the_same(table: GroupTable, data):
    rules = table.scorer().score(all_rules(table.tables))[1:]
    chosen = data.draw(st.lists(st.sampled_from(rules), unique=True)) if rules else []
    few = most_general(chosen)
    for rule in chosen:
        covered = [general for general in few if is_covered_by(rule, general)]
        assert (rule in few) == (covered == [rule])
    assert np.array_equal(
        grades(few, table.tables, table.codes, cut=table.cut),
        grades(chosen, table.tables, table.codes, cut=table.cut),
    )


def test_rules_read_as_words():
    """`low` is a name of two variables, so it comes with its column."""
    low = [FuzzyValue("low", "range", ("0", "9")), FuzzyValue("over 50 hours", "s", ("40", "50"))]
    variables = [AGE, SEX, Variable("hours", tuple(low)), Variable("income", (low[0],))]
    assert in_words(Rule((1, 1, 2, 0), 0, 0, 0), variables) == "young, male, over 50 hours"
    assert in_words(Rule((0, 0, 1, 1), 0, 0, 0), variables) == "hours low, income low"
    assert in_words(Rule((0, 0, 0, 0), 0, 0, 0), variables) == "anybody"
