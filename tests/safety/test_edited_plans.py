"""Line 36: `apply` and `verify` refuse a plan that is not as it was written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import call
from tests.safety.cases import edit_json, refused, rehash, release


def edited(folder: Path, change: Callable[[Any], None]) -> None:
    """By hand, so that the digest stays what it was."""
    path = folder / "internal" / "plan.json"
    plan = json.loads(path.read_text(encoding="utf-8"))
    change(plan)
    path.write_text(json.dumps(plan), encoding="utf-8")


EDITS: dict[str, Callable[[Any], Any]] = {
    "a threshold of 0": lambda plan: plan["steps"][-1]["suppress"].update(below=0),
    "a column that is kept": lambda plan: plan["columns"][0].update(roles=["insensitive"]),
    "a label": lambda plan: plan["steps"][1]["recode"]["labels"][0].__setitem__(1, "20"),
    "a key more": lambda plan: plan.update(note="mine"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_plan_is_refused_before_any_work(tmp_path, edit):
    """A threshold of 0 gave k = 1, and the result was called verified."""
    folder = release(tmp_path)
    edited(folder, edit)
    words = ("changed after it was written", "untouched plan.json", "release again")
    # the table is not even looked for
    for plan in (folder, folder / "internal" / "plan.json"):
        found = call("apply", plan, tmp_path / "nowhere.csv", "-o", tmp_path / "next")
        refused(found, 2, *words)
    rehash(folder)
    refused(call("verify", folder), 2, *words)
    refused(call("verify", folder, "--against", tmp_path / "people.csv"), 2, *words)
    assert not (tmp_path / "next").exists()


def test_a_plan_of_an_earlier_version_is_refused_with_that_version(tmp_path):
    """It has no digest; the manifest beside it says what wrote it."""
    folder = release(tmp_path)

    def earlier(plan: Any) -> None:
        del plan["digest"], plan["software"]

    edited(folder, earlier)
    edit_json(
        folder / "internal" / "manifest.json", lambda m: m["software"].update(version="0.0.7")
    )
    rehash(folder)
    words = ("no digest", "written by paretonym 0.0.7", "release again")
    for command in (
        ("apply", folder, tmp_path / "people.csv", "-o", tmp_path / "next"),
        ("verify", folder),
    ):
        refused(call(*command), 2, *words)
    alone = tmp_path / "plan.json"
    alone.write_bytes((folder / "internal" / "plan.json").read_bytes())
    found = call("apply", alone, tmp_path / "people.csv", "-o", tmp_path / "next")
    refused(found, 2, "no digest", "an earlier version", "release again")


NEWER: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "a step of a plan": (
        "internal/plan.json",
        lambda plan: plan["steps"].insert(1, {"coarsen": {"column": "zip"}}),
        "a step 'coarsen'",
    ),
    "a part of a plan": ("internal/plan.json", lambda plan: plan.update(noise=1), "holds 'noise'"),
    "a part of the internal manifest": (
        "internal/manifest.json",
        lambda manifest: manifest.update(cells={}),
        "internal manifest holds 'cells'",
    ),
    "a part of the public manifest": (
        "manifest.json",
        lambda manifest: manifest.update(epsilon=1),
        "public manifest holds 'epsilon'",
    ),
}


@pytest.mark.parametrize(("name", "change", "words"), NEWER.values(), ids=NEWER)
def test_what_a_newer_version_added_is_not_skipped(tmp_path, name, change, words):
    """This version would do or check less than the file says, and call it sound."""
    folder = release(tmp_path)

    def newer(data: Any) -> None:
        data["software"]["version"] = "9.9.9"
        change(data)

    edit_json(folder / name, newer)
    told = (words, "does not know", "written by paretonym 9.9.9", "use that version")
    refused(call("verify", folder), 2, *told)
    refused(call("verify", folder, "--against", tmp_path / "people.csv"), 2, *told)
    if name.endswith("plan.json"):
        next_folder = tmp_path / "next"
        found = call("apply", folder, tmp_path / "people.csv", "-o", next_folder)
        refused(found, 2, *told)
        assert not next_folder.exists()


def test_a_plan_of_the_format_before_is_refused_with_the_remedy(tmp_path):
    folder = release(tmp_path)
    edit_json(
        folder / "internal" / "plan.json", lambda plan: plan.update(format="paretonym-plan/1")
    )
    words = ("paretonym-plan/1", "paretonym-plan/2", "written by paretonym", "release again")
    for command in (
        ("apply", folder, tmp_path / "people.csv", "-o", tmp_path / "next"),
        ("verify", folder),
    ):
        refused(call(*command), 2, *words)
