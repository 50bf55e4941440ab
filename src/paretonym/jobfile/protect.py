"""The form of what a job says of protecting a group; docs/job-file.md explains it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from paretonym.jobfile import texts as text
from paretonym.jobfile.keys import Reads, key, percent
from paretonym.jobfile.texts import PERCENT, Form, Rate, Saying
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
    """The memetic algorithm of Chertov and Tavrov 2017, with its own parameters as defaults."""

    population: Annotated[
        int, text.whole_between(2, 100_000), key("solutions kept at a time", "100")
    ] = _EVOLVED.population
    pairs: Annotated[
        int, text.whole_between(1, 100_000), key("pairs of parents in a generation", "40")
    ] = _EVOLVED.pairs
    generations: Annotated[
        int, text.whole_between(0, 1_000_000), key("rounds of one run", "1000")
    ] = _EVOLVED.generations
    runs: Annotated[int, text.whole_between(1, 10_000), key("separate runs", "10")] = _EVOLVED.runs
    tournament: Annotated[
        int, text.whole_between(1, 100_000), key("how many compete to be parents", "5")
    ] = _EVOLVED.tournament
    crossover: Annotated[Rate, key("how often a pair recombines", "100%")] = _EVOLVED.crossover
    mutation: Annotated[
        Rate, key("how often each operator acts; tenfold while solutions are alike", "0.1%")
    ] = _EVOLVED.mutation
    local: Annotated[
        Rate, key("share of rows that look for another record to swap with", "75%")
    ] = _EVOLVED.local
    centre: Annotated[
        Annotated[int, text.whole_between(0, 10**9)] | None,
        key("so many swaps halve the fitness", "130",
            unset="8 more than bring every outlier to its threshold"),
    ] = None  # fmt: skip


class ThresholdForm(Form):
    """To what an outlier should sink."""

    largest: Annotated[
        int,
        text.whole_between(1, 10**6),
        key("the threshold is the K-th largest value that does not stand out", "2"),
    ] = Threshold().largest
    extra: Annotated[
        Fraction,
        Reads(_part, "a part from 0 on and below 1"),
        key("lower by this part of the outlier's distance from it", "0.2"),
    ] = Threshold().extra
    areas: Annotated[
        tuple[tuple[str, int], ...],
        Reads(_by_hand, "a mapping from areas to whole numbers"),
        key("thresholds by hand", "{031-00702: 10}", unset="none"),
    ] = ()


class ProtectForm(Form):
    """What must hold after the swaps, what may be touched, and what it may cost."""

    method: Annotated[
        Method,
        text.one_of(Method, "method"),
        key("`flow`: the least distortion, proven where the gap is 0. `memetic`: the algorithm of "
            "Tavrov and Chertov 2016 and Chertov and Tavrov 2017. `improved`: the same with a "
            "better local search", "flow"),
    ] = _DEFAULT.method  # fmt: skip
    against: Annotated[
        Annotated[Against, text.one_of(Against, "adversary")] | None,
        key("`attributes`: the group as `vital` tells it. `model`: as evolved fuzzy rules tell it, "
            "from the auxiliary file. `both`: one after the other", "both",
            unset="`both` with an auxiliary file, else `attributes`"),
    ] = None  # fmt: skip
    influential: Annotated[
        tuple[Influence, ...],
        Reads(_influential, "a list of columns, or a mapping from columns to how they count"),
        key("columns that should change little. `categorical: w` counts w for different values, "
            "`ordinal: w` counts w times the squared difference by the sum; `groups` puts values "
            "together", "{age: {ordinal: 1}, sex: {categorical: 2}}",
            unset="the columns behind `basic`, each categorical and counting 1"),
    ] = ()  # fmt: skip
    threshold: Annotated[ThresholdForm, key("to what an outlier should sink", "{largest: 3}")] = (
        ThresholdForm()
    )
    compatibility: Annotated[
        float,
        Reads(_grade, "a number above 0 and at most 1"),
        key("how far the restrictions must be fulfilled: the product over the outliers. 1 means "
            "down to the thresholds", "1"),
    ] = _DEFAULT.compatibility  # fmt: skip
    remaining: Annotated[
        Fraction,
        Reads(_remaining, "a percentage, or 0", percent),
        key("the share of old outliers that may stay", "10%"),
    ] = _DEFAULT.remaining
    distortion: Annotated[
        Fraction,
        Reads(_largest_part, "a percentage above 0% and at most 100%", percent),
        key("the largest distortion, of the largest possible one: every member of an outlier "
            "swapped with somebody who differs in everything", "20%"),
    ] = _DEFAULT.distortion  # fmt: skip
    new_outliers: Annotated[
        NewOutliers,
        text.one_of(NewOutliers, "way"),
        key("what becomes of areas that stand out only afterwards", "allow"),
    ] = _DEFAULT.new_outliers
    keep_margins: Annotated[
        tuple[KeptMargin, ...],
        Reads(_margins, "a list; each a list of columns, or `{columns: …, within: …}`"),
        key("columns whose counts with the areas stay as they are, since only records that agree "
            "in them are swapped; `within` allows counts to change by so many",
            "[[area, sex], {columns: [area, age], within: 3}]", unset="none"),
    ] = ()  # fmt: skip
    leave: Annotated[
        Areas, key("areas that members may leave", "[east-06]", unset="the outliers")
    ] = Field((), alias="from")
    enter: Annotated[
        Areas, key("areas that members may enter", "[east-05]", unset="all others")
    ] = Field((), alias="to")
    untouched: Annotated[
        Saying | None, key("records that stay as they are", "age >= 60", unset="none")
    ] = None
    memetic: Annotated[MemeticForm, key("parameters of `memetic` and `improved`", "{runs: 3}")] = (
        MemeticForm()
    )

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
