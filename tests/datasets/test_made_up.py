"""The made-up register, the file that is kept of it, and the example job that uses it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import paretonym.datasets as datasets
from paretonym.errors import JobError
from paretonym.jobfile.loading import load_job
from paretonym.pipeline.open_job import open_job
from paretonym.tables import open_table

EXAMPLE = Path(__file__).parents[2] / "examples" / "big.yaml"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The file of the bundled name, in a cache of this module's own."""
    base = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARETONYM_CACHE", str(base))
        yield datasets.path("made-up")


def test_equal_arguments_give_equal_tables():
    first = datasets.made_up(1_000, seed=7)
    assert first.equals(datasets.made_up(1_000, seed=7))
    assert not first.equals(datasets.made_up(1_000, seed=8))


def test_no_rows_and_fewer():
    assert datasets.made_up(0, seed=1).num_rows == 0
    with pytest.raises(JobError, match="-1 rows"):
        datasets.made_up(-1, seed=1)


def test_columns_depend_on_one_another():
    """Nobody under 16 works or is married; who works has both codes; cities draw people."""
    people = datasets.made_up(20_000, seed=3).to_pylist()
    children = [p for p in people if int(p["age"]) < 16]
    assert {(p["occupation"], p["marital_status"]) for p in children} == {("", "single")}
    assert all(bool(p["occupation"]) == bool(p["industry"]) for p in people)
    assert all(p["household_size"] != "1" for p in people if p["marital_status"] == "married")
    born_abroad = [p["birth_country"] != "AA" for p in people]
    in_city = [p["municipality"] == "01111" for p in people]
    share = sum(a and c for a, c in zip(born_abroad, in_city, strict=True)) / sum(in_city)
    assert share > 1.4 * sum(born_abroad) / len(people)


def test_the_file_is_private_and_used_again(stored, tmp_path, monkeypatch):
    before = stored.stat()
    assert datasets.path("made-up") == stored
    assert stored.stat().st_mtime_ns == before.st_mtime_ns
    assert stat.S_IMODE(stored.parent.stat().st_mode) == 0o700
    assert [file.name for file in stored.parent.iterdir()] == ["made-up-1-200000-1.csv"]

    monkeypatch.setenv("PARETONYM_CACHE", str(tmp_path))
    fresh = datasets.path("made-up")
    assert fresh != stored
    assert fresh.read_bytes() == stored.read_bytes()


def test_the_file_holds_the_generated_table(stored):
    table = datasets.made_up(200_000, seed=1)
    lines = stored.read_text().splitlines()
    assert lines[0].replace('"', "") == ",".join(table.column_names)
    assert lines[1:] == [",".join(row) for row in zip(*table.to_pydict().values(), strict=True)]


def test_a_cache_that_cannot_be_written_is_done_without(stored, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PARETONYM_CACHE", str(tmp_path / "file"))
    found = datasets.path("made-up")
    assert found.read_bytes() == stored.read_bytes()
    assert datasets.path("made-up") == found


def test_a_misspelt_name_gets_a_hint():
    with pytest.raises(JobError, match="did you mean 'made-up'"):
        datasets.path("madeup")


def test_the_example_is_as_large_as_it_says(stored):
    job = load_job(EXAMPLE)
    assert job.source.data == stored
    with open_job(job) as opened:
        assert opened.lattice.size == 12_441_600
        assert len(opened.schema.quasi) == 12
        assert opened.histogram.rows == 200_000
        assert opened.histogram.combinations >= 100_000
    with open_table(job.source) as table:
        assert set(table.names) == {column.name for column in job.columns}
