"""A job's text, changed in place: comments, quotes, order and blank lines stay as they are.

Only the slice of text that holds a value is written anew. Afterwards the whole text is read
again: it must say exactly what it said before, but for the changes, or it is not given out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml.error import YAMLError

from paretonym.errors import JobError
from paretonym.jobfile.errors import place
from paretonym.jobfile.flow import LONGEST_KEY, WIDTH, as_read, flow, keyed, scalar
from paretonym.jobfile.layout import Entry, Piece, YamlLayout, layout_of
from paretonym.jobfile.texts import shown
from paretonym.jobfile.yaml import Where, read_yaml

__all__ = ["Change", "edited", "said_of"]

_NAME = "the job"
_MARK = "\ufeff"  # some editors start a file with it
_HANG = 4  # blanks before the further lines of a value, from its key on
_MOST_SAID = 6  # entries that a label names
_GUESS = re.compile(r"\bguess:")
_DECIDED = "edited since; the guess was:"


@dataclass(frozen=True, slots=True)
class Change:
    """A value for a key or for an item of a list, or that it goes.

    The steps of the path are keys and numbers of items, counted from 0; the number behind the
    last item adds one. Parents that are missing are made.
    """

    path: Where
    value: Any = None
    remove: bool = False


def edited(text: str, changes: Sequence[Change]) -> str:
    """The text after the changes, made one after the other."""
    body = text.removeprefix(_MARK)
    wanted = read_yaml(body, _NAME).data
    layout = layout_of(body)
    for change in changes:
        if not change.path or (change.value is None and not change.remove):
            raise JobError("a change names a place in the job, and gives a value or removes it")
        try:
            layout = _changed(layout, change)
        except (YAMLError, LookupError):  # what was written is no YAML, or not of this form
            raise _by_hand(changes) from None
        wanted = _applied(wanted, change.path, change)
    if read_yaml(layout.text, _NAME).data != wanted:
        raise _by_hand(changes)
    return text[: len(text) - len(body)] + layout.text


def _by_hand(changes: Sequence[Change]) -> JobError:
    said = ", ".join(place(change.path) for change in changes)
    return JobError(f"{said}: cannot be changed in place here; change the text by hand")


def _changed(layout: YamlLayout, change: Change) -> YamlLayout:
    """Large jobs take long to lay out, so that is done anew only where the text is new."""
    text = _Edit(layout, change).text()
    now = layout if text == layout.text else layout_of(text)
    decided = _decided(now, change.path)
    return now if decided == text else layout_of(decided)


def _decided(layout: YamlLayout, path: Where) -> str:
    """Somebody has decided what a proposal had guessed, so the comment above it says so."""
    text, piece, start, end = layout.text, layout.root, 0, 0
    for step in path[: 2 if path[0] == "columns" else 1]:
        found = None if piece is None or piece.kind != "mapping" else piece.find(step)
        if piece is None or found is None:
            return text  # it was removed, or stands in another form
        start = piece.entries[found - 1].end if found else start
        end = piece.entries[found].start
        start, piece = min(start, end), piece.entries[found].value
    lines = text[start:end].splitlines(keepends=True)
    first = len(lines) - 1 if lines and not lines[-1].strip() else len(lines)
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    above = "".join(lines[first:])
    return text[: end - len(above)] + _GUESS.sub(_DECIDED, above) + text[end:]


def said_of(change: Change) -> str:
    """A short label: `age: role = quasi`."""
    steps = [shown(step) if isinstance(step, str) else f"item {step + 1}" for step in change.path]
    if len(steps) > 1 and change.path[0] == "columns":
        steps = steps[1:]
    head, rest = steps[0], ", ".join(steps[1:])
    where = f"{head}: {rest}" if rest else head
    return f"{where} removed" if change.remove else f"{where} = {_said(change.value)}"


def _said(value: Any) -> str:
    """Groups and orders list values of the table, so they are counted and not named."""
    if isinstance(value, Mapping) and len(value) <= _MOST_SAID:
        return ", ".join(_said_entry(str(key), inside) for key, inside in value.items()) or "none"
    if isinstance(value, Mapping | list | tuple):
        plain = all(isinstance(item, str | int | float) for item in value)
        if plain and len(value) <= _MOST_SAID:
            return ", ".join(map(_said, value)) or "none"
        return f"{len(value)} entries"
    if not isinstance(value, str):
        return scalar(value)
    short = shown(value)
    return short[1:-1] if short.startswith("'") else short


def _said_entry(key: str, inside: Any) -> str:
    if key in ("groups", "order", "map") and isinstance(inside, Mapping | list | tuple):
        return f"{key} ({len(inside)})"
    if isinstance(inside, Mapping):
        return f"{shown(key)} (…)"
    return f"{shown(key)} {_said(inside)}"


def _applied(data: Any, path: Where, change: Change) -> Any:
    """The data with the change made; what it was before is left alone."""
    if not path:
        return as_read(change.value)
    step, *rest = path
    if isinstance(step, int):
        items = list(data or [])
        if change.remove and not rest:
            return items[:step] + items[step + 1 :]
        old = items[step] if step < len(items) else None
        return [*items[:step], _applied(old, tuple(rest), change), *items[step + 1 :]]
    entries = dict(data or {})
    if change.remove and step not in entries:
        return data
    if change.remove and not rest:
        del entries[step]
    else:
        entries[step] = _applied(entries.get(step), tuple(rest), change)
    return entries


def _nested(path: Where, value: Any) -> Any:
    """The value with the parents that are still missing around it."""
    for step in reversed(path):
        if isinstance(step, int) and step:
            raise JobError(f"{place(path)}: a new list starts with its first item")
        value = {step: value} if isinstance(step, str) else [value]
    return value


class _Edit:
    """One change of one text."""

    def __init__(self, layout: YamlLayout, change: Change) -> None:
        self.layout = layout
        self.change = change
        self.source = layout.text
        self.newline = "\r\n" if "\r\n" in self.source else "\n"

    def text(self) -> str:
        """The whole text with the change made."""
        piece, path, indent = self.layout.root, self.change.path, 0
        if piece is None:
            return self.first_entry(path)
        for depth, step in enumerate(path):
            self.check_open(piece, step, path[:depth])
            indent = indent if piece.flow else self.layout.column(piece.entries[0].start)
            found = piece.find(step)
            if found is None:
                return self.add(piece, path[depth:], indent)
            entry, rest = piece.entries[found], path[depth + 1 :]
            if not rest and self.change.remove:
                return self.remove(piece, found)
            if not rest or (entry.value.empty and not self.change.remove):
                return self.replace(entry.value, _nested(rest, self.change.value), indent)
            if entry.value.empty:
                return self.source
            piece = entry.value
        return self.source

    def check_open(self, piece: Piece, step: str | int, path: Where) -> None:
        """A piece that has such steps, and that no alias repeats elsewhere."""
        where = f"{_NAME}, line {self.layout.line(piece.start)}: {place(path)}"
        if piece.kind == "alias":
            raise JobError(f"{where}: an alias (*) repeats a value from elsewhere; write it out")
        if piece.anchor in self.layout.aliased:
            self.refuse_anchor(where)
        if piece.kind != ("mapping" if isinstance(step, str) else "list"):
            kind = "mapping with keys" if isinstance(step, str) else "list"
            raise JobError(f"{where}: expected a {kind}; give it a value as a whole")

    def check_unused(self, piece: Piece) -> None:
        """What goes away is repeated nowhere."""
        if any(anchor in self.layout.aliased for anchor in piece.anchors()):
            line = self.layout.line(piece.start)
            self.refuse_anchor(f"{_NAME}, line {line}: {place(self.change.path)}")

    def refuse_anchor(self, where: str) -> None:
        raise JobError(
            f"{where}: an alias (*) elsewhere repeats this value by its anchor (&), and would "
            f"change with it; write the value out there"
        )

    def spliced(self, start: int, end: int, new: str) -> str:
        return self.source[:start] + new + self.source[end:]

    def written(self, value: Any, column: int, indent: int) -> str:
        return flow(value, column=column, indent=indent + _HANG, newline=self.newline)

    def replace(self, piece: Piece, value: Any, indent: int) -> str:
        """Comments between a key and its value stay, and so does the value's place below them."""
        self.check_unused(piece)
        start, before = piece.start, self.source[piece.slot : piece.start]
        lead = ""
        if piece.empty:
            lead = " " if self.source[piece.slot - 1 : piece.slot] in (":", "-") else ": "
        elif not piece.flow and piece.kind in ("mapping", "list"):
            start, lead = self.block_start(piece, before, indent)
        column = self.layout.column(start) + len(lead)
        return self.spliced(start, piece.end, lead + self.written(value, column, indent))

    def block_start(self, piece: Piece, before: str, indent: int) -> tuple[int, str]:
        """Where a value may start in the place of a block, and the blanks it needs there."""
        if not before.strip() and piece.slot:
            return piece.slot, " "
        return piece.start, " " * (self.layout.column(piece.start) <= indent) * 2

    def add(self, piece: Piece, path: Where, indent: int) -> str:
        step, rest = path[0], path[1:]
        if isinstance(step, int) and (self.change.remove or step != len(piece.entries)):
            count = len(piece.entries)
            raise JobError(f"{place(self.change.path)}: there are only {count} items in this list")
        if self.change.remove:
            return self.source
        value = _nested(rest, self.change.value)
        if piece.flow:
            return self.add_to_flow(piece, step, value, indent)
        return self.add_to_block(piece, step, value, indent)

    def add_to_flow(self, piece: Piece, step: str | int, value: Any, indent: int) -> str:
        last = piece.entries[-1] if piece.entries else None
        end = piece.end - 1 if last is None else last.end
        start = len(self.source[:end].rstrip(" ")) if last is None else end
        bare = last is not None and self.source[end - 1] == ":"  # a comma would join the colon
        lead = "" if last is None else " , " if bare else ", "
        column = self.layout.column(start) + len(lead)
        hang = f",{self.newline}{' ' * (indent + _HANG)}"
        new = self.flow_entry(step, value, column, indent)
        if last is not None and column + len(new.splitlines()[0]) > WIDTH:
            lead, new = hang, self.flow_entry(step, value, indent + _HANG, indent)
        return self.spliced(start, end, lead + new)

    def flow_entry(self, step: str | int, value: Any, column: int, indent: int) -> str:
        if isinstance(step, int):
            return self.written(value, column, indent)
        head = keyed(step)
        return head + self.written(value, column + len(head), indent)

    def add_to_block(self, piece: Piece, step: str | int, value: Any, indent: int) -> str:
        """Right behind the last entry, before what is said of the next section."""
        end = self.layout.line_end(piece.end)
        between = [e.end for e in piece.entries[-2:-1]] + [piece.entries[-1].start]
        gap = self.source[between[0] : between[-1]].replace("\r", "").replace(" ", "")
        lead = self.newline * (2 if "\n\n" in gap else 1) + " " * indent
        return self.spliced(end, end, lead + self.block_entry(step, value, indent))

    def block_entry(self, step: str | int, value: Any, indent: int) -> str:
        key = "" if isinstance(step, int) else scalar(step)
        if len(key) > LONGEST_KEY:
            head = f"? {key}{self.newline}{' ' * indent}: "
        else:
            head = f"{key}: " if isinstance(step, str) else "- "
        return head + self.written(value, indent + len(head.splitlines()[-1]), indent)

    def first_entry(self, path: Where) -> str:
        """In a text without any value, behind its comments."""
        if self.change.remove:
            return self.source
        if not isinstance(path[0], str):
            raise JobError(f"{place(path)}: a job starts with keys such as table: and columns:")
        lead = self.newline if self.source and not self.source.endswith(("\n", "\r")) else ""
        entry = self.block_entry(path[0], _nested(path[1:], self.change.value), 0)
        return f"{self.source}{lead}{entry}{self.newline}"

    def remove(self, piece: Piece, index: int) -> str:
        self.check_unused(piece.entries[index].value)
        if piece.flow and piece.entries[0].start == piece.start:  # [k: 1], without braces
            return self.spliced(piece.start, piece.end, "{}")
        if piece.flow:
            return self.remove_from_flow(piece, index)
        if len(piece.entries) == 1:
            indent = self.layout.column(piece.entries[0].start)
            return self.replace(piece, {} if piece.kind == "mapping" else [], max(indent - 1, 0))
        return self.remove_from_block(piece, index)

    def remove_from_flow(self, piece: Piece, index: int) -> str:
        """With one comma; a comment between the comma and a neighbour stays."""
        entry = piece.entries[index]
        following = index + 1 < len(piece.entries)
        after = piece.entries[index + 1].start if following else piece.end - 1
        comma = self.layout.comma_between(entry.end, after)
        if comma is not None:
            rest = self.source[comma + 1 : after]
            return self.spliced(entry.start, comma + 1 if rest.strip() else after, "")
        if not index:
            return self.spliced(entry.start, entry.end, "")
        before = piece.entries[index - 1].end
        comma = self.layout.comma_between(before, entry.start) or before
        if not self.source[comma + 1 : entry.start].strip():
            return self.spliced(comma, entry.end, "")
        return self.spliced(comma, entry.end, self.source[comma + 1 : entry.start])

    def remove_from_block(self, piece: Piece, index: int) -> str:
        """Whole lines, unless the entry shares its first one with a dash or a key around it."""
        entry = piece.entries[index]
        start = self.layout.line_start(entry.start)
        if self.source[start : entry.start].strip():
            return self.remove_beside(entry, piece.entries[index + 1])
        end = self.layout.line_end(entry.end)
        end += len(self.newline) if self.source.startswith(self.newline, end) else 0
        blank_after = not self.source[end : self.layout.line_end(end)].strip()
        line_before = self.layout.line_start(max(start - len(self.newline), 0))
        if blank_after and start and not self.source[line_before:start].strip():
            start = line_before
        return self.spliced(start, end, "")

    def remove_beside(self, entry: Entry, following: Entry) -> str:
        between = self.source[entry.end : following.start]
        end = entry.end if between.strip() else following.start
        return self.spliced(entry.start, end, "")
