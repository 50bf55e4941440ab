"""What a job file means: texts stay texts, forms become specifications."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paretonym import datasets
from paretonym.app.job import load_job, parse_job
from paretonym.errors import JobError
from paretonym.model.hierarchy import (
    Dates,
    Family,
    FromFile,
    Groups,
    HierarchySpec,
    Intervals,
    Mask,
    OrderedGroups,
    Suppress,
)
from paretonym.model.job import Job, Limit, SearchOptions, Suppression
from paretonym.model.schema import Role

JOB = """\
table: people.csv
columns:
  zip: {role: quasi, hierarchy: HIERARCHY}
  job: {role: sensitive}
objectives: [k]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "job.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def job_with(folder: Path, hierarchy: str) -> Job:
    return load_job(write(folder, JOB.replace("HIERARCHY", hierarchy)))


def plain(**changes: Any) -> dict[str, Any]:
    columns = {"zip": {"role": "quasi", "hierarchy": "suppress"}, "job": {"role": "sensitive"}}
    return {"table": "people.csv", "columns": columns, "objectives": ["k"], **changes}


def test_bundled_job_loads() -> None:
    """Eight quasi-identifiers of the Adult table, in the order of the file."""
    job = load_job(datasets.path("adult/job.yaml"))
    assert len(job.quasi) == 8
    assert job.quasi[0] == "age"
    assert job.source.data == datasets.path("adult")
    assert job.suppression == Suppression(Limit(percent=Decimal(1)), "staircase")
    assert job.search == SearchOptions("auto", 1)
    assert job.columns[-1].roles == {Role.QUASI, Role.TARGET}


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("suppress", Suppress()),
        ("{mask: right}", Mask("right")),
        ("{intervals: [5, 10]}", Intervals((Decimal(5), Decimal(10)))),
        ("{intervals: 0.5, origin: -1}", Intervals((Decimal("0.5"),), Decimal(-1))),
        (
            "{intervals: [5], bottom: 10, top: 90, decimal_comma: yes}",
            Intervals((Decimal(5),), Decimal(0), Decimal(10), Decimal(90), True),
        ),
        (
            "{order: [01, no, 2020-01-01, ~], groups_of: [2, 4]}",
            OrderedGroups(("01", "no", "2020-01-01", "~"), (2, 4)),
        ),
        ("{groups: {a: [01001, 1e5]}}", Groups(((("a", ("01001", "1e5")),),))),
        (
            "{groups: [{a: [x], b: [y]}, {c: [a, b]}], open_top: true}",
            Groups(((("a", ("x",)), ("b", ("y",))), (("c", ("a", "b")),)), True),
        ),
    ],
)
def test_hierarchy_forms(tmp_path: Path, text: str, spec: HierarchySpec) -> None:
    assert job_with(tmp_path, text).columns[0].hierarchy == spec


