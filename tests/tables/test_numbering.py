"""Numbers of classes tell apart what is shown, and nothing else, however many words they take."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.errors import TableError
from paretonym.model.source import TableSource
from paretonym.model.steps import Drop, Recode, Suppress, Swap
from paretonym.model.swap import Swaps
from paretonym.tables import open_table
from paretonym.tables.numbering import WIDEST, Numbering

label = st.sampled_from([None, "", "a", "b", "*", "(missing)", "NULL", "0"])


def recode(column, labels):
    return Recode(column, 1, "test", labels, {}, len(labels), "")


def summed(numbering, row):
    words = [0] * numbering.words
    for j, text in enumerate(row):
        words[numbering.word[j]] += numbering.parts(j, [text])[0].as_py()
    return tuple(words)


@given(
    st.lists(st.lists(label, min_size=1, max_size=6), min_size=1, max_size=5),
    st.sampled_from([1, 2, 6, 30, WIDEST]),
    st.data(),
)
def test_a_number_is_a_class(shown, widest, data):
    """However narrow a word: equal numbers exactly for equal labels, in both ways to count."""
    numbering = Numbering.of(shown, widest=widest)
    row = st.tuples(*map(st.sampled_from, shown))
    one, other = data.draw(row), data.draw(row)
    assert (summed(numbering, one) == summed(numbering, other)) == (one == other)
    names = [f"q{j}" for j in range(len(shown))]
    pairs = zip(names, one, other, strict=True)
    classes = pa.table({name: pa.array([x, y], pa.string()) for name, x, y in pairs})
    words = [word.to_pylist() for word in numbering.numbers(classes, names)]
    assert list(zip(*words, strict=True)) == [summed(numbering, one), summed(numbering, other)]


def test_ten_wide_columns_need_more_than_one_word():
    shown = [[f"{j}:{i}" for i in range(1000)] for j in range(10)]
    numbering = Numbering.of(shown)
    assert numbering.words == 2
    assert numbering.word == tuple(sorted(numbering.word))
    highest = summed(numbering, [texts[-1] for texts in shown])
    assert all(0 < word < WIDEST for word in highest)


def test_a_word_is_filled_to_its_limit():
    assert Numbering.of([["a", "b"]] * 62).words == 1
    assert Numbering.of([["a", "b"]] * 63).words == 2
    assert Numbering.of([["a"]] * 100).words == 1


def test_a_class_that_no_row_shows_has_no_number():
    numbering = Numbering.of([["a", None], ["x"]])
    classes = pa.table({"p": ["b", "a", None], "q": ["x", "y", "x"]})
    (word,) = numbering.numbers(classes, ["p", "q"])
    assert word.to_pylist() == [1]
    with pytest.raises(TableError, match="lacks the column 'r'"):
        numbering.numbers(classes, ["p", "r"])


# ---- against rows, through the engine

cell = st.sampled_from([None, "", "a", "b", "c", "(missing)"])


def released(table, steps, gone):
    out = table.apply(steps, suppress=gone, order_key=b"k").read_all()
    return sorted(zip(*(c.to_pylist() for c in out.columns), strict=True), key=repr)


@given(st.data(), st.integers(1, 3), st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=12))
def test_what_is_left_out_is_what_label_tuples_say(data, columns, rows):
    """Nulls beside empty texts, labels of several blocks that coincide, one row: as by hand."""
    names = ["x", "y", "z"]
    maps = [
        {value: data.draw(label) for value in sorted({row[j] for row in rows}, key=repr)}
        for j in range(columns)
    ]

    def shown(row):
        return tuple(m[v] for m, v in zip(maps, row, strict=False))

    known = sorted(map(shown, rows), key=repr)
    gone = data.draw(st.lists(st.sampled_from(known) | st.tuples(*[label] * columns), max_size=5))
    classes = pa.table(
        {n: pa.array([g[j] for g in gone], pa.string()) for j, n in enumerate(names[:columns])}
    )
    frame = pa.table({n: pa.array([r[j] for r in rows], pa.string()) for j, n in enumerate(names)})
    steps = [*(recode(n, m) for n, m in zip(names, maps, strict=False)), Suppress(0)]
    expected = [
        (*(s if not steps[j].changes_nothing else row[j] for j, s in enumerate(shown(row))),
         *row[columns:])
        for row in rows
        if shown(row) not in gone
    ]  # fmt: skip
    with open_table(TableSource(frame, missing=())) as table:
        assert released(table, steps, classes) == sorted(expected, key=repr)


def test_more_words_than_one_through_the_engine():
    """Twelve columns of 64 values: the classes of two rows differ in the last column alone."""
    names = [f"c{j}" for j in range(12)]
    wide = {str(i): f"v{i}" for i in range(64)}
    rows = [["63"] * 12, ["63"] * 11 + ["0"], ["0"] * 12, ["0"] + ["63"] * 11]
    frame = pa.table({name: [row[j] for row in rows] for j, name in enumerate(names)})
    steps = [*(recode(name, wide) for name in names), Suppress(0)]
    assert Numbering.of([list(wide.values())] * 12).words == 2
    for place, row in enumerate(rows):
        gone = pa.table({name: [wide[text]] for name, text in zip(names, row, strict=True)})
        rest = [tuple(wide[t] for t in other) for other in rows[:place] + rows[place + 1 :]]
        with open_table(TableSource(frame)) as table:
            assert released(table, steps, gone) == sorted(rest, key=repr)


def test_no_question_to_the_engine_joins_by_what_may_be_missing(monkeypatch):
    """Engines without null-safe hash joins would compare every pair of rows."""
    from paretonym.tables.engine import Session

    asked = []
    batches, row = Session.batches, Session.row
    monkeypatch.setattr(Session, "batches", lambda s, q: asked.append(q) or batches(s, q))
    monkeypatch.setattr(Session, "row", lambda s, q: asked.append(q) or row(s, q))
    frame = pa.table({"x": ["a", None], "y": ["", "b"]})
    steps = [recode("x", {"a": "A", None: None}), recode("y", {"": "E", "b": None}), Suppress(0)]
    with open_table(TableSource(frame, missing=())) as table:
        assert released(table, steps, pa.table({"x": ["A"], "y": ["E"]})) == [(None, None)]
    assert len(asked) == 2
    for query in asked:
        text = query.sql("postgres").upper()
        assert "DISTINCT FROM" not in text
        assert "<=>" not in query.sql("spark")


# ---- steps that cannot be made


TABLE = pa.table({"x": ["a", "b"], "y": ["c", "d"]})
SAME = recode("x", {"a": "a", "b": "b"})


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([Drop(("x",)), SAME], "no column 'x', or it was dropped"),
        ([Drop(("xx",))], "no column 'xx'.*did you mean"),
        ([SAME, SAME], "recoded twice"),
        ([SAME], "no step of the plan suppresses"),
        ([Swap(Swaps(("x",), ((0, 1),), "f" * 64, 2)), SAME], "not exchanged as the plan says"),
    ],
)
def test_a_step_that_does_not_fit_is_refused(steps, words):
    gone = pa.table({"x": ["a"]})
    with open_table(TableSource(TABLE)) as table, pytest.raises(TableError, match=words):
        table.apply(steps, suppress=gone, order_key=b"")


def test_steps_are_made_in_their_order_or_not_at_all():
    order = [Drop(("y",)), SAME, Suppress(0)]
    with open_table(TableSource(TABLE)) as table:
        assert released(table, order, pa.table({"x": ["a"]})) == [("b",)]
        for one, other in pairwise(range(3)):
            steps = list(order)
            steps[one], steps[other] = steps[other], steps[one]
            with pytest.raises(ValueError, match="order"):
                table.apply(steps, suppress=pa.table({}), order_key=b"")
