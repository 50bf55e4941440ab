"""Every requirement is held against the file on its own side, or said to be unchecked."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from release_cases import PLAN, REQUIRED, edit_json, input_table, release
from tests.cli.calling import call

import paretonym as pn
from paretonym.errors import CancelledError, JobError, VerificationError
from paretonym.measures import registry
from paretonym.measures.measure import Measure, Monotone, Reduce, Statistic, direct
from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.plan import Suppress
from paretonym.pipeline.assembly import Output
from paretonym.pipeline.open_job import open_job
from paretonym.pipeline.releasing import Point, release_point
from paretonym.publishing import checker, publish, verify

NAME = "commonest(job)"  # rows of the commonest value: at most so many in any class


@pytest.fixture
def commonest(monkeypatch) -> None:
    """A class-wise measure of a user's own that gets worse upwards."""
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))

    @pn.register("commonest")
    def made(column: str) -> Measure:
        key = f"commonest({column})"
        statistic = Statistic(
            key, lambda classes, _: classes.majority(column), Reduce.MAX, (column,)
        )
        return Measure(
            key, Direction.MIN, (statistic,), direct(key), Monotone.NO, "", class_wise=True
        )


PEOPLE = {
    "age": ["20", "20", "20", "30", "30", "30", "30", "40"],
    "job": ["a", "b", "c", "a", "a", "b", "c", "a"],
}
JOB = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": "suppress"},
        "job": {"role": "sensitive"},
    },
    "objectives": ["k", "glm"],
    "suppression": {"limit": 2},
}


def released(folder, level=0, **changes):
    table = pd.DataFrame(PEOPLE)
    table.to_csv(folder / "input.csv", index=False)
    job = pn.make_job(JOB | changes, table=folder / "input.csv")
    return pn.release(job, levels={"age": level}, out=folder / "r")


def said(answer):
    return " ".join(answer.err.split())


@pytest.mark.usefixtures("commonest")
def test_a_measure_without_a_formula_is_never_passed_as_checked(tmp_path):
    made = released(tmp_path, require={NAME: 2, "k": 2})
    assert made.internal.suppressed == 1
    assert made.verification.unchecked == (NAME,)
    found = pn.verify(tmp_path / "r")
    assert found.ok
    assert (found.unchecked, found.needs_input) == ((NAME,), ())
    against = pn.verify(tmp_path / "r", against=tmp_path / "input.csv")
    assert against.unchecked == (NAME,)
    assert not any(NAME in check.name and "required" in check.name for check in found.checks)


@pytest.mark.usefixtures("commonest")
def test_commands_and_reports_say_so(tmp_path):
    (tmp_path / "input.csv").write_text(pd.DataFrame(PEOPLE).to_csv(index=False))
    path = tmp_path / "job.yaml"
    path.write_text(json.dumps({"table": "input.csv", **JOB, "require": {NAME: 2}}))
    made = call("release", path, "--levels", "age=0", "-o", tmp_path / "r", "--json")
    assert made.json["unchecked"] == [NAME]
    assert f"not checked: {NAME}, required by the job" in said(made)
    told = call("verify", tmp_path / "r")
    assert told.code == 0
    assert f"not checked: {NAME}, required by the job" in said(told)
    assert "every promise was recomputed" not in said(told)
    assert call("verify", tmp_path / "r", "--json", "-q").json["unchecked"] == [NAME]
    for report in ("report.html", "internal/report.html"):
        page = re.sub(r"<[^>]+>", "", (tmp_path / "r" / report).read_text())
        assert re.search(r"(?i)not checked", page), report
        assert NAME in page, report


@pytest.mark.usefixtures("commonest")
def test_the_original_table_is_no_remedy_where_there_is_no_formula(tmp_path):
    """Nobody is sent for a table that recomputes nothing, or that was given already."""
    pd.DataFrame(PEOPLE).to_csv(tmp_path / "in.csv", index=False)
    job = pn.make_job(JOB | {"objectives": ["k", NAME]}, table=tmp_path / "in.csv")
    pn.release(job, levels={"age": 1}, out=tmp_path / "r")
    alone = call("verify", tmp_path / "r").err
    stated = pn.verify(tmp_path / "r").stated
    assert NAME in stated
    assert f"--against the original table recomputes {len(stated) - 1} of them)" in alone
    against = call("verify", tmp_path / "r", "--against", tmp_path / "in.csv").err
    assert "1 internal measure cannot be recomputed from these files alone (--json" in against
    assert "recomputes" not in against


