"""What an attack restores, on tables that a hand can count."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.attacking import (
    AREAS,
    MAIN,
    MAIN_NAMES,
    QUICK,
    attacked,
    records,
)

from paretonym.groups import Adequacy
from paretonym.groups.attack import AttackInput, _units, permuted
from paretonym.groups.attackers import Grades
from paretonym.groups.records import Records
from paretonym.groups.signals import find_signals
from paretonym.model.group import GroupSpec, OutlierRule
from paretonym.model.logic.sentence import parse_sentence

SPEC = GroupSpec(
    "g",
    parse_sentence("job = s"),
    ("area",),
    basic=("way",),
    region="land",
    outliers=OutlierRule(side="upper"),
)
# north: areas of 10 records with 1, 2, 3, 2 and 8 members; south: two areas
PLACES = (
    ("north", "1", 10, 1),
    ("north", "2", 10, 2),
    ("north", "3", 10, 3),
    ("north", "4", 10, 2),
    ("north", "5", 10, 8),
    ("south", "1", 5, 1),
    ("south", "2", 5, 4),
)
WAYS = (
    ("north", "1", "foot", 2, 0),
    ("north", "1", "car", 8, 0),
    ("north", "2", "foot", 3, 0),
    ("north", "2", "car", 7, 0),
    ("north", "3", "foot", 4, 0),
    ("north", "3", "car", 6, 0),
    ("north", "4", "foot", 3, 0),
    ("north", "4", "car", 7, 0),
    ("north", "5", "foot", 9, 0),
    ("north", "5", "car", 1, 0),
    ("south", "2", "foot", 4, 0),
)
# feet have a grade of 0.75, cars of 0.5 but do not count as whole people
FEET = np.array([row[2] == "foot" for row in WAYS])
GRADES = Grades(np.where(FEET, 0.75, 0.5), FEET)


def ground(spec: GroupSpec = SPEC, weight: float | None = None, **rule: Any) -> AttackInput:
    spec = replace(spec, outliers=replace(spec.outliers, **rule))
    truth = records(("land", "area"), PLACES, weight=weight)
    released = records(("land", "area", "way"), WAYS, weight=weight)
    return AttackInput(truth, released, spec, find_signals(truth, spec))


def test_restored_signals_are_sums_of_grades():
    north, south = ground().restored(GRADES)
    assert north.areas == ("1", "2", "3", "4", "5")
    assert north.quantity == (5.5, 5.75, 6, 5.75, 7.25)  # 0.75 walkers + 0.5 drivers
    assert north.crisp == (2, 3, 4, 3, 9)
    assert north.concentration == (0.55, 0.575, 0.6, 0.575, 0.725)
    assert (south.region, south.areas) == ("south", ("1", "2"))


def test_an_area_that_harmonisation_empties_has_nothing():
    """Nobody of south-1 is left: it stays where it is, with 0."""
    _, south = ground().restored(GRADES)
    assert (south.quantity, south.crisp, south.concentration) == ((0, 3), (0, 4), (0, 0.75))


def test_outliers_are_compared_with_the_true_ones():
    north, south = ground().restored(GRADES)
    assert north.outliers == north.crisp_outliers == ("5",)
    assert north.adequacy == Adequacy(tp=1, fp=0, fn=0, tn=4)
    assert south.adequacy == Adequacy(tp=0, fp=0, fn=0, tn=2)


def test_weights_are_used():
    """Everybody counts for three: quantities do, concentrations stay."""
    north, _ = ground(weight=3.0).restored(GRADES)
    assert north.quantity == (16.5, 17.25, 18, 17.25, 21.75)
    assert north.crisp == (6, 9, 12, 9, 27)
    assert north.concentration == pytest.approx((0.55, 0.575, 0.6, 0.575, 0.725))


def test_concentration_is_looked_at_on_request():
    """Four areas of 0.9 and one of 0.1: the last one is low."""
    grades = Grades(np.array([0.9] * 8 + [0.1] * 2 + [0.9]), np.array([True] * 8 + [False] * 3))
    north, _ = ground(signal="concentration", side="both").restored(grades)
    assert north.concentration == pytest.approx((0.9, 0.9, 0.9, 0.9, 0.1))
    assert north.outliers == north.crisp_outliers == ("5",)


def test_what_is_ignored_is_an_outlier_to_nobody():
    north, _ = ground(ignore=("5",)).restored(GRADES)
    assert (north.outliers, north.crisp_outliers) == ((), ())
    assert north.adequacy == Adequacy(0, 0, 0, 5)


def test_what_is_kept_is_an_outlier_in_truth_only():
    """South-1 is kept as well: labels of areas are the job's, whatever their region."""
    north, south = ground(keep=("1",)).restored(GRADES)
    assert north.outliers == ("5",)
    assert north.adequacy == Adequacy(tp=1, fp=0, fn=1, tn=3)
    assert south.adequacy == Adequacy(tp=0, fp=0, fn=1, tn=1)


