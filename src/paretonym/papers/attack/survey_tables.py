"""Tables of the attack on files of the American Community Survey, in the layout of Tavrov and
Chertov 2016.
"""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.groups.attack import Attacked
from paretonym.groups.rules import Rule
from paretonym.papers.attack.facts import AttackFacts, SplitFacts
from paretonym.papers.facts import PrintedTable
from paretonym.report import attack as told
from paretonym.report.attack import chance_auc
from paretonym.report.words import listed, number, percent, plural

RULES_SHOWN = 18  # as many as Table 5 has
WHERE = "https://www2.census.gov/programs-surveys/acs/data/pums/"


def survey_tables(facts: AttackFacts) -> tuple[PrintedTable, ...]:
    tables = [table for one in facts.splits for table in _split(one)]
    return (*tables, _absent(facts)) if facts.missing else tuple(tables)


def _absent(facts: AttackFacts) -> PrintedTable:
    """What to fetch where files are not there."""
    lacking = [one for one in facts.files if one.name in facts.missing]
    were = "was not computed" if not facts.splits else "was computed in part"
    return PrintedTable(
        "The attack on real people: files that were not there",
        f"This part {were}. Its files are in the public domain but not in this software. Fetch the "
        f"archives below {WHERE} and unzip them into a folder `acs`, as the comment in "
        "examples/acs.yaml says; then run this command beside that folder, or name it with "
        "`--acs`.",
        ("file", "state", "archive"),
        tuple((one.name, one.place, one.archive) for one in lacking),
        of_numbers=False,
    )


def _split(one: SplitFacts) -> list[PrintedTable]:
    fuzzy = [attacker for attacker in one.attackers if attacker.rules]
    return [
        _figures(one),
        _states(one),
        *(_rules(one, attacker) for attacker in fuzzy),
    ]


def _title(one: SplitFacts, what: str) -> str:
    return f"Real people, split {one.key}: {what}"


def _figures(one: SplitFacts) -> PrintedTable:
    rows = []
    for attacker in one.attackers:
        own = (f"{text} ({more})" if more else text for text, more in told.comparison(attacker))
        rows.append((told.NAMES[attacker.name], *own, *_as_good(attacker)))
        if attacker.control:
            rows.append(("  labels permuted, mean", *told.control_row(attacker.control), "", ""))
    return PrintedTable(
        _title(one, "how well outliers are found"),
        f"{_files(one)} Brackets: 95 % intervals by bootstrap over "
        f"{plural(len(one.signals.regions), 'region')}, and the word for MB. Last columns: "
        f"controls with permuted labels whose Youden J, or whose AUC, is at least as good. "
        f"{_caution(one)}" + "".join(f" Note: {note}." for note in one.notes),
        ("adversary", *told.HEADINGS, "as good a J", "as good an AUC"),
        tuple(rows),
    )


def _as_good(one: Attacked) -> tuple[str, str]:
    """How many controls reach the adversary's own figure."""
    own, ranks = one.ranking.auc, [trial.auc for trial in one.control]
    reached = sum(own is not None and rank is not None and rank >= own for rank in ranks)
    total = number(len(one.control))
    return f"{number(one.as_good_by_chance)} of {total}", f"{number(reached)} of {total}"


def _files(one: SplitFacts) -> str:
    (learnt, members), (seen, hidden) = one.learnt_from, one.looked_at
    return (
        f"American Community Survey, workers aged 18 to 45. Learnt from {listed(one.auxiliary)} "
        f"({number(learnt)} respondents, {number(members)} of the armed forces); looked for in "
        f"{listed(one.target)} ({number(seen)}, {number(hidden)})."
    )


def _caution(one: SplitFacts) -> str:
    """What so few places can prove."""
    ranked = one.ranking
    chance = chance_auc(ranked)
    said = (
        f"AUC: how well the restored concentration ranks the {number(ranked.positives)} of "
        f"{number(ranked.areas)} areas first that have {number(one.sites)} or more members. "
    )
    if chance is None:
        return said
    controls = len(one.attackers[0].control)
    low, high = map(told.decimal, chance)
    return said + (
        f"{plural(ranked.positives, 'such area', 'such areas')} among {number(ranked.areas)} can "
        f"prove little. One of them more or less moves the share found by "
        f"{percent(1 / ranked.positives)}. Ranks drawn by chance have an AUC from {low} to {high} "
        f"in 95 of 100 cases, so that only more than that says anything. {number(controls)} "
        f"controls show at best that chance does as well once in {number(controls + 1)} times; "
        f"what they find, they owe to the size of areas."
    )


def _states(one: SplitFacts) -> PrintedTable:
    rows = [row for attacker in one.attackers for row in _by_state(one, attacker)]
    return PrintedTable(
        _title(one, "Tables 6 and 7, by state"),
        "Outliers of the quantity of members, one-sided at 1 %, as the technique finds them: "
        "nobody revised them. The last column counts false outliers that have "
        f"{number(one.sites)} or more members all the same: where many areas of a state are "
        "large, its quartiles hide them from the technique, and one that is restored counts as "
        "false.",
        (
            "adversary", "state", "areas", "outliers", "undisclosed", "restored outliers", "false",
            "false, but large",
        ),
        tuple(rows),
    )  # fmt: skip


def _by_state(one: SplitFacts, attacker: Attacked) -> list[tuple[str, ...]]:
    name = told.NAMES[attacker.name]
    rows = []
    lines = []
    for place, region in enumerate(one.signals.regions):
        cells = attacker.regions[place].adequacy
        line = (
            len(region.areas), cells.tp + cells.fn, cells.fn, cells.tp + cells.fp, cells.fp,
            one.sites_called_false(place, attacker),
        )  # fmt: skip
        lines.append(line)
        rows.append((name, one.states[region.region], *map(number, line)))
    sums = [sum(column) for column in zip(*lines, strict=True)]
    return [*rows, (name, "Total", *map(number, sums))]


def _rules(one: SplitFacts, attacker: Attacked) -> PrintedTable:
    shown = list(zip(attacker.rules, attacker.words, strict=True))[:RULES_SHOWN]
    return PrintedTable(
        _title(one, "Table 5, evolved rules"),
        f"The best {len(shown)} of {number(len(attacker.rules))} by DF times RCF. The indexes name "
        "the fuzzy values in examples/acs.yaml, whose weeks stand in another order than the "
        "paper's: 1 is normal. SCHL is schooling, WKHP hours, PINCP income; `no` and `yes` are "
        "about Hispanic origin.",
        ("rule", "in words", "DF", "RCF", "support"),
        tuple(_rule(rule, words) for rule, words in shown),
        of_numbers=False,
    )


def _rule(rule: Rule, words: str) -> tuple[str, ...]:
    rcf = "no false positives" if rule.no_false_positives else f"{rule.rcf:.3f}"
    return (vector(rule.values), words, f"{rule.df:.3f}", rcf, f"{rule.support:.3f}")


def vector(values: Sequence[int]) -> str:
    return f"({', '.join(map(str, values))})"
