"""From the table's histogram to codes: sizes, counts, predicates and weights add up."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.encode import encode, observed_values
from paretonym.encode.hierarchies import build
from paretonym.model.hierarchy import Suppress
from paretonym.model.logic.predicate import ValueIn
from paretonym.model.source import TableSource
from paretonym.tables import open_table

TABLE = pa.table(
    {
        "age": ["30", "30", "40", None, "30"],
        "sex": ["f", "f", "m", "m", "f"],
        "ill": ["flu", "flu", "cold", "flu", None],
        "w": ["1.5", "2", "1", "0.5", "1"],
    }
)


def histogram_of(table: pa.Table, counted=("ill",), **options):
    with open_table(TableSource(table)) as opened:
        raw = opened.histogram(["age", "sex", *counted], **options)
    granulations = [
        build(Suppress(), name, observed_values(raw[f"key:{name}"])) for name in ("age", "sex")
    ]
    return encode(raw, granulations, counted), granulations


def test_combinations_sizes_and_counts():
    """(30, f) three times with flu twice and once unknown; (40, m); (missing, m)."""
    histogram, (age, sex) = histogram_of(TABLE)
    found = {}
    ill = histogram.counts["ill"]
    for i in range(histogram.combinations):
        labels = (age.leaves[histogram.codes[i, 0]], sex.leaves[histogram.codes[i, 1]])
        values = {
            ill.values[ill.code[j]]: int(ill.count[j])
            for j in range(ill.offset[i], ill.offset[i + 1])
        }
        found[labels] = (int(histogram.sizes[i]), values)
    assert found == {
        ("30", "f"): (3, {"flu": 2, None: 1}),
        ("40", "m"): (1, {"cold": 1}),
        (None, "m"): (1, {"flu": 1}),
    }
    assert histogram.rows == 5
    assert dict(zip(ill.values, ill.totals.tolist(), strict=True)) == {"cold": 1, "flu": 3, None: 1}


def test_predicates_and_weights_ride_along():
    histogram, _ = histogram_of(
        TABLE, predicates={"has flu": ValueIn("ill", frozenset({"flu"}))}, weight="w"
    )
    assert histogram.predicates["has flu"].sum() == 3
    assert histogram.weights is not None
    assert histogram.weights.sum() == 6.0


rows = st.lists(
    st.tuples(st.sampled_from(["1", None]), st.sampled_from("ab"), st.sampled_from("xy")),
    min_size=1,
    max_size=30,
)


@pytest.mark.slow
@given(rows)
def test_no_row_is_lost(data):
    age, sex, ill = (list(column) for column in zip(*data, strict=True))
    table = pa.table({"age": pa.array(age, pa.string()), "sex": sex, "ill": ill})
    histogram, _ = histogram_of(table)
    assert histogram.sizes.sum() == histogram.rows == len(data)
    assert histogram.combinations == len({r[:2] for r in data})
    assert histogram.counts["ill"].count.sum() == len(data)
