"""Adversaries on files where a hand sees what there is to learn."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.attacking import records

from paretonym.errors import JobError
from paretonym.groups import classifiers
from paretonym.groups.attackers import RuleAttacker, RuleModel, described
from paretonym.groups.classifiers import BoostingAttacker, LogisticAttacker
from paretonym.groups.records import Records
from paretonym.groups.rules import Rule
from paretonym.model.fuzzy import FuzzyValue, Variable
from paretonym.model.group import Evolution

WAY = Variable(
    "way", (FuzzyValue("on foot", "is", ("foot",)), FuzzyValue("by car", "is", ("car",)))
)
AGE = Variable("age", (FuzzyValue("young", "z", ("20", "40")),))
# members walk; 25 of 30 is 1 - 2 (5/20)² = 0.875 young
FILE = records(
    ("way", "age"),
    [("foot", "20", 50, 45), ("foot", "60", 100, 1), ("car", "20", 100, 2), ("car", "60", 100, 1)],
)
PEOPLE = records(
    ("way", "age"),
    [("foot", "20", 1, 0), ("foot", "25", 1, 0), ("foot", "35", 1, 0), ("car", "20", 1, 0)],
)
QUICK = Evolution(population=20, replace=8, generations=6, runs=3, tournament=3)
STATISTICAL = [LogisticAttacker, BoostingAttacker]


def draw(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def people(file: Records, *names: str) -> dict:
    return {name: file.columns[name] for name in names or file.columns}


def test_a_rule_grades_by_the_product_of_its_words():
    """Walking at 20 is 1, at 25 0.875, at 35 1/8, which is under the cut; driving is nothing."""
    model = RuleModel((Rule((1, 1), 0.5, 2.0, 0.5),), (WAY, AGE), cut=0.5)
    graded = model.grade(people(PEOPLE))
    assert graded.fuzzy.tolist() == [1.0, 0.875, 0.0, 0.0]
    assert graded.crisp.tolist() == [True, True, False, False]


def test_the_best_rule_counts():
    rules = (Rule((1, 1), 0.5, 2.0, 0.5), Rule((1, 0), 0.4, 2.0, 0.5))
    model = RuleModel(rules, (WAY, AGE), cut=0.5)
    assert model.grade(people(PEOPLE)).fuzzy.tolist() == [1.0, 1.0, 1.0, 0.0]


def test_without_rules_nobody_belongs():
    graded = RuleModel((), (WAY, AGE), cut=0.5).grade(people(PEOPLE))
    assert graded.fuzzy.tolist() == [0.0] * 4
    assert not graded.crisp.any()


def test_the_obvious_rule_is_learnt():
    """Young walkers: 45 of the 49 members, and 5 others."""
    model = RuleAttacker((WAY, AGE), QUICK).learn(FILE, draw=draw())
    best = model.rules[0]
    assert best.values == (1, 1)
    assert best.support == 45 / 49
    assert best.rcf == 45 / 5
    assert best.df == pytest.approx(45 / 49 - 50 / 350)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_rules_follow_from_the_seed_alone(threads):
    first = RuleAttacker((WAY, AGE), QUICK).learn(FILE, draw=draw(5))
    assert RuleAttacker((WAY, AGE), QUICK, threads).learn(FILE, draw=draw(5)).rules == first.rules


def test_progress_is_as_long_as_announced():
    for attacker in (RuleAttacker((WAY, AGE), QUICK), LogisticAttacker((WAY, AGE))):
        heard: list[int] = []
        attacker.learn(FILE, draw=draw(), progress=heard.append)
        assert sum(heard) == attacker.steps


def test_half_an_evolution_is_no_attack():
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RuleAttacker((WAY, AGE), QUICK).learn(FILE, draw=draw(), progress=stop)


def test_variables_of_the_job_go_before_proposals():
    way, age = described(FILE, ("way", "age"), [AGE])
    assert age is AGE
    assert [value.parameters for value in way.values] == [("car",), ("foot",)]
    assert [v.column for v in described(FILE, ("age", "way"), [WAY])] == ["age", "way"]


def test_proposals_see_the_auxiliary_file_only():
    """`boat` stands in the other file: nobody here has it."""
    file = records(("way",), [("car", 3, 1), ("foot", 2, 1)],
                   values={"way": ("boat", "car", "foot")})  # fmt: skip
    (way,) = described(file, ("way",), [])
    assert [value.name for value in way.values] == ["car", "foot"]


def test_an_attribute_without_values_cannot_be_described():
    file = records(("way",), [(None, 3, 1)])
    with pytest.raises(JobError, match="variable 'way' has no values"):
        described(file, ("way",), [])


@pytest.mark.parametrize("kind", STATISTICAL)
def test_classifiers_learn_what_is_obvious(kind):
    model = kind((WAY, AGE)).learn(FILE, draw=draw())
    likely = model.probabilities(people(FILE))
    assert ((likely >= 0) & (likely <= 1)).all()
    assert likely.argmax() == 0
    assert likely[0] > 0.6 > 0.2 > likely[1:].max()
    assert model.rules == ()
    assert model.grade(people(FILE)).fuzzy.tolist() == likely.tolist()


@pytest.mark.parametrize("kind", STATISTICAL)
def test_as_many_are_counted_whole_as_there_are_members(kind):
    """49 members: the likeliest combination holds 50 people, and no more are needed."""
    crisp = kind((WAY, AGE)).learn(FILE, draw=draw()).grade(people(FILE)).crisp
    assert FILE.records[crisp].sum() == 50


@pytest.mark.parametrize("kind", STATISTICAL)
@pytest.mark.parametrize("seed", range(5))
def test_at_least_as_many_are_counted_whole(kind, seed):
    chance = draw(seed)
    rows = [(way, str(age), int(chance.integers(2, 9)), int(chance.integers(0, 2)))
            for way in ("a", "b", "c") for age in range(20, 50, 5)]  # fmt: skip
    file = records(("way", "age"), rows)
    variables = (*described(file, ("way",), []), AGE)
    crisp = kind(variables).learn(file, draw=draw()).grade(people(file)).crisp
    assert file.records[crisp].sum() >= file.total_members


@pytest.mark.parametrize("kind", STATISTICAL)
def test_classifiers_follow_from_the_draw_alone(kind):
    first, again = (
        kind((WAY, AGE)).learn(FILE, draw=draw(3)).probabilities(people(FILE)) for _ in range(2)
    )
    assert first.tolist() == again.tolist()


@pytest.mark.parametrize("kind", STATISTICAL)
def test_counts_are_as_good_as_rows(kind):
    """Each person on a line of their own teaches the same."""
    rows = [(*key, 1, int(number < members))
            for *key, count, members in [("foot", "20", 50, 45), ("foot", "60", 100, 1),
                                         ("car", "20", 100, 2), ("car", "60", 100, 1)]
            for number in range(count)]  # fmt: skip
    one = kind((WAY, AGE)).learn(records(("way", "age"), rows), draw=draw())
    other = kind((WAY, AGE)).learn(FILE, draw=draw())
    first, second = (model.probabilities(people(FILE)) for model in (one, other))
    assert first == pytest.approx(second, abs=0.02 if kind is BoostingAttacker else 1e-6)


@pytest.mark.parametrize("kind", STATISTICAL)
@pytest.mark.parametrize("missing", ["way", "age"])
def test_an_attribute_that_is_always_missing_says_nothing(kind, missing):
    shape = ("way", "age").index(missing)
    rows = [[*row] for row in (("foot", "20", 50, 45), ("car", "60", 100, 1))]
    for row in rows:
        row[shape] = None
    known = {"way": (None, "car", "foot"), "age": (None, "20", "60")}
    file = records(("way", "age"), rows, values=known)
    likely = kind((WAY, AGE)).learn(file, draw=draw()).probabilities(people(file))
    assert likely[0] > likely[1]
    stranger = records(("way", "age"), [("foot", "20", 1, 0)], values=known)
    found = kind((WAY, AGE)).learn(file, draw=draw()).probabilities(people(stranger))
    assert 0 <= found[0] <= 1


@pytest.mark.parametrize("kind", STATISTICAL)
def test_a_value_that_only_the_main_file_has(kind):
    known = {"way": (None, "boat", "car", "foot"), "age": (None, "20", "60", "99")}
    rows = [("foot", "20", 50, 45), ("car", "60", 100, 1)]
    model = kind((WAY, AGE)).learn(records(("way", "age"), rows, values=known), draw=draw())
    main = [("boat", "99", 1, 0), (None, None, 1, 0), ("foot", "20", 1, 0)]
    found = model.probabilities(people(records(("way", "age"), main, values=known)))
    assert ((found >= 0) & (found <= 1)).all()
    assert found[2] == found.max()


@pytest.mark.parametrize("kind", STATISTICAL)
def test_rare_codes_beyond_the_most_are_one(kind):
    """300 codes; of the frequent ones the first is the group's, the rare ones look alike."""
    rows = [(f"{code:03}", 40 if code < 200 else 30, 35 if code == 0 else 1) for code in range(300)]
    file = records(("code",), rows)
    code = Variable("code", (FuzzyValue("first", "is", ("000",)),))
    found = kind((code,)).learn(file, draw=draw()).probabilities(people(file))
    assert found[0] > 0.3 > found[1:].max()
    assert len(set(found[classifiers._MOST_CODES :].tolist())) == 1


