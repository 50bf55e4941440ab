"""A search that was stopped, by whatever, goes on to the very front of a run in one go."""

from __future__ import annotations

import gc
import json
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.cli.calling import call, files_under
from tests.safety.cases import refused
from tests.support.searching import MIDDLE, Recorder, write_search_job

from paretonym.errors import OutputError
from paretonym.jobfile.loading import load_job
from paretonym.measures import Evaluator
from paretonym.pipeline.checkpoints import Checkpoints
from paretonym.pipeline.fronts import chosen_method, front_of
from paretonym.pipeline.open_job import open_job
from paretonym.pipeline.outputs import FRONT_FILES
from paretonym.search import RunSettings, State, branch_and_bound, front_search
from paretonym.search.meter import Meter

MOST = 50  # states taken up again, of those kept; fewer with boxes, where little else differs
WAYS = [("exhaustive", None), ("exact", None), ("exact", 160), ("evolve", 250), ("pbg-ea", 250)]


def facts(front):
    """All of a front but the seconds, the cloud behind it included."""
    cloud = front.cloud
    arrays = {"rank": cloud.rank, "below": cloud.suppress_below, "lost": cloud.suppressed}
    lists = {name: array.tolist() for name, array in {**arrays, **cloud.values}.items()}
    return front.to_json(with_seconds=False), lists, cloud.seen


def through_json(state: State) -> State:
    return State(state.arrays, json.loads(json.dumps(dict(state.facts), allow_nan=False)))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "evaluations"), WAYS)
@pytest.mark.parametrize("boxed", [False, True])
def test_from_every_state_to_the_same_front(method, evaluations, boxed, monkeypatch):
    """As many states as there are, or 50 of them, evenly spread; the rest is evaluated anew."""
    monkeypatch.setattr(branch_and_bound, "_BATCH", 4)
    monkeypatch.setattr(
        front_search, "_SEEDS", (1_000, 5)
    )  # so that a proof begins with generations
    sizes = {"k": Fraction(3), "glm": Fraction(20), "s_k": Fraction(500)}
    problem = replace(MIDDLE, epsilon=tuple(sizes.items()) if boxed else ())
    recorder = Recorder()
    options = {"evaluations": evaluations, "seed": 2}
    whole = problem.find(method, **options, settings=RunSettings(keeper=recorder))
    plain = problem.find(method, **options)
    assert facts(whole) == facts(plain)  # keeping changes nothing
    states = recorder.states
    assert len(states) > 5
    if method == "exact":
        phases = {state.facts["phase"] for state in states}
        assert phases == {"evolve", "exact"}
    for place in np.unique(np.linspace(0, len(states) - 1, 12 if boxed else MOST).astype(int)):
        later = Recorder()
        state = through_json(states[place])
        threads = 1 + int(place) % 2
        settings = RunSettings(threads=threads, keeper=later, state=state)
        assert facts(problem.find(method, **options, settings=settings)) == facts(whole)
        # it went on, and did not begin again; a proof that its budget ends keeps its end anew
        ends = 0 if whole.exact or method != "exact" else 1
        assert len(later.states) == max(len(states) - 1 - place, ends)


