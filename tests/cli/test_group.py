"""`paretonym group signal`: for programs, for people, and where it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import call, make_people, write_csv, write_job
from tests.safety.cases import refused

NAMES = ("land", "area", "job", "age")
SOLDIERS = {"1": 5, "2": 9, "3": 4, "4": 6, "5": 11, "6": 90, "7": 8}
ROWS = [
    ("north", area, job, "30")
    for area, count in SOLDIERS.items()
    for job in ["s"] * count + ["c"] * 10
] + [("south", "1", "s", "20"), ("south", "2", "c", "CANARY")]
GROUP = {"vital": "job = s", "parameter": ["area"], "region": "land"}


@pytest.fixture
def job(tmp_path: Path) -> Path:
    write_csv(tmp_path / "table.csv", NAMES, ROWS)
    return write_job(tmp_path, {"table": "table.csv", "groups": {"soldiers": GROUP}})


def changed(job: Path, **changes: object) -> Path:
    return write_job(job.parent, {"table": "table.csv", "groups": {"g": {**GROUP, **changes}}})


def test_json(job):
    (group,) = call("group", "signal", job, "--json", "-q").json["groups"]
    north, south = group["regions"]
    assert group["name"] == "soldiers"
    assert north["region"] == "north"
    assert north["areas"] == list(SOLDIERS)
    assert north["quantity"] == list(SOLDIERS.values())
    assert north["concentration"][5] == 0.9
    assert north["outliers"] == {"quantity": ["6"], "concentration": ["6"]}
    assert south["notes"] == ["outliers need at least 3 areas; the region has 2"]


def test_words_for_people(job):
    said = call("group", "signal", changed(job, outliers={"ignore": ["6"]}, smallest_area=2))
    text = " ".join((said.out + said.err).split())
    assert said.code == 0
    for words in ("group g: 134 members among 205 records", "region north: 7 areas",
                  "revised by hand: 0 areas kept, 1 area ignored",
                  "left out: 2 areas with too few records (2, 1 of them members)"):  # fmt: skip
        assert words in text, text


def test_outliers_are_marked(job):
    lines = call("group", "signal", job).out.splitlines()
    (marked,) = [line for line in lines if "Q C" in line]
    assert marked.split()[:4] == ["6", "100", "90", "90.00%"]


def test_long_lists_show_what_matters(job):
    rows = [("north", f"{area:03}", "s", "1") for area in range(60) for _ in range(area % 7 + 1)]
    write_csv(job.parent / "table.csv", NAMES, [*rows, *[("north", "007", "s", "1")] * 99])
    said = call("group", "signal", job).out
    assert "60 areas; 24 shown: outliers and the largest" in said
    assert "007" in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vital": "job = x"}, "does not occur"),
        ({"parameter": ["aera"]}, "did you mean 'area'"),
        ({"auxiliary": {"table": "none.csv", "harmonise": {"age": {"map": {"30": "n"}}}}},
         "there is no such file"),
        ({"auxiliary": {"table": "table.csv", "harmonise": {"age": {"range": [98, 99]}}}},
         "cannot be read as a number"),
        ({"only": "age != CANARY",
          "auxiliary": {"table": "table.csv",
                        "harmonise": {"home": {"from": "land", "type": "number"}}}},
         "cannot be read as a number"),
        ({"auxiliary": {"table": "table.csv", "vital": "job = x",
                        "harmonise": {"age": {"map": {"30": "n"}}}}},
         "auxiliary.vital"),
    ],
)  # fmt: skip
def test_bad_input(job, changes, words):
    refused(call("group", "signal", changed(job, **changes), "-q"), 2, words)


def test_ranges_that_drop_every_record(job):
    write_csv(job.parent / "table.csv", NAMES, ROWS[:-1])
    harmonise = {"age": {"range": [98, 99]}}
    path = changed(job, auxiliary={"table": "table.csv", "harmonise": harmonise})
    refused(call("group", "signal", path, "-q"), 2, "drop every one of 204 records")


def test_jobs_of_the_other_kind(job, tmp_path):
    for command in (("front",), ("check",), ("secure",)):
        refused(call(*command, job, "-q"), 2, "no columns and no objectives")
    (tmp_path / "people").mkdir()
    refused(call("group", "signal", make_people(tmp_path / "people")), 2, "names no groups")
