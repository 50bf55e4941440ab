"""Hierarchies that place the missing value, over columns with and without an empty cell."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretonym as pn
from paretonym.errors import HierarchyError, InfeasibleError, JobError
from paretonym.pipeline.open_job import open_job

NUMBERS = ("11", "12", "23", "31")
DAYS = ("2021-01-04", "2021-01-13", "2022-02-01", "2022-11-30")
SPARE = "2023-05-05"  # declared and never there; reads as a date

# what a job says of a column with values a, b, c, d: the missing value beside others, alone, with
# an empty label, in a domain that stays open
PLACED: list[dict[str, Any]] = [
    {"groups": {"x": ["a", "b", ""], "z": ["c", "d"]}},
    {"groups": {"x": ["a", "b"], "z": ["c", "d"], "none": [""]}},
    {"groups": [{"x": ["a", ""], "y": ["b", "c"], "z": ["d"]}, {"u": ["x", "y"], "v": ["z"]}]},
    {"groups": {"x": ["a", "b", ""], "z": ["c", "d"]}, "open_top": True},
    {"groups": {"x": ["a", ""]}, "other": "rest"},
    {"groups": {"all": ["a", "b", "c", "d", ""]}},
    {"file": ["a;1;x;*", "b;1;x;*", "c;2;y;*", "d;3;y;*", ";1;x;*", "s;3;y;*"]},
    {"file": ["a;1;*", "b;1;*", "c;2;*", "d;3;*", ";none;*"]},
    {"file": ["a;1;*", "b;1;*", "c;2;*", "d;3;*", ";;*"]},
    {"file": ["a;1", "b;1", "c;2", "d;3", ";"], "open_top": True},
]
UNPLACED: list[Any] = [
    {"groups": {"x": ["a", "b"], "z": ["c", "d"]}},
    {"groups": {"x": ["a"]}, "other": "rest"},
    {"file": ["a;1;*", "b;1;*", "c;2;*", "d;3;*", "s;4;*"]},
    {"order": ["a", "b", "c", "d"], "groups_of": [2]},
    {"mask": "right"},
    {"mask": "left"},
]
RULES: dict[tuple[str, ...], Any] = {
    NUMBERS: {"intervals": [10, 20]},
    DAYS: {"date": ["month", "year"]},
}


def worded(part: Any, words: dict[str, str]) -> Any:
    """The letters of a hierarchy replaced by values; rows of a file are joined to one text."""
    if isinstance(part, dict):
        return {key: worded(one, words) for key, one in part.items()}
    if isinstance(part, list):
        return [worded(one, words) for one in part]
    if isinstance(part, str) and ";" in part:
        value, labels = part.split(";", 1)
        return f"{words.get(value, value)};{labels}"
    return words.get(part, part)


def on_disk(folder: Path, hierarchy: Any, name: str) -> Any:
    if not isinstance(hierarchy, dict) or "file" not in hierarchy:
        return hierarchy
    path = folder / f"{name}.csv"
    path.write_text("\n".join(hierarchy["file"]) + "\n", encoding="utf-8")
    return {**hierarchy, "file": str(path), "delimiter": ";"}


@st.composite
def columns(draw) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The values of a column and what the job says of it."""
    values = draw(st.sampled_from([NUMBERS, DAYS]))
    words = dict(zip("abcds", (*values, "47" if values is NUMBERS else SPARE), strict=True))
    placed = st.sampled_from(PLACED)
    other = st.sampled_from([*UNPLACED, RULES[values]])
    if draw(st.booleans()):
        told: dict[str, Any] = {"partitions": {"one": draw(placed), "two": draw(other)}}
    else:
        told = {"hierarchy": draw(placed | other)}
    dated = {"format": "%Y-%m-%d"} if "date" in str(told) else {}
    return values, {"role": "quasi"} | dated | worded(told, words)


@st.composite
def cases(draw):
    """Columns, a table with or without empty cells, a later one, and numbers that pick a node."""
    told = draw(st.lists(columns(), min_size=1, max_size=2))
    empty = draw(st.lists(st.booleans(), min_size=2, max_size=2))
    tables = []
    for with_empty in empty:
        more = ("",) if with_empty else ()
        cells = [st.sampled_from((*values, *more)) for values, _ in told]
        row = st.tuples(*cells, st.sampled_from(("flu", "cold")))
        tables.append(draw(st.lists(row, min_size=3, max_size=10)))
    return told, tables, draw(st.integers(0, 2)), draw(st.tuples(*[st.integers(0, 9)] * 2))


def write(path: Path, rows: list[tuple[str, ...]]) -> Path:
    names = (*(f"q{number}" for number in range(len(rows[0]) - 1)), "ill")
    path.write_text("".join(",".join(row) + "\n" for row in (names, *rows)), encoding="utf-8")
    return path


