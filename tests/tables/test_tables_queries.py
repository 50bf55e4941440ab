"""Histograms, values and profiles that a hand can count."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import parse_one

from paretonym.errors import TableError
from paretonym.model.logic.predicate import AllOf, AnyOf, Not, ValueIn
from paretonym.model.source import TableSource
from paretonym.tables import open_table, sql
from paretonym.tables.carriers import text_field
from paretonym.tables.engine import Engine

PEOPLE = "zip,sex,w\n01001,F,1.5\n01001,F,2\n01001,M,1e1\n,M,0.1\nNA,,0.2\n"


def test_histogram_counts_each_tuple_once(opened):
    found = opened(PEOPLE).histogram(["zip", "sex"])
    assert found.to_pydict() == {
        "key:zip": [None, "01001", "01001", "NA"],
        "key:sex": ["M", "F", "M", None],
        "rows": [1, 2, 1, 1],
    }
    assert found["key:zip"].type == pa.dictionary(pa.int32(), pa.string())
    assert found["key:zip"].chunk(0).dictionary.to_pylist() == ["01001", "NA"]
    assert found["rows"].type == pa.int64()


def test_declared_missing_texts_join_the_empty_one(opened):
    found = opened(PEOPLE, missing=("", "NA")).histogram(["zip"])
    assert found.to_pydict() == {"key:zip": [None, "01001"], "rows": [2, 3]}


def test_without_declared_missing_the_empty_cell_is_a_value(opened):
    found = opened(PEOPLE, missing=()).histogram(["sex"])
    assert found["key:sex"].to_pylist() == ["", "F", "M"]


def test_no_keys_give_one_row(opened):
    assert opened(PEOPLE).histogram([]).to_pydict() == {"rows": [5]}


def test_a_key_may_be_called_rows(opened):
    assert opened("rows\nx\nx\n").histogram(["rows"]).to_pydict() == {
        "key:rows": ["x"],
        "rows": [2],
    }


@pytest.mark.parametrize(
    ("predicate", "count"),
    [
        (ValueIn("sex", frozenset({"M"})), 2),
        (ValueIn("sex", frozenset({None})), 1),
        (ValueIn("sex", frozenset({"M", None})), 3),
        (ValueIn("sex", frozenset()), 0),
        (Not(ValueIn("sex", frozenset({"M"}))), 3),
        (Not(Not(ValueIn("sex", frozenset({"M"})))), 2),
        (AllOf((ValueIn("sex", frozenset({"M"})), ValueIn("zip", frozenset({None})))), 1),
        (AnyOf((ValueIn("sex", frozenset({"M"})), ValueIn("zip", frozenset({"NA"})))), 3),
        (Not(AnyOf((ValueIn("sex", frozenset({"F"})), Not(ValueIn("zip", frozenset({"NA"})))))), 1),
        (AllOf(()), 5),
        (AnyOf(()), 0),
        (ValueIn("sex", frozenset({"'; DROP TABLE source; --"})), 0),
    ],
)
def test_predicates_count_rows(opened, predicate, count):
    found = opened(PEOPLE).histogram([], predicates={"p": predicate})
    assert found["count:p"].to_pylist() == [count]


def test_weights_are_summed_exactly(opened):
    found = opened(PEOPLE).histogram(["sex"], weight="w")
    assert found["weight"].to_pylist() == [0.2, 3.5, 10.1]
    assert found["weight"].type == pa.float64()


def test_weights_of_the_rows_that_fulfil_a_predicate(opened):
    """Zip 01001: one of 10 in sex M and two of 3.5 in sex F; the missing sex is none of them."""
    zips = {"z": ValueIn("zip", frozenset({"01001"})), "n": ValueIn("zip", frozenset({None}))}
    found = opened(PEOPLE).histogram(["sex"], predicates=zips, weight="w")
    assert found["weight:z"].to_pylist() == [0, 3.5, 10]
    assert found["weight:n"].to_pylist() == [0, 0, 0.1]


@pytest.mark.parametrize("bad", ["s3cr3t", "", "nan", "inf", "1,5", "0x10"])
def test_a_weight_that_is_no_number_is_found(opened, bad):
    table = opened(f'a;w\n"x\ny";1\nz;"{bad}"\nz;"{bad}"\n')
    with pytest.raises(TableError, match=r"people.csv, line 4, column 'w': .*2 such rows") as error:
        table.histogram(["a"], weight="w")
    assert "s3cr3t" not in str(error.value)


def test_values_of(opened):
    found = opened(PEOPLE).values_of("sex")
    assert found.to_pydict() == {"value": ["F", "M", None], "rows": [2, 2, 1]}


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        (["0", "-12", "7"], "integer"),
        (["1", "2.5", "-1e-05", ".5"], "decimal"),
        (["2020-01-31", "1999-12-01"], "date"),
        (["2020-13-31"], "text"),
        (["31.01.2020"], "text"),
        (["01001", "12345"], "code"),
        (["007", "12"], "code"),
        (["A1", "B2"], "code"),
        (["A1", "B22"], "text"),
        (["AB", "CD"], "text"),
        (["1,5"], "text"),
        (["1\n"], "text"),
        (["", ""], "text"),
    ],
)
def test_looks_like(opened, values, shape):
    cells = "\n".join(f'"{value}"' for value in values)
    assert opened(f"x\n{cells}\n").profile()[0].looks_like == shape


def test_profile_counts(opened):
    profile = opened("x;y\nabc;\nabc;é\n;éé\n").profile()
    assert [(p.name, p.rows, p.missing, p.distinct, p.shortest, p.longest) for p in profile] == [
        ("x", 3, 1, 1, 3, 3),
        ("y", 3, 1, 2, 1, 2),
    ]
    assert [p.name for p in opened("x;y\n1;2\n").profile(["y"])] == ["y"]


def test_rows_that_are_alone(opened):
    """x: c and the one empty cell; x with y: every row but the two (a, 1)."""
    table = opened("x;y\na;1\na;1\na;2\n;1\nc;1\n")
    assert [p.alone for p in table.profile()] == [2, 1]
    both, x = table.combinations([("x", "y"), ("x",)])
    assert (both.columns, both.rows, both.distinct, both.alone) == (("x", "y"), 5, 4, 3)
    assert (x.distinct, x.alone) == (3, 2)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "1", "2"])), min_size=1))
def test_alone_equals_counting(cells):
    frame = pa.table({"x": [x for x, _ in cells], "y": [y for _, y in cells]})
    counts = Counter(cells)
    with open_table(TableSource(frame)) as table:
        (found,) = table.combinations([("x", "y")])
    assert (found.distinct, found.alone) == (len(counts), list(counts.values()).count(1))


cell = st.sampled_from(["", "a", "b", "NA", "é'\"", "01"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=30))
def test_histogram_equals_a_counter(rows):
    frame = pa.table({name: [row[i] for row in rows] for i, name in enumerate("xyz")})
    expected = Counter(tuple(None if v in ("", "NA") else v for v in (r[2], r[0])) for r in rows)
    with open_table(TableSource(frame, missing=("", "NA"))) as table:
        found = table.histogram(["z", "x"])
    keys = zip(found["key:z"].to_pylist(), found["key:x"].to_pylist(), strict=True)
    assert dict(zip(keys, found["rows"].to_pylist(), strict=True)) == expected


def test_many_groups_over_many_batches(opened):
    """300,000 rows, 100,000 classes of three, keys wider than 62 bits when packed."""
    rows = "".join(f"{i % 100_000},{i % 7919},{i % 100_000},{i % 100_000},x{i % 100_000}\n"
                   for i in range(100_000))  # fmt: skip
    found = opened("a,b,c,d,e\n" + rows * 3).histogram(list("abcde"))
    assert found.num_rows == 100_000
    assert set(found["rows"].to_pylist()) == {3}
    assert found["key:a"].to_pylist() == sorted(map(str, range(100_000)))


def test_the_same_question_in_other_dialects():
    keys = sql.Keys([text_field("zip"), text_field('s"x'), text_field("w")], ("", "NA"))
    predicate = {"p": Not(ValueIn('s"x', frozenset({"it's", None})))}
    query = sql.histogram(keys, ["zip", 's"x'], predicate, "w")
    for dialect in ("duckdb", "postgres", "spark"):
        text = query.sql(dialect)
        assert "GROUP BY" in text
        again = parse_one(text, read=dialect).sql("duckdb")
        # Spark's own CAST gives NULL where it fails; weights are checked before they are summed
        assert again.replace("TRY_CAST", "CAST") == query.sql("duckdb")
    assert '"c0"' in query.sql("postgres")
    assert "`c0`" in query.sql("spark")


def test_the_engine_reaches_nothing_outside(tmp_path):
    (tmp_path / "x.csv").write_text("a\n1\n")
    engine = Engine()
    with engine.session({}) as session:
        for statement in (
            f"FROM read_csv('{tmp_path / 'x.csv'}')",
            f"COPY (SELECT 1) TO '{tmp_path / 'y.csv'}'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                session._cursor.execute(statement)
    engine.close()
    assert not engine.folder.exists()


@pytest.fixture
def heeding_ctrl_c():
    """A runner that ignores the signal would leave the query running for ever."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding_ctrl_c")
def test_ctrl_c_stops_a_query():
    engine = Engine()
    numbers = pa.table({"n": list(range(20_000))})
    query = parse_one("SELECT COUNT(*) FROM n AS a, n AS b, n AS c WHERE a.n < b.n + c.n")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with engine.session({"n": numbers}) as session:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            session.row(query)
    engine.close()
