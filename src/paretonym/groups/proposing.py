"""Fuzzy values for a column of which the user said nothing, from its own quantiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import accumulate

from paretonym.errors import JobError
from paretonym.model.fuzzy import ANY, FuzzyValue, Variable
from paretonym.model.numbers import parse_number

FEWEST_NUMBERS = 10  # distinct ones; below that, numbers are taken for codes
MOST_NAMED = 6  # values of a categorical column that become fuzzy values
_SHARES = (0.25, 0.42, 0.58, 0.75)  # neighbours cross near the thirds of the records


def propose(
    column: str,
    texts: Sequence[str | None],
    counts: Sequence[float],
    *,
    decimal_comma: bool = False,
) -> Variable:
    """Low, middle and high of a numeric column; the most frequent values of any other one."""
    there = [(t, float(c)) for t, c in zip(texts, counts, strict=True) if t is not None and c > 0]
    if not there:
        raise JobError(f"variable '{column}' has no values; leave it out")
    weights: dict[Decimal, float] = {}
    for text, count in sorted(there):
        number = parse_number(text, decimal_comma=decimal_comma)
        if number is None:
            return Variable(column, tuple(_most_frequent(there)))
        weights[number] = weights.get(number, 0.0) + count
    if len(weights) < FEWEST_NUMBERS:
        return Variable(column, tuple(_most_frequent(there)))
    return Variable(column, tuple(_levels(weights)))


def _most_frequent(there: list[tuple[str, float]]) -> Iterator[FuzzyValue]:
    ordered = sorted(there, key=lambda pair: (-pair[1], pair[0]))
    for text, _ in sorted(ordered[:MOST_NAMED]):
        name = text if text.strip() and text != ANY else f"'{text}'"
        yield FuzzyValue(name, "is", (text,))


def _levels(weights: dict[Decimal, float]) -> Iterator[FuzzyValue]:
    """Three values at four quantiles; where some agree two, and crisp ones where all do."""
    numbers = sorted(weights)
    knots = [_text(number) for number in _quantiles(numbers, weights)]
    if len(set(knots)) == len(knots):
        yield FuzzyValue("low", "z", (knots[0], knots[1]))
        yield FuzzyValue("middle", "pi", tuple(knots))
        yield FuzzyValue("high", "s", (knots[2], knots[3]))
    elif knots[0] != knots[-1]:
        yield FuzzyValue("low", "z", (knots[0], knots[-1]))
        yield FuzzyValue("high", "s", (knots[0], knots[-1]))
    else:
        place = numbers.index(Decimal(knots[0]))
        last = place if place + 1 < len(numbers) else place - 1  # the last that counts as low
        yield FuzzyValue("low", "range", (_text(numbers[0]), _text(numbers[last])))
        yield FuzzyValue("high", "range", (_text(numbers[last + 1]), _text(numbers[-1])))


def _quantiles(numbers: list[Decimal], weights: dict[Decimal, float]) -> Iterator[Decimal]:
    """The smallest value that at least such a share of the records does not exceed."""
    sums = list(accumulate(weights[number] for number in numbers))
    for share in _SHARES:
        yield next(n for n, s in zip(numbers, sums, strict=True) if s >= share * sums[-1])


def _text(number: Decimal) -> str:
    return format(number, "f")
