"""Lines 1 to 8: what is promised is what the written file holds."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import paretonym as pn
from paretonym.errors import ParetonymError, VerificationError
from paretonym.model.steps import Drop
from paretonym.pipeline import releasing
from paretonym.tables import Table
from tests.cli.calling import (
    JOB,
    NAMES,
    ROWS,
    TENS,
    call,
    files_under,
    make_people,
    read_rows,
    with_column,
    write_csv,
    write_job,
)
from tests.safety.cases import edit_json, edit_rows, refused, rehash, release

# ---- line 1: a fault of the engine never becomes a release


def suppress_one_class_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    true = Table.apply

    def apply(self: Table, recodes: Any, **rest: Any) -> Any:
        return true(self, recodes, **{**rest, "suppress": rest["suppress"].slice(1)})

    monkeypatch.setattr(Table, "apply", apply)


def merge_missing_into_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    true = releasing.recode_of

    def recode(*arguments: Any) -> Any:
        made = true(*arguments)
        if None in made.labels:
            made.labels[None] = next(label for label in made.leaves if label is not None)
        return made

    monkeypatch.setattr(releasing, "recode_of", recode)


def forget_rows_with_missing_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    true = Table.histogram

    def histogram(self: Table, keys: Any, **rest: Any) -> Any:
        found = true(self, keys, **rest)
        return found.filter(pc.is_valid(found["key:age"].combine_chunks().indices))

    monkeypatch.setattr(Table, "histogram", histogram)


def overstate_k(monkeypatch: pytest.MonkeyPatch) -> None:
    true = releasing.score_of

    def score(*arguments: Any, **rest: Any) -> Any:
        found = true(*arguments, **rest)
        found.values["k"] += 1
        return found

    monkeypatch.setattr(releasing, "score_of", score)


def keep_an_identifier(monkeypatch: pytest.MonkeyPatch) -> None:
    true = Table.apply

    def apply(self: Table, steps: Any, **rest: Any) -> Any:
        forgotten = [Drop(()) if isinstance(step, Drop) else step for step in steps]
        return true(self, forgotten, **rest)

    monkeypatch.setattr(Table, "apply", apply)


def write_a_name_as_illness(monkeypatch: pytest.MonkeyPatch) -> None:
    true = Table.apply

    def apply(self: Table, recodes: Any, **rest: Any) -> Any:
        table = true(self, recodes, **rest).read_all()
        cells = ["Anna Abel", *table["illness"].to_pylist()[1:]]
        place = table.column_names.index("illness")
        return table.set_column(place, "illness", pa.array(cells)).to_reader()

    monkeypatch.setattr(Table, "apply", apply)


FAULTS = [
    suppress_one_class_too_few,
    merge_missing_into_a_value,
    forget_rows_with_missing_cells,
    overstate_k,
    keep_an_identifier,
    write_a_name_as_illness,
]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_line_01_an_engine_fault_releases_nothing(tmp_path, monkeypatch, fault, form):
    job = make_people(tmp_path)
    before = files_under(tmp_path)
    fault(monkeypatch)
    arguments = ["release", job, "--levels", TENS, "--suppress-below", 2, "--format", form]
    made = call(*arguments, "-o", tmp_path / "r")
    if fault is forget_rows_with_missing_cells:  # stopped even before anything is written
        refused(made, 2, "2 rows have a value of column 'age' that its recoding does not know")
    else:
        refused(made, 1, "Nothing was released")
    assert files_under(tmp_path) == before
    assert not (tmp_path / "r").exists()


def test_line_01_an_engine_fault_leaves_the_old_release(tmp_path, monkeypatch):
    folder = release(tmp_path)
    before = files_under(tmp_path)
    suppress_one_class_too_few(monkeypatch)
    job = tmp_path / "job.yaml"
    refused(call("release", job, "--levels", TENS, "--suppress-below", 2, "-o", folder), 1)
    assert files_under(tmp_path) == before


# ---- line 1: faults put into a finished release are found by `verify`


def wrong_k(folder: Path) -> None:
    edit_json(folder / "manifest.json", lambda m: m["promises"].update(k=3))
    rehash(folder)


def dropped_missing_category(folder: Path) -> None:
    """Rows without an age are left out, and the manifest counts the rest."""

    def drop(rows: list[list[str]]) -> None:
        rows[:] = [row for row in rows if row[0]]

    edit_rows(folder, drop)
    edit_json(folder / "manifest.json", lambda m: (m.update(rows=6), m["promises"].update(rows=6)))
    rehash(folder)


def leaked_identifier_column(folder: Path) -> None:
    def leak(rows: list[list[str]]) -> None:
        for row, name in zip(rows, ["name", *(r[0] for r in ROWS)], strict=False):
            row.append(name)

    edit_rows(folder, leak)


def tampered_cell(folder: Path) -> None:
    def tamper(rows: list[list[str]]) -> None:
        next(row for row in rows if row[0] == "")[0] = "[20, 30)"

    edit_rows(folder, tamper)


def foreign_label(folder: Path) -> None:
    def tamper(rows: list[list[str]]) -> None:
        for row in rows[1:]:
            row[1] = "10**"

    edit_rows(folder, tamper)


@pytest.mark.parametrize(
    "fault",
    [wrong_k, dropped_missing_category, leaked_identifier_column, tampered_cell],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("inside", [True, False], ids=["maker", "recipient"])
def test_line_01_verify_recomputes_and_finds(tmp_path, fault, inside):
    """Although every hash was mended."""
    folder = release(tmp_path)
    assert call("verify", folder).code == 0
    fault(folder)
    if not inside:
        shutil.rmtree(folder / "internal")
    found = call("verify", folder, "--json")
    assert (found.code, found.json["ok"]) == (1, False)
    assert any(c["holds"] is False for c in found.json["checks"] if "sha256" not in c["name"])


def test_line_01_a_label_of_another_level_is_found(tmp_path):
    folder = release(tmp_path)
    foreign_label(folder)
    refused(call("verify", folder, "--quiet"), 1, "cells of zip that are no label of the plan")


def test_line_01_a_leaked_value_is_found_against_the_input(tmp_path):
    """One illness becomes a name: no class changes, so that only the input can tell."""
    folder = release(tmp_path)

    def leak(rows: list[list[str]]) -> None:
        next(row for row in rows if row[0] == "[30, 40)" and row[2] == "")[2] = "Emil Ende"

    edit_rows(folder, leak)
    found = call("verify", folder, "--against", tmp_path / "people.csv", "--quiet")
    refused(found, 1, "cells that carry a dropped identifier")
    assert "Emil" not in found.err


def test_line_01_any_changed_byte_fails_the_hash(tmp_path):
    folder = release(tmp_path)
    data = (folder / "data.csv").read_bytes()
    (folder / "data.csv").write_bytes(data.replace(b"flu", b"FLU", 1))
    refused(call("verify", folder, "--quiet"), 1, "sha256")


def test_line_01_the_checker_shares_nothing_with_the_engine():
    """The contract is held by import-linter; here, that it is written down."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    contract = text.partition("The checker never reaches the engine")[2]
    for room in ("kernels", "encode", "measures", "lattice", "tables"):
        assert f"paretonym.{room}" in contract
    assert '"duckdb"' in contract


