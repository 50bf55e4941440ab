"""The Front and Node rooms as one page that needs no server, and their files for one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from paretonym.report.html import EXPLORER, content_hash, drawn, fragment

CHARTS = "vendor/echarts.min.js"
STYLE = "explorer.css"
# in the order in which a page loads them
ROOMS = (
    "kit.js",
    "table.js",
    "points.js",
    "scatter.js",
    "lattice.js",
    "bounds.js",
    "front_room.js",
    "node_figures.js",
    "node_room.js",
)
_ALONE = ("file_source.js", "page.js")
_SERVED = frozenset((CHARTS, STYLE, *ROOMS))
_TITLE_SHOWN = 120
# a data block ends at "</script", and older scripts take two separators for line ends
_ESCAPED = "<>&\u2028\u2029"


def explorer_html(view: Mapping[str, Any]) -> str:
    """A front to explore by double-click; `view` holds its details and spread."""
    css = _text(STYLE)
    scripts = [_text(name).replace("</script", "<\\/script") for name in (CHARTS, *ROOMS, *_ALONE)]
    data = json.dumps(view, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    policy = (
        "default-src 'none'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
        f"style-src {content_hash(css)}; script-src {' '.join(map(content_hash, scripts))}"
    )
    return fragment(
        "page.html",
        policy=policy,
        title=str(view["title"])[:_TITLE_SHOWN],
        software=view["software"],
        css=drawn(css),
        data=drawn(_escaped(data)),
        scripts=[drawn(script) for script in scripts],
    )


def _escaped(data: str) -> str:
    for character in _ESCAPED:  # one at a time: five passes of replace beat one of translate
        data = data.replace(character, f"\\u{ord(character):04x}")
    return data


@cache
def asset(name: str) -> bytes:
    """A file that the web server hands out: the chart library, the style sheet, a room's script."""
    if name not in _SERVED:
        raise LookupError("the explorer has no such file")
    return (EXPLORER / name).read_bytes()


@cache
def _text(name: str) -> str:
    return (EXPLORER / name).read_text(encoding="utf-8").strip()
