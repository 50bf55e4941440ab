"""`paretonym group protect`: a verified file, or an exit code with figures and nothing written."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from paretonym.groups import flow, thompson_tau
from tests.cli.calling import call, files_under, write_csv, write_job
from tests.pipeline.test_protecting import NAMES, NURSE, PROTECT, SOLDIER, people
from tests.safety.cases import refused

GROUP = {**SOLDIER, "remove": ["job", "rank"], "protect": {**PROTECT, "compatibility": "1"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_csv(tmp_path / "people.csv", NAMES, people())
    return tmp_path


def write(folder: Path, groups: dict[str, Any] | None = None, **rest: Any) -> Path:
    data = {"table": "people.csv", "groups": groups or {"soldiers": GROUP}, "search": {"seed": 1}}
    return write_job(folder, {**data, **rest})


def protect(job: Path, *more: object) -> Any:
    return call("group", "protect", job, "-o", job.parent / "out", *more)


def released(folder: Path) -> list[dict[str, str]]:
    with (folder / "out" / "data.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_protected_file_is_written_and_verified(folder):
    """The plan's pairs, applied by hand, give the released rows; soldiers stand out nowhere."""
    made = protect(write(folder), "--json")
    assert made.code == 0, made.err
    (group,) = json.loads(made.out)["groups"]
    assert group["outliers_before"] == ["e", "i"]
    assert group["outliers_after"] == []
    assert group["feasible_job"]
    assert group["standing_out"] == {"attributes": []}
    plan = json.loads((folder / "out" / "internal" / "plan.json").read_text())
    pairs = next(step["swap"] for step in plan["steps"] if "swap" in step)["pairs"]
    rows = [list(row) for row in people()]
    for one, other in pairs:
        rows[one][0], rows[other][0] = rows[other][0], rows[one][0]
    kept = [NAMES.index(name) for name in NAMES if name not in ("job", "rank")]
    wanted = Counter(tuple(row[place] for place in kept) for row in rows)
    assert Counter(tuple(row.values()) for row in released(folder)) == wanted
    areas = sorted({row[0] for row in rows})
    after = Counter(row[0] for row in rows if row[2] == "soldier")
    assert thompson_tau([after[area] for area in areas], 0.01, "upper") == []
    check = call("verify", folder / "out", "--against", folder / "people.csv")
    assert check.code == 0, check.err


def test_public_files_say_nothing_of_the_group(folder):
    protect(write(folder))
    for name in ("manifest.json", "report.html"):
        text = (folder / "out" / name).read_text()
        for word in ("soldier", "pairs", "seed", "stood out", "outlier"):
            assert word not in text, (name, word)
    assert (folder / "out" / "internal").stat().st_mode & 0o777 == 0o700


def test_the_internal_report_shows_before_and_after(folder):
    protect(write(folder))
    page = (folder / "out" / "internal" / "report.html").read_text()
    assert "Group “soldiers” protected by swaps" in page
    assert page.count(", stands out") == 4  # two outliers, each a bar and a wedge, before only


def test_swaps_of_a_job_with_columns_go_into_its_release(folder):
    roles = {"area": {"role": "insensitive"}, "land": {"role": "insensitive"},
             "job": {"role": "identifier"}, "rank": {"role": "identifier"},
             "sex": {"role": "quasi", "hierarchy": "suppress"},
             "age": {"role": "quasi", "hierarchy": {"intervals": ["10", "50"]}}}  # fmt: skip
    rest = {"columns": roles, "objectives": ["k", "glm"], "suppression": {"limit": "5%"}}
    assert protect(write(folder, **rest)).code == 0
    assert sorted(files_under(folder / "out")) == ["report.html", "swaps.json"]
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert lines_of(page).items() >= DECIDING.items()
    job = write(folder, swaps="out/swaps.json", **rest)
    made = call("release", job, "--pick", "k>=5", "-o", folder / "rel")
    assert made.code == 0, made.err
    inside = lines_of((folder / "rel" / "internal" / "report.html").read_text(encoding="utf-8"))
    assert inside["alpha of the modified Thompson tau technique"] == "1.00 %"
    assert "report of the protection" in inside["method, thresholds and limits"]
    check = call("verify", folder / "rel", "--against", folder / "people.csv", "--json")
    assert check.code == 0
    names = [one["name"] for one in json.loads(check.out)["checks"]]
    assert any("soldiers" in name and "stand out now" in name for name in names)