@pytest.mark.parametrize(("method", "evaluations"), [("exhaustive", None), ("evolve", 80)])
def test_a_measure_written_in_python_goes_on_as_well(method, evaluations, monkeypatch):
    """Node by node: after the pass over the first ones the rest is left."""
    monkeypatch.setattr(Evaluator, "is_fast", property(lambda self: False))
    recorder = Recorder()
    whole = MIDDLE.find(method, evaluations=evaluations, settings=RunSettings(keeper=recorder))
    for state in recorder.states[:: max(1, len(recorder.states) // 4)]:
        settings = RunSettings(state=through_json(state))
        assert facts(MIDDLE.find(method, evaluations=evaluations, settings=settings)) == facts(
            whole
        )


@pytest.mark.parametrize("method", ["exact", "evolve", "pbg-ea"])
def test_a_state_of_a_search_that_found_nothing_yet(method):
    """k of 120 in 120 rows: the coarsest node alone has a candidate."""
    problem = replace(MIDDLE, require=(("k", 120),))
    recorder = Recorder()
    whole = problem.find_or_not(
        method, evaluations=200, seed=4, settings=RunSettings(keeper=recorder)
    )
    for state in recorder.states[:: max(1, len(recorder.states) // 10)]:
        settings = RunSettings(state=through_json(state))
        again = problem.find_or_not(method, evaluations=200, seed=4, settings=settings)
        assert (again is None) == (whole is None)
        if whole is not None:
            assert facts(again) == facts(whole)


@pytest.mark.parametrize("method", ["evolve", "pbg-ea", "exact"])
def test_a_larger_budget_goes_on(method):
    recorder = Recorder()
    small = MIDDLE.find(method, evaluations=80, seed=1, settings=RunSettings(keeper=recorder))
    state = through_json(recorder.states[-1])
    large = MIDDLE.find(method, evaluations=140, seed=1, settings=RunSettings(state=state))
    assert small.evaluated == 80
    # evolve may stop by itself, or a proof be done
    assert 80 < large.evaluated <= 140
    again = MIDDLE.find(method, evaluations=80, seed=1, settings=RunSettings(state=state))
    assert facts(again)[0] == facts(small)[0]


def test_seconds_before_the_interruption_count():
    recorder = Recorder()
    MIDDLE.find("evolve", evaluations=100, settings=RunSettings(keeper=recorder))
    state = recorder.states[0]
    late = State(state.arrays, {**state.facts, "seconds": 1000.0})
    front = MIDDLE.find("evolve", evaluations=100, settings=RunSettings(state=late))
    assert front.seconds >= 1000


# ---- killed


@pytest.mark.slow
@pytest.mark.parametrize(("method", "evaluations"), [("evolve", 300), ("exact", 0)])
def test_killed_at_random_moments(tmp_path, method, evaluations):
    """SIGKILL, 25 times each: the checkpoint is whole or absent, and the front is the same."""
    job = write_search_job(tmp_path)
    command = [
        sys.executable, "-m", "tests.support.killing",
        job, tmp_path / "out", method, str(evaluations), "25", "1",
    ]  # fmt: skip
    made = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=170
    )
    assert made.returncode == 0, made.stderr
    found = json.loads(made.stdout)
    assert found["same"]
    assert found["killed"] >= 25
    assert found["with_checkpoint"] > 0
    assert found["left"] == 0  # neither checkpoint nor a half-written one


# ---- files


class Crash(BaseException):
    """Nothing a program expects."""


class Crashing(Checkpoints):
    """Keeps every state, and the process ends after so many of them."""

    def __init__(self, *arguments, after: int) -> None:
        super().__init__(*arguments, seconds=0)
        self.left = after

    def keep(self, state: State) -> None:
        super().keep(state)
        self.left -= 1
        if not self.left:
            raise Crash


SEARCH = {"method": "evolve", "seed": 5, "budget": "120 evaluations"}


@pytest.fixture
def job(tmp_path) -> Path:
    return write_search_job(tmp_path, search=SEARCH)


@pytest.fixture
def crashed(tmp_path, job) -> Path:
    """The folder of a search that was cut off after its first state."""
    crash(job, tmp_path / "f")
    return tmp_path / "f"


def crash(job: Path, folder: Path, after: int = 1) -> None:
    with open_job(load_job(job)) as opened:
        checkpoints = Crashing(folder, opened, chosen_method(opened), after=after)
        with pytest.raises(Crash):
            front_of(opened, checkpoints=checkpoints)
    assert [path.name for path in folder.iterdir()] == ["checkpoint.npz"]


def test_resumed_by_command_to_the_same_bytes(tmp_path, job, crashed):
    whole = call("front", job, "-o", tmp_path / "whole", "-q")
    resumed = call("front", job, "-o", crashed, "--resume", "-q")
    assert (whole.code, resumed.code) == (0, 0), resumed.err
    assert files_under(crashed).keys() == set(FRONT_FILES)
    for name in ("front.csv", "front.json"):
        assert (crashed / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("method", ["exhaustive", "exact", "pbg-ea"])
def test_every_method_resumes_by_command(tmp_path, method):
    budget = {"pbg-ea": {"budget": "150 evaluations"}}.get(method, {})
    job = write_search_job(tmp_path, search={"method": method, "seed": 5, **budget})
    crash(job, tmp_path / "f")
    whole = call("front", job, "-o", tmp_path / "whole", "-q", "--threads", 1)
    resumed = call("front", job, "-o", tmp_path / "f", "--resume", "-q", "--threads", 2)
    assert (whole.code, resumed.code) == (0, 0), resumed.err
    one, two = (tmp_path / place / "front.json" for place in ("whole", "f"))
    assert one.read_bytes() == two.read_bytes()
    assert not (tmp_path / "f" / "checkpoint.npz").exists()


def test_a_larger_budget_by_command(tmp_path, job, crashed):
    """The budget is no part of what a checkpoint belongs to."""
    more = call("front", job, "-o", crashed, "--resume", "--budget", "200 evaluations", "--json")
    assert more.code == 0, more.err
    assert 120 < more.json["evaluated"] <= 200


def test_a_search_begun_anew_does_not_overwrite_a_checkpoint(job, crashed):
    before = files_under(crashed)
    refused(call("front", job, "-o", crashed), 2, "did not finish", "--resume", "remove it")
    assert files_under(crashed) == before


def test_resume_without_a_checkpoint(tmp_path, job):
    found = call("front", job, "-o", tmp_path / "none", "--resume", "-q")
    refused(found, 2, "checkpoint.npz", "run without --resume")
    assert not (tmp_path / "none").exists()


OTHER_JOBS = {
    "objectives": ({"objectives": ["k", "glm"]}, "another job"),
    "limit": ({"suppression": {"limit": 3}}, "another job"),
    "rule": ({"suppression": {"limit": 4, "rule": "paper"}}, "another job"),
    "requirement": ({"require": {"k": 2}}, "another job"),
    "seed": ({"search": {**SEARCH, "seed": 6}}, "another seed"),
    "boxes": ({"epsilon": {"k": 2, "glm": 5, "distinct_l(sensitive)": 1}}, "another job"),
}


@pytest.mark.parametrize(("changes", "words"), OTHER_JOBS.values(), ids=OTHER_JOBS)
def test_a_checkpoint_of_another_job(tmp_path, crashed, changes, words):
    job = write_search_job(tmp_path, **{"search": SEARCH, **changes})
    before = files_under(crashed)
    refused(call("front", job, "-o", crashed, "--resume", "-q"), 2, words, "remove it")
    assert files_under(crashed) == before


def test_a_checkpoint_of_another_table(tmp_path, job, crashed):
    with (tmp_path / "t.csv").open("a") as stream:
        stream.write("a,a,a,a,a,s0,t0\n")
    before = files_under(crashed)
    found = call("front", job, "-o", crashed, "--resume", "-q")
    refused(found, 2, "another table", "choose another folder")
    assert files_under(crashed) == before


def test_a_checkpoint_of_another_method(job, crashed):
    before = files_under(crashed)
    for method in ("pbg-ea", "exact", "exhaustive"):
        options = ["--method", method, "--budget", "60s", "-q"]
        found = call("front", job, "-o", crashed, "--resume", *options)
        refused(found, 2, "belongs to a search by another method", "remove it")
    assert files_under(crashed) == before


def edit(file: Path, change: Callable[[dict], None]) -> None:
    with np.load(file) as stored:
        arrays = {name: stored[name] for name in stored.files}
    about = json.loads(bytes(arrays.pop("about")))
    change(about)
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with file.open("wb") as stream:
        np.savez(stream, about=text, **arrays)


HEADERS = {
    "format": ("paretonym-checkpoint/0", "another format"),
    "software": ("0.0.0", "another version"),
    "job": ("0" * 64, "another job"),
    "table": ("0" * 64, "another table"),
    "method": ("exact", "another method"),
    "seed": (9, "another seed"),
}


@pytest.mark.parametrize("part", HEADERS)
def test_a_header_that_is_not_ours(job, crashed, part):
    value, words = HEADERS[part]
    file = crashed / "checkpoint.npz"
    edit(file, lambda about: about.update({part: value}))
    before = files_under(crashed)
    refused(call("front", job, "-o", crashed, "--resume", "-q"), 2, words, "cannot go on from it")
    edit(file, lambda about: about.pop(part))
    lacking = files_under(crashed)
    refused(call("front", job, "-o", crashed, "--resume", "-q"), 2, words)
    assert files_under(crashed) == lacking != before


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_truncated_checkpoint(job, crashed, share):
    file = crashed / "checkpoint.npz"
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    before = files_under(crashed)
    refused(call("front", job, "-o", crashed, "--resume", "-q"), 2, "not a checkpoint that can be")
    assert files_under(crashed) == before


def test_damaged_bytes_are_never_taken_for_a_state(job, crashed):
    """Any byte of the arrays' contents: the sums in the file tell."""
    file = crashed / "checkpoint.npz"
    data = file.read_bytes()
    draw = np.random.default_rng(0)
    with open_job(load_job(job)) as opened:
        checkpoints = Checkpoints(crashed, opened, chosen_method(opened))
        whole = checkpoints.load()
        for place in draw.integers(0, len(data), 60):
            broken = bytearray(data)
            broken[place] ^= 0xFF
            file.write_bytes(bytes(broken))
            try:
                state = checkpoints.load()
            except OutputError:
                continue
            # a byte that means nothing, such as the date inside the archive
            assert state.facts == whole.facts
            assert state.arrays.keys() == whole.arrays.keys()
            for name, array in whole.arrays.items():
                np.testing.assert_array_equal(state.arrays[name], array)


FOREIGN = {
    "text": b"my notes\n",
    "empty": b"",
    "zip of nothing": b"PK\x05\x06" + bytes(18),
    "pickle": b"\x80\x04N.",
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_a_file_that_is_no_checkpoint(tmp_path, job, data):
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "checkpoint.npz").write_bytes(data)
    found = call("front", job, "-o", tmp_path / "f", "--resume", "-q")
    refused(found, 2, "checkpoint.npz", "not a checkpoint that can be read")
    refused(call("front", job, "-o", tmp_path / "f", "-q"), 2, "did not finish")
    assert files_under(tmp_path / "f") == {"checkpoint.npz": data}


def test_a_broken_checkpoint_is_closed_again(job, crashed):
    file = crashed / "checkpoint.npz"
    file.write_bytes(file.read_bytes()[:-100])
    with open_job(load_job(job)) as opened, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(OutputError):
            Checkpoints(crashed, opened, chosen_method(opened)).load()
        gc.collect()
    assert not [one for one in told if one.category is ResourceWarning and "npz" in str(one)]


def test_an_array_that_is_no_checkpoint(tmp_path, job):
    (tmp_path / "f").mkdir()
    file = tmp_path / "f" / "checkpoint.npz"
    with file.open("wb") as stream:
        np.save(stream, np.arange(3))
    refused(call("front", job, "-o", tmp_path / "f", "--resume", "-q"), 2, "not a checkpoint")


@pytest.mark.parametrize("text", [b"[]", b"3", b'"about"', b"null"])
def test_a_header_that_is_no_object(job, crashed, text):
    file = crashed / "checkpoint.npz"
    with np.load(file) as stored:
        arrays = {name: stored[name] for name in stored.files}
    with file.open("wb") as stream:
        np.savez(stream, **{**arrays, "about": np.frombuffer(text, np.uint8)})
    refused(call("front", job, "-o", crashed, "--resume", "-q"), 2, "checkpoint.npz")


@pytest.fixture
def eager(monkeypatch):
    """Every state is kept, not one each half minute."""
    monkeypatch.setattr(Checkpoints, "is_due", lambda self: True)


@pytest.mark.parametrize("method", ["exhaustive", "exact", "evolve", "pbg-ea"])
@pytest.mark.usefixtures("eager")
def test_nothing_stays_of_a_search_that_ended(tmp_path, method):
    job = write_search_job(tmp_path)
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / ".checkpoint.npz.abc.part").write_text("left by a killed process")
    found = call("front", job, "-o", tmp_path / "f", "--method", method, "-q")
    assert found.code == 0, found.err
    assert files_under(tmp_path / "f").keys() == set(FRONT_FILES)


@pytest.mark.usefixtures("eager")
def test_nothing_stays_of_a_search_that_found_nothing(tmp_path):
    """It came to its end; there is nothing to go on with."""
    impossible = {"require": {"k": 120, "glm": 1}, "search": SEARCH}
    job = write_search_job(tmp_path, **impossible)
    refused(call("front", job, "-o", tmp_path / "f", "-q"), 1, "no node that was evaluated")
    assert not (tmp_path / "f" / "checkpoint.npz").exists()


@pytest.mark.usefixtures("eager")
def test_ctrl_c_leaves_a_front_and_a_way_to_go_on(tmp_path, job, monkeypatch):
    whole = call("front", job, "-o", tmp_path / "whole", "-q")
    assert whole.code == 0
    keep, kept = Checkpoints.keep, []

    def interrupting(self, state):
        keep(self, state)
        kept.append(state)
        if len(kept) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "keep", interrupting)
    stopped = call("front", job, "-o", tmp_path / "f", "-q")
    refused(stopped, 1, "marked not exact", "--resume")
    front = json.loads((tmp_path / "f" / "front.json").read_text())
    assert not front["exact"]
    before = files_under(tmp_path / "f")
    assert before.keys() == {"checkpoint.npz", *FRONT_FILES}
    refused(call("front", job, "-o", tmp_path / "f", "-q"), 2, "did not finish")
    assert files_under(tmp_path / "f") == before
    assert call("front", job, "-o", tmp_path / "f", "--resume", "-q").code == 0
    assert not (tmp_path / "f" / "checkpoint.npz").exists()
    one, two = (tmp_path / place / "front.json" for place in ("whole", "f"))
    assert one.read_bytes() == two.read_bytes()


def test_a_search_is_kept_at_ctrl_c_whenever_it_comes(tmp_path, monkeypatch):
    """Long before a checkpoint is due; what is kept is whole, so that the rest is the same."""
    for method in ("exhaustive", "exact", "evolve", "pbg-ea"):
        job = write_search_job(tmp_path, search={"method": method, "seed": 3})
        whole = call("front", job, "-o", tmp_path / method / "whole", "-q")
        assert whole.code == 0, whole.err
        count, calls = Meter.count, []

        def interrupting(self, evaluations, count=count, calls=calls):
            count(self, evaluations)
            calls.append(evaluations)
            if len(calls) == 3:
                signal.raise_signal(signal.SIGINT)

        with monkeypatch.context() as patch:
            patch.setattr(Meter, "count", interrupting)
            stopped = call("front", job, "-o", tmp_path / method / "f", "-q")
        refused(stopped, 1, "--resume")
        assert call("front", job, "-o", tmp_path / method / "f", "--resume", "-q").code == 0
        one, two = (tmp_path / method / place / "front.json" for place in ("whole", "f"))
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("method", ["exact", "exhaustive"])
def test_a_proof_that_found_nothing_yet_can_go_on(tmp_path, method, monkeypatch):
    """Its budget ended first; hours of work must not be thrown away."""
    monkeypatch.setattr(Meter, "is_used_up", property(lambda self: self.evaluations >= 50))
    job = write_search_job(tmp_path, require={"k": 12, "glm": 330}, search={"method": method})
    options = ["--budget", "3600s", "-o", tmp_path / "f", "-q"]
    refused(call("front", job, *options), 1, "nodes are settled", "--resume")
    assert (tmp_path / "f" / "checkpoint.npz").exists()
    monkeypatch.undo()
    refused(call("front", job, *options, "--resume"), 1, "no node meets the requirements")
    assert not (tmp_path / "f" / "checkpoint.npz").exists()


def test_a_pass_that_its_budget_ended_can_go_on(tmp_path, monkeypatch):
    job = write_search_job(tmp_path, search={"method": "exhaustive"})
    whole = call("front", job, "-o", tmp_path / "whole", "-q")
    monkeypatch.setattr(Meter, "is_used_up", property(lambda self: self.evaluations >= 50))
    stopped = call("front", job, "-o", tmp_path / "f", "--budget", "3600s")
    assert stopped.code == whole.code == 0
    assert "not proven within the budget" in " ".join(stopped.err.split())
    monkeypatch.undo()
    assert call("front", job, "-o", tmp_path / "f", "--resume", "-q").code == 0
    one, two = (tmp_path / place / "front.json" for place in ("whole", "f"))
    assert one.read_bytes() == two.read_bytes()


def test_auto_goes_on_by_the_method_it_began_with(tmp_path, monkeypatch):
    """Another budget would make it choose another one."""
    job = write_search_job(tmp_path, search={"seed": 4})
    monkeypatch.setattr(front_search, "_EXHAUSTIVE_WORK", 0)
    monkeypatch.setattr(Checkpoints, "is_due", lambda self: True)
    monkeypatch.setattr(Meter, "is_used_up", property(lambda self: self.evaluations >= 50))
    assert call("front", job, "-o", tmp_path / "f", "-q").code == 0
    monkeypatch.undo()
    found = call("front", job, "-o", tmp_path / "f", "--resume")
    assert found.code == 0, found.err
    assert "exact search" in found.err


def test_a_checkpoint_is_for_its_owner_only(crashed):
    assert (crashed / "checkpoint.npz").stat().st_mode & 0o777 == 0o600
