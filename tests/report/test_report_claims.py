"""No page promises more than was computed: the words that would are not in use."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from paretonym.report import html
from paretonym.report.html import TEMPLATES

FORBIDDEN = re.compile(
    r"\b(anonymous(ly)?|anonymity|anonymi[sz]\w*|complian(t|ce)|gdpr|hipaa|"
    r"guarantee(s|d)?|safe(ly|ty|r|st)?)\b",
    re.IGNORECASE,
)
ALLOWED = (  # titles that are cited
    "Generalizations in Microdata Anonymization",
    "Improving efficiency of providing data group anonymity by automating",
    "Evolutionary approach to violating group anonymity using third-party data",
)
MODULES = sorted(Path(html.__file__).parent.glob("*.py"))
PAGES = sorted(path for path in TEMPLATES.iterdir() if path.suffix in {".html", ".js"})


def claims(text: str) -> list[str]:
    for title in ALLOWED:
        text = text.replace(title, "")
    return [found[0] for found in FORBIDDEN.finditer(text)]


def texts_of(module: Path) -> list[str]:
    """Every text in a module's code, without its comments and imports."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_template_claims_too_much(path):
    assert claims(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_words_of_a_report_claim_too_much(path):
    assert claims("\n".join(texts_of(path))) == []


def test_the_scan_finds_what_it_looks_for():
    words = ["Anonymous", "anonymised", "anonymized", "compliant", "Compliance", "GDPR", "HIPAA",
             "guarantee", "guaranteed", "safe"]  # fmt: skip
    assert claims(", ".join(words)) == words
    assert claims("safeguard, Microdata Anonymization") == ["Anonymization"]
    assert len(PAGES) > 5
    assert len(MODULES) > 20
