"""Columns written as statistics of their blocks: whole releases, and what may not pass."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.confidential import FIG_1

import paretonym as pn
from paretonym.errors import HierarchyError, JobError, ParetonymError, VerificationError
from paretonym.jobfile.digest import search_digest
from paretonym.model.plan import Plan, sealed
from paretonym.pipeline import releasing

NAMES = ("dob", "zip", "height", "income", "health")
COLUMNS = {
    "dob": {"role": "quasi", "format": "%d/%m/%y", "hierarchy": {"date": ["month", "year"]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    "height": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "income": {"role": "sensitive"},
    "health": {"role": "sensitive"},
}
WAYS = {"dob": "median", "zip": "median", "height": "mean"}
FIGURE_4 = {"dob": 1, "zip": 3, "height": 2}


def job_of(table, columns=COLUMNS, ways=WAYS, **more):
    with_ways = {
        name: spec | ({"write": ways[name]} if name in ways else {})
        for name, spec in columns.items()
    }
    data = {"columns": with_ways, "objectives": ["k", "glm"], **more}
    return pn.make_job(data, table=table)


def write_csv(path, rows, names=NAMES):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([names, *rows])
    return path


def read_csv(folder):
    with (folder / "data.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def running(tmp_path):
    return write_csv(tmp_path / "running.csv", FIG_1)


@pytest.fixture
def folder(tmp_path, running):
    pn.release(job_of(running), levels=FIGURE_4, out=tmp_path / "out")
    return tmp_path / "out"


def distinct(rows, name):
    return {row[name] for row in rows}


def test_figure_4_of_paper_002(folder):
    """The printed ZIP 26617 is a slip: of the five, 26328 stands in the middle."""
    rows = read_csv(folder)
    assert distinct(rows, "dob") == {"24/09/56", "18/03/56", "18/04/55"}
    assert distinct(rows, "zip") == {"24129", "10431", "26328"}
    assert distinct(rows, "height") == {"164", "173"}
    shown = Counter((row["dob"], row["zip"], row["height"]) for row in rows)
    assert shown == {
        ("24/09/56", "24129", "164"): 3,
        ("18/03/56", "10431", "164"): 3,
        ("18/04/55", "26328", "173"): 5,
    }


def test_a_release_of_statistics_verifies_for_everybody(folder, running):
    assert pn.verify(folder).ok
    found = pn.verify(folder, against=running)
    assert found.ok
    told = {check.name: check.recomputed for check in found.checks}
    assert told["texts of height that are not the mean of their block"] == 0
    assert told["texts of zip that do not stand for one block"] == 0
    shutil.rmtree(folder / "internal")
    assert pn.verify(folder).ok


def test_losses_do_not_depend_on_what_is_written(tmp_path, running):
    made = [
        pn.release(job_of(running, ways=ways), levels=FIGURE_4, out=tmp_path / name)
        for name, ways in (("labels", {}), ("statistics", WAYS))
    ]
    assert made[0].internal.values == made[1].internal.values


def test_parquet_with_typed_columns(tmp_path):
    dob, zips, height, income, health = zip(*FIG_1, strict=True)
    table = pa.table(
        {"dob": dob, "zip": zips, "height": pa.array(map(float, height)), "income": income,
         "health": health}
    )  # fmt: skip
    source = tmp_path / "running.parquet"
    pq.write_table(table, source)
    made = pn.release(job_of(source), levels=FIGURE_4, out=tmp_path / "out", format="parquet")
    assert made.verification.ok
    written = pq.read_table(tmp_path / "out" / "data.parquet")
    assert set(written["height"].to_pylist()) == {"164", "173"}
    assert pn.verify(tmp_path / "out", against=source).ok


def test_at_level_0_values_stand_for_themselves(tmp_path):
    table = pa.table({"q": pa.array([1.50, 1.50, 2.25, 2.25]), "s": ["a", "b"] * 2})
    columns = {
        "q": {"role": "quasi", "hierarchy": "suppress", "type": "number"},
        "s": {"role": "sensitive"},
    }
    job = job_of(table, columns, {"q": "mean"})
    pn.release(job, levels={"q": 0}, out=tmp_path / "raw", format="parquet")
    assert pq.read_table(tmp_path / "raw" / "data.parquet")["q"].type == pa.float64()
    pn.release(job, levels={"q": 1}, out=tmp_path / "top", format="parquet")
    assert set(pq.read_table(tmp_path / "top" / "data.parquet")["q"].to_pylist()) == {"1.875"}


def test_suppressed_rows_do_not_influence_the_file(tmp_path, running):
    """A man of 9999.125 in a class of his own: no mean, no decimals, no text of him is left."""
    odd = ("20/04/55", "26015", "9999.125", "100K", "1")
    alone = ("20/04/55", "99999", "163.0625", "100K", "1")  # shares its height's block with others
    source = write_csv(tmp_path / "odd.csv", [*FIG_1, odd, alone])
    job = job_of(source, suppression={"limit": "2 rows"}, require={"k": 2})
    made = pn.release(job, levels=FIGURE_4, out=tmp_path / "out")
    assert made.internal.suppressed == 2
    assert distinct(read_csv(tmp_path / "out"), "height") == {"164", "173"}
    plan = json.loads((tmp_path / "out" / "internal" / "plan.json").read_text())
    height = next(
        s["recode"] for s in plan["steps"] if s.get("recode", {}).get("column") == "height"
    )
    assert dict(height["labels"])["9999.125"] == "(not in the plan)"
    assert dict(height["labels"])["163.0625"] == "164"
    assert pn.verify(tmp_path / "out", against=source).ok


def test_missing_cells_and_a_decimal_comma(tmp_path):
    rows = [("1,5", "a"), ("2", "b"), ("", "a"), ("", "b"), ("11", "a"), ("12", "b")]
    source = write_csv(tmp_path / "t.csv", rows, ("x", "s"))
    columns = {
        "x": {"role": "quasi", "decimal_comma": True, "hierarchy": {"intervals": 10}},
        "s": {"role": "sensitive"},
    }
    pn.release(job_of(source, columns, {"x": "mean"}), levels={"x": 1}, out=tmp_path / "one")
    assert Counter(r["x"] for r in read_csv(tmp_path / "one")) == {"1,75": 2, "": 2, "11,5": 2}
    pn.release(job_of(source, columns, {"x": "mean"}), levels={"x": 2}, out=tmp_path / "all")
    assert distinct(read_csv(tmp_path / "all"), "x") == {"6,625"}
    pn.release(job_of(source, columns, {"x": "mode"}), levels={"x": 2}, out=tmp_path / "mode")
    assert distinct(read_csv(tmp_path / "mode"), "x") == {""}


def test_equal_statistics_stop_the_release(tmp_path):
    rows = [("1", "a"), ("5", "b"), ("3", "a"), ("3", "b")]
    source = write_csv(tmp_path / "t.csv", rows, ("x", "s"))
    columns = {
        "x": {"role": "quasi", "type": "number",
              "hierarchy": {"groups": {"odd ends": ["1", "5"], "middle": ["3"]}}},
        "s": {"role": "sensitive"},
    }  # fmt: skip
    job = job_of(source, columns, {"x": "mean"})
    with pytest.raises(HierarchyError, match=r"column 'x': at level 1 .* choose another write"):
        pn.release(job, levels={"x": 1}, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    job = job_of(source, columns, {"x": "mode"})
    pn.release(job, levels={"x": 1}, out=tmp_path / "out")
    assert distinct(read_csv(tmp_path / "out"), "x") == {"1", "3"}


def test_values_that_are_no_numbers_stop_the_run_before_a_search(tmp_path):
    source = write_csv(tmp_path / "t.csv", [("1", "a"), ("90+", "b")], ("x", "s"))
    columns = {
        "x": {"role": "quasi", "type": "number", "hierarchy": "suppress"},
        "s": {"role": "sensitive"},
    }
    with pytest.raises(HierarchyError, match="1 value of 2 cannot be read as a number"):
        pn.find_front(job_of(source, columns, {"x": "mean"}))
    pn.find_front(job_of(source, columns, {}))  # a type that nothing uses is not looked at


# ---- faults that must not pass


def mend(folder):
    """Every hash as it would be had the files been written like this."""

    def sha(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()

    public, inner = folder / "manifest.json", folder / "internal" / "manifest.json"
    data = json.loads(public.read_text())
    data["data"]["sha256"] = sha(folder / "data.csv")
    public.write_text(json.dumps(data))
    inside = json.loads(inner.read_text())
    inside["files"] = {name: sha(folder / name) for name in inside["files"]}
    inner.write_text(json.dumps(inside))


def retell(folder, old, new, files):
    for name in files:
        path = folder / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    mend(folder)


def failures(folder, **against):
    return {check.name for check in pn.verify(folder, **against).failures}


def test_another_text_in_the_data_is_caught(folder, running):
    retell(folder, "164", "165", ["data.csv"])
    assert failures(folder) == {"cells of height that are no label of the plan"}
    assert failures(folder, against=running) >= {"released rows that are no recoded input row"}


@pytest.mark.parametrize(
    ("column", "way", "old", "new"),
    [("height", "mean", "164", "164.5"), ("zip", "median", "24129", "24126")],
)
def test_another_statistic_in_data_and_plan_is_caught_with_the_input(
    folder, running, column, way, old, new
):
    """Consistent files: only the raw values can tell."""
    retell(folder, f",{old},", f",{new},", ["data.csv"])
    plan = folder / "internal" / "plan.json"
    data = json.loads(plan.read_text())
    step = next(s["recode"] for s in data["steps"] if s.get("recode", {}).get("column") == column)
    for pairs, place in ((step["labels"], 1), (step["leaves"], 0), (step["written"]["texts"], 1)):
        for pair in pairs:
            pair[place] = new if pair[place] == old else pair[place]
    plan.write_text(json.dumps(sealed(data)))
    mend(folder)
    assert pn.verify(folder).ok
    assert failures(folder, against=running) == {
        f"texts of {column} that are not the {way} of their block"
    }


def test_two_blocks_of_one_text_are_seen_in_the_plan(folder):
    plan = folder / "internal" / "plan.json"
    data = json.loads(plan.read_text())
    step = next(s["recode"] for s in data["steps"] if s.get("recode", {}).get("column") == "height")
    step["written"]["texts"][1][1] = step["written"]["texts"][0][1]
    plan.write_text(json.dumps(sealed(data)))
    mend(folder)
    assert failures(folder) == {"texts of height that do not stand for one block"}


@pytest.mark.parametrize("part", ["way", "order", "texts", "frozen"])
def test_a_damaged_step_is_refused(folder, part):
    plan = folder / "internal" / "plan.json"
    data = json.loads(plan.read_text())
    data["steps"][1]["recode"]["written"][part] = {"kind": "odd"}
    if part == "frozen":
        del data["steps"][1]["recode"]["written"][part]
    plan.write_text(json.dumps(sealed(data)))
    with pytest.raises(JobError, match="damaged"):
        pn.verify(folder)


def test_an_engine_that_computes_a_wrong_mean_releases_nothing(tmp_path, running, monkeypatch):
    true = releasing.with_statistics

    def wrong(recode, granulation, counts, **rest):
        return true(recode, granulation, counts * (1 + (counts.cumsum() == 1)), **rest)

    monkeypatch.setattr(releasing, "with_statistics", wrong)
    with pytest.raises(VerificationError, match="of height that are not the mean"):
        pn.release(job_of(running), levels=FIGURE_4, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


# ---- later files, reports, digests


def test_a_later_file_keeps_the_texts(tmp_path, folder):
    """Another distribution, the same values: 164 and 173 stay, although they are no means of it."""
    february = write_csv(tmp_path / "february.csv", FIG_1 * 2 + FIG_1[:2] * 3)
    made, drift = pn.apply(folder, february, out=tmp_path / "later")
    assert (drift.suppressed, drift.unknown_rows) == (0, 0)
    assert distinct(read_csv(tmp_path / "later"), "height") == {"164", "173"}
    assert all(c.frozen for c in made.public.columns if c.written)
    assert pn.verify(tmp_path / "later", against=february).ok
    page = (tmp_path / "later" / "report.html").read_text()
    assert "each group written as the mean of its rows in an earlier table" in page


def test_values_that_were_part_of_no_statistic_are_unknown_later(tmp_path, running):
    """162 lies in [160, 170), but the plan says nothing of it; neither does it of a value whose
    rows were all suppressed."""
    alone = ("20/04/55", "99999", "150", "100K", "1")
    source = write_csv(tmp_path / "january.csv", [*FIG_1, alone])
    job = job_of(source, suppression={"limit": "50%"}, require={"k": 2})
    pn.release(job, levels=FIGURE_4, out=tmp_path / "january")
    new = ("24/09/56", "24126", "162", "400K", "1")
    later = write_csv(tmp_path / "february.csv", [*FIG_1, new, alone])
    made, drift = pn.apply(tmp_path / "january", later, out=tmp_path / "february")
    assert drift.new_values == {}
    assert drift.unknown_values == {"zip": 1, "height": 2}
    assert (drift.unknown_rows, made.public.promises["rows"]) == (2, 11)


def test_reports_and_manifest_say_how_each_column_was_written(folder):
    columns = json.loads((folder / "manifest.json").read_text())["columns"]
    assert {c["name"]: c.get("written_as") for c in columns} == WAYS | {
        "income": None, "health": None,
    }  # fmt: skip
    for page in (folder / "report.html", folder / "internal" / "report.html"):
        text = page.read_text()
        assert "each group written as the mean of its rows in this file" in text
        assert "as a rule somebody’s own value" in text
        assert "In dob and zip a cell" in text


def test_plans_without_a_word_of_it_are_still_read(folder):
    data = json.loads((folder / "internal" / "plan.json").read_text())
    for step in data["steps"][1:-1]:
        del step["recode"]["written"]
    assert {r.write for r in Plan.from_json(sealed(data)).recodes} == {"label"}


@st.composite
def tables(draw):
    cell = st.sampled_from(["1", "2", "3", "10", "11", "25", ""])
    code = st.sampled_from(["aa", "ab", "ba", "bb", "bc"])
    rows = draw(st.lists(st.tuples(cell, code, st.sampled_from("xy")), min_size=2, max_size=14))
    return rows if any(r[0] for r in rows) else [*rows, ("1", "aa", "x")]


@pytest.mark.slow
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    tables(),
    st.sampled_from(["mean", "median", "mode"]),
    st.sampled_from(["median", "mode"]),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.integers(1, 3),
)
def test_written_and_generalised_tables_have_the_same_classes(
    tmp_path_factory, rows, number, code, levels, k
):
    """Structurally isomorphic (attribute-oriented granulation, section 3.2): whatever is written,
    every row shares its texts with the same rows. The sensitive column numbers the rows."""
    folder = tmp_path_factory.mktemp("case")
    numbered = [(x, c, s + str(i)) for i, (x, c, s) in enumerate(rows)]
    source = write_csv(folder / "t.csv", numbered, ("x", "c", "s"))
    columns = {
        "x": {"role": "quasi", "hierarchy": {"intervals": 10}},
        "c": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "s": {"role": "sensitive"},
    }
    found = []
    for name, ways in (("labels", {}), ("written", {"x": number, "c": code})):
        job = job_of(source, columns, ways, require={"k": k}, suppression={"limit": "90%"})
        try:
            pn.release(job, levels={"x": levels[0], "c": levels[1]}, out=folder / name)
        except ParetonymError as error:
            found.append(type(error))
            continue
        classes = {}
        for row in read_csv(folder / name):
            classes.setdefault((row["x"], row["c"]), set()).add(row["s"])
        found.append({frozenset(people) for people in classes.values()})
        assert pn.verify(folder / name, against=source).ok
    assert found[0] == found[1]


def test_the_front_and_a_resumed_search_do_not_depend_on_it(running):
    plain, written = job_of(running, ways={}), job_of(running)
    assert plain.digest != written.digest
    assert search_digest(plain) == search_digest(written)
    assert pn.find_front(plain).entries == pn.find_front(written).entries
