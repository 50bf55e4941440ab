"""Lines 9 to 15: nothing but the released cells leaves the house."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import logging
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

import paretonym as pn
from paretonym.errors import TableError
from paretonym.pipeline import releasing
from paretonym.publishing import writers
from paretonym.tables.engine import Engine
from paretonym.tables.staging import StagedRows
from tests.cli.calling import (
    JOB,
    TENS,
    Result,
    call,
    make_people,
    read_rows,
    with_column,
    write_csv,
    write_job,
)
from tests.safety.cases import refused, release

# ---- line 11: the canary

NAME, HOUSE, LOST, CITY, KEPT = "zqname", "zqhouse", "zqlost", "zqcity", "zqkept"
COLUMNS = ("person", "city", "age", "illness", "remark")
JOB_OF_CANARIES = {
    "columns": {
        "person": {"role": "identifier"},
        "city": {"role": "quasi", "hierarchy": {"file": "city.csv"}},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "illness": {"role": "sensitive"},
        "remark": {"role": "insensitive"},
    },
    "objectives": ["k", "glm"],
    "suppression": {"limit": 2},
}
CITIES = [f"{CITY}{i}" for i in range(4)]


def canary_rows() -> list[tuple[str, ...]]:
    """40 people in two regions and two decades; one of 77 years is alone and is suppressed."""
    rows = [
        (f"{NAME}{i}", CITIES[i % 4], str(20 + i % 20), f"{KEPT}{i % 3}", f"{KEPT}x")
        for i in range(40)
    ]
    return [*rows, (f"{NAME}40", CITIES[0], "77", f"{LOST}a", f"{LOST}b")]


def canary_parquet(path: Path, codec: str) -> None:
    """Categories that never occur, metadata and statistics full of canaries."""
    columns = dict(zip(COLUMNS, zip(*canary_rows(), strict=True), strict=True))
    arrays = {name: pa.array(cells).dictionary_encode() for name, cells in columns.items()}
    indices = arrays["remark"].indices
    words = pa.concat_arrays([arrays["remark"].dictionary, pa.array([f"{LOST}unused"])])
    arrays["remark"] = pa.DictionaryArray.from_arrays(indices, words)
    table = pa.table(arrays).replace_schema_metadata({"pandas": f"{LOST}meta", "note": NAME})
    pq.write_table(table, path, compression=codec, write_statistics=True)


def make_canaries(folder: Path, kind: str) -> Path:
    (folder / "city.csv").write_text(
        "".join(f"{c};region{i % 2};*\n" for i, c in enumerate(CITIES))
    )
    name = "t.csv" if kind == "csv" else "t.csv.gz" if kind == "csv.gz" else "t.parquet"
    if kind.startswith("csv"):
        write_csv(folder / "t.csv", COLUMNS, canary_rows())
        if kind == "csv.gz":
            (folder / name).write_bytes(gzip.compress((folder / "t.csv").read_bytes()))
    else:
        canary_parquet(folder / name, kind)
    return write_job(folder, {"table": name, **JOB_OF_CANARIES})


@contextlib.contextmanager
def everything_logged() -> Iterator[io.StringIO]:
    text = io.StringIO()
    handler, root = logging.StreamHandler(text), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield text
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@pytest.fixture
def watched(tmp_path, monkeypatch) -> Path:
    """Where temporary files go; every table is put on disk there."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setitem(StagedRows.__init__.__kwdefaults__, "budget", 0)
    return folder


@pytest.fixture
def uncompressed(monkeypatch) -> None:
    """Released Parquet as it is, but for the compression, so that its bytes can be searched."""
    true = pq.ParquetWriter

    def plain(stream: Any, schema: Any, **options: Any) -> Any:
        return true(stream, schema, **{**options, "compression": "none"})

    monkeypatch.setattr(writers.pq, "ParquetWriter", plain)


