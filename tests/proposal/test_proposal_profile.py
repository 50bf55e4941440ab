"""What init saw in a table: counts that a hand can check, and never a cell."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.model.source import TableSource
from paretonym.proposal import profile as proposal_profile
from paretonym.proposal.profile import TableProfile, profile_of
from paretonym.proposal.proposing import propose
from paretonym.tables import open_table


def profiled(**columns: list[str]) -> TableProfile:
    with open_table(TableSource(pd.DataFrame(columns))) as table:
        return profile_of(table)


def test_columns_and_pairs_are_counted() -> None:
    """Five rows: sex f f m m m; age 1 1 1 2 missing; only (m, 1), (m, 2) and (m, missing) alone."""
    found = profiled(sex=list("ffmmm"), age=["1", "1", "1", "2", ""])
    sex, age = found.columns
    assert (sex.kind, sex.profile.distinct, sex.profile.alone) == ("text", 2, 0)
    assert (age.kind, age.profile.distinct, age.profile.missing) == ("whole", 2, 1)
    assert age.profile.alone == 2
    (pair,) = found.pairs
    assert (pair.columns, pair.distinct, pair.alone) == (("sex", "age"), 4, 3)
    assert found.pairs_left_out == 0
    assert found.composite_identifiers == ()  # five rows say nothing


def test_identifiers_alone_and_together() -> None:
    """A number for each row; ten places with ten seats each, unique only together."""
    found = profiled(
        patient=[str(i) for i in range(100)],
        region=[f"r{i // 10}" for i in range(100)],
        day=[f"d{i % 10}" for i in range(100)],
        sex=["f", "m"] * 50,
    )
    assert found.identifiers == ("patient",)
    assert found.composite_identifiers == (("region", "day"),)
    assert found.pairs[0].alone == 100
    assert {pair.columns for pair in found.pairs} == {
        ("region", "day"), ("region", "sex"), ("day", "sex"),
    }  # fmt: skip


def test_work_is_bounded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {f"c{i}": [str((r + i) % 3) for r in range(30)] for i in range(14)}
    assert len(profiled(**columns).pairs) == 66
    assert profiled(**columns).pairs_left_out == 91 - 66
    monkeypatch.setattr(proposal_profile, "MOST_ROWS_READ", 30 * 5)
    assert len(profiled(**columns).pairs) == 5
    assert profiled(**columns).pairs_left_out == 91 - 5


@given(st.lists(st.tuples(*[st.sampled_from(["", "a", "b", "c"])] * 3), min_size=2, max_size=40))
@settings(max_examples=20, deadline=None)
def test_pairs_equal_counting(rows: list[tuple[str, str, str]]) -> None:
    found = profiled(**{f"c{i}": [row[i] for row in rows] for i in range(3)})
    for pair in found.pairs:
        one, two = (int(name[1]) for name in pair.columns)
        counts = Counter((row[one], row[two]) for row in rows)
        assert (pair.distinct, pair.alone) == (len(counts), list(counts.values()).count(1))
    assert len(found.pairs) + found.pairs_left_out <= len(list(combinations(range(3), 2)))


def test_the_json_holds_counts_and_no_cell() -> None:
    frame = pd.DataFrame(
        {
            "town": [f"canary{i % 4}" for i in range(60)],
            "sex": ["f", "m", "canary"] * 20,
            "note": [f"canary {i}" for i in range(60)],
        }
    )
    found = propose(TableSource(frame), table_text="t.csv").to_json()
    assert "canary" not in json.dumps(found)
    assert found["profile"]["rows"] == 60
    assert found["profile"]["columns"][2] == {
        "name": "note", "kind": "text", "distinct": 60, "missing": 0, "alone": 60,
        "uniqueness": 1.0, "identifying": "nearly unique (60 values in 60 rows)",
    }  # fmt: skip
    assert found["profile"]["pairs"] == [
        {"columns": ["town", "sex"], "distinct": 12, "alone": 0, "uniqueness": 0.0}
    ]
    assert [(c["name"], c["role"]) for c in found["columns"]] == [
        ("town", "quasi"), ("sex", "quasi"), ("note", "identifier"),
    ]  # fmt: skip
    assert found["columns"][2]["why"].startswith("nearly unique")
    assert found["quasi"] == {"columns": ["town", "sex"], "distinct": 12, "alone": 0}
