"""Where everything stands in a job's text, so that one value can be changed and nothing else.

The parser's events name the values and their places; its tokens name the colons, dashes and
question marks between them. Comments belong to neither and are never part of a place, unless
they stand inside of a value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)
from ruamel.yaml.scanner import Scanner
from ruamel.yaml.tokens import BlockEntryToken, FlowEntryToken, KeyToken, ValueToken

from paretonym.errors import JobError


@dataclass(frozen=True, slots=True)
class Piece:
    """A value: `text[start:end]`; what holds it ends at `slot`, behind its colon or dash."""

    kind: Literal["text", "mapping", "list", "alias"]
    slot: int
    start: int
    end: int
    flow: bool = False
    anchor: str | None = None
    entries: tuple[Entry, ...] = ()

    @property
    def empty(self) -> bool:
        """A key or a dash with nothing behind it."""
        return self.kind == "text" and self.start == self.end

    def find(self, step: str | int) -> int | None:
        """Which of the entries has this key or number."""
        return next((i for i, entry in enumerate(self.entries) if entry.key == step), None)

    def anchors(self) -> Iterator[str]:
        """Its own and those inside."""
        if self.anchor is not None:
            yield self.anchor
        for entry in self.entries:
            yield from entry.value.anchors()


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value, or an item of a list with its dash."""

    key: str | int
    start: int
    value: Piece

    @property
    def end(self) -> int:
        return max(self.value.slot, self.value.end)


@dataclass(frozen=True, slots=True)
class YamlLayout:
    """The pieces of a text; `root` is None where the text holds no value at all."""

    text: str
    root: Piece | None
    aliased: frozenset[str]  # anchors that an alias repeats
    commas: tuple[int, ...]

    def line(self, place: int) -> int:
        """Counted from 1, as messages do."""
        return self.text.count("\n", 0, place) + 1

    def line_start(self, place: int) -> int:
        return max(self.text.rfind("\n", 0, place), self.text.rfind("\r", 0, place)) + 1

    def line_end(self, place: int) -> int:
        """Where its line break stands, or the end of the text."""
        found = (self.text.find(sign, place) for sign in ("\r", "\n"))
        return min((index for index in found if index >= 0), default=len(self.text))

    def column(self, place: int) -> int:
        return place - self.line_start(place)

    def comma_between(self, start: int, end: int) -> int | None:
        """The last comma of a flow collection that stands there."""
        found = _last(self.commas, end)
        return found if found is not None and found >= start else None


def layout_of(text: str) -> YamlLayout:
    """The places in a text that `read_yaml` has accepted."""
    reader = _Reader(text)
    root = reader.document()
    return YamlLayout(text, root, frozenset(reader.aliased), tuple(reader.commas))


def _last(places: list[int] | tuple[int, ...], before: int) -> int | None:
    found = bisect_left(places, before)
    return places[found - 1] if found else None


class _Noting(Scanner):
    """Keeps the tokens that the parser takes, so that a text is scanned once."""

    def __init__(self, loader: Any = None) -> None:
        self.taken: list[Any] = []
        super().__init__(loader)

    def get_token(self) -> Any:
        self.taken.append(super().get_token())
        return self.taken[-1]


