"""Bad input: one message with column, place and remedy, exit code 2, nothing written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paretonym.model.plan import sealed
from tests.cli.calling import (
    JOB,
    NAMES,
    ROWS,
    TENS,
    call,
    files_under,
    make_people,
    with_column,
    write_csv,
    write_job,
)
from tests.safety.cases import refused, release


def columns_without(name: str) -> dict[str, Any]:
    return {column: form for column, form in JOB["columns"].items() if column != name}


JOBS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "missing column": (
        {"columns": {**JOB["columns"], "ilness": {"role": "sensitive"}}},
        ["column 'ilness' is not in the table", "did you mean 'illness'"],
    ),
    "column without a role": (
        {"columns": columns_without("zip")},
        ["column 'zip' has no role", "give it one"],
    ),
    "unknown role": (
        {"columns": with_column("zip", {"role": "secret"})},
        ["columns.zip.role", "unknown role"],
    ),
    "unknown key": ({"sampling": 1}, ["sampling", "unknown key"]),
    "quasi without a hierarchy": (
        {"columns": with_column("zip", {"role": "quasi"})},
        ["columns.zip", "hierarchy: suppress"],
    ),
    "hierarchy gap": (
        {
            "columns": with_column(
                "zip", {"role": "quasi", "hierarchy": {"groups": {"a": ["1010"]}}}
            )
        },
        ["column 'zip'", "1 value", "add a row for each"],
    ),
    "no such hierarchy file": (
        {"columns": with_column("zip", {"role": "quasi", "hierarchy": {"file": "zip.csv"}})},
        ["columns.zip.hierarchy.file", "no such file"],
    ),
    "k above n": ({"require": {"k": 10}}, ["k of 10", "9 rows"]),
    "fraction for percent": ({"suppression": {"limit": "0.01"}}, ["suppression.limit", "1%"]),
    "limit of all rows": ({"suppression": {"limit": 9}}, ["9 rows", "100 %"]),
    "unknown measure": ({"objectives": ["privacy"]}, ["no measure 'privacy'"]),
    "measure of an unknown column": (
        {"objectives": ["distinct_l(ilness)"]},
        ["no such column", "did you mean 'illness'"],
    ),
    "measure of a dropped column": ({"objectives": ["distinct_l(name)"]}, ["dropped by its role"]),
    "measure without its column": ({"objectives": ["distinct_l"]}, ["needs a column"]),
    "measure without a direction": ({"objectives": ["s_l(illness)"]}, ["max:s_l(illness)"]),
    "measure in the wrong direction": ({"objectives": ["min:k"]}, ["k"]),
    "no objectives": ({"objectives": []}, ["objectives", "[k, glm]"]),
    "table not found": ({"table": "nobody.csv"}, ["nobody.csv", "no such file"]),
    "table is a folder": ({"table": "."}, ["not a file"]),
    "unknown encoding": ({"table": {"path": "people.csv", "encoding": "utf-99"}}, ["encoding"]),
}


@pytest.mark.parametrize("command", ["check", "front", "release"])
@pytest.mark.parametrize(("changes", "words"), JOBS.values(), ids=JOBS)
def test_a_bad_job_is_refused(tmp_path, command, changes, words):
    job = make_people(tmp_path, **changes)
    before = files_under(tmp_path)
    more = {
        "front": ["-o", tmp_path / "out"],
        "release": ["--pick", "k>=2", "-o", tmp_path / "out"],
    }
    refused(call(command, job, *more.get(command, [])), 2, *words)
    assert files_under(tmp_path) == before
    assert not (tmp_path / "out").exists()


TABLES: dict[str, tuple[str, list[str]]] = {
    "ragged": ("name,age,zip,illness\na,1,2,3\nb,1\n", ["people.csv, line 3", "2 cells"]),
    "duplicate header": ("name,age,age,illness\na,1,2,3\n", ["columns 2 and 3", "rename one"]),
    "no rows": ("name,age,zip,illness\n", ["no rows"]),
    "no bytes": ("", ["people.csv", "empty"]),
    "blank lines": ("name,age,zip,illness\n\n", ["line 2", "blank"]),
}


@pytest.mark.parametrize("command", ["check", "front", "release", "apply"])
@pytest.mark.parametrize(("text", "words"), TABLES.values(), ids=TABLES)
def test_a_bad_table_is_refused(tmp_path, command, text, words):
    folder = release(tmp_path)
    (tmp_path / "people.csv").write_text(text)
    before = files_under(tmp_path)
    out = ["-o", tmp_path / "out"]
    arguments = {
        "check": [tmp_path / "job.yaml"],
        "front": [tmp_path / "job.yaml", *out],
        "release": [tmp_path / "job.yaml", "--levels", TENS, *out],
        "apply": [folder, tmp_path / "people.csv", *out],
    }
    refused(call(command, *arguments[command]), 2, *words)
    assert files_under(tmp_path) == before
    assert not (tmp_path / "out").exists()


YAMLS = {
    "tab": ("table: x\n\tcolumns: y\n", "line 2"),
    "open list": ("objectives: [k, glm\n", "line"),
    "two documents": ("table: x\n---\ntable: y\n", "line 2"),
    "a list": ("- a\n- b\n", "top level"),
    "nothing": ("", "empty"),
    "key twice": ("table: x\ntable: y\n", "line 2"),
    "not UTF-8": (b"table: \xff\n", "line 1"),
}


@pytest.mark.parametrize(("text", "words"), YAMLS.values(), ids=YAMLS)
def test_broken_yaml_is_refused_with_its_line(tmp_path, text, words):
    data = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "job.yaml").write_bytes(data)
    refused(call("check", tmp_path / "job.yaml"), 2, "job.yaml", words)


@pytest.mark.parametrize("command", ["check", "front", "score", "release"])
def test_a_job_that_is_not_there(tmp_path, command):
    more = {
        "score": ["--levels", TENS],
        "release": ["--levels", TENS, "-o", tmp_path / "r"],
    }.get(command, [])
    refused(call(command, tmp_path / "no.yaml", *more), 2, "no.yaml", "check the path")
    refused(call(command, tmp_path, *more), 2, "this is a folder")


LEVELS = {
    "age=1": "no level is given for zip",
    "age=1,zip=4,sex=0": "'sex' is not a quasi-identifier",
    "age=1,zpi=4": "did you mean 'zip'",
    "age=4,zip=0": "column 'age' has levels 0 to 3, not 4",
    "age=1,zip=-1": "'zip=-1' is not column=level",
    "age=one,zip=1": "is not a quasi-identifier",
    "age": "'age' is not column=level",
    "": "is not column=level",
    "age=1,": "is not column=level",
    "age=1,age=2,zip=0": "'age' is given twice",
    "zip=1,age=" + "9" * 5000: "is not column=level",
}


@pytest.mark.parametrize(("levels", "words"), LEVELS.items(), ids=lambda t: t[:20])
def test_levels_that_are_none(tmp_path, levels, words):
    job = make_people(tmp_path)
    refused(call("score", job, "--levels", levels), 2, words)
    refused(call("release", job, "--levels", levels, "-o", tmp_path / "r"), 2, words)
    assert not (tmp_path / "r").exists()


PICKS = {
    "": (2, "is not a condition"),
    "best": (2, "is not a condition"),
    "k>=": (2, "is not a condition"),
    "k>=many": (2, "is not a condition"),
    "k>=1_0": (2, "is not a condition"),
    "k>=1e": (2, "is not a number"),
    "l>=2": (2, "'l' is not an objective"),
    "k>=2, gml<=3": (2, "did you mean 'glm'"),
    "weights": (2, "objective=number"),
    "weights k=heavy": (2, "not a number"),
    "weights k=-1": (2, "must not be negative"),
    "weights k=nan": (2, "must not be negative"),
    "weights k=0": (2, "every weight is zero"),
    "weightsk=1": (2, "'weightsk' is not an objective"),
    "k>=10": (1, "the front reaches k = 9"),
    "k>=4, glm<=8": (1, "the front reaches glm = 9"),
}


@pytest.mark.parametrize(("pick", "told"), PICKS.items(), ids=PICKS)
def test_picks_that_are_none(tmp_path, pick, told):
    job = make_people(tmp_path)
    code, words = told
    refused(call("release", job, "--pick", pick, "-o", tmp_path / "r", "-q"), code, words)
    assert not (tmp_path / "r").exists()


def test_one_choice_and_only_one(tmp_path):
    job = make_people(tmp_path)
    refused(call("release", job, "-o", tmp_path / "r"), 2, "--levels", "--pick")
    both = ["--levels", TENS, "--pick", "knee", "-o", tmp_path / "r"]
    refused(call("release", job, *both), 2, "either")


@pytest.mark.parametrize("command", ["release", "apply"])
def test_an_unknown_format(tmp_path, command):
    folder = release(tmp_path)
    more = {
        "release": [tmp_path / "job.yaml", "--levels", TENS],
        "apply": [folder, tmp_path / "people.csv"],
    }[command]
    found = call(command, *more, "-o", tmp_path / "x", "--format", "xlsx")
    refused(found, 2, "--format", "csv or parquet")
    assert not (tmp_path / "x").exists()


# ---- outputs


@pytest.mark.parametrize("place", ["afile", "afile/inside"])
@pytest.mark.parametrize("command", ["front", "release", "apply", "demo"])
def test_an_output_that_cannot_be_a_folder(tmp_path, command, place):
    folder = release(tmp_path)
    (tmp_path / "afile").write_text("mine")
    more = {
        "front": [tmp_path / "job.yaml"],
        "release": [tmp_path / "job.yaml", "--levels", TENS],
        "apply": [folder, tmp_path / "people.csv"],
        "demo": [],
    }[command]
    refused(call(command, *more, "-o", tmp_path / place, "-q"), 2, "afile")
    assert (tmp_path / "afile").read_text() == "mine"


def test_init_replaces_nothing(tmp_path):
    job = make_people(tmp_path)
    before = files_under(tmp_path)
    table = tmp_path / "people.csv"
    refused(call("init", table, "-o", job), 2, "exists already")
    refused(call("init", table, "-o", table), 2, "exists already")
    refused(call("init", tmp_path / "no.csv", "-o", tmp_path / "j.yaml"), 2, "no.csv")
    refused(call("init", table, "-o", tmp_path / "no" / "j.yaml"), 2, "cannot write")
    assert files_under(tmp_path) == before


# ---- verify and apply


def test_verify_needs_a_release(tmp_path):
    for folder in (tmp_path, tmp_path / "no", Path(__file__)):
        refused(call("verify", folder), 2, "holds no manifest.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", "not json", '{"format": "other"}', "[" * 100_000])
def test_verify_survives_any_manifest(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    found = call("verify", tmp_path)
    refused(found, found.code)
    assert found.code in (1, 2)


def test_verify_against_another_table(tmp_path):
    folder = release(tmp_path)
    other = write_csv(
        tmp_path / "other.csv", NAMES, [*ROWS[1:], ("Zoe Zahn", "21", "1010", "gout")]
    )
    refused(call("verify", folder, "--against", other, "-q"), 1, "no recoded input row")
    wrong = write_csv(tmp_path / "wrong.csv", ["a", "b"], [["1", "2"]])
    refused(call("verify", folder, "--against", wrong), 2, "lacks 4 column(s)")
    refused(call("verify", folder, "--against", tmp_path / "no.csv"), 2, "no.csv")


OTHER_TABLES = {
    "another column": (["name", "age", "plz", "illness"], "column 'zip' of the plan is not in"),
    "one more column": ([*NAMES, "sex"], "column 'sex' is not in the plan"),
    "another order": (["age", "name", "zip", "illness"], "another order"),
}


@pytest.mark.parametrize(("names", "words"), OTHER_TABLES.values(), ids=OTHER_TABLES)
def test_apply_needs_a_table_of_the_same_shape(tmp_path, names, words):
    folder = release(tmp_path)
    later = write_csv(tmp_path / "later.csv", names, [["1"] * len(names)] * 4)
    refused(call("apply", folder, later, "-o", tmp_path / "next"), 2, words)
    assert not (tmp_path / "next").exists()


def test_apply_fails_when_the_promise_cannot_be_kept(tmp_path):
    """Four people of four decades: none of them shares a class with another."""
    folder = release(tmp_path)
    rows = [(f"Person{i}", str(50 + 10 * i), "1010", "flu") for i in range(4)]
    later = write_csv(tmp_path / "later.csv", NAMES, rows)
    found = call("apply", folder, later, "-o", tmp_path / "next")
    refused(found, 1, "4 of 4 rows would have to go", "the plan allows 0")
    assert not (tmp_path / "next").exists()


@pytest.mark.parametrize("text", ["", "{}", "[]", "nothing", '{"format": "paretonym-plan/1"}'])
def test_apply_needs_a_plan(tmp_path, text):
    make_people(tmp_path)
    (tmp_path / "plan.json").write_text(text)
    arguments = [tmp_path / "plan.json", tmp_path / "people.csv", "-o", tmp_path / "next"]
    refused(call("apply", *arguments), 2, "plan")
    assert not (tmp_path / "next").exists()


def test_a_plan_that_lost_a_step_is_damaged(tmp_path):
    folder = release(tmp_path)
    plan = json.loads((folder / "internal" / "plan.json").read_text())
    plan["steps"].pop(1)
    (tmp_path / "plan.json").write_text(json.dumps(sealed(plan)))
    arguments = [tmp_path / "plan.json", tmp_path / "people.csv", "-o", tmp_path / "next"]
    refused(call("apply", *arguments), 2, "damaged")


# ---- infeasible


def test_infeasible_says_how_far_it_got(tmp_path):
    """Zip codes may stay open: with 1010 five times and 1020 four times, k = 4 is the most."""
    (tmp_path / "zip.csv").write_text("1010;1010\n1020;1020\n")
    hierarchy = {"file": "zip.csv", "open_top": True}
    columns = with_column("zip", {"role": "quasi", "hierarchy": hierarchy})
    job = make_people(tmp_path, columns=columns, require={"k": 5})
    before = files_under(tmp_path)
    found = call("front", job, "-o", tmp_path / "f", "-q")
    refused(found, 1, "k >= 5", "largest k within that limit is 4", "at most 1 suppressed")
    found = call("release", job, "--pick", "k>=5", "-o", tmp_path / "r", "-q")
    refused(found, 1, "largest k within that limit is 4")
    assert files_under(tmp_path) == before


def test_levels_that_do_not_meet_the_requirement(tmp_path):
    job = make_people(tmp_path, require={"k": 3})
    found = call("release", job, "--levels", TENS, "-o", tmp_path / "r")
    refused(found, 1, "age=1, zip=4", "at most 1 suppressed")
    scored = call("score", job, "--levels", TENS, "--json")
    assert (scored.code, scored.json["feasible"]) == (1, False)


# ---- the command line itself


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["front"],
        ["front", "job.yaml", "--threads", "0"],
        ["front", "job.yaml", "--seed", "-1"],
        ["front", "job.yaml", "--sed", "1"],
        ["score", "job.yaml"],
        ["score", "job.yaml", "--levels", "a=1", "--suppress-below", "0"],
        ["release", "job.yaml", "--pick", "knee"],
    ],
)
def test_wrong_options(arguments):
    found = call(*arguments)
    assert (found.code, found.out) == (2, "")
    assert "Error" in found.err
    assert "Traceback" not in found.err


def test_ctrl_c_is_one_word(tmp_path, monkeypatch):
    from paretonym.cli import commands

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "open_job", interrupted)
    found = call("check", make_people(tmp_path))
    assert (found.code, found.err) == (1, "paretonym: stopped\n")


def test_odd_headers_go_all_the_way(tmp_path):
    names = ["a b", "k", 'q"uote', "key:x", "ü,=(rows)", "n\nl", "x" * 300]
    rows = [["1", "2", "3", "4", "5", "6", "7"], ["1", "", "3", "4", "5", "6", "7"]] * 3
    write_csv(tmp_path / "t.csv", names, rows)
    columns: dict[str, Any] = {n: {"role": "quasi", "hierarchy": "suppress"} for n in names[:4]}
    columns |= {name: {"role": "sensitive"} for name in names[4:]}
    objectives = ["k", "glm", f"distinct_l({names[4]})", f"worst_group_suppression({names[2]})"]
    job = write_job(tmp_path, {"table": "t.csv", "columns": columns, "objectives": objectives})
    pick = f"k>=3, distinct_l({names[4]})>=1"
    made = call("release", job, "--pick", pick, "-o", tmp_path / "r", "--json")
    assert (made.code, made.json["values"]["k"]) == (0, 3)
    checked = call("verify", tmp_path / "r", "--against", tmp_path / "t.csv")
    assert checked.code == 0, checked.err
