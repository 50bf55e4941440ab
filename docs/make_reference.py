"""Writes docs/job-reference.md from the forms of a job: python docs/make_reference.py"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from paretonym.jobfile.forms import JobForm
from paretonym.jobfile.hierarchies import BUILDERS
from paretonym.jobfile.keys import ACCEPTS, UNSET, Reads, words
from paretonym.jobfile.texts import Form, listed

NAMES = {form: name for name, form in BUILDERS.items()}
PAGE = Path(__file__).parent / "job-reference.md"
HEAD = """# Job file reference

Every key of a job file: what it accepts, what holds when it is left out, and what it means.
[job-file.md](job-file.md) explains them with examples of whole jobs. This page is made from the
forms that read a job, by `python docs/make_reference.py`.

A place such as `columns.NAME.hierarchy` is written with dots: the key `hierarchy` of what stands
under any name in `columns`. Examples are YAML.
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a form stands in a job; the first place found names its section."""

    form: type[Form]
    path: str

    @property
    def title(self) -> str:
        return f"`{self.path}`" if self.path else "A job"


def key_of(name: str, field: FieldInfo) -> str:
    """As a job writes it."""
    return field.alias or name


def said(field: FieldInfo, what: str) -> str:
    extra = field.json_schema_extra
    return str(extra.get(what, "")) if isinstance(extra, dict) else ""


def whole_type(field: FieldInfo) -> Any:
    """The type of a field with the readers that pydantic took off it."""
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def forms_in(kind: Any, path: str) -> Iterator[Place]:
    """Forms that a key of this type may hold, with their places."""
    if isinstance(kind, type) and issubclass(kind, Form):
        yield Place(kind, f"hierarchy: {{{builder}: …}}" if (builder := NAMES.get(kind)) else path)
        return
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from forms_in(inner[0], path)
    elif origin is dict:
        yield from forms_in(inner[1], f"{path}.NAME")
    elif origin is tuple:
        yield from forms_in(inner[0], f"{path}[]")
    elif origin in (Union, UnionType):
        for part in inner:
            yield from forms_in(part, path)


def places(form: type[Form] = JobForm, path: str = "") -> Iterator[Place]:
    """A form and all that it leads to, in the order of their keys."""
    yield Place(form, path)
    for name, field in form.model_fields.items():
        inside = f"{path}.{key_of(name, field)}".lstrip(".")
        for place in forms_in(whole_type(field), inside):
            yield from places(place.form, place.path)


def sections() -> dict[type[Form], list[Place]]:
    """Every form that has keys, with its places."""
    found: dict[type[Form], list[Place]] = {}
    for place in places():
        if place.form.model_fields:
            found.setdefault(place.form, []).append(place)
    return found


def accepted(kind: Any) -> str:
    """What a type accepts, in words; empty for a form, which has a section of its own."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is str:
        return "a text"
    if origin is Literal:
        return words(inner)
    if origin is Annotated:
        reader = next((mark for mark in kind.__metadata__ if isinstance(mark, Reads)), None)
        single = any(
            isinstance(mark, BeforeValidator) and mark.func is listed for mark in kind.__metadata__
        )
        return reader.accepts if reader else _container(inner[0], single=single)
    return _container(kind, single=False)


def _container(kind: Any, *, single: bool) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple:
        part = accepted(inner[0])
        if not part:
            return "a list"
        return f"{part}, or a list of such" if single else f"a list; each {part}"
    if origin is dict:
        values = accepted(inner[1])
        start = "a name" if inner[0] is str else accepted(inner[0])
        return f"a mapping from {start} to {values}" if values else "a mapping, by names"
    if origin in (Union, UnionType):
        parts = (accepted(part) for part in inner if part is not type(None))
        return " or ".join(filter(None, parts))
    return "a text" if kind is str else ""


def links_of(field: FieldInfo, known: dict[type[Form], list[Place]]) -> str:
    inside = [p.form for p in forms_in(whole_type(field), "") if p.form in known]
    titles = {form: known[form][0].title for form in inside}
    return ", ".join(
        f"[{f'`{NAMES[form]}`' if form in NAMES else title}](#{anchor(title)})"
        for form, title in titles.items()
    )


def anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def accepts_of(field: FieldInfo, known: dict[type[Form], list[Place]]) -> str:
    text = said(field, ACCEPTS) or accepted(whole_type(field))
    links = links_of(field, known)
    if links:
        return f"{text or 'a mapping'}: see {links}"
    return text


def default_text(field: FieldInfo) -> str:
    """A default as a job would write it; empty where there is none to write."""
    default = field.get_default(call_default_factory=True)
    if default is None or default in ((), {}) or isinstance(default, Form):
        return ""
    return writer_of(whole_type(field))(default)


def writer_of(kind: Any) -> Any:
    """How values of a type are written in a job."""
    marks = getattr(kind, "__metadata__", ())
    return next((mark.write for mark in marks if isinstance(mark, Reads)), str)


def left_out(field: FieldInfo) -> str:
    if field.is_required():
        return "**needed**"
    told = said(field, UNSET)
    if told:
        return told
    default = field.get_default(call_default_factory=True)
    return "its own defaults" if isinstance(default, Form) else f"`{default_text(field)}`"


def row(name: str, field: FieldInfo, known: dict[type[Form], list[Place]]) -> str:
    key = key_of(name, field)
    examples = field.examples or [""]
    cells = (
        f"`{key}`",
        accepts_of(field, known),
        left_out(field),
        field.description or "",
        f"`{key}: {examples[0]}`",
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def section(form: type[Form], known: dict[type[Form], list[Place]]) -> str:
    first, *others = known[form]
    also = ", ".join(f"`{place.path}`" for place in others if place.path != first.path)
    lines = [
        f"## {first.title}",
        "",
        (form.__doc__ or "").strip().partition("\n")[0],
        *(["", f"The same at {also}."] if also else []),
        "",
        "| key | accepts | when left out | meaning | example |",
        "|---|---|---|---|---|",
        *(row(name, field, known) for name, field in form.model_fields.items()),
    ]
    return "\n".join(lines) + "\n"


def reference() -> str:
    known = sections()
    return "\n".join([HEAD, *(section(form, known) for form in known)])


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
