"""Plain data written as YAML in styles drawn at random, with comments; knows what stands where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from paretonym.proposal.text import quoted

Place = tuple[str | int, ...]

TEXTS = st.sampled_from(
    ["a", "no", "01", "x y", "", "# not", "k: v", "ü", "it's", 'q"q', "-", "*", "&a", "two\nlines"]
)
KEYS = st.sampled_from(["a", "b", "c", "two words", "01", "k:v", "#", "yes", "é"])


def data(leaves: int = 8) -> st.SearchStrategy[Any]:
    return st.recursive(
        TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
        max_leaves=leaves,
    )


def mappings() -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(KEYS, data(), min_size=1, max_size=4)


class Writer:
    """Writes from the beginning to the end; `spans` are the entries, without line breaks."""

    def __init__(self, draw: Callable[..., Any], newline: str) -> None:
        self.draw = draw
        self.newline = newline
        self.text = ""
        self.spans: dict[Place, tuple[int, int]] = {}
        self.blocks: set[Place] = set()
        self.comments: list[tuple[Place, str]] = []
        self.literal = False  # a block text came last, which takes no comment behind it

    def document(self, value: dict[str, Any]) -> str:
        if self.maybe():
            self.comment_line((), 0)
        if self.maybe(0.2):
            self.line(0)
            self.flow(value, (), 0)
            self.trailing(())
        else:
            self.block_mapping(value, (), 0)
        self.text += self.newline
        if self.maybe():
            self.comment_line((), 0)
            self.text += self.newline
        return self.text

    def maybe(self, share: float = 0.5) -> bool:
        return bool(self.draw(st.integers(0, 9)) < 10 * share)

    def comment(self, owner: Place) -> str:
        said = f"# c{len(self.comments)}."
        self.comments.append((owner, said))
        return said

    def comment_line(self, owner: Place, indent: int) -> None:
        self.line(indent)
        self.text += self.comment(owner)

    def line(self, indent: int) -> None:
        fresh = not self.text or self.text.endswith(self.newline)
        self.text += ("" if fresh else self.newline) + " " * indent

    def trailing(self, owner: Place) -> None:
        if self.maybe(0.3):
            self.text += "  " + self.comment(owner)

    def entry_line(self, path: Place, indent: int, *, first: bool, inline: bool) -> None:
        if first and inline:
            return
        if self.maybe(0.2):
            self.text += self.newline
        if self.maybe(0.3):
            self.comment_line(path, indent)
        self.line(indent)

    def block_mapping(
        self, value: dict[str, Any], path: Place, indent: int, *, inline: bool = False
    ) -> None:
        self.blocks.add(path)
        for number, (key, inside) in enumerate(value.items()):
            self.entry_line(path, indent, first=number == 0, inline=inline)
            start = len(self.text)
            self.text += self.key(key) + ":"
            self.block_value(inside, (*path, key), indent, start, after_dash=False)

    def block_list(self, value: list[Any], path: Place, indent: int, *, inline: bool) -> None:
        self.blocks.add(path)
        for number, inside in enumerate(value):
            self.entry_line(path, indent, first=number == 0, inline=inline)
            start = len(self.text)
            self.text += "-"
            self.block_value(inside, (*path, number), indent, start, after_dash=True)

    def block_value(
        self, value: Any, path: Place, indent: int, start: int, *, after_dash: bool
    ) -> None:
        if isinstance(value, str) or not value or self.maybe(0.4):
            self.leaf(value, path, indent)
            self.spans[path] = (start, len(self.text))
            if not self.literal:
                self.trailing(path)
            return
        inline = after_dash and self.maybe()
        if inline:
            self.text += " "
        else:
            self.trailing(path)
        if isinstance(value, dict):
            self.block_mapping(value, path, indent + 2, inline=inline)
        else:
            below = indent if not after_dash and self.maybe() else indent + 2
            self.block_list(value, path, below, inline=inline)
        last = max(end for at, (_, end) in self.spans.items() if at[: len(path)] == path)
        self.spans[path] = (start, last)

    def leaf(self, value: Any, path: Place, indent: int) -> None:
        self.literal = isinstance(value, str) and "\n" in value and self.maybe()
        if value == "" and self.maybe():
            return
        if self.literal:
            lines = "".join(
                f"{self.newline}{' ' * (indent + 2)}{part}" for part in value.split("\n")
            )
            self.text += f" |-{lines}"
            return
        self.text += " "
        self.flow(value, path, indent)

    def flow(self, value: Any, path: Place, indent: int) -> None:
        if isinstance(value, str):
            self.text += self.scalar(value)
            return
        mapping = isinstance(value, dict)
        self.text += "{" if mapping else "["
        entries = list(value.items() if mapping else enumerate(value))
        for number, (key, inside) in enumerate(entries):
            start = len(self.text)
            self.text += f"{self.key(key)}: " if mapping else ""
            self.flow(inside, (*path, key), indent)
            self.spans[(*path, key)] = (start, len(self.text))
            if number < len(entries) - 1:
                self.text += ","
                self.separator(path, indent)
        if entries and self.maybe(0.1):
            self.text += ", "
        self.text += "}" if mapping else "]"

    def separator(self, path: Place, indent: int) -> None:
        kind = self.draw(st.sampled_from(["blank", "blank", "line", "comment"]))
        if kind == "blank":
            self.text += " "
            return
        if kind == "comment":
            self.text += "  " + self.comment(path)
        self.text += self.newline + " " * (indent + 4)

    def key(self, text: str) -> str:
        return self.scalar(text)

    def scalar(self, text: str) -> str:
        if "\n" not in text and self.maybe(0.3):
            return "'" + text.replace("'", "''") + "'"
        return quoted(text)
