"""`reproduce pbg`: one run of two of its trials, and what it refuses."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import call, files_under

from paretonym.errors import JobError
from paretonym.papers import reproducing
from paretonym.papers.pbg import running as reproducing_pbg
from paretonym.papers.pbg.facts import PbgFacts
from paretonym.papers.pbg.published import PROBLEMS, VECTORS


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first set of objectives alone, for commands in this very process."""
    monkeypatch.setattr(reproducing_pbg, "PROBLEMS", PROBLEMS[:1])
    monkeypatch.setattr(reproducing_pbg, "VECTORS", ())


@pytest.fixture(scope="module")
def facts() -> PbgFacts:
    """One run of the first and the last set of objectives, and of one vector."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproducing_pbg, "PROBLEMS", (PROBLEMS[0], PROBLEMS[-1]))
        patch.setattr(reproducing_pbg, "VECTORS", VECTORS[2:3])
        return reproducing.reproduce("pbg", runs=1, threads=1)


def numbers(data: Any) -> list[float]:
    if isinstance(data, dict):
        return [n for part in data.values() for n in numbers(part)]
    if isinstance(data, list | tuple):
        return [n for part in data for n in numbers(part)]
    return [data] if isinstance(data, int | float) else []


def test_sizes_are_those_of_the_paper(facts: PbgFacts) -> None:
    """Table 1(a): 17,920 nodes, half of them without salary-class; 1 % of 30,162 rows is 301."""
    assert [problem.nodes for problem in facts.problems] == [17_920, 8_960]
    assert (facts.rows, facts.limit) == (30_162, 301)


def test_fronts_have_the_known_sizes(facts: PbgFacts) -> None:
    assert [len(problem.front) for problem in facts.problems] == [42, 128]


def test_every_figure_is_finite_and_within_its_range(facts: PbgFacts) -> None:
    assert all(math.isfinite(n) for n in numbers(facts.to_json()))
    for problem in facts.problems:
        for found in (problem.pbg_ea, problem.evolve, *(s.quality for s in problem.stages)):
            assert found.ce.mean >= 0
            assert 0.7 < found.rr.mean <= 1
            assert found.evaluations.mean < problem.nodes / 5
        assert problem.exact_evaluations < problem.nodes
    assert facts.vectors[0].pbg_ea.rr.mean == 1


def test_evolve_spends_its_share(facts: PbgFacts) -> None:
    """5 % of 17,920 and 12 % of 8,960."""
    assert [p.evolve.evaluations.mean for p in facts.problems] == [896, 1_075]


def test_step_by_step_is_a_run_in_one_go(facts: PbgFacts) -> None:
    """`method: pbg-ea` from the same seed evaluates as many nodes and ends with the same."""
    from dataclasses import replace
    from fractions import Fraction

    from paretonym.model.job import SearchOptions
    from paretonym.pipeline.fronts import find_front

    job = reproducing_pbg._job_for(PROBLEMS[0].objectives)
    found = find_front(
        replace(
            job,
            search=SearchOptions("pbg-ea", seed=1),
            epsilon={"k": Fraction(1), "glm": Fraction(1)},
        )
    )
    assert found.evaluated == facts.problems[0].pbg_ea.evaluations.mean
    mine = {(entry.values["k"], entry.values["glm"]) for entry in found.entries}
    assert mine == set(facts.problems[0].pbg_ea_archive)


def test_stages_only_grow(facts: PbgFacts) -> None:
    for problem in facts.problems:
        assert [stage.iterations for stage in problem.stages] == [100, 150, 200]
        counts = [stage.quality.evaluations.mean for stage in problem.stages]
        assert counts == sorted(counts)
        assert problem.reached is not None
        assert problem.reached.quality.evaluations.mean >= problem.published.evaluations


@pytest.mark.usefixtures("few")
def test_the_command_writes_three_files_and_one_object(tmp_path: Path, facts: PbgFacts) -> None:
    out = tmp_path / "here" / "out"
    result = call("reproduce", "pbg", "--runs", 1, "--threads", 2, "--json", "-q", "-o", out)
    assert (result.code, result.err) == (0, "")
    written = files_under(out)
    assert sorted(written) == sorted(reproducing.FILES)
    assert result.json == json.loads(written["reproduction.json"])
    same = json.loads(json.dumps(facts.to_json()))["problems"][0]
    assert result.json["problems"] == [same]  # one seed, one result, also in processes


@pytest.mark.parametrize(
    "words",
    [["nothing"], ["pbg", "--runs", "0"], ["pbg", "--seed", "-1"], ["pbg", "--threads", "0"]],
)
def test_bad_input_is_told_before_any_work(tmp_path: Path, words: list[str]) -> None:
    result = call("reproduce", *words, "-o", tmp_path / "out")
    assert result.code == 2
    assert not (tmp_path / "out").exists()


def test_an_unknown_paper_hears_which_there_are() -> None:
    with pytest.raises(JobError, match="there are: pbg"):
        reproducing.reproduce("nothing")
    with pytest.raises(JobError, match="1 or more"):
        reproducing.reproduce("pbg", runs=0)


@pytest.mark.parametrize("place", ["file", "file/inside", "release"])
def test_a_place_that_cannot_be_written_is_told_before_any_work(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "manifest.json").write_text("{}", encoding="utf-8")
    before = files_under(tmp_path)
    result = call("reproduce", "pbg", "-q", "-o", tmp_path / place)
    assert result.code == 2
    assert files_under(tmp_path) == before


@pytest.mark.usefixtures("few")
def test_stopped_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(reproducing_pbg, "_one_task", stop)
    result = call("reproduce", "pbg", "-q", "--threads", 1, "-o", tmp_path / "out")
    assert (result.code, result.err) == (1, "paretonym: stopped\n")
    assert files_under(tmp_path) == {}