def test_nothing_is_unchecked_where_everything_has_a_formula(tmp_path):
    made = released(tmp_path, require={"entropy_l(job)": 2, "glm": 9, "k": 2})
    assert made.verification.unchecked == ()
    names = {check.name for check in pn.verify(tmp_path / "r").checks}
    assert names >= {"required: entropy_l(job)", "required: glm", "required: k"}
    for report in ("report.html", "internal/report.html"):
        assert "ot checked" not in (tmp_path / "r" / report).read_text()


def test_what_takes_the_input_is_not_checked_without_it(tmp_path):
    """distinct_l of a generalised column speaks of values that the file does not show."""
    released(tmp_path, level=1, require={"distinct_l(age)": 1})
    found = pn.verify(tmp_path / "r")
    assert found.ok
    assert found.unchecked == found.needs_input == ("distinct_l(age)",)
    told = said(call("verify", tmp_path / "r"))
    assert "not checked: distinct_l(age), required by the job" in told
    assert "not checked without --against" in told
    whole = pn.verify(tmp_path / "r", against=tmp_path / "input.csv")
    assert whole.unchecked == ()
    assert "required: distinct_l(age)" in {check.name for check in whole.checks}


# ---- bounds have a side


def bound(name, direction, value):
    return Bound(name, direction, Fraction(value))


CASES = [
    ("cm(illness)", Direction.MIN, 5, True),
    ("cm(illness)", Direction.MIN, 4, False),  # "at least 4" would pass
    ("glm", Direction.MIN, 20, False),
    ("s_k", Direction.MAX, 22, True),
    ("s_k", Direction.MAX, 23, False),
    ("distinct_l(illness)", Direction.MAX, 3, False),
    ("worst_group_suppression(age)", Direction.MIN, Fraction(1, 2), False),
]


@pytest.mark.parametrize(("name", "direction", "value", "holds"), CASES)
@pytest.mark.parametrize("place", ["plan", "manifest"])
def test_each_side_is_checked_as_itself(tmp_path, name, direction, value, holds, place):
    asked = (*REQUIRED, bound(name, direction, value))
    plan = replace(PLAN, steps=(*PLAN.steps[:-1], Suppress(2, asked, 1)))
    changes = {"plan": plan} if place == "plan" else {"require": asked}
    values = {"k": 2, "suppressed": 1}
    if holds:
        made = release(tmp_path / "r", input_table(), values=values, **changes)
        assert f"required: {name}" in {check.name for check in made.verification.checks}
        assert verify(tmp_path / "r").ok
    else:
        with pytest.raises(VerificationError, match="required: "):
            release(tmp_path / "r", input_table(), values=values, **changes)
        assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(("side", "value"), [({"at most": "4"}, 5), ({"at least": "6"}, 5)])
def test_a_later_look_checks_both_sides_too(tmp_path, side, value):
    release(tmp_path / "r", input_table())
    edit_json(
        tmp_path / "r" / "internal" / "manifest.json",
        lambda data: data.update(require=[{"measure": "cm(illness)", **side}]),
    )
    found = verify(tmp_path / "r")
    (failure,) = found.failures
    assert (failure.name, failure.recomputed) == ("required: cm(illness)", value)


# ---- entropy ℓ


@pytest.mark.parametrize("changes", [{"require": {"entropy_l(job)": 2}},
                                     {"objectives": ["entropy_l(job)", "glm"]}])  # fmt: skip