def assert_absent(words: tuple[str, ...], where: str, data: bytes) -> None:
    for word in words:
        for form in (word.encode(), word.encode("utf-16-le"), word.upper().encode()):
            assert form not in data, f"{word} stands in {where}"


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "none", "snappy", "zstd", "gzip"])
def test_line_11_no_canary_leaves(tmp_path, watched, uncompressed, kind, form):
    work = tmp_path / "work"
    work.mkdir()
    job, out = make_canaries(work, kind), tmp_path / "out"
    levels = ["--levels", "city=1,age=1", "--suppress-below", 2]
    with everything_logged() as logged:
        made = call("release", job, *levels, "-o", out, "--format", form)
        checked = call("verify", out, "--against", next(work.glob("t.*")))
        again = call(
            "apply", out, next(work.glob("t.*")), "-o", tmp_path / "out2", "--format", form
        )
    assert (made.code, checked.code, again.code) == (0, 0, 0), made.err + checked.err + again.err
    said = (made.out + made.err + checked.out + checked.err + again.out + again.err).encode()
    for folder in (out, tmp_path / "out2"):
        data = (folder / f"data.{form}").read_bytes()
        assert KEPT.encode() in data  # the search sees what is released
        for name in (f"data.{form}", "manifest.json", "report.html"):
            assert_absent((NAME, LOST, CITY), name, (folder / name).read_bytes())
        for name in ("manifest.json", "report.html", "plan.json"):  # a plan lists its values
            assert_absent((NAME, LOST), name, (folder / "internal" / name).read_bytes())
        assert_absent((CITY,), "manifest", (folder / "internal" / "manifest.json").read_bytes())
    assert_absent((NAME, LOST, CITY), "the terminal", said)
    assert_absent((NAME, LOST, CITY, KEPT), "the log", logged.getvalue().encode())
    assert list(watched.iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "out2", "tmp", "work"]


def test_line_11_a_front_holds_no_cell(tmp_path, watched):
    work = tmp_path / "work"
    work.mkdir()
    with everything_logged() as logged:
        made = call("front", make_canaries(work, "csv"), "-o", tmp_path / "f", "--json")
    assert made.code == 0, made.err
    for path in (tmp_path / "f").iterdir():
        assert_absent((NAME, LOST, CITY, KEPT), path.name, path.read_bytes())
    said = (made.out + made.err + logged.getvalue()).encode()
    assert_absent((NAME, LOST, CITY, KEPT), "the terminal or log", said)
    assert list(watched.iterdir()) == []


# ---- line 9: nothing hides in a Parquet file


def test_line_09_parquet_holds_only_what_is_released(tmp_path):
    job = make_canaries(tmp_path, "snappy")
    levels = ["--levels", "city=1,age=1", "--suppress-below", 2]
    assert call("release", job, *levels, "-o", tmp_path / "r", "--format", "parquet").code == 0
    with pq.ParquetFile(tmp_path / "r" / "data.parquet", read_dictionary=["remark"]) as file:
        meta, table = file.metadata, file.read()
    assert set(meta.metadata or {}) <= {b"ARROW:schema"}
    assert table.schema.metadata is None
    assert table.column_names == ["city", "age", "illness", "remark"]
    for chunk in table["remark"].chunks:
        assert chunk.dictionary.to_pylist() == [f"{KEPT}x"]
    bounds = [
        column.statistics
        for group in range(meta.num_row_groups)
        for column in [meta.row_group(group).column(i) for i in range(meta.num_columns)]
    ]
    assert all(s is None or not s.has_min_max or str(s.max)[:6] != LOST for s in bounds)


def test_line_09_the_index_of_a_frame_stays_behind(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"q": ["a", "b"] * 3, "s": ["x"] * 6}, index=range(900, 906))
    columns = {"q": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "sensitive"}}
    job = pn.make_job({"columns": columns, "objectives": ["k"]}, table=frame)
    pn.release(job, levels={"q": 0}, out=tmp_path / "r", format="parquet")
    table = pq.read_table(tmp_path / "r" / "data.parquet")
    assert table.column_names == ["q", "s"]
    assert table.schema.metadata is None


def test_line_09_nothing_lies_under_a_null(tmp_path):
    """A slot that is null in the input still holds 7777 in memory."""
    validity = pa.array([True, False] * 4).buffers()[1]
    values = pa.py_buffer(np.array([1, 7777] * 4, np.int64).tobytes())
    hidden = pa.Array.from_buffers(pa.int64(), 8, [validity, values])
    cleaned = writers.clean_array(hidden)
    assert cleaned.equals(hidden)
    assert np.frombuffer(cleaned.buffers()[1], np.int64)[:8].tolist() == [1, 0] * 4


# ---- line 10: the order of the rows