@pytest.mark.parametrize("kind", STATISTICAL)
def test_equal_numbers_say_nothing(kind):
    file = records(("way", "age"), [("foot", "30", 50, 45), ("car", "30", 100, 1)])
    found = kind((WAY, AGE)).learn(file, draw=draw()).probabilities(people(file))
    alone = kind((AGE,)).learn(file, draw=draw()).probabilities(people(file, "age"))
    assert found[0] > found[1]
    assert alone == pytest.approx([46 / 150] * 2, abs=0.02)


def test_many_numbers_make_a_few_equally_full_bins():
    """120 ages with one person each: twelve bins of ten."""
    rows = [(str(age), 1, int(age < 30)) for age in range(120)]
    file = records(("age",), rows)
    places = LogisticAttacker((AGE,))._places(AGE, file)
    assert np.bincount(places).tolist() == [10] * 12


@pytest.mark.parametrize("kind", STATISTICAL)
@pytest.mark.parametrize("members", [0, 5])
def test_one_kind_of_people_teaches_nothing(kind, members):
    file = records(("way", "age"), [("foot", "20", 5, members), ("car", "60", 5, members)])
    with pytest.raises(JobError, match="nothing can be learnt"):
        kind((WAY, AGE)).learn(file, draw=draw())


@pytest.mark.parametrize(("members", "words"), [(0, "nobody of the group"), (5, "everybody")])
def test_one_kind_of_people_makes_no_rule(members, words):
    file = records(("way", "age"), [("foot", "20", 5, members), ("car", "60", 5, members)])
    with pytest.raises(JobError, match=words):
        RuleAttacker((WAY, AGE), QUICK).learn(file, draw=draw())
