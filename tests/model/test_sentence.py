"""Sentences are read as people mean them, written canonically, and faults have a place."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sentence_cases import meaningful_atoms, trees

from paretonym.errors import JobError, SentenceError
from paretonym.model.logic.sentence import (
    DEEPEST,
    Atom,
    Conjunction,
    Disjunction,
    Negation,
    Sentence,
    Word,
    atoms,
    parse_sentence,
)
from paretonym.model.logic.tokens import LONGEST, as_written


def is_in(column: str, *values: str) -> Atom:
    return Atom(Word(column), "in", tuple(map(Word, values)))


A, B, C = is_in("a", "1"), is_in("b", "2"), is_in("c", "3")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("Health = 2", is_in("Health", "2")),
        ("Health=2", is_in("Health", "2")),
        ("Health in {2}", is_in("Health", "2")),
        ("Health IN {1, 2}", is_in("Health", "1", "2")),
        ("Health != 2", Atom(Word("Health"), "not in", (Word("2"),))),
        ("Health Not In {1,2}", Atom(Word("Health"), "not in", (Word("1"), Word("2")))),
        ("Income>=300000", Atom(Word("Income"), ">=", (Word("300000"),))),
        ("Income < -5.5", Atom(Word("Income"), "<", (Word("-5.5"),))),
        ("SOCP startswith '55'", Atom(Word("SOCP"), "startswith", (Word("55"),))),
        ("Health is missing", Atom(Word("Health"), "is missing")),
        ("Health IS NOT MISSING", Atom(Word("Health"), "is not missing")),
        ("marital-status = Never_married", is_in("marital-status", "Never_married")),
        ("name = Müller", is_in("name", "Müller")),
        ("salary = '<=50K'", is_in("salary", "<=50K")),
        ("salary = 100K", is_in("salary", "100K")),
        ("name = 'O''Brien'", is_in("name", "O'Brien")),
        ('name = "O\'Brien"', is_in("name", "O'Brien")),
        ("name = ''", is_in("name", "")),
        ("'home town' = \"New York\"", is_in("home town", "New York")),
        ("\"or\" = 'and'", is_in("or", "and")),
        ("wow! = yes!", is_in("wow!", "yes!")),
        ("ST in{IL,'IN'}or b=2", Disjunction((is_in("ST", "IL", "IN"), B))),
        ("\n a = 1\t", A),
    ],
)
def test_what_can_be_said(text, tree):
    assert parse_sentence(text).tree == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = 1 or b = 2 and c = 3", Disjunction((A, Conjunction((B, C))))),
        ("(a = 1 or b = 2) and c = 3", Conjunction((Disjunction((A, B)), C))),
        ("not a = 1 and b = 2", Conjunction((Negation(A), B))),
        ("not (a = 1 and b = 2)", Negation(Conjunction((A, B)))),
        ("NOT not a = 1", Negation(Negation(A))),
        ("a = 1 and b = 2 and c = 3", Conjunction((A, B, C))),
        ("a = 1 and (b = 2 and c = 3)", Conjunction((A, Conjunction((B, C))))),
        ("((a = 1))", A),
    ],
)
def test_not_binds_closer_than_and_and_closer_than_or(text, tree):
    assert parse_sentence(text).tree == tree


def test_columns_come_in_the_order_of_their_first_mention():
    sentence = parse_sentence("b = 1 and (a = 1 or b = 2) and not c is missing")
    assert sentence.columns == ("b", "a", "c")
    assert sentence.text.startswith("b = 1")


def test_words_know_their_places():
    [atom] = atoms(parse_sentence(" 'a b' in {1, 'two'}").tree)
    assert atom.column.position == 2
    assert [value.position for value in atom.values] == [12, 15]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Health in {2}", "Health = 2"),
        ("Health not in {'2'}", "Health != 2"),
        ("not((a=1)or b IN {2,'x y'})", "not (a = 1 or b in {2, 'x y'})"),
        ("a = 1 or (b = 2 and (c = 3))", "a = 1 or b = 2 and c = 3"),
        ("x = \"it's\" or x = 'is' or x = ''", "x = \"it's\" or x = 'is' or x = ''"),
    ],
)
def test_the_canonical_text(text, canonical):
    assert str(parse_sentence(text)) == canonical


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 1, "the sentence is empty"),
        ("  ", 1, "the sentence is empty"),
        ("Health", 7, "expected a relation such as = or in or <=, but the sentence ends here"),
        ("Health = ", 9, "expected a value, but the sentence ends here"),
        ("Health = 2 adn b = 1", 12, "found 'adn' (did you mean 'and'?)"),
        ("nto Health = 2", 1, "no relation such as = follows 'nto' (did you mean 'not'?)"),
        ("Health startwith 5", 8, "(did you mean 'startswith'?)"),
        ("Health is mising", 11, "(did you mean 'missing'?)"),
        ("Health is not 2", 15, "expected 'missing', found '2'"),
        ("Health not startswith x", 12, "any other 'not' stands before the column"),
        ("Health = and", 10, "expected a value, found 'and'; in quotes it would be one"),
        ("ST = IN", 6, "expected a value, found 'IN'; in quotes it would be one"),
        ("a = 1 and and b = 2", 11, "expected a column, found 'and'"),
        ("a = 1 or", 9, "expected a column, but the sentence ends here"),
        ("Health in 1, 2", 11, "expected a set such as {1, 2}, found '1'"),
        ("Health in {}", 12, "the set is empty"),
        ("Health in {1,}", 14, "expected a value, found '}'"),
        ("Health in {1 2}", 14, "a value of several words needs quotes"),
        ("Health in {1, 2", 16, "expected ',' or '}', but the sentence ends here"),
        ("status = Never married", 16, "a value of several words needs quotes"),
        ("salary = <=50K", 10, "a value with this sign needs quotes"),
        ("salary=<=50K", 7, "unknown sign '=<='; a value with signs in it needs quotes"),
        ("Health == 2", 8, "unknown sign '=='; write ="),
        ("Health≥2", 7, "unknown sign '≥'; write >="),
        ("(a = 1", 7, "a ')' for the '(' at character 1"),
        ("a = 1)", 6, "this ')' closes nothing"),
        ("()", 2, "expected a column, found ')'"),
        ("a = 'x", 5, "a quote is opened here and never closed"),
        ("a = O'Brien", 6, "a quote inside a word"),
        ("a = 'O'Brien'", 8, "a quote inside a word"),
        ("a = “x”", 5, "a curly quote"),
        ("a startswith ''", 14, "write 'is not missing'"),
        ("1 < Age < 5", 9, "expected 'and', 'or' or the end of the sentence, found '<'"),
        ("a = 1 \x07\n b\x00 = 2", 7, r"found '\x07'"),
    ],
)
def test_a_fault_has_a_place_and_a_remedy(text, position, message):
    with pytest.raises(SentenceError) as error:
        parse_sentence(text)
    assert str(error.value).startswith(f"character {position}: ")
    assert message in str(error.value)
    assert error.value.position == position
    assert isinstance(error.value, JobError)


@pytest.mark.parametrize("opening", ["(", "not ", "not("])
def test_nesting_is_bounded(opening):
    levels = DEEPEST // (2 if opening == "not(" else 1)
    closing = ")" if "(" in opening else ""
    deep = parse_sentence(opening * levels + "a = 1" + closing * levels)
    assert parse_sentence(str(deep)).tree == deep.tree
    for more in (levels + 1, 1_200):
        with pytest.raises(SentenceError, match="nested deeper than 50 levels"):
            parse_sentence(opening * more + "a = 1" + closing * more)


def test_length_is_bounded_but_blanks_do_not_count():
    """`a=1` becomes `a = 1`: what fits must still fit in its canonical text."""
    longest = "or ".join(["a=1 "] * (LONGEST // 5))
    assert parse_sentence(longest + " " * LONGEST).tree == parse_sentence(longest).tree
    assert parse_sentence(str(parse_sentence(longest))).tree == parse_sentence(longest).tree
    with pytest.raises(SentenceError, match=r"longer than 10,000 characters"):
        parse_sentence(longest + "or a=1 or a=1")
    with pytest.raises(SentenceError, match=r"longer than 10,000 characters"):
        parse_sentence("a = " + "x" * LONGEST)


anything = st.builds(Word, st.text(max_size=8))
free_atoms = st.one_of(
    st.builds(
        Atom,
        anything,
        st.sampled_from(["in", "not in"]),
        st.lists(anything, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(Atom, anything, st.sampled_from(["<", "<=", ">", ">="]), st.tuples(anything)),
    st.builds(
        Atom,
        anything,
        st.just("startswith"),
        st.tuples(st.text(min_size=1, max_size=5).map(Word)),
    ),
    st.builds(Atom, anything, st.sampled_from(["is missing", "is not missing"])),
)


@given(st.one_of(trees(free_atoms), trees(meaningful_atoms())))
def test_every_tree_is_written_and_read_back(tree):
    written = str(Sentence("", tree))
    again = parse_sentence(written)
    assert again.tree == tree
    assert str(again) == written
    for word in (word for atom in atoms(again.tree) for word in (atom.column, *atom.values)):
        assert written.startswith(as_written(word.text), word.position - 1)


@given(st.text(max_size=60))
def test_any_text_is_a_sentence_or_a_fault(text):
    read_or_refuse(text)


def read_or_refuse(text: str) -> Sentence | None:
    """Nothing but a SentenceError may come instead of a sentence."""
    fault: SentenceError | None = None
    try:
        sentence = parse_sentence(text)
    except SentenceError as error:
        fault = error
    if fault is not None:
        assert 1 <= fault.position <= len(text) + 1
        assert str(fault).isprintable()
        return None
    assert parse_sentence(str(sentence)).tree == sentence.tree
    return sentence


VALID = [
    "Income >= 300000 and not Health in {0, 1}",
    "SOCP startswith '55' or ESR in {4, 5}",
    "not (Health is missing or Health not in {'it''s', \"b\"}) and Age < 40",
    "Health is not missing and (a = 1 or b != 2) and 'x y' <= -1.5e3",
]
PIECES = [*"(){},='\"!<> \n“≥é0", " and ", " or ", " not ", " in ", " is ", "missing", "startswith"]


def test_mutations_give_a_sentence_or_a_fault():
    rng = random.Random(4)
    read = 0
    for _ in range(2_000):
        text = rng.choice(VALID)
        for _ in range(rng.randint(1, 4)):
            at, until = sorted(rng.choices(range(len(text) + 1), k=2))
            until = min(until, at + 5)
            text = text[:at] + rng.choice([rng.choice(PIECES), "", text[at:until] * 2]) + (
                text[until:] if rng.random() < 0.5 else text[at:]
            )  # fmt: skip
        read += read_or_refuse(text) is not None
    assert 100 < read < 1_900