def test_fewer_than_three_areas_have_no_outliers():
    _, south = ground().restored(GRADES)
    assert south.outliers == south.crisp_outliers == ()


def test_areas_are_ranked_by_concentration():
    """North-5 of seven areas; it has 0.725, but south-2 0.75."""
    made = ground()
    assert made.ranked(GRADES).tolist() == pytest.approx([0.55, 0.575, 0.6, 0.575, 0.725, 0, 0.75])
    assert made.auc(GRADES) == 5 / 6
    rank = made.ranking(GRADES, np.random.default_rng(1), 100)
    assert (rank.auc, rank.positives, rank.areas) == (5 / 6, 1, 7)


def test_sites_are_told_by_members_alone():
    """Four members and more: north-5 and south-2, which is no outlier."""
    made = ground(replace(SPEC, sites=4))
    rank = made.ranking(GRADES, np.random.default_rng(1), 100)
    assert (rank.auc, rank.positives, rank.areas) == (1.0, 2, 7)


def test_sites_of_regions_that_are_left_out_are_ranked():
    """South holds 5 of 21 members: too few for a signal, but south-2 is a site."""
    spec = replace(SPEC, sites=4, region_share=Fraction(1, 2))
    made = ground(spec)
    assert [one.region for one in made.signals.regions] == ["north"]
    assert len(made.restored(GRADES)) == 1
    assert made.ranking(GRADES, np.random.default_rng(1), 100).areas == 7
    assert ground(replace(spec, sites=None)).ranking(
        GRADES, np.random.default_rng(1), 100
    ).areas == 5  # fmt: skip


def test_small_areas_are_not_ranked():
    made = ground(replace(SPEC, sites=4, smallest_area=6))
    rank = made.ranking(GRADES, np.random.default_rng(1), 100)
    assert (rank.positives, rank.areas) == (1, 5)


def test_several_regions_are_drawn_whole_and_one_by_its_areas():
    north, south = ground().restored(GRADES)
    assert _units([north, south]) == [north.adequacy, south.adequacy]
    assert _units([north]) == [Adequacy(1, 0, 0, 0)] + [Adequacy(0, 0, 0, 1)] * 4
    assert sum(_units([north]), Adequacy(0, 0, 0, 0)) == north.adequacy


PEOPLE = st.lists(
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), min_size=1
)


@given(PEOPLE, st.integers(0, 2**32))
def test_permuting_deals_the_labels_out(people, seed):
    file = records(("way",), [(str(n), *counts) for n, counts in enumerate(people)])
    dealt = permuted(file, [seed])
    assert dealt.total_members == file.total_members
    assert dealt.records.tolist() == file.records.tolist()
    assert ((dealt.members >= 0) & (dealt.members <= dealt.records)).all()
    assert permuted(file, [seed]).members.tolist() == dealt.members.tolist()


def test_permuting_is_fair():
    """30 of 100 people in ten equal parts: three each on average."""
    file = records(("way",), [("foot", 10, 10), ("car", 10, 10), ("bus", 80, 10)])
    means = np.mean([permuted(file, [n]).members for n in range(500)], axis=0)
    assert means == pytest.approx([3, 3, 24], abs=0.3)


def test_the_base_is_found(tmp_path):
    found = attacked(tmp_path)
    (fuzzy,) = found.attackers
    assert fuzzy.adequacy == Adequacy(tp=1, fp=0, fn=0, tn=6)
    assert fuzzy.words[0] == "on foot, night"
    assert fuzzy.regions[0].crisp == tuple(AREAS.values())
    assert fuzzy.regions[0].outliers == ("f",)
    assert fuzzy.trusted is not None
    assert fuzzy.trusted.high == 1


KEYS = {"name", "rules", "regions", "adequacy"}


def test_json_has_the_promised_keys(tmp_path):
    """And no NaN: other programs refuse it."""
    data = json.loads(json.dumps(attacked(tmp_path).to_json(), allow_nan=False))
    assert data.keys() >= {"name", "regions", "attackers", "harmonised", "variables"}
    (region,) = data["regions"]
    assert region.keys() >= {"region", "areas", "quantity", "concentration", "outliers"}
    (fuzzy,) = data["attackers"]
    assert fuzzy.keys() >= KEYS
    rule_keys = {"text", "values", "df", "rcf", "no_false_positives", "support"}
    assert all(rule.keys() == rule_keys for rule in fuzzy["rules"])
    assert fuzzy["regions"][0].keys() >= {"region", "restored", "crisp", "outliers"}
    assert fuzzy["adequacy"].keys() >= {
        "tp", "fp", "fn", "tn", "pa", "youden_j", "predictive_j", "mb",
    }  # fmt: skip


