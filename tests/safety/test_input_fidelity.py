"""Lines 16 to 22: what is read is what stands there."""

from __future__ import annotations

import codecs
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import (
    JOB,
    NAMES,
    ROWS,
    TENS,
    call,
    make_people,
    read_rows,
    with_column,
    write_csv,
    write_job,
)
from tests.safety.cases import refused

TWO: dict[str, Any] = {
    "table": "t.csv",
    "columns": {"q": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "sensitive"}},
    "objectives": ["k"],
}


def released(folder: Path, levels: str = "q=0", **changes: Any) -> list[list[str]]:
    """The rows of a release of t.csv, sorted, with its header first."""
    job = write_job(folder, TWO, **changes)
    made = call("release", job, "--levels", levels, "-o", folder / "r")
    assert made.code == 0, made.err
    header, *rows = read_rows(folder / "r" / "data.csv")
    return [header, *sorted(rows)]


# ---- line 16: text first

TEXTS = [
    "01001", "1001", "NA", "None", "null", "nan", "1e5", "100000", "1.0", "1", "true",
    "9007199254740993", "9007199254740992", "123456789012345678901234567890", "2020-01-01", " x ",
]  # fmt: skip


def test_line_16_every_cell_comes_out_as_it_went_in(tmp_path):
    write_csv(tmp_path / "t.csv", ["q", "s"], [[text, text] for text in TEXTS])
    assert released(tmp_path)[1:] == sorted([text, text] for text in TEXTS)
    found = call("score", tmp_path / "job.yaml", "--levels", "q=0", "--json").json
    assert found["classes"] == len(TEXTS)  # none of them equals another


def test_line_16_a_job_keeps_texts_too(tmp_path):
    """YAML by itself would take 01001 for a number and no for false."""
    write_csv(tmp_path / "t.csv", ["q", "s"], [["01001", "x"], ["no", "x"]])
    (tmp_path / "job.yaml").write_text(
        "table: t.csv\n"
        "columns:\n"
        "  q: {role: quasi, hierarchy: {groups: {a: [01001], b: [no]}}}\n"
        "  s: {role: sensitive}\n"
        "objectives: [k]\n"
    )
    assert call("check", tmp_path / "job.yaml").code == 0


# ---- line 17: what cannot be read is told with its line

BROKEN: dict[str, tuple[bytes, list[str]]] = {
    "ragged, short": (b"q,s\na,b\nc\n", ["t.csv, line 3", "1 cells", "2 columns"]),
    "ragged, long": (b"q,s\na,b,c\n", ["t.csv, line 2", "3 cells", "2 columns"]),
    "ragged after a quoted newline": (b'q,s\n"a\nb",c\nd\n', ["t.csv, line 4"]),
    "duplicate header": (b"q,q\na,b\n", ["t.csv, line 1", "columns 1 and 2", "--no-header"]),
    "nameless column": (b"q,\na,b\n", ["t.csv, line 1", "column 2 has no name"]),
    "undecodable byte": (b"q,s\na,b\nc,\xff\n", ["t.csv, line 3"]),
    "NUL": (b"q,s\na,b\nc,\0\n", ["t.csv, line 3"]),
    "open quote": (b'q,s\na,b\nc,"d\n', ["t.csv, line 3"]),
    "empty file": (b"", ["t.csv", "empty"]),
    "header only": (b"q,s\n", ["t.csv has no rows"]),
}


@pytest.mark.parametrize(("data", "words"), BROKEN.values(), ids=BROKEN)
def test_line_17_a_broken_file_is_told_with_its_line(tmp_path, data, words):
    (tmp_path / "t.csv").write_bytes(data)
    refused(call("check", write_job(tmp_path, TWO)), 2, *words)


# ---- line 18: the forms a CSV comes in


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["plain", "BOM"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_line_18_separators_marks_blanks_and_quoted_newlines(tmp_path, delimiter, mark, end):
    lines = [f" q {delimiter}s ", f'"a\nb"{delimiter}"x""y"', f"c{delimiter}ü"]
    (tmp_path / "t.csv").write_bytes(mark + end.join([*lines, ""]).encode())
    assert released(tmp_path) == [["q", "s"], ["a\nb", 'x"y'], ["c", "ü"]]
    checked = call("verify", tmp_path / "r", "--against", tmp_path / "t.csv")
    assert checked.code == 0, checked.err


def test_line_18_a_mark_is_no_part_of_the_first_cell(tmp_path):
    (tmp_path / "t.csv").write_bytes(codecs.BOM_UTF8 + b"a,x\nb,x\n")
    table = {"path": "t.csv", "names": ["q", "s"]}
    assert released(tmp_path, table=table) == [["q", "s"], ["a", "x"], ["b", "x"]]
    checked = call("verify", tmp_path / "r", "--against", tmp_path / "t.csv")
    assert checked.code == 0, checked.err


def test_line_18_another_encoding_is_declared(tmp_path):
    (tmp_path / "t.csv").write_bytes("q,s\nä,x\n".encode("latin-1"))
    refused(call("check", write_job(tmp_path, TWO)), 2, "line 2")
    table = {"path": "t.csv", "encoding": "latin-1"}
    assert released(tmp_path, table=table) == [["q", "s"], ["ä", "x"]]


# ---- line 19: dates and decimal commas


def test_line_19_dates_need_a_format(tmp_path):
    write_csv(tmp_path / "t.csv", ["q", "s"], [["01/02/2020", "x"], ["02/02/2020", "x"]])
    column: dict[str, Any] = {"role": "quasi", "hierarchy": {"date": ["month"]}}
    columns = {**TWO["columns"], "q": column}
    refused(call("check", write_job(tmp_path, TWO, columns=columns)), 2, "format")
    column["format"] = "%d/%m/%Y"
    assert {row[0] for row in released(tmp_path, "q=1", columns=columns)[1:]} == {"2020-02"}
    column["format"] = "%m/%d/%Y"
    months = {row[0] for row in released(tmp_path, "q=1", columns=columns)[1:]}
    assert months == {"2020-01", "2020-02"}


def test_line_19_decimal_commas_need_to_be_declared(tmp_path):
    write_csv(tmp_path / "t.csv", ["q", "s"], [["1,5", "x"], ["2,5", "x"]])
    column: dict[str, Any] = {"role": "quasi", "hierarchy": {"intervals": [1]}}
    columns = {**TWO["columns"], "q": column}
    refused(call("check", write_job(tmp_path, TWO, columns=columns)), 2, "column 'q'", "2 values")
    column["hierarchy"]["decimal_comma"] = True
    assert [row[0] for row in released(tmp_path, "q=1", columns=columns)[1:]] == [
        "[1, 2)",
        "[2, 3)",
    ]


# ---- line 20: edges are exact


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("0.3", "[0.3, 0.4)"),  # 0.3 / 0.1 is 2.9999999999999996 in binary
        ("0.29999999999999999999", "[0.2, 0.3)"),
        ("0.7", "[0.7, 0.8)"),
        ("-0.1", "[-0.1, 0)"),
        ("0", "[0, 0.1)"),
        ("9007199254740993.1", "[9007199254740993.1, 9007199254740993.2)"),
    ],
)
def test_line_20_interval_edges_are_exact_decimals(tmp_path, value, label):
    write_csv(tmp_path / "t.csv", ["q", "s"], [[value, "x"], ["55", "x"]])
    column = {"role": "quasi", "hierarchy": {"intervals": ["0.1"]}}
    rows = released(tmp_path, "q=1", columns={**TWO["columns"], "q": column})
    assert [label, "x"] in rows


