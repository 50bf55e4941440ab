"""Round, nested intervals for a column of numbers, sized by where most of its rows lie."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext

from paretonym.model.hierarchy import Intervals
from paretonym.model.numbers import parse_number

_BLOCKS = 16  # intervals of the narrowest width over most of the rows, at most
_LARGEST_EXPONENT = 50  # a job writes its numbers in full
# what widths of 1, 2 and 5 grow by, the roundest first; the next is for spans too short for it
_ROUND = {1: ((1, 5, 10), (1, 2, 4)), 2: ((1, 5, 10), (1, 2, 4)), 5: ((1, 2, 4),)}
_TAILS = 1, 5  # percent of the rows at either end that may be far out

Counted = Sequence[tuple[Decimal, int]]  # numbers with their rows, ascending


def intervals_for(
    texts: Sequence[str | None], rows: Sequence[int], *, whole: bool, decimal_comma: bool
) -> Intervals | None:
    """None where there is nothing to cut."""
    counted: list[tuple[Decimal, int]] = []
    for text, count in zip(texts, rows, strict=True):
        number = None if text is None else parse_number(text, decimal_comma=decimal_comma)
        if number is not None:
            counted.append((number, count))
    counted.sort()
    blocks = min(_BLOCKS, max(2, len(counted) // 2))  # an interval should hold several numbers
    widths = round_widths(spread(counted), whole=whole, blocks=blocks)
    if not widths:
        return None
    bottom, top = tails(counted, widths[-1])
    return Intervals(widths, bottom=bottom, top=top, decimal_comma=decimal_comma)


def spread(counted: Counted) -> Decimal:
    """What the middle nine tenths of the rows span, so that a few huge values decide nothing."""
    if not counted:
        return Decimal(0)
    with localcontext(prec=28):  # only a size: rounding is fine
        return percentile(counted, 95) - percentile(counted, 5) or counted[-1][0] - counted[0][0]


def percentile(counted: Counted, percent: int) -> Decimal:
    """The least number that at least this share of the rows does not exceed."""
    row = -(-sum(count for _, count in counted) * percent // 100) - 1
    for number, count in counted:
        row -= count
        if row < 0:
            return number
    return counted[-1][0]


def round_widths(span: Decimal, *, whole: bool, blocks: int = _BLOCKS) -> tuple[Decimal, ...]:
    """1, 2 or 5 times a power of ten and round multiples of it, up to half the span."""
    if span <= 0 or abs(span.adjusted()) > _LARGEST_EXPONENT:
        return ()
    with localcontext(prec=28):
        target = span / blocks
        if whole:
            target = max(target, Decimal(2))  # a width of one is the number itself
        unit = Decimal(1).scaleb(target.adjusted())
        digit = next((d for d in _ROUND if d * unit >= target), None)
        if digit is None:
            digit, unit = 1, unit * 10
        narrow = digit * unit
        ladders = [
            tuple(narrow * f for f in factors if f == 1 or narrow * f * 2 <= span)
            for factors in _ROUND[digit]
        ]
        return next((ladder for ladder in ladders if len(ladder) > 1), ladders[0])


def tails(counted: Counted, widest: Decimal) -> tuple[Decimal | None, Decimal | None]:
    """Bottom and top, each where few rows at that end reach further than all the others.

    Otherwise most intervals would be empty. Both are edges of the widest interval, hence of all.
    """
    few, more = _TAILS
    with localcontext(prec=2 * _LARGEST_EXPONENT):
        inner_low, inner_high = percentile(counted, more), percentile(counted, 100 - more)
        low, high = percentile(counted, few), percentile(counted, 100 - few)
        within = inner_high - inner_low
        if within <= 0:  # nearly all rows are alike, and the widths were sized by the others
            return None, None
        low = inner_low if inner_low - low > within else low
        high = inner_high if high - inner_high > within else high
        far = max(high - low, widest)
        bottom = _edge(low, widest) if low - counted[0][0] > far else None
        top = _edge(high, widest) + widest if counted[-1][0] - high > far else None
    return bottom, top


def _edge(number: Decimal, width: Decimal) -> Decimal:
    return (number / width).to_integral_value(ROUND_FLOOR) * width
