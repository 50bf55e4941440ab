"""The clinic: from sentences to a verified release in two commands."""

from __future__ import annotations

import csv
import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.calling import call

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "confidentiality.md").read_text(encoding="utf-8")
DRIVERS = {"bus driver", "lorry driver", "train driver"}
HOME = "age=4,postcode=0,sex=1,occupation=2,insurance=2,visit=5"  # nothing but the postcode

# the three rules of clinic.yaml: what is secret, about whom
Row = dict[str, str]
STIGMA = {"HIV", "alcohol dependence", "opioid dependence", "schizophrenia"}
RULES = (
    (lambda row: row["diagnosis"] in STIGMA, lambda row: True),
    (lambda row: int(row["income"]) < 18000 and row["diagnosis"] == "depression", lambda row: True),
    (
        lambda row: row["diagnosis"] in {"epilepsy", "sleep apnoea"},
        lambda row: row["occupation"] in DRIVERS,
    ),
)


@pytest.fixture
def job(tmp_path: Path) -> Path:
    for file in EXAMPLES.glob("clinic*"):
        shutil.copy(file, tmp_path)
    return tmp_path / "clinic.yaml"


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def posteriors(raw: list[Row], label: dict[str, str], released: list[Row]) -> Iterator[float]:
    """By hand, for every person and rule that protects them: how sure somebody can be."""
    columns = ("age", "occupation", "visit")  # the other quasi-identifiers read * in the release
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in released:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    for person in raw:
        low = int(person["age"]) // 5 * 5
        group = groups[
            f"[{low}, {low + 5})", label[person["occupation"]], label[person["visit"]]
        ]  # fmt: skip
        for says, protects in RULES:
            if protects(person):
                yield sum(map(says, group)) / len(group)


def test_the_table_is_made_again_byte_for_byte(tmp_path):
    runpy.run_path(str(EXAMPLES / "make_clinic.py"))["write"](tmp_path)
    for name in ("clinic.csv", "clinic-season.csv"):
        assert (tmp_path / name).read_bytes() == (EXAMPLES / name).read_bytes()
    assert len(read(tmp_path / "clinic.csv")) == 2_000


@pytest.mark.slow
def test_from_sentences_to_a_verified_release_in_two_commands(job, tmp_path):
    found = call("secure", job, "--json")
    assert found.code == 0, found.err
    made = call("release", job, "--pick", "k>=5", "-o", tmp_path / "release", "--json")
    assert made.code == 0, made.err

    assert found.json["exposed"]["people"] == 70
    assert [one["people"] for one in found.json["exposed"]["by_rule"]] == [44, 10, 16]
    assert (found.json["nodes"], len(found.json["minimal"])) == (2_700, 75)
    assert made.json["verified"]
    levels = {"age": 1, "postcode": 4, "sex": 1, "occupation": 1, "insurance": 2, "visit": 4}
    assert made.json["levels"] == levels
    assert made.json["values"]["secure"] == 1
    assert "Somebody can still be 28.6 % sure of it (worst risk)" in " ".join(made.err.split())
    for against in ([], ["--against", tmp_path / "clinic.csv"]):
        assert call("verify", tmp_path / "release", *against, "-q").code == 0


def test_nobody_can_be_certain_from_the_written_file(job, tmp_path):
    """The rules again, in plain Python, over the file that was handed on."""
    made = call("release", job, "--pick", "k>=5", "-o", tmp_path / "release", "--json").json
    label = {}
    for name in ("clinic-occupations.csv", "clinic-season.csv"):
        label |= dict(line.split(";")[:2] for line in (EXAMPLES / name).read_text().splitlines())
    raw, released = read(EXAMPLES / "clinic.csv"), read(tmp_path / "release" / "data.csv")
    assert len(released) == len(raw)
    worst = max(posteriors(raw, label, released))
    assert worst == pytest.approx(made["values"]["worst_risk"])
    assert worst < 1


def test_k_and_l_do_not_help_the_twelve_in_the_home(job):
    """Twelve people share a postcode and two diagnoses, both of them secret."""
    found = call("secure", job, "--levels", HOME, "--json").json
    assert found["exposed"]["by_rule"][0] == {"rule": 1, "people": 12}
    said = call("score", job, "--levels", HOME, "--json")
    values = said.json["values"]
    assert (values["k"], values["distinct_l(diagnosis)"], values["secure"]) == (12, 2, 0)
    assert not said.json["feasible"]
    assert "does not meet the job's requirements" in said.err
    assert call("release", job, "--levels", HOME, "-o", job.parent / "no").code == 1


def test_an_insecure_release_that_nothing_forbids_says_take_care(job, tmp_path):
    job.write_text(job.read_text().replace("require: {secure: true}", ""))
    made = call("release", job, "--levels", HOME, "-o", tmp_path / "release")
    assert made.code == 0, made.err
    assert "TAKE CARE: not secure" in made.err


def test_what_is_too_much_to_ask_says_how_far_it_got(job, tmp_path):
    job.write_text(job.read_text().replace("secure: true", "worst_risk: 3%"))
    found = call("front", job, "-o", tmp_path / "front", "-q")
    assert found.code == 1
    assert "worst_risk <= 0.03" in found.err
    assert "Even there somebody can be 3.5% sure" in found.err
    assert "suppression limit" not in found.err


def test_seasons_beat_quarters(job):
    """Two ways to group the visits that cannot be compared: one leaves less to be learnt."""
    quarter, season = (
        call(
            "score", job, "--json", "-q",
            "--levels", f"age=1,postcode=4,sex=1,occupation=1,insurance=2,visit={visit}",
        ).json["values"]
        for visit in (3, 4)
    )  # fmt: skip
    assert quarter["ql"] == season["ql"]
    assert quarter["sf"] < season["sf"]
    assert quarter["worst_risk"] > season["worst_risk"]


def test_the_page_shows_what_the_commands_say(job):
    """Every line of the walk-through in docs/confidentiality.md that states a number."""
    said = call("secure", job)
    text = " ".join((said.out + said.err).split())
    shown = PAGE.partition("paretonym secure clinic.yaml\n```\n\n```text\n")[2].partition("```")[0]
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    lines = [line for line in lines if any(map(str.isdigit, line))]
    assert len(lines) > 10
    for line in lines:
        assert line in text, line