# ---- line 2: missing is a category of its own


def test_line_02_missing_is_a_class_of_its_own(tmp_path):
    folder = release(tmp_path)
    ages = Counter(row[0] for row in read_rows(folder / "data.csv")[1:])
    assert ages == {"[20, 30)": 3, "[30, 40)": 3, "": 2}


def test_line_02_a_hierarchy_file_without_missing_gets_it_as_a_leaf(tmp_path):
    write_csv(tmp_path / "t.csv", ["zip", "x"], [["1", "a"], ["2", "a"], ["", "b"], ["", "c"]])
    (tmp_path / "zip.csv").write_text("1;*\n2;*\n")
    columns = {
        "zip": {"role": "quasi", "hierarchy": {"file": "zip.csv"}},
        "x": {"role": "sensitive"},
    }
    job = write_job(tmp_path, table="t.csv", columns=columns, suppression={"limit": 0})
    found = call("score", job, "--levels", "zip=0", "--json").json
    assert (found["classes"], found["values"]["k"]) == (3, 1)  # 1, 2 and missing


@pytest.mark.parametrize(
    ("missing", "classes"),
    [((), 4), (("NA",), 3), (("NA", "?"), 2)],
    ids=["the empty cell only", "NA too", "NA and ?"],
)
def test_line_02_only_declared_texts_are_missing_in_a_csv(tmp_path, missing, classes):
    rows = [[text, "x"] for text in ("", "NA", "?", "7")]
    write_csv(tmp_path / "t.csv", ["a", "b"], rows)
    columns = {"a": {"role": "quasi", "hierarchy": "suppress"}, "b": {"role": "sensitive"}}
    table = {"path": "t.csv", "missing": list(missing)}
    job = write_job(tmp_path, table=table, columns=columns, suppression={"limit": 0})
    assert call("score", job, "--levels", "a=0", "--json").json["classes"] == classes
    made = call("release", job, "--levels", "a=0", "-o", tmp_path / "r")
    assert made.code == 0, made.err
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["data"]["missing"] == ["", *missing]
    report = (tmp_path / "r" / "report.html").read_text()
    assert all(text in report for text in ("missing values: an empty cell", *missing))


