"""Levels as they are typed in a terminal."""

from __future__ import annotations

import re

from paretonym.errors import JobError

# up to the first number that a comma or the end follows: a name may hold commas itself
_LEVEL = re.compile(r"(.*?)=\s*([0-9]+)\s*(?:,(?=.)|$)", re.DOTALL)

_DIGITS = 9  # no hierarchy has more levels than that


def parse_levels(text: str) -> dict[str, int]:
    """`age=1,zip=0` to a mapping."""
    levels: dict[str, int] = {}
    rest = text
    while rest or not levels:
        part = _LEVEL.match(rest)
        if not part or len(part[2]) > _DIGITS:
            raise JobError(f"--levels: '{rest.strip()[:60]}' is not column=level, such as age=1")
        name = part[1].strip()
        if name in levels:
            raise JobError(f"--levels: '{name}' is given twice")
        levels[name] = int(part[2])
        rest = rest[part.end() :]
    return levels
