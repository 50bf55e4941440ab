"""Texts as YAML scalars that read back as they were meant."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*")
# plain words that YAML readers other than ours take for something else
_TAKEN = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan", "inf"])


def quoted(text: str) -> str:
    """A YAML scalar that reads back as this text, plain where no reader could err."""
    if _PLAIN.fullmatch(text) and text.lower() not in _TAKEN:
        return text
    return f'"{"".join(map(escaped, text))}"'


def escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    if character == "\t":
        return "\\t"
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )
