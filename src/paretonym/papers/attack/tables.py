"""The tables of the reproduction of Tavrov and Chertov 2016 as text, for the page and for
Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable

from paretonym.groups.adequacy import Adequacy
from paretonym.papers.attack.facts import (
    DISCLOSED,
    FALSE,
    AttackFacts,
    OutlierCase,
    StateRow,
    StatesFacts,
)
from paretonym.papers.attack.survey_tables import survey_tables, vector
from paretonym.papers.facts import NOTHING, PrintedTable
from paretonym.report.words import listed, number, percent

_STATES = ("state", "outliers", "undisclosed", "restored outliers", "false")


def attack_tables(facts: AttackFacts) -> tuple[PrintedTable, ...]:
    return (
        _outliers(facts),
        *map(_states, facts.states),
        _adequacy(facts.states),
        _rules(facts),
        _generated(facts),
        *survey_tables(facts),
    )


def _outliers(facts: AttackFacts) -> PrintedTable:
    same = sum(case.is_same for case in facts.outliers)
    tau = facts.tau
    return PrintedTable(
        "Outliers: the 24 signals of Chertov and Tavrov 2017, Table 3",
        f"Tavrov and Chertov 2016 prints no signal; Chertov and Tavrov 2017 prints "
        f"{len(facts.outliers)} signals of {tau.values} values with their outliers by the same "
        f"technique, counted from 1. "
        f"{same} of {len(facts.outliers)} sets are the same here. Alpha is {tau.alpha:g}, "
        f"two-sided; for {tau.values} values t = {tau.t:.7f} and tau = {tau.tau:.7f}.",
        ("signal", "outliers, paper", "outliers, here", "same"),
        tuple(map(_case, facts.outliers)),
        of_numbers=False,
    )


def _case(case: OutlierCase) -> tuple[str, ...]:
    def places(found: Iterable[int]) -> str:
        return ", ".join(map(str, found))

    same = "yes" if case.is_same else "no"
    return (str(case.number), places(case.printed), places(case.found), same)


def _states(facts: StatesFacts) -> PrintedTable:
    odd = [row.state for row in facts.rows if not row.is_consistent]
    cells, sums = facts.matrix, facts.total
    rows = "every row" if not odd else f"every row but {listed(odd)}"
    gives = "give" if facts.gives_the_matrix else "do not give"
    return PrintedTable(
        f"Table {facts.table}: outliers by state, {facts.about}",
        f"As printed, with the sums computed again. In {rows}, outliers less undisclosed ones are "
        f"as many as restored ones less false ones. The sums {gives} the printed confusion matrix: "
        f"{sums.outliers - sums.undisclosed} found, {sums.undisclosed} not found, {sums.false} "
        f"false. Its last cell, {cells.tn} areas that are and seem nothing, is in no row.",
        _STATES,
        (
            *map(_state, facts.rows),
            ("Total, paper", *_state(facts.printed_total)[1:]),
            ("Total, here", *_state(sums)[1:]),
        ),
    )


def _state(row: StateRow) -> tuple[str, ...]:
    return (row.state, *map(number, (row.outliers, row.undisclosed, row.restored, row.false)))


def _adequacy(both: Iterable[StatesFacts]) -> PrintedTable:
    columns = [_tests(one) for one in both]
    names = [cell for one in both for cell in (f"{one.about}, paper", "here")]
    lines = zip(*columns, strict=True)
    return PrintedTable(
        "Adequacy of both confusion matrices",
        "PA is the share of areas that are told rightly. What the paper prints as J is the sum of "
        "both predictive values less 1; Youden's own J, from the same cells, says how much of what "
        "is there was found, and is smaller. MB is the least logarithm of the Bayes factor against "
        "chance. PA of 2013 is a misprint: 606 of 653 is 0.928.",
        ("", *names),
        tuple((pairs[0][0], *(cell for _, *cells in pairs for cell in cells)) for pairs in lines),
    )


def _tests(one: StatesFacts) -> list[tuple[str, str, str]]:
    """Name, as printed, and from the cells."""
    cells, printed = one.matrix, one.printed
    pa, j, sums = _three(cells.pa), _three(cells.predictive_j), one.total
    return [
        (
            "true outliers found",
            number(cells.tp),
            number(sums.outliers - sums.undisclosed),
        ),
        ("not found", number(cells.fn), number(sums.undisclosed)),
        ("false", number(cells.fp), number(sums.false)),
        ("the rest", number(cells.tn), NOTHING),
        ("PA", _marked(_three(printed.pa), pa), pa),
        ("J as printed: predictive J", _marked(_three(printed.j), j), j),
        ("Youden's J", NOTHING, _three(cells.youden_j)),
        ("MB", _marked(_three(printed.mb), _three(cells.mb)), _three(cells.mb)),
        ("evidence (Table 1)", NOTHING, cells.evidence),
    ]


def _marked(printed: str, computed: str) -> str:
    return printed if printed == computed else f"{printed} (misprint)"


def _rules(facts: AttackFacts) -> PrintedTable:
    special = [one for one in facts.rules if not one.is_general]
    said = "No rule is" if not special else f"{len(special)} rules are"
    fitting = sum(one.fits for one in facts.rules)
    return PrintedTable(
        f"Table 5: the {len(facts.rules)} rules in words",
        "The indexes name the fuzzy values of the paper's variables 1 to 12: age, education, sex, "
        "race, hours, Hispanic origin, marital status, transport, departure, travel time, weeks "
        f"and income. 0 is any value. {said} a specialisation of another one. The three "
        f"figures of a rule fit each other in {fitting} of {len(facts.rules)} cases, as far as "
        "three decimals tell: DF follows from support, RCF and the size of the files.",
        ("rule", "in words", "DF", "RCF", "support"),
        tuple(
            (
                vector(one.rule.values), one.words,
                *map(_three, (one.rule.df, one.rule.rcf, one.rule.support)),
            )
            for one in facts.rules
        ),
        of_numbers=False,
    )  # fmt: skip


def _generated(facts: AttackFacts) -> PrintedTable:
    found, control = facts.found, facts.control
    return PrintedTable(
        "The attack on generated people",
        "The paper's files are not part of this software, so the published attack runs on people "
        "who do not exist: fuzzy rules learnt from one population of 60,000 look for the bases of "
        "another one. Control: the same with permuted labels. "
        f"{number(found.tp)} of {number(found.tp + found.fn)} true outliers are disclosed, "
        f"{percent(facts.disclosed)} (asked: at least {percent(DISCLOSED)}, as in Table 6: "
        f"{_met(is_met=facts.disclosed >= DISCLOSED)}); {number(found.fp)} of "
        f"{number(found.tp + found.fp)} found ones are false, {percent(facts.false)} (asked: at "
        f"most {percent(FALSE)}: {_met(is_met=facts.false <= FALSE)}). The control finds "
        f"{number(control.tp)} true and {number(control.fp)} false ones.",
        (
            "seed", "outliers", "disclosed", "undisclosed", "restored outliers", "false", "PA",
            "Youden J", "rules", "control: found", "control: rules",
        ),
        (
            *(
                _seed(str(one.seed), one.found, one.control, one.rules, one.control_rules)
                for one in facts.seeds
            ),
            _seed(
                "all", found, control,
                sum(one.rules for one in facts.seeds),
                sum(one.control_rules for one in facts.seeds),
            ),
        ),
    )  # fmt: skip


def _seed(
    name: str, found: Adequacy, control: Adequacy, rules: int, control_rules: int
) -> tuple[str, ...]:
    counts = (found.tp + found.fn, found.tp, found.fn, found.tp + found.fp, found.fp)
    return (
        name, *map(number, counts), _three(found.pa), _three(found.youden_j), number(rules),
        number(control.tp + control.fp), number(control_rules),
    )  # fmt: skip


def _met(*, is_met: bool) -> str:
    return "met" if is_met else "not met"


def _three(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3f}"
