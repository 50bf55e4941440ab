"""`paretonym group attack`: for programs, for people, and where it is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paretonym.cli.show import Bar
from paretonym.pipeline import attacking
from tests.cli.calling import call, files_under, write_csv, write_job
from tests.safety.cases import refused
from tests.support.attacking import GROUP, MAIN, MAIN_NAMES, OTHER, OTHER_NAMES, QUICK

BASES = Path(__file__).parents[2] / "examples" / "bases.yaml"
AUXILIARY = {"table": "other.csv"}
# nobody may read these in a message
SECRET = [("CANARYAREA", "CANARYJOB", "foot", "night")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_csv(tmp_path / "main.csv", MAIN_NAMES, [*MAIN, *SECRET])
    write_csv(tmp_path / "other.csv", OTHER_NAMES, [*OTHER, ("CANARYJOB", "car", "day")])
    return tmp_path


def write(folder: Path, name: str = "soldiers", **changes: Any) -> Path:
    """A quick attack by rules on the base of area f."""
    group = {**GROUP, "auxiliary": AUXILIARY, "attack": {**QUICK, "attackers": ["fuzzy"]}}
    made = {key: value for key, value in {**group, **changes}.items() if value is not None}
    return write_job(folder, {"table": "main.csv", "groups": {name: made}, "search": {"seed": 1}})


def attack(job: Path, *more: object) -> Any:
    return call("group", "attack", job, "-o", job.parent / "out", *more)


def test_all_bases_of_the_example_are_found(tmp_path):
    text = BASES.read_text().replace(
        "generations: 100, runs: 10", "generations: 8, runs: 2, controls: 1, resamples: 100"
    )
    (tmp_path / "bases.yaml").write_text(text)
    made = attack(tmp_path / "bases.yaml", "--threads", 2)
    assert made.code == 0, made.err
    for name in ("attack.json", "report.html"):
        assert (tmp_path / "out" / name).stat().st_mode & 0o777 == 0o600
    (group,) = json.loads((tmp_path / "out" / "attack.json").read_text())["groups"]
    assert [one["name"] for one in group["attackers"]] == ["fuzzy", "logistic", "boosting"]
    for one in group["attackers"]:
        found = one["adequacy"]
        assert (found["tp"], found["fp"], found["fn"], found["tn"]) == (8, 0, 0, 64)
    page = (tmp_path / "out" / "report.html").read_text()
    bases = [area for region in group["regions"] for area in region["outliers"]["quantity"]]
    assert len(bases) == 8
    assert all(base in page and base in made.out for base in bases)


def test_json_is_one_object(folder):
    made = attack(write(folder), "--json", "-q")
    (group,) = made.json["groups"]
    assert made.err == ""
    assert made.json == json.loads((folder / "out" / "attack.json").read_text())
    assert group.keys() >= {"name", "regions", "attackers"}
    (fuzzy,) = group["attackers"]
    assert fuzzy.keys() >= {"name", "rules", "regions", "adequacy"}
    assert fuzzy["adequacy"]["tp"] == 1


def test_words_for_people(folder):
    made = attack(write(folder))
    for words in ("recovered", "Fuzzy rules point at", "The best rule: on foot, night"):
        assert words in made.out, made.out
    for words in ("group soldiers", "harmonised auxiliary file", "keep them inside"):
        assert words in made.err, made.err


def test_the_folder_is_named_after_the_job(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert call("group", "attack", write(folder), "-q").code == 0
    assert (folder / "job-attack" / "attack.json").exists()


def test_equal_bytes_whatever_the_threads_and_hashes(folder):
    names = ["fuzzy", "logistic", "boosting"]
    job = write(folder, attack={**QUICK, "controls": 1, "attackers": names})
    written = []
    for threads, seed in ((1, "1"), (2, "77")):
        out = folder / f"with-{threads}"
        command = [sys.executable, "-m", "paretonym", "group", "attack", job, "-o", out, "-q",
                   "--threads", str(threads)]  # fmt: skip
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        written.append(files_under(out))
    assert written[0] == written[1]
    assert written[0].keys() == {"attack.json", "report.html"}


def test_another_seed_is_another_attack(folder):
    """The labels are dealt out otherwise."""
    job = write(folder, attack={**QUICK, "attackers": ["logistic"]})
    first = attack(job, "--json", "-q", "--seed", 1).json
    assert attack(job, "--json", "-q", "--seed", 1).json == first
    assert attack(job, "--json", "-q", "--seed", 2).json != first


def test_a_group_without_an_auxiliary_file_is_named(folder):
    job = write(folder)
    data = json.loads(job.read_text())
    data["groups"]["walkers"] = {"vital": "way = foot", "parameter": ["area"]}
    job.write_text(json.dumps(data))
    made = attack(job, "--json")
    assert [group["name"] for group in made.json["groups"]] == ["soldiers"]
    assert "group walkers has no auxiliary file, so that nobody attacked it" in made.err


def refuses(job: Path, *words: str, secret: bool = True) -> None:
    """Exit code 2, a message, nothing written and no value of the data told."""
    before = files_under(job.parent)
    made = attack(job)
    refused(made, 2, *words)
    assert files_under(job.parent) == before
    assert not (job.parent / "out").exists()
    if secret:
        assert "CANARY" not in made.err


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vital": "job = x"}, ["groups.soldiers.vital", "'x' does not occur"]),
        ({"parameter": ["aera"]}, ["groups.soldiers.parameter", "did you mean 'area'"]),
        ({"auxiliary": None}, ["groups.soldiers.auxiliary: this key is missing", "harmonise"]),
        ({"auxiliary": {"table": "none.csv"}}, ["none.csv", "there is no such file"]),
        ({"auxiliary": {"table": "others.csv", "vital": "job = CANARYJOB2"}}, ["no such file"]),
        ({"auxiliary": {"table": "other.csv", "harmonise": {"way": {"range": [1, 2]}}}},
         ["attribute 'way'", "cannot be read as a number"]),
        ({"attack": {"attackers": ["fuzy"]}},
         ["groups.soldiers.attack.attackers", "did you mean 'fuzzy'"]),
        ({"attack": {"attackers": "boosted"}}, ["unknown attacker"]),
        ({"basic": ["way", "job"]}, ["groups.soldiers.basic, item 2", "taken out of the release"]),
        ({"basic": None, "variables": {"job": {"soldier": {"is": ["s"]}}}},
         ["groups.soldiers.variables.job", "taken out of the release"]),
        ({"outliers": {"keep": ["zz"]}}, ["outliers.keep, item 1", "no such area"]),
        ({"smallest_area": 1000}, ["every area is smaller"]),
    ],
)  # fmt: skip
def test_bad_input(folder, changes, words):
    refuses(write(folder, **changes), *words)


def test_an_auxiliary_file_without_the_group(folder):
    civil = [row for row in OTHER if row[0] == "c"]
    write_csv(folder / "other.csv", OTHER_NAMES, civil)
    refuses(write(folder), "groups.soldiers.auxiliary.vital", "none of the 322 records")


@pytest.mark.parametrize("attacker", ["fuzzy", "logistic", "boosting"])
def test_an_auxiliary_file_with_nobody_else(folder, attacker):
    write_csv(folder / "other.csv", OTHER_NAMES, [row for row in OTHER if row[0] == "s"])
    job = write(folder, attack={**QUICK, "attackers": [attacker]})
    refuses(job, "groups.soldiers.auxiliary: everybody who is left", "widen")


def test_ranges_that_drop_everybody(folder):
    rows = [(*row, "30") for row in MAIN]
    write_csv(folder / "main.csv", (*MAIN_NAMES, "age"), rows)
    write_csv(folder / "other.csv", (*OTHER_NAMES, "age"), [(*row, "30") for row in OTHER])
    auxiliary = {**AUXILIARY, "harmonise": {"age": {"range": [40, 50]}}}
    refuses(write(folder, auxiliary=auxiliary), f"drop every one of {len(rows):,} records", "age")


def test_files_that_do_not_match_are_listed(folder):
    """Both attributes are coded otherwise, and both are named."""
    rows = [(job, f"CANARY{way}", f"CANARY{when}") for job, way, when in OTHER]
    write_csv(folder / "other.csv", OTHER_NAMES, rows)
    job = write(folder, variables=None, basic=["way", "when"])
    refuses(job, "do not match after harmonisation", "- way:", "- when:", "100.0%")


def test_every_record_lacks_an_attribute(folder):
    """Missing in the auxiliary file altogether: nothing can be proposed for it."""
    write_csv(folder / "other.csv", OTHER_NAMES, [(job, "", when) for job, _, when in OTHER])
    harmonise = {"way": {"map": {"foot": "x", "car": "x"}}}
    job = write(folder, variables=None, auxiliary={**AUXILIARY, "harmonise": harmonise})
    refuses(job, "do not match after harmonisation", "- way:")


def test_named_attackers_need_scikit_learn(folder, monkeypatch):
    monkeypatch.setattr(attacking, "installed", lambda: False)
    job = write(folder, attack={**QUICK, "attackers": ["boosting", "fuzzy"]})
    refuses(job, "attack.attackers: boosting needs", "scikit-learn", "paretonym[attack]")
    refuses(job, "which is not installed; install it with", "or leave it out")


def test_without_scikit_learn_the_rules_attack_alone(folder, monkeypatch):
    monkeypatch.setattr(attacking, "installed", lambda: False)
    made = attack(write(folder, attack=QUICK), "--json")
    assert [one["name"] for one in made.json["groups"][0]["attackers"]] == ["fuzzy"]
    assert "only the fuzzy rules were tried" in made.err


def test_a_release_is_not_written_over(folder):
    (folder / "r").mkdir()
    (folder / "r" / "manifest.json").write_text("{}")
    before = files_under(folder)
    made = call("group", "attack", write(folder), "-o", folder / "r")
    refused(made, 2, "holds a release")
    assert {**files_under(folder), "job.yaml": b""} == {**before, "job.yaml": b""}


@pytest.mark.parametrize("name", ["attack.json", "report.html"])
def test_an_input_is_not_written_over(folder, name):
    (folder / "other.csv").rename(folder / name)
    job = write(folder, auxiliary={"table": name})
    before = files_under(folder)
    refused(call("group", "attack", job, "-o", folder), 2, "would replace a file")
    assert files_under(folder) == before


SCRIPT, MARKUP, STEERING = "<script>alert(1)</script>", "[red]:bug:[/red]", "\x1b[31mz\x07"


@pytest.mark.parametrize("hostile", [SCRIPT, MARKUP, STEERING])
def test_hostile_names(folder, hostile):
    """As the name of the group, of the area with the base, of a code and of its word."""
    names = {"f": hostile, "foot": hostile}
    rows = [[names.get(cell, cell) for cell in row] for row in MAIN]
    write_csv(folder / "main.csv", MAIN_NAMES, rows)
    others = [[names.get(cell, cell) for cell in row] for row in OTHER]
    write_csv(folder / "other.csv", OTHER_NAMES, others)
    variables = {**GROUP["variables"], "way": {hostile: {"is": [hostile]}}}
    made = attack(write(folder, name=hostile, variables=variables))
    assert made.code == 0, made.err
    shown = hostile.replace("\x1b", "\ufffd").replace("\x07", "\ufffd")
    assert f"group {shown}" in made.err
    assert made.out.count(shown) >= 3  # a table's line, what leaks, the best rule
    assert "\x1b" not in made.out + made.err
    page = (folder / "out" / "report.html").read_text()
    assert "<script>" not in page
    if hostile == SCRIPT:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    data = json.loads((folder / "out" / "attack.json").read_text())
    assert data["groups"][0]["attackers"][0]["regions"][0]["outliers"] == [hostile]


def test_hostile_names_in_errors(folder):
    made = attack(write(folder, name=STEERING, parameter=["\x1b[2J"]))
    assert made.code == 2
    assert "\x1b" not in made.err


@pytest.mark.parametrize("attacker", ["fuzzy", "logistic"])
def test_ctrl_c_in_the_middle_writes_nothing(folder, monkeypatch, attacker):
    """In the second of the attacks: half of them would say too little."""
    heard = []

    def stop(self: Bar, steps: int) -> None:
        heard.append(steps)
        if len(heard) == (7 if attacker == "fuzzy" else 2):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Bar, "advance", stop)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        made = attack(write(folder, attack={**QUICK, "attackers": [attacker]}))
    finally:
        signal.signal(signal.SIGINT, handler)
    assert made.code == 1
    assert made.err.endswith("paretonym: stopped\n")
    assert not (folder / "out").exists()


def test_a_full_disk_leaves_nothing_half_written(folder, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(attacking, "write_text", full)
    refused(attack(write(folder)), 2, "No space left on device")
    assert list((folder / "out").iterdir()) == []
