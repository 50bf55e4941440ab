"""Lines 23 to 25 and 28: how the program itself behaves."""

from __future__ import annotations

import ast
import json
import os
import random
import stat
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import paretonym as pn
from paretonym.errors import OutputError
from paretonym.publishing import atomic
from paretonym.tables.engine import Engine
from tests.cli.calling import TENS, call, files_under, make_people, write_csv, write_job
from tests.safety.cases import refused, release

SOURCES = sorted((Path(__file__).parents[2] / "src" / "paretonym").rglob("*.py"))
publish = import_module("paretonym.publishing.publish")  # the function hides the module
LEVELS = ["--levels", TENS, "--suppress-below", "2"]

# ---- line 23: no pickle, no eval, no unsafe YAML; and no network

FORBIDDEN_MODULES = {
    "pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "yaml", "socket",
    "ssl", "http", "urllib", "urllib3", "requests", "httpx", "ftplib", "smtplib", "telnetlib",
    "xmlrpc", "aiohttp",
}  # fmt: skip
LISTENS = {"server.py": {"socket"}}  # the explorer, on 127.0.0.1 only: tests/web/test_server.py
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}


def imported(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module).partition(".")[0])
    return found


def called(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            target = node.func
            names.add(target.id if isinstance(target, ast.Name) else "")
            if isinstance(target, ast.Attribute) and target.attr == "load":
                names.add(f"load of {ast.unparse(target.value)}")
    return names


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_line_23_nothing_unsafe_is_used(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not imported(tree) & (FORBIDDEN_MODULES - LISTENS.get(path.name, set()))
    assert not called(tree) & (FORBIDDEN_CALLS | {"load of np", "load of numpy", "load of yaml"})
    for node in ast.walk(tree):  # the only YAML reader is the one that builds plain text
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "YAML":
            assert ast.unparse(node) == "YAML(typ='base', pure=True)"


@pytest.mark.parametrize("text", ["!!python/object/apply:os.system [x]", "!tag x", "&a [*a]"])
def test_line_23_tags_and_loops_of_yaml_are_refused(tmp_path, text):
    (tmp_path / "job.yaml").write_text(f"table: {text}\n")
    refused(call("check", tmp_path / "job.yaml"), 2, "line 1")


def test_line_23_numbas_cache_is_private():
    from paretonym.kernels.jit import CACHE_FOLDER

    assert stat.S_IMODE(CACHE_FOLDER.stat().st_mode) == 0o700


COMPILING = """
import importlib, json, pkgutil, sys
import numba
import numpy as np
from paretonym import kernels
from paretonym.kernels import jit
found = {"folder": str(jit.CACHE_FOLDER), "caches": [], "was": jit.is_compiled()}
for info in pkgutil.iter_modules(kernels.__path__):
    module = importlib.import_module(f"paretonym.kernels.{info.name}")
    for thing in vars(module).values():
        if isinstance(thing, numba.core.dispatcher.Dispatcher):
            found["caches"].append(thing.stats.cache_path)
vectors = np.array([[1, 2], [2, 1]])
importlib.import_module("paretonym.kernels.spread").spread_matrix(vectors, np.array([1, 1]))
found["is"] = jit.is_compiled()
found["others"] = [numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES]
json.dump(found, sys.stdout)
"""


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"NUMBA_CACHE_DIR": "of others"},
        {"NUMBA_CACHE_LOCATOR_CLASSES": "InTreeCacheLocator"},
    ],
    ids=lambda settings: next(iter(settings), "none"),
)
def test_line_23_the_private_cache_is_used_whatever_was_imported_first(tmp_path, settings):
    """numba reads where caches lie when it is imported, here before anything of ours."""
    package = Path(pn.__file__).parent
    before = set(package.rglob("*.nb[ic]"))
    environment = {**os.environ, "PARETONYM_CACHE": str(tmp_path), **settings}
    done = subprocess.run(
        [sys.executable, "-c", COMPILING],
        cwd=tmp_path, env=environment, capture_output=True, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    folder = Path(found["folder"])
    assert folder.parent == tmp_path / "paretonym"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(found["caches"]) > 100
    assert {Path(cache).parent for cache in found["caches"]} == {folder}
    assert (found["was"], found["is"]) == (False, True)
    assert [path.name for path in folder.rglob("*.nbi")] != []
    assert set(package.rglob("*.nb[ic]")) == before
    # functions of others stay where they were told to be
    names = ("NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES")
    assert found["others"] == [settings.get(name, "") for name in names]


LENDING = """
import os, subprocess, sys
from paretonym.kernels import jit
print(jit.CACHE_FOLDER)
if len(sys.argv) == 1:
    subprocess.run([sys.executable, "-c", os.environ["CODE"], "again"], check=True)
"""


def test_line_23_without_a_home_the_cache_lasts_as_long_as_the_program(tmp_path):
    """Processes that it starts share the folder, and nothing stays."""
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    environment = {
        **os.environ,
        "PARETONYM_CACHE": str(tmp_path / "file"),
        "TMPDIR": str(tmp_path / "tmp"),
        "CODE": LENDING,
    }
    done = subprocess.run(
        [sys.executable, "-c", LENDING], env=environment, capture_output=True, text=True, check=True
    )
    first, second = done.stdout.split()
    assert first == second
    assert Path(first).is_relative_to(tmp_path / "tmp")
    assert list((tmp_path / "tmp").iterdir()) == []


# ---- line 24: whole files or none


def test_line_24_a_crash_midway_leaves_the_old_output(tmp_path, monkeypatch):
    folder = release(tmp_path)
    before = files_under(tmp_path)
    for error in (RuntimeError("zq"), KeyboardInterrupt(), OSError(28, "No space left on device")):

        def fail(*_: object, error: BaseException = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(publish, "dump_json", fail)
        found = call("release", tmp_path / "job.yaml", *LEVELS, "-o", folder)
        assert found.code in (1, 2)
        assert "zq" not in found.err
        assert files_under(tmp_path) == before
    monkeypatch.undo()
    assert call("verify", folder).code == 0


KILLED = """
import importlib, os, signal, sys
name = sys.argv.pop(1)
publish = importlib.import_module("paretonym.publishing.publish")
true = publish.write_text
def killing(path, text, **rest):
    true(path, text, **rest)
    if path.name == "plan.json":
        print(oct(os.stat(path).st_mode & 0o777), oct(os.stat(path.parents[1]).st_mode & 0o777))
        sys.stdout.flush()
        os.kill(os.getpid(), getattr(signal, name))
publish.write_text = killing
from paretonym.cli.main import run
run()
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_line_24_a_killed_release_leaves_the_old_one(tmp_path, name):
    folder = release(tmp_path)
    before = files_under(folder)
    job = tmp_path / "job.yaml"
    arguments = [name, "release", str(job), *LEVELS, "-o", str(folder), "-q"]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert done.stdout == "0o600 0o700\n"  # private while it is written
    assert files_under(folder) == before
    assert call("verify", folder).code == 0
    if name == "SIGTERM":  # a program that is asked to stop tidies up
        assert [path.name for path in tmp_path.glob(".*")] == []


def test_line_24_a_front_is_replaced_file_by_file(tmp_path, monkeypatch):
    job, out = make_people(tmp_path), tmp_path / "f"
    assert call("front", job, "-o", out).code == 0
    before = files_under(out)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    refused(call("front", job, "-o", out, "--quiet"), 2, "No space left on device")
    assert files_under(out) == before


def test_line_24_the_engines_folder_is_private_and_removed():
    engine = Engine()
    assert stat.S_IMODE(engine.folder.stat().st_mode) == 0o700
    engine.close()
    assert not engine.folder.exists()


# ---- line 25: the output is never the input


@pytest.mark.parametrize("place", ["people.csv", ".", "link.csv", "sub/.."])
def test_line_25_a_release_never_replaces_its_table(tmp_path, monkeypatch, place):
    job = make_people(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "people.csv")
    before = files_under(tmp_path)
    monkeypatch.chdir(tmp_path)
    refused(call("release", job, *LEVELS, "-o", place), 2, "input table")
    with pytest.raises(OutputError, match="input table"):
        pn.release(pn.load_job(job), levels={"age": 1, "zip": 4}, out=place)
    assert files_under(tmp_path) == before


def test_line_25_apply_never_replaces_its_table(tmp_path):
    folder = release(tmp_path)
    before = files_under(tmp_path)
    table = tmp_path / "people.csv"
    refused(call("apply", folder, table, "-o", table), 2, "input table")
    refused(call("apply", folder, table, "-o", tmp_path), 2, "input table")
    assert files_under(tmp_path) == before


def test_line_25_a_front_never_replaces_what_the_job_reads(tmp_path):
    """The table may be called front.csv and lie in the folder that is asked for."""
    job = make_people(tmp_path, table="front.csv")
    (tmp_path / "people.csv").rename(tmp_path / "front.csv")
    before = files_under(tmp_path)
    refused(call("front", job, "-o", tmp_path), 2, "would replace a file that the job reads")
    assert files_under(tmp_path) == before
    assert call("front", job, "-o", tmp_path / "f").code == 0


def test_line_25_a_front_never_replaces_a_hierarchy(tmp_path):
    columns = {
        "q": {"role": "quasi", "hierarchy": {"file": "report.html"}},
        "s": {"role": "sensitive"},
    }
    (tmp_path / "report.html").write_text("a;*\n")
    write_csv(tmp_path / "t.csv", ["q", "s"], [["a", "x"]])
    job = write_job(tmp_path, {"table": "t.csv", "columns": columns, "objectives": ["k"]})
    refused(call("front", job, "-o", tmp_path), 2, "would replace a file that the job reads")
    assert (tmp_path / "report.html").read_text() == "a;*\n"


def test_line_25_a_folder_of_other_things_is_refused(tmp_path):
    job = make_people(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    refused(call("release", job, *LEVELS, "-o", tmp_path / "mine"), 2, "not an earlier release")
    assert files_under(tmp_path / "mine") == {"thesis.txt": b"years of work"}


# ---- line 28: the same bytes


def random_people(folder: Path) -> Path:
    draw = random.Random(7)
    domains = [[f"{letter}{i}" for i in range(12)] for letter in "abcd"]
    write_csv(folder / "t.csv", "wxyz", [[draw.choice(d) for d in domains] for _ in range(400)])
    columns = {name: {"role": "quasi", "hierarchy": {"mask": "right"}} for name in "wxy"}
    job = {
        "table": "t.csv",
        "columns": {**columns, "z": {"role": "sensitive"}},
        "objectives": ["k", "glm", "distinct_l(z)", "loss_geometric"],
        "suppression": {"limit": "20%"},
        "search": {"seed": 3},
    }
    return write_job(folder, job)


@pytest.mark.slow
def test_line_28_front_json_has_the_same_bytes(tmp_path):
    job = random_people(tmp_path)
    found = []
    for number, (threads, hashes) in enumerate([("1", "0"), ("2", "1"), ("2", "77")]):
        out = tmp_path / f"f{number}"
        command = [sys.executable, "-m", "paretonym", "front", str(job), "-q", "-o", str(out)]
        environment = {**os.environ, "PYTHONHASHSEED": hashes}
        subprocess.run([*command, "--threads", threads], env=environment, check=True)
        found.append((out / "front.json").read_bytes())
    assert found[0] == found[1] == found[2]
    front = json.loads(found[0])
    assert front["exact"]
    assert front["nodes"] == 4**3
    assert len(front["front"]) > 5
    assert "seconds" not in front
