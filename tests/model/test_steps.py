"""Steps of a plan: what they say, what order they keep, and what an older version refuses."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.plan import PLAN_FORMAT, Plan, sealed, steps_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.steps import STEPS, Drop, Recode, Suppress, Swap
from paretonym.model.swap import Swaps
from paretonym.model.writing import ValueOrder, WrittenStatistics
from paretonym.publishing.step_checks import STEP_CHECKS
from paretonym.tables.applying import MAKES

SWAPS = Swaps(("area",), ((0, 1), (2, 3)), "f" * 64, 9)
DIVERSE = Bound("distinct_l(note)", Direction.MAX, Fraction(3))
RECODE = Recode("age", 1, "width 10", {"31": "[30, 40)"}, {"[30, 40)": 1}, 1, "ab12")
SCHEMA = Schema.of(
    [
        Column("name", frozenset({Role.IDENTIFIER})),
        Column("age", frozenset({Role.QUASI})),
        Column("area", frozenset({Role.INSENSITIVE}), because="exchanged"),
    ]
)
PLAN = Plan(
    SCHEMA,
    ("",),
    steps_of(SCHEMA, (RECODE,), Suppress(5, (DIVERSE,)), swaps=SWAPS),
    SWAPS.fingerprint_after,
    9,
)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Swap(SWAPS), "2 pairs of records exchange area"),
        (Swap(replace(SWAPS, pairs=((0, 1),))), "1 pair of records exchange area"),
        (Drop(("name", "id")), "left out as a whole: name, id"),
        (Drop(()), "no column is left out"),
        (RECODE, "age is shown at level 1 (width 10)"),
        (replace(RECODE, labels={"31": "31"}), "age is shown as it is"),
        (
            replace(RECODE, written=WrittenStatistics("mean", ValueOrder("number"), {})),
            "age is shown as the mean of its rows at level 1 (width 10)",
        ),
        (Suppress(0), "no row is left out"),
        (Suppress(5), "rows in classes with fewer than 5 rows are left out"),
        (
            Suppress(5, (DIVERSE,)),
            "rows in classes with fewer than 5 rows or without distinct_l(note) ≥ 3 are left out",
        ),
    ],
)
def test_a_step_says_what_it_does(step, said):
    assert step.says() == said


def test_a_plan_says_its_steps_in_their_order():
    assert PLAN.says() == tuple(step.says() for step in PLAN.steps)
    assert [step.kind for step in PLAN.steps] == ["swap", "drop", "recode", "suppress"]


@pytest.mark.parametrize("step", PLAN.steps, ids=lambda step: step.kind)
def test_a_step_is_frozen_and_comes_back_from_its_json(step):
    said = json.loads(json.dumps(step.to_json()))
    assert type(step).from_json(said) == step
    assert set(step.parts) == (set(said) if isinstance(said, dict) else set())
    assert type(step).__dataclass_params__.frozen


def test_every_step_can_be_made_and_checked():
    """A step that is added without one of the two would stop every release, not one."""
    assert set(MAKES) == set(STEP_CHECKS) == set(STEPS.values())


def test_accessors_are_derived_from_the_steps():
    assert (PLAN.swaps, PLAN.recodes) == (SWAPS, (RECODE,))
    assert PLAN.suppress == Suppress(5, (DIVERSE,))


# ---- what a newer version wrote


def newer(change):
    data = json.loads(json.dumps(PLAN.to_json()))
    data["software"]["version"] = "9.9"
    change(data)
    return sealed(data)


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        (lambda plan: plan["steps"].insert(2, {"coarsen": {"column": "area"}}), "step 'coarsen'"),
        (lambda plan: plan["steps"].append({"perturb": []}), "step 'perturb'"),
        (lambda plan: plan["steps"][1].update(perturb=[]), "step 'perturb'"),
        (lambda plan: plan["steps"][-1]["suppress"].update(cells=True), "holds 'cells'"),
        (lambda plan: plan["steps"][2]["recode"].update(rows=[1]), "'recode' of the plan"),
        (lambda plan: plan["steps"][0]["swap"].update(noise=1), "holds 'noise'"),
        (lambda plan: plan.update(weights={}), "the plan holds 'weights'"),
        (lambda plan: plan["table"].update(parts=3), "holds 'parts'"),
        (lambda plan: plan["columns"][0].update(noise=1), "holds 'noise'"),
    ],
)
def test_what_is_not_known_is_refused_with_the_version_that_wrote_it(change, unknown):
    with pytest.raises(JobError) as error:
        Plan.from_json(newer(change))
    for words in (unknown, "does not know", "paretonym 9.9", "use that version or a later one"):
        assert words in str(error.value)


def test_a_writer_that_does_not_say_itself_is_told_by_the_manifest_beside_it():
    data = newer(lambda plan: plan.update(software="x", weights={}))
    with pytest.raises(JobError, match=r"paretonym 9\.1: use"):
        Plan.from_json(data, written_by="9.1")
    with pytest.raises(JobError, match="another version of paretonym: use"):
        Plan.from_json(data)


@pytest.mark.parametrize(
    ("form", "remedy"),
    [
        ("paretonym-plan/1", "release again with this version and use the plan.json"),
        ("paretonym-plan/3", "use that version or a later one"),
    ],
)
def test_plans_of_other_formats_are_refused_with_a_remedy(form, remedy):
    with pytest.raises(JobError) as error:
        Plan.from_json(newer(lambda plan: plan.update(format=form)))
    for words in (form, PLAN_FORMAT, "paretonym 9.9", remedy):
        assert words in str(error.value)


def test_numbers_that_are_not_whole_are_no_threshold():
    """0.9 was read as 0, which leaves nothing out."""
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(newer(lambda plan: plan["steps"][-1]["suppress"].update(below=0.9)))


KINDS = [json.loads(json.dumps({step.kind: step.to_json()})) for step in PLAN.steps]


@given(st.lists(st.sampled_from(KINDS), max_size=6))
def test_no_other_list_of_steps_is_this_plan(steps):
    """Lost, twice or in another order: any of them would mean something else."""
    data = newer(lambda plan: plan.update(steps=copy.deepcopy(steps)))
    if steps == KINDS:
        assert Plan.from_json(data).steps == PLAN.steps
        return
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(data)
