"""A table after its swaps is the table with the same cells exchanged by hand."""

from __future__ import annotations

import csv
import random
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.staged import all_cells

from paretonym.errors import JobError
from paretonym.model.source import TableSource
from paretonym.model.swap import Margin, Swaps
from paretonym.tables import open_table, staging, swapping


def swaps_for(source, columns, pairs, **changes):
    with open_table(source) as table:
        given = {"fingerprint": table.fingerprint, "rows": table.rows(), **changes}
    return Swaps(columns=tuple(columns), pairs=tuple(pairs), **given)


def swapped_cells(source, columns, pairs):
    """By the engine, and by hand."""
    swaps = swaps_for(source, columns, pairs)
    with open_table(source) as table:
        rows = [list(row) for row in all_cells(table)]
        names = table.names
    for one, other in pairs:
        for place in (names.index(name) for name in columns):
            rows[one][place], rows[other][place] = rows[other][place], rows[one][place]
    with open_table(source, swaps=swaps) as table:
        assert table.fingerprint == swaps.fingerprint_after
        return all_cells(table), [tuple(row) for row in rows]


def random_pairs(count, rows, seed):
    picked = random.Random(seed).sample(range(rows), 2 * count)
    return list(zip(picked[::2], picked[1::2], strict=True))


TYPED = pa.table(
    {
        "whole": pa.array([1, None, 2**60, -3, 5, 6], pa.int64()),
        "half": pa.array([0.5, float("inf"), None, 1e-7, -0.0, 3.0]),
        "day": pa.array([date(2020, 1, n) for n in range(1, 7)]),
        "money": pa.array([Decimal("1.10"), None, *map(Decimal, ("2.00", "3.25", "4", "5"))]),
        "kind": pa.array(["a", "b", None, "a", "c", "b"]).dictionary_encode(),
        "text": pa.array(["x", "", None, "ä", "long " * 50, "x"]),
        "flag": pa.array([True, False, None, True, True, False]),
    }
)


@pytest.mark.parametrize("name", TYPED.column_names)
@pytest.mark.parametrize("as_file", [True, False])
def test_every_type_is_exchanged_exactly(tmp_path, name, as_file):
    data = TYPED
    if as_file:
        data = tmp_path / "typed.parquet"
        pq.write_table(TYPED, data)
    made, wanted = swapped_cells(TableSource(data), [name], [(0, 5), (2, 1)])
    assert str(made) == str(wanted)


@settings(max_examples=25)
@given(st.integers(2, 40), st.data())
def test_random_tables(rows, data):
    cells = st.sampled_from(["a", "b", "", None, "ü", "1"])
    columns = {
        name: pa.array([data.draw(cells) for _ in range(rows)], pa.string()) for name in "xyz"
    }
    pairs = random_pairs(data.draw(st.integers(0, rows // 2)), rows, rows)
    moved = data.draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3, unique=True))
    made, wanted = swapped_cells(TableSource(pa.table(columns)), moved, pairs)
    assert made == wanted


def test_quoted_lines_do_not_shift_rows(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('id,area,note\n1,"a\nb",x\n2,"c, d",y\n3,"e ""f""",z\n4,,w\n')
    made, _ = swapped_cells(TableSource(path), ["area"], [(0, 2), (1, 3)])
    assert [row[1] for row in made] == ['e "f"', "", "a\nb", "c, d"]
    assert [row[0] for row in made] == ["1", "2", "3", "4"]


def test_a_table_that_waits_on_disk_is_rewritten(tmp_path, monkeypatch):
    monkeypatch.setattr(
        staging.StagedRows.__init__, "__kwdefaults__", {"budget": 1 << 16, "name": "table.parquet"}
    )
    monkeypatch.setattr(staging, "GROUP_BYTES", 1 << 14)
    monkeypatch.setattr(swapping, "BATCH_ROWS", 700)
    path = tmp_path / "people.csv"
    draw = random.Random(3)
    with path.open("w", newline="") as stream:
        rows = (
            [i, f"area {draw.randrange(99)}", draw.choice("fm"), draw.random()]
            for i in range(20_000)
        )
        csv.writer(stream).writerows([["id", "area", "sex", "note"], *rows])
    source = TableSource(path)
    with open_table(source) as table:
        assert isinstance(table._content.relation, Path)
    pairs = random_pairs(3000, 20_000, 5)
    made, wanted = swapped_cells(source, ["area", "sex"], pairs)
    assert made == wanted
    with open_table(source, swaps=swaps_for(source, ["area"], pairs)) as table:
        held = table._content.relation
        assert held.stat().st_mode & 0o777 == 0o600
        assert [one.name for one in held.parent.glob("*.parquet")] == [swapping.SWAPPED_FILE]


def test_swaps_of_another_table_are_refused(tmp_path):
    source = TableSource(TYPED)
    for changes in ({"fingerprint": "0" * 64}, {"rows": 7}):
        with pytest.raises(JobError, match="another table"):
            open_table(source, swaps=swaps_for(source, ["text"], [(0, 1)], **changes))
    with pytest.raises(JobError, match=r"no column 'texts'.*'text'"):
        open_table(source, swaps=swaps_for(source, ["texts"], [(0, 1)]))
    margins = {"margins": (Margin(("text", "street")),)}
    with pytest.raises(JobError, match="no column 'street'"):
        open_table(source, swaps=swaps_for(source, ["text"], [(0, 1)], **margins))
