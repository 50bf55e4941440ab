"""A candidate says the same wherever it comes from."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pandas as pd
import pytest

import paretonym as pn
from paretonym.model.candidate import Candidate, Counts, SuppressBelow
from paretonym.pipeline.fronts import front_of, in_full, score_of
from paretonym.pipeline.open_job import open_job
from paretonym.views.node_views import with_classes

ZIPS = ["a1", "a1", "a1", "a2", "b1", "b1", "b1", "b2"]
PEOPLE = pd.DataFrame({"zip": ZIPS, "ill": [*"xyxyxyxy"]})
JOB = {
    "table": "people",
    "columns": {
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "ill": {"role": "sensitive"},
    },
    "objectives": ["k", "glm"],
    "require": {"k": 2},
    "suppression": {"limit": 2, "rule": "staircase"},
}


def test_its_threshold_is_one_of_its_steps():
    plain = Candidate({"zip": 1})
    assert (plain.suppress_below, plain.suppressed, plain.classes, plain.ties) == (0, 0, None, 0)
    cut = Candidate({"zip": 1}, (SuppressBelow(3),), Counts(4, 2, classes=1, ties=5))
    assert (cut.suppress_below, cut.suppressed, cut.classes, cut.ties) == (3, 2, 1, 5)
    with pytest.raises(FrozenInstanceError):
        cut.feasible = False  # type: ignore[misc]


def test_search_score_and_page_know_one_candidate():
    """As they are, the single rows of a2 and b2 are left out and two classes of three stay."""
    with open_job(pn.make_job(JOB, table=PEOPLE)) as opened:
        front = front_of(opened)
        entry = next(e for e in front.entries if e.levels == {"zip": 0})
        assert entry == Candidate({"zip": 0}, (SuppressBelow(3),), Counts(6, 2), entry.values)
        full = in_full(opened, entry)
        assert full == score_of(opened, (0,), suppress_below=3)
        assert full.counts == Counts(6, 2, classes=2)
        assert entry.values.items() <= full.values.items()
        assert entry.values.keys() < full.values.keys()
        assert in_full(opened, full) is full
        assert with_classes(opened, full).candidate == full


def test_no_release_is_a_candidate_that_is_not_feasible():
    strict = JOB | {"require": {"k": 5}}
    with open_job(pn.make_job(strict, table=PEOPLE)) as opened:
        none = score_of(opened, (0,), suppress_below=5)
        assert none == Candidate({"zip": 0}, counts=Counts(classes=0), feasible=False)
        assert in_full(opened, none) is none
        shown = with_classes(opened, none, asked=2).candidate
        assert (shown.suppress_below, shown.suppressed, shown.feasible) == (2, 8, False)


def test_the_forms_in_json():
    cut = Candidate({"zip": 1}, (SuppressBelow(3),), Counts(4, 2, classes=1, ties=5), {"k": 3})
    assert cut.to_json() == {
        "levels": {"zip": 1}, "suppress_below": 3, "values": {"k": 3}, "shown": {},
        "suppressed": 2, "classes": 1, "feasible": True,
    }  # fmt: skip
    assert cut.to_front_json() == {
        "levels": {"zip": 1}, "suppress_below": 3, "suppressed": 2, "values": {"k": 3}, "ties": 5,
    }  # fmt: skip
