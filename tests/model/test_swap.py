"""Swaps survive their way through JSON, and no damage passes for other swaps."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.model.logic.predicate import AllOf, Not, ValueIn
from paretonym.model.plan import Plan, sealed, steps_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.steps import Suppress
from paretonym.model.swap import (
    SWAPS_FORMAT,
    Graded,
    GradedAttribute,
    GroupPromise,
    Margin,
    Swaps,
)

RULES = Graded(
    attributes=(
        GradedAttribute("age", ("age",), {("31",): (0.0, 0.75), ("38",): (1.0, 0.25)}),
        GradedAttribute("kind", ("sex", "job"), {("f", None): (1.0,), ("m", "baker"): (0.5,)}),
    ),
    rules=((2, 1), (0, 1)),
    cut=0.5,
)
BY_VALUES = GroupPromise(
    group="army",
    parameter=("area",),
    region="state",
    only=Not(ValueIn("age", frozenset({None}))),
    member=AllOf((ValueIn("job", frozenset({"soldier"})),)),
    signal="quantity",
    alpha="1/100",
    side="upper",
    ignore=("09",),
    smallest_area=10,
    outliers_before={"01": ("04",), "02": ()},
    outliers_after={"01": (), "02": ()},
)
BY_RULES = replace(BY_VALUES, group="by rules", member=RULES, signal="concentration", side="both")
SWAPS = Swaps(
    ("area", "state"), ((0, 7), (9, 3)), "f" * 64, 10, (BY_VALUES, BY_RULES),
    (Margin(("area", "sex")),),
)  # fmt: skip
SCHEMA = Schema.of(
    [
        Column("job", frozenset({Role.IDENTIFIER})),
        *(Column(name, frozenset({Role.INSENSITIVE})) for name in ("age", "sex", "area", "state")),
    ]
)
STEPS = steps_of(SCHEMA, (), Suppress(0), swaps=SWAPS)
PLAN = Plan(SCHEMA, ("",), STEPS, SWAPS.fingerprint_after, 10)


def through_text(data):
    return json.loads(json.dumps(data))


def test_round_trip_through_text():
    assert Swaps.from_json(through_text(SWAPS.to_json())) == SWAPS


def test_a_plan_makes_its_swaps_first():
    data = through_text(PLAN.to_json())
    assert [next(iter(step)) for step in data["steps"]] == ["swap", "drop", "suppress"]
    assert Plan.from_json(data) == PLAN


def test_columns_name_everything_that_is_spoken_of():
    assert BY_VALUES.columns == ("state", "area", "age", "job")
    assert BY_RULES.columns == ("state", "area", "age", "sex", "job")
    assert SWAPS.named == ("area", "state", "age", "job", "sex")


def test_other_pairs_make_another_table():
    other = replace(SWAPS, pairs=((0, 7),))
    assert len({SWAPS.fingerprint, SWAPS.fingerprint_after, other.fingerprint_after}) == 3
    assert replace(SWAPS, promises=()).fingerprint_after == SWAPS.fingerprint_after
    assert replace(SWAPS, promises=()).digest != SWAPS.digest


@pytest.mark.parametrize(
    "change",
    [
        {"pairs": ((0, 0),)},
        {"pairs": ((0, 10),)},
        {"pairs": ((-1, 2),)},
        {"columns": ()},
        {"columns": ("area", "area")},
    ],
)
def test_swaps_that_cannot_be_made_are_refused(change):
    with pytest.raises(ValueError, match=r"\w"):
        replace(SWAPS, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"alpha": "1"},
        {"alpha": "1e-2"},
        {"signal": "loudness"},
        {"side": "lower"},
        {"outliers_after": {"01": ()}},
        {"outliers_before": {"01": ("09",), "02": ()}},
        {"region": None},
        {"parameter": ()},
    ],
)
def test_promises_that_mean_nothing_are_refused(change):
    with pytest.raises(ValueError, match=r"\w"):
        replace(BY_VALUES, **change)


@pytest.mark.parametrize("rules", [((3, 1),), ((1, -1),), ((1,),)])
def test_rules_name_fuzzy_values_that_there_are(rules):
    with pytest.raises(ValueError, match="rule"):
        replace(RULES, rules=rules)


@pytest.mark.parametrize("data", [None, [], {}, {"format": "paretonym-plan/1"}])
def test_another_format_is_refused(data):
    with pytest.raises(JobError, match=SWAPS_FORMAT):
        Swaps.from_json(data)


def places(data, path=()):
    """Every place of nested data."""
    yield path
    steps = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for step, inside in steps:
        yield from places(inside, (*path, step))


JUNK = st.none() | st.booleans() | st.integers(-3, 12) | st.floats() | st.sampled_from(
    ["", "area", "1/0", "0.5", [], {}, [[0, 1]], {"": []}, {"column": "x", "in": []}]
)  # fmt: skip


def mutated(whole, path, junk, *, drop):
    data = copy.deepcopy(whole)
    if not path:
        return junk
    inside = data
    for step in path[:-1]:
        inside = inside[step]
    if drop:
        del inside[path[-1]]
    else:
        inside[path[-1]] = junk
    return data


@example(("groups", 0, "alpha"), "1/0", False)
@given(st.sampled_from(list(places(SWAPS.to_json()))), JUNK, st.booleans())
def test_what_is_read_is_what_stands_there(path, junk, drop):
    """Whatever is damaged is refused, or the reading says exactly what the file says."""
    data = mutated(SWAPS.to_json(), path, junk, drop=drop)
    try:
        read = Swaps.from_json(data)
    except JobError:
        return
    assert through_text(read.to_json()) == through_text(data)


@given(st.sampled_from(list(places(PLAN.to_json()))), JUNK, st.booleans())
def test_a_damaged_plan_never_loses_or_changes_its_swaps(path, junk, drop):
    data = mutated(PLAN.to_json(), path, junk, drop=drop)
    try:
        read = Plan.from_json(sealed(data)) if isinstance(data, dict) else PLAN
    except JobError:
        return
    assert read.swaps is not None
    assert (read.swaps.pairs, read.swaps.columns) == (SWAPS.pairs, SWAPS.columns)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda plan: plan["steps"].pop(0),
        lambda plan: plan["table"].pop("swapped_from"),
        lambda plan: plan["table"].update(fingerprint="f" * 64),
        lambda plan: plan["steps"][0]["swap"]["pairs"].pop(),
        lambda plan: plan["steps"].append(plan["steps"].pop(0)),
    ],
)
def test_a_plan_whose_swaps_do_not_fit_is_refused(spoil):
    data = through_text(PLAN.to_json())
    spoil(data)
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(sealed(data))
