"""How a text states a number: exactly, and by the same rule wherever a table is read."""

from __future__ import annotations

import re
from decimal import Decimal

# Python's Decimal also reads "1_000", "NaN" and other scripts' digits; a table's text may not
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
DIGITS = 300  # before and after the point; keeps hostile texts such as 1e999999 cheap


def parse_number(text: str, *, decimal_comma: bool) -> Decimal | None:
    """The exact number a text states, or None."""
    text = text.strip(" ")
    if decimal_comma:
        # a point would be a thousands separator or another notation: not guessed
        if "." in text:
            return None
        text = text.replace(",", ".")
    if len(text) > 2 * DIGITS or not NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    return number if fits(number) else None


def fits(number: Decimal) -> bool:
    """Finite, and no digit further than DIGITS from the point."""
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):  # NaN and Infinity carry a letter here
        return False
    return -DIGITS <= exponent <= DIGITS and (not number or number.adjusted() < DIGITS)