def test_entropy_is_recomputed_and_tampering_fails(tmp_path, changes):
    made = released(tmp_path, level=1, **changes)
    assert "entropy_l(job)" in made.internal.recomputed
    assert pn.verify(tmp_path / "r").ok
    data = tmp_path / "r" / "data.csv"
    with data.open(newline="") as stream:
        head, *rows = csv.reader(stream)
    rows = [[age, "a" if job == "b" else job] for age, job in rows]
    with data.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([head, *rows])
    failed = {check.name for check in pn.verify(tmp_path / "r").failures}
    assert failed >= {"sha256", "entropy_l(job)"}
    if "require" in changes:
        assert "required: entropy_l(job)" in failed


def test_entropy_ties_and_meets_its_bound_exactly(tmp_path):
    """(1, 1) and (2, 2) tie, and a uniform class of three meets ℓ ≥ 3."""
    people = {"age": list("aabbbbcccccc"), "job": [*"xy", *"xxyy", *"xyzxyz"]}
    job = pn.make_job(
        JOB | {"require": {"entropy_l(job)": 2}, "suppression": {"limit": 0}},
        table=pd.DataFrame(people),
    )
    made = pn.release(job, levels={"age": 0}, out=tmp_path / "r")
    assert made.internal.values["entropy_l(job)"] == 2
    assert made.verification.unchecked == ()
    three = pd.DataFrame({"age": list("cccccc"), "job": list("xyzxyz")})
    job = pn.make_job(
        JOB | {"require": {"entropy_l(job)": 3}, "suppression": {"limit": 0}}, table=three
    )
    assert pn.release(job, levels={"age": 0}, out=tmp_path / "s").verification.ok


# ---- the data file is hashed once on each side


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_data_file_is_hashed_once_by_the_checker(tmp_path, monkeypatch, form):
    hashed = []

    def counting(path):
        hashed.append(path.name)
        return checker_hash(path)

    checker_hash = checker.sha256_of
    for room in (checker.__dict__, publish.__globals__, verify.__globals__):
        monkeypatch.setitem(room, "sha256_of", counting)
    made = release(tmp_path / "r", input_table(), format=form)
    assert hashed.count(f"data.{form}") == 1
    assert made.public.data.sha256 == checker_hash(tmp_path / "r" / f"data.{form}")
    hashed.clear()
    assert verify(tmp_path / "r").ok
    assert hashed.count(f"data.{form}") == 1


# ---- one pipeline


def test_a_release_is_put_together_in_one_place():
    root = Path(pn.__file__).parent
    sources = {path: path.read_text(encoding="utf-8") for path in root.rglob("*.py")}

    def where(call):
        found = [p for p, text in sources.items() if re.search(rf"(?<!def )\b{call}\(", text)]
        return {str(path.relative_to(root)) for path in found}

    assert where("ReleaseRequest") == where("publish") == {"pipeline/assembly.py"}
    assert where("public_release_html") == {"pipeline/assembly.py"}
    assert where("release_node") == {"pipeline/releasing.py"}
    assert where("release_point") == {"cli/commands.py", "pipeline/api.py", "web/work.py"}


def test_a_picked_point_has_its_own_threshold(tmp_path):
    job = pn.make_job(JOB, table=pd.DataFrame(PEOPLE))
    with pytest.raises(JobError, match="a picked point has its own threshold"):
        pn.release(job, pick="k>=1", suppress_below=3, out=tmp_path / "r")
    with pytest.raises(JobError, match="give either levels or pick"):
        pn.release(job, out=tmp_path / "r")


def test_the_front_at_hand_is_not_searched_again(tmp_path):
    job = pn.make_job(JOB, table=pd.DataFrame(PEOPLE))
    front = pn.find_front(job)
    heard = []

    def search():
        raise AssertionError("the front is known")

    with open_job(job) as opened:
        output = Output(tmp_path / "r")
        made = release_point(
            opened, Point("k>=1"), output=output, found=front, search=search, picked=heard.append
        )
        assert [dict(e.levels) for e in heard] == [dict(made.internal.levels)]
        with pytest.raises(CancelledError, match="nothing was released"):
            release_point(
                opened, Point("k>=1"), output=output, found=replace(front, interrupted=True)
            )