def test_line_02_null_and_nan_are_missing_in_a_frame():
    frame = pa.table({"a": pa.array([1.5, None, float("nan"), 1.5]), "b": ["x", "y", "x", "y"]})
    job = pn.make_job(
        {
            "columns": {
                "a": {"role": "quasi", "hierarchy": "suppress"},
                "b": {"role": "sensitive"},
            },
            "objectives": ["k"],
        },
        table=frame,
    )
    found = pn.score(job, {"a": 0})
    assert (found.classes, found.values["k"]) == (2, 2)  # 1.5 twice, missing twice


# ---- line 3: suppressed rows are no class


def test_line_03_suppressed_rows_are_no_class(tmp_path):
    folder = release(tmp_path)
    public = json.loads((folder / "manifest.json").read_text())
    assert public["promises"] | {"distinct_l(illness)": 0} == {
        "k": 2, "rows": 8, "classes": 3, "distinct_l(illness)": 0,
    }  # fmt: skip


def test_line_03_a_class_of_suppressed_rows_never_meets_k(tmp_path):
    """Two rows that differ would form a class of two if they were counted together."""
    rows = [["a", "x"], ["b", "x"], *[["c", "x"]] * 3]
    write_csv(tmp_path / "t.csv", ["q", "s"], rows)
    columns = {"q": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "sensitive"}}
    job = write_job(
        tmp_path, table="t.csv", columns=columns, require={"k": 2}, suppression={"limit": 2}
    )
    found = call("score", job, "--levels", "q=0", "--json").json
    assert (found["classes"], found["suppressed"], found["values"]["k"]) == (1, 2, 3)


# ---- line 4: hierarchies that are none


