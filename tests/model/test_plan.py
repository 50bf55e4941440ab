"""A plan survives its way through JSON, and damage is noticed."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.model.plan import PLAN_FORMAT, Plan, Recode, Suppress
from paretonym.model.schema import Column, Role, Schema

SCHEMA = Schema.of(
    [
        Column("name", frozenset({Role.IDENTIFIER})),
        Column("age", frozenset({Role.QUASI}), weight=Fraction(1, 3)),
        Column("salary", frozenset({Role.QUASI, Role.TARGET})),
        Column("note", frozenset({Role.INSENSITIVE}), because="free of names"),
    ]
)


def recode(column: str, labels: dict[str | None, str | None]) -> Recode:
    leaves = {label: list(labels.values()).count(label) for label in labels.values()}
    return Recode(column, 1, "width 10", labels, leaves, len(labels), hierarchy="ab12")


PLAN = Plan(
    schema=SCHEMA,
    missing=("", "NA"),
    recodes=(
        recode("age", {"31": "[30, 40)", "38": "[30, 40)", None: None}),
        recode("salary", {"low": "low", "high": "high"}),
    ),
    suppress=Suppress(5, {"distinct_l(note)": 3}, limit_rows=301),
    fingerprint="cd34",
    rows=30162,
)


def test_round_trip_through_text():
    assert Plan.from_json(json.loads(json.dumps(PLAN.to_json()))) == PLAN


def test_steps_stand_in_the_order_they_are_applied():
    kinds = [next(iter(step)) for step in PLAN.to_json()["steps"]]
    assert kinds == ["drop", "recode", "recode", "suppress"]
    assert PLAN.to_json()["steps"][0] == {"drop": ["name"]}


def test_a_recode_that_keeps_every_text_changes_nothing():
    age, salary = PLAN.recodes
    assert salary.changes_nothing
    assert not age.changes_nothing


@given(st.dictionaries(st.none() | st.text(), st.none() | st.text(), min_size=1))
def test_any_text_survives_and_missing_stays_apart_from_it(labels):
    plan = Plan(SCHEMA, (), (recode("age", labels), PLAN.recodes[1]), Suppress(0), "", 0)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


@pytest.mark.parametrize("data", [{}, {"format": "other/1"}, {"format": None}])
def test_another_format_is_refused(data):
    with pytest.raises(JobError, match=PLAN_FORMAT):
        Plan.from_json(data)


@pytest.mark.parametrize(
    ("key", "junk"),
    [
        *((key, junk) for key in ("table", "missing", "columns", "steps") for junk in (None, 3)),
        ("table", {"rows": "x"}),
        ("columns", [{"name": "age"}]),
        ("steps", [{"recode": {}}]),
        ("missing", [{"recode": {}}]),
        ("missing", {"rows": "x"}),
        ("steps", {"rows": "x"}),
    ],
)
def test_a_damaged_plan_is_refused(key, junk):
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(PLAN.to_json() | {key: junk})


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_a_plan_without_one_of_its_steps_is_refused(lost):
    """A quasi-identifier without its recoding would be released as it is."""
    data = PLAN.to_json()
    del data["steps"][lost]
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(data)


@pytest.mark.parametrize("key", ["table", "missing", "columns", "steps"])
def test_a_plan_that_lacks_a_part_is_refused(key):
    data = PLAN.to_json()
    del data[key]
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(data)
