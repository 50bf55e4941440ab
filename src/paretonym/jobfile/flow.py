"""Plain data as YAML in flow style, on lines that fit a screen."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from paretonym.errors import JobError
from paretonym.jobfile.quoting import quoted

WIDTH = 99
LONGEST_KEY = 1000  # YAML ends the search for a key's colon at 1024 characters
# percentages and measures: no reader takes them for anything but a text
_BARE = re.compile(r"\d+(\.\d+)?%|[a-z_]+\([A-Za-z_][A-Za-z0-9_.-]*\)")


def as_read(value: Any) -> Any:
    """The value as the reader of jobs will see it: lists, mappings and texts."""
    if isinstance(value, Mapping):
        return {as_read(key): as_read(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [as_read(item) for item in value]
    return _text(value)


def scalar(value: Any) -> str:
    """A number as it is; a text in quotes where it needs them."""
    text = _text(value)
    return text if not isinstance(value, str) or _BARE.fullmatch(text) else quoted(text)


def flow(value: Any, *, column: int, indent: int, newline: str) -> str:
    """The value from this column on; lines that cannot be aligned start with `indent` blanks."""
    return _laid(value, column, indent).replace("\n", newline)


def keyed(key: str) -> str:
    """A key of a flow mapping with its colon."""
    written = scalar(key)
    return f"? {written} : " if len(written) > LONGEST_KEY else f"{written}: "


def _laid(value: Any, column: int, indent: int) -> str:
    """On one line where it fits; else what nests gets a line for each entry."""
    entries = _entries(value)
    if entries is None:
        return scalar(value)
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    line = _one_line(value)
    if column + len(line) <= WIDTH or not entries:
        return line
    inner = column + 1 if column < WIDTH // 2 else indent
    nested = any(_entries(inside) is not None for _, inside in entries)
    text, at = opening, column + 1
    for number, (head, inside) in enumerate(entries):
        last = number == len(entries) - 1
        room = at + 1 + len(head) + len(_one_line(inside)) + 1 <= WIDTH
        if number and (nested or not room):
            text, at = f"{text}\n{' ' * inner}", inner
        elif number:
            text, at = f"{text} ", at + 1
        new = head + _laid(inside, at + len(head), indent + 2) + (closing if last else ",")
        text, at = text + new, at + len(new) if "\n" not in new else len(new.rsplit("\n")[-1])
    return text


def _entries(value: Any) -> list[tuple[str, Any]] | None:
    """Each value inside with its key; None for what holds none."""
    if isinstance(value, Mapping):
        return [(keyed(_text(key)), inside) for key, inside in value.items()]
    if isinstance(value, list | tuple):
        return [("", item) for item in value]
    return None


def _one_line(value: Any) -> str:
    entries = _entries(value)
    if entries is None:
        return scalar(value)
    inside = ", ".join(head + _one_line(item) for head, item in entries)
    return f"{{{inside}}}" if isinstance(value, Mapping) else f"[{inside}]"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}"
    if isinstance(value, str) and value.isascii():
        return value
    if isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value):
        return value
    raise JobError(
        "a job holds texts, numbers, true and false, lists and mappings; give one of them"
    )
