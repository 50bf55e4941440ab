"""`front` with its searches: methods, budgets, boxes, `auto`, Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import call, files_under, make_people
from tests.safety.cases import refused
from tests.support.searching import write_search_job

BIG = Path(__file__).parents[2] / "examples" / "big.yaml"


# ---- what is refused


OPTIONS: dict[str, tuple[list[str], list[str]]] = {
    "less than a second": (["--budget", "0.5s"], ["--budget", "at least one second"]),
    "no time at all": (["--budget", "0s"], ["--budget", "at least one second"]),
    "negative": (["--budget", "-1 evaluations"], ["--budget", "5000 evaluations"]),
    "no evaluations": (["--budget", "0 evaluations"], ["--budget", "5000 evaluations"]),
    "half an evaluation": (["--budget", "1.5 evaluations"], ["--budget", "5000 evaluations"]),
    "bare number": (["--budget", "300"], ["--budget", "neither a time nor evaluations"]),
    "unknown unit": (["--budget", "3 weeks"], ["--budget", "60s or 10min"]),
    "nothing": (["--budget", ""], ["--budget"]),
    "endless": (["--budget", "99999999h"], ["--budget", "hours"]),
    "misspelt method": (["--method", "evolv"], ["--method", "did you mean 'evolve'"]),
    "unknown method": (["--method", "magic"], ["--method", "exhaustive", "pbg-ea"]),
    "empty method": (["--method", ""], ["--method", "exhaustive"]),
    "capital letters": (["--method", "Exact"], ["--method", "did you mean 'exact'"]),
}
JOBS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "box of nothing": ({"epsilon": {"k": 0, "glm": 1}}, ["epsilon.k", "above zero"]),
    "negative box": ({"epsilon": {"k": 1, "glm": -2}}, ["epsilon.glm", "above zero"]),
    "box of no number": ({"epsilon": {"k": "wide", "glm": 1}}, ["epsilon.k", "above zero"]),
    "box of no objective": (
        {"epsilon": {"k": 1, "glm": 1, "s_k": 2}},
        ["epsilon.s_k", "not among the objectives"],
    ),
    "box of a misspelt one": ({"epsilon": {"k": 1, "gml": 1}}, ["did you mean 'glm'"]),
    "box of some": ({"epsilon": {"k": 1}}, ["epsilon", "missing: glm"]),
    "objective twice": ({"objectives": ["k", "glm", "k"]}, ["k stands twice"]),
    "both directions": (
        {"objectives": ["min:s_l(illness)", "max:s_l(illness)"]},
        ["s_l(illness) stands twice"],
    ),
    "method in the job": ({"search": {"method": "exat"}}, ["did you mean 'exact'"]),
    "budget in the job": ({"search": {"budget": "0.5s"}}, ["search.budget", "one second"]),
    "seed in the job": ({"search": {"seed": -1}}, ["search.seed"]),
}


def one_line(result) -> None:
    assert result.err.startswith("paretonym: ")
    assert result.err.count("\n") == 1, result.err


@pytest.mark.parametrize("command", ["front", "release"])
@pytest.mark.parametrize(("options", "words"), OPTIONS.values(), ids=OPTIONS)
def test_options_that_are_refused(tmp_path, command, options, words):
    job = make_people(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "front.json").write_text("an earlier front")
    before = files_under(tmp_path)
    pick = ["--pick", "k>=2"] if command == "release" else []
    found = call(command, job, "-o", tmp_path / "out", *pick, *options)
    refused(found, 2, *words)
    one_line(found)
    assert files_under(tmp_path) == before
    refused(call(command, job, "-o", tmp_path / "new", *pick, *options), 2, *words)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("changes", "words"), JOBS.values(), ids=JOBS)
def test_jobs_that_are_refused(tmp_path, changes, words):
    job = make_people(tmp_path, **changes)
    before = files_under(tmp_path)
    found = call("front", job, "-o", tmp_path / "out")
    refused(found, 2, *words)
    one_line(found)
    assert files_under(tmp_path) == before
    assert not (tmp_path / "out").exists()


# ---- what is chosen


def test_auto_says_which_search_and_why(tmp_path):
    found = call("front", make_people(tmp_path), "-o", tmp_path / "f")
    assert found.code == 0
    assert "exhaustive search (20 nodes and 9 distinct combinations are few enough" in found.err
    assert json.loads((tmp_path / "f" / "front.json").read_text())["method"] == "exhaustive"


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("exhaustive", "exhaustive search (as the job says): 20 nodes"),
        ("exact", "exact search (as the job says): until the front is proven"),
        ("evolve", "evolve search (as the job says): until nothing new is found for long"),
        ("pbg-ea", "pbg-ea search (as the job says): 25 nodes, 100 iterations"),
    ],
)
def test_every_method_finds_the_small_front(tmp_path, method, words):
    """20 nodes: each search visits or settles all of them, and says that it is complete."""
    job = make_people(tmp_path)
    found = call("front", job, "-o", tmp_path / "f", "--method", method, "--seed", 1)
    assert found.code == 0, found.err
    assert words in found.err
    front = json.loads((tmp_path / "f" / "front.json").read_text())
    assert front["method"] == method
    assert [tuple(entry["values"].values()) for entry in front["front"]] == [
        (1, 0), (4, 9), (9, 18),
    ]  # fmt: skip
    assert front["exact"] == (front["proven"] == 20)
    assert ("complete for these hierarchies" in found.err) == front["exact"]
    if method in ("exhaustive", "exact"):
        assert front["exact"]


def test_the_command_line_overrides_the_job(tmp_path):
    search = {"method": "pbg-ea", "seed": 1, "budget": "100 evaluations"}
    job = write_search_job(tmp_path, search=search)
    own = call("front", job, "-o", tmp_path / "f", "--json").json
    assert (own["method"], own["evaluated"]) == ("pbg-ea", 100)
    options = ["--method", "evolve", "--budget", "70 evaluations", "--seed", 2]
    found = call("front", job, "-o", tmp_path / "f", *options, "--json")
    assert (found.json["method"], found.json["evaluated"]) == ("evolve", 70)
    assert "at most 70 evaluations" in found.err
    assert not found.json["exact"]
    # the same as a job that says so itself
    search = {"method": "evolve", "seed": 2, "budget": "70 evaluations"}
    first = (tmp_path / "f" / "front.json").read_bytes()
    same = call("front", write_search_job(tmp_path, search=search), "-o", tmp_path / "g", "-q")
    assert same.code == 0
    assert (tmp_path / "g" / "front.json").read_bytes() == first


def test_a_budget_of_time_stops_in_time(tmp_path):
    """PBG-EA would go on until it has seen every node, which takes it far longer."""
    job = write_search_job(tmp_path, search={"method": "pbg-ea", "seed": 1})
    call("front", job, "-o", tmp_path / "f", "--budget", "10 evaluations", "-q")  # loads kernels
    begun = time.monotonic()
    found = call("front", job, "-o", tmp_path / "f", "--budget", "1s")
    assert found.code == 0, found.err
    assert "at most 1 s" in found.err
    front = json.loads((tmp_path / "f" / "front.json").read_text())
    assert 10 < front["evaluated"] <= front["nodes"]
    assert time.monotonic() - begun < 20


def test_auto_within_a_budget_too_small_for_everything(tmp_path):
    """60 of 576 nodes: the first 60 in order tell nothing; a search that chooses them does."""
    job = write_search_job(tmp_path, search={"seed": 1})
    front = call("front", job, "-o", tmp_path / "f", "--budget", "60 evaluations", "--json").json
    whole = call("front", job, "-o", tmp_path / "g", "--json").json
    assert front["evaluated"] <= 60
    assert len(front["front"]) > len(whole["front"]) / 2


def test_boxes_by_job(tmp_path):
    sizes = {"k": 3, "glm": 9}
    every = call("front", make_people(tmp_path), "-o", tmp_path / "f", "--json").json
    few = call("front", make_people(tmp_path, epsilon=sizes), "-o", tmp_path / "g", "--json").json
    assert [entry["values"]["k"] for entry in every["front"]] == [1, 4, 9]
    # k in boxes 1, 2, 3; 18 - glm in boxes 2, 1, 0: none is dominated
    assert few["front"] == every["front"]
    wide = {"k": 9, "glm": 18}
    job = make_people(tmp_path, epsilon=wide)
    for method in ("exhaustive", "exact", "evolve"):
        front = call("front", job, "-o", tmp_path / "h", "--method", method, "--json").json
        # k in one box, 18 - glm in 1, 1, 0: the first two share the best box; whoever is
        # evaluated first holds it, unless the front is proven before it is thinned
        held = [entry["values"]["k"] for entry in front["front"]]
        assert held == [1] or (method == "evolve" and held == [4])


# ---- the big example


@pytest.mark.slow
def test_the_big_example_from_front_to_release(tmp_path):
    """12,441,600 nodes: `auto` evolves; the release takes the point that the front promised."""
    budget = ["--budget", "300 evaluations"]
    found = call("front", BIG, "-o", tmp_path / "f", *budget)
    assert found.code == 0, found.err
    assert re.search(
        r"evolve search \(12,441,600 nodes and [0-9,]+ distinct combinations, of which a budget of "
        r"evaluations picks some\): at most 300 evaluations",
        found.err,
    )
    assert "300 of 12,441,600 nodes were evaluated" in " ".join(found.err.split())
    front = json.loads((tmp_path / "f" / "front.json").read_text())
    assert (front["exact"], front["evaluated"], front["method"]) == (False, 300, "evolve")
    made = call("release", BIG, "--pick", "k>=5", *budget, "-o", tmp_path / "r", "--json")
    assert made.code == 0, made.err
    assert made.json["verified"]
    assert made.json["values"]["k"] >= 5
    promised = [e for e in front["front"] if e["levels"] == made.json["levels"]
                and e["suppress_below"] == made.json["suppress_below"]]  # fmt: skip
    assert len(promised) == 1
    assert promised[0]["suppressed"] == made.json["suppressed"]
    for name, value in promised[0]["values"].items():
        assert made.json["values"][name] == value


def interrupted(command: list[object], delay: float) -> tuple[int, str]:
    """Exit code and last words of a process that gets SIGINT so long after it begins to search."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        said = [process.stderr.readline()]
        while "evolve search" not in said[-1]:
            assert said[-1], said
            said.append(process.stderr.readline())
        time.sleep(delay)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        return process.wait(timeout=60), rest


@pytest.mark.slow
def test_ctrl_c_in_the_middle_writes_what_is_known(tmp_path):
    """SIGINT to a process that evolves on the big example; later when the machine is busy."""
    command = [
        sys.executable, "-m", "paretonym", "front", BIG, "-o", tmp_path / "f",
        "--budget", "1000000 evaluations", "--seed", "1",
    ]  # fmt: skip
    for delay in (4, 12, 30):
        code, rest = interrupted(command, delay)
        assert code == 1, rest
        assert "Traceback" not in rest
        last = rest.rstrip().splitlines()[-1]
        if last != "paretonym: stopped before any candidate was found":
            break
        assert not (tmp_path / "f").exists()
    assert last.startswith("paretonym: stopped; what was found so far")
    front = json.loads((tmp_path / "f" / "front.json").read_text())
    assert not front["exact"]
    assert 0 < front["evaluated"] < front["nodes"]
    assert front["front"]
    assert files_under(tmp_path / "f").keys() == {
        "checkpoint.npz", "explorer.html", "front.csv", "front.json", "report.html"
    }  # fmt: skip
