"""`reproduce attack`: what Tavrov and Chertov 2016 prints, and its attack on generated people."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

import pytest
from tests.cli.calling import call, files_under
from tests.support.oracles import needs_oracles, oracle

from paretonym.errors import JobError
from paretonym.groups.rules import Rule
from paretonym.papers import reproducing
from paretonym.papers.attack import published as published
from paretonym.papers.attack import running as reproducing_attack
from paretonym.papers.attack.facts import AttackFacts, StatesFacts
from paretonym.papers.attack.parts import Part
from paretonym.papers.attack.tables import attack_tables
from paretonym.papers.facts import markdown

PRINTED = 5  # tables that are the same for every seed


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> AttackFacts:
    with chdir(tmp_path_factory.mktemp("empty")):  # no folder `acs` lies here
        found = reproducing.reproduce("attack", runs=1, threads=1)
    assert isinstance(found, AttackFacts)
    return found


def test_all_24_sets_of_outliers_are_as_printed(facts: AttackFacts) -> None:
    assert len(facts.outliers) == 24
    assert {len(case.signal) for case in facts.outliers} == {38}
    assert all(case.is_same for case in facts.outliers)
    assert facts.outliers[4].found == (35, 37, 38)


def test_the_threshold_of_38_values(facts: AttackFacts) -> None:
    assert (facts.tau.values, facts.tau.alpha) == (38, 0.01)
    assert facts.tau.t == pytest.approx(2.7194846, abs=1e-7)
    assert facts.tau.tau == pytest.approx(2.4778425, abs=1e-7)


@pytest.mark.parametrize(
    ("place", "states", "sums"), [(0, 28, (98, 38, 64, 4)), (1, 27, (81, 39, 50, 8))]
)
def test_tables_6_and_7_add_up_to_their_matrices(facts, place, states, sums) -> None:
    one: StatesFacts = facts.states[place]
    total = one.total
    assert len(one.rows) == states
    assert (total.outliers, total.undisclosed, total.restored, total.false) == sums
    assert total == one.printed_total
    assert one.gives_the_matrix
    assert all(row.is_consistent for row in one.rows)


def test_adequacy_is_as_printed_but_for_one_figure(facts: AttackFacts) -> None:
    """606 of 653 areas are told rightly in 2013: 0.928, printed as 0.930."""
    first, second = facts.states
    for one, shares in ((first, (0.953, 0.891, 98.047)), (second, (0.928, 0.775, 55.067))):
        cells = one.matrix
        assert cells.pa is not None
        assert cells.predictive_j is not None
        assert (round(cells.pa, 3), round(cells.predictive_j, 3), round(cells.mb, 3)) == shares
        assert cells.evidence == "decisive"
    assert (first.printed.pa, second.printed.pa) == (0.953, 0.930)
    assert [round(one.matrix.youden_j or 0, 3) for one in facts.states] == [0.607, 0.505]
    table = next(t for t in attack_tables(facts) if t.title.startswith("Adequacy"))
    marked = [cell for row in table.rows for cell in row if "misprint" in cell]
    assert marked == ["0.930 (misprint)"]


def test_table_5_in_words(facts: AttackFacts) -> None:
    """Everybody of whom a rule speaks is young and walks to work, and no rule says another's."""
    assert len(facts.rules) == 18
    assert all(one.words.startswith("young") and "walked" in one.words for one in facts.rules)
    assert facts.rules[1].words == "young, hours high, walked, leaves at night"
    assert all(one.is_general and one.fits for one in facts.rules)
    assert [len(v.values) for v in published.VARIABLES] == [5, 2, 2, 2, 3, 2, 2, 3, 3, 3, 2, 3]


def test_figures_of_a_rule_that_do_not_fit_are_seen() -> None:
    """With as many others as members (RCF 1) a rule covers 0.9 % of its support: DF is 0.099."""
    values = (0,) * 12
    assert reproducing_attack._fits(Rule(values, 0.099, 1.0, 0.1))
    assert not reproducing_attack._fits(Rule(values, 0.090, 1.0, 0.1))


def test_the_attack_on_the_first_population(facts: AttackFacts) -> None:
    (one,) = facts.seeds
    found = one.found
    assert (one.seed, found.tp, found.fp, found.fn, found.tn) == (1, 8, 0, 3, 61)
    assert one.rules > 0
    assert (one.control.tp, one.control.fp, one.control_rules) == (0, 0, 0)
    assert (facts.disclosed, facts.false) == (8 / 11, 0)


def test_seeds_are_different_populations() -> None:
    """The published job, with the fuzzy adversary and one control."""
    first, second = map(reproducing_attack.generated_job, (1, 2))
    assert [job.search.seed for job in (first, second)] == [1, 2]
    (group,) = first.groups
    assert (group.attack.attackers, group.attack.controls) == (("fuzzy",), 1)
    assert group.auxiliary is not None
    tables = [first.source.data, second.source.data, group.auxiliary.sources[0].data]
    assert len({str(table) for table in tables}) == 3


