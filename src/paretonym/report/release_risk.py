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
SMALL = (3, 5, 10)  # classes of fewer rows are counted


@dataclass(frozen=True, slots=True)
class ClassRisk:
    """What the sizes of classes say, exactly."""

    rows: int
    classes: int
    smallest: int
    alone: int  # rows that are a class of their own
    under: Mapping[int, int]  # rows in classes of fewer than so many

    @property
    def expected(self) -> Fraction:
        """Mean over rows of 1 / size of the row's class: classes / rows."""
        return Fraction(self.classes, self.rows)

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


def class_risk(sizes: Iterable[tuple[int, int]]) -> ClassRisk | None:
    """None where there is no row: nothing can be said of an empty table."""
    counted = [(size, count) for size, count in sizes if size > 0 and count > 0]
    if not counted:
        return None
    return ClassRisk(
        rows=sum(size * count for size, count in counted),
        classes=sum(count for _, count in counted),
        smallest=min(size for size, _ in counted),
        alone=sum(count for size, count in counted if size == 1),
        under={
            bound: sum(size * count for size, count in counted if size < bound) for bound in SMALL
        },
    )


def risk_lines(extra: ReleaseExtra, basis: Basis) -> tuple[Line, ...]:
    """Sizes of classes first, then the measures that speak of risk."""
    before, after = class_risk(extra.sizes_before), class_risk(extra.class_sizes)
    if before is None or after is None:
        return _measure_lines(extra, basis, lambda info: info.risk)
    measures = _measure_lines(extra, basis, lambda info: info.risk and info is not K)
    return (*_size_lines(before, after), *measures)  # sizes have said what k is


def utility_lines(extra: ReleaseExtra, basis: Basis) -> tuple[Line, ...]:
    return _measure_lines(extra, basis, lambda info: not info.risk)


def _size_lines(before: ClassRisk, after: ClassRisk) -> tuple[Line, ...]:
    def line(name: str, told: Callable[[ClassRisk], str], note: str = "") -> Line:
        return Line(name, told(before), told(after), note)

    def under(bound: int) -> Callable[[ClassRisk], str]:
        return lambda risk: _of_rows(risk.under[bound], risk)

    return (
        line("rows", lambda risk: words.number(risk.rows)),
        line("classes of equal key values", lambda risk: words.number(risk.classes)),
        line("smallest class (k)", lambda risk: words.number(risk.smallest)),
        line("rows alone in their class", lambda risk: _of_rows(risk.alone, risk)),
        *(line(f"rows in classes under {bound}", under(bound)) for bound in SMALL),
        line(
            "expected re-identifications",
            lambda risk: _of_rows(risk.classes, risk),
            "sum over rows of 1 / size of the row’s class = number of classes; "
            "as a share: classes / rows",
        ),
        line(
            "highest risk of a row",
            lambda risk: f"1/{words.number(risk.smallest)} = {words.percent(float(risk.highest))}",
            "1 / size of the smallest class = 1 / k",
        ),
    )


def _of_rows(count: int, risk: ClassRisk) -> str:
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
    info, parsed = words.known(name)
    return parsed.fill(info.note, at_risk=words.percent(float(secrecy.at_risk)))


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
