"""Signals of a group, on a table that a hand can count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paretonym.errors import JobError, ParetonymError
from paretonym.pipeline.api import make_job
from paretonym.pipeline.grouping import Found, signals_of

# region, area, job, age, weight; `s` is a soldier
ROWS = (
    ("east", "1", "s", "20", "2"),
    ("east", "1", "s", "30", "3"),
    ("east", "1", "c", "40", "5"),
    ("east", "2", "s", "25", "1"),
    ("east", "2", "c", "50", "1"),
    ("east", "3", "c", "60", "1.5"),
    ("west", "1", "s", "21", "4"),
    ("west", "1", "c", "22", "4"),
    ("west", "1", "c", "23", "4"),
    ("west", "1", "c", "24", "4"),
    ("west", "2", "c", "70", "1"),
    ("west", "", "s", "19", "1"),
)
NAMES = ("region", "area", "job", "age", "weight")
TABLE = pa.table(dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True)))
GROUP = {"vital": "job = s", "parameter": ["region", "area"], "region": "region"}


def found(table: Any = TABLE, **changes: Any) -> Found:
    group = {key: value for key, value in {**GROUP, **changes}.items() if value is not None}
    (one,) = signals_of(make_job({"groups": {"soldiers": group}}, table=table))
    return one


def regions(**changes: Any) -> dict[str | None, dict[str, Any]]:
    return {one["region"]: one for one in found(**changes).to_json()["regions"]}


def test_quantity_and_concentration():
    """East: areas of 3, 2 and 1 records with 2, 1 and 0 soldiers; west: 4 and 1 with 1 and 0."""
    east, west = regions().values()
    assert (east["region"], west["region"]) == ("east", "west")
    assert east["areas"] == ["east-1", "east-2", "east-3"]
    assert east["records"] == [3, 2, 1]
    assert east["quantity"] == [2, 1, 0]
    assert east["concentration"] == [2 / 3, 1 / 2, 0]
    assert (west["quantity"], west["concentration"]) == ([1, 0], [1 / 4, 0])
    assert all(isinstance(number, int) for number in east["quantity"])


def test_who_has_no_area_is_counted():
    whole = found().to_json()
    assert (whole["records"], whole["members"]) == (12, 5)
    assert whole["left_out"]["without_area"] == 1


def test_weights():
    """East 1: soldiers of 2 + 3 among 10."""
    east = regions(weight="weight")["east"]
    assert east["quantity"] == [5, 1, 0]
    assert east["concentration"] == [5 / 10, 1 / 2, 0]
    assert east["records"] == [3, 2, 1]


def test_only_some_are_looked_at():
    """At most 25: of east only two soldiers are left, and nobody else."""
    east, west = regions(only="age <= 25").values()
    assert (east["areas"], east["quantity"], east["concentration"]) == (
        ["east-1", "east-2"], [1, 1], [1, 1],
    )  # fmt: skip
    assert (west["quantity"], west["concentration"]) == ([1], [1 / 4])


def test_small_areas_are_left_out_and_counted():
    whole = found(smallest_area=2)
    east, west = whole.signals.regions
    assert (east.areas, west.areas) == (("east-1", "east-2"), ("west-1",))
    left = whole.signals.left_out
    assert (left.areas, left.area_records, left.area_members) == (2, 2, 0)


def test_regions_hold_a_share_of_the_group():
    """East holds 3 of the 4 members that have an area, west 1: 25 %."""
    assert list(regions(region_share="25%")) == ["east", "west"]
    whole = found(region_share="25.1%").signals
    assert [one.region for one in whole.regions] == ["east"]
    assert (whole.left_out.regions, whole.left_out.region_members) == (1, 1)
    with pytest.raises(JobError, match=r"soldiers\.region_share: no region .* 75\.00%"):
        found(region_share="80%")


def test_without_regions_there_is_one():
    (only,) = regions(region=None).values()
    assert only["region"] is None
    assert only["areas"] == ["east-1", "east-2", "east-3", "west-1", "west-2"]


def test_one_column_labels_areas_by_itself():
    """Area 1 lies in both regions; each has its own."""
    east, west = regions(parameter=["area"]).values()
    assert (east["areas"], west["areas"]) == (["1", "2", "3"], ["1", "2"])


def test_labels_must_tell_areas_apart():
    table = pa.table({"a": ["x-y", "x"], "b": ["z", "y-z"], "job": ["s", "s"]})
    with pytest.raises(JobError, match="same joined label"):
        found(table, parameter=["a", "b"], region=None)


def spread(counts: list[int]) -> pa.Table:
    """Areas a, b, … with so many soldiers and ten others each."""
    names = [chr(ord("a") + place) for place in range(len(counts))]
    cells = [
        (name, job)
        for name, count in zip(names, counts, strict=True)
        for job in ["s"] * count + ["c"] * 10
    ]
    return pa.table({"area": [name for name, _ in cells], "job": [job for _, job in cells]})


SEVEN = spread([5, 9, 4, 6, 11, 90, 8])  # f stands out
PLAIN: dict[str, Any] = {"parameter": ["area"], "region": None}


def judged(table: pa.Table, **outliers: Any) -> dict[str, Any]:
    (only,) = found(table, **PLAIN, outliers=outliers).to_json()["regions"]
    return only


def test_what_stands_out():
    only = judged(SEVEN)
    assert only["outliers"] == {"quantity": ["f"], "concentration": ["f"]}
    assert only["notes"] == []


def test_the_experts_revision_is_recorded():
    only = judged(SEVEN, keep=["b"], ignore=["f"])
    assert only["outliers"] == {"quantity": ["b"], "concentration": ["b"]}
    assert only["found"] == {"quantity": ["f"], "concentration": ["f"]}
    whole = found(SEVEN, **PLAIN, outliers={"keep": ["b"], "ignore": ["f"]}).to_json()
    assert (whole["keep"], whole["ignore"]) == (["b"], ["f"])


@pytest.mark.parametrize("key", ["keep", "ignore"])
def test_a_revision_names_areas_that_exist(key):
    with pytest.raises(JobError, match=rf"outliers\.{key}, item 2: there is no such area among 7"):
        judged(SEVEN, **{key: ["a", "z"]})


def test_the_lower_side_on_request_only():
    low = spread([50, 56, 44, 52, 60, 0, 47])
    assert judged(low, side="both")["outliers"]["quantity"] == ["f"]
    assert judged(low, side="upper")["outliers"]["quantity"] == []


def test_flat_signals_are_noted():
    only = judged(spread([3, 3, 3, 3, 3, 4]))
    assert only["outliers"]["quantity"] == ["f"]
    assert any("quartiles agree" in note for note in only["notes"])


def test_fewer_than_three_areas():
    only = judged(spread([1, 90]))
    assert only["outliers"] == {"quantity": [], "concentration": []}
    assert only["notes"] == ["outliers need at least 3 areas; the region has 2"]


def test_the_difference_to_a_reference(tmp_path: Path):
    """The reference lacks area west-2 and has two soldiers less in east-1."""
    lines = [",".join(row) for row in ROWS if row[:3] not in {("east", "1", "s"), ROWS[10][:3]}]
    (tmp_path / "before.csv").write_text("\n".join([",".join(NAMES), *lines]) + "\n")
    east, west = regions(reference={"table": str(tmp_path / "before.csv")}).values()
    assert east["reference"]["quantity"] == [0, 1, 0]
    assert east["difference"]["quantity"] == [2, 0, 0]
    assert west["difference"] == {"quantity": [0, None], "concentration": [0, None]}


def test_several_files_are_one_table(tmp_path: Path):
    files = []
    for number in (0, 1):
        files.append(tmp_path / f"{number}.csv")
        lines = [",".join(row) for row in ROWS[number::2]]
        files[-1].write_text("\n".join([",".join(NAMES), *lines]) + "\n")
    job = make_job({"table": [str(file) for file in files], "groups": {"soldiers": GROUP}})
    (one,) = signals_of(job)
    assert one.to_json() == found().to_json()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vital": "job = x"}, ["groups.soldiers.vital", "'x' does not occur", "'job'"]),
        ({"vital": "jop = s"}, ["groups.soldiers.vital", "no column 'jop'", "'job'"]),
        ({"vital": "job = s and job = c"}, ["none of the 12 records", "correct the sentence"]),
        ({"only": "age > 90"}, ["groups.soldiers.only: no record fulfils it"]),
        ({"only": "job < 5"}, ["groups.soldiers.only", "cannot be read as one"]),
        ({"parameter": ["aera"]}, ["groups.soldiers.parameter", "'aera'", "did you mean 'area'"]),
        ({"region": "land"}, ["groups.soldiers.region", "'land'"]),
        ({"remove": ["jobs"]}, ["groups.soldiers.remove", "did you mean 'job'"]),
        ({"weight": "job"}, ["column 'job': a weight must be a number"]),
        ({"smallest_area": 100}, ["smallest_area: every area is smaller", "4 records"]),
        ({"parameter": ["a"], "region": "b"}, ["2 problems", ".parameter", ".region"]),
    ],
)
def test_bad_input(changes, words):
    with pytest.raises(ParetonymError) as caught:
        found(**changes)
    said = str(caught.value)
    assert all(word in said for word in words), said
    assert caught.value.exit_code == 2
    assert "1.5" not in said
