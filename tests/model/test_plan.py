"""A plan survives its way through JSON, and damage is noticed."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.plan import PLAN_FORMAT, Plan, sealed, steps_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.steps import Recode, Suppress

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
    steps=steps_of(
        SCHEMA,
        (
            recode("age", {"31": "[30, 40)", "38": "[30, 40)", None: None}),
            recode("salary", {"low": "low", "high": "high"}),
        ),
        Suppress(5, (Bound("distinct_l(note)", Direction.MAX, Fraction(3)),), limit_rows=301),
    ),
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
    steps = steps_of(SCHEMA, (recode("age", labels), PLAN.recodes[1]), Suppress(0))
    plan = Plan(SCHEMA, (), steps, "", 0)
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
        Plan.from_json(sealed(PLAN.to_json() | {key: junk}))


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_a_plan_without_one_of_its_steps_is_refused(lost):
    """A quasi-identifier without its recoding would be released as it is."""
    data = PLAN.to_json()
    del data["steps"][lost]
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(sealed(data))


@pytest.mark.parametrize("key", ["table", "missing", "columns", "steps"])
def test_a_plan_that_lacks_a_part_is_refused(key):
    data = PLAN.to_json()
    del data[key]
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(sealed(data))


def places(data, path=()):
    """Every place of nested data but the whole."""
    steps = data.items() if isinstance(data, dict) else enumerate(data)
    for step, inside in steps:
        yield (*path, step)
        if isinstance(inside, dict | list):
            yield from places(inside, (*path, step))


SAID = json.loads(json.dumps(PLAN.to_json()))


@pytest.mark.parametrize("path", list(places(SAID)), ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize("drop", [False, True])
def test_no_part_of_a_plan_can_be_edited_unnoticed(path, drop):
    data = copy.deepcopy(SAID)
    inside = data
    for step in path[:-1]:
        inside = inside[step]
    if drop:
        del inside[path[-1]]
    else:
        inside[path[-1]] = "something else"
    words = {("format",): "not a plan", ("digest",): "carries no digest" if drop else "changed"}
    with pytest.raises(JobError, match=words.get(path, "was changed after it was written")):
        Plan.from_json(data)


@given(st.dictionaries(st.none() | st.text(), st.none() | st.text(), min_size=1), st.booleans())
def test_layout_is_no_edit(labels, ascii_only):
    """Somebody may have had an editor lay the file out anew, with its keys in another order."""
    steps = steps_of(SCHEMA, (recode("age", labels), PLAN.recodes[1]), Suppress(0))
    plan = Plan(SCHEMA, (), steps, "", 0)
    turned = dict(reversed(plan.to_json().items()))
    text = json.dumps(turned, indent=7, ensure_ascii=ascii_only)
    assert Plan.from_json(json.loads(text)) == plan


def test_who_computes_the_digest_anew_is_not_noticed():
    """It is no signature, and says so in the docs."""
    data = copy.deepcopy(SAID)
    data["steps"][-1]["suppress"]["below"] = 0
    assert Plan.from_json(sealed(data)).suppress.below == 0


@pytest.mark.parametrize(("version", "said"), [(None, "an earlier version"), ("0.0.7", "0.0.7")])
def test_a_plan_of_an_earlier_version_is_refused_with_that_version(version, said):
    data = {key: value for key, value in SAID.items() if key not in ("digest", "software")}
    with pytest.raises(JobError, match=f"{said}.*release again"):
        Plan.from_json(data, written_by=version)
