"""Sentences about one person's record, such as `Health in {1, 2} and not Income >= 300000`.

They are the decision logic of attribute-oriented granulation, section 3.1: atoms that say which
values a column has, closed under not, and, or. Here they are read and written; what they mean on a
table is said in `meaning`. A sentence is data from end to end, never code that is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import UnionType
from typing import Literal

from paretonym.errors import SentenceError, nearest
from paretonym.model.logic.tokens import KEYWORDS, Token, as_written, shown, split

DEEPEST = 50  # parentheses and negations inside one another

Comparison = Literal["<", "<=", ">", ">="]
Relation = Comparison | Literal["in", "not in", "startswith", "is missing", "is not missing"]

COMPARISONS: dict[str, Comparison] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
RELATION_WORDS = ["in", "not", "is", "startswith"]
RELATIONS = {"=", "!=", *COMPARISONS, *RELATION_WORDS}


@dataclass(frozen=True, slots=True)
class Word:
    """A column's name or a value, without its quotes; `position` counts characters from 1."""

    text: str
    position: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Atom:
    """What one column is said to hold: (j, α) of the paper; `=` is `in` with a single value."""

    column: Word
    relation: Relation
    values: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Negation:
    inner: Tree


@dataclass(frozen=True, slots=True)
class Conjunction:
    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    parts: tuple[Tree, ...]


