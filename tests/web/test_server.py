"""The real command: where it listens, what it says, how it ends, what it leaves behind."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.support.waiting import PATIENCE, until
from tests.web.asking import PEOPLE

from paretonym.cli import exploring
from paretonym.cli.show import Screen
from paretonym.errors import JobError, ParetonymError
from paretonym.web.server import open_file
from paretonym.web.server_state import ServerState

pytestmark = pytest.mark.slow

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def command(*arguments: str, browser: Path | None = None) -> list[str]:
    quiet = ["--no-browser"] if browser is None else []
    return [sys.executable, "-m", "paretonym", "explore", *quiet, *arguments]


@dataclass(frozen=True, slots=True)
class Running:
    """A server that is up; `temporary` is the folder in which it makes its own."""

    process: subprocess.Popen[bytes]
    port: int
    token: str
    address: str
    temporary: Path

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        content = None if body is None else json.dumps(body)
        headers = {"X-Paretonym-Token": self.token, "Content-Type": "application/json"}
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        assert answer.status == 200, data
        return json.loads(data)

    def ended(self) -> tuple[str, str]:
        out, err = self.process.communicate(timeout=PATIENCE)
        return out.decode(), err.decode()


@contextmanager
def run(folder: Path, *arguments: str, browser: Path | None = None) -> Iterator[Running]:
    temporary = folder / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        command("--json", *arguments, browser=browser),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary), "BROWSER": f"{browser} %s"},
    )
    try:
        assert process.stdout is not None
        spoken, _, _ = select.select([process.stdout], [], [], PATIENCE)
        assert spoken, "the server does not say where it listens"
        line = process.stdout.readline()
        address = json.loads(line)["address"]
        port, token = urlsplit(address).port, urlsplit(address).fragment.removeprefix("token=")
        assert port is not None
        yield Running(process, port, token, address, temporary)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def children(parent: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        if int(text.rsplit(")", 1)[1].split()[1]) == parent:
            found.append(int(stat.parent.name))
    return found


def is_alive(process: int) -> bool:
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return text.rsplit(")", 1)[1].split()[0] not in "ZX"


def start_long_work(server: Running) -> int:
    """The process that works on it."""
    project = server.ask("POST", "/api/examples/bases")["id"]
    server.ask("POST", f"/api/projects/{project}/tasks", {"kind": "attack"})
    until(lambda: children(server.process.pid))
    (worker,) = children(server.process.pid)
    return worker


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_when_it_is_stopped_nothing_is_left(tmp_path: Path, number: signal.Signals) -> None:
    with run(tmp_path) as server:
        worker = start_long_work(server)
        assert any(server.temporary.glob("paretonym-explore-*"))
        server.process.send_signal(number)
        out, err = server.ended()
        assert not is_alive(worker)
        assert list(server.temporary.iterdir()) == []
        assert server.process.returncode > 0
    assert "Traceback" not in err
    assert server.token not in out + err.replace(server.address, "")


@needs_proc
def test_work_ends_by_itself_when_the_server_is_killed(tmp_path: Path) -> None:
    with run(tmp_path) as server:
        worker = start_long_work(server)
        server.process.kill()
        server.ended()
        until(lambda: not is_alive(worker))


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_cannot_wait_for_the_end_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    with run(tmp_path) as server:
        worker = start_long_work(server)
        os.kill(worker, signal.SIGSTOP)  # it does not end by itself, so that closing takes time
        server.process.send_signal(signal.SIGINT)

        def insisted() -> bool:
            server.process.send_signal(number)
            time.sleep(0.1)
            return server.process.poll() is not None

        until(insisted, "the end of the server")
        _, err = server.ended()
        assert not is_alive(worker)
        assert list(server.temporary.iterdir()) == []
    assert "Traceback" not in err


@needs_proc
def test_a_terminal_that_is_closed_with_unsaved_edits_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(PEOPLE.read_bytes())
    with run(tmp_path, "people.csv") as server:
        number = urlsplit(server.address).path.rsplit("/", 1)[-1]
        change = {"path": ["suppression", "limit"], "value": "7%"}
        edit = {"revision": 0, "changes": [change]}
        server.ask("POST", f"/api/projects/{number}/edits", edit)
        assert server.process.stdout is not None
        assert server.process.stderr is not None
        server.process.stdout.close()
        server.process.stderr.close()  # writing there fails from now on
        server.process.send_signal(signal.SIGHUP)
        server.process.wait(PATIENCE)
        assert list(server.temporary.iterdir()) == []


@needs_proc
@pytest.mark.parametrize("kept", [False, True])
def test_a_worker_that_is_killed_leaves_no_copy_of_the_table(tmp_path: Path, kept: bool) -> None:
    folder = ["-o", "kept"] if kept else []
    with run(tmp_path, *folder) as server:
        worker = start_long_work(server)
        until(lambda: [place for place in copies(tmp_path) if "attack-" in str(place)])
        os.kill(worker, signal.SIGKILL)
        until(lambda: not [place for place in copies(tmp_path) if "attack-" in str(place)])
        server.process.send_signal(signal.SIGTERM)
        server.ended()
        assert list(server.temporary.iterdir()) == []
        assert copies(tmp_path) == []


def copies(folder: Path) -> list[Path]:
    """Folders of open tables, each readable by its owner only."""
    found = [place for place in folder.rglob("paretonym-*") if place.parent.name == "tmp"]
    found = [place for place in found if not place.name.startswith("paretonym-explore-")]
    assert {place.stat().st_mode & 0o077 for place in found} <= {0}
    return found


@contextmanager
def half_an_upload(server: Running) -> Iterator[socket.socket]:
    """What came so far lies on the disk."""
    lines = (
        "POST /api/tables?name=a.csv HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"X-Paretonym-Token: {server.token}",
        "Content-Length: 100000",
        "",
        "a,b\n1,",
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as half:
        half.sendall("\r\n".join(lines).encode())
        until(lambda: list(server.temporary.rglob("a.csv")))
        yield half


def test_an_upload_during_which_the_server_ends_is_told_and_the_log_stays_clean(
    tmp_path: Path,
) -> None:
    with run(tmp_path) as server, half_an_upload(server) as half:
        server.process.send_signal(signal.SIGTERM)
        answer = half.makefile("rb").read()
        _, err = server.ended()
        assert list(server.temporary.iterdir()) == []
    assert b" 503 " in answer
    assert b"the explorer is being stopped" in answer
    assert "Traceback" not in err
    assert "ERROR" not in err


def test_an_upload_that_breaks_off_leaves_nothing_and_the_log_stays_clean(tmp_path: Path) -> None:
    with run(tmp_path) as server:
        with half_an_upload(server):
            pass
        until(lambda: not list(server.temporary.rglob("uploads/*")))
        assert server.ask("GET", "/api/state")["projects"] == []
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as odd:
            odd.sendall(b"\x00\xff nonsense\r\n\r\n")
            assert b"400" in odd.recv(1000)
        server.process.send_signal(signal.SIGTERM)
        out, err = server.ended()
    said = out + err
    assert server.token not in said.replace(server.address, "")
    assert "Traceback" not in said
    assert "POST" not in said


def test_a_browser_is_started_with_a_code_that_holds_once(tmp_path: Path) -> None:
    """Everybody on the machine can read the address that a program was started with."""
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > given.part && mv given.part given\n')
    browser.chmod(0o700)
    with run(tmp_path, browser=browser) as server:
        until((tmp_path / "given").exists)
        given = (tmp_path / "given").read_text().strip()
        assert server.token not in given
        code = urlsplit(given).fragment.removeprefix("code=")
        assert enter(server, f"{code}x") == (401, None)
        assert enter(server, code) == (200, server.token)
        assert enter(server, code) == (401, None)
        server.ask("GET", "/api/state")  # the address of the terminal holds all the time


def enter(server: Running, code: str) -> tuple[int, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/api/entry", json.dumps({"code": code}), headers)
    answer = connection.getresponse()
    token = json.loads(answer.read()).get("token")
    connection.close()
    return answer.status, token


def test_it_listens_on_this_machine_only(tmp_path: Path) -> None:
    with run(tmp_path) as server:
        with pytest.raises(ConnectionRefusedError):  # 127.0.0.2 is this machine too, on Linux
            socket.create_connection(("127.0.0.2", server.port), timeout=PATIENCE)
        with pytest.raises(OSError, match=r"."):
            socket.create_connection(("::1", server.port), timeout=PATIENCE)
        taken = failed(tmp_path, "--port", str(server.port))
        assert f"port {server.port} is taken" in taken


def test_a_job_with_faults_still_opens(tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text("table: nothing.csv\ncolumns: 7\n")
    with run(tmp_path, "wrong.yaml") as server:
        number = urlsplit(server.address).path.rsplit("/", 1)[-1]
        assert server.ask("GET", f"/api/projects/{number}")["faults"]


def failed(folder: Path, *arguments: str) -> str:
    """What a start that is refused says."""
    temporary = folder / "elsewhere"
    temporary.mkdir(exist_ok=True)
    done = subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=PATIENCE,
        env={**os.environ, "TMPDIR": str(temporary)},
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert list(temporary.glob("paretonym-explore-*")) == []
    return done.stderr


def test_a_start_that_is_refused_says_why_in_one_line(tmp_path: Path) -> None:
    assert failed(tmp_path, "missing.yaml").count("\n") == 1


def explore(opened: Path) -> None:
    exploring.explore(
        Screen(quiet=True), opened, folder=None, port=None, browser=False, megabytes=1
    )


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    for nothing in (tmp_path, tmp_path / "pipe.yaml", Path("/dev/zero"), tmp_path / "missing.csv"):
        with pytest.raises(JobError, match="there is no such file"):
            explore(nothing)


def test_what_is_no_job_is_not_opened(tmp_path: Path) -> None:
    server_state = ServerState(tmp_path / "house", "token", temporary=True)
    wrong = {
        "binary.yaml": (b"\xff\xfe\x00\x01", "UTF-8"),
        "long.yaml": (b"#" * 2_000_001, "2,000,000 characters"),
        "empty.csv": (b"", "empty"),
        "image.csv": (b"\x89PNG\r\n\x1a\n", r"image\.csv"),
    }
    for name, (content, says) in wrong.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ParetonymError, match=says) as refused:
            open_file(server_state, tmp_path / name)
        assert refused.value.exit_code == 2
    assert server_state.projects == {}


def test_an_ending_in_capitals_is_a_job_as_well(tmp_path: Path) -> None:
    server_state = ServerState(tmp_path / "house", "token", temporary=True)
    (tmp_path / "J.YAML").write_text("table: people.csv\n")
    assert open_file(server_state, tmp_path / "J.YAML").text == "table: people.csv\n"


@pytest.mark.parametrize("absent", [("fastapi",), ("fastapi", "uvicorn")])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, absent: tuple[str, ...]) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in absent else find(name)
    )
    with pytest.raises(
        JobError, match=rf"needs {' and '.join(absent)}.*paretonym\[explore\]"
    ) as told:
        explore(PEOPLE)
    said = "is not installed; install it" if len(absent) == 1 else "are not installed; install them"
    assert f"{absent[-1]}, which {said} with pip" in str(told.value)
