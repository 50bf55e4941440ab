"""Protecting the groups of a job: what is masked, what stays, and what is refused."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.attacking import GROUP, MAIN, MAIN_NAMES, OTHER, OTHER_NAMES, csv_text

from paretonym.errors import InfeasibleError, JobError
from paretonym.jobfile.loading import parse_job
from paretonym.pipeline.protecting import Protection, protect_groups

NAMES = ("area", "land", "job", "sex", "age", "rank")
SOLDIERS = {"a": 3, "b": 5, "c": 4, "d": 6, "e": 40, "f": 4, "g": 5, "h": 3, "i": 30, "j": 4}
NURSES = {"a": 9, "b": 8, "c": 30, "d": 7, "e": 8, "f": 9, "g": 7, "h": 8, "i": 9, "j": 7}


def people(seed: int = 1) -> list[tuple[str, ...]]:
    """Ten areas of 120 people; soldiers stand out in e and i, nurses in c."""
    draw = random.Random(seed)
    rows = []
    for area in SOLDIERS:
        jobs = ["soldier"] * SOLDIERS[area] + ["nurse"] * NURSES[area]
        for job in jobs + ["clerk"] * (120 - len(jobs)):
            sex = draw.choice("mmmmf" if job == "soldier" else "fm")
            rank = draw.choice(["private", "general"]) if job == "soldier" else "none"
            rows.append((area, "one", job, sex, str(draw.randrange(18, 66)), rank))
    draw.shuffle(rows)
    return rows


SOLDIER: dict[str, Any] = {"vital": "job = soldier", "parameter": ["area"],
                           "outliers": {"side": "upper"}}  # fmt: skip
NURSE = {**SOLDIER, "vital": "job = nurse"}
PROTECT: dict[str, Any] = {"influential": {"sex": {"categorical": 1}, "age": {"ordinal": 1}},
                           "distortion": "100%"}  # fmt: skip


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "people.csv").write_text(csv_text(NAMES, people()))
    return tmp_path


def protected(
    folder: Path, *groups: dict[str, Any], spec: dict[str, Any] | None = None, **protect: Any
) -> Protection:
    """Soldiers unless groups are given; `protect` changes what is asked of each."""
    asked = {key: value for key, value in {**PROTECT, **protect}.items() if value is not None}
    named = {
        f"g{number}": {**group, **(spec or {}), "protect": {**asked, **group.get("protect", {})}}
        for number, group in enumerate(groups or (SOLDIER,))
    }
    job = parse_job({"table": "people.csv", "groups": named, "search": {"seed": 1}}, base=folder)
    return protect_groups(job, threads=2)


def texts(made: Protection, name: str, *, before: bool = False) -> list[str | None]:
    column = (made.before if before else made.after).columns[name]
    return [column.values[code] for code in column.codes]


def counts(made: Protection, *names: str, before: bool = False) -> Counter:
    return Counter(zip(*(texts(made, name, before=before) for name in names), strict=True))


def signal(made: Protection, job: str, *, before: bool = False) -> Counter:
    jobs = [row[2] for row in people()]
    areas = texts(made, "area", before=before)
    return Counter(a for a, j in zip(areas, jobs, strict=True) if j == job)


def passed(made: Protection) -> None:
    for group in made.groups:
        for one in group.regions:
            assert one.job_faults == []
            assert one.paper_faults == []
            assert one.remaining == ()
            assert 0 <= one.lower_bound <= one.distortion
    assert counts(made, "area") == counts(made, "area", before=True)
    used = made.groups[0].pairs.ravel()
    assert len(set(used.tolist())) == len(used)


def test_outliers_are_masked_and_areas_keep_their_sizes(folder):
    made = protected(folder)
    passed(made)
    (one,) = made.groups[0].regions
    assert one.task.outliers == ("e", "i")
    assert signal(made, "soldier", before=True) == SOLDIERS
    after = signal(made, "soldier")
    assert sum(after.values()) == sum(SOLDIERS.values())
    assert after["e"] < 25
    assert after["i"] < 25
    for name in ("sex", "age"):
        assert texts(made, name) == texts(made, name, before=True)
    data = made.groups[0].to_json()
    assert data["outliers_before"] == ["e", "i"]
    assert data["outliers_after"] == []
    assert data["feasible_job"]


def test_the_same_every_time(folder):
    assert protected(folder).pairs.tolist() == protected(folder).pairs.tolist()


def test_a_later_group_undoes_nothing(folder):
    both = protected(folder, SOLDIER, NURSE)
    alone = protected(folder, SOLDIER)
    passed(both)
    assert "c" in both.groups[1].regions[0].task.outliers
    assert signal(both, "soldier") == signal(alone, "soldier")
    assert signal(both, "nurse")["c"] < 20


def test_a_later_group_keeps_the_shares_of_an_earlier_one(folder):
    """The first group looks at men only: areas keep their men."""
    men = {**SOLDIER, "only": "sex = m", "outliers": {"side": "upper", "signal": "concentration"}}
    both = protected(folder, men, NURSE)
    assert counts(both, "area", "sex") == counts(both, "area", "sex", before=True)


@pytest.mark.parametrize("within", [0, 1, 2, 500])
def test_margins_are_kept(folder, within):
    """Exactly, or within so many people; sex itself does not matter here, so that it costs."""
    margin = {"keep_margins": [{"columns": ["area", "sex"], "within": within}]}
    by_age = {"influential": {"age": {"categorical": 1}, "rank": {"categorical": 1}}}
    made, free = protected(folder, **margin, **by_age), protected(folder, **by_age)
    passed(made)
    assert moved_most(made) <= within
    assert moved_most(free) > 2
    spent, freely = (one.groups[0].regions[0] for one in (made, free))
    assert spent.distortion >= freely.lower_bound
    if within == 500:
        assert spent.distortion == freely.distortion


def moved_most(made: Protection) -> int:
    """The largest change of the count of a sex in an area."""
    sexes = [row[3] for row in people()]
    old, new = (
        Counter(zip(texts(made, "area", before=one), sexes, strict=True)) for one in (True, False)
    )
    return max(abs(old[cell] - new[cell]) for cell in old | new)


def test_margins_of_two_stages_together_stay_within(folder):
    margins = {"keep_margins": [{"columns": ["area", "sex"], "within": 3}]}
    made = protected(folder, SOLDIER, NURSE, **margins, influential=["age", "sex"])
    assert moved_most(made) <= 3


def test_untouched_records_stay(folder):
    made = protected(folder, untouched="age >= 55")
    passed(made)
    stay = [int(row[4]) >= 55 for row in people()]
    moved = np.zeros(len(stay), bool)
    moved[made.pairs.ravel()] = True
    assert moved.any()
    assert not (moved & np.array(stay)).any()


def test_areas_that_may_be_left_and_entered(folder):
    made = protected(folder, **{"from": ["e", "i"], "to": ["a", "b", "e", "j"]},
                     new_outliers="allow")  # fmt: skip
    old, new = (signal(made, "soldier", before=one) for one in (True, False))
    assert {area for area in old if new[area] != old[area]} <= {"a", "b", "e", "i", "j"}
    assert new["e"] < old["e"]


def test_thresholds_by_hand(folder):
    made = protected(folder, threshold={"areas": {"e": 2, "i": 3}}, compatibility=1)
    new = signal(made, "soldier")
    assert new["e"] <= 2
    assert new["i"] <= 3
    passed(made)


def test_shares_of_areas(folder):
    """A small area with few soldiers that are many for it: its share sinks."""
    rows = [row for row in people() if row[0] != "a" or row[2] == "soldier"]
    rows += [("a", "one", "clerk", "m", "30", "none")] * 3
    (folder / "people.csv").write_text(csv_text(NAMES, rows))
    spec = {"outliers": {"side": "upper", "signal": "concentration"}}
    made = protected(folder, spec=spec, compatibility=0.3)
    (one,) = made.groups[0].regions
    assert {"a", "e", "i"} <= set(one.task.outliers)
    assert one.remaining == ()
    assert one.job_faults == []
    threshold = {r.area: r.threshold for r in one.task.restrictions}
    assert threshold["a"] < 1 < threshold["e"]  # the same share of 6 and of 120 people


def test_a_region_without_outliers_is_left_alone(folder):
    rows = people() + [(a.upper(), "two", *rest) for a, _, *rest in people(2) if a not in "cei"]
    (folder / "people.csv").write_text(csv_text(NAMES, rows))
    made = protected(folder, spec={"region": "land"})
    assert [one.task.name for one in made.groups[0].regions] == ["one"]
    assert made.pairs.max() < len(people())
    calm = protected(folder, spec={"only": "land = two"})
    assert (calm.groups[0].regions, len(calm.pairs)) == ([], 0)
    assert calm.groups[0].to_json()["gap"] == 0


def modelled(folder: Path, against: str | None, **protect: Any) -> Protection:
    """Soldiers walk at night; the model learns that from another file."""
    (folder / "main.csv").write_text(csv_text(MAIN_NAMES, MAIN))
    (folder / "other.csv").write_text(csv_text(OTHER_NAMES, OTHER))
    asked = {"influential": ["way", "when"], "distortion": "100%", **protect}
    if against is not None:
        asked["against"] = against
    group = {**GROUP, "auxiliary": {"table": "other.csv"}, "protect": asked}
    data = {"table": "main.csv", "groups": {"g": group}, "search": {"seed": 1}}
    return protect_groups(parse_job(data, base=folder), threads=2)


@pytest.mark.parametrize(
    ("against", "stages"),
    [("attributes", ["attributes"]), ("model", ["model"]), ("both", ["attributes", "model"]),
     (None, ["attributes", "model"])],
)  # fmt: skip
def test_by_attributes_and_by_a_model(tmp_path, against, stages):
    made = modelled(tmp_path, against)
    found = made.groups[0].stages
    assert [stage.by for stage in found] == stages
    for stage in found:
        area = np.array(texts(made, "area"))
        left = Counter(area[stage.member].tolist())
        assert left["f"] < 60, stage.by
    assert all(not one.job_faults for one in made.groups[0].regions)
    if against == "both":
        first = modelled(tmp_path, "attributes")
        soldier = found[0].member
        ours, theirs = (np.array(texts(one, "area"))[soldier] for one in (made, first))
        assert Counter(ours.tolist()) == Counter(theirs.tolist())


def refusal(kind: type[Exception], folder: Path, *args: Any, **options: Any) -> str:
    with pytest.raises(kind) as caught:
        protected(folder, *args, **options)
    said = str(caught.value)
    assert "soldier" not in said
    assert "private" not in said
    return said


def test_an_outlier_that_cannot_sink_says_how_far_it_can(folder):
    said = refusal(InfeasibleError, folder, untouched="rank = general or rank = private")
    assert "e can sink from 40 to 40 at most and should to 2" in said
    said = refusal(InfeasibleError, folder, **{"from": ["e"]})
    assert "i can sink from 30 to 30 at most" in said
    assert "e can" not in said


def test_too_little_distortion_says_what_is_needed(folder):
    """The figure that is told suffices: it is rounded up."""
    metric = {"influential": {"rank": {"categorical": 3}, "age": {"ordinal": 1}}}
    said = refusal(InfeasibleError, folder, distortion="0.001%", **metric)
    assert "protect.distortion allows 0.001%" in said
    needed = said.split("the swaps distort ")[1].split(" of the largest")[0]
    passed(protected(folder, distortion=needed, **metric))


def test_nobody_left_to_swap_with(folder):
    said = refusal(InfeasibleError, folder, untouched="job = nurse or job = clerk")
    assert "only 0 records that are no members" in said
    said = refusal(InfeasibleError, folder, keep_margins=[["area", "rank"]])
    assert "only 0 can be made" in said


def test_areas_of_one_record(folder):
    """Nothing stands out, or nothing is refused in another way than by figures."""
    rows = [(f"x{n}", "one", "soldier" if n < 2 else "clerk", "m", "30", "none") for n in range(9)]
    (folder / "people.csv").write_text(csv_text(NAMES, rows))
    made = protected(folder, new_outliers="allow", remaining="100%", spec={"only": "sex = m"},
                     threshold={"largest": 1})  # fmt: skip
    assert counts(made, "area") == counts(made, "area", before=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"from": ["e", "nowhere"]}, "g0.protect.from, item 2: there is no such area among 10"),
        ({"to": ["nowhere"]}, "protect.to, item 1"),
        ({"threshold": {"areas": {"nowhere": 3}}}, "protect.threshold.areas, item 1"),
        ({"threshold": {"largest": 9}}, "only 8 areas"),
        ({"spec": {"weight": "age"}}, "weight: swaps count records"),
        ({"against": "model"}, "auxiliary: this key is missing"),
        ({"influential": {"rank": {"ordinal": 1}}}, "3 are no numbers"),
        ({"influential": ["size"]}, "has no column 'size'"),
        ({"influential": None}, "say which columns should change little"),
        ({"keep_margins": [["area", "size"]]}, "has no column 'size'"),
    ],
)
def test_faults_of_the_job(folder, options, said):
    found = refusal(JobError, folder, **options)
    assert said in found
    assert "nowhere" not in found


def test_low_outliers_are_refused(folder):
    rows = [row for row in people() if row[0] not in "ei" and not (row[0] == "d" and
            row[2] == "nurse")]  # fmt: skip
    (folder / "people.csv").write_text(csv_text(NAMES, rows))
    said = refusal(JobError, folder, NURSE, spec={"outliers": {"side": "both"}})
    assert "areas that stand out by having few members: 1" in said


def test_groups_that_exchange_other_columns(folder):
    said = refusal(JobError, folder, SOLDIER, {**NURSE, "parameter": ["land"]})
    assert "exchange the same columns" in said


def test_a_job_without_protection(folder):
    job = parse_job({"table": "people.csv", "groups": {"g": SOLDIER}}, base=folder)
    with pytest.raises(JobError, match="no group says how"):
        protect_groups(job)


def test_an_area_kept_by_hand_is_masked_only_where_it_lies_above_the_middle(folder):
    """Area a has 3 soldiers, d has 6: the one can lose nothing, the other is to sink."""
    spec = {"outliers": {"side": "upper", "keep": ["a", "d"]}}
    (one,) = protected(folder, spec=spec).groups[0].regions
    assert one.task.outliers == ("d", "e", "i")