class _Reader:
    """Makes pieces of events."""

    def __init__(self, text: str) -> None:
        self.text = text
        yaml = YAML(typ="base", pure=True)
        yaml.Scanner = _Noting
        self.events = iter(list(yaml.parse(text)))
        self.aliased: set[str] = set()
        places: dict[type, list[int]] = {
            kind: [] for kind in (ValueToken, BlockEntryToken, FlowEntryToken, KeyToken)
        }
        for token in yaml.scanner.taken:
            start = token.start_mark.index
            implied = isinstance(token, KeyToken) and text[start : start + 1] != "?"
            if type(token) in places and not (implied or token.end_mark.index == start):
                places[type(token)].append(start)
        self.colons, self.dashes = places[ValueToken], places[BlockEntryToken]
        self.commas, self.questions = places[FlowEntryToken], places[KeyToken]

    def document(self) -> Piece | None:
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                return self.piece(next(self.events), event.end_mark.index)
        return None

    def piece(self, event: Any, slot: int) -> Piece:
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, AliasEvent):
            self.aliased.add(str(event.anchor))
            return Piece("alias", slot, start, end)
        anchor = None if event.anchor is None else str(event.anchor)
        if isinstance(event, ScalarEvent):
            return Piece("text", slot, *self.scalar(event, slot), anchor=anchor)
        mapping = isinstance(event, MappingStartEvent)
        entries, closing = self.mapping() if mapping else self.sequence(flow=bool(event.flow_style))
        flow = bool(event.flow_style)
        # a block ends with what it holds: the parser would add the comments behind it
        closed = flow and closing.end_mark.index > closing.start_mark.index
        end = closing.end_mark.index if closed else entries[-1].end
        return Piece("mapping" if mapping else "list", slot, start, end, flow, anchor, entries)

    def scalar(self, event: ScalarEvent, slot: int) -> tuple[int, int]:
        start, end = event.start_mark.index, event.end_mark.index
        if start == end:  # nothing is there, and the parser puts it behind the comments
            return slot, slot
        if event.style in ("|", ">"):
            return start, self.block_text_end(start, end)
        return start, end

    def block_text_end(self, start: int, end: int) -> int:
        """Without the blank lines and the comments behind it."""
        lines = self.text[start:end].splitlines(keepends=True)
        inside = next((line for line in lines[1:] if line.strip()), "")
        indent = len(inside) - len(inside.lstrip(" "))
        while len(lines) > 1 and _behind(lines[-1], indent):
            lines.pop()
        return start + len("".join(lines).rstrip("\r\n"))

    def mapping(self) -> tuple[tuple[Entry, ...], Any]:
        entries: list[Entry] = []
        while not isinstance(event := next(self.events), MappingEndEvent):
            start, end = event.start_mark.index, event.end_mark.index
            if isinstance(event, AliasEvent):
                line = event.start_mark.line + 1
                raise JobError(f"the job, line {line}: an alias (*) as a key; write the key out")
            asked = _last(self.questions, start)
            if asked is not None and not self.text[asked + 1 : start].strip():
                start = asked
            value = next(self.events)
            entries.append(Entry(str(event.value), start, self.piece(value, self.slot(end, value))))
        return tuple(entries), event

    def slot(self, key_end: int, value: Event) -> int:
        """Behind the colon, or behind a key that has none."""
        colon = _last(self.colons, max(value.start_mark.index, key_end + 1))
        return key_end if colon is None or colon < key_end else colon + 1

    def sequence(self, *, flow: bool) -> tuple[tuple[Entry, ...], Any]:
        entries: list[Entry] = []
        while not isinstance(event := next(self.events), SequenceEndEvent):
            start = event.start_mark.index
            dash = None if flow else _last(self.dashes, start)
            piece = self.piece(event, start if dash is None else dash + 1)
            entries.append(Entry(len(entries), start if dash is None else dash, piece))
        return tuple(entries), event


def _behind(line: str, indent: int) -> bool:
    inside = line.lstrip(" ")
    comment = inside.startswith("#") and len(line) - len(inside) < indent
    return comment or not inside.strip()


def column_notes(text: str) -> dict[str, str]:
    """What the comment right above each column says, in a text that `read_yaml` accepts."""
    layout = layout_of(text.removeprefix("\ufeff"))
    found = None if layout.root is None else layout.root.find("columns")
    if layout.root is None or found is None:
        return {}
    columns = layout.root.entries[found].value
    notes = {str(entry.key): _note_above(layout, entry.start) for entry in columns.entries}
    return {name: note for name, note in notes.items() if note}


def _note_above(layout: YamlLayout, place: int) -> str:
    above = layout.text[: layout.line_start(place)].splitlines()
    said: list[str] = []
    while above and above[-1].lstrip().startswith("#"):
        said.insert(0, above.pop().strip().lstrip("#").strip())
    return " ".join(part for part in said if part)
