"""What a wrong job is told: every problem at once, where it stands, and no value of the data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from paretonym.errors import Fault, JobError
from paretonym.jobfile.loading import job_from_text, load_job, parse_job
from paretonym.jobfile.texts import shown
from paretonym.model.job import Job

COLUMNS: dict[str, Any] = {
    "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    "job": {"role": "sensitive"},
    "name": {"role": "identifier"},
}


def plain(**changes: Any) -> dict[str, Any]:
    return {"table": "people.csv", "columns": COLUMNS, "objectives": ["k"], **changes}


def refusal(data: Any) -> str:
    with pytest.raises(JobError) as caught:
        parse_job(data, base=Path("/nowhere"))
    return str(caught.value)


def column(**changes: Any) -> dict[str, Any]:
    return plain(columns={**COLUMNS, "x": {"role": "quasi", **changes}})


def load_text(folder: Path, text: str | bytes) -> Job:
    path = folder / "job.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_job(path)


def test_the_nearest_key_is_named() -> None:
    said = refusal(column(hierarchie="suppress"))
    assert said == "columns.x.hierarchie: unknown key (did you mean 'hierarchy'?)"


def test_what_is_told_about_a_release_is_text_under_known_keys() -> None:
    said = refusal(plain(about={"licens": "CC BY 4.0"}))
    assert said == "about.licens: unknown key (did you mean 'licence'?)"
    assert "expected a sentence" in refusal(plain(about={"purpose": " "}))


THREE = ["k", "glm", "max:s_l(job)"]


def boxes(**sizes: Any) -> dict[str, Any]:
    """Three objectives, each with a box size but for what a test says."""
    return plain(objectives=THREE, epsilon={"k": 5, "glm": 1000, "s_l(job)": 1, **sizes})


@pytest.mark.parametrize("size", [0, "0.0", -5, "nan", "inf", "1e999", "five", "1,000", "5%", ""])
def test_a_box_size_is_above_zero(size: Any) -> None:
    said = "expected a box size: a number above zero, in the objective's own units"
    assert refusal(boxes(glm=size)) == f"epsilon.glm: {said}"


@pytest.mark.parametrize(
    ("name", "bound", "said"),
    [
        ("k", 0, "k is never below 1, so 0 asks for nothing; write 1 or more"),
        ("k", "2.5", "k is a whole number, not a fraction"),
        ("distinct_l(job)", "0.5", "distinct_l is never below 1, so 0.5 asks for nothing"),
        ("entropy_l(job)", "0.99", "entropy_l is never below 1"),
        ("glm", -1, "glm is never below 0, so nothing meets -1"),
        ("worst_risk", "150%", "worst_risk is a share between 0 and 1"),
        ("loss_arithmetic", 5, "loss_arithmetic is a share between 0 and 1"),
    ],
)
def test_a_bound_lies_where_its_measure_can(name: str, bound: Any, said: str) -> None:
    """At the ends themselves it is taken."""
    assert f"{shown(name)}: {said}" in refusal(plain(require={name: bound}))
    for least in ("k", "distinct_l(job)", "entropy_l(job)"):
        parse_job(plain(require={least: 1}), base=Path("/nowhere"), table="people.csv")
    for share in ("0", "1", "0%", "100%"):
        parse_job(plain(require={"ql": share}), base=Path("/nowhere"), table="people.csv")


def test_box_sizes_are_for_all_objectives_or_for_none() -> None:
    said = "names some objectives only; give every objective a box size; missing: "
    assert refusal(boxes(glm=None)) == f"epsilon: {said}glm"
    assert refusal(boxes(k=None, **{"s_l(job)": None})) == f"epsilon: {said}k, 's_l(job)'"
    many = plain(objectives=[f"m{i}" for i in range(5000)], epsilon={"m0": 1})
    assert len(refusal(many)) < 300


def test_a_misspelt_objective_is_one_problem_not_two() -> None:
    said = refusal(boxes(glm=None, gln=5))
    assert said == "epsilon.gln: not among the objectives (did you mean 'glm'?); name one of them"
    said = refusal(boxes(k=None, glm=None, gln=5))
    assert "epsilon.gln: not among" in said
    assert "missing: k, glm" in said


def test_objectives_that_cannot_be_read_are_the_only_complaint() -> None:
    assert refusal(plain(objectives=["k("], epsilon={"k": 5})).startswith("objectives, item 1: ")
    assert refusal(plain(objectives="k", epsilon={"k": 5})).startswith("objectives: expected a")


def test_problems_of_the_search_name_their_lines(tmp_path: Path) -> None:
    text = """\
