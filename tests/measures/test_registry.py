"""Measures of users' own, with and without an info, and those that packages bring."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.calling import TENS, call, make_people
from tests.support.registering import SMALL, own_measures, register_in_pairs
from tests.support.viewing import people_open_job

import paretonym as pn
from paretonym.errors import JobError, ParetonymError
from paretonym.measures import Measure, known_measures, parse, registry
from paretonym.model.front import Direction
from paretonym.model.measure_info import MeasureInfo, info_of

__all__ = ["own_measures"]

MODULE = """
from dataclasses import replace
import paretonym as pn
from paretonym.measures import Measure, Monotone, direct
from paretonym.measures.builtin import SQUARES
from paretonym.model.measure_catalog import S_K

INFO = replace(S_K, name="their_s_k", long="what their package adds up")

@pn.register(INFO)
def their_s_k():
    return Measure.of(INFO, (SQUARES,), direct("squares"), Monotone.NO)
"""


@pytest.mark.usefixtures("own_measures")
def test_an_info_comes_with_its_measure() -> None:
    register_in_pairs()
    assert info_of("in_pairs") is SMALL
    with people_open_job() as opened:
        (built,) = [m for m in opened.every_measure() if m.name == "in_pairs"]
    assert (built.direction, built.says, built.class_wise) == (Direction.MIN, SMALL.says, False)


@pytest.mark.usefixtures("own_measures")
def test_a_name_alone_is_enough() -> None:
    """What is known of it follows from the measure once it is built."""
    register_in_pairs("in_pairs")
    info = info_of("in_pairs")
    assert info is not None
    assert (info.direction, info.says) == (None, "")
    with people_open_job() as opened:
        assert "in_pairs" in {m.name for m in opened.every_measure()}
    info = info_of("in_pairs")
    assert info is not None
    assert (info.direction, info.says, info.public) == (Direction.MIN, "few alike", False)


@pytest.mark.usefixtures("own_measures")
def test_info_and_function_agree_about_the_column() -> None:
    info = MeasureInfo(name="of_column", takes_column=True, direction=Direction.MIN)

    def of_no_column() -> Measure:
        raise AssertionError

    with pytest.raises(JobError, match="of_column"):
        pn.register(info)(of_no_column)
    assert info_of("of_column") is None


@pytest.mark.usefixtures("own_measures")
def test_a_measure_does_not_contradict_its_info() -> None:
    """Reports would say "at most" where the search maximises."""
    register_in_pairs()
    built = registry._REGISTRY["in_pairs"].factory()
    pn.register(SMALL)(lambda: replace(built, direction=Direction.MAX))
    with (
        people_open_job(objectives=["k", "glm"]) as opened,
        pytest.raises(JobError, match="another direction than its info"),
    ):
        registry.build(parse("in_pairs"), opened.context)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_measures: None) -> Path:
    """A package that says it brings measures, as `pip` would leave it."""
    found = tmp_path / "theirs-1.0.dist-info"
    found.mkdir()
    (found / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (found / "entry_points.txt").write_text("[paretonym.measures]\ns = their_measures\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_packages", registry._Packages())
    monkeypatch.delitem(sys.modules, "their_measures", raising=False)
    return tmp_path / "their_measures.py"


def test_packages_bring_measures(installed: Path) -> None:
    installed.write_text(MODULE)
    assert "their_measures" not in sys.modules
    assert parse("k").base == "k"
    assert "their_measures" not in sys.modules, "built-in measures need no package"
    assert parse("their_s_k").base == "their_s_k"
    assert "their_s_k" in known_measures()
    with people_open_job() as opened:
        assert "their_s_k" in {m.name for m in opened.every_measure()}
    sys.modules.pop("their_measures")


@pytest.mark.parametrize(
    "fault", ["raise KeyError('cell value')", "import nothing_of_that_name", "def ("]
)
def test_a_package_at_fault_is_named(installed: Path, tmp_path: Path, fault: str) -> None:
    """At every question: a command that goes on without its measures would say less than asked."""
    installed.write_text(fault)
    for _ in range(2):
        with pytest.raises(ParetonymError, match=r"the package 'theirs' .*uninstall it") as caught:
            known_measures()
        assert "cell value" not in str(caught.value)
    with pytest.raises(ParetonymError, match="theirs"):
        parse("their_s_k")
    assert parse("k").base == "k"
    found = call("score", make_people(tmp_path), "--levels", TENS)
    assert found.code != 0
    assert "the package 'theirs'" in found.err
    assert "Traceback" not in found.err
    assert call("--help").code == 0


@pytest.mark.usefixtures("own_measures")
@pytest.mark.parametrize(
    ("direction", "reduce"),
    [(pn.Direction.MIN, pn.Reduce.MIN), (pn.Direction.MAX, pn.Reduce.MAX)],
)
def test_a_class_wise_measure_has_the_value_of_its_worst_class(direction, reduce):
    """Otherwise classes on the wrong side of a bound would go, and the others be released."""

    @pn.register("odd")
    def odd() -> pn.Measure:
        statistic = pn.Statistic("odd", lambda classes, _: classes.size, reduce)
        return pn.Measure(
            "odd", direction, (statistic,), pn.direct("odd"), pn.Monotone.NO, "", class_wise=True
        )

    job = pn.make_job(
        {
            "columns": {"sex": {"role": "quasi", "hierarchy": "suppress"}},
            "objectives": ["k", "glm"],
            "require": {"odd": 1},
        },
        table=pd.DataFrame({"sex": ["f", "m", "m"]}),
    )
    with pytest.raises(JobError, match="must be reduced by"):
        pn.score(job, {"sex": 0})
