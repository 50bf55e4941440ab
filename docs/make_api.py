"""Writes docs/api.md from the names that `paretonym` exports: python docs/make_api.py"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

import paretonym as pn

PAGE = Path(__file__).parent / "api.md"
HEAD = """# Python

Everything that `import paretonym as pn` offers. Tables may be paths or frames (pandas, polars,
Arrow), and what the functions do is what the [commands](commands.md) do. This page is made from
the code, by `python docs/make_api.py`. The functions under `pn.groups` stand in
[group-anonymity.md](group-anonymity.md#in-python).

The examples run in the folder `examples`.
"""
PARTS = ("Args", "Returns", "Raises", "Example")
_PART = re.compile(rf"^({'|'.join(PARTS)}):$", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+): ", re.MULTILINE)
_MODULE = re.compile(r"\b[a-z]\w*\.(?=[A-Z])")  # before a type
_WIDE = 90  # characters of a signature on one line


@dataclass(frozen=True, slots=True)
class Doc:
    """A docstring by its parts; `args` and `raises` by name."""

    says: str
    args: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: dict[str, str] = field(default_factory=dict)
    example: str = ""


def doc_of(thing: object) -> Doc:
    """Of a docstring of its own, not of one that is inherited."""
    says, *rest = _PART.split(inspect.cleandoc(thing.__doc__ or ""))
    parts = {name: textwrap.dedent(text).strip("\n") for name, text in pairs(rest)}
    return Doc(
        joined(says),
        entries(parts.get("Args", "")),
        joined(parts.get("Returns", "")),
        entries(parts.get("Raises", "")),
        parts.get("Example", "").rstrip(),
    )


def pairs(parts: list[str]) -> Iterator[tuple[str, str]]:
    """Names and what follows each, as `re.split` gives them in turn."""
    return zip(parts[::2], parts[1::2], strict=True)


def joined(text: str) -> str:
    """Paragraphs, each on one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def entries(text: str) -> dict[str, str]:
    _, *rest = _ENTRY.split(text)
    return {name: joined(told) for name, told in pairs(rest)}


def functions() -> list[str]:
    return [name for name in dir(pn) if inspect.isfunction(getattr(pn, name))]


def classes() -> list[str]:
    return [name for name in dir(pn) if inspect.isclass(getattr(pn, name))]


def is_error(name: str) -> bool:
    return issubclass(getattr(pn, name), Exception)


# ---- functions


def signature(thing: Any) -> str:
    """As the code says it; a long one has a line for each parameter."""
    said = inspect.signature(thing)
    parts, by_name = [], False
    for one in said.parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not by_name:
            parts.append("*")
            by_name = True
        default = "" if one.default is one.empty else f" = {one.default!r}"
        parts.append(f"{one.name}: {one.annotation}{default}")
    back = f" -> {said.return_annotation}"
    whole = f"{thing.__name__}({', '.join(parts)}){back}"
    if len(whole) > _WIDE:
        inside = "".join(f"    {part},\n" for part in parts)
        whole = f"{thing.__name__}(\n{inside}){back}"
    return _MODULE.sub("", whole)


def function_section(name: str) -> str:
    thing = getattr(pn, name)
    doc = doc_of(thing)
    lines = [f"### `{name}`", "", "```python", signature(thing), "```", "", doc.says]
    lines += table("parameter", doc.args)
    lines += ["", f"Returns: {doc.returns}"] if doc.returns else []
    lines += table("raises", doc.raises)
    if doc.example:
        space = [""] * (2 if doc.example.startswith(("@", "def ")) else 1)  # as ruff formats it
        lines += ["", "```python run", "import paretonym as pn", *space, doc.example, "```"]
    return "\n".join(lines) + "\n"


def table(head: str, told: dict[str, str]) -> list[str]:
    rows = [f"| `{cell(name)}` | {cell(text)} |" for name, text in told.items()]
    return ["", f"| {head} | meaning |", "|---|---|", *rows] if rows else []


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n\n", " ")


# ---- types


def type_section(name: str) -> str:
    thing = getattr(pn, name)
    lines = [f"### `{name}`", "", doc_of(thing).says]
    if issubclass(thing, Enum):
        lines += ["", "One of " + ", ".join(f"`{one.name}`" for one in thing) + "."]
    else:
        lines += table("field", fields_of(thing))
        lines += table("offers", dict(offered(thing)))
    return "\n".join(lines) + "\n"


def fields_of(thing: type) -> dict[str, str]:
    """Fields that a class and the classes it builds on declare, with the comments beside them."""
    found: dict[str, str] = {}
    for one in reversed(thing.__mro__):
        if one.__module__.startswith("paretonym."):
            found |= _declared(one)
    return found


def _declared(thing: type) -> dict[str, str]:
    source = textwrap.dedent(inspect.getsource(thing))
    lines = source.splitlines()
    found = {}
    for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            if not name.startswith("_"):
                kind = ast.unparse(node.annotation)
                found[f"{name}: {kind}"] = _comment(lines, node.end_lineno or node.lineno)
    return found


def _comment(lines: list[str], line: int) -> str:
    """What stands behind a field, and goes on in the lines below it."""
    _, mark, text = lines[line - 1].partition("  # ")
    told = [text] if mark else []
    for below in lines[line:] if mark else []:
        if not below.lstrip().startswith("# "):
            break
        told.append(below.lstrip().removeprefix("# "))
    return " ".join(part.strip() for part in told)


def offered(thing: type) -> Iterator[tuple[str, str]]:
    """Public methods and properties with a docstring, and the first paragraph of it."""
    for name, value in vars(thing).items():
        inner = getattr(value, "__func__", value)  # of a class method
        says = doc_of(inner).says.partition("\n\n")[0]
        if name.startswith("_") or not says:
            continue
        if inspect.isfunction(inner):
            arguments = [p for p in inspect.signature(inner).parameters if p not in ("self", "cls")]
            yield f"{name}({', '.join(arguments)})", says
        elif isinstance(value, (property, cached_property)):
            yield name, says


# ---- the page


def page() -> str:
    errors = [name for name in classes() if is_error(name)]
    types = [name for name in classes() if not is_error(name)]
    told = {name: doc_of(getattr(pn, name)).says for name in errors}
    return "\n".join(
        [
            HEAD,
            "## Functions\n",
            *map(function_section, functions()),
            "## Types\n",
            *map(type_section, types),
            "## Errors\n",
            "A message says what is wrong, where, and what to do; it never holds a cell's value.",
            *table("error", told),
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