table: people.csv
columns:
  zip: {role: quasi, hierarchy: suppress}
objectives: [k, glm]
epsilon:
  k: 0
  gln: 5
search:
  method: evolv
  budget: 5000
"""
    with pytest.raises(JobError) as caught:
        load_text(tmp_path, text)
    lines = [re.match(r"  line (\d+): (.*?): ", line) for line in str(caught.value).split("\n")[1:]]
    assert [line and line.groups() for line in lines] == [
        ("6", "epsilon.k"),
        ("7", "epsilon.gln"),
        ("9", "search.method"),
        ("10", "search.budget"),
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (column(), r"columns\.x: a quasi column needs .*hierarchy: suppress is the simplest"),
        (column(role="insensitive", hierarchy="suppress"), "hierarchy: only quasi columns"),
        (column(role="target", partitions={"a": {"mask": "left"}}), "partitions: only quasi"),
        (column(hierarchy="suppress", partitions={"a": {"mask": "left"}}), "not both"),
        (column(role=["quasi", "sensitive"], hierarchy="suppress"), "do not go together"),
        (column(role=["identifier", "target"]), "target and identifier do not go together"),
        (column(role="quassi", hierarchy="suppress"), r"did you mean 'quasi'"),
        (column(role=[], hierarchy="suppress"), "no role"),
        (column(hierarchy={"date": "month"}), r"x\.format: .*add format: '%Y-%m-%d'"),
        (column(hierarchy={"mask": "left"}, format="%Y"), r"format: only date hierarchies"),
        (column(hierarchy={"mask": "left"}, decimal_comma=True), "only intervals read numbers"),
        (column(hierarchy="suppress", type="numbr"), r"unknown type \(did you mean 'number'"),
        (column(hierarchy="suppress", type=["number"]), "unknown type; number is the only one"),
        (column(hierarchy="suppress", write="medain"), r"x\.write: .*did you mean 'median'"),
        (column(hierarchy="suppress", write=3), "use label, mean, median or mode"),
        (column(hierarchy="suppress", write="mean"), "a mean needs numbers; add type: number"),
        (column(hierarchy={"date": "day"}, format="%Y", write="mean"), "a mean needs numbers"),
        (column(role="sensitive", write="median"), "write: only quasi columns are generalised"),
        (column(role="identifier", write="label"), "write: only quasi columns are generalised"),
        (column(hierarchy="suppress", format="%Y", write="median", type="number"), "only date"),
        (column(role="sensitive", decimal_comma=True), "and columns with type: number"),
        (column(hierarchy={"date": "mont"}, format="%Y"), r"did you mean 'month'"),
        (column(hierarchy={"mask": "up"}), "unknown side; use right or left"),
        (column(hierarchy={"mask": "left", "date": "day"}), "mask and date cannot be combined"),
        (column(hierarchy={"interval": 5}), r"no builder \(did you mean 'intervals'"),
        (column(hierarchy="mask"), r"mask is a key, as in \{mask: …\}"),
        (column(hierarchy={}), "no builder; write 'suppress' or"),
        (column(hierarchy={"groups_of": 2}), r"hierarchy\.order: this key is missing"),
        (column(hierarchy={"order": ["a"]}), r"hierarchy\.groups_of: this key is missing"),
        (column(hierarchy={"order": "a", "groups_of": 2}), r"order: expected a list"),
        (column(hierarchy={"groups": {"a": "b"}}), "level 1, group 1: expected a list of values"),
        (column(hierarchy={"groups": []}), "no groups"),
        (column(hierarchy={"file": "none.csv"}), r"hierarchy\.file: there is no such file"),
        (column(hierarchy={"file": "/"}), "this is a folder"),
        (column(hierarchy={"file": "dataset:adlt/x.csv"}), "no bundled file of this name"),
        (column(hierarchy={"intervals": []}), "intervals: nothing is listed"),
        (column(hierarchy={"intervals": [5, "ten"]}), "intervals, item 2: expected a number"),
        (column(hierarchy={"intervals": ["NaN"]}), "item 1: expected a number"),
        (column(hierarchy="suppress", weight=0), "weight: must be above zero"),
        (column(role="sensitive", weight=2), "weight: only quasi columns"),
        (column(role="insensitive", because=" "), "because: expected a sentence"),
        (column(partitions={}), "partitions: nothing is listed"),
        (column(intervals=5), r"x\.intervals: unknown key; it belongs inside hierarchy"),
        (plain(delimiter=";"), "it belongs inside table"),
        (plain(table=""), r"table\.path: expected a path"),
        (plain(table=["a", "a"]), r"table\.path: no file, or one that stands twice"),
        (plain(table=None), "table: this key is missing"),
        (plain(table={"missing": ["?"]}), r"table\.path: this key is missing"),
        (plain(table={"path": "a", "missing": "?"}), r"table\.missing: expected a list"),
        (plain(table={"path": "a", "missing": [None]}), "missing, item 1: expected text"),
        (plain(table={"path": "a", "delimiter": "::"}), "expected one character"),
        (plain(table={"path": "a", "names": ["x", "x"]}), "stands twice"),
        (plain(columns={}), "columns: nothing is listed"),
        (plain(columns={"job": {"role": "sensitive"}}), "no column has the role quasi"),
        (plain(columns={**COLUMNS, " y": {"role": "target"}}), "no blanks at its ends"),
        (plain(columns={**COLUMNS, "y": {}}), r"columns\.y\.role: this key is missing"),
        (plain(columns={**COLUMNS, "y": ""}), r"columns\.y: expected a mapping; write \{role"),
        (plain(objectives=[]), "objectives: nothing is listed"),
        (plain(objectives="k"), "objectives: expected a list"),
        (plain(objectives=list("abcdefg")), "objectives: at most 6"),
        (plain(objectives=["k", "max:k"]), "objectives, item 2: k stands twice"),
        (plain(objectives=["max:s_l(job)", "min:s_l(job)"]), r"item 2: s_l\(job\) stands twice"),
        (plain(objectives=["max:s_l(job)", "max:s_l( job )"]), r"item 2: s_l\(job\) stands twice"),
        (plain(objectives=["k("]), "objectives, item 1: not a measure"),
        (plain(objectives=["k()"]), "item 1: not a measure"),
        (plain(objectives=["up:k"]), "item 1: not a measure"),
        (plain(objectives=["cm(jobs)"]), r"no such column in columns \(did you mean 'job'"),
        (plain(objectives=["cm(name)"]), "is dropped by its role"),
        (plain(require={"k": "five"}), r"require\.k: expected a number"),
        (plain(require={"min:k": 5}), r"require\.'min:k': a requirement has no direction"),
        (plain(require={"cm(zap)": 5}), r"require\.'cm\(zap\)': there is no such column"),
        (plain(suppression="1%"), r"suppression: expected a mapping; write \{limit: 1%\}"),
        (plain(suppression={"rule": "stairs"}), "did you mean 'staircase'"),
        (plain(search={"method": "exhausive"}), "did you mean 'exhaustive'"),
        (plain(search={"method": "evolv"}), "use auto, exhaustive, exact, evolve or pbg-ea"),
        (plain(search={"seed": -1}), "expected a whole number"),
        (plain(search={"budgets": "60s"}), "did you mean 'budget'"),
        (plain(epsilon=5), r"epsilon: expected a mapping; write \{k: 5, glm: 1000\}"),
        (plain(epsilon={"k": [5]}), r"epsilon\.k: expected a box size"),
        (plain(epsilon={"k": 5, "max:k": 5}), r"epsilon\.'max:k': k stands twice"),
        (boxes(**{"max:s_l(job)": 5}), r"epsilon\.'max:s_l\(job\)': s_l\(job\) stands twice"),
        (boxes(**{"s_l(job)": None, "min:s_l(job)": 5}), "the objective has the other direction"),
        (boxes(discernibility=5), r"epsilon\.discernibility: not among the objectives; name"),
        (boxes(**{"glm": None, "glm(": 5}), r"epsilon\.'glm\(': not a measure; write it as in"),
        ([], "expected a mapping with the keys"),
    ],
)  # fmt: skip
def test_one_problem(data: Any, said: str) -> None:
    message = refusal(data)
    assert re.search(said, message), message
    assert "\n" not in message


def test_all_problems_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = """\
table: {path: people.csv, delimitr: ";"}
columns:
  zip: {role: quasi}
  age: {role: quasi, hierarchy: {intervals: [5, x]}}