def test_a_rule_without_false_positives_has_no_rcf(tmp_path):
    """The two civilians who walk at night become drivers: nobody else fits the rule."""
    (tmp_path / "pure.csv").write_text(
        "job,way,when\n" + "s,foot,night\n" * 40 + "c,car,day\n" * 90 + "c,foot,day\n" * 60
        + "c,car,night\n" * 60
    )  # fmt: skip
    found = attacked(tmp_path, auxiliary={"table": str(tmp_path / "pure.csv")})
    rule = found.to_json()["attackers"][0]["rules"][0]
    assert (rule["text"], rule["rcf"], rule["no_false_positives"]) == ("on foot, night", None, True)


def test_so_many_controls(tmp_path):
    for controls in (0, 3):
        (fuzzy,) = attacked(tmp_path, attack={"controls": controls}).attackers
        assert len(fuzzy.control) == controls
        assert fuzzy.as_good_by_chance == 0
        assert len(fuzzy.to_json()["control"]["trials"]) == controls


def test_nothing_stands_out(tmp_path):
    """Every area has five soldiers: no sensitivity, no Youden J, no ranks, and no NaN."""
    even = [row for row in MAIN if row[1] == "c"]
    even += [(area, "s", "foot", "night") for area in AREAS for _ in range(5)]
    found = attacked(tmp_path, main=even)
    (fuzzy,) = found.attackers
    assert fuzzy.adequacy == Adequacy(0, 0, 0, 7)
    assert (fuzzy.adequacy.youden_j, fuzzy.trusted, fuzzy.ranking.auc) == (None, None, None)
    assert fuzzy.intervals["youden_j"] is None
    assert fuzzy.as_good_by_chance == 0
    json.dumps(found.to_json(), allow_nan=False)


def test_no_rule_is_good_enough(tmp_path):
    found = attacked(tmp_path, attack={"rcf": 1000, "support": "99%"})
    (fuzzy,) = found.attackers
    assert fuzzy.rules == ()
    assert set(fuzzy.regions[0].quantity) == {0.0}
    assert fuzzy.adequacy == Adequacy(tp=0, fp=0, fn=1, tn=6)
    assert fuzzy.ranking.auc == 0.5
    json.dumps(found.to_json(), allow_nan=False)


def test_one_area_alone(tmp_path):
    found = attacked(tmp_path, main=[row for row in MAIN if row[0] == "f"])
    assert found.attackers[0].adequacy == Adequacy(0, 0, 0, 1)
    json.dumps(found.to_json(), allow_nan=False)


def test_everybody_attacks_who_is_asked(tmp_path):
    names = ["boosting", "fuzzy", "logistic"]
    found = attacked(tmp_path, attack={"attackers": names})
    assert [one.name for one in found.attackers] == names
    assert all(one.adequacy == Adequacy(1, 0, 0, 6) for one in found.attackers)


def test_an_attacker_does_not_depend_on_the_others(tmp_path):
    """Each has a stream of randomness of its own."""
    alone = attacked(tmp_path, attack={"attackers": ["boosting"]}).attackers[0]
    last = attacked(tmp_path, attack={"attackers": ["fuzzy", "boosting"]}).attackers[1]
    assert alone.to_json() == last.to_json()


def test_the_same_for_a_seed_whatever_the_threads(tmp_path):
    first = attacked(tmp_path, attack={"attackers": ["fuzzy", "logistic", "boosting"]})
    again = attacked(tmp_path, attack={"attackers": ["fuzzy", "logistic", "boosting"]}, threads=3)
    assert first.to_json() == again.to_json()


def test_weights_of_the_main_file(tmp_path):
    """Everybody in area g stands for ten."""
    rows = [(*row, "10" if row[0] == "g" else "1") for row in MAIN]
    found = attacked(tmp_path, main=rows, names=(*MAIN_NAMES, "w"), weight="w")
    (region,) = found.signals.regions
    assert region.quantity == (5, 9, 4, 6, 11, 90, 80)
    assert found.attackers[0].regions[0].crisp == region.quantity


def test_few_members_behind_a_rule_are_noted(tmp_path):
    """0.1 % of 45 members is no member at all; 30 % are 13.5."""
    assert "0.0 members" in attacked(tmp_path).notes[0]
    assert attacked(tmp_path, attack={**QUICK, "support": "30%"}).notes == ()


def test_grades_of_records_without_an_area_count_nowhere():
    released = records(
        ("land", "area", "way"), [*WAYS, ("north", None, "foot", 9, 0), (None, "1", "foot", 9, 0)]
    )
    truth = records(("land", "area"), PLACES)
    made = AttackInput(truth, released, SPEC, find_signals(truth, SPEC))
    grades = Grades(np.append(GRADES.fuzzy, [1.0, 1.0]), np.append(GRADES.crisp, [True, True]))
    north, _ = made.restored(grades)
    assert north.quantity == (5.5, 5.75, 6, 5.75, 7.25)


def test_records_are_what_the_tests_think():
    file = records(("way",), [("foot", 2, 1), ("car", 3, 0)])
    assert isinstance(file, Records)
    assert file.columns["way"].values == ("car", "foot")
    assert file.columns["way"].codes.tolist() == [1, 0]