Tree = Atom | Negation | Conjunction | Disjunction


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as the job states it, and as a tree.

    `str` gives a canonical text, which parses to an equal tree.
    """

    text: str
    tree: Tree

    @property
    def columns(self) -> tuple[str, ...]:
        """In the order of their first mention."""
        return tuple(dict.fromkeys(atom.column.text for atom in atoms(self.tree)))

    def __str__(self) -> str:
        return _written(self.tree)


def parse_sentence(text: str) -> Sentence:
    """The sentence that a text states, or a SentenceError with the position of the fault."""
    tokens = split(text)
    if len(tokens) == 1:
        raise SentenceError(1, "the sentence is empty; write for instance: Health = 2")
    return Sentence(text, _Parser(tokens).whole())


def atoms(tree: Tree) -> Iterator[Atom]:
    """From left to right."""
    match tree:
        case Atom():
            yield tree
        case Negation(inner):
            yield from atoms(inner)
        case Conjunction(parts) | Disjunction(parts):
            for part in parts:
                yield from atoms(part)


class _Parser:
    """Recursive descent; `not` binds closer than `and`, `and` closer than `or`."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _takes(self, *words: str) -> bool:
        """Whether the next keyword or sign is one of these, which is then behind us."""
        found = self._next.meaning in words
        self._at += found
        return found

    def whole(self) -> Tree:
        tree = self._any_of(0)
        if self._next.meaning == ")":
            raise SentenceError(self._next.position, "this ')' closes nothing")
        if self._next.kind != "end":
            raise self._not_connected("the end of the sentence")
        return tree

    def _any_of(self, depth: int) -> Tree:
        parts = [self._all_of(depth)]
        while self._takes("or"):
            parts.append(self._all_of(depth))
        return parts[0] if len(parts) == 1 else Disjunction(tuple(parts))

    def _all_of(self, depth: int) -> Tree:
        parts = [self._negated(depth)]
        while self._takes("and"):
            parts.append(self._negated(depth))
        return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))

    def _negated(self, depth: int) -> Tree:
        start = self._next
        if start.meaning not in ("not", "("):
            return self._atom()
        if depth == DEEPEST:  # so that no text, however odd, exhausts the stack
            raise SentenceError(start.position, f"nested deeper than {DEEPEST} levels")
        if self._takes("not"):
            return Negation(self._negated(depth + 1))
        self._at += 1
        inner = self._any_of(depth + 1)
        if not self._takes(")"):
            raise self._not_connected(f"a ')' for the '(' at character {start.position}")
        return inner

    def _atom(self) -> Atom:
        column = self._word("a column")
        relation = self._next.meaning
        if relation not in RELATIONS:
            raise self._no_relation(column)
        self._at += 1
        match relation:
            case "=":
                return Atom(column, "in", (self._word("a value"),))
            case "!=":
                return Atom(column, "not in", (self._word("a value"),))
            case "in":
                return Atom(column, "in", self._set())
            case "not" if self._takes("in"):
                return Atom(column, "not in", self._set())
            case "not":
                raise self._expected("'in'", advice="any other 'not' stands before the column")
            case "startswith":
                return Atom(column, "startswith", (self._start(),))
            case "is":
                return Atom(column, self._missing())
            case _:
                return Atom(column, COMPARISONS[relation], (self._word("a value"),))

    def _missing(self) -> Relation:
        negated = self._takes("not")
        if not self._takes("missing"):
            wanted = "'missing'" if negated else "'missing' or 'not missing'"
            raise self._expected(wanted, known=["missing"])
        return "is not missing" if negated else "is missing"

    def _start(self) -> Word:
        start = self._word("a text")
        if not start.text:
            problem = "every value starts with an empty text; write 'is not missing'"
            raise SentenceError(start.position, problem)
        return start

    def _set(self) -> tuple[Word, ...]:
        if not self._takes("{"):
            raise self._expected("a set such as {1, 2}")
        if self._next.meaning == "}":
            raise SentenceError(self._next.position, "the set is empty; name at least one value")
        values = [self._word("a value")]
        while self._takes(","):
            values.append(self._word("a value"))
        if not self._takes("}"):
            raise self._expected("',' or '}'", advice=self._several_words())
        return tuple(values)

    def _word(self, what: str) -> Word:
        token = self._next
        if token.is_name:
            self._at += 1
            return Word(token.text, token.position)
        if token.meaning in KEYWORDS:
            raise self._expected(what, advice="in quotes it would be one")
        begins = token.kind == "sign" and token.text not in ")},"
        raise self._expected(what, advice=f"{what} with this sign needs quotes" if begins else "")

    def _no_relation(self, column: Word) -> SentenceError:
        """`nto Health = 2` takes the misspelt word for a column and stops at the next one."""
        found = self._next.text.lower()
        negation = nearest(column.text.lower(), ["not"]) if self._next.is_name else ""
        if negation and not nearest(found, RELATION_WORDS):
            problem = f"no relation such as = follows {shown(column.text)}{negation}"
            return SentenceError(column.position, problem)
        return self._expected("a relation such as = or in or <=", known=RELATION_WORDS)

    def _not_connected(self, closing: str) -> SentenceError:
        wanted = f"'and', 'or' or {closing}"
        return self._expected(wanted, known=["and", "or"], advice=self._several_words())

    def _several_words(self) -> str:
        together = self._next.kind == self._tokens[self._at - 1].kind == "word"
        return "a value of several words needs quotes" if together else ""

    def _expected(
        self, wanted: str, *, known: Sequence[str] = (), advice: str = ""
    ) -> SentenceError:
        """Something else stands here; perhaps it is a known word misspelt."""
        found = self._next
        if found.kind == "end":
            return SentenceError(found.position, f"expected {wanted}, but the sentence ends here")
        hint = nearest(found.text.lower(), list(known)) if found.is_name else ""
        advice = f"; {advice}" if advice and not hint else ""
        problem = f"expected {wanted}, found {shown(found.text)}{hint}{advice}"
        return SentenceError(found.position, problem)


def _written(tree: Tree) -> str:
    match tree:
        case Atom():
            return _atom_written(tree)
        case Negation(inner):
            return f"not {_inside(inner, Conjunction | Disjunction)}"
        case Conjunction(parts):
            return " and ".join(_inside(part, Conjunction | Disjunction) for part in parts)
        case Disjunction(parts):
            return " or ".join(_inside(part, Disjunction) for part in parts)


def _inside(tree: Tree, looser: type | UnionType) -> str:
    """In parentheses where the text would otherwise be read as another tree."""
    return f"({_written(tree)})" if isinstance(tree, looser) else _written(tree)


def _atom_written(atom: Atom) -> str:
    column = as_written(atom.column.text)
    values = [as_written(value.text) for value in atom.values]
    if not values:
        return f"{column} {atom.relation}"
    if atom.relation not in ("in", "not in"):
        return f"{column} {atom.relation} {values[0]}"
    if len(values) == 1:
        return f"{column} {'=' if atom.relation == 'in' else '!='} {values[0]}"
    return f"{column} {atom.relation} {{{', '.join(values)}}}"