HIERARCHIES = {
    "lacks a value": ("1010;10;*\n", 2, ["1 value of the column", "zip.csv"]),
    "lists a value twice": ("1010;10;*\n1020;10;*\n1010;11;*\n", 2, ["zip.csv, line 3", "1 row"]),
    "does not nest": (
        "1010;10;a;*\n1020;10;b;*\n", 2, ["zip.csv, line 2", "1 value concerned"],
    ),
    "is ragged": ("1010;10;*\n1020;*\n", 2, ["zip.csv, line 2", "2 cells"]),
    "stays open": ("1010;10\n1020;20\n", 2, ["2 labels"]),
    "has an empty label": ("1010;;*\n1020;10;*\n", 2, ["zip.csv, line 1", "empty label"]),
    "is empty": ("", 2, ["zip.csv", "empty"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "code", "words"), HIERARCHIES.values(), ids=HIERARCHIES)
def test_line_04_a_hierarchy_that_is_none_is_refused(tmp_path, text, code, words):
    columns = with_column("zip", {"role": "quasi", "hierarchy": {"file": "zip.csv"}})
    (tmp_path / "zip.csv").write_text(text)
    job = make_people(tmp_path, columns=columns)
    before = files_under(tmp_path)
    refused(call("check", job), code, "column 'zip'", *words)
    refused(call("release", job, "--levels", TENS, "-o", tmp_path / "r"), code)
    assert files_under(tmp_path) == before


# ---- line 5: the hierarchy shown is the one applied


def plan_in(folder: Path) -> tuple[str, list[str]]:
    """The plan's salt and the digests of the hierarchies it applies."""
    plan = json.loads((folder / "internal" / "plan.json").read_text())
    return plan["salt"], [s["recode"]["hierarchy"] for s in plan["steps"] if "recode" in s]


def test_line_05_the_hash_of_the_applied_hierarchy_is_shown(tmp_path):
    """Salted, so that nobody can confirm a guess of the values in it."""
    folder = release(tmp_path)
    salt, digests = plan_in(folder)
    shown = [hashlib.sha256(f"{salt}{digest}".encode()).hexdigest() for digest in digests]
    public = json.loads((folder / "manifest.json").read_text())
    assert [c["hierarchy"] for c in public["columns"] if "hierarchy" in c] == shown
    assert all(digest in (folder / "report.html").read_text() for digest in shown)
    inside = (folder / "internal" / "report.html").read_text()
    assert all(digest in inside for digest in digests)


def test_line_05_another_label_is_another_hash(tmp_path):
    found = []
    for label in ("10", "10", "11"):
        (tmp_path / "zip.csv").write_text(f"1010;{label};*\n1020;{label};*\n")
        columns = with_column("zip", {"role": "quasi", "hierarchy": {"file": "zip.csv"}})
        found.append(plan_in(release(tmp_path, levels="age=1,zip=1", columns=columns))[1][1])
    assert found[0] == found[1] != found[2]


def test_line_05_a_changed_hash_is_found(tmp_path):
    folder = release(tmp_path)
    edit_json(folder / "manifest.json", lambda m: m["columns"][0].update(hierarchy="0" * 64))
    rehash(folder)
    refused(call("verify", folder, "--quiet"), 1, "hierarchies equal the plan's")


# ---- line 6: the corners have defined results or clear errors


def corner(folder: Path, rows: list[list[str]], **changes: Any) -> Path:
    columns = {"q": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "sensitive"}}
    write_csv(folder / "t.csv", ["q", "s"], rows)
    return write_job(
        folder, {"table": "t.csv", "columns": columns, "objectives": ["k", "glm"]}, **changes
    )


@pytest.mark.parametrize("command", ["check", "front", "release"])
@pytest.mark.parametrize(
    ("rows", "changes", "words"),
    [
        ([], {}, ["t.csv has no rows"]),
        ([["a", "x"]] * 4, {"require": {"k": 5}}, ["k of 5", "4 rows"]),
        ([["a", "x"]] * 4, {"suppression": {"limit": 4}}, ["4 rows", "all"]),
        ([["a", "x"]] * 4, {"suppression": {"limit": "100%"}}, ["under 100%"]),
        ([["a", "x"]] * 4, {"require": {"k": 0}}, ["asks for nothing"]),
        ([["a", "x"]] * 4, {"columns": {"q": {"role": "insensitive"}, "s": {"role": "sensitive"}}},
         ["no column has the role quasi"]),
    ],
    ids=["empty table", "k > n", "limit = n", "limit 100%", "k = 0", "no quasi-identifier"],
)  # fmt: skip
def test_line_06_corners_that_are_refused(tmp_path, command, rows, changes, words):
    job = corner(tmp_path, rows, **changes)
    more = [] if command == "check" else ["-o", tmp_path / "out"]
    more += ["--levels", "q=0"] if command == "release" else []
    refused(call(command, job, *more), 2, *words)
    assert not (tmp_path / "out").exists()