def test_file_hierarchies_are_found_beside_the_job(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("1;*\n")
    near = job_with(tmp_path, '{file: zip.csv, delimiter: ";"}').columns[0].hierarchy
    assert near == FromFile(tmp_path / "zip.csv", ";")
    bundled = job_with(tmp_path, "{file: 'dataset:adult/education.csv'}").columns[0].hierarchy
    assert bundled == FromFile(datasets.path("adult/education.csv"))


def test_dates_take_the_format_of_their_column(tmp_path: Path) -> None:
    chain = job_with(tmp_path, '{date: [month, year]}, format: "%d/%m/%y"').columns[0]
    assert chain.hierarchy == Dates("%d/%m/%y", ("month", "year"))
    text = JOB.replace(
        "hierarchy: HIERARCHY", 'format: "%Y", partitions: {y: {date: year}, all: {mask: left}}'
    )
    family = load_job(write(tmp_path, text)).columns[0].hierarchy
    assert family == Family((("y", Dates("%Y", ("year",))), ("all", Mask("left"))))


def test_decimal_comma_of_a_column_is_that_of_its_intervals(tmp_path: Path) -> None:
    spec = job_with(tmp_path, "{intervals: 5}, decimal_comma: true").columns[0].hierarchy
    assert spec == Intervals((Decimal(5),), decimal_comma=True)


def test_weight_is_exact(tmp_path: Path) -> None:
    assert job_with(tmp_path, "suppress, weight: 0.1").columns[0].weight == Fraction(1, 10)


@pytest.mark.parametrize(
    ("limit", "rows_of_30162"),
    [("1%", 301), ("1 %", 301), ("0.5%", 150), ("30", 30), ("30 rows", 30), ("1 row", 1),
     ("0", 0), ("0%", 0), ("99.9%", 30131), (30, 30)],
)  # fmt: skip
def test_limits(limit: object, rows_of_30162: int) -> None:
    job = parse_job(plain(suppression={"limit": limit}), base=Path())
    assert job.suppression.limit.of(30162) == rows_of_30162


@pytest.mark.parametrize("limit", ["0.01", 0.01, 1.0, "1.0", ".5", "1e-2"])
def test_a_bare_fraction_is_refused(limit: object) -> None:
    with pytest.raises(JobError, match=r"suppression\.limit: .*write 1% or a number of rows"):
        parse_job(plain(suppression={"limit": limit}), base=Path())


@pytest.mark.parametrize("limit", ["100%", "101%", "-1", "-1%", "1,5%", "", "x", True, [1], "١%"])
def test_other_limits_are_refused(limit: object) -> None:
    with pytest.raises(JobError, match=r"suppression\.limit: .*1% or a number of rows"):
        parse_job(plain(suppression={"limit": limit}), base=Path())


def test_defaults() -> None:
    job = parse_job(plain(), base=Path("/data"))
    assert job.source.data == Path("/data/people.csv")
    assert job.source.missing == ("",)
    assert job.suppression == Suppression(Limit(rows=0), "staircase")
    assert job.search == SearchOptions("auto", None)
    assert dict(job.require) == {}


def test_table_options() -> None:
    table = {"path": "x.csv", "delimiter": ";", "encoding": "latin-1", "missing": ["?", ""]}
    source = parse_job(plain(table={**table, "names": ["zip", "job"]}), base=Path("/d")).source
    assert (source.data, source.delimiter, source.encoding) == (Path("/d/x.csv"), ";", "latin-1")
    assert source.names == ("zip", "job")
    assert source.missing == ("", "?")  # the empty cell is always missing


def test_frames_and_paths_take_the_place_of_the_table() -> None:
    frame = pa.table({"zip": ["1"], "job": ["a"]})
    options = {"path": "x.csv", "missing": ["?"]}
    given = parse_job(plain(table=options), base=Path("/d"), table=frame).source
    assert given.data is frame
    assert given.missing == ("", "?")
    assert parse_job(plain(table=frame), base=Path("/d")).source.data is frame
    assert parse_job(plain(), base=Path("/d"), table="y.csv").source.data == Path("y.csv")
    bundled = parse_job(plain(), base=Path("/d"), table="dataset:adult").source
    assert bundled.data == datasets.path("adult")
    without = {key: value for key, value in plain().items() if key != "table"}
    assert parse_job(without, base=Path("/d"), table=frame).source.data is frame


def test_python_scalars_mean_what_their_text_means() -> None:
    columns = {
        "zip": {"role": [Role.QUASI], "hierarchy": {"intervals": [5, 10.0]}, "weight": Decimal(2)},
        "job": {"role": Role.SENSITIVE, "because": None},
        5: {"role": "identifier"},
    }
    job = parse_job(plain(columns=columns, require={"k": 5}, search={"seed": 3}), base=Path())
    assert job.columns[0].hierarchy == Intervals((Decimal(5), Decimal(10)))
    assert [column.name for column in job.columns] == ["zip", "job", "5"]
    assert job.require == {"k": Decimal(5)}
    assert job.search.seed == 3


def test_measures_keep_direction_and_lose_blanks() -> None:
    listed = ["k", " max: s_l( job )", "distinct_l(job)"]
    job = parse_job(plain(objectives=listed, require={"distinct_l( job )": 2}), base=Path())
    assert job.objectives == ("k", "max:s_l(job)", "distinct_l(job)")
    assert job.require == {"distinct_l(job)": Decimal(2)}


def test_a_measures_column_may_hold_parentheses() -> None:
    columns = {**plain()["columns"], "pay (EUR)": {"role": "sensitive"}}
    job = parse_job(plain(columns=columns, objectives=["distinct_l(pay (EUR))"]), base=Path())
    assert job.objectives == ("distinct_l(pay (EUR))",)


def test_anchors_are_followed(tmp_path: Path) -> None:
    text = JOB.replace("HIERARCHY", "&h {intervals: [5, 10]}").replace(
        "job: {role: sensitive}", "job: {role: quasi, hierarchy: *h}"
    )
    columns = load_job(write(tmp_path, text)).columns
    assert columns[0].hierarchy == columns[1].hierarchy


class TestDigest:
    """Equal for the same question, another one for another question."""

    def test_ignores_layout_places_and_table(self, tmp_path: Path) -> None:
        folders = [tmp_path / "a", tmp_path / "b"]
        for folder in folders:
            folder.mkdir()
            (folder / "zip.csv").write_text("1;*\n")
        one = job_with(folders[0], "{file: zip.csv}")
        text = "# note\n" + JOB.replace("HIERARCHY", '\n      {"file": "zip.csv"}')
        two = load_job(write(folders[1], text.replace("people", "other")))
        assert one.digest == two.digest
        assert len(one.digest) == 64

    def test_sees_the_content_of_a_hierarchy_file(self, tmp_path: Path) -> None:
        (tmp_path / "zip.csv").write_text("1;*\n")
        before = job_with(tmp_path, "{file: zip.csv}").digest
        (tmp_path / "zip.csv").write_text("1;*\n2;*\n")
        assert job_with(tmp_path, "{file: zip.csv}").digest != before

    def test_sees_numbers_not_their_writing(self, tmp_path: Path) -> None:
        five = job_with(tmp_path, "{intervals: [5]}").digest
        assert job_with(tmp_path, "{intervals: 5.0}").digest == five
        assert job_with(tmp_path, "{intervals: 6}").digest != five

    @pytest.mark.parametrize(
        "change",
        [
            {"objectives": ["glm"]},
            {"require": {"k": 2}},
            {"suppression": {"limit": 1}},
            {"suppression": {"rule": "paper"}},
            {"search": {"seed": 1}},
            {"table": {"path": "people.csv", "missing": ["?"]}},
            {"columns": {**plain()["columns"], "x": {"role": "identifier"}}},
        ],
    )
    def test_sees_every_part(self, change: dict[str, Any]) -> None:
        original = parse_job(plain(), base=Path()).digest
        assert parse_job(plain(**change), base=Path()).digest != original

    def test_limits_of_percent_and_rows_differ(self) -> None:
        digests = {
            parse_job(plain(suppression={"limit": limit}), base=Path()).digest
            for limit in ("1%", "1", "1 row", "1.0%")
        }
        assert len(digests) == 2
