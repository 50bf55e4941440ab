"""`reproduce protect`: what Chertov and Tavrov 2017 prints, and swaps on generated people."""

from __future__ import annotations

import json
from contextlib import chdir
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.cli.calling import call, files_under
from tests.support.oracles import needs_oracles, oracle

from paretonym.errors import InfeasibleError
from paretonym.groups.protection import ProtectionTask
from paretonym.groups.swapping import Region
from paretonym.kernels.distance import Traits
from paretonym.model.group import OutlierRule
from paretonym.model.protect import Memetic, ProtectSpec
from paretonym.papers import reproducing
from paretonym.papers.attack.parts import Part
from paretonym.papers.facts import markdown
from paretonym.papers.protect import published as published
from paretonym.papers.protect import tasks as reproducing_protect_tasks
from paretonym.papers.protect.facts import PrintedSolution, ProtectFacts
from paretonym.papers.protect.page import panels
from paretonym.papers.protect.running import reproduce_protect
from paretonym.papers.protect.tables import protect_tables
from paretonym.papers.protect.tasks import Effort, _Evolution, _Failed, try_region
from paretonym.search import Silent

pytestmark = pytest.mark.slow

SMALL = Effort(published=20, improved=2, alphas=(Fraction(1, 1000), Fraction(1, 10)))
PRINTED = 2  # tables that are the same for every seed


@pytest.fixture(scope="module")
def printed() -> tuple[PrintedSolution, ...]:
    return published.printed_solutions()


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> ProtectFacts:
    with chdir(tmp_path_factory.mktemp("empty")):  # no folder `acs` lies here
        return reproduce_protect(runs=1, seed=1, threads=1, effort=SMALL)


def test_table_3_is_as_printed_as_far_as_its_digits_go(printed) -> None:
    """The product is off by a few thousandths; the geometric mean gives the printed fitness."""
    assert len(printed) == 24
    assert all(one.is_same for one in printed)
    assert max(abs(one.compatibility - one.printed.compatibility) for one in printed) < 0.009
    assert max(abs(one.fitness - one.printed.fitness) for one in printed) < 0.008
    assert max(abs(one.mean_fitness - one.printed.fitness) for one in printed) < 0.00056
    assert sum(one.printed.metric for one in printed) / 24 == pytest.approx(467.958, abs=5e-4)


def test_the_first_line_of_table_3(printed) -> None:
    """Areas 5 and 29 sink from 97 and 45 to 14 and 13: 83 + 32 swaps."""
    one = printed[0]
    assert (one.swaps, one.printed.metric, one.printed.fitness) == (115, 407, 0.772)
    assert one.compatibility == pytest.approx(
        (1 - 2 * (4 / 87) ** 2) * (1 - 2 * (3 / 35) ** 2), abs=1e-12
    )
    assert one.mean_fitness == pytest.approx(0.7717, abs=5e-5)


@needs_oracles
def test_the_oracles_of_fitness(printed) -> None:
    for one in printed:
        case = oracle(f"mu_fit_004_row{one.number:02}")
        given, expected, near = case["inputs"], case["expected"], case["tolerance"]["derived"]
        assert (one.signal[4], one.signal[28]) == (given["q5"], given["q29"])
        assert (one.printed.metric, one.swaps) == (given["metric"], given["Q"])
        assert (given["c"], given["C_max"]) == (published.CENTRE, published.MOST)
        assert one.printed.compatibility == expected["mu_published"]
        assert one.printed.fitness == expected["fitness_published"]
        for found, name in (
            (one.compatibility, "mu_as_printed_formula"),
            (one.mean_compatibility, "mu_geometric_mean"),
            (one.fitness, "fitness_as_printed_formula_c130"),
            (one.mean_fitness, "fitness_geometric_mean_c130"),
        ):
            assert found == pytest.approx(expected[name], abs=near)


@needs_oracles
def test_the_oracles_of_outliers(printed) -> None:
    for one in printed:
        row = oracle(f"mttt_004_row{one.number:02}")
        assert (list(one.signal), list(one.outliers)) == (
            row["inputs"]["q"],
            row["expected"]["out"],
        )


def test_the_printed_solutions_at_other_alphas() -> None:
    """Selected at 1 %, and a larger alpha undoes most of them."""
    first, at_one, last = map(
        published.printed_alpha, (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10))
    )
    assert (first.masked, at_one.masked, last.masked) == (24, 24, 2)
    assert first.outliers < at_one.outliers < last.outliers


def test_the_bundled_region(facts: ProtectFacts) -> None:
    """Two outliers; the flow proves the optimum where full compatibility is asked for."""
    group, model = facts.regions
    assert (group.against, model.against) == ("attributes", "model")
    assert (group.name, group.outliers, group.thresholds) == ("south", (8, 22), (23.0, 23.0))
    assert group.most == 9 * (88 + 168)
    half, full = group.levels
    assert full.is_proven
    assert full.flow is not None
    assert full.flow.distortion == full.bound == 724
    assert full.flow.distortion > 0.3 * group.most  # which is why more is allowed
    assert half.flow is not None
    assert half.bound is not None
    assert half.bound <= half.flow.distortion <= 528
    assert half.flow.feasible_job
    assert half.flow.outliers == ()


def test_the_figures_asked_for(facts: ProtectFacts) -> None:
    """After 20 generations all solutions mask; those of Chertov and Tavrov 2017 distort more than
    it allows.
    """
    group, model = facts.published
    assert (group.masked, group.feasible_paper) == (100, 0)
    assert (model.masked, model.feasible_paper) == (100, 100)
    assert facts.worst_improved is not None
    assert facts.worst_improved <= 0.05
    assert facts.least_published is not None
    assert facts.least_published > 0


