"""Risk and utility of a release: exact numbers, and the same measures before and after."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import internal_manifest, public_manifest, release_extra, verification

from paretonym.report.release_facts import internal_facts
from paretonym.report.release_risk import UNDEFINED, class_risk
from paretonym.report.words import percent

PUBLIC, INTERNAL = public_manifest(), internal_manifest()
MADE = verification(PUBLIC, INTERNAL)


def told(lines):
    return {line.name: (line.before, line.after) for line in lines}


def test_what_sizes_of_classes_say():
    """Classes of 1, 1, 4, 4 and 10 rows: 20 rows, found with 1, 1, 4·¼, 4·¼ and 10·⅒."""
    risk = class_risk([(1, 2), (4, 2), (10, 1)])
    assert risk is not None
    assert (risk.rows, risk.classes, risk.smallest, risk.alone) == (20, 5, 1, 2)
    assert risk.under == {3: 2, 5: 10, 10: 10}
    assert (risk.expected, risk.highest) == (Fraction(1, 4), 1)


def test_nothing_is_said_of_no_rows():
    assert class_risk([]) is None


@given(st.lists(st.integers(1, 20), min_size=1, max_size=30))
def test_expected_findings_are_those_of_every_row(sizes):
    """Row by row: somebody in a class of f rows is found with probability 1/f."""
    risk = class_risk([(size, sizes.count(size)) for size in set(sizes)])
    rows = [size for size in sizes for _ in range(size)]
    assert risk is not None
    assert risk.expected == sum(Fraction(1, size) for size in rows) / len(rows)
    assert risk.highest == max(Fraction(1, size) for size in rows)
    assert risk.under == {b: sum(size < b for size in rows) for b in (3, 5, 10)}
    assert risk.alone == rows.count(1)


def test_risk_before_and_after():
    facts = internal_facts(PUBLIC, INTERNAL, MADE, release_extra())
    risk = told(facts.risk)
    assert risk["smallest class (k)"] == ("1", "5")
    assert risk["rows alone in their class"] == ("60 (60.0 %)", "0 (0 %)")
    assert risk["rows in classes under 3"] == ("80 (80.0 %)", "0 (0 %)")
    assert risk["rows in classes under 10"] == ("88 (88.0 %)", "31 (32.0 %)")
    assert risk["expected re-identifications"] == ("73 (73.0 %)", "8 (8.25 %)")
    assert risk["highest risk of a row"] == ("1/1 = 100 %", "1/5 = 20.0 %")
    assert risk["mean class size per person"] == ("1.80", "12")
    assert len(risk) == len(facts.risk)  # k stands there once


def test_every_measure_has_both_sides():
    """What one side lacks is said to be undefined there, whatever the job required."""
    extra = release_extra(before={"k": 1, "cm(x)": 3}, after={"k": 5, "glm": 50.0, "sf": 0.5})
    facts = internal_facts(PUBLIC, INTERNAL, MADE, extra)
    assert told(facts.utility) == {
        "rows off their class's majority of x (CM)": ("3 (3.00 %)", UNDEFINED),
        "information loss (GLM), % of its maximum": (UNDEFINED, "25.0 %"),
    }
    assert told(facts.risk)["security: doubt that is left about secrets"] == (UNDEFINED, "50.0 %")


def test_numbers_that_mislead_say_how_they_are_meant():
    """Security may fall where risk is spread; 600 rows in 30 classes and one of the suppressed."""
    values = {"sf": 0.986, "average_class_size": 600 / 31}
    facts = internal_facts(PUBLIC, INTERNAL, MADE, release_extra(before=values, after=values))
    notes = {line.name: line.note for line in (*facts.risk, *facts.utility)}
    assert "it may fall while nobody" in notes["security: doubt that is left about secrets"]
    assert notes["average class size"] == (
        "rows that came in / classes; suppressed rows count as one more class"
    )


def test_utility_of_each_column():
    facts = internal_facts(PUBLIC, INTERNAL, MADE, release_extra())
    assert [(c.column, c.loss_before, c.loss_after, c.moved) for c in facts.columns] == [
        ("age", "0 %", "37.0 %", "1.00 %"),
        ("zip", "0 %", "3.00 %", "2.00 %"),
        ("illness", "–", "–", percent(0.005)),
    ]
    assert facts.unmeasured == ()


def test_parameters_are_told_in_full():
    facts = internal_facts(PUBLIC, INTERNAL, MADE, release_extra())
    assert dict(facts.parameters) == {
        "objectives": "k, glm",
        "requirements": "smallest class (k) at least 5; "
        "largest share of rows lost by a value of zip at most 30.0 %",
        "rows that may be suppressed, at most": "4 (4.00 %)",
        "rule of suppression": "classes that violate a requirement; then every threshold within "
        "the limit is a candidate",
        "levels released": "age = 1, zip = 0",
        "threshold: classes with fewer rows are left out": "5",
        "search asked for": "auto",
        "search that ran": "exhaustive: the front is complete; 9 of 9 nodes evaluated",
        "seed of the search": "424242",
    }


@pytest.mark.parametrize("used", [None, "evolve"])
def test_a_front_that_is_not_proven_is_not_called_complete(used):
    settings = release_extra().settings
    assert settings is not None
    changed = type(settings)(("k",), (), 0, "required", "auto", used=used)
    facts = internal_facts(PUBLIC, INTERNAL, MADE, release_extra(settings=changed))
    said = dict(facts.parameters)["search that ran"]
    assert "is complete" not in said
    assert ("by hand" in said) == (used is None)
