"""report.html of `paretonym group attack`: only for the publisher, it says where the groups are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from paretonym.groups.attack import GroupAttack
from paretonym.groups.signals import RegionSignals
from paretonym.model.fuzzy import FuzzyValue, Variable
from paretonym.model.numbers import parse_number
from paretonym.report import attack as told
from paretonym.report.html import drawn, render
from paretonym.report.signal_figure import Signal, signals
from paretonym.report.variable_figure import curves, extent
from paretonym.report.words import number, percent
from paretonym.version import __version__

RULES_SHOWN = 40


@dataclass(frozen=True, slots=True)
class PageFacts:
    software: str


def attack_html(attacks: Sequence[GroupAttack]) -> str:
    groups = [_group(attack) for attack in attacks]
    return render("attack.html", facts=PageFacts(__version__), groups=groups, told=told)


def _group(attack: GroupAttack) -> dict[str, Any]:
    found = told.places(attack)
    worst = told.worst_of(attack)
    return {
        "attack": attack,
        "places": found,
        "true": sum(place.true for place in found),
        "recovered": sum(place.true and bool(place.seen_by) for place in found),
        "worst": worst,
        "findings": told.findings(attack),
        "regions": [
            (region, drawn(region_figure(attack, place, region)), _counts(attack, place))
            for place, region in enumerate(attack.signals.regions)
        ],
        "rules": [(one, _rules(one)) for one in attack.attackers if one.rules],
        "variables": [_variable(attack, variable) for variable in attack.variables],
        "settings": _settings(attack),
    }


def region_figure(attack: GroupAttack, place: int, region: RegionSignals) -> str:
    """The true signal of a region over those that were restored."""
    kind = attack.signals.rule.signal
    rows = [Signal(f"true {kind}", region.signal(kind), region.judged[kind].outliers, strong=True)]
    for one in attack.attackers:
        seen = one.regions[place]
        values = seen.quantity if kind == "quantity" else seen.concentration
        name = f"restored by {told.NAMES[one.name]}"
        rows.append(Signal(name, values, seen.outliers))
    return signals(region.areas, rows, label=f"signals of region {region.region or 'all'}")


def _counts(attack: GroupAttack, place: int) -> list[tuple[str, tuple[str, ...]]]:
    """The layout of Tables 6 and 7 of Tavrov and Chertov 2016, by adversary."""
    lines = []
    for one in attack.attackers:
        found = one.regions[place].adequacy
        cells = (found.tp + found.fn, found.fn, found.tp + found.fp, found.fp)
        lines.append((told.NAMES[one.name], tuple(map(number, cells))))
    return lines


def _rules(one: Any) -> list[tuple[str, str, str, str]]:
    return [
        (
            words,
            told.decimal(rule.df),
            "no false positives" if rule.no_false_positives else told.decimal(rule.rcf),
            percent(rule.support),
        )
        for rule, words in list(zip(one.rules, one.words, strict=True))[:RULES_SHOWN]
    ]


def _variable(attack: GroupAttack, variable: Variable) -> dict[str, Any]:
    """A plot where there are numbers, and the meaning of every value in words."""
    texts = attack.harmonised.auxiliary.records.columns[variable.column].values
    numbers = [parse_number(t, decimal_comma=False) for t in texts if t is not None]
    ends = extent([one for one in numbers if one is not None]) if variable.numeric else None
    given = {spec.column for spec in attack.spec.variables}
    return {
        "name": variable.column,
        "plot": drawn(curves(variable, *ends)) if ends else "",
        "values": [(value.name, _meaning(value)) for value in variable.values],
        "proposed": variable.column not in given,
    }


def _meaning(value: FuzzyValue) -> str:
    listed = ", ".join(value.parameters)
    return f"one of {listed}" if value.kind == "is" else f"{value.kind}({listed})"


def _settings(attack: GroupAttack) -> list[tuple[str, str]]:
    """What the result depends on."""
    rule, spec = attack.signals.rule, attack.spec.attack
    evolution = [
        (field.name, number(getattr(spec.evolution, field.name)))
        for field in fields(spec.evolution)
    ]
    return [
        ("outliers", f"modified Thompson tau technique, alpha {percent(float(rule.alpha))}, "
                     f"{rule.side}, of the {rule.signal}"),
        ("kept as outliers by hand", ", ".join(rule.keep) or "none"),
        ("ignored by hand", ", ".join(rule.ignore) or "none"),
        ("controls", number(spec.controls)),
        ("bootstrap resamples", number(spec.resamples)),
        *evolution,
    ]  # fmt: skip
