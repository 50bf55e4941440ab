"""Nothing that lies in the working folder is executed, whichever process is started there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paretonym import isolation
from paretonym.web import tasks
from paretonym.web.messages import Request
from tests.cli.calling import make_people

EVIL = "import pathlib\npathlib.Path({marker!r}).write_text({name!r})\nraise SystemExit(9)\n"
# modules of Python and of others; the last ones are what multiprocessing itself loads
NAMES = ("secrets", "json", "numpy", "numba", "hashlib", "signal", "socket", "pickle", "struct")
# as the command `paretonym` is: a file somewhere else
SCRIPT = "import sys\nif __name__ == '__main__':\n    {what}\n"
SQUARES = """\
from paretonym.papers.pbg.running import _workers
    with _workers(2) as each:
        assert list(each(abs, [-1, -2])) == [1, 2]\
"""


@pytest.fixture
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder holds modules that would write this file if they were executed."""
    folder, marker = tmp_path / "data", tmp_path / "marker"
    folder.mkdir()
    make_people(folder)
    for name in NAMES:
        (folder / f"{name}.py").write_text(EVIL.format(marker=str(marker), name=name))
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    return marker


def ran(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def ended(task: tasks.Task) -> tasks.Task:
    end = time.monotonic() + 60
    while task.state == "running":
        assert time.monotonic() < end
        time.sleep(0.02)
    return task


@pytest.mark.parametrize("places", [None, "", os.curdir])
def test_a_worker_executes_nothing_from_the_working_folder(
    marker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: str | None
) -> None:
    """Also where the environment names that folder; an empty entry does."""
    if places is not None:
        monkeypatch.setenv("PYTHONPATH", places + os.pathsep)
        monkeypatch.setattr(sys, "path", [places, *sys.path])
    request = Request(
        "signal", Path("job.yaml").read_text(), "job.yaml", os.curdir, str(tmp_path / "task")
    )
    task = ended(tasks.start("p", request, "d"))
    assert not marker.exists()
    assert (task.state, task.process and task.process.wait()) == ("failed", 0)
    assert "groups" in str(task.message)  # it came as far as the job, which has none


def test_a_worker_finds_what_this_program_finds(
    marker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    written = tmp_path / "written"
    (tmp_path / "elsewhere" / "only_there.py").write_text(
        "import paretonym, pathlib\n"
        f"def main(): pathlib.Path({str(written)!r}).write_text(paretonym.__file__)\n"
    )
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    ran(*isolation.command("only_there"))
    assert Path(written.read_text()).parent == Path(isolation.__file__).parent
    assert not marker.exists()


def test_a_package_in_the_working_folder_still_finds_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = Path(isolation.__file__).parents[1]
    monkeypatch.chdir(own)
    monkeypatch.setattr(sys, "path", ["", str(own), "/somewhere"])
    assert isolation._places() == ["/somewhere", str(own)]


def test_processes_of_a_pool_execute_nothing_from_the_working_folder(
    marker: Path, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "squares"
    script.write_text(SCRIPT.format(what=SQUARES))
    ran(sys.executable, str(script))
    assert not marker.exists()


def test_the_environment_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    before = dict(os.environ)
    with isolation.guarded():
        assert "PYTHONPATH" not in os.environ
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert dict(os.environ) == before


@pytest.mark.parametrize("flags", [[], ["-P"], ["-I"]])
def test_as_a_module_it_executes_nothing_from_the_working_folder(
    marker: Path, flags: list[str]
) -> None:
    ran(sys.executable, *flags, "-m", "paretonym", "check", "job.yaml")
    assert not marker.exists()
