"""Nested numeric intervals with exact decimal edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow
from decimal import localcontext as decimal_context
from itertools import pairwise

from paretonym.encode.hierarchies.draft import Draft, Level, plural
from paretonym.errors import HierarchyError
from paretonym.model.hierarchy import Intervals
from paretonym.model.numbers import DIGITS, fits, parse_number

# wide enough for every sum and quotient of such numbers; anything rounded would be a defect
EXACT = Context(prec=4 * DIGITS, traps=[Inexact, InvalidOperation, Overflow, DivisionByZero])


def draft_intervals(spec: Intervals, column: str, values: Sequence[str]) -> Draft:
    """One level per width, half-open intervals [a, a + width) counted from the origin."""
    with decimal_context(EXACT):
        check_intervals(spec, column)
        numbers = read_numbers(spec, column, values)
        levels = []
        # each width divides the next, so a level is found from the edges below, not the values
        edges = dict(numbers)
        for width in spec.widths:
            lower = {edge: lower_edge(edge, width, spec.origin) for edge in set(edges.values())}
            edges = {value: lower[edge] for value, edge in edges.items()}
            levels.append(make_level(spec, width, numbers, edges))
    return Draft(leaves=tuple(values), levels=tuple(levels), keys=numbers)


def make_level(
    spec: Intervals,
    width: Decimal,
    numbers: Mapping[str, Decimal],
    edges: Mapping[str, Decimal],
) -> Level:
    texts = {edge: f"[{plain(edge)}, {plain(edge + width)})" for edge in set(edges.values())}

    def label(value: str) -> str:
        if spec.bottom is not None and numbers[value] < spec.bottom:
            return f"< {plain(spec.bottom)}"
        if spec.top is not None and numbers[value] >= spec.top:
            return f">= {plain(spec.top)}"
        return texts[edges[value]]

    return Level(f"width {plain(width)}", tuple(label(value) for value in numbers))


def lower_edge(number: Decimal, width: Decimal, origin: Decimal) -> Decimal:
    """The largest origin + i·width that is not above the number."""
    # Decimal's remainder takes the sign of the dividend, unlike that of int
    rest = (number - origin) % width
    return number - rest - width if rest < 0 else number - rest


def plain(number: Decimal) -> str:
    """Neither exponent nor trailing zeros, and no minus before a zero."""
    return format(number.normalize(EXACT), "f") if number else "0"


def read_numbers(spec: Intervals, column: str, values: Sequence[str]) -> dict[str, Decimal]:
    numbers: dict[str, Decimal] = {}
    for value in values:
        number = parse_number(value, decimal_comma=spec.decimal_comma)
        if number is not None:
            numbers[value] = number
    refused = len(values) - len(numbers)
    if refused:
        sign = "comma" if spec.decimal_comma else "point"
        raise HierarchyError(
            f"column '{column}': intervals need numbers, and {plural(refused, 'value')} of "
            f"{len(values)} cannot be read as one (decimal {sign}, at most {DIGITS} digits); "
            f"declare such texts under missing:, set decimal_comma, or use another hierarchy"
        )
    return numbers


def check_intervals(spec: Intervals, column: str) -> None:
    bounds = [bound for bound in (spec.bottom, spec.top) if bound is not None]
    if not spec.widths:
        raise HierarchyError(
            f"column '{column}': intervals need at least one width; for no interval at all "
            f"use hierarchy: suppress"
        )
    if not all(fits(number) for number in (*spec.widths, spec.origin, *bounds)):
        raise HierarchyError(
            f"column '{column}': widths, origin, bottom and top must be finite numbers of at most "
            f"{DIGITS} digits"
        )
    if spec.widths[0] <= 0:
        raise HierarchyError(f"column '{column}': interval widths must be above zero")
    for narrow, wide in pairwise(spec.widths):
        if wide <= narrow:
            raise HierarchyError(
                f"column '{column}': interval widths must ascend, and {plain(wide)} follows "
                f"{plain(narrow)}"
            )
        if wide % narrow:
            raise HierarchyError(
                f"column '{column}': the width {plain(narrow)} does not divide {plain(wide)}, so "
                f"its intervals would not nest; use multiples such as {plain(2 * narrow)}"
            )
    check_bounds(spec, column)


def check_bounds(spec: Intervals, column: str) -> None:
    """Bottom and top must be edges at every level, or an interval would be cut in two."""
    for name, bound in (("bottom", spec.bottom), ("top", spec.top)):
        for width in spec.widths if bound is not None else ():
            if bound is not None and (bound - spec.origin) % width:
                below = lower_edge(bound, width, spec.origin)
                raise HierarchyError(
                    f"column '{column}': {name} {plain(bound)} is not an edge of the intervals of "
                    f"width {plain(width)} from {plain(spec.origin)}; use {plain(below)} or "
                    f"{plain(below + width)}"
                )
    if spec.bottom is not None and spec.top is not None and spec.bottom >= spec.top:
        raise HierarchyError(
            f"column '{column}': bottom {plain(spec.bottom)} must lie below top {plain(spec.top)}"
        )
