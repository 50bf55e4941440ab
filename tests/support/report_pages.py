"""Reads a page as a browser would, as far as these tests need it."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "link", "img", "input"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.links: list[str] = []
        self.ids: set[str | None] = set()
        self.unlabelled = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.ids.add(known.get("id"))
        self.links += [v or "" for n, v in attrs if n in {"href", "src", "xlink:href", "action"}]
        if tag == "svg" and not (known.get("role") == "img" and known.get("aria-label")):
            self.unlabelled += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def _read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader


def assert_well_formed(page: str) -> None:
    reader = _read(page)
    assert page.startswith("<!doctype html>")
    assert reader.faults == []
    assert reader.open == []
    assert reader.unlabelled == 0


def links(page: str) -> list[str]:
    """Everything a page could fetch or lead to, but for its own sections."""
    outside = [word for word in ("http:", "https:", "url(", "@import", "//cdn") if word in page]
    return [link for link in _read(page).links if not link.startswith("#")] + outside


def dangling(page: str) -> list[str]:
    """Links within the page that lead nowhere."""
    reader = _read(page)
    return [link for link in reader.links if link.startswith("#") and link[1:] not in reader.ids]
