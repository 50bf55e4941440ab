"""Step 8: facts first (plain data), then figures, pages and terminal views that draw them."""

from paretonym.report.facts import FrontFacts, front_facts
from paretonym.report.html import front_html, internal_release_html, public_release_html
from paretonym.report.release_extra import ReleaseExtra

__all__ = [
    "FrontFacts",
    "ReleaseExtra",
    "front_facts",
    "front_html",
    "internal_release_html",
    "public_release_html",
]
