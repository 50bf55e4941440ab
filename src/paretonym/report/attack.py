"""What an attack on a group found, in sentences and rows that the terminal and the page share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paretonym.groups.attack import Attacked, GroupAttack, Ranking, Trial
from paretonym.groups.resampling import Interval
from paretonym.model.group import AttackerName
from paretonym.report.words import number, percent, plural, printable

if TYPE_CHECKING:
    from rich.table import Table

NAMES: dict[AttackerName, str] = {
    "fuzzy": "fuzzy rules", "logistic": "logistic regression", "boosting": "gradient boosting",
}  # fmt: skip
UNKNOWN = "–"  # a figure that is a share of nothing
_ONE = ("logistic", "boosting")  # named by a singular
FEW_TRUE = 10  # outliers below which shares say little
_NORMAL = 1.96  # so many deviations on either side hold 95 per cent


@dataclass(frozen=True, slots=True)
class Place:
    """An area that stands out in truth or to somebody."""

    region: str | None
    area: str
    members: float
    true: bool
    seen_by: tuple[AttackerName, ...]
    label: str


def places(attack: GroupAttack) -> list[Place]:
    """The true outliers and the false ones, region by region."""
    found = []
    for number_, region in enumerate(attack.signals.regions):
        true = region.judged[attack.signals.rule.signal].outliers
        seen = {one.name: one.regions[number_].outliers for one in attack.attackers}
        for area, members in zip(region.areas, region.quantity, strict=True):
            by = tuple(name for name, areas in seen.items() if area in areas)
            if area in true or by:
                label = _label(attack, region.region, area)
                found.append(Place(region.region, area, members, area in true, by, label))
    return found


def _label(attack: GroupAttack, region: str | None, area: str) -> str:
    """With the region, unless the area's own label holds it."""
    told = region is None or attack.spec.region in attack.spec.parameter
    return area if told else f"{area} ({region})"


def findings(attack: GroupAttack) -> list[str]:
    """What leaks and to whom, in plain sentences."""
    true = sum(place.true for place in places(attack))
    areas = sum(len(region.areas) for region in attack.signals.regions)
    lines = [
        f"{plural(true, 'area stands', 'areas stand')} out among {number(areas)} by the "
        f"{attack.signals.rule.signal} of the group."
    ]
    lines += [_finding(one, true) for one in attack.attackers]
    worst = worst_of(attack)
    if true and worst is not None:
        recovered = [p for p in places(attack) if p.true and worst.name in p.seen_by]
        if recovered:
            gives = "gives" if worst.name in _ONE else "give"
            lines.append(
                f"Fear most: {NAMES[worst.name]}, which {gives} away "
                f"{', '.join(place.label for place in recovered)}."
            )
    if 0 < true < FEW_TRUE:
        lines.append(
            f"{plural(true, 'true outlier is', 'true outliers are')} few: shares of so few jump "
            f"with every single one, and the intervals say how far."
        )
    return lines


def worst_of(attack: GroupAttack) -> Attacked | None:
    """The adversary to fear most: the largest Youden J, and of equals the first."""
    told = [one for one in attack.attackers if one.adequacy.youden_j is not None]
    return max(told, key=lambda one: one.adequacy.youden_j or 0.0) if told else None


def _finding(one: Attacked, true: int) -> str:
    found = one.adequacy
    name = NAMES[one.name].capitalize()
    pointed = found.tp + found.fp
    name += " points" if one.name in _ONE else " point"
    if not pointed:
        said = f"{name} at no area"
    else:
        said = (
            f"{name} at {plural(pointed, 'area', 'areas')}; {number(found.tp)} of them "
            f"{'is' if found.tp == 1 else 'are'} true ({percent(found.tp / pointed)}, 95 % "
            f"interval {_range(one.trusted)})"
        )
    if true:
        said += f", so that {number(found.tp)} of {number(true)} are recovered"
    return f"{said}. {_control(one)}"


def _control(one: Attacked) -> str:
    if not one.control:
        return "There was no control."
    tries = plural(len(one.control), "try", "tries")
    found = [trial.adequacy.tp for trial in one.control]
    wrong = [trial.adequacy.fp for trial in one.control]
    again = (
        "none as good"
        if not one.as_good_by_chance
        else f"{number(one.as_good_by_chance)} at least as good"
    )
    return (
        f"With permuted labels, {tries}: {mean(found)} true and {mean(wrong)} false on average, "
        f"{again}."
    )


def mean(values: Sequence[int]) -> str:
    return number(round(sum(values) / len(values), 1))


def _range(interval: Interval | None) -> str:
    if interval is None:
        return UNKNOWN
    return f"{percent(interval.low)} to {percent(interval.high)}"


