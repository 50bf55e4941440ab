"""The checker's numbers, by hand and against a recomputation in plain Python."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from release_cases import PLAN, VALUES, released_table

from paretonym.errors import TableError, VerificationError
from paretonym.model.plan import Plan, steps_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.steps import Recode, Suppress
from paretonym.publishing.checker import Description, agree, check, recompute
from paretonym.publishing.manifest import DataFile
from paretonym.publishing.writers import write_data


def description(form="csv", quasi=("age", "zip"), wanted=("illness",), missing=("",)):
    return Description(DataFile(f"data.{form}", "", form, missing=missing), quasi, wanted)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_hand_checked_release(tmp_path, form):
    write_data(released_table().to_reader(), tmp_path / "d", format=form)
    found = recompute(tmp_path / "d", description(form), plan=PLAN, input_rows=9)
    assert found.values["rows"] == 8
    assert found.values["classes"] == 3
    for name in set(VALUES) - {"sf"}:
        if not name.startswith("worst_group"):
            assert agree(VALUES[name], found.values[name]), name
    assert found.unlisted == {"age": 0, "zip": 0}
    assert found.names == ("age", "zip", "illness")


def test_public_numbers_need_no_plan(tmp_path):
    write_data(released_table().to_reader(), tmp_path / "d", format="csv")
    values = recompute(tmp_path / "d", description()).values
    assert values["k"] == 2
    assert values["distinct_l(illness)"] == 2
    assert values["cm(illness)"] == 4  # without the suppressed row, which the file cannot know
    assert "glm" not in values


def test_a_missing_value_is_a_class_and_a_value_of_its_own(tmp_path):
    table = pa.table({"q": ["a", "a", None, None], "s": ["x", None, "x", None]})
    write_data(table.to_reader(), tmp_path / "d", format="csv")
    values = recompute(tmp_path / "d", description(quasi=("q",), wanted=("s",))).values
    assert (values["k"], values["classes"], values["distinct_l(s)"]) == (2, 2, 2)


def test_null_nan_and_declared_texts_are_one_category(tmp_path):
    table = pa.table(
        {"q": ["a"] * 4, "f": [1.0, float("nan"), None, 1.0], "t": ["NA", None, "", "x"]}
    )
    write_data(table.to_reader(), tmp_path / "d", format="parquet")
    asked = description("parquet", ("q",), ("f", "t"), ("", "NA"))
    values = recompute(tmp_path / "d", asked).values
    assert values["distinct_l(f)"] == 2
    assert values["distinct_l(t)"] == 2


def test_nothing_released_never_passes(tmp_path):
    write_data(released_table().slice(0, 0).to_reader(), tmp_path / "d", format="csv")
    found = recompute(tmp_path / "d", description(), plan=PLAN, input_rows=9)
    assert found.values["k"] == 0
    assert found.values["suppressed"] == 9
    assert found.values["glm"] == 27.0  # 9 · (1 + 2)
    assert found.values["average_class_size"] == 9.0
    (result,) = check({"k": 0}, found.values)
    assert not result.holds


def test_without_quasi_identifiers_all_rows_are_one_class(tmp_path):
    write_data(pa.table({"s": ["x", "y", "x"]}).to_reader(), tmp_path / "d", format="csv")
    values = recompute(tmp_path / "d", description(quasi=(), wanted=("s",))).values
    assert (values["k"], values["classes"], values["s_k"]) == (3, 1, 9)


def test_a_one_value_domain_costs_nothing_even_when_suppressed(tmp_path):
    schema = Schema.of([Column("q", frozenset({Role.QUASI}))])
    recode = Recode("q", 0, "raw", {"a": "a"}, {"a": 1}, 1, "")
    plan = Plan(schema, ("",), steps_of(schema, (recode,), Suppress(0)), "", 3)
    write_data(pa.table({"q": ["a", "a"]}).to_reader(), tmp_path / "d", format="csv")
    values = recompute(
        tmp_path / "d", description(quasi=("q",), wanted=()), plan=plan, input_rows=3
    ).values
    assert values["glm"] == values["loss_geometric"] == 0.0


def test_an_unlisted_label_is_counted(tmp_path):
    table = released_table().set_column(0, "age", pa.array(["20s"] * 7 + ["sixty"]))
    write_data(table.to_reader(), tmp_path / "d", format="csv")
    found = recompute(tmp_path / "d", description(), plan=PLAN, input_rows=9)
    assert found.unlisted == {"age": 1, "zip": 0}
    assert "glm" not in found.values


def test_typed_labels_are_compared_as_numbers(tmp_path):
    """The engine may spell 1.0 where the file holds a double."""
    schema = Schema.of([Column("q", frozenset({Role.QUASI}))])
    labels = {"1.0": "1.0", "2.50": "2.50", "not a number": "not a number", None: None}
    recode = Recode("q", 0, "raw", labels, dict.fromkeys(labels, 1), 4, "")
    plan = Plan(schema, ("",), steps_of(schema, (recode,), Suppress(0)), "", 3)
    write_data(pa.table({"q": [1.0, 2.5, None]}).to_reader(), tmp_path / "d", format="parquet")
    asked = description("parquet", ("q",), ())
    assert recompute(tmp_path / "d", asked, plan=plan, input_rows=3).unlisted == {"q": 0}


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"age,zip,illness\n20s,*\n", TableError),
        (b"age,zip,illness\n20s,*,flu,x\n", TableError),
        (b"age,zip,illness\n20s,*,\xff\n", TableError),
        (b"", TableError),
        (b"age,age,illness\n1,2,3\n", TableError),
        (b"age,illness\n20s,flu\n", VerificationError),
    ],
)
def test_damaged_files_are_named_without_their_cells(tmp_path, content, error):
    (tmp_path / "d.csv").write_bytes(content)
    with pytest.raises(error) as caught:
        recompute(tmp_path / "d.csv", description())
    assert "flu" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_whole_numbers_compare_exactly_and_others_by_rounding():
    assert not agree(10**15, 10**15 + 1)
    assert agree(0.1 + 0.2, 0.3)
    assert not agree(0.3, 0.3000001)
    assert not agree(math.nan, math.nan)
    (unknown,) = check({"magic": 1}, {})
    assert not unknown.holds


def brute_force(rows, weights, leaves, domains, input_rows):
    """Straight from the definitions; each row is (quasi…, x)."""
    classes = defaultdict(list)
    for *quasi, x in rows:
        classes[tuple(quasi)].append(x)
    gone = input_rows - len(rows)
    parts = []
    for i, domain in enumerate(domains):
        lost = Fraction(0)
        if domain > 1:
            lost = sum(
                (Fraction(leaves[i][row[i]] - 1, domain - 1) for row in rows), Fraction(gone)
            )
        parts.append(lost)
    glm = sum((w * part for w, part in zip(weights, parts, strict=True)), Fraction(0))
    whole = sum(weights)
    geometric = math.prod(
        (1 + part / input_rows) ** float(w / whole) for w, part in zip(weights, parts, strict=True)
    )
    return {
        "rows": len(rows),
        "classes": len(classes),
        "k": min(map(len, classes.values()), default=0),
        "s_k": sum(len(c) ** 2 for c in classes.values()),
        **{f"values(q{i})": len({row[i] for row in rows}) for i in range(len(domains))},
        "distinct_l(x)": min((len(set(c)) for c in classes.values()), default=0),
        "s_l(x)": sum(n**2 for c in classes.values() for n in Counter(c).values()),
        "cm(x)": sum(len(c) - max(Counter(c).values()) for c in classes.values()) + gone,
        "entropy_l(x)": min(
            (mixed(list(Counter(c).values())) for c in classes.values()), default=0.0
        ),
        "glm": float(glm),
        "loss_arithmetic": float(glm / (input_rows * whole)),
        "loss_geometric": geometric - 1,
        "discernibility": sum(len(c) ** 2 for c in classes.values()) + gone * input_rows,
        "average_class_size": input_rows / (len(classes) + (gone > 0)),
        "suppressed": gone,
    }


def mixed(counts):
    """exp(H) of one class."""
    rows = sum(counts)
    return math.exp(sum(n / rows * math.log(rows / n) for n in counts))


def quality(weights, leaves):
    """Entropy of the blocks over that of single values, weighted."""
    found = 0.0
    for weight, under in zip(weights, leaves, strict=True):
        domain = sum(under.values())
        entropy = sum(n / domain * math.log(domain / n) for n in under.values())
        found += float(weight / sum(weights)) * entropy / math.log(domain)
    return found


LABELS = ["a", "b", 'c"', "d,\n", None]


@st.composite
def releases(draw):
    quasi = draw(st.integers(1, 3))
    cells = [st.sampled_from(LABELS)] * quasi + [st.sampled_from(["x", "y", "z", None])]
    rows = draw(st.lists(st.tuples(*cells), max_size=25))
    leaves = [{label: draw(st.integers(1, 4)) for label in LABELS} for _ in range(quasi)]
    domains = [draw(st.sampled_from([1, sum(each.values())])) for each in leaves]
    weights = [draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(5)])) for _ in leaves]
    gone = draw(st.integers(0 if rows else 1, 4))
    return rows, weights, leaves, domains, len(rows) + gone


@settings(max_examples=300, deadline=None)  # every example is forced to disk
@given(releases(), st.sampled_from(["csv", "parquet"]))
def test_recompute_equals_brute_force(tmp_path_factory, case, form):
    rows, weights, leaves, domains, input_rows = case
    names = [f"q{i}" for i in range(len(domains))]
    columns = [Column(n, frozenset({Role.QUASI}), w) for n, w in zip(names, weights, strict=True)]
    schema = Schema.of([*columns, Column("x", frozenset({Role.SENSITIVE}))])
    recodes = tuple(
        Recode(n, 1, "l", {}, under, domain, "")
        for n, under, domain in zip(names, leaves, domains, strict=True)
    )
    plan = Plan(schema, ("",), steps_of(schema, recodes, Suppress(0)), "", input_rows)
    table = pa.table(
        {n: pa.array([row[i] for row in rows], pa.string()) for i, n in enumerate([*names, "x"])}
    )
    path = tmp_path_factory.mktemp("r") / "d"
    write_data(table.to_reader(), path, format=form)
    asked = description(form, tuple(names), ("x",))
    found = recompute(path, asked, plan=plan, input_rows=input_rows).values
    expected = brute_force(rows, weights, leaves, domains, input_rows)
    if all(sum(under.values()) == domain for under, domain in zip(leaves, domains, strict=True)):
        expected["ql"] = quality(weights, leaves)
    assert set(expected) == set(found)
    for name, value in expected.items():
        assert agree(value, found[name]), name