def test_a_removed_column_may_not_come_back_through_its_role(folder):
    roles = {name: {"role": "insensitive"} for name in NAMES}
    roles["sex"] = {"role": "quasi", "hierarchy": "suppress"}
    made = protect(write(folder, columns=roles, objectives=["k"]))
    refused(made, 2, "groups.soldiers.remove", "role: identifier")


CODES = [f"code{number}" for number in range(8)]


def coded() -> tuple[list[str], list[tuple[str, ...]]]:
    """As a survey is: single digits everywhere, most of them those of the column that is taken out.

    One column in words says what `job` says by a code, so that words are met again as well.
    """
    jobs = {"soldier": "4", "nurse": "5", "clerk": "1"}
    words = {"soldier": "Forces", "nurse": "Health", "clerk": "Office"}
    rows = []
    for number, (area, _, job, sex, age, _) in enumerate(people()):
        codes = [jobs[job] if number % 10 else str(place) for place in range(len(CODES))]
        rows.append((area, jobs[job], words[job], "12"[sex == "f"], age, words[job], *codes))
    return ["area", "job", "branch", "sex", "age", "past", *CODES], rows


CODED = {**GROUP, "vital": "job = 4", "remove": ["job", "branch"]}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_codes_of_a_removed_column_may_stand_in_other_columns(folder, kind):
    """They name nobody, so that nothing is searched for; 4 is a job here, an answer there."""
    names, rows = coded()
    write_csv(folder / "people.csv", names, rows)
    made = protect(write(folder, {"soldiers": CODED}), "--format", kind)
    assert made.code == 0, made.err
    plan = json.loads((folder / "out" / "internal" / "plan.json").read_text())
    roles = {column["name"]: column["roles"] for column in plan["columns"]}
    assert (roles["job"], roles["branch"], roles["sex"]) == (
        ["omitted"], ["omitted"], ["insensitive"],
    )  # fmt: skip
    check = call("verify", folder / "out", "--against", folder / "people.csv")
    assert check.code == 0, check.err
    page = (folder / "out" / "internal" / "report.html").read_text(encoding="utf-8")
    assert page.count("left out; it names nobody") == 2


def test_an_identifier_in_a_job_of_groups_is_searched_for_until_its_match_is_allowed(folder):
    names, rows = coded()
    write_csv(folder / "people.csv", names, rows)
    roles: dict[str, Any] = {name: {"role": "insensitive"} for name in ("area", *CODES)}
    roles |= {"job": {"role": "omitted"}, "branch": {"role": "identifier"},
              "sex": {"role": "quasi", "hierarchy": "suppress"},
              "age": {"role": "quasi", "hierarchy": {"intervals": ["10", "50"]}},
              "past": {"role": "insensitive"}}  # fmt: skip
    rest = {"columns": roles, "objectives": ["k", "glm"]}
    assert protect(write(folder, {"soldiers": CODED}, **rest)).code == 0
    rest["swaps"] = "out/swaps.json"
    job = write(folder, {"soldiers": CODED}, **rest)
    levels = ("--levels", "sex=1,age=2")
    refused(call("release", job, *levels, "-o", folder / "rel"), 1, "column 'past'", "may_match")
    roles["past"]["may_match"] = "words of a code book"
    job = write(folder, {"soldiers": CODED}, **rest)
    made = call("release", job, *levels, "-o", folder / "rel")
    assert made.code == 0, made.err
    check = call("verify", folder / "rel", "--against", folder / "people.csv")
    assert check.code == 0, check.err


