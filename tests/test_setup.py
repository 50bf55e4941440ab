"""The order of the tests, the Makefile, the version, and the files that git ignores."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import paretonym as pn

ROOT = Path(__file__).parent.parent
MAKE, GIT = shutil.which("make"), shutil.which("git")


def test_slow_tests_run_last(request: pytest.FixtureRequest) -> None:
    """Whatever starts a browser is slow."""
    items = request.session.items
    slow = [item.get_closest_marker("slow") is not None for item in items]
    assert slow == sorted(slow)
    assert all(
        is_slow
        for item, is_slow in zip(items, slow, strict=True)
        if "browser" in getattr(item, "fixturenames", ())
    )


@pytest.mark.skipif(MAKE is None, reason="needs make")
@pytest.mark.parametrize(("cores", "workers"), [(1, 0), (2, 2), (4, 4), (64, 4)])
def test_the_tests_take_the_cores_that_are_there(cores: int, workers: int) -> None:
    """One core needs no process beside pytest; many would each hold tables and a browser."""
    command = [str(MAKE), "--dry-run", "--silent", "test", f"CORES={cores}"]
    bare = {"PATH": os.environ["PATH"]}  # nothing of a make that runs this test
    done = subprocess.run(command, cwd=ROOT, env=bare, capture_output=True, text=True, check=True)
    assert re.findall(r"pytest -n (\d+)", done.stdout) == [str(workers)]


@pytest.mark.skipif(GIT is None or not (ROOT / ".git").exists(), reason="needs a clone")
def test_what_the_readme_leaves_in_a_clone_is_ignored() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    made = re.findall(r"^paretonym \w+ examples/.* -o (\S+)$", text, re.MULTILINE)
    made += re.findall(r"^mkdir -p (\S+)$", text, re.MULTILINE)
    made += ["demo-out", ".venv", ".screenshots", ".coverage", "htmlcov"]
    assert {"demo-out/people", "big-release"} <= set(made)
    for name in made:
        command = [str(GIT), "check-ignore", "--quiet", f"{name}/" if "." not in name[1:] else name]
        assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0, name


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    path = ROOT / project["tool"]["hatch"]["version"]["path"]
    assert f'__version__ = "{pn.__version__}"' in path.read_text(encoding="utf-8")


def test_the_changelog_tells_of_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## \[(.+?)\](?: - \d{4}-\d\d-\d\d)?$", text, re.MULTILINE)
    assert heads[:2] == ["Unreleased", pn.__version__]


def test_hooks_before_a_commit_are_local_and_those_of_make_check() -> None:
    config = YAML(typ="safe").load(ROOT / ".pre-commit-config.yaml")
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    hooks = config["repos"][0]["hooks"]
    assert {hook["language"] for hook in hooks} == {"system"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^check: .*\n((?:\t.+\n)+)", makefile, re.MULTILINE)
    checked = [line.removesuffix(" .") for line in re.findall(r"\$\(BIN\)/(.+)", lines)]
    entries = [hook["entry"].removesuffix(" --force-exclude") for hook in hooks]
    assert entries == [f".venv/bin/{line}" for line in checked]
