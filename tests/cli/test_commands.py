"""Every command, done right: one JSON object, or words; the numbers a hand can check."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import paretonym as pn
from tests.cli.calling import NAMES as COLUMNS
from tests.cli.calling import ROWS, TENS, call, make_people, read_rows, with_column, write_csv


@pytest.fixture
def job(tmp_path) -> Path:
    return make_people(tmp_path)


@pytest.fixture
def released(tmp_path, job) -> Path:
    folder = tmp_path / "r"
    made = call("release", job, "--levels", TENS, "--suppress-below", 2, "-o", folder)
    assert made.code == 0, made.err
    return folder


# ---- check


def test_check(job):
    """Ages: raw, tens, twenties, `*`; zip codes: raw, three masks, `*`."""
    found = call("check", job, "--json")
    assert found.json == {
        "ok": True, "rows": 9, "combinations": 9, "nodes": 20, "limit": 1,
        "levels": {"age": 4, "zip": 5},
    }  # fmt: skip
    assert found.code == 0


def test_check_writes_nothing(tmp_path, job):
    before = sorted(tmp_path.iterdir())
    assert call("check", job).code == 0
    assert sorted(tmp_path.iterdir()) == before


# ---- front


def test_front(tmp_path, job):
    found = call("front", job, "-o", tmp_path / "f", "--json")
    front = found.json
    assert found.code == 0
    assert set(front) == {
        "method", "exact", "nodes", "evaluated", "proven", "seconds", "objectives", "front",
    }  # fmt: skip
    assert (front["method"], front["exact"]) == ("exhaustive", True)
    assert (front["nodes"], front["evaluated"]) == (20, 20)
    assert front["objectives"] == [
        {"name": "k", "direction": "max"},
        {"name": "glm", "direction": "min"},
    ]
    assert [entry["values"] for entry in front["front"]] == [
        {"k": 1, "glm": 0},  # as it is
        {"k": 4, "glm": 9},  # without ages: five of 1010, four of 1020
        {"k": 9, "glm": 18},  # everybody alike
    ]
    for entry in front["front"]:
        assert set(entry) == {
            "levels", "suppress_below", "suppressed", "values", "shown", "ties",
        }  # fmt: skip
        assert entry["shown"].keys() == entry["values"].keys()
    assert front["front"][1]["levels"] == {"age": 3, "zip": 0}


def test_front_files(tmp_path, job):
    front = call("front", job, "-o", tmp_path / "f", "--json").json
    del front["seconds"]
    assert json.loads((tmp_path / "f" / "front.json").read_text()) == front
    header, *rows = read_rows(tmp_path / "f" / "front.csv")
    assert header == ["k", "glm", "suppress_below", "suppressed", "ties", "level age", "level zip"]
    assert [row[0] for row in rows] == ["1", "4", "9"]
    assert "<script src" not in (tmp_path / "f" / "report.html").read_text()


def test_front_in_words(tmp_path, job):
    found = call("front", job, "-o", tmp_path / "f")
    assert found.code == 0
    assert "complete for these hierarchies and objectives" in found.err
    assert "smallest class (k)" in found.out


def test_front_names_its_own_folder(tmp_path, job, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("front", job, "-q").code == 0
    assert (tmp_path / "job-front" / "front.json").is_file()


# ---- score


def test_score(job):
    """Classes of 3, 3 and 2; the one sixty-year-old costs a whole row: 19/7 + 9 in GLM."""
    found = call("score", job, "--levels", TENS, "--suppress-below", 2, "--json").json
    assert set(found) == {
        "levels", "suppress_below", "values", "shown", "suppressed", "classes", "feasible",
    }  # fmt: skip
    assert found["levels"] == {"age": 1, "zip": 4}
    assert (found["suppressed"], found["classes"], found["feasible"]) == (1, 3, True)
    values = found["values"]
    assert (values["k"], values["s_k"], values["suppressed"]) == (2, 3**2 + 3**2 + 2**2, 1)
    assert values["glm"] == pytest.approx(19 / 7 + 9)
    assert values["discernibility"] == 22 + 9
    assert values["distinct_l(illness)"] == 2


def test_score_in_words(job):
    found = call("score", job, "--levels", TENS)
    assert found.code == 0
    assert "classes" in found.out


# ---- release


def test_release(tmp_path, job):
    arguments = ["--levels", TENS, "--suppress-below", 2, "-o", tmp_path / "r", "--json"]
    found = call("release", job, *arguments)
    assert found.code == 0
    assert set(found.json) == {
        "folder", "levels", "suppress_below", "suppressed", "values", "shown", "verified",
        "recomputed", "stated", "unchecked",
    }  # fmt: skip
    assert (found.json["suppressed"], found.json["verified"]) == (1, True)
    assert found.json["stated"] == []
    assert sorted(str(p.relative_to(tmp_path / "r")) for p in (tmp_path / "r").rglob("*.*")) == [
        "data.csv",
        "internal/manifest.json",
        "internal/plan.json",
        "internal/report.html",
        "manifest.json",
        "report.html",
    ]


@pytest.mark.parametrize(
    ("pick", "k"),
    [("k>=2", 4), ("k>=9", 9), ("glm<=0", 1), ("knee", 4), ("weights k=1", 9), ("k>=4, glm<=9", 4)],
)
def test_release_picks(tmp_path, job, pick, k):
    found = call("release", job, "--pick", pick, "-o", tmp_path / "r", "--json")
    assert (found.code, found.json["values"]["k"]) == (0, k)


def test_release_parquet(tmp_path, job):
    import pyarrow.parquet as pq

    arguments = ["--levels", TENS, "-o", tmp_path / "r", "--format", "parquet"]
    assert call("release", job, *arguments).code == 0
    assert pq.read_table(tmp_path / "r" / "data.parquet").num_rows == 9
    assert call("verify", tmp_path / "r").code == 0


def test_release_takes_levels_of_columns_with_odd_names(tmp_path):
    names = ["a,b", "c=d"]
    write_csv(tmp_path / "people.csv", names, [["1", "2"]] * 3)
    columns = {name: {"role": "quasi", "hierarchy": "suppress"} for name in names}
    job = make_people(tmp_path, columns=columns)
    write_csv(tmp_path / "people.csv", names, [["1", "2"]] * 3)
    found = call("score", job, "--levels", "a,b=1,c=d=0", "--json")
    assert found.json["levels"] == {"a,b": 1, "c=d": 0}


# ---- verify


def test_verify(released, tmp_path):
    found = call("verify", released, "--against", tmp_path / "people.csv", "--json")
    assert found.code == 0
    assert set(found.json) == {"ok", "internal_checked", "checks", "stated", "unchecked"}
    assert (found.json["ok"], found.json["internal_checked"]) == (True, True)
    for check in found.json["checks"]:
        assert set(check) == {"name", "promised", "recomputed", "holds"}
    assert {c["name"]: c["recomputed"] for c in found.json["checks"]}["k"] == 2


def test_verify_by_a_recipient(released):
    import shutil

    shutil.rmtree(released / "internal")
    found = call("verify", released, "--json")
    assert (found.code, found.json["internal_checked"]) == (0, False)
    assert "public files only" in call("verify", released).err


# ---- apply


def test_apply_to_the_same_table(released, tmp_path):
    found = call("apply", released, tmp_path / "people.csv", "-o", tmp_path / "next", "--json")
    assert found.code == 0, found.err
    assert found.json["drift"] == {
        "rows": 9, "new_values": {}, "unknown_values": {}, "unknown_rows": 0, "small_classes": 1,
        "small_rows": 1, "suppressed": 1, "limit": 1, "k": 2,
    }  # fmt: skip
    assert call("verify", tmp_path / "next", "--against", tmp_path / "people.csv").code == 0


def test_apply_reports_what_drifted(released, tmp_path):
    """Eighteen rows allow two: 22 falls into the tens of before, 85 is alone in its own."""
    new = [("Jana Jung", "22", "1010", "flu"), ("Kai Kern", "85", "1010", "flu")]
    later = write_csv(tmp_path / "later.csv", COLUMNS, [*ROWS[:-1], *ROWS[:-1], *new])
    plan = released / "internal" / "plan.json"
    drift = call("apply", plan, later, "-o", tmp_path / "next", "--json").json["drift"]
    assert (drift["new_values"], drift["unknown_values"]) == ({"age": 2}, {})
    assert (drift["small_rows"], drift["suppressed"]) == (1, 1)
    assert (drift["limit"], drift["k"]) == (2, 4)
    labels = {row[0] for row in read_rows(tmp_path / "next" / "data.csv")[1:]}
    assert labels == {"[20, 30)", "[30, 40)", ""}


def test_apply_suppresses_what_a_list_does_not_hold(tmp_path):
    groups = {"groups": {"centre": ["1010", "1020"]}}
    columns = with_column("zip", {"role": "quasi", "hierarchy": groups})
    job = make_people(tmp_path, columns=columns)
    levels = ["--levels", "age=1,zip=1", "--suppress-below", 2]
    assert call("release", job, *levels, "-o", tmp_path / "r").code == 0
    later = [*ROWS[:-1], ("Lea Lang", "21", "9999", "flu")]
    write_csv(tmp_path / "later.csv", COLUMNS, later)
    arguments = [tmp_path / "r", tmp_path / "later.csv", "-o", tmp_path / "next", "--json"]
    drift = call("apply", *arguments).json["drift"]
    assert (drift["unknown_values"], drift["unknown_rows"], drift["suppressed"]) == (
        {"zip": 1},
        1,
        1,
    )
    assert {row[1] for row in read_rows(tmp_path / "next" / "data.csv")[1:]} == {"centre"}


# ---- init and demo


def test_init_proposes_a_job_that_passes_check(tmp_path):
    rows = [[f"Person {i}", str(20 + i % 30), "fmx"[i % 3], str(1000 + i % 4)] for i in range(120)]
    write_csv(tmp_path / "t.csv", ["name", "age", "sex", "zip"], rows)
    out = tmp_path / "job.yaml"
    found = call("init", tmp_path / "t.csv", "-o", out, "--json")
    assert (found.code, found.json["job"]) == (0, str(out))
    checked = call("check", out)
    assert checked.code == 0, checked.err


def test_demo(tmp_path):
    """The one test on the bundled table: 17,920 nodes, and a release of at least five alike."""
    found = call("demo", "-o", tmp_path / "demo", "--json")
    assert found.code == 0, found.err
    assert found.json["front"]["nodes"] == found.json["front"]["evaluated"] == 17_920
    assert found.json["release"]["values"]["k"] >= 5
    assert call("verify", tmp_path / "demo" / "release", "-q").code == 0


# ---- what holds for all of them


def commands(tmp_path: Path, job: Path, released: Path) -> dict[str, list[object]]:
    return {
        "check": ["check", job],
        "front": ["front", job, "-o", tmp_path / "f"],
        "score": ["score", job, "--levels", TENS],
        "release": ["release", job, "--levels", TENS, "-o", tmp_path / "again"],
        "verify": ["verify", released],
        "apply": ["apply", released, tmp_path / "people.csv", "-o", tmp_path / "next"],
        "init": ["init", tmp_path / "people.csv", "-o", tmp_path / "proposed.yaml"],
    }


NAMES = ["check", "front", "score", "release", "verify", "apply", "init"]
SEEDED = {"front", "release", "init"}  # those whose outcome chance can have a part in


@pytest.mark.parametrize("name", NAMES)
def test_quiet_says_nothing(tmp_path, job, released, name):
    seed = ["--seed", 5] if name in SEEDED else []
    found = call(*commands(tmp_path, job, released)[name], "--quiet", *seed)
    assert (found.code, found.out, found.err) == (0, "", "")


@pytest.mark.parametrize("name", NAMES)
def test_json_is_all_that_stands_on_stdout(tmp_path, job, released, name):
    found = call(*commands(tmp_path, job, released)[name], "--json", "--quiet")
    assert isinstance(found.json, dict)
    assert (found.code, found.err) == (0, "")


def test_help_and_version():
    assert call("--version").out == f"paretonym {pn.__version__}\n"
    shown = call("--help")
    assert shown.code == 0
    assert all(name in shown.out for name in [*NAMES, "demo"])
    for name in [*NAMES, "demo"]:
        options = call(name, "--help").out
        assert all(option in options for option in ("--json", "--quiet"))
        assert ("--seed" in options) == (name in SEEDED)


IDLE = [["check"], ["score"], ["verify"], ["apply"], ["demo"], ["explore"], ["group", "signal"]]


@pytest.mark.parametrize("name", IDLE, ids=" ".join)
def test_a_seed_is_refused_where_nothing_uses_chance(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    found = call(*name, "--seed", 1)
    assert (found.code, found.out) == (2, "")
    assert "No such option: --seed" in found.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["secure", "reproduce", "group attack", "group protect"])
def test_a_seed_is_taken_where_chance_has_a_part(name):
    assert "--seed" in call(*name.split(), "--help").out


NO_CHANCE = "--seed changes nothing here: an exhaustive search uses no chance"
NO_SEARCH = "--seed changes nothing here: with --levels nothing is searched"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["front"], NO_CHANCE),
        (["front", "--method", "exact"], None),
        (["front", "--method", "evolve"], None),
        (["release", "--pick", "k>=2"], NO_CHANCE),
        (["release", "--levels", TENS], NO_SEARCH),
    ],
)
def test_a_seed_that_changes_nothing_is_told(tmp_path, job, arguments, told):
    name, *more = arguments
    seeded = call(name, job, *more, "--seed", 5, "-o", tmp_path / "one")
    plain = call(name, job, *more, "-o", tmp_path / "two")
    assert (seeded.code, plain.code) == (0, 0)
    assert "--seed" not in plain.err
    said = [line for line in seeded.err.splitlines() if "--seed" in line]
    assert said == ([] if told is None else [told])


def test_a_real_process_splits_stdout_and_stderr(tmp_path, job):
    command = [sys.executable, "-m", "paretonym", "front", str(job), "--json"]
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "f")], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["exact"] is True
    assert "best trade-offs" in done.stderr


def test_help_does_not_load_the_engines():
    """What makes it answer at once; a time would depend on the machine."""
    code = (
        "import sys\n"
        "from paretonym.cli.main import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'duckdb', 'pyarrow', 'numpy'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_closed_pipe_is_no_traceback(tmp_path, job):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "paretonym", "check", str(job), "--json"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert "Traceback" not in done.stderr


def test_the_python_interface_says_the_same(tmp_path, job):
    front = pn.find_front(pn.load_job(job))
    shown = call("front", job, "-o", tmp_path / "f", "--json").json
    assert [dict(e.values) for e in front.entries] == [e["values"] for e in shown["front"]]
    assert pn.pick(front, "k>=2").values["k"] == 4
    made = pn.release(pn.load_job(job), pick="k>=2", out=tmp_path / "r")
    assert made.verification.ok
    assert pn.verify(tmp_path / "r", against=tmp_path / "people.csv").ok
    with (tmp_path / "r" / "data.csv").open(newline="") as stream:
        assert len(list(csv.reader(stream))) == 10