def test_two_groups_are_judged_together(folder):
    groups = {"soldiers": GROUP, "nurses": {**NURSE, "protect": GROUP["protect"]}}
    made = protect(write(folder, groups), "--json")
    assert made.code == 0, made.err
    found = json.loads(made.out)["groups"]
    assert [one["standing_out"]["attributes"] for one in found] == [[], []]


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"distortion": "9%", "influential": ["rank"]}, 1, ["allows 9%", "needs less than"]),
        ({"from": ["nowhere"]}, 2, ["protect.from, item 1", "no such area among 10"]),
        ({"untouched": "job = soldier"}, 1, ["can sink from 40 to 40 at most"]),
        ({"influential": ["wage"]}, 2, ["no column 'wage'"]),
        ({"against": "model"}, 2, ["groups.soldiers.auxiliary: this key is missing"]),
    ],
)
def test_what_cannot_be_is_told_with_figures_and_nothing_is_written(folder, changes, code, words):
    job = write(folder, {"soldiers": {**GROUP, "protect": {**GROUP["protect"], **changes}}})
    before = files_under(folder)
    made = protect(job)
    assert made.code == code, made.err
    assert "Traceback" not in made.err
    for word in words:
        assert word in made.err
    assert files_under(folder) == before


def test_odd_places_and_tables_are_refused_before_the_work(folder):
    (folder / "out").mkdir()
    (folder / "out" / "mine.txt").write_text("mine")
    refused(protect(write(folder)), 2, "is not an earlier release")
    write_csv(folder / "more.csv", NAMES, people(2))
    several = call("group", "protect", write(folder, table=["people.csv", "more.csv"]))
    refused(several, 2, "join the files first")
    (folder / "out" / "mine.txt").unlink()
    assert "no group says how" in protect(write(folder, {"soldiers": SOLDIER})).err


def test_without_the_solver(folder, monkeypatch):
    monkeypatch.setattr(flow, "find_spec", lambda _: None)
    refused(protect(write(folder)), 2, "pip install 'paretonym[protect]'")


def test_the_last_area_may_be_an_outlier(folder):
    rows = [(row[0] if row[0] != "e" else "z", *row[1:]) for row in people()]
    write_csv(folder / "people.csv", NAMES, rows)
    assert protect(write(folder)).code == 0


@pytest.mark.slow
def test_options_override_the_job(folder):
    quick = {
        **GROUP["protect"],
        "new_outliers": "allow",
        "memetic": {"generations": "5", "runs": "1"},
    }
    job = write(folder, {"soldiers": {**GROUP, "protect": quick}})
    made = protect(job, "--method", "improved", "--against", "attributes", "--json")
    assert made.code == 0, made.err
    assert json.loads(made.out)["groups"][0]["method"] == "improved"
    assert "use flow, memetic, improved" in protect(job, "--method", "flo").err


def test_markup_in_names_is_escaped(folder):
    rows = [("<b>" if row[0] == "e" else row[0], *row[1:]) for row in people()]
    write_csv(folder / "people.csv", NAMES, rows)
    assert protect(write(folder, {"<script>x</script>": GROUP})).code == 0
    page = (folder / "out" / "internal" / "report.html").read_text()
    assert "<script>x" not in page
    assert "&lt;script&gt;x" in page
    assert "<b>:" not in page


DECIDING = {
    "method": "minimum-cost flow",
    "alpha of the modified Thompson tau technique": "1.00 %",
    "side": "areas with many members",
    "signal": "quantity",
    "compatibility, at least": "1",
    "old outliers that may remain, at most": "0 %",
    "new outliers": "forbidden",
    "margins kept with the areas": "none",
    "protected against": "the group by its attributes",
}


def lines_of(page: str) -> dict[str, str]:
    found = re.findall(r'<th scope="row">([^<]*)</th><td class="wrap">([^<]*)</td>', page)
    return dict(found)


def test_what_decided_a_protection_stands_in_the_internal_report_alone(folder):
    assert protect(write(folder)).code == 0
    inside = (folder / "out" / "internal" / "report.html").read_text(encoding="utf-8")
    methods = inside.split('id="methods"')[1].split('id="suppression"')[0]
    assert lines_of(methods).items() >= DECIDING.items()
    assert {"threshold", "distortion, at most", "swaps", "members"} <= set(lines_of(methods))
    assert "violating group anonymity" in inside
    public = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert not set(lines_of(public)) & set(DECIDING)
    assert "soldier" not in public
    assert "violating" not in public
    assert (
        "For the exchange of values between similar records: Chertov, O. and Tavrov, D." in public
    )
