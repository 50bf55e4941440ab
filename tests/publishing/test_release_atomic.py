"""Output appears whole or not at all, and nothing temporary stays behind."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from paretonym.errors import OutputError
from paretonym.publishing import atomic


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def fail_after(write, content, error) -> None:
    write(content)
    raise error


def fill(folder: Path, text: str = "new") -> None:
    (folder / "internal").mkdir()
    (folder / "data.csv").write_text(text)
    (folder / "manifest.json").write_text(json.dumps({"format": atomic.MANIFEST_FORMAT}))
    (folder / "internal" / "plan.json").write_text(text)


def test_a_file_is_private_while_written_and_public_afterwards(tmp_path):
    path = tmp_path / "data.csv"
    with atomic.atomic_file(path, mode=0o644) as stream:
        (temporary,) = tmp_path.iterdir()
        assert mode(temporary) == 0o600
        stream.write(b"x")
        assert not path.exists()
    assert path.read_bytes() == b"x"
    assert mode(path) == 0o644
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "data.csv"
    path.write_text("old")
    with pytest.raises(error), atomic.atomic_file(path) as stream:
        fail_after(stream.write, b"half", error)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_a_clear_error(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("old")
    with pytest.raises(OutputError, match="No space left"), atomic.atomic_file(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_really_full_device(tmp_path, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")

    def full(**_: object) -> tuple[int, str]:
        (tmp_path / "x.part").touch()
        return os.open("/dev/full", os.O_WRONLY), str(tmp_path / "x.part")

    monkeypatch.setattr(atomic.tempfile, "mkstemp", full)
    with pytest.raises(OutputError, match="No space left"):
        atomic.write_text(tmp_path / "report.html", "text")
    assert list(tmp_path.iterdir()) == []


def test_a_release_folder_gets_its_modes_at_the_end(tmp_path):
    target = tmp_path / "deep" / "out"
    with atomic.release_folder(target) as staging:
        assert mode(staging) == 0o700
        assert staging.parent == target.parent
        fill(staging)
    assert mode(target) == 0o755
    assert mode(target / "data.csv") == 0o644
    assert mode(target / "internal") == 0o700
    assert mode(target / "internal" / "plan.json") == 0o600
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("exchange", [True, False])
def test_an_earlier_release_is_replaced_as_a_whole(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    target = tmp_path / "out"
    for text in ("old", "new"):
        with atomic.release_folder(target) as staging:
            fill(staging, text)
            if text == "old":
                (staging / "report.html").write_text("of the old one only")
    assert (target / "data.csv").read_text() == "new"
    assert not (target / "report.html").exists()
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OutputError])
def test_an_exception_midway_leaves_the_old_release(tmp_path, error):
    target = tmp_path / "out"
    with atomic.release_folder(target) as staging:
        fill(staging, "old")
    with pytest.raises(error), atomic.release_folder(target) as staging:
        fail_after((staging / "data.csv").write_text, "half", error)
    assert (target / "data.csv").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failing_rename_brings_the_old_release_back(tmp_path, monkeypatch):
    target = tmp_path / "out"
    with atomic.release_folder(target) as staging:
        fill(staging, "old")
    monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    real = Path.replace

    def broken(self: Path, other: Path) -> Path:
        if self.name.endswith(".part"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, other)

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OutputError), atomic.release_folder(target) as staging:
        fill(staging, "new")
    assert (target / "data.csv").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_empty_folder_may_be_filled(tmp_path):
    (tmp_path / "out").mkdir()
    with atomic.release_folder(tmp_path / "out") as staging:
        fill(staging)
    assert (tmp_path / "out" / "data.csv").read_text() == "new"


@pytest.mark.parametrize("manifest", [None, "{}", "not json", '{"format": "other/1"}', "[]"])
def test_a_foreign_folder_is_refused(tmp_path, manifest):
    target = tmp_path / "out"
    target.mkdir()
    (target / "thesis.txt").write_text("mine")
    if manifest is not None:
        (target / "manifest.json").write_text(manifest)
    with pytest.raises(OutputError, match="not an earlier"), atomic.release_folder(target):
        pytest.fail("nothing may be written")
    assert (target / "thesis.txt").read_text() == "mine"


def test_other_files_beside_a_release_are_not_deleted(tmp_path):
    target = tmp_path / "out"
    with atomic.release_folder(target) as staging:
        fill(staging)
    (target / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="1 other file"), atomic.release_folder(target):
        pytest.fail("nothing may be written")


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OutputError, match="is a file"), atomic.release_folder(tmp_path / "out"):
        pass


def test_the_input_is_never_the_output(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(table)
    (tmp_path / "hard.csv").hardlink_to(table)
    (tmp_path / "linked").symlink_to(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "data.csv").hardlink_to(table)
    links = [tmp_path / name for name in ("link.csv", "hard.csv", "linked")]
    for output in (table, tmp_path, other, *links):
        with pytest.raises(OutputError, match="input table"):
            atomic.refuse_same_path(table, output)
    atomic.refuse_same_path(table, tmp_path / "elsewhere")
