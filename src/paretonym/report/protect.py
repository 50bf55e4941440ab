"""What the protection of groups did, in sentences and rows that terminal and page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paretonym.groups.attack import Attacked, GroupAttack, Ranking
from paretonym.groups.detector import Detected
from paretonym.groups.protection import By, GroupProtection, Protected, ProtectionStage
from paretonym.groups.swapping import MILLION
from paretonym.report.attack import NAMES, chance_auc, decimal
from paretonym.report.html import drawn, fragment
from paretonym.report.release_parameters import group_parameters
from paretonym.report.release_words import METHODS
from paretonym.report.signal_figure import Signal, signals
from paretonym.report.words import listed, number, percent, plural, printable

if TYPE_CHECKING:
    from rich.table import Table

BY = {"attributes": "by its attributes", "model": "as the fuzzy rules tell it"}
HEADINGS = ("swaps", "distortion", "at least", "gap", "compatibility", "outliers left")


@dataclass(frozen=True, eq=False, slots=True)
class ProtectFacts:
    """One group, and the attacks on it before and after, where it could be attacked."""

    group: GroupProtection
    records: int  # of the table
    before: GroupAttack | None
    after: GroupAttack | None
    detected: Detected | None
    standing: Mapping[By, tuple[str, ...]]  # in the end: by the attributes, and by a model's word

    def to_json(self) -> dict[str, Any]:
        pairs = self.attacks
        attackers = [
            {
                "name": one.name,
                "before": one.adequacy.to_json(),
                "after": two.adequacy.to_json(),
                "recovered_before": _recovered(one),
                "recovered_after": _recovered(two),
            }
            for one, two in pairs
        ]
        detected = None if self.detected is None else self.detected.to_json()
        standing = {by: list(areas) for by, areas in self.standing.items()}
        added = {"attackers": attackers, "detector": detected, "standing_out": standing}
        return self.group.to_json() | added

    @property
    def attacks(self) -> list[tuple[Attacked, Attacked]]:
        if self.before is None or self.after is None:
            return []
        return list(zip(self.before.attackers, self.after.attackers, strict=True))

    @property
    def adversaries(self) -> tuple[str, ...]:
        return tuple(NAMES[before.name] for before, _ in self.attacks)

    @property
    def touched(self) -> int:
        """Records that are in some pair."""
        return len(set(self.group.pairs.ravel().tolist()))


def _recovered(one: Attacked) -> int:
    return one.adequacy.tp


def findings(facts: ProtectFacts) -> list[str]:
    """What was done, what it cost, and who still finds something."""
    group, regions = facts.group, facts.group.regions
    if not regions:
        return ["No area stands out, so that nothing had to be swapped."]
    spent = sum(one.distortion for one in regions)
    bound = sum(one.lower_bound for one in regions)
    lines = [
        f"{plural(len(group.pairs), 'swap')} of areas between {number(facts.touched)} of "
        f"{number(facts.records)} records.",
        *(_standing(by, areas) for by, areas in facts.standing.items()),
        _proof(spent, bound, steps=sum(bool(stage.regions) for stage in group.stages)),
    ]
    lines += [against(one, two) for one, two in facts.attacks]
    if facts.detected is not None:
        lines.append(_detection(facts.detected))
    return lines


def _standing(by: By, areas: Sequence[str]) -> str:
    if not areas:
        return f"The group {BY[by]} stands out nowhere any more."
    return (
        f"TAKE CARE: the group {BY[by]} stands out in {plural(len(areas), 'area')}: "
        f"{listed(areas)}."
    )


def _proof(spent: int, bound: int, *, steps: int) -> str:
    """Steps follow each other; each is proven by itself, on the table that it finds."""
    said = f"The swaps distort {number(spent / MILLION)} by the influential metric"
    if spent == bound:
        each = "" if steps == 1 else " in any of the steps"
        return (
            f"{said}; no other set of such swaps that fulfils the restrictions distorts "
            f"less{each} (proof of least distortion by prices)."
        )
    gap = percent((spent - bound) / spent)
    return (
        f"{said}; no set of such swaps needs less than {number(bound / MILLION)}, a gap of {gap} "
        f"(the bound does not know what stands out)."
    )


def against(before: Attacked, after: Attacked) -> str:
    name = NAMES[before.name].capitalize()
    true = before.adequacy.tp + before.adequacy.fn
    left = _recovered(after)
    return (
        f"{'TAKE CARE, ' if left else ''}{name if not left else NAMES[before.name]}: "
        f"{number(_recovered(before))} of {plural(true, 'place')} recovered before, "
        f"{number(left)} after; AUC {decimal(before.ranking.auc)} before, "
        f"{decimal(after.ranking.auc)} after.{_backwards(after.ranking)}"
    )


def _backwards(after: Ranking) -> str:
    """Places that now rank last, further than chance puts them, are told as well."""
    chance = chance_auc(after)
    if after.auc is None or chance is None or after.auc >= chance[0]:
        return ""
    return (
        f" TAKE CARE: far below 0.5 also tells where they are. Somebody who knows that the file "
        f"was protected can read the ranking backwards, with an AUC of {decimal(1 - after.auc)}."
    )


def _detection(found: Detected) -> str:
    return (
        f"A detector that is told of four fifths of the swaps ranks the others with an AUC of "
        f"{decimal(found.auc)} (0.5 is chance); of the {number(found.swapped)} records it suspects "
        f"most {percent(found.precision)} were swapped, {percent(found.by_chance)} by chance."
    )


def cells(one: Protected) -> tuple[str, ...]:
    """A region under HEADINGS."""
    return (
        number(len(one.pairs)), number(one.distortion / MILLION),
        number(one.lower_bound / MILLION), percent(one.gap), decimal(one.compatibility),
        listed(one.remaining) or "none",
    )  # fmt: skip


def name_of(one: Protected) -> str:
    return one.task.name or "all areas"


def protect_table(facts: ProtectFacts) -> Table:
    """For the terminal: a line for each region."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for heading in ("group", "region", "outliers"):
        table.add_column(heading)
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for stage in facts.group.stages:
        for one in stage.regions:
            row = (BY[stage.by], name_of(one), ", ".join(one.task.outliers), *cells(one))
            table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def protect_sections(facts: list[ProtectFacts], *, parameters: bool = False) -> str:
    """HTML for an internal report: signals before and after, what it cost, and the attacks.

    A page of its own also tells the `parameters`, which a release's report has elsewhere.
    """
    groups = [
        {
            "facts": one,
            "name": one.group.spec.name,
            "method": METHODS[one.group.method],
            "findings": findings(one),
            "parameters": group_parameters(one.group.spec, one.adversaries) if parameters else (),
            "stages": [(BY[stage.by], _regions(stage)) for stage in one.group.stages],
        }
        for one in facts
    ]
    return fragment("protect.html", groups=groups, headings=HEADINGS, names=NAMES, decimal=decimal)


def _regions(stage: ProtectionStage) -> list[dict[str, Any]]:
    return [
        {
            "name": name_of(one),
            "outliers": one.task.outliers,
            "cells": cells(one),
            "thresholds": ", ".join(
                f"{r.area} from {number(r.value)} to {number(float(r.threshold))}"
                for r in one.task.restrictions
            ),
            "figure": drawn(before_and_after(one)),
            "evolved": len(one.evolved),
            "feasible": sum(each.feasible_paper for each in one.evolved),
        }
        for one in stage.regions
    ]


def before_and_after(one: Protected) -> str:
    """The group's signal in a region, on one scale."""
    region = one.task.region
    before = [float(value) for value in region.signal]
    after = [float(value) for value in one.after]
    return signals(
        region.areas,
        [Signal("before", before, one.task.outliers, strong=True),
         Signal("after", after, one.remaining, strong=True)],
        label=f"signal of {name_of(one)} before and after",
        same_scale=True,
    )  # fmt: skip
