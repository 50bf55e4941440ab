"""What counts as a dropped identifier that is still in the release."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from paretonym.publishing.codes import code_table
from paretonym.publishing.identifiers import scan_identifiers


def leaks(identifier, column, *, rows=None, recoded=False):
    before = code_table(pa.table({"id": identifier, "x": column}))
    released = np.ones(before.rows, np.bool_) if rows is None else np.array(rows)
    after = code_table(pa.table({"x": pa.array(column).filter(pa.array(released))}))
    (result,) = scan_identifiers(
        {"id": before.columns["id"]},
        dict(after.columns),
        {"x": before.columns["x"]},
        rows=released,
        recoded=frozenset({"x"} if recoded else ()),
    )
    return result.recomputed


def test_a_name_is_found_as_a_cell_and_inside_a_text():
    assert leaks(["Anna Miller", "Bo"], ["anna miller", "-"]) == 1
    assert leaks(["Anna Miller", "Bo"], ["-", "called Anna-Miller today"]) == 1
    assert leaks(["Miller", "Bo"], ["Mr. MILLER", "millers"]) == 1
    assert leaks(["Anna Miller", "Bo"], ["Anna", "Miller"]) == 0


def test_suppressed_rows_do_not_count():
    assert leaks(["Anna Miller", "Bo"], ["anna miller", "-"], rows=[False, True]) == 0


def test_numbers_may_coincide_with_other_rows():
    """Record numbers look like amounts; only one's own number is a leak."""
    ids = ["48213", "48214", "48215"]
    assert leaks(ids, ["48214", "48215", "48213"]) == 0
    assert leaks(ids, ["48213", "48214", "0"]) == 2
    assert leaks(ids, ["48213", "0", "0"]) == 0
    assert leaks(ids, ["case 48213", "none", "see 48213"]) == 1


def test_short_values_count_when_the_column_is_the_identifier():
    assert leaks(["1", "2", "3"], ["1", "2", "3"]) == 3
    assert leaks([1, 2, 3], [1, 2, 3]) == 3
    assert leaks(["1", "2", "3"], ["1", "1", "1"]) == 0
    assert leaks(["m", "m", "m"], ["m", "m", "m"]) == 0  # a constant tells nobody apart


def test_long_numbers_are_telling():
    assert leaks(["123-45-6789 0", "x"], ["y", "1234567890"]) == 0
    assert leaks(["1234567890", "x"], ["y", "tel 1234567890"]) == 1


def test_missing_identifiers_match_nothing():
    assert leaks(["", None, "Anna Miller"], ["", None, "x"]) == 0


def test_nothing_dropped_nothing_to_scan():
    assert scan_identifiers({}, {}, {}, rows=np.ones(0, np.bool_), recoded=frozenset()) == []