HEADINGS = ("true found", "false", "hidden", "rest", "PA", "Youden J", "pred. J", "MB", "AUC")


def comparison(one: Attacked) -> tuple[tuple[str, str], ...]:
    """The figures of an adversary under HEADINGS, each with its interval where it has one."""
    found = one.adequacy
    return (
        *((number(count), "") for count in (found.tp, found.fp, found.fn, found.tn)),
        *(
            (decimal(getattr(found, name)), spread(one.intervals[name]))
            for name in ("pa", "youden_j", "predictive_j")
        ),
        (decimal(found.mb), found.evidence),
        (decimal(one.ranking.auc), spread(one.ranking.interval)),
    )


def control_row(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Means over the controls, under HEADINGS."""
    cells = [[getattr(t.adequacy, cell) for t in trials] for cell in ("tp", "fp", "fn", "tn")]
    shares = [[getattr(t.adequacy, name) for t in trials]
              for name in ("pa", "youden_j", "predictive_j")]  # fmt: skip
    ranks = [trial.auc for trial in trials]
    return (*map(mean, cells), *map(_mean_share, shares), UNKNOWN, _mean_share(ranks))


def _mean_share(values: Sequence[float | None]) -> str:
    told = [value for value in values if value is not None]
    return decimal(sum(told) / len(told) if told else None)


def decimal(value: float | None) -> str:
    return UNKNOWN if value is None else number(round(value, 2))


def chance_auc(ranking: Ranking) -> tuple[float, float] | None:
    """Where 95 per cent of the AUCs lie that mere chance gives, without ties (Mann, Whitney)."""
    first, second = ranking.positives, ranking.areas - ranking.positives
    if not first or not second:
        return None
    reach = _NORMAL * math.sqrt((first + second + 1) / (12 * first * second))
    return max(0.5 - reach, 0.0), min(0.5 + reach, 1.0)


def spread(interval: Interval | None) -> str:
    return "" if interval is None else f"{decimal(interval.low)}–{decimal(interval.high)}"


def comparison_table(attack: GroupAttack) -> Table:
    """For the terminal: a line for each adversary and one for its control."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", caption_justify="left")
    table.add_column("adversary", no_wrap=True)
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for one in attack.attackers:
        table.add_row(NAMES[one.name], *("\n".join(filter(None, pair)) for pair in comparison(one)))
        if one.control:
            table.add_row("  labels permuted", *control_row(one.control), style="dim")
    table.caption = (
        f"Intervals: 95 %, bootstrap over {_units(attack)}. AUC: how well the restored "
        f"concentration ranks {ranked_areas(attack)} first.{narrow(attack)}"
    )
    return table


def narrow(attack: GroupAttack) -> str:
    """What an interval without width means, where there is one."""
    bounds = [bound for one in attack.attackers for bound in one.intervals.values() if bound]
    if any(bound.low == bound.high for bound in bounds):
        units = "regions" if len(attack.signals.regions) > 1 else "areas"
        return f" An interval without width says that all {units} agree, not that it is certain."
    return ""


def _units(attack: GroupAttack) -> str:
    regions = len(attack.signals.regions)
    return plural(regions, "region") if regions > 1 else "areas"


def ranked_areas(attack: GroupAttack) -> str:
    """Which areas the ranking should put first."""
    rank = attack.attackers[0].ranking
    if attack.spec.sites is None:
        return f"the {plural(rank.positives, 'outlier')} of {plural(rank.areas, 'area')}"
    return (
        f"the {number(rank.positives)} of {plural(rank.areas, 'area')} with "
        f"{number(attack.spec.sites)} or more members"
    )


def places_table(attack: GroupAttack, *, max_rows: int = 40) -> Table:
    """For the terminal: who sees which area."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", caption_justify="left")
    table.add_column("area", no_wrap=True)
    table.add_column("members", justify="right")
    table.add_column("in truth", no_wrap=True)
    for one in attack.attackers:
        table.add_column(NAMES[one.name])
    rows = sorted(places(attack), key=lambda place: not place.true)
    for place in rows[:max_rows]:
        cells = [printable(place.label), number(place.members)]
        cells += ["outlier" if place.true else "none"]
        cells += [_seen(place, one.name) for one in attack.attackers]
        style = "bold red" if place.true and place.seen_by else ""
        table.add_row(*(Text(cell, style=style) for cell in cells))
    if len(rows) > max_rows:
        table.caption = f"{max_rows} of {number(len(rows))} areas shown; the report has all."
    return table


def _seen(place: Place, name: AttackerName) -> str:
    if name in place.seen_by:
        return "recovered" if place.true else "false alarm"
    return "hidden" if place.true else ""