def many_people(folder: Path) -> Path:
    write_csv(folder / "t.csv", ["q", "s"], [["ab"[i % 2], f"s{i % 50}"] for i in range(200)])
    columns = {"q": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "sensitive"}}
    return write_job(folder, {"table": "t.csv", "columns": columns, "objectives": ["k"]})


def test_line_10_rows_are_shuffled_whatever_the_seed(tmp_path):
    job = many_people(tmp_path)
    for out in ("one", "two"):
        assert call("release", job, "--levels", "q=0", "--seed", 1, "-o", tmp_path / out).code == 0
    one, two = (read_rows(tmp_path / out / "data.csv") for out in ("one", "two"))
    given = read_rows(tmp_path / "t.csv")
    assert one[0] == two[0] == ["q", "s"]  # no index, no row number
    assert sorted(one) == sorted(two) == sorted(given)
    assert one != given
    assert two != given
    assert one != two


def test_line_10_the_kept_key_rebuilds_the_release(tmp_path, monkeypatch):
    job = many_people(tmp_path)
    call("release", job, "--levels", "q=0", "-o", tmp_path / "one")
    inside = json.loads((tmp_path / "one" / "internal" / "manifest.json").read_text())
    key = bytes.fromhex(inside["shuffle_key"])
    assert len(key) == 32
    monkeypatch.setattr(releasing.secrets, "token_bytes", lambda _: key)
    call("release", job, "--levels", "q=0", "-o", tmp_path / "two")
    data = [(tmp_path / out / "data.csv").read_bytes() for out in ("one", "two")]
    assert data[0] == data[1]


# ---- lines 12 and 13: what the public may see


def test_line_12_public_files_hold_no_secret(tmp_path):
    folder = release(tmp_path, search={"seed": 424242})
    inside = json.loads((folder / "internal" / "manifest.json").read_text())
    public = (folder / "manifest.json").read_text() + (folder / "report.html").read_text()
    assert inside["seed"] == 424242
    plan = json.loads((folder / "internal" / "plan.json").read_text())
    secrets = ["424242", inside["shuffle_key"], inside["input"]["fingerprint"], inside["job"]]
    secrets += [plan["salt"], *(s["recode"]["hierarchy"] for s in plan["steps"][1:-1])]
    assert not [secret for secret in secrets if secret in public]
    risky = ["glm", "worst_group_suppression", "discernibility", "plan.json"]
    assert not [word for word in risky if word in public]
    told = json.loads((folder / "manifest.json").read_text())
    assert set(told) == {
        "format", "kind", "software", "statement", "data", "columns", "rows", "suppressed_rows",
        "formula_cells", "promises", "detail",
    }  # fmt: skip
    parts = {part for detail in told["detail"].values() for part in detail}
    assert parts == {"values", "lost_percent", "rounded_to"}


@pytest.mark.parametrize(("limit", "shown"), [(1, "<k"), (0, 0)])
def test_line_12_counts_under_k_are_hidden(tmp_path, limit, shown):
    """One suppressed row under k = 2 is hidden; none is no secret."""
    job = make_people(tmp_path)
    below = 2 if limit else 1
    call("release", job, "--levels", TENS, "--suppress-below", below, "-o", tmp_path / "r")
    public = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert public["suppressed_rows"] == shown


def test_line_12_internal_files_are_for_their_owner(tmp_path):
    folder = release(tmp_path)

    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    assert mode(folder / "internal") == 0o700
    assert {mode(path) for path in (folder / "internal").iterdir()} == {0o600}
    assert mode(folder / "data.csv") == 0o644


def test_line_13_without_a_seed_none_is_made_up(tmp_path):
    folder = release(tmp_path)
    assert json.loads((folder / "internal" / "manifest.json").read_text())["seed"] is None
    assert '"seed"' not in (folder / "manifest.json").read_text()


# ---- line 14: formulas

FORMULAS = ["=1+1", "+1", "@x", "-a", "\tb", "-5", "-1.5e3", "plain"]


def formula_job(folder: Path) -> Path:
    write_csv(folder / "t.csv", ["q", "s"], [["a", cell] for cell in FORMULAS] * 2)
    columns = {"q": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "sensitive"}}
    return write_job(folder, {"table": "t.csv", "columns": columns, "objectives": ["k"]})