def job_of(folder: Path, told: list[dict[str, Any]], table: Path, limit: int = 0) -> Any:
    made: dict[str, Any] = {}
    for number, column in enumerate(told):
        parts = {
            f"{name}": on_disk(folder, part, f"{number}{name}")
            for name, part in column.get("partitions", {}).items()
        }
        hierarchy = on_disk(folder, column.get("hierarchy"), f"{number}")
        made[f"q{number}"] = column | ({"partitions": parts} if parts else {"hierarchy": hierarchy})
    made["ill"] = {"role": "sensitive"}
    more = {"objectives": ["k", "glm"], "suppression": {"limit": f"{limit} rows"}}
    return pn.make_job({"columns": made, **more}, table=table)


def clean(folder: Path, table: Path) -> None:
    for against in (None, table):
        made = pn.verify(folder, against=against)
        assert made.ok, made.failures


@settings(max_examples=40, deadline=None)
@given(cases())
def test_every_release_is_clean_and_so_is_every_later_one(case):
    told, (first, second), limit, place = case
    with TemporaryDirectory() as name:
        folder = Path(name)
        table, later = write(folder / "in.csv", first), write(folder / "later.csv", second)
        try:
            job = job_of(folder, [column for _, column in told], table, limit)
            with open_job(job) as opened:
                levels = {
                    g.column: number % g.levels
                    for g, number in zip(opened.lattice.granulations, place, strict=False)
                }
            pn.release(job, levels=levels, out=folder / "r")
        except InfeasibleError:
            return
        except (HierarchyError, JobError):  # two partitions may not fit each other, which is told
            assert any("partitions" in column for _, column in told)
            return
        clean(folder / "r", table)
        for file in (table, later):
            try:
                made, _ = pn.apply(folder / "r", file, out=folder / "next")
            except InfeasibleError:
                continue
            assert made.verification.ok
            clean(folder / "next", file)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_missing_value_in_a_group_without_an_empty_cell(tmp_path, kind):
    """Of five values, x, y and the missing one are a; z and w are b: (3·2 + 1·1) / (4·4) = 7/16."""
    told = {"role": "quasi", "hierarchy": {"groups": {"a": ["x", "y", ""], "b": ["z", "w"]}}}
    table = write(tmp_path / "in.csv", [(v, i) for v in "xyxz" for i in ("flu", "cold")])
    made = pn.release(
        job_of(tmp_path, [told], table), levels={"q0": 1}, out=tmp_path / "r", format=kind
    )
    detail = made.public.detail["q0"]
    assert (detail.lost, detail.step) == (44, 1)
    clean(tmp_path / "r", table)


def test_a_missing_value_that_is_declared_is_no_secret(tmp_path):
    """The figure is the same where only somebody who is left out has an empty cell."""
    told = {"role": "quasi", "hierarchy": {"groups": {"a": ["x", "y"], "b": ["z", "w"], "c": [""]}}}
    rows = [(v, "flu") for v in "xyzwxz"]
    lost = set()
    for name, more in (("without", []), ("with", [("", "cold")])):
        table = write(tmp_path / f"{name}.csv", [*rows, *more])
        job = job_of(tmp_path, [told], table, limit=1)
        made = pn.release(
            job, levels={"q0": 1}, out=tmp_path / name, **({"suppress_below": 2} if more else {})
        )
        clean(tmp_path / name, table)
        lost.add(made.public.detail["q0"])
    assert len(lost) == 1


def test_a_rule_may_give_a_later_file_a_label_that_the_plan_had_not(tmp_path):
    """39 opens [30, 40); the label stands for one value of the domain, which grows by it."""
    told = {"role": "quasi", "hierarchy": {"intervals": [10, 20]}}
    table = write(tmp_path / "in.csv", [("11", "flu"), ("12", "cold"), ("21", "flu")])
    later = write(tmp_path / "later.csv", [("11", "flu"), ("39", "cold"), ("39", "flu")])
    pn.release(job_of(tmp_path, [told], table), levels={"q0": 1}, out=tmp_path / "r")
    made, drift = pn.apply(tmp_path / "r", later, out=tmp_path / "next")
    assert (drift.new_values, drift.suppressed) == ({"q0": 1}, 0)
    clean(tmp_path / "next", later)
    plan = json.loads((tmp_path / "next" / "internal" / "plan.json").read_text())
    recode = plan["steps"][1]["recode"]
    assert recode["leaves"] == [["[10, 20)", 2], ["[20, 30)", 1], ["[30, 40)", 1]]
    assert recode["domain"] == 4
    assert made.public.promises["rows"] == 3
