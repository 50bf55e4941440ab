"""What a page shows of columns is what the table holds and what the job makes of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.encode.hierarchies import build
from paretonym.errors import JobError
from paretonym.jobfile.layout import column_notes
from paretonym.jobfile.loading import job_from_text, load_job, parse_column
from paretonym.jobfile.yaml import read_yaml
from paretonym.model.granulation import Granulation
from paretonym.model.hierarchy import Mask
from paretonym.model.source import TableSource
from paretonym.proposal.profile import profile_of
from paretonym.tables import Table, open_table
from paretonym.views import column_trees
from paretonym.views.column_trees import BlockView, TreeView, tree_view
from paretonym.views.column_views import ColumnView, columns_view, hierarchy_preview, tree_of

EXAMPLES = Path(__file__).parents[2] / "examples"

TABLE = pd.DataFrame(
    {
        "age": ["31", "7", "31", "40", "100"],
        "zip": ["1001", "1002", "2001", "1001", None],
        "job": ["clerk", "cook", "clerk", None, None],
    }
)
JOB = """\
table: t.csv
# all of them
columns:
  # what people
  #   look like
  age: {role: quasi, weight: 2, hierarchy: {intervals: [10, 50]}}
  zip: {role: [quasi, target], hierarchy: {mask: right}}

  # kept
  job: {role: sensitive}
