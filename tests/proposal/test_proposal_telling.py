"""Columns that point at people are found also where they are spelled or stored oddly."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.calling import call
from tests.support.proposing import as_csv, column, propose, role_of

from paretonym.model.hierarchy import Intervals, Mask, Suppress
from paretonym.model.schema import Role
from paretonym.proposal.words import words_of

REPEATED = [f"Value {i % 15}" for i in range(200)]


@pytest.mark.parametrize(
    "name",
    [
        "family_name",
        "spouse_name",
        "birth_name",
        "work_email",
        "household_id",
        "prénom",
        "UTILNAME",
    ],
)
def test_names_of_people_are_left_out_also_where_they_repeat(tmp_path: Path, name: str) -> None:
    assert role_of(tmp_path, name, REPEATED) is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["country_name", "region_id", "school_name"])
def test_names_of_places_are_no_names_of_people(tmp_path: Path, name: str) -> None:
    assert role_of(tmp_path, name, REPEATED) is Role.QUASI


def test_accents_do_not_hide_a_word() -> None:
    assert "prenom" in words_of("Prénom")


def test_numbers_that_a_program_stored_with_a_point_may_number_people(tmp_path: Path) -> None:
    """A missing cell turns whole numbers into 4711.0 in many programs; 47.11 is a measurement."""
    numbers = [f"{471_100_000 + 37 * i}.0" for i in range(120)]
    assert role_of(tmp_path, "matrikel", numbers) is Role.IDENTIFIER
    said, spec = column(tmp_path, "level", [f"{i}.{i % 9 + 1}" for i in range(120)])
    assert spec.roles == {Role.SENSITIVE}
    assert "Take care: whoever knows a value finds its row" in said


@pytest.mark.parametrize("name", ["lat", "longitude", "gps_northing"])
def test_coordinates_are_known_to_outsiders(tmp_path: Path, name: str) -> None:
    _, spec = column(tmp_path, name, [f"48.{1000 + 7 * i}" for i in range(120)])
    assert spec.roles == {Role.QUASI}
    assert isinstance(spec.hierarchy, Intervals)


def test_a_single_row_is_not_the_same_everywhere(tmp_path: Path) -> None:
    _, job = propose(tmp_path, "zip,sex\n01001,f\n")
    assert all(Role.INSENSITIVE not in c.roles for c in job.columns)


def test_blanks_around_numbers_do_not_make_texts(tmp_path: Path) -> None:
    _, spec = column(tmp_path, "age", [f" {20 + i % 60}" for i in range(180)])
    assert isinstance(spec.hierarchy, Intervals)


def test_a_few_other_values_among_numbers_are_told(tmp_path: Path) -> None:
    said, spec = column(tmp_path, "age", [*(str(i % 90) for i in range(180)), "90+"])
    assert isinstance(spec.hierarchy, Suppress)
    assert "all but 1 of the values are numbers" in said


def test_postcodes_of_different_length_are_masked(tmp_path: Path) -> None:
    codes = [f"{area} {i % 9}AA" for i in range(30) for area in ("EC1A", "W1", "SW10", "N16")]
    _, spec = column(tmp_path, "postcode", codes)
    assert spec.hierarchy == Mask("right")


def test_months_are_grouped_by_the_calendar(tmp_path: Path) -> None:
    """Intervals from zero would leave December alone."""
    _, spec = column(tmp_path, "MONTH", [str(i % 12 + 1) for i in range(120)])
    assert spec.hierarchy == Intervals((Decimal(3), Decimal(6)), origin=Decimal(1))


def test_ages_and_places_keep_a_level_when_hierarchies_are_shortened(tmp_path: Path) -> None:
    """Levels that only pool rare values go first."""
    names = ["age", "zip", *(f"c{i}" for i in range(8))]
    kinds = "abcdefghij"
    rows = [
        [
            str(18 + r % 70),
            f"{10_000 + 37 * (r % 50)}",
            *(kinds[(r * (i + 3)) % 10 // 2] for i in range(8)),
        ]
        for r in range(4000)
    ]
    _, job = propose(tmp_path, as_csv(names, rows))
    specs = {c.name: c.hierarchy for c in job.columns}
    assert isinstance(specs["age"], Intervals)
    assert specs["zip"] == Mask("right")


def test_a_proposal_can_be_released_as_it_is(tmp_path: Path) -> None:
    """What finds no place repeats in other columns, and a list has no text to search for."""
    rows = 240
    answers = ["not in universe", "yes", "no", "refused"]
    columns = {f"q{i}": [answers[(r + i) % 4] for r in range(rows)] for i in range(13)}
    columns["age"] = [str(20 + r % 60) for r in range(rows)]
    table = pa.table({**columns, "visits": pa.array([[r] for r in range(rows)])})
    pq.write_table(table, tmp_path / "t.parquet")
    job = tmp_path / "job.yaml"
    assert call("init", tmp_path / "t.parquet", "-o", job).code == 0
    made = call("release", job, "--pick", "knee", "-o", tmp_path / "release")
    assert made.code == 0, made.err
    plan = (tmp_path / "release" / "internal" / "plan.json").read_text(encoding="utf-8")
    assert '"omitted"' in plan
    assert call("verify", tmp_path / "release", "--against", tmp_path / "t.parquet").code == 0


def test_sensitive_columns_that_single_people_out_are_named(tmp_path: Path) -> None:
    rows = "".join(f"{20 + i % 3},{3000 + 17 * i}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("age,income\n" + rows, encoding="utf-8")
    job = tmp_path / "job.yaml"
    assert call("init", tmp_path / "t.csv", "-o", job).code == 0
    said = call("check", job).err
    assert "TAKE CARE: sensitive and kept as they are" in said
    assert said.rstrip().endswith("income") or "its row: income" in said