@needs_oracles
def test_the_oracles_of_outliers(facts: AttackFacts) -> None:
    for case in facts.outliers:
        row = oracle(f"mttt_004_row{case.number:02}")
        assert (list(case.signal), list(case.found)) == (row["inputs"]["q"], row["expected"]["out"])
    expected = oracle("mttt_tau_38")["expected"]
    assert facts.tau.t == pytest.approx(expected["t"], abs=1e-9)
    assert facts.tau.tau == pytest.approx(expected["tau"], abs=1e-9)


@needs_oracles
@pytest.mark.parametrize(("place", "year"), [(0, "2000"), (1, "2013")])
def test_the_oracles_of_adequacy(facts: AttackFacts, place: int, year: str) -> None:
    one, case = facts.states[place], oracle(f"adequacy_001_{year}")
    cells, expected = one.matrix, case["expected"]
    assert [[cells.tp, cells.fn], [cells.fp, cells.tn]] == case["inputs"]["Z"]
    assert cells.pa == pytest.approx(expected["PA"], abs=1e-8)
    assert cells.predictive_j == pytest.approx(expected["J"], abs=1e-8)
    assert cells.youden_j == pytest.approx(expected["J_standard_sensitivity"], abs=1e-8)
    assert cells.mb == pytest.approx(expected["MB"], abs=1e-8)
    assert one.printed.mb == expected["published"]["MB"]
    assert one.printed.j == expected["published"]["J"]


@needs_oracles
@pytest.mark.parametrize("place", [0, 1])
def test_the_oracles_of_states(facts: AttackFacts, place: int) -> None:
    one = facts.states[place]
    case = oracle(f"table{one.table}_001")
    rows = [[r.state, r.outliers, r.undisclosed, r.restored, r.false] for r in one.rows]
    assert rows == case["inputs"]["rows"]
    total = one.total
    sums = [total.outliers, total.undisclosed, total.restored, total.false]
    assert sums == case["expected"]["totals"]


def test_the_documentation_shows_the_tables_of_the_command(facts: AttackFacts) -> None:
    """Those about what is printed; the others depend on runs and on files."""
    page = Path(__file__).parents[2] / "docs" / "reproduction.md"
    text = page.read_text(encoding="utf-8")
    tables = attack_tables(facts)
    for table in tables[:PRINTED]:
        assert markdown([table]) in text
    assert f"### {tables[PRINTED].title}" in text


def test_files_that_are_not_there_are_named(facts: AttackFacts) -> None:
    table = attack_tables(facts)[-1]
    assert facts.splits == ()
    assert len(facts.missing) == len(table.rows) == 8
    assert ("psam_p31.csv", "Nebraska", "2018/1-Year/csv_pne.zip") in table.rows
    assert "was not computed" in table.says
    assert "examples/acs.yaml" in table.says


def test_the_command_writes_what_the_facts_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: AttackFacts
) -> None:
    """One seed and number of runs, the same bytes whatever the number of threads."""
    monkeypatch.chdir(tmp_path)
    result = call("reproduce", "attack", "--runs", 1, "--threads", 2, "--json", "-q", "-o", "out")
    assert (result.code, result.err) == (0, "")
    written = files_under(tmp_path / "out")
    assert sorted(written) == sorted(reproducing.FILES)
    expected = json.loads(json.dumps(facts.to_json()))
    assert result.json == json.loads(written["reproduction.json"]) == expected
    reproducing.write_reproduction("attack", facts, tmp_path / "again")
    assert files_under(tmp_path / "again") == written


def test_a_survey_is_refused_where_nothing_reads_it(tmp_path: Path) -> None:
    result = call("reproduce", "aog", "--acs", tmp_path, "-q", "-o", tmp_path / "out")
    assert result.code == 2
    assert "--acs: 'aog' reads no survey; leave it out, or reproduce attack, protect" in result.err
    with pytest.raises(JobError, match="reads no survey"):
        reproducing.reproduce("pbg", acs=tmp_path)


@pytest.mark.parametrize("place", ["missing", "empty", "file"])
def test_a_bad_folder_is_told_before_any_work(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    out = tmp_path / "out"
    result = call("reproduce", "attack", "--acs", tmp_path / place, "-q", "-o", out)
    assert result.code == 2
    said = "lacks 8 of 8 files: psam_p31.csv" if place == "empty" else "there is no folder"
    assert said in result.err
    assert not out.exists()


def test_stopped_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reproducing_attack, "attacks_of", stop)
    result = call("reproduce", "attack", "-q", "-o", "out")
    assert (result.code, result.err) == (1, "paretonym: stopped\n")
    assert files_under(tmp_path) == {}


class Counter:
    """Counts what is reported."""

    def __init__(self) -> None:
        self.total = self.done = self.ended = 0

    def start(self, what: str, total: int) -> None:
        self.total += total

    def advance(self, steps: int) -> None:
        self.done += steps

    def finish(self) -> None:
        self.ended += 1


def test_progress_ends_where_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of any length become the steps of the whole: 7 of 7 reported are 30 of 30."""
    whole = Counter()
    part = Part(whole, 30)
    part.start("attacking", 7)
    for _ in range(7):
        part.advance(1)
    part.finish()
    assert (whole.done, whole.ended) == (30, 0)
