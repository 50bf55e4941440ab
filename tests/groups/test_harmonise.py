"""Two files made alike: counts by hand, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paretonym.errors import JobError
from paretonym.groups.harmonise import Agreement
from paretonym.pipeline.api import make_job
from paretonym.pipeline.grouping import signals_of

MAIN = """\
area,job,age,way,h,m
1,s,20,10,05,30
1,c,30,11,06,00
2,c,40,12,06,00
2,c,95,10,07,15
"""
OTHER = """\
occupation,years,transport,leaves
s,020,walked,0530
s,30.0,walked,0530
c,40,car,0600
c,,car,0600
"""
HARMONISE: dict[str, Any] = {
    "both": {"age": {"range": [18, 45]}},
    "main": {
        "way": {"map": {"10": "walked"}, "rest": "car"},
        "leaves": {"from": ["h", "m"], "map": {"05-30": "early"}, "rest": "late"},
    },
    "auxiliary": {
        "age": {"from": "years", "range": [18, 45]},
        "way": {"from": "transport"},
        "leaves": {"map": {"0530": "early", "0600": "late"}},
    },
}
AUXILIARY = {"table": "other.csv", "vital": "occupation = s", "harmonise": HARMONISE}
GROUP: dict[str, Any] = {"vital": "job = s", "parameter": "area", "auxiliary": AUXILIARY}
BASIC = ["age", "way", "leaves"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "main.csv").write_text(MAIN)
    (tmp_path / "other.csv").write_text(OTHER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def both(*, auxiliary: dict[str, Any] | None = None, **changes: Any) -> Agreement:
    made = AUXILIARY | (auxiliary or {})
    group = {**GROUP, "basic": BASIC, "auxiliary": made, **changes}
    (one,) = signals_of(make_job({"table": "main.csv", "groups": {"g": group}}))
    assert one.harmonised is not None
    return one.harmonised


def plain(records: Any) -> list[tuple[Any, ...]]:
    columns = [[c.values[code] for code in c.codes] for c in records.columns.values()]
    return list(zip(*columns, records.records.tolist(), records.members.tolist(), strict=True))


def test_rename_recode_merge_and_range():
    """The main file loses who is 95, the other one who has no age; 020 and 30.0 are numbers."""
    found = both(variables={"age": {"young": {"z": [20, 30]}}})
    assert plain(found.main.records) == [
        ("20", "walked", "early", "1", 1, 1),
        ("30", "car", "late", "1", 1, 0),
        ("40", "car", "late", "2", 1, 0),
    ]
    assert plain(found.auxiliary.records) == [
        ("20", "walked", "early", 1, 1),
        ("30", "walked", "early", 1, 1),
        ("40", "car", "late", 1, 0),
    ]


def test_counts_before_and_after():
    found = both(variables={"age": {"young": {"z": [20, 30]}}}).to_json()
    assert found["attributes"] == BASIC
    assert found["main"] == {
        "records_before": 4, "records_after": 3, "members_before": 1, "members_after": 1,
        "combinations": 3, "dropped": {"age": 1},
    }  # fmt: skip
    assert found["auxiliary"]["dropped"] == {"age": 1}
    assert found["auxiliary"]["members_after"] == 2


def test_both_files_have_the_same_codes():
    found = both(variables={"age": {"young": {"z": [20, 30]}}})
    for name in BASIC:
        values = found.main.records.columns[name].values
        assert found.auxiliary.records.columns[name].values == values


def test_intervals_take_the_place_of_numbers():
    recipe = {"intervals": [25, 35]}
    harmonise = {
        **HARMONISE,
        "both": {},
        "main": {**HARMONISE["main"], "age": recipe},
        "auxiliary": {**HARMONISE["auxiliary"], "age": {"from": "years", **recipe}},
    }
    del harmonise["both"]
    with pytest.raises(JobError, match="do not match"):  # who is 95 is >= 35, nobody is missing
        both(auxiliary={"harmonise": harmonise})
    (Path("other.csv")).write_text(OTHER.replace("c,,car", "c,95,car"))
    found = both(auxiliary={"harmonise": harmonise})
    assert found.main.records.columns["age"].values == ("< 25", ">= 35", "[25, 35)")
    assert (found.main.before, found.main.records.total) == (4, 4)


def test_an_attribute_that_only_drops_records():
    assert list(both(basic=["way"]).main.records.columns) == ["way", "area"]
    assert both(basic=["way"]).main.records.total == 3


def test_equal_combinations_become_one():
    found = both(basic=["way"], parameter="job", vital="area = 1")
    assert plain(found.main.records) == [("car", "c", 2, 1), ("walked", "s", 1, 1)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"both": {"age": {"range": [200, 300]}}},
            ["main file", "drop every one of 4 records", "age alone 4"],
        ),
        (
            {"both": {"age": {"range": [30, 45]}}},
            ["main file", "drop every one of 1 members"],
        ),
        (
            {"auxiliary": {**HARMONISE["auxiliary"], "way": {"from": "transprot"}}},
            ["auxiliary.harmonise: other.csv has no column 'transprot'", "'transport'"],
        ),
        (
            {"auxiliary": {k: v for k, v in HARMONISE["auxiliary"].items() if k != "way"}},
            ["other.csv has no column 'way'"],
        ),
        (
            {"main": {**HARMONISE["main"], "way": {"map": {"10": "on foot"}}}},
            ["do not match", "- way: 3 codes (100.0% of its records) in the main file only",
             "- way: 2 codes (100.0% of its records) in the auxiliary file only"],
        ),
        (
            {"main": {**HARMONISE["main"], "way": {"map": {"10": "x"}, "type": "number"}}},
            ["main file, attribute 'way': 1 of 3 values cannot be read as a number"],
        ),
    ],
)  # fmt: skip
def test_what_is_refused(changes, words):
    with pytest.raises(JobError) as caught:
        both(auxiliary={"harmonise": {**HARMONISE, **changes}},
             variables={"age": {"young": {"z": [20, 30]}}})  # fmt: skip
    said = str(caught.value)
    assert all(word in said for word in words), said
    assert "walked" not in said


def test_an_auxiliary_file_without_the_group(folder: Path):
    (folder / "other.csv").write_text(OTHER.replace("\ns,", "\nc,"))
    with pytest.raises(JobError, match=r"g\.auxiliary\.vital: .*'s' does not occur"):
        both()
    (folder / "other.csv").write_text(OTHER.replace("occupation", "job").replace("\ns,", "\nc,"))
    with pytest.raises(JobError, match=r"g\.auxiliary\.vital: none of the 4 records"):
        both(auxiliary={"vital": None})


def test_codes_of_a_variable_must_occur():
    with pytest.raises(JobError, match=r"variables\.way\.by bus: none of its codes occurs"):
        both(variables={"way": {"by bus": {"is": ["bus"]}, "walks": {"is": ["walked", "ran"]}}})


def test_rare_codes_of_one_file_are_noted(folder: Path):
    rows = MAIN.splitlines()
    (folder / "main.csv").write_text("\n".join([*rows[:1], *(rows[1:] * 10), "2,c,40,13,06,00"]))
    harmonise = {**HARMONISE, "main": {
        **HARMONISE["main"], "way": {"map": {"10": "walked", "11": "car", "12": "car"}},
    }}  # fmt: skip
    found = both(auxiliary={"harmonise": harmonise}, basic=["way", "leaves"])
    assert found.notes == ("way: 1 codes (3.2% of its records) in the main file only",)
