"""What is checked of each step of a plan: two functions for each type of step.

One sees the files of the release, the other the table that the release was made from as well.
That whole rows agree is compared for all steps at once (`source_check`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from paretonym.model.arrays import Flags
from paretonym.model.plan import Plan
from paretonym.model.steps import Drop, Recode, Step, Suppress, Swap
from paretonym.publishing.checker import Check, Recomputed
from paretonym.publishing.codes import Coded, CodedTable
from paretonym.publishing.identifiers import scan_identifiers
from paretonym.publishing.manifest import Number
from paretonym.publishing.statistics import one_to_one_checks, statistic_checks
from paretonym.publishing.swap_check import swap_checks

THRESHOLD = "threshold: rows of the smallest class"


@dataclass(frozen=True, slots=True)
class Files:
    """What the files of a release say."""

    found: Recomputed
    known: Mapping[str, Number]  # every value that could be recomputed, with the input or without


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """A release beside the table it was made from."""

    plan: Plan
    before: CodedTable  # as it came
    swapped: CodedTable  # after its records were exchanged, if they were
    after: CodedTable  # the file
    shown: Mapping[str, Coded]  # kept columns of the input as they would be released
    released: Flags  # rows of the input
    accepted: Collection[str]  # columns allowed to match a dropped identifier


@dataclass(frozen=True, slots=True)
class StepCheck:
    """How a type of step is checked; the first argument is the step."""

    file: Callable[[Any, Files], list[Check]]
    source: Callable[[Any, Compared], list[Check]]


def file_checks_of(plan: Plan, files: Files) -> list[Check]:
    """Every step against the files, in the plan's order."""
    return [check for step in plan.steps for check in STEP_CHECKS[type(step)].file(step, files)]


def source_checks_of(compared: Compared) -> list[Check]:
    """Every step against the table as well, in the plan's order."""
    return [
        check
        for step in compared.plan.steps
        for check in STEP_CHECKS[type(step)].source(step, compared)
    ]


def _nothing(_step: Step, _seen: object) -> list[Check]:
    return []


def _swap_in_source(step: Swap, compared: Compared) -> list[Check]:
    return swap_checks(compared.before, compared.swapped, step.swaps)


def _drop_in_file(step: Drop, files: Files) -> list[Check]:
    """The lists of columns agree as well; this one says which way they would differ."""
    left = len(set(step.columns) & set(files.found.names))
    name = "columns of the file that the plan leaves out"
    return [Check(name, 0, left, holds=not left)] if step.columns else []


def _drop_in_source(_step: Drop, compared: Compared) -> list[Check]:
    schema, recodes = compared.plan.schema, compared.plan.recodes
    searched = [name for name in schema.kept if name not in compared.accepted]
    return scan_identifiers(
        {name: compared.swapped.columns[name] for name in schema.identifiers},
        {name: compared.after.columns[name] for name in searched},
        {name: compared.shown[name] for name in searched},
        rows=compared.released,
        recoded=frozenset(r.column for r in recodes if not r.changes_nothing),
    )


def _recode_in_file(step: Recode, files: Files) -> list[Check]:
    count = files.found.unlisted[step.column]
    name = f"cells of {step.column} that are no label of the plan"
    return [Check(name, 0, count, holds=count == 0), *one_to_one_checks(step)]


def _recode_in_source(step: Recode, compared: Compared) -> list[Check]:
    return statistic_checks(step, compared.swapped, compared.released)


def _suppress_in_file(step: Suppress, files: Files) -> list[Check]:
    """The threshold; bounds are checked with whatever else was required (`verify`)."""
    below, k = step.below, files.known["k"]
    # a threshold of 0 leaves nothing out and asks for nothing
    return [Check(THRESHOLD, f"at least {below}", k, holds=k >= below)] if below else []


STEP_CHECKS: Mapping[type[Step], StepCheck] = MappingProxyType(
    {
        Swap: StepCheck(file=_nothing, source=_swap_in_source),
        Drop: StepCheck(file=_drop_in_file, source=_drop_in_source),
        Recode: StepCheck(file=_recode_in_file, source=_recode_in_source),
        Suppress: StepCheck(file=_suppress_in_file, source=_nothing),
    }
)
