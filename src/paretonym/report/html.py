"""One self-contained page for each report: no request leaves it, and it prints."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.model.job import About
from paretonym.report import figures, words
from paretonym.report.facts import FrontFacts
from paretonym.report.release_extra import ReleaseExtra
from paretonym.report.release_facts import internal_facts, public_facts
from paretonym.report.release_words import SECTIONS

if TYPE_CHECKING:
    from jinja2 import Environment

    from paretonym.publishing.checker import Check
    from paretonym.publishing.manifest import InternalManifest, PublicManifest
    from paretonym.publishing.verify import Verification

TEMPLATES = Path(__file__).parent / "templates"
EXPLORER = Path(__file__).parent / "explorer"


def front_html(facts: FrontFacts) -> str:
    """report.html of `paretonym front`."""
    drawings = [(figure, drawn(figures.scatter(figure))) for figure in facts.figures]
    return render("front.html", script=_asset("sort.js"), facts=facts, drawings=drawings)


def public_release_html(
    manifest: PublicManifest,
    checks: tuple[Check, ...],
    *,
    about: About | None = None,
    unchecked: Sequence[str] = (),
) -> str:
    """report.html of a release: what a recipient may know and can check.

    `unchecked` are measures that the job requires and that the checker cannot recompute.
    """
    facts = public_facts(manifest, checks, about=about or About(), unchecked=unchecked)
    return render("public.html", facts=facts, sections=SECTIONS)


def internal_release_html(
    public: PublicManifest,
    internal: InternalManifest,
    verification: Verification,
    *,
    extra: ReleaseExtra,
    about: About | None = None,
) -> str:
    """internal/report.html of a release: the same and everything its maker knows."""
    facts = internal_facts(public, internal, verification, extra, about=about or About())
    return render(
        "internal.html",
        inside=facts,
        facts=facts.public,
        class_sizes=drawn(figures.class_sizes(facts.class_sizes)),
        losses=drawn(figures.losses(facts.losses)),
        groups=[
            (group, drawn(figures.groups(group, longest=facts.largest_share)))
            for group in facts.groups
        ],
        annex=drawn(extra.sections),
        sections=SECTIONS,
    )


def render(template: str, *, script: str = "", beside: Path | None = None, **context: Any) -> str:
    """A whole page; `beside` is a folder with templates of another room."""
    css = _asset("style.css")
    # only this very style and script may act, whatever a column is called
    allowed = f"style-src {content_hash(css)}; script-src {content_hash(script)}"
    return (
        _environment(beside)
        .get_template(template)
        .render(
            css=drawn(css),
            script=drawn(script),
            policy=f"default-src 'none'; {allowed}",
            **context,
        )
    )


def fragment(template: str, **context: Any) -> str:
    """A part of a page, to be put into another one as it is."""
    return _environment().get_template(template).render(**context)


def content_hash(text: str) -> str:
    """How a content security policy names this very style or script."""
    if not text:
        return "'none'"
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _asset(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8").strip()


def drawn(markup: str) -> Any:
    """Markup that was made here, with every text in it escaped already."""
    from markupsafe import Markup

    return Markup(markup)  # noqa: S704


@cache
def _environment(beside: Path | None = None) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader((*([beside] if beside else []), TEMPLATES, EXPLORER)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": words.number,
        "percent": words.percent,
        "digest": words.short_digest,
        "listed": words.listed,
        "sortable": lambda value: str(value).replace("inf", "Infinity"),
    }
    environment.globals |= {"plural": words.plural, "long_name": words.long_name}
    return environment
