"""What the tests of the safety lines share: releases, and faults put into them."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paretonym.model.plan import sealed
from tests.cli.calling import TENS, Result, call, make_people, read_rows


def release(folder: Path, *more: object, levels: str = TENS, **changes: Any) -> Path:
    """A release of the people table: twenties 3, thirties 3, missing 2; the one sixty is out."""
    job = make_people(folder, **changes)
    made = call(
        "release", job, "--levels", levels, "--suppress-below", 2, "-o", folder / "r", *more
    )
    assert made.code == 0, made.err
    return folder / "r"


def refused(result: Result, code: int, *words: str) -> None:
    """One message with these words, no traceback, nothing on stdout."""
    assert (result.code, result.out) == (code, ""), result
    assert "Traceback" not in result.err
    assert "internal error" not in result.err
    assert all(word in result.err for word in words), result.err


def edit_json(path: Path, change: Callable[[Any], None]) -> None:
    """Change a file as somebody would who also computes the digest of a plan anew."""
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    data = sealed(data) if path.name == "plan.json" else data
    path.write_text(json.dumps(data), encoding="utf-8")


def edit_rows(folder: Path, change: Callable[[list[list[str]]], None]) -> None:
    """Change the data file as somebody would who also mends every hash."""
    rows = read_rows(folder / "data.csv")
    change(rows)
    with (folder / "data.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
    rehash(folder)


def rehash(folder: Path) -> None:
    """Every hash as it would be had the files been written like this."""
    data = next(folder.glob("data.*"))
    edit_json(folder / "manifest.json", lambda m: m["data"].update(sha256=sha(data)))
    edit_json(
        folder / "internal" / "manifest.json",
        lambda m: m.update(files={name: sha(folder / name) for name in m["files"]}),
    )


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
