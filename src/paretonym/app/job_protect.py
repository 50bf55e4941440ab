"""The form of what a job says of protecting a group; docs/job-file.md describes each field."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, Field, PlainValidator

from paretonym.app import job_text as text
from paretonym.app.job_text import PERCENT, Form, Saying
from paretonym.model.protect import (
    Against,
    Influence,
    KeptMargin,
    Memetic,
    Method,
    NewOutliers,
    ProtectSpec,
    Threshold,
)

_DEFAULT = ProtectSpec()
_EVOLVED = Memetic()
_SHAPES = "{ordinal: 1}, {categorical: 2} or {categorical: 1, groups: {few: [a, b]}}"


def _choice(known: Any, what: str) -> PlainValidator:
    words = list(get_args(known))
    return PlainValidator(lambda value: text.choice(value, words, what))


def _influential(value: Any) -> tuple[Influence, ...]:
    """A list of columns that count 1, or a mapping that says more of each."""
    value = text.listed(value)
    if isinstance(value, list) and value and all(isinstance(name, str) for name in value):
        return tuple(Influence(name) for name in dict.fromkeys(value))
    if not isinstance(value, dict) or not value:
        raise text.fault(f"expected a list of columns, or a mapping such as age: {_SHAPES}")
    return tuple(_influence(column, given) for column, given in value.items())


def _influence(column: str, given: Any) -> Influence:
    kinds = [kind for kind in ("ordinal", "categorical") if isinstance(given, dict)
             and kind in given]  # fmt: skip
    rest = set(given) - {*kinds, "groups"} if isinstance(given, dict) else {""}
    if len(kinds) != 1 or rest or (kinds[0] == "ordinal" and "groups" in given):
        raise text.fault(f"column {text.shown(column)}: expected {_SHAPES}")
    weight = text.read_number(given[kinds[0]])
    if weight <= 0 or weight.as_tuple().exponent < -6:  # type: ignore[operator]
        raise text.fault(f"column {text.shown(column)}: a weight is above 0, with six decimals "
                         f"at most")  # fmt: skip
    groups: Any = given.get("groups", {})
    listed: list[Any] = (
        [text.listed(c) for c in groups.values()] if isinstance(groups, dict) else []
    )
    if not isinstance(groups, dict) or not all(isinstance(c, list) and c for c in listed):
        raise text.fault(f"column {text.shown(column)}: groups is a mapping from names to codes")
    codes = [code for part in listed for code in part]
    if len(set(codes)) < len(codes):
        raise text.fault(f"column {text.shown(column)}: a code stands in two groups")
    return Influence(column, Fraction(weight), kinds[0] == "ordinal", tuple(map(tuple, listed)))


def _part(value: Any) -> Fraction:
    number = text.read_number(value)
    if not 0 <= number < 1:
        raise text.fault("expected a part from 0 on and below 1, such as 0.2")
    return Fraction(number)


def _remaining(value: Any) -> Fraction:
    """A percentage; 0 alone is clear as well."""
    if value == "0":
        return Fraction(0)
    return Fraction(text.read_rate(value)).limit_denominator(10**6)


def _largest_part(value: Any) -> Fraction:
    match = PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or not 0 < Decimal(match[1]) <= 100:
        raise text.fault("expected a percentage above 0% and at most 100%, such as 30%")
    return Fraction(Decimal(match[1])) / 100


def _grade(value: Any) -> float:
    number = text.read_number(value)
    if not 0 < number <= 1:
        raise text.fault("expected a number above 0 and at most 1, such as 0.5")
    return float(number)


def _by_hand(value: Any) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, dict) or not value:
        raise text.fault("expected a mapping from areas to numbers, such as {031-00702: 10}")
    return tuple((area, text.read_whole(number)) for area, number in value.items())


def _margins(value: Any) -> tuple[KeptMargin, ...]:
    if not isinstance(value, list):
        raise text.fault("expected a list of lists of columns, such as [[area, sex]]")
    return tuple(_margin(one) for one in value)


def _margin(one: Any) -> KeptMargin:
    within = 0
    if isinstance(one, dict) and set(one) <= {"columns", "within"}:
        within, one = text.read_whole(one.get("within", "0")), one.get("columns")
    if not isinstance(one, list) or not one or not all(isinstance(name, str) for name in one):
        raise text.fault("a margin is a list of columns, or {columns: [area, sex], within: 5}")
    return KeptMargin(tuple(dict.fromkeys(one)), within)


Areas = Annotated[tuple[str, ...], BeforeValidator(text.listed)]


class MemeticForm(Form):
    """The memetic algorithm of paper 004."""

    population: Annotated[int, text.whole_between(2, 100_000)] = _EVOLVED.population
    pairs: Annotated[int, text.whole_between(1, 100_000)] = _EVOLVED.pairs
    generations: Annotated[int, text.whole_between(0, 1_000_000)] = _EVOLVED.generations
    runs: Annotated[int, text.whole_between(1, 10_000)] = _EVOLVED.runs
    tournament: Annotated[int, text.whole_between(1, 100_000)] = _EVOLVED.tournament
    crossover: Annotated[float, PlainValidator(text.read_rate)] = _EVOLVED.crossover
    mutation: Annotated[float, PlainValidator(text.read_rate)] = _EVOLVED.mutation
    local: Annotated[float, PlainValidator(text.read_rate)] = _EVOLVED.local
    centre: Annotated[int, text.whole_between(0, 10**9)] | None = None


class ThresholdForm(Form):
    """To what an outlier should sink."""

    largest: Annotated[int, text.whole_between(1, 10**6)] = Threshold().largest
    extra: Annotated[Fraction, PlainValidator(_part)] = Threshold().extra
    areas: Annotated[tuple[tuple[str, int], ...], PlainValidator(_by_hand)] = ()


class ProtectForm(Form):
    """What must hold after the swaps, what may be touched, and what it may cost."""

    method: Annotated[Method, _choice(Method, "method")] = _DEFAULT.method
    against: Annotated[Against, _choice(Against, "adversary")] | None = None
    influential: Annotated[tuple[Influence, ...], PlainValidator(_influential)] = ()
    threshold: ThresholdForm = ThresholdForm()
    compatibility: Annotated[float, PlainValidator(_grade)] = _DEFAULT.compatibility
    remaining: Annotated[Fraction, PlainValidator(_remaining)] = _DEFAULT.remaining
    distortion: Annotated[Fraction, PlainValidator(_largest_part)] = _DEFAULT.distortion
    new_outliers: Annotated[NewOutliers, _choice(NewOutliers, "way")] = _DEFAULT.new_outliers
    keep_margins: Annotated[tuple[KeptMargin, ...], PlainValidator(_margins)] = ()
    leave: Areas = Field((), alias="from")
    enter: Areas = Field((), alias="to")
    untouched: Saying | None = None
    memetic: MemeticForm = MemeticForm()

    def spec(self) -> ProtectSpec:
        sink = self.threshold
        return ProtectSpec(
            **{name: getattr(self, name) for name in _SAME},
            threshold=Threshold(sink.largest, sink.extra, sink.areas),
            memetic=Memetic(**dict(self.memetic), improved=self.method == "improved"),
        )

    def columns(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Columns of the main table that are named, and where."""
        for one in self.influential:
            yield ("influential", one.column), one.column
        for number, margin in enumerate(self.keep_margins):
            for column in margin.columns:
                yield ("keep_margins", number), column
        for column in self.untouched.columns if self.untouched else ():
            yield ("untouched",), column


_SAME = ("method", "against", "influential", "compatibility", "remaining", "distortion",
         "new_outliers", "keep_margins", "leave", "enter", "untouched")  # fmt: skip
PROTECT_FORMS: tuple[type[Form], ...] = (ProtectForm, ThresholdForm, MemeticForm)
