from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from explorer_cases import HOSTILE, front_view
from tests.support.report_pages import assert_well_formed, links

from paretonym.report.explorer_page import CHARTS, ROOMS, STYLE, asset, explorer_html
from paretonym.report.html import EXPLORER, content_hash

POLICY = re.compile(r'Content-Security-Policy" content="([^"]*)"')
BLOCK = re.compile(r"<script(?P<kind>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)


@pytest.fixture(scope="module")
def page() -> str:
    return explorer_html(front_view(60, hostile=True))


def blocks(page: str) -> list[tuple[str, str]]:
    return [(found["kind"], found["text"]) for found in BLOCK.finditer(page)]


def test_the_data_comes_back_as_it_was_and_cannot_end_its_block(page):
    data = [text for kind, text in blocks(page) if "json" in kind]
    assert len(data) == 1
    assert not set("<>&\u2028\u2029") & set(data[0])
    assert json.loads(data[0]) == front_view(60, hostile=True)


def test_line_separators_inside_names_are_escaped():
    view = front_view(5, detailed=1) | {"fingerprint": "a\u2028b\u2029c"}
    assert "a\\u2028b\\u2029c" in explorer_html(view)


def test_the_policy_names_exactly_the_scripts_and_the_style(page):
    policy = POLICY.search(page)[1].replace("&#39;", "'")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    scripts = [text for kind, text in blocks(page) if not kind]
    assert len(scripts) == len(ROOMS) + 3
    assert rules["script-src"].split() == [content_hash(text) for text in scripts]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert rules["style-src"] == content_hash(style)
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert "unsafe" not in policy


def test_the_page_asks_for_nothing(page):
    shell = BLOCK.sub("", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))
    assert_well_formed(shell)
    assert all(link.startswith("#") for link in links(shell))
    assert not re.search(r"url\(|@import", asset(STYLE).decode())


def test_a_hostile_title_is_text(page):
    assert HOSTILE not in page
    assert "&lt;/script&gt;&lt;script&gt;" in page


def test_the_chart_library_is_the_one_that_was_vendored():
    readme = (EXPLORER / "vendor" / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(asset(CHARTS)).hexdigest() in readme


@pytest.mark.parametrize("name", ["../html.py", "page.html", "vendor/README.md", "nothing.js", ""])
def test_only_the_explorers_own_files_are_handed_out(name):
    with pytest.raises(LookupError):
        asset(name)


def test_every_script_of_the_folder_is_listed_and_avoids_markup_strings():
    scripts = sorted(path.name for path in EXPLORER.glob("*.js"))
    assert scripts == sorted([*ROOMS, "file_source.js", "page.js"])
    for path in EXPLORER.glob("*.js"):
        text = Path(path).read_text(encoding="utf-8")
        assert '"use strict"' in text
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
