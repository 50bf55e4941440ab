"""The YAML of a job file as plain data in which every scalar is still text.

YAML by itself would read `01001` as a number, `no` as false and a date as a date. The data is
built here from the parser's events, so that tags, repeated keys and endless aliases are
refused where they stand, and so that every key is known by its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from paretonym.errors import Fault, JobError

Where = tuple[str | int, ...]

DEEPEST = 20  # a job nests to six or seven
MOST_REPEATED = 100_000  # entries that aliases may add; nested aliases grow exponentially
MOST_REPEATED_TEXT = 2_000_000  # characters that they may add: as many as a job may have

# the parser's own words are not passed on, as some of them quote the text
FAULTS = {
    "mapping values are not allowed": "a ': ' where none can stand; check the indentation, and "
    "put quotes around texts that hold a colon",
    "cannot start any token": "a character that cannot stand there; indent with blanks, not "
    "tabs, and put quotes around texts that start with a sign",
    "could not find expected ':'": "a key without its ': '",
    "expected ',' or ']'": "a list that is not closed; check its commas and its ]",
    "expected ',' or '}'": "a mapping that is not closed; check its commas and its }",
    "unexpected end of stream": "a quote that is not closed",
    "expected <block end>": "an entry that is not indented like its neighbours",
    "unknown escape": 'a backslash in double quotes; write \\\\ or use single quotes',
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """The data of a job file, and the line of each key and list item."""

    data: Any
    lines: dict[Where, int]


def read_yaml(text: str, name: str) -> Document:
    """The one document in the text; `name` is how messages call the file."""
    builder = _Builder(name, YAML(typ="base", pure=True).parse(text))
    try:
        data = builder.document()
    except JobError:
        raise
    except MarkedYAMLError as error:
        _refuse_syntax(error, name)
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _fault(
            "a character YAML does not allow; save it as plain UTF-8 text", name, line
        ) from None
    except (YAMLError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError):
        # defects of the parser on hostile text, such as escapes beyond the last character
        raise JobError(f"{name}: not valid YAML; check its quotes and escapes") from None
    return Document(data, builder.lines)


def _refuse_syntax(error: MarkedYAMLError, name: str) -> NoReturn:
    mark = error.problem_mark or error.context_mark
    said = str(error.problem)
    fault = next((ours for theirs, ours in FAULTS.items() if theirs in said), None)
    told = f"not valid YAML: {fault or 'check the syntax of this line'}"
    if mark is None:
        raise JobError(f"{name}: {told}") from None
    raise _fault(told, name, mark.line + 1) from None


def _fault(said: str, name: str, line: int) -> JobError:
    return JobError(f"{name}, line {line}: {said}", [Fault(said, line)])


@dataclass(slots=True)
class _Builder:
    """Turns a stream of events into dicts, lists and texts."""

    name: str
    events: Iterator[Event]
    lines: dict[Where, int] = field(default_factory=dict)
    anchors: dict[str, tuple[Any, int, int]] = field(default_factory=dict)
    entries: int = 0
    characters: int = 0
    repeated: int = 0
    repeated_text: int = 0

    def document(self) -> Any:
        """None when there is no document at all."""
        data, documents = None, 0
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.refuse(event, "a second document starts here; keep one job a file")
                data = self.node(next(self.events), ())
        return data

    def node(self, event: Event, where: Where) -> Any:
        if isinstance(event, AliasEvent):
            return self.alias(event)
        if getattr(event, "tag", None) is not None:
            self.refuse(event, "a YAML tag (!…); leave it out, every value is read as text")
        if len(where) > DEEPEST:
            self.refuse(event, f"nested deeper than {DEEPEST} levels")
        entries, characters = self.entries, self.characters
        self.entries += 1
        value: Any
        if isinstance(event, MappingStartEvent):
            value = self.mapping(where)
        elif isinstance(event, SequenceStartEvent):
            value = self.sequence(where)
        else:
            value = self.scalar(event)
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            size = self.entries - entries, self.characters - characters
            self.anchors[str(anchor)] = (value, *size)
        return value

    def scalar(self, event: Event) -> str | None:
        value = str(event.value) if isinstance(event, ScalarEvent) else None
        if value is not None and not is_text(value):
            self.refuse(event, "an escape that stands for no character; leave it out")
        self.characters += len(value or "")
        return value

    def mapping(self, where: Where) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for event in self.events:
            if isinstance(event, MappingEndEvent):
                break
            key = self.node(event, where)
            if not isinstance(key, str):
                self.refuse(event, "a list or a mapping as a key; a key is a text")
            if "\0" in key:
                self.refuse(event, "a key with a NUL character; leave that out")
            if key == "<<":
                self.refuse(event, "a merge key (<<); write the keys out, or alias a whole value")
            if key in value:
                first = self.lines[*where, key]
                self.refuse(event, f"this key stands on line {first} already; keep one of them")
            self.lines[*where, key] = event.start_mark.line + 1
            value[key] = self.node(next(self.events), (*where, key))
        return value

    def sequence(self, where: Where) -> list[Any]:
        value: list[Any] = []
        for event in self.events:
            if isinstance(event, SequenceEndEvent):
                break
            inside = (*where, len(value))
            self.lines[inside] = event.start_mark.line + 1
            value.append(self.node(event, inside))
        return value

    def alias(self, event: AliasEvent) -> Any:
        if event.anchor not in self.anchors:
            self.refuse(event, "an alias (*) of something that was not anchored (&) before")
        value, entries, characters = self.anchors[event.anchor]
        self.repeated += entries
        if self.repeated > MOST_REPEATED:
            self.refuse(event, f"aliases that repeat more than {MOST_REPEATED} entries")
        self.repeated_text += characters
        if self.repeated_text > MOST_REPEATED_TEXT:
            self.refuse(event, f"aliases that repeat more than {MOST_REPEATED_TEXT} characters")
        self.entries += entries
        self.characters += characters
        return value

    def refuse(self, event: Event, fault: str) -> NoReturn:
        raise _fault(fault, self.name, event.start_mark.line + 1)


def is_text(value: str) -> bool:
    """Half of a surrogate pair is none: it can be written to no file."""
    return not any("\ud800" <= character <= "\udfff" for character in value)
