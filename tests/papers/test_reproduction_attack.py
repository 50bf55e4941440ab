"""Tables and pictures of the reproduction of Tavrov and Chertov 2016, from facts made up here."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.support.report_pages import assert_well_formed, links

from paretonym.groups.adequacy import Adequacy
from paretonym.groups.attack import Attacked, Ranking, Restored, Trial
from paretonym.groups.resampling import Interval
from paretonym.groups.rules import Rule
from paretonym.groups.signals import GroupSignals, Judgement, LeftOut, RegionSignals
from paretonym.model.group import OutlierRule
from paretonym.papers.attack.facts import (
    AttackFacts,
    OutlierCase,
    PrintedAdequacy,
    PrintedRule,
    SeedFacts,
    SplitFacts,
    StateRow,
    StatesFacts,
    SurveyFile,
    TauFacts,
)
from paretonym.papers.attack.page import attack_reproduction_html, panels
from paretonym.papers.attack.tables import attack_tables
from paretonym.papers.facts import PrintedTable, markdown
from paretonym.papers.lines import LinesFacts
from paretonym.report.attack import chance_auc

MANY = Rule((1, 2), 0.25, 1.5, 0.3)
SURE = Rule((1, 0), 0.2, float("inf"), 0.2)  # no false positives
AREAS = ("r-1", "r-2", "r-3", "r-4")
TRUE = Judgement(("r-1",), ("r-1",))
SIGNALS = GroupSignals(
    name="group",
    rule=OutlierRule(),
    weighted=False,
    records=400,
    members=45,
    regions=(
        RegionSignals(
            "r", AREAS, (100,) * 4, (20.0, 18.0, 3.0, 4.0), (0.2, 0.18, 0.03, 0.04),
            {"quantity": TRUE, "concentration": TRUE},
        ),
    ),
    left_out=LeftOut(0, 0, 0, 0, 0, 0),
)  # fmt: skip
# both restored outliers are large, one of them is none by the technique
SEEN = Adequacy(1, 1, 0, 2)
ATTACKED = Attacked(
    name="fuzzy",
    rules=(SURE, MANY),
    words=("young", "young, walked"),
    regions=(
        Restored(
            "r", AREAS, (40.0, 30.5, 2.0, 1.0), (50.0, 40.0, 3.0, 2.0), (0.4, 0.3, 0.02, 0.01),
            ("r-1", "r-2"), ("r-1",), SEEN,
        ),
    ),
    intervals={name: Interval(0.1, 0.9) for name in
               ("pa", "youden_j", "predictive_j", "sensitivity", "precision")},
    ranking=Ranking(0.9, Interval(0.5, 1.0), 2, 4),
    control=(Trial(Adequacy(0, 1, 1, 2), 0.4, 3),),
)  # fmt: skip
SPLIT = SplitFacts(
    "a", ("Here", "There"), ("Elsewhere",), (1_000, 60), (400, 45), {"r": "Erewhon"}, 15,
    SIGNALS, (ATTACKED,), ("one thing",),
)  # fmt: skip
ROWS = (StateRow("East", 4, 1, 4, 1), StateRow("West", 2, 1, 1, 0))
STATES = StatesFacts(
    6, "2000", ROWS, StateRow("Total", 6, 2, 5, 1), Adequacy(tp=4, fp=1, fn=2, tn=13),
    PrintedAdequacy(0.85, 0.667, 2.5),
)  # fmt: skip
FACTS = AttackFacts(
    software="0.0",
    runs=2,
    seed=3,
    outliers=(OutlierCase(1, (1, 1, 9), (3,), (3,)), OutlierCase(2, (1, 8, 1), (3,), (2,))),
    tau=TauFacts(3, 0.01, 63.7, 1.15),
    states=(STATES,),
    rules=(PrintedRule(MANY, "young, walked", True, False),),
    seeds=(
        SeedFacts(3, Adequacy(3, 0, 1, 20), 7, Adequacy(0, 0, 4, 20), 0),
        SeedFacts(4, Adequacy(1, 1, 3, 19), 5, Adequacy(0, 2, 4, 18), 1),
    ),
    files=(SurveyFile("Here", "here.csv", "2018/here.zip"),),
    missing=(),
    splits=(SPLIT,),
)


def table(title: str, facts: AttackFacts = FACTS) -> PrintedTable:
    return next(one for one in attack_tables(facts) if title in one.title)


def test_sets_of_outliers_stand_beside_each_other() -> None:
    shown = table("Outliers")
    assert shown.rows == (("1", "3", "3", "yes"), ("2", "3", "2", "no"))
    assert "1 of 2 sets" in shown.says


def test_sums_by_state_are_computed_again() -> None:
    shown = table("Table 6")
    assert shown.rows[-2:] == (
        ("Total, paper", "6", "2", "5", "1"),
        ("Total, here", "6", "2", "5", "1"),
    )
    assert "In every row" in shown.says
    assert "The sums give" in shown.says


def test_rows_and_sums_that_do_not_agree_are_told() -> None:
    """East: 4 less 2 disclosed from one side, 4 less 1 from the other."""
    odd = replace(STATES, rows=(StateRow("East", 4, 2, 4, 1), ROWS[1]))
    says = table("Table 6", replace(FACTS, states=(odd,))).says
    assert "In every row but East" in says
    assert "The sums do not give" in says


def test_a_printed_figure_that_cannot_be_is_marked() -> None:
    """17 of 20 are told rightly; 4 / 5 + 13 / 15 less 1 is 0.667."""
    rows = {row[0]: row[1:] for row in table("Adequacy").rows}
    assert rows["PA"] == ("0.850", "0.850")
    assert rows["J as printed: predictive J"] == ("0.667", "0.667")
    assert rows["MB"][0] == "2.500 (misprint)"


def test_rules_that_do_not_fit_are_counted() -> None:
    shown = table("Table 5: the 1 rules")
    assert shown.rows == (("(1, 2)", "young, walked", "0.250", "1.500", "0.300"),)
    assert "in 0 of 1 cases" in shown.says


def test_seeds_add_up() -> None:
    """4 of 8 true ones are disclosed, which is less than asked; 1 of 5 found is false, too many."""
    shown = table("generated people")
    assert shown.rows[-1] == (
        "all", "8", "4", "4", "5", "1", "0.896", "0.475", "12", "2", "1",
    )  # fmt: skip
    assert "4 of 8 true outliers are disclosed, 50.0 %" in shown.says
    assert shown.says.count("not met") == 2


def test_large_areas_that_count_as_false_are_told() -> None:
    assert table("split a: Tables 6 and 7").rows == (
        ("fuzzy rules", "Erewhon", "4", "1", "0", "2", "1", "1"),
        ("fuzzy rules", "Total", "4", "1", "0", "2", "1", "1"),
    )


def test_two_of_four_areas_prove_nothing() -> None:
    """The deviation by chance is the root of 5 / 48, so that any AUC is within."""
    assert chance_auc(ATTACKED.ranking) == (0.0, 1.0)
    assert chance_auc(Ranking(None, None, 0, 4)) is None
    says = table("how well outliers are found").says
    assert "2 such areas among 4 can prove little" in says
    assert says.endswith("Note: one thing.")


def test_the_control_stands_below_its_adversary() -> None:
    own, control = table("how well outliers are found").rows
    assert own[:2] == ("fuzzy rules", "1")
    assert own[-2:] == ("0 of 1", "0 of 1")
    assert control[:3] == ("  labels permuted, mean", "0", "1")


def test_a_rule_without_false_positives_has_no_factor() -> None:
    assert table("evolved rules").rows[0] == (
        "(1, 0)", "young", "0.200", "no false positives", "0.200",
    )  # fmt: skip


def test_files_that_were_not_there_are_listed() -> None:
    away = replace(FACTS, splits=(), missing=("here.csv",))
    assert table("were not there", away).rows == (("here.csv", "Here", "2018/here.zip"),)
    assert "was not computed" in table("were not there", away).says
    part = replace(FACTS, missing=("here.csv",))
    assert "was computed in part" in table("were not there", part).says


def test_pictures_show_seeds_and_signals() -> None:
    seeds, signal = panels(FACTS)
    assert [series.name for series in seeds.series] == ["true (8)", "disclosed (4)", "false (1)"]
    assert isinstance(signal, LinesFacts)
    true, restored = signal.lines
    assert (true.is_dashed, restored.is_dashed) == (False, True)
    assert true.values == (20.0, 18.0, 3.0, 4.0)
    assert restored.outliers == ("r-1", "r-2")


def test_the_page_is_well_formed_and_asks_for_nothing() -> None:
    page = attack_reproduction_html(FACTS)
    assert_well_formed(page)
    assert links(page) == []
    assert page.count("<svg") == 2
    assert page.count("stroke-dasharray") == 2  # the line and its legend
    for one in attack_tables(FACTS):
        assert one.title in page


def test_markdown_is_complete_and_its_tables_are_rectangular() -> None:
    lines = markdown(attack_tables(FACTS)).splitlines()
    for one in attack_tables(FACTS):
        start = lines.index(f"### {one.title}") + 4
        body = lines[start : start + len(one.rows) + 2]
        assert {line.count("|") for line in body} == {len(one.header) + 1}
        assert len({len(line) for line in body}) == 1


def test_json_says_what_the_facts_say() -> None:
    data = json.loads(json.dumps(FACTS.to_json(), allow_nan=False))
    assert data["generated"]["disclosed"] == 0.5
    assert data["tables"][0]["gives_the_matrix"] is True
    (split,) = data["survey"]["splits"]
    assert split["attackers"][0]["rules"][0]["rcf"] is None
    assert split["chance_auc"] == [0.0, 1.0]
