"""Risk and utility before and after a release, by the same measures on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from paretonym.model.measure_catalog import K
from paretonym.model.measure_info import MeasureInfo
from paretonym.model.secret import Secrecy
from paretonym.report import words
from paretonym.report.release_extra import ColumnChange, ReleaseExtra
from paretonym.report.words import Basis, Number

UNDEFINED = "not defined"
SMALL = (3, 5, 10)  # groups of fewer rows are counted


@dataclass(frozen=True, slots=True)
class GroupRisk:
    """What the sizes of groups say, exactly."""

    rows: int
    groups: int
    smallest: int
    alone: int  # rows that are a group of their own
    under: Mapping[int, int]  # rows in groups of fewer than so many

    @property
    def expected(self) -> Fraction:
        """Mean over rows of 1 / size of the row's group: groups / rows."""
        return Fraction(self.groups, self.rows)

    @property
    def highest(self) -> Fraction:
        return Fraction(1, self.smallest)


@dataclass(frozen=True, slots=True)
class Line:
    """One measure of the table as it came and as it was released."""

    name: str
    before: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ColumnUtility:
    column: str
    values_before: int
    values_after: int
    loss_before: str
    loss_after: str
    moved: str


def group_risk(sizes: Iterable[tuple[int, int]]) -> GroupRisk | None:
    """None where there is no row: nothing can be said of an empty table."""
    counted = [(size, count) for size, count in sizes if size > 0 and count > 0]
    if not counted:
        return None
    return GroupRisk(
        rows=sum(size * count for size, count in counted),
        groups=sum(count for _, count in counted),
        smallest=min(size for size, _ in counted),
        alone=sum(count for size, count in counted if size == 1),
        under={
            bound: sum(size * count for size, count in counted if size < bound) for bound in SMALL
        },
    )


def risk_lines(extra: ReleaseExtra, basis: Basis) -> tuple[Line, ...]:
    """Sizes of groups first, then the measures that speak of risk."""
    before, after = group_risk(extra.sizes_before), group_risk(extra.class_sizes)
    if before is None or after is None:
        return _measure_lines(extra, basis, lambda info: info.risk)
    measures = _measure_lines(extra, basis, lambda info: info.risk and info is not K)
    return (*_size_lines(before, after), *measures)  # sizes have said what k is


def utility_lines(extra: ReleaseExtra, basis: Basis) -> tuple[Line, ...]:
    return _measure_lines(extra, basis, lambda info: not info.risk)


def _size_lines(before: GroupRisk, after: GroupRisk) -> tuple[Line, ...]:
    def line(name: str, told: Callable[[GroupRisk], str], note: str = "") -> Line:
        return Line(name, told(before), told(after), note)

    def under(bound: int) -> Callable[[GroupRisk], str]:
        return lambda risk: _of_rows(risk.under[bound], risk)

    return (
        line("rows", lambda risk: words.number(risk.rows)),
        line("groups of equal key values", lambda risk: words.number(risk.groups)),
        line("smallest group (k)", lambda risk: words.number(risk.smallest)),
        line("rows alone in their group", lambda risk: _of_rows(risk.alone, risk)),
        *(line(f"rows in groups under {bound}", under(bound)) for bound in SMALL),
        line(
            "expected re-identifications",
            lambda risk: _of_rows(risk.groups, risk),
            "sum over rows of 1 / size of the row’s group = number of groups; "
            "as a share: groups / rows",
        ),
        line(
            "highest risk of a row",
            lambda risk: f"1/{words.number(risk.smallest)} = {words.percent(float(risk.highest))}",
            "1 / size of the smallest group = 1 / k",
        ),
    )


def _of_rows(count: int, risk: GroupRisk) -> str:
    return f"{words.number(count)} ({words.percent(count / risk.rows)})"


def _measure_lines(
    extra: ReleaseExtra, basis: Basis, wanted: Callable[[MeasureInfo], bool]
) -> tuple[Line, ...]:
    """Every measure that either side knows; what a side lacks is said to be undefined there."""

    def told(values: Mapping[str, Number], name: str) -> str:
        return words.human(name, values[name], basis) if name in values else UNDEFINED

    names = dict.fromkeys((*extra.before, *extra.after))
    return tuple(
        Line(
            words.long_name(name, basis),
            told(extra.before, name),
            told(extra.after, name),
            _note(name, extra.secrecy),
        )
        for name in names
        if wanted(words.known(name)[0])
    )


def _note(name: str, secrecy: Secrecy) -> str:
    allowed = words.percent(float(secrecy.at_risk))
    return words.known(name)[0].note.replace("{at_risk}", allowed)


def column_utility(change: ColumnChange) -> ColumnUtility:
    """Nothing is lost before: every value of a column stands for itself."""
    measured = change.loss is not None
    return ColumnUtility(
        column=change.column,
        values_before=change.values_before,
        values_after=change.values_after,
        loss_before=words.percent(0.0) if measured else "–",
        loss_after=words.percent(change.loss) if change.loss is not None else "–",
        moved=words.percent(change.moved),
    )