def test_verdicts_are_those_of_the_paper(facts: ProtectFacts) -> None:
    for one in facts.regions:
        for level in one.levels:
            for made in (level.published, level.improved):
                assert made.size == 100
                assert made.feasible_job <= made.feasible_paper <= made.masked
                assert made.masked == len(made.distortions)
                assert list(made.distortions) == sorted(made.distortions)
                for solution in made.best:
                    assert solution.compatibility >= level.compatible
                    assert not set(solution.outliers) & set(one.outliers)
                    assert solution.feasible_paper == (
                        solution.distortion <= level.share * one.most
                    )
                    assert level.bound is not None
                    assert solution.distortion >= level.bound


def test_outliers_by_alpha(facts: ProtectFacts) -> None:
    one = facts.regions[0]
    first, last = one.alphas
    assert (first.before, last.before) == (2, 4)
    assert first.masked is not None
    assert last.masked is not None
    assert first.masked.all == 0 < last.masked.all
    for row in one.alphas:  # masked at an alpha, nothing stands out at that alpha
        assert row.own is not None
        assert (row.own.left.all, row.own.left.old) == (0, 0)
    assert last.own is not None
    assert last.own.left_at_largest == last.own.left


def test_the_command_writes_what_the_facts_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: ProtectFacts
) -> None:
    """One seed and number of runs, the same bytes whatever the number of threads."""
    known = reproducing.PAPERS["protect"]
    short = replace(known, compute=partial(reproduce_protect, effort=SMALL), runs=1)
    monkeypatch.setitem(reproducing.PAPERS, "protect", short)
    monkeypatch.chdir(tmp_path)
    result = call("reproduce", "protect", "--threads", 2, "--json", "-q", "-o", "out")
    assert (result.code, result.err) == (0, "")
    written = files_under(tmp_path / "out")
    assert sorted(written) == sorted(reproducing.FILES)
    expected = json.loads(json.dumps(facts.to_json()))
    assert result.json == json.loads(written["reproduction.json"]) == expected
    reproducing.write_reproduction("protect", facts, tmp_path / "again")
    assert files_under(tmp_path / "again") == written


def test_pages_and_figures(facts: ProtectFacts) -> None:
    figures = {panel.figure for panel in panels(facts)}
    assert "Chertov and Tavrov 2017, Figure 2: south, before and after" in figures
    assert "Tavrov and Chertov 2016, Figure 3: south, before and after" in figures
    spent = "Distortion of the solutions that mask: Tavrov and Chertov 2016"
    assert any(name.startswith(spent) for name in figures)
    assert any(name.startswith("Alpha") for name in figures)
    table = protect_tables(facts)[-1]
    assert len(facts.missing) == len(table.rows) == 7
    assert "was not computed" in table.says
    assert facts.survey == ()


def test_the_documentation_shows_the_tables_of_the_command(facts: ProtectFacts) -> None:
    """Those about what is printed; the others depend on runs and on files."""
    page = Path(__file__).parents[2] / "docs" / "reproduction.md"
    text = page.read_text(encoding="utf-8")
    tables = protect_tables(facts)
    for table in tables[:PRINTED]:
        assert markdown([table]) in text
    for table in tables[PRINTED:-1]:
        assert f"### {table.title}" in text


def tiny() -> ProtectionTask:
    """Two members in one of three areas, and nobody to swap them with where `fixed` says so."""
    area = np.repeat(np.arange(3), 4)
    member = np.array([True] * 2 + [False] * 10)
    traits = Traits(
        np.zeros((12, 1), np.int64), np.array([1_000_000]), np.zeros((12, 0)), np.zeros(0)
    )
    region = Region(
        ("a", "b", "c"), area, member, np.arange(12), traits, np.zeros(12, np.int64),
        np.zeros(12, np.bool_),
    )  # fmt: skip
    return ProtectionTask(None, region, OutlierRule(), ProtectSpec(), ("a",))


def part() -> Part:
    made = Part(Silent(), 10)
    made.start("", 10)
    return made


def test_a_stopped_evolution_stops_the_reproduction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The algorithm keeps what it has when it is stopped; a table of it would not be repeatable."""

    class Kept:
        evolved = ()

    monkeypatch.setattr(reproducing_protect_tasks, "protect_by_evolution", lambda *_, **__: Kept())
    evolve = _Evolution(tiny(), 2, (1, 0), 1, part())
    assert evolve(Memetic(generations=0, runs=2), 0.0, 0) == ()
    with pytest.raises(KeyboardInterrupt):
        evolve(Memetic(generations=3, runs=2), 0.0, 0)


def test_what_cannot_be_done_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InfeasibleError("all areas: it cannot be")

    monkeypatch.setattr(reproducing_protect_tasks, "protect_by_evolution", refuse)
    monkeypatch.setattr(reproducing_protect_tasks, "protect_by_flow", refuse)
    tried = try_region(tiny(), SMALL, runs=1, seed=(1, 0), threads=1, progress=part())
    assert tried.levels[0].published == _Failed("all areas: it cannot be")
    made = tried.facts("Chertov and Tavrov 2017", "attributes")
    assert made.levels[0].fault == made.levels[0].improved.fault == "all areas: it cannot be"
    assert made.levels[0].to_json()["gap"] is None