def test_line_06_everything_suppressed_is_no_release(tmp_path):
    """Four singles, three of which may go: no node within the limit has a class of two."""
    columns = {
        "q": {"role": "quasi", "hierarchy": {"file": "q.csv", "open_top": True}},
        "s": {"role": "sensitive"},
    }
    (tmp_path / "q.csv").write_text("a;a\nb;b\nc;c\nd;d\n")
    rows = [[q, "x"] for q in "abcd"]
    job = corner(tmp_path, rows, columns=columns, require={"k": 2}, suppression={"limit": 3})
    for command in ("front", "release"):
        more = ["--levels", "q=0"] if command == "release" else []
        refused(call(command, job, *more, "-o", tmp_path / "out"), 1)
        assert not (tmp_path / "out").exists()
    scored = call("score", job, "--levels", "q=0", "--json")
    assert (scored.code, scored.json["feasible"], scored.json["values"]) == (1, False, {})


@pytest.mark.parametrize("value", ["a", ""], ids=["one value", "all missing"])
def test_line_06_one_distinct_value_has_finite_numbers(tmp_path, value):
    """`call(...).json` refuses NaN; one value has nothing to lose."""
    job = corner(tmp_path, [[value, "x"]] * 4)
    found = call("score", job, "--levels", "q=1", "--json").json["values"]
    assert (found["k"], found["glm"], found["loss_arithmetic"]) == (4, 0, 0)
    front = call("front", job, "-o", tmp_path / "f", "--json").json["front"]
    assert [entry["values"] for entry in front] == [{"k": 4, "glm": 0}]
    assert call("release", job, "--pick", "k>=4", "-o", tmp_path / "r").code == 0


def test_line_06_k_may_equal_the_rows(tmp_path):
    job = corner(tmp_path, [["a", "x"], ["b", "y"]], require={"k": 2})
    assert call("front", job, "-o", tmp_path / "f", "--json").json["front"][0]["values"]["k"] == 2


# ---- line 7: roles, identifiers, and columns that point at people


def test_line_07_a_column_without_a_role_stops_the_run(tmp_path):
    columns = {name: form for name, form in JOB["columns"].items() if name != "illness"}
    job = make_people(tmp_path, columns=columns)
    for command in ("check", "front", "release"):
        more = [] if command == "check" else ["-o", tmp_path / "out"]
        more += ["--levels", TENS] if command == "release" else []
        refused(call(command, job, *more), 2, "column 'illness' has no role")
    assert not (tmp_path / "out").exists()


def test_line_07_identifiers_are_dropped(tmp_path):
    folder = release(tmp_path)
    assert read_rows(folder / "data.csv")[0] == ["age", "zip", "illness"]


def test_line_07_the_output_is_scanned_for_identifiers(tmp_path):
    """A remark that mentions a name stops the release; a reason lets it pass."""
    rows = [(*row, "fine") for row in ROWS]
    rows[0] = (*ROWS[0], "called Anna-ABEL today")
    write_csv(tmp_path / "people.csv", [*NAMES, "note"], rows)
    columns = {**JOB["columns"], "note": {"role": "insensitive"}}
    arguments = ["--levels", TENS, "--suppress-below", 2, "-o", tmp_path / "r"]
    made = call("release", write_job(tmp_path, columns=columns), *arguments)
    refused(made, 1, "dropped identifier", "column 'note': 1 cells")
    assert "Anna" not in made.err
    assert not (tmp_path / "r").exists()
    reason = "the name is that of a street"
    columns["note"] = {"role": "insensitive", "because": reason}  # a reason for something else
    refused(call("release", write_job(tmp_path, columns=columns), *arguments), 1, "identifier")
    columns["note"] = {"role": "insensitive", "may_match": reason}
    assert call("release", write_job(tmp_path, columns=columns), *arguments).code == 0