objectives: [k, cm(zap)]
suppression: {limit: 0.01}
groups: {k: 5}
"""
    with pytest.raises(JobError) as caught:
        load_text(tmp_path, text)
    head, *lines = str(caught.value).split("\n")
    assert head == "job.yaml: 6 problems"
    places = [re.match(r"  line (\d): (.*?): ", line) for line in lines]
    assert [place and place.groups() for place in places] == [
        ("1", "table.delimitr"),
        ("3", "columns.zip"),
        ("4", "columns.age.hierarchy.intervals, item 2"),
        ("5", "objectives, item 2"),
        ("6", "suppression.limit"),
        ("7", "groups.k"),
    ]


def test_one_problem_of_a_file_is_one_line(tmp_path: Path) -> None:
    text = "table: t\ncolumns:\n  a: {role: quasi, hierarchy: suppress}\nobjectives: [k]\nx: 1\n"
    with pytest.raises(JobError, match=r"^job\.yaml, line 5: x: unknown key"):
        load_text(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("# only a comment\n", "the file is empty"),
        ("- table\n", "expected keys such as table"),
        ("just words\n", "expected keys such as table"),
        ("table: a\ntable: b\n", "line 2: this key stands on line 1 already"),
        ("columns: {a: 1, a: 2}\n", "line 1: this key stands on line 1 already"),
        ("table: !!str a\n", "line 1: a YAML tag"),
        ("table: a\ncolumns: !!python/object:os.system {}\n", "line 2: a YAML tag"),
        ("table: ! a\n", "line 1: a YAML tag"),
        ("? [a, b]\n: c\n", "line 1: a list or a mapping as a key"),
        ("a: {<<: {b: c}}\n", r"line 1: a merge key \(<<\)"),
        ("a: 1\n---\nb: 2\n", "line 2: a second document"),
        ("a: *b\n", "line 1: an alias"),
        ("a: &a [*a]\n", "line 1: an alias"),
        ("a: [1, 2\n", "not valid YAML: a list that is not closed"),
        ("a: {b: 2\n", "not valid YAML: a mapping that is not closed"),
        ("a: b: c\n", r"line 1: not valid YAML: a ': ' where none can stand"),
        ("a:\n\t- b\n", "line 2: not valid YAML: a character that cannot stand there"),
        ("a: 'b\n", "not valid YAML: a quote that is not closed"),
        ("a: 1\nb: \x01\n", "line 2: a character YAML does not allow"),
        ('a: "\\U00110000"\n', "not valid YAML"),
        (b"a: 1\nb: \xff\n", "line 2: not UTF-8"),
        ("a: " + "[" * 5000, "nested deeper than 20 levels"),
        ("[" * 5000 + "]" * 5000, "nested deeper than 20 levels"),
    ],
)
def test_files_that_are_no_jobs(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(JobError, match=r"^job\.yaml.*" + said):
        load_text(tmp_path, text)


def test_aliases_cannot_explode(tmp_path: Path) -> None:
    """Ten of ten of ten …: a short text that stands for a billion entries."""
    levels = ["a0: &a0 [" + "x, " * 10 + "]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(JobError, match="aliases that repeat more than"):
        load_text(tmp_path, "\n".join(levels))


@pytest.mark.parametrize("anchored", ["{long}", "[{long}]", "{{a: {long}}}", "{{{long}: a}}"])
def test_aliases_cannot_repeat_a_long_text_without_end(tmp_path: Path, anchored: str) -> None:
    """Few entries, and still 300 times the text."""
    value = anchored.format(long="y" * 700)
    text = f"table: &x {value}\nb: [{', '.join(['*x'] * 3000)}]\n"
    with pytest.raises(JobError, match="line 2: aliases that repeat more than 2000000 characters"):
        load_text(tmp_path, text)


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="this is a folder"):
        load_job(tmp_path)
    with pytest.raises(JobError, match="No such file or directory; check the path"):
        load_job(tmp_path / "none.yaml")
    with pytest.raises(JobError, match="this is not a file"):
        load_job("/dev/zero")
    with pytest.raises(JobError):
        load_job("\0")


def test_a_byte_order_mark_is_no_part_of_a_key(tmp_path: Path) -> None:
    with pytest.raises(JobError) as caught:
        load_text(tmp_path, b"\xef\xbb\xbftable: a\n")
    assert "table" not in str(caught.value).split("\n", 1)[0].replace("this key is missing", "")
    assert "columns: this key is missing" in str(caught.value)


@pytest.mark.parametrize(
    "columns",
    [
        "x: {role: quasi, hierarchy: {groups: {CANARY: CANARY}}}",
        "x: {role: quasi, hierarchy: {groups: {CANARY: [CANARY, [CANARY]]}}}",
        "x: {role: quasi, hierarchy: {groups: {CANARY: [a], CANARY: [b]}}}",
        "x: {role: quasi, hierarchy: {order: [CANARY, {a: CANARY}], groups_of: CANARY}}",
        "x: {role: quasi, hierarchy: CANARY, weight: CANARY, because: [CANARY]}",
        "x: {role: CANARY, hierarchy: {mask: CANARY}, format: {a: CANARY}}",
        "x: {role: quasi, hierarchy: {order: [a, 'CANARY], groups_of: 2}}",
        "x: {role: quasi, hierarchy: {order: [a, CANARY: CANARY: b], groups_of: 2}}",
        "x: {role: quasi, hierarchy: {order: [!CANARY a], groups_of: 2}}",
        "x: {role: quasi, hierarchy: {order: [*CANARY], groups_of: 2}}",
    ],
)
def test_messages_repeat_no_value(tmp_path: Path, columns: str) -> None:
    text = f"table: {{path: a, missing: {{a: CANARY}}}}\ncolumns:\n  {columns}\nobjectives: [k]\n"
    with pytest.raises(JobError) as caught:
        load_text(tmp_path, text)
    error = caught.value
    assert "CANARY" not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": {"k": "CANARY"}},
        {"epsilon": {"k": {"CANARY": "CANARY"}}},
        {"epsilon": ["CANARY"]},
        {"search": {"budget": "CANARY"}},
        {"search": {"budget": "5 CANARY"}},
        {"search": {"budget": ["CANARY"]}},
        {"search": {"method": "CANARY"}},
    ],
)
def test_messages_about_the_search_repeat_no_value(changes: dict[str, Any]) -> None:
    assert "CANARY" not in refusal(plain(**changes))


def test_keys_are_shown_on_one_line(tmp_path: Path) -> None:
    said = refusal(plain(**{"a\nb\x1b[0m": 1}))
    assert said.startswith("'a\\nb\\x1b[0m': unknown key")
    assert len(refusal(plain(**{"z" * 5000: 1}))) < 300


def test_python_data_without_a_text_is_refused() -> None:
    assert "objectives, item 1: expected text" in refusal(plain(objectives=[object()]))
    assert "two keys are the same text" in refusal(plain(require={1: 2, "1": 3}))
    assert "a key that is not a text" in refusal(plain(require={(1, 2): 3}))
    assert "expected text" in refusal(plain(search={"seed": 10**5000}))
    endless: list[Any] = []
    endless.append(endless)
    assert "nested deeper" in refusal(plain(objectives=endless))


def test_every_fault_has_its_line_and_its_place() -> None:
    text = """\
table: people.csv
columns:
  age: {role: quasy, hierarchy: suppress}
  zip:
    role: quasi
    hierarchy: {mask: up}
objectives: [k]
"""
    with pytest.raises(JobError) as caught:
        job_from_text(text, name="job.yaml", base=Path("/nowhere"))
    error = caught.value
    assert [(fault.line, fault.path) for fault in error.faults] == [
        (3, ("columns", "age", "role")),
        (6, ("columns", "zip", "hierarchy", "mask")),
    ]
    assert str(error).splitlines() == [
        "job.yaml: 2 problems",
        *(f"  line {fault.line}: {fault.message}" for fault in error.faults),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: b\nb: [c\n", 3), ("a: b\na: c\n", 2), ("a: b\nb: \x07\n", 2), ("", None)],
)
def test_a_text_that_is_no_yaml_has_one_fault(text: str, line: int | None) -> None:
    with pytest.raises(JobError) as caught:
        job_from_text(text, name="job.yaml", base=Path("/nowhere"))
    (fault,) = caught.value.faults
    assert fault.line == line
    assert str(caught.value).endswith(fault.message)


def test_any_other_error_is_a_fault_by_itself() -> None:
    assert JobError("no").faults == (Fault("no"),)