objectives: [k]
"""


@pytest.fixture
def table() -> Iterator[Table]:
    with open_table(TableSource(TABLE)) as opened:
        yield opened


def views(table: Table, text: str, *, whole: bool = True) -> dict[str, ColumnView]:
    job = job_from_text(text, name="job.yaml", base=Path()) if whole else None
    view = columns_view(
        job, read_yaml(text, "job.yaml").data, table, profile_of(table), notes=column_notes(text)
    )
    assert [column.index for column in view.columns] == list(range(len(view.columns)))
    assert json.loads(json.dumps(view.to_json()))["rows"] == 5
    return {column.name: column for column in view.columns}


@pytest.mark.parametrize("whole", [True, False])
def test_a_column_is_told_with_its_counts_and_levels(table: Table, whole: bool) -> None:
    found = views(table, JOB, whole=whole)
    age, zip_code, job = found["age"], found["zip"], found["job"]
    assert (age.kind, age.distinct, age.missing, age.alone) == ("whole", 4, 0, 3)
    assert (age.role, age.weight, age.hierarchy) == (("quasi",), "2", {"intervals": ["10", "50"]})
    assert [(level.name, level.blocks) for level in age.levels] == [
        ("value", 4), ("width 10", 4), ("width 50", 2), ("*", 1),
    ]  # fmt: skip
    assert (zip_code.role, zip_code.missing, zip_code.alone) == (
        ("quasi", "target"),
        1,
        3,
    )  # missing is a value as well
    assert (job.alone, job.levels, job.hierarchy) == (1, (), None)
    assert (age.note, zip_code.note, job.note) == ("what people look like", "", "kept")
    assert not any(column.fault for column in found.values())


def test_a_hierarchy_that_fails_leaves_the_others_alone(table: Table) -> None:
    text = JOB.replace("{mask: right}", "{groups: {west: ['1001', '1002']}}")
    found = views(table, text)
    fault = found["zip"].fault
    assert fault is not None
    assert "1 value of the column is not among" in fault
    assert "2001" not in fault
    assert found["zip"].levels == ()
    assert len(found["age"].levels) == 4


def test_a_broken_job_still_shows_its_columns(table: Table) -> None:
    text = JOB.replace("mask: right", "mask: up").replace("  job:", "  jib:")
    found = views(table, text, whole=False)
    assert found["zip"].fault == "columns.zip.hierarchy.mask: unknown side; use right or left"
    assert "no role" in str(found["job"].fault)
    assert "did you mean 'job'" in str(found["jib"].fault)
    assert (found["jib"].kind, found["age"].fault) == ("absent", None)


def test_a_job_without_columns_has_nothing_to_complain_about(table: Table) -> None:
    view = columns_view(None, {"table": "t.csv"}, table, profile_of(table))
    assert [column.fault for column in view.columns] == [None, None, None]


def test_cells_without_a_text_are_told() -> None:
    frame = pa.table({"a": pa.array([[1], [2]]), "b": ["x", "y"]})
    data = {"columns": {"a": {"role": "quasi", "hierarchy": "suppress"}, "b": {"role": "quasi"}}}
    with open_table(TableSource(frame)) as opened:
        a, b = columns_view(None, data, opened, profile_of(opened)).columns
    assert (a.kind, a.alone) == ("unreadable", 0)
    assert "cannot be generalised" in str(a.fault)
    assert "needs a hierarchy" in str(b.fault)


def shape(blocks: tuple[BlockView, ...]) -> Any:
    return [
        (b.label, b.rows, shape(b.children)) if b.children else (b.label, b.rows) for b in blocks
    ]


def test_numbers_keep_their_order_and_texts_come_by_rows(table: Table) -> None:
    numbers = hierarchy_preview({"role": "quasi", "hierarchy": {"intervals": [50]}}, "age", table)
    assert [level.name for level in numbers.levels] == ["*", "width 50", "value"]
    young, old = ("7", 1), ("100", 1)
    below = [("[0, 50)", 4, [young, ("31", 2), ("40", 1)]), ("[100, 150)", 1, [old])]
    assert shape(numbers.root) == [("*", 5, below)]
    assert [value.value for value in numbers.values] == ["7", "31", "40", "100"]
    texts = hierarchy_preview({"role": "quasi", "hierarchy": "suppress"}, "zip", table)
    assert shape(texts.root) == [("*", 5, [("1001", 2), ("1002", 1), ("2001", 1), (None, 1)])]
    assert [v.value for v in texts.values] == ["1001", "1002", "2001", None]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"role": "sensitive"}, "not generalised"),
        ({"role": "quasi", "hierarchy": {"intervals": 0}}, "age"),
        ({"role": "quasi", "hierarchy": {"order": ["7", "31"], "groups_of": 2}}, "2 values of the"),
        ({"role": "quasi", "hierarchy": {"date": "year"}}, "columns.age.format: dates are read"),
        ({"role": "quasi", "hierarchy": {"maks": "left"}}, "did you mean 'mask'"),
        ({"role": "quasi", "hierarchie": "suppress"}, "did you mean 'hierarchy'"),
        ({"role": "quasi"}, "columns.age: a quasi column needs a hierarchy"),
        ("quasi", "columns.age: expected a mapping"),
    ],
)
def test_a_preview_that_cannot_be_built_says_why(table: Table, entry: Any, says: str) -> None:
    with pytest.raises(JobError, match=says) as caught:
        hierarchy_preview(entry, "age", table)
    assert "100" not in str(caught.value)


def test_a_column_without_a_hierarchy_shows_its_values(table: Table) -> None:
    view = tree_of("job", table, None)
    assert (view.levels, view.root, view.rows) == ((), (), 5)
    assert [(v.value, v.rows) for v in view.values] == [("clerk", 2), (None, 2), ("cook", 1)]


def test_levels_that_do_not_nest_follow_the_spanning_tree() -> None:
    job = load_job(EXAMPLES / "clinic.yaml")
    spec = next(column for column in job.columns if column.name == "visit")
    with open_table(job.source) as opened:
        view = tree_of("visit", opened, spec)
    assert [level.name for level in view.levels] == ["*", "season", "month", "value"]
    assert view.note == "not drawn, because they do not nest: week, quarter"
    (top,) = view.root
    assert top.rows == view.rows == 2000
    assert [len(season.children) for season in top.children] == [3, 3, 3, 3]


def all_blocks(blocks: tuple[BlockView, ...]) -> Iterator[BlockView]:
    for block in blocks:
        yield block
        yield from all_blocks(block.children)


def check_sums(view: TreeView, granulation: Granulation) -> None:
    for block in all_blocks(view.root):
        if block.children and not block.more:
            assert block.rows == sum(child.rows for child in block.children)
            assert block.leaves == sum(child.leaves for child in block.children)
    assert sum(block.rows for block in view.root) == view.rows
    assert sum(block.leaves for block in view.root) == len(granulation.leaves)


@given(st.lists(st.text("ab", min_size=1, max_size=3) | st.none(), min_size=1, max_size=40))
def test_a_tree_adds_up_to_the_table(cells: list[str | None]) -> None:
    counts = Counter(cells)
    granulation = build(Mask("right"), "c", list(counts))
    view = tree_view(granulation, counts)
    check_sums(view, granulation)
    leaves = [block for block in all_blocks(view.root) if not block.children]
    assert {block.label: block.rows for block in leaves} == counts
    assert {value.value: value.rows for value in view.values} == counts


def test_large_trees_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: dict[str | None, int] = {f"{i:04}": i + 1 for i in range(2000)}
    granulation = build(Mask("right"), "c", list(counts))
    spec = parse_column({"role": "quasi", "hierarchy": "suppress"}, name="c", base=Path())
    assert spec.hierarchy is not None
    (top,) = tree_view(build(spec.hierarchy, "c", list(counts)), counts).root
    assert (len(top.children), top.more, top.children[0].label) == (60, 1940, "1999")
    monkeypatch.setattr(column_trees, "MOST_BLOCKS", 100)
    monkeypatch.setattr(column_trees, "MOST_LISTED", 10)
    view = tree_view(granulation, counts)
    blocks = list(all_blocks(view.root))
    assert len(blocks) <= 100
    assert view.rows == sum(counts.values())
    assert len(view.values) == 10
    assert view.note == "1,990 more values are not listed"
    hidden = [block for block in blocks if block.more]
    assert hidden
    assert all(block.more + len(block.children) == 10 for block in hidden)