# ---- line 21: percent and fraction


@pytest.mark.parametrize("limit", ["0.01", "1.0", ".5", "1e-2", "1 percent", "101%", "-1", "-1%"])
def test_line_21_a_limit_is_percent_or_rows(tmp_path, limit):
    job = make_people(tmp_path, suppression={"limit": limit})
    refused(call("check", job), 2, "suppression.limit")


@pytest.mark.parametrize(("limit", "rows"), [("12%", 1), ("2", 2), ("2 rows", 2), ("0.9 %", 0)])
def test_line_21_percent_and_rows_mean_what_they_say(tmp_path, limit, rows):
    job = make_people(tmp_path, suppression={"limit": limit})
    assert call("check", job, "--json").json["limit"] == rows  # of nine


@pytest.mark.parametrize(
    ("require", "words"),
    [
        ({"worst_group_suppression(illness)": 5}, "share between 0 and 1"),
        ({"loss_arithmetic": 30}, "share between 0 and 1"),
        ({"suppressed": "0.01"}, "whole number"),
        ({"k": "0.05"}, "asks for nothing"),
        ({"k": "2.5"}, "whole number"),
        ({"k": "5%"}, "number"),
    ],
)
def test_line_21_requirements_do_not_confuse_them_either(tmp_path, require, words):
    refused(call("check", make_people(tmp_path, require=require)), 2, words)


@pytest.mark.parametrize(
    ("pick", "words"),
    [
        ("suppressed<=0.01", "whole number"),
        ("k>=5%", "percentage"),
        ("worst_group_suppression(illness)<=5", "share between 0 and 1"),
    ],
)
def test_line_21_nor_does_a_pick(tmp_path, pick, words):
    job = make_people(tmp_path, objectives=["k", "worst_group_suppression(illness)"])
    refused(call("release", job, "--pick", pick, "-o", tmp_path / "r", "--quiet"), 2, words)
    assert not (tmp_path / "r").exists()


def test_line_21_a_pick_may_say_percent(tmp_path):
    """12 % of nine rows is one row: the staircase then reaches k = 2 in tens."""
    job = make_people(tmp_path, objectives=["k", "suppressed"], require={"k": 2})
    arguments = ["--pick", "suppressed<=12%, k>=2", "-o", tmp_path / "r", "--json"]
    assert call("release", job, *arguments).json["suppressed"] <= 1


# ---- line 22: unknown keys


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"objectvies": ["k"]}, "did you mean 'objectives'"),
        ({"suppression": {"limt": 1}}, "did you mean 'limit'"),
        ({"columns": with_column("age", {"rol": "quasi"})}, "did you mean 'role'"),
        (
            {"columns": with_column("age", {"role": "quasi", "hierarchy": {"interval": [5]}})},
            "did you mean 'intervals'",
        ),
        ({"table": {"path": "people.csv", "delimeter": ","}}, "did you mean 'delimiter'"),
        ({"search": {"sed": 1}}, "did you mean 'seed'"),
        ({"columns": with_column("age", {"role": "kwasi"})}, "did you mean 'quasi'"),
        ({"objectives": ["k", "gml"]}, "did you mean 'glm'"),
    ],
)
def test_line_22_an_unknown_key_is_an_error_with_the_nearest(tmp_path, changes, words):
    refused(call("check", make_people(tmp_path, **changes)), 2, words)


def test_line_22_every_problem_is_told_at_once(tmp_path):
    job = make_people(tmp_path, objectvies=1, suppression={"limit": "0.5"})
    found = call("check", job)
    refused(found, 2, "2 problems", "objectvies", "suppression.limit")


def test_the_tables_of_these_tests_are_as_they_say():
    assert Counter(row[1][:1] for row in ROWS) == {"2": 3, "3": 3, "": 2, "6": 1}
    assert set(NAMES) == set(JOB["columns"])
    assert TENS == "age=1,zip=4"
    assert json.dumps(JOB)
