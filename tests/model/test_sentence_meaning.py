"""What sentences mean: by hand, by a second reading, in SQL, and over whole domains."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.sentence_cases import CELLS, DOMAINS, is_true, meaningful_atoms, trees

from paretonym.errors import SentenceError
from paretonym.model.logic.meaning import Domain, compile_sentence
from paretonym.model.logic.predicate import (
    AllOf,
    AnyOf,
    Not,
    ValueIn,
    holds,
    predicate_from_json,
    predicate_to_json,
)
from paretonym.model.logic.sentence import Sentence, parse_sentence
from paretonym.model.logic.truth import always_holds
from paretonym.model.source import TableSource
from paretonym.tables import open_table

PEOPLE = {
    "Health": Domain(frozenset({"0", "1", "2", None})),
    "Income": Domain(frozenset({"100", "299999.99", "300000", "300000.0", "4e5", None}), True),
    "SOCP": Domain(frozenset({"551010", "553011", "111021", "X 55", None})),
    "Rate": Domain(frozenset({"1,5", "1,50", "2"}), numeric=True, decimal_comma=True),
}


def compiled(text: str):
    return compile_sentence(parse_sentence(text), PEOPLE)


def among(column: str, *values: str | None) -> ValueIn:
    return ValueIn(column, frozenset(values))


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("Health = 2", among("Health", "2")),
        ("Health != 2", Not(among("Health", "2"))),
        ("Health in {1, 2}", among("Health", "1", "2")),
        ("Health not in {1, 2}", Not(among("Health", "1", "2"))),
        ("Health is missing", among("Health", None)),
        ("Health is not missing", Not(among("Health", None))),
        ("SOCP startswith '55'", among("SOCP", "551010", "553011")),
        ("SOCP startswith 'X '", among("SOCP", "X 55")),
        ("Income >= 300000", among("Income", "300000", "300000.0", "4e5")),
        ("Income > 300000.00", among("Income", "4e5")),
        ("Income < 3e5", among("Income", "100", "299999.99")),
        ("Income <= 100", among("Income", "100")),
        ("Income < 0", among("Income")),
        ("Income = 300000", among("Income", "300000", "300000.0")),
        ("Income in {400000, 100}", among("Income", "4e5", "100")),
        ("Income startswith 300", among("Income", "300000", "300000.0")),
        ("Rate <= '1,5'", among("Rate", "1,5", "1,50")),
        ("Rate = 2", among("Rate", "2")),
        (
            "not Health = 2 and (Health = 1 or Income > 3e5)",
            AllOf(
                (
                    Not(among("Health", "2")),
                    AnyOf((among("Health", "1"), among("Income", "4e5"))),
                )
            ),
        ),
    ],
)
def test_what_a_sentence_compiles_to(text, predicate):
    assert compiled(text) == predicate


def test_numbers_are_compared_exactly():
    """As floats, both cells and the bound would be the same number."""
    cells = frozenset({"0.30000000000000000001", "9007199254740993"})
    domains = {"x": Domain(cells, numeric=True)}
    for text, found in [("x > 0.3", 2), ("x > 9007199254740992", 1), ("x < 9007199254740993", 1)]:
        predicate = compile_sentence(parse_sentence(text), domains)
        assert isinstance(predicate, ValueIn)
        assert len(predicate.values) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Health = 2", False),
        ("Health != 2", True),
        ("Health not in {1, 2}", True),
        ("Health != 2 and Health is not missing", False),
        ("not SOCP startswith '55'", True),
        ("Income >= 0 or Income < 0", False),
    ],
)
def test_a_missing_value_satisfies_negations_only(text, expected):
    assert holds(compiled(text), dict.fromkeys(PEOPLE)) is expected


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("Health = 2 and Helth = 1", 16, "unknown column 'Helth' (did you mean 'Health'?)"),
        ("HEALTH = 2", 1, "unknown column 'HEALTH' (did you mean 'Health'?)"),
        ("Zzz = 2", 1, "unknown column 'Zzz'"),
        ("Health in {1, 9}", 15, "'9' does not occur in column 'Health' (known values: 3)"),
        ("Health not in {9}", 16, "'9' does not occur in column 'Health' (known values: 3)"),
        ("SOCP = 'x 55 '", 8, "differs from a known value only in case or blanks"),
        ("SOCP startswith x", 17, "differs from the start of a known value only in case or blanks"),
        ("SOCP startswith 99", 17, "nothing starts with '99' in column 'SOCP' (known values: 4)"),
        ("SOCP startswith ' '", 17, "for cells without a value write 'is missing'"),
        ("Health = ''", 10, "for cells without a value write 'is missing'"),
        ("Health >= 1", 1, "column 'Health' is not declared as numbers; declare it type: number"),
        ("Income = 5", 10, "the number '5' does not occur in column 'Income' (known values: 5)"),
        ("Income >= lots", 11, "'lots' is not a number (decimal point"),
        ("Income = nan", 10, "'nan' is not a number"),
        ("Rate > 1.5", 8, "'1.5' is not a number (decimal comma, in quotes"),
    ],
)
def test_a_fault_names_the_place_and_no_cell(text, position, message):
    with pytest.raises(SentenceError) as error:
        compiled(text)
    assert error.value.position == position
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["Pay > 5", "Pay = 5", "Health = 0 and Pay not in {5}"])
def test_cells_that_are_no_numbers_are_counted_not_shown(text):
    pay = Domain(frozenset({"5", "s3cr3t", "1_000", None}), numeric=True)
    with pytest.raises(SentenceError, match="2 of its 3 values cannot be read as one") as error:
        compile_sentence(parse_sentence(text), {**PEOPLE, "Pay": pay})
    assert error.value.position == text.index("Pay") + 1
    assert "s3cr3t" not in str(error.value)
    assert "1_000" not in str(error.value)


rows = st.fixed_dictionaries({name: st.sampled_from(cells) for name, cells in CELLS.items()})


@given(trees(meaningful_atoms()), st.lists(rows, max_size=10))
def test_compiled_equals_a_second_reading(tree, people):
    predicate = compile_sentence(parse_sentence(str(Sentence("", tree))), DOMAINS)
    for person in people:
        assert holds(predicate, person) == is_true(tree, person)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(trees(meaningful_atoms()), min_size=1, max_size=4),
    st.lists(rows, min_size=1, max_size=20),
)
def test_an_engine_counts_what_holds(said, people):
    predicates = {
        str(i): compile_sentence(Sentence("", tree), DOMAINS) for i, tree in enumerate(said)
    }
    columns = {name: pa.array([row[name] for row in people], pa.string()) for name in CELLS}
    with open_table(TableSource(pa.table(columns), missing=("",))) as table:
        found = table.histogram([], predicates=predicates)
    for name, predicate in predicates.items():
        expected = sum(holds(predicate, row) for row in people)
        assert found[f"count:{name}"].to_pylist() == [expected]


@given(trees(meaningful_atoms()))
def test_always_and_never_equal_brute_force(tree):
    predicate = compile_sentence(Sentence("", tree), DOMAINS)
    every = [dict(zip(CELLS, row, strict=True)) for row in itertools.product(*CELLS.values())]
    assert always_holds(predicate, DOMAINS) == all(holds(predicate, row) for row in every)
    assert always_holds(Not(predicate), DOMAINS) == (
        not any(holds(predicate, row) for row in every)
    )


@pytest.mark.parametrize(
    ("text", "always", "never"),
    [
        ("Health = 1 or Health != 1", True, False),
        ("Health = 1 and Health = 2", False, True),
        ("Health in {0, 1, 2}", False, False),
        ("Health in {0, 1, 2} or Health is missing", True, False),
        ("Income >= 100 or Income is missing", True, False),
        ("Income > 400000", False, True),
        ("Rate is missing", False, True),
        ("not (Health = 1 and Income > 5) or Health = 1", True, False),
        ("Health = 1 and SOCP startswith 55 and Income < 5 ", False, True),
    ],
)
def test_tautologies_and_contradictions(text, always, never):
    assert always_holds(compiled(text), PEOPLE) is always
    assert always_holds(Not(compiled(text)), PEOPLE) is never


def test_no_row_is_possible_over_an_empty_domain():
    domains = {"a": Domain(frozenset()), "b": Domain(frozenset({"1"}))}
    predicate = AnyOf((among("a", "1"), among("b", "1")))
    assert always_holds(predicate, domains)
    assert always_holds(Not(predicate), domains)


def test_the_number_of_combinations_is_bounded():
    """Twenty columns of two kinds of values are 2^20 combinations; one more is too many."""
    bit = Domain(frozenset({"0", "1", "2", None}))
    for columns, known in ((20, True), (21, False)):
        domains = {f"c{i}": bit for i in range(columns)}
        clause = AllOf(tuple(among(name, "1") for name in domains))
        assert always_holds(AnyOf((clause, Not(clause))), domains) is known
        assert always_holds(Not(AllOf((clause, Not(clause)))), domains) is known


@given(trees(meaningful_atoms()))
def test_a_predicate_survives_json(tree):
    predicate = compile_sentence(Sentence("", tree), DOMAINS)
    data = predicate_to_json(predicate)
    again = predicate_from_json(json.loads(json.dumps(data)))
    assert again == predicate
    assert predicate_to_json(again) == data


def test_json_by_hand():
    predicate = AllOf((Not(among("b", "2", None, "10")), AnyOf(())))
    assert predicate_to_json(predicate) == {
        "all": [{"not": {"column": "b", "in": [None, "10", "2"]}}, {"any": []}]
    }


def nested(depth: int) -> dict[str, object]:
    data: dict[str, object] = {"all": []}
    for _ in range(depth):
        data = {"not": data}
    return data


@pytest.mark.parametrize(
    "data",
    [
        None, [], "x", {}, {"column": "a"}, {"in": ["1"]}, {"column": 1, "in": []},
        {"column": "a", "in": "12"}, {"column": "a", "in": [1]}, {"column": "a", "in": [["x"]]},
        {"column": "a", "in": ["2", "1"]}, {"column": "a", "in": ["1", "1"]},
        {"column": "a", "in": ["1", None]}, {"column": "a", "in": [], "not": {"all": []}},
        {"not": []}, {"all": {}}, {"any": [1]}, {"all": [], "any": []}, nested(5_000),
    ],
)  # fmt: skip
def test_damaged_json_is_refused(data):
    with pytest.raises((ValueError, KeyError, TypeError)):
        predicate_from_json(data)


def test_the_deepest_sentence_survives_json():
    text = "a = 1"
    for _ in range(25):
        text = f"not (a = 1 and a = 1 or {text})"
    predicate = compile_sentence(parse_sentence(text), {"a": Domain(frozenset("1"))})
    assert predicate_from_json(predicate_to_json(predicate)) == predicate


def test_faults_show_no_cell_that_the_sentence_does_not():
    """Sentences that go wrong at random, on cells that look like nothing else."""
    rng = random.Random(7)
    cells = ["Zqa xw", "kv77", "Ümlj", "8836421", "-551.25", "qq'qq", "9999ZZ"]
    numbers = ["8836421", "-551.25", "7777123"]
    domains = {
        "note": Domain(frozenset([*cells, None])),
        "pay": Domain(frozenset(numbers), numeric=True),
        "mixed": Domain(frozenset(cells), numeric=True),
    }
    said = [
        "note = 'ZQA XW'", "note in {kv7, 'Zqa xw'}", "note startswith KV", "pay > 88364210 a",
        "mixed > 5", "mixed = 5", "pay in {8836421, 12}", "pya = 3", "note >= 5", "note = kv77 ad",
    ]  # fmt: skip
    faults: list[tuple[str, str]] = []
    for _ in range(2_000):
        text = rng.choice(said) + rng.choice([" and ", " or not ", ""]) + rng.choice(said)
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", "x", "'", text[at].swapcase()]) + text[at + 1 :]
        try:
            compile_sentence(parse_sentence(text), domains)
        except SentenceError as error:
            faults.append((text, str(error)))
    assert len(faults) > 1_000
    for text, message in faults:
        assert all(cell in text for cell in [*cells, *numbers] if cell in message)


def test_the_errors_of_the_documentation():
    """docs/sentences.md shows them as they are."""
    page = (Path(__file__).parents[2] / "docs" / "sentences.md").read_text(encoding="utf-8")
    for text in ("Health = 2 adn Income = 100", "Helth = 2", "Health = 9"):
        with pytest.raises(SentenceError) as error:
            compiled(text)
        assert f"\n{error.value}\n" in page


def test_the_precedence_of_the_documentation():
    loose = "Age < 40 or Health = 2 and not Income = 100K"
    assert parse_sentence(loose).tree == (
        parse_sentence("Age < 40 or (Health = 2 and (not Income = 100K))").tree
    )
    assert parse_sentence(loose).tree != (
        parse_sentence("(Age < 40 or Health = 2) and not Income = 100K").tree
    )
