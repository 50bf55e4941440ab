"""`type` and `write` in a job: what they mean for a column, and its order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paretonym.jobfile.loading import parse_job
from paretonym.model.job import ColumnSpec
from paretonym.model.writing import ValueOrder

COMMA = ValueOrder("number", decimal_comma=True)
YEARS = ValueOrder("date", format="%Y")
ORDERED = {"order": ["b", "a"], "groups_of": 2}
LISTED = ValueOrder("listed", listed=("b", "a"))


def spec(**keys: Any) -> ColumnSpec:
    quasi = {"q": {"role": "quasi", "hierarchy": "suppress"}}
    columns = {"x": {"role": "quasi"} | keys, **quasi}
    data = {"table": "people.csv", "columns": columns, "objectives": ["k"]}
    return parse_job(data, base=Path()).columns[0]


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        ({"hierarchy": "suppress"}, ValueOrder()),
        ({"hierarchy": "suppress", "type": "number"}, ValueOrder("number")),
        ({"hierarchy": "suppress", "type": "number", "decimal_comma": True}, COMMA),
        ({"hierarchy": {"intervals": 5}}, ValueOrder("number")),
        ({"hierarchy": {"intervals": 5, "decimal_comma": True}}, COMMA),
        ({"hierarchy": {"intervals": 5, "decimal_comma": True}, "type": "number"}, COMMA),
        ({"hierarchy": {"date": "year"}, "format": "%Y"}, YEARS),
        ({"hierarchy": {"mask": "right"}, "format": "%Y", "write": "median"}, YEARS),
        ({"hierarchy": {"date": "year"}, "format": "%Y", "type": "number"}, ValueOrder("number")),
        ({"hierarchy": ORDERED}, LISTED),
        ({"partitions": {"all": {"mask": "left"}, "runs": ORDERED}}, LISTED),
    ],
)
def test_the_order_of_a_column(keys: dict[str, Any], order: ValueOrder) -> None:
    """What is said of the column goes before what its first ordered builder implies."""
    assert spec(**keys).order == order


@pytest.mark.parametrize("role", ["sensitive", "target", "identifier", "insensitive", "weight"])
def test_a_type_may_stand_on_every_column(role: str) -> None:
    found = spec(role=role, type="number", decimal_comma=True)
    assert (found.numeric, found.decimal_comma, found.write) == (True, True, "label")
    assert found.order == COMMA


@pytest.mark.parametrize("way", ["label", "mean", "median", "mode"])
def test_ways_to_write(way: str) -> None:
    assert spec(hierarchy={"intervals": 5}, write=way).write == way
    assert spec(hierarchy="suppress", type="number", write=way).write == way


def test_values_are_written_as_labels_unless_said_otherwise() -> None:
    assert spec(hierarchy="suppress").write == "label"
    assert not spec(hierarchy={"intervals": 5}).numeric
