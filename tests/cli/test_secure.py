"""`paretonym secure`, from sentences to a release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paretonym import datasets
from tests.cli.calling import call
from tests.safety.cases import refused


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """The running example of attribute-oriented granulation in a folder of its own."""
    file = tmp_path / "job.yaml"
    file.write_text(datasets.path("granulation/job.yaml").read_text())
    return file


def test_the_running_example(job):
    found = call("secure", job, "--json", "-q").json
    nodes = [tuple(one["levels"].values()) for one in found["minimal"]]
    assert nodes == [(1, 2, 2), (2, 5, 1)]
    assert (found["nodes"], found["tests"]["breadth_first"]) == (120, 84)
    assert found["tests"]["incognito"] < 84
    values = found["optimum"]["values"]
    assert tuple(found["optimum"]["levels"].values()) == (1, 2, 2)
    assert values["sf"] * values["ql"] == pytest.approx(0.33403, abs=1e-5)
    assert values.keys() == {"sf", "ql", "worst_risk", "at_risk", "k"}
    assert found["exposed"]["people"] == 3  # u5, u6 and u7 are alone and seriously ill
    assert found["exposed"]["by_rule"] == [{"rule": 1, "people": 3}]


def test_all_three_states_of_health(job):
    rules = "\n".join(f"  - {{say: health = {value}}}" for value in (0, 1, 2))
    job.write_text(job.read_text().replace("  - {say: health = 2}", rules))
    found = call("secure", job, "--json", "-q").json
    nodes = [tuple(one["levels"].values()) for one in found["minimal"]]
    assert nodes == [(2, 5, 1), (3, 4, 3)]
    assert found["tests"]["breadth_first"] == 112
    values = found["optimum"]["values"]
    assert values["sf"] * values["ql"] == pytest.approx(0.22391, abs=1e-5)


def test_whom_some_levels_expose(job):
    """At mm/yy, two digits and I10 all three of September 1956 are slightly ill, nobody 2."""
    job.write_text(job.read_text().replace("health = 2", "health = 1"))
    found = call("secure", job, "--levels", "birth=1,zip=3,height=2", "--json", "-q").json
    assert found["exposed"] == {
        "levels": {"birth": 1, "zip": 3, "height": 2}, "people": 3,
        "by_rule": [{"rule": 1, "people": 3}],
    }  # fmt: skip


def test_one_search_or_the_other(job):
    for way, name in (("incognito", "incognito"), ("breadth-first", "breadth_first")):
        found = call("secure", job, "--search", way, "--json", "-q").json
        assert list(found["tests"]) == [name]
    refused(call("secure", job, "--search", "depth-first", "-q"), 2, "did you mean 'breadth-first'")


def test_picked_and_released_in_two_commands(job, tmp_path):
    found = call("secure", job, "--pick", "ql>=40%", "--json")
    assert found.json["picked"] == {"birth": 1, "zip": 2, "height": 2}
    assert "--levels birth=1,zip=2,height=2" in " ".join(found.err.split())
    made = call("release", job, "--pick", "ql>=40%", "-o", tmp_path / "r", "--json")
    assert made.code == 0, made.err
    assert made.json["levels"] == found.json["picked"]
    assert made.json["verified"]
    assert made.json["values"]["secure"] == 1
    checked = call("verify", tmp_path / "r", "--json")
    assert checked.code == 0, checked.err


def test_the_front_keeps_to_what_is_required(job, tmp_path):
    """Every way to search gives the same secure front, and never an insecure node."""
    fronts = {}
    for method in ("exhaustive", "exact", "evolve"):
        out = call("front", job, "-o", tmp_path / method, "--method", method, "--json").json
        fronts[method] = [(e["levels"], e["values"]) for e in out["front"]]
    assert fronts["exhaustive"] == fronts["exact"] == fronts["evolve"]
    assert len(fronts["exact"]) == 4


def test_words_for_people(job):
    said = call("secure", job)
    text = " ".join((said.out + said.err).split())
    assert "a secret is certain about 3 people of 11" in text
    assert "2 minimal secure granulations" in text
    assert "worst risk says how sure somebody can still be" in text


def test_a_job_without_secrets(job):
    text = job.read_text().split("confidential:")[0]
    job.write_text(text.replace("[sf, ql]", "[k, glm]").replace("require: {secure: true}", ""))
    refused(call("secure", job, "-q"), 2, "keeps nothing confidential")


def test_what_all_people_fulfil_cannot_be_kept(job):
    """Nobody with 300K is seriously ill: true of all 11, though not of every possible record."""
    rule = "{say: not (income = 300K and health = 2)}"
    job.write_text(job.read_text().replace("{say: health = 2}", rule))
    refused(call("secure", job, "-q"), 1, "no granulation keeps every rule", "rule 1", "all 11")
    refused(call("front", job, "-q", "-o", job.parent / "f"), 1, "secure >= 1")
    assert not (job.parent / "f").exists()


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("{say: health = 2 and health = 1}", "rule 1 keeps nothing"),
        ("{say: health = 2, for: income = 100K and health = 1}", "rule 1 protects nobody"),
    ],
)
def test_a_rule_without_effect_is_told(job, tmp_path, rule, words):
    """A slip in a rule must not pass for a table that keeps it."""
    job.write_text(job.read_text().replace("{say: health = 2}", rule))
    for command in (["check"], ["secure"], ["release", "--pick", "knee", "-o", tmp_path / "r"]):
        said = call(command[0], job, *command[1:])
        assert said.code == 0, said.err
        assert f"TAKE CARE: confidential, {words}" in " ".join(said.err.split())


def test_json_is_the_same_whatever_the_threads(job):
    one, two = (call("secure", job, "--json", "-q", "--threads", n).json for n in (1, 2))
    assert json.dumps(one) == json.dumps(two)
