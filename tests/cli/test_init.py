"""`init` shows what it saw and writes a job that `check` accepts."""

from __future__ import annotations

from pathlib import Path

from tests.cli.calling import call
from tests.safety.cases import refused

ROWS = "".join(f"p{i};{20 + i % 40};{'fm'[i % 2]};{i % 7}\n" for i in range(120))


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_summary_for_people(tmp_path: Path) -> None:
    found = call("init", table(tmp_path, "name;age;sex;x\n" + ROWS), "-o", tmp_path / "job.yaml")
    assert found.code == 0, found
    lines = [line.split() for line in found.out.splitlines()]
    assert ["column", "kind", "distinct", "missing", "alone", "role", "why"] in lines
    assert ["name", "text", "120", "0", "120", "identifier", "the", "name"] in [
        line[:8] for line in lines
    ]
    assert "Rows alone by two columns that an outsider may know" in found.out
    assert "Rows alone by all 3 quasi-identifiers" in found.out
    assert call("check", tmp_path / "job.yaml").code == 0


def test_one_object_for_programs(tmp_path: Path) -> None:
    path = table(tmp_path, "name;age;sex;x\n" + ROWS)
    found = call("init", path, "-o", tmp_path / "job.yaml", "--json").json
    assert set(found) == {"job", "profile", "columns", "quasi"}
    assert [c["role"] for c in found["columns"]] == ["identifier", "quasi", "quasi", "quasi"]
    assert found["profile"]["rows"] == 120


def test_reading_options(tmp_path: Path) -> None:
    """No header, a bar between cells, another encoding, a text for missing values."""
    path = tmp_path / "t.csv"
    path.write_bytes("".join(f"{20 + i % 40}|{'é?'[i % 2]}\n" for i in range(80)).encode("latin-1"))
    job = tmp_path / "job.yaml"
    found = call(
        "init", path, "-o", job, "--delimiter", "|", "--encoding", "latin-1",
        "--names", "age, kind", "--missing", "?", "--json",
    ).json  # fmt: skip
    assert [(c["name"], c["missing"]) for c in found["profile"]["columns"]] == [
        ("age", 0),
        ("kind", 40),
    ]
    assert call("check", job).code == 0
    refused(call("init", path, "-o", tmp_path / "k.yaml", "--delimiter", "||"), 2, "one character")
    path.write_text("1,2\n", encoding="utf-8")
    refused(
        call("init", path, "-o", tmp_path / "k.yaml", "--names", "a,a"), 2, "have the same name"
    )


def test_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    names = ["[red]x", "\x1b[31my", "\u202ez", "n" * 200]
    head = ",".join(f'"{name}"' for name in names)
    rows = "".join(f"{i % 2},{i % 3},{i % 5},{i % 7}\n" for i in range(60))
    found = call("init", table(tmp_path, f"{head}\n{rows}"), "-o", tmp_path / "job.yaml")
    assert found.code == 0, found
    assert "\x1b" not in found.out + found.err
    assert "\u202e" not in found.out + found.err
    assert "[red]x" in found.out
    assert "n" * 30 not in found.out


def test_a_wide_table_is_cut_on_the_terminal_and_not_in_the_job(tmp_path: Path) -> None:
    head = ",".join(f"c{i}" for i in range(64))
    rows = "".join(",".join(str((r + i) % 3) for i in range(64)) + "\n" for r in range(60))
    found = call("init", table(tmp_path, f"{head}\n{rows}"), "-o", tmp_path / "job.yaml")
    assert "4 more columns in the job file" in " ".join(found.out.split())
    assert "  c63: {" in (tmp_path / "job.yaml").read_text(encoding="utf-8")


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    job = tmp_path / "job.yaml"
    refused(call("init", table(tmp_path, ""), "-o", job), 2, "t.csv")
    refused(call("init", table(tmp_path, "a,b\n"), "-o", job), 2, "no rows")
    refused(call("init", table(tmp_path, "a,a\n1,2\n"), "-o", job), 2, "have the same name")
    (tmp_path / "t.csv").write_bytes(b"\x00\x01\x02\xff" * 50)
    refused(call("init", tmp_path / "t.csv", "-o", job), 2, "t.csv")
    assert not job.exists()