def test_line_14_formulas_are_flagged(tmp_path):
    job = formula_job(tmp_path)
    assert call("release", job, "--levels", "q=0", "-o", tmp_path / "r").code == 0
    inside = json.loads((tmp_path / "r" / "internal" / "manifest.json").read_text())
    assert inside["formula_cells"] == {"s": 10}  # five of eight, twice
    public = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert public["formula_cells"] == {"s": "<k"}  # ten of k = 16
    assert "formula" in (tmp_path / "r" / "report.html").read_text()


def test_line_14_formulas_are_neutralised_on_request(tmp_path):
    job, out = formula_job(tmp_path), tmp_path / "r"
    assert call("release", job, "--levels", "q=0", "-o", out, "--neutralise").code == 0
    cells = sorted({row[1] for row in read_rows(out / "data.csv")[1:]})
    assert cells == sorted(["'=1+1", "'+1", "'@x", "'-a", "'\tb", "-5", "-1.5e3", "plain"])
    assert json.loads((out / "manifest.json").read_text())["data"]["formulas_neutralised"] is True
    assert call("verify", out, "--against", tmp_path / "t.csv").code == 0


# ---- line 15: messages without cells

BIRD = "zqbird"


def bird(folder: Path, text: str, **changes: Any) -> Result:
    (folder / "people.csv").write_bytes(text.encode("latin-1"))
    return call("check", write_job(folder, **changes))


HEADER = "name,age,zip,illness\n"
BAD_CELLS = {
    "ragged row": (f"{HEADER}a,1,2,{BIRD}\n{BIRD},1,{BIRD}\n", {}),
    "open quote": (f'{HEADER}a,1,2,"{BIRD}\n', {}),
    "text after a quote": (f'{HEADER}a,1,2,"{BIRD}"{BIRD}\n', {}),
    "not UTF-8": (f"{HEADER}a,1,2,{BIRD}\xff\n", {}),
    "NUL": (f"{HEADER}a,1,2,{BIRD}\0\n", {}),
    "not a number": (f"{HEADER}a,{BIRD},2,x\nb,1,2,x\n", {}),
    "not a date": (
        f"{HEADER}a,{BIRD},2,x\nb,2020-01-01,2,x\n",
        {"age": {"role": "quasi", "format": "%Y-%m-%d", "hierarchy": {"date": "month"}}},
    ),
    "not in the groups": (
        f"{HEADER}a,1,{BIRD},x\nb,1,2,x\n",
        {"zip": {"role": "quasi", "hierarchy": {"groups": {"g": ["2"]}}}},
    ),
    "too long to mask": (f"{HEADER}a,1,{BIRD * 50},x\nb,1,2,x\n", {}),
    "nearly unique": (
        HEADER + "".join(f"a,1,2,{BIRD}{i}\n" for i in range(30)),
        {"illness": {"role": "insensitive"}},
    ),
}


@pytest.mark.parametrize(("text", "columns"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_line_15_no_message_quotes_a_cell(tmp_path, text, columns):
    with everything_logged() as logged:
        found = bird(tmp_path, text, columns={**JOB["columns"], **columns})
    refused(found, 2)
    assert BIRD not in found.err + logged.getvalue()


def test_line_15_the_engines_own_words_are_dropped():
    with contextlib.closing(Engine()) as engine, engine.session({}) as session:
        query = exp.select(exp.cast(exp.Literal.string(BIRD), "INTEGER"))
        with pytest.raises(TableError) as caught:
            session.row(query)
    assert BIRD not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_line_15_a_defect_is_told_without_its_text(tmp_path, monkeypatch):
    """An unexpected error may carry a cell: its kind and place are enough to find it."""
    from paretonym.cli import commands

    def defect(*_: object) -> None:
        raise KeyError(BIRD)

    monkeypatch.setattr(commands, "open_job", defect)
    found = call("check", make_people(tmp_path))
    assert found.code == 2
    assert "KeyError" in found.err
    assert "Traceback" not in found.err
    assert BIRD not in found.err


def test_line_15_jobs_may_list_values_and_messages_do_not(tmp_path):
    groups = {"role": "quasi", "hierarchy": {"groups": {"g": [BIRD, BIRD]}}}
    found = call("check", make_people(tmp_path, columns=with_column("zip", groups)))
    refused(found, 2)
    assert BIRD not in found.err
