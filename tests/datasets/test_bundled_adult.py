"""The bundled table, its hierarchies and its job file."""

from __future__ import annotations

import gzip
from decimal import Decimal
from itertools import pairwise
from math import prod
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import paretonym.datasets as datasets
from paretonym.datasets.prepare import prepare_adult
from paretonym.encode.hierarchies import build
from paretonym.errors import JobError
from paretonym.model.hierarchy import FromFile, HierarchySpec, Intervals, Suppress

DISTINCT = {
    "age": 72,
    "workclass": 7,
    "education": 16,
    "marital-status": 7,
    "race": 5,
    "sex": 2,
    "native-country": 41,
    "occupation": 14,
    "salary-class": 2,
}
BLOCKS = {
    "age": [72, 16, 9, 5, 3, 2, 1],
    "workclass": [7, 5, 3, 1],
    "education": [16, 8, 4, 1],
    "marital-status": [7, 5, 3, 1],
    "race": [5, 1],
    "sex": [2, 1],
    "native-country": [41, 12, 4, 2, 1],
    "salary-class": [2, 1],
}


@pytest.fixture(scope="module")
def table():
    return datasets.adult()


@pytest.fixture(scope="module")
def job():
    return YAML(typ="base").load(datasets.path("adult/job.yaml"))


def specification(hierarchy: object) -> HierarchySpec:
    """The few kinds of hierarchy that the bundled job uses."""
    match hierarchy:
        case {"intervals": list(widths)}:
            return Intervals(tuple(map(Decimal, widths)))
        case {"file": str(name)}:
            return FromFile(datasets.path(name.removeprefix("dataset:")))
        case "suppress":
            return Suppress()
    raise AssertionError(hierarchy)


def test_rows_columns_and_distinct_values(table):
    assert table.num_rows == 30_162
    assert {name: len(table[name].unique()) for name in table.column_names} == DISTINCT
    assert all(table[name].null_count == 0 for name in table.column_names)


def test_the_rows_are_the_original_ones_in_their_order(table):
    assert table.slice(0, 1).to_pylist() == [
        {
            "age": "39",
            "workclass": "State-gov",
            "education": "Bachelors",
            "marital-status": "Never-married",
            "race": "White",
            "sex": "Male",
            "native-country": "United-States",
            "occupation": "Adm-clerical",
            "salary-class": "<=50K",
        }
    ]
    assert not any(
        "?" in value or value != value.strip() for value in table["workclass"].unique().to_pylist()
    )


def test_every_hierarchy_builds_and_every_level_is_strictly_coarser(table, job):
    levels = {}
    for name, column in job["columns"].items():
        if "hierarchy" not in column:
            continue
        g = build(specification(column["hierarchy"]), name, table[name].unique().to_pylist())
        blocks = [partition.blocks for partition in g.partitions]
        assert blocks == BLOCKS[name]
        assert all(fine > coarse for fine, coarse in pairwise(blocks))
        assert g.is_chain
        assert len(g.leaves) == DISTINCT[name]
        levels[name] = g.levels
    assert prod(levels.values()) == 17_920


def test_the_job_names_every_column_once_with_its_role(table, job):
    assert set(job["columns"]) == set(table.column_names)
    assert job["table"] == "dataset:adult"
    assert job["columns"]["salary-class"]["role"] == ["quasi", "target"]
    assert job["columns"]["occupation"] == {"role": "sensitive"}
    assert job["objectives"] == ["k", "glm", "distinct_l(occupation)"]
    assert job["suppression"] == {"limit": "1%", "rule": "staircase"}
    assert job["search"] == {"method": "auto", "seed": "1"}


def test_the_readme_states_source_licence_and_block_counts():
    text = datasets.path("adult/README.md").read_text()
    assert "Becker, B. and Kohavi, R. (1996)" in text
    assert "CC BY 4.0" in text
    for name, blocks in BLOCKS.items():
        assert (
            f"| {name} | {DISTINCT[name]} | {len(blocks)} | {', '.join(map(str, blocks))} |" in text
        )


def test_the_example_is_the_bundled_job():
    example = Path(__file__).parents[2] / "examples" / "adult.yaml"
    assert example.resolve() == datasets.path("adult/job.yaml").resolve()
    assert not example.readlink().is_absolute()


def test_paths():
    assert datasets.path("adult").name == "adult.csv.gz"
    assert datasets.path("adult/education.csv").is_file()


@pytest.mark.parametrize(
    "name",
    ["", "adul", "adult/educatoin.csv", "..", "adult/../bundled.py", "/etc/passwd", "adult/", "."],
)
def test_unknown_names_and_path_tricks_are_refused(name):
    with pytest.raises(JobError, match="known are: adult"):
        datasets.path(name)


def test_a_misspelt_name_gets_a_hint():
    with pytest.raises(JobError, match=r"did you mean 'adult/education\.csv'"):
        datasets.path("adult/educatoin.csv")


def test_preparation_keeps_complete_rows_and_is_reproducible():
    line = "39, State-gov, 7, Bachelors, 13, Single, Clerk, Son, White, Male, 1, 0, 40, Peru, <=50K"
    lines = [
        line,
        line.replace("Peru", "?"),
        line.replace("Son", "?"),
        "",
        line.replace("39", "40"),
    ]
    made = prepare_adult(lines)
    assert gzip.decompress(made).decode().splitlines() == [
        "age,workclass,education,marital-status,race,sex,native-country,occupation,salary-class",
        "39,State-gov,Bachelors,Single,White,Male,Peru,Clerk,<=50K",
        "40,State-gov,Bachelors,Single,White,Male,Peru,Clerk,<=50K",
    ]
    assert prepare_adult(lines) == made


def test_the_bundled_file_carries_no_time_stamp():
    assert datasets.path("adult").read_bytes()[4:8] == b"\0\0\0\0"
