"""The checker's δ-disclosure: the engine's number to the bit, and only with the original table."""

from __future__ import annotations

import csv
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.calling import call
from tests.support.delta_disclosure import class_number

import paretonym as pn
from paretonym.measures.attribute import DISCLOSURE_CODE
from paretonym.publishing.class_counts import ClassCounts
from paretonym.publishing.codes import Coded
from paretonym.publishing.formulas import FORMULAS, Told, fits

NAME = "delta_disclosure(job)"
PEOPLE = {
    "age": ["20", "20", "20", "30", "30", "30", "30", "40"],
    "job": ["a", "b", "c", "a", "a", "b", "c", "c"],
}
JOB = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": "suppress"},
        "job": {"role": "sensitive"},
    },
    "objectives": ["k", "glm"],
    "suppression": {"limit": 2},
}
FORMULA = FORMULAS["delta_disclosure"]


def released(folder, level=0, **changes):
    pd.DataFrame(PEOPLE).to_csv(folder / "input.csv", index=False)
    job = pn.make_job(JOB | changes, table=folder / "input.csv")
    return pn.release(job, levels={"age": level}, out=folder / "r")


def counted(classes, totals):
    """Rows of (class, value), and what the input had of each value."""
    rows = [(i, v) for i, counts in enumerate(classes) for v, c in counts.items() for _ in range(c)]
    owner, code = np.array(rows, np.int64).reshape(-1, 2).T
    quasi = {"q": Coded(owner, range(len(classes)), None)}
    cells = {"x": Coded(code, range(len(totals)), None)}
    had = np.array(totals, np.int64)
    return Told(ClassCounts.of(quasi, cells, len(rows)), kept={"x": (had, cells["x"].counts())})


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=6),
       st.lists(st.integers(0, 10**9), min_size=4, max_size=4))  # fmt: skip
def test_it_is_the_definition(classes, gone):
    """Rows that were left out may be so many that products of counts fill 60 bits."""
    found = [{v: c for v, c in enumerate(counts) if c} for counts in classes if any(counts)]
    totals = [sum(c[v] for c in classes) + gone[v] // 4 for v in range(4)]
    shown = FORMULA.compute(counted(found, totals), "x")
    whole = {v: t for v, t in enumerate(totals) if t}
    number = max((class_number(counts, whole) for counts in found), default=0)
    assert fits("delta_disclosure(x)", DISCLOSURE_CODE.shown(number), shown)
    assert round(shown / math.log(2) * 2**40) == number


def test_without_the_input_there_is_nothing_to_compare_with():
    told = counted([{0: 1}], [2, 3])
    assert FORMULA.compute(Told(told.classes), "x") is None
    assert FORMULA.compute(told, "y") is None
    assert FORMULA.compute(counted([{0: 1, 1: 1}], [2, 0]), "x") is None  # not of this input


def test_a_required_one_is_checked_with_the_original_table_only(tmp_path):
    made = released(tmp_path, require={NAME: "0.9"})
    assert made.internal.suppressed == 1  # the class of one c has (1·8) / (1·3)
    assert math.isclose(made.internal.values[NAME], math.log(3 / 2), rel_tol=1e-11)
    assert made.verification.unchecked == ()
    assert NAME in made.internal.recomputed
    alone = pn.verify(tmp_path / "r")
    assert alone.ok
    assert alone.unchecked == alone.needs_input == (NAME,)
    told = " ".join(call("verify", tmp_path / "r").err.split())
    assert f"not checked: {NAME}, required by the job" in told
    assert "not checked without --against" in told
    whole = pn.verify(tmp_path / "r", against=tmp_path / "input.csv")
    assert whole.ok
    assert whole.unchecked == ()
    assert {NAME, f"required: {NAME}"} <= {check.name for check in whole.checks}


def tamper(path, change):
    with path.open(newline="") as stream:
        head, *rows = csv.reader(stream)
    with path.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([head, *(change(*row) for row in rows)])


@pytest.mark.parametrize("changes", [{"require": {NAME: "0.9"}}, {"objectives": [NAME, "glm"]}])
def test_a_file_that_was_tampered_with_fails(tmp_path, changes):
    """By the file's own cells: those of the input would bear the promise out."""
    released(tmp_path, **changes)
    tamper(tmp_path / "r" / "data.csv", lambda age, _: [age, "b"])
    failed = {c.name for c in pn.verify(tmp_path / "r", against=tmp_path / "input.csv").failures}
    assert failed >= {"sha256", NAME}
    if "require" in changes:
        assert f"required: {NAME}" in failed


def test_a_cell_that_the_input_lacks_fails(tmp_path):
    released(tmp_path, require={NAME: "0.9"})
    tamper(tmp_path / "r" / "data.csv", lambda age, job: [age, "z" if job == "b" else job])
    found = pn.verify(tmp_path / "r", against=tmp_path / "input.csv")
    assert not found.ok
    assert found.unchecked == (NAME,)


def test_another_table_has_other_shares(tmp_path):
    released(tmp_path, objectives=[NAME, "glm"])
    other = pd.DataFrame(PEOPLE | {"job": ["a"] * 7 + ["c"]})
    other.to_csv(tmp_path / "other.csv", index=False)
    found = pn.verify(tmp_path / "r", against=tmp_path / "other.csv")
    assert not found.ok


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("column", ["job", "age", "note"])
def test_any_kept_column_is_recomputed(tmp_path, form, level, column):
    """A generalised one by its original values; missing cells are a value of their own."""
    table = pd.DataFrame(PEOPLE | {"note": ["", "1", "", "1", "2", "", "", "1"]})
    table.to_csv(tmp_path / "input.csv", index=False)
    name = f"delta_disclosure({column})"
    columns = JOB["columns"] | {"note": {"role": "insensitive"}}
    job = pn.make_job(
        JOB | {"columns": columns, "objectives": [name, "glm"], "suppression": {"limit": 0}},
        table=tmp_path / "input.csv",
    )
    made = pn.release(job, levels={"age": level}, out=tmp_path / "r", format=form)
    totals, classes = Counter(table[column]), table.groupby("age") if level == 0 else [("*", table)]
    number = max(class_number(Counter(rows[column]), totals) for _, rows in classes)
    assert made.internal.values[name] == DISCLOSURE_CODE.shown(number)
    assert name in made.internal.recomputed