@pytest.mark.parametrize("role", ["insensitive", "weight", "target"])
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([f"v{i}" for i in range(60)], "nearly unique"),
        ([f"v{i // 3}" for i in range(60)], "household or case number"),
    ],
    ids=["unique", "household"],
)
def test_line_07_a_column_that_points_at_people_needs_a_reason(tmp_path, role, values, words):
    write_csv(tmp_path / "t.csv", ["q", "v"], [["a", value] for value in values])
    columns = {"q": {"role": "quasi", "hierarchy": "suppress"}, "v": {"role": role}}
    base = {"table": "t.csv", "columns": columns, "objectives": ["k"]}
    refused(call("check", write_job(tmp_path, base)), 2, "column 'v'", words, "because")
    columns["v"]["because"] = "the publisher has looked at it"
    assert call("check", write_job(tmp_path, base)).code == 0


# ---- line 8: in = out + suppressed, and what is not recoded is untouched


def test_line_08_nothing_is_lost_and_nothing_added(tmp_path):
    folder = release(tmp_path)
    released = Counter(row[2] for row in read_rows(folder / "data.csv")[1:])
    assert released == Counter(row[3] for row in ROWS[:-1])
    inside = json.loads((folder / "internal" / "manifest.json").read_text())
    assert (inside["input"]["rows"], inside["suppressed_rows"], sum(released.values())) == (9, 1, 8)


TYPED = {
    "q": pa.array(["a", "b"] * 20),
    "int": pa.array([2**60 + i % 2 for i in range(40)]),
    "float": pa.array([None, 0.1] * 20),
    "date": pa.array([0, 1] * 20, pa.date32()),
    "category": pa.array(["x", "y"] * 20).dictionary_encode(),
    "half": pa.array([0.5, 1.5] * 20, pa.float16()),
    "zoned": pa.array([0, 1] * 20, pa.timestamp("us", "Europe/Berlin")),
}


@pytest.mark.parametrize("source", ["frame", "file"])
def test_line_08_untouched_columns_keep_value_and_type(tmp_path, source):
    table = pa.table(TYPED)
    pq.write_table(table, tmp_path / "t.parquet")
    columns = {name: {"role": "insensitive"} for name in table.column_names}
    columns["q"] = {"role": "quasi", "hierarchy": "suppress"}
    given = table if source == "frame" else tmp_path / "t.parquet"
    job = pn.make_job({"columns": columns, "objectives": ["k"]}, table=given)
    pn.release(job, levels={"q": 0}, out=tmp_path / "r", format="parquet")
    out = pq.read_table(tmp_path / "r" / "data.parquet")
    assert out.schema.types == table.schema.types
    assert Counter(map(str, out.to_pylist())) == Counter(map(str, table.to_pylist()))
    assert pn.verify(tmp_path / "r", against=given).ok


def test_line_08_a_recoding_that_changes_a_passing_column_is_found(tmp_path, monkeypatch):
    """Times in seconds may come out in milliseconds, the coarsest Parquet has; nothing else."""
    table = pa.table({"q": ["a", "b"] * 3, "n": pa.array([1, 2] * 3, pa.int64())})
    job = pn.make_job(
        {
            "columns": {
                "q": {"role": "quasi", "hierarchy": "suppress"},
                "n": {"role": "insensitive"},
            },
            "objectives": ["k"],
        },
        table=table,
    )
    true = Table.apply

    def apply(self: Table, recodes: Any, **rest: Any) -> Any:
        found = true(self, recodes, **rest).read_all()
        return found.set_column(1, "n", found["n"].cast(pa.int32())).to_reader()

    monkeypatch.setattr(Table, "apply", apply)
    with pytest.raises(VerificationError, match="type of n"):
        pn.release(job, levels={"q": 0}, out=tmp_path / "r", format="parquet")
    assert not (tmp_path / "r").exists()


def test_every_refusal_is_one_of_ours():
    assert issubclass(VerificationError, ParetonymError)
    assert (VerificationError.exit_code, ParetonymError.exit_code) == (1, 2)
