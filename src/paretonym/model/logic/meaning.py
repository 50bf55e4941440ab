"""What a sentence means on a table: a predicate over the values that its columns can have.

Compiling turns every atom into an explicit set of values, (j, α) in attribute-oriented granulation,
section 3.1, so that an engine needs neither number formats nor prefixes to count rows. The set
names only values of the domain given: for another table the sentence is compiled again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from paretonym.errors import SentenceError, nearest
from paretonym.model.logic.predicate import AllOf, AnyOf, Not, Predicate, ValueIn
from paretonym.model.logic.sentence import (
    COMPARISONS,
    Atom,
    Comparison,
    Conjunction,
    Disjunction,
    Negation,
    Sentence,
    Tree,
    Word,
    atoms,
)
from paretonym.model.logic.tokens import shown
from paretonym.model.numbers import DIGITS, parse_number

_FULFILS: dict[Comparison, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Domain:
    """The values a column can have, None for missing; numeric if the job declares it so."""

    values: frozenset[str | None]
    numeric: bool = False
    decimal_comma: bool = False

    def number(self, text: str) -> Decimal | None:
        """The sentence states numbers as the column does, so that none is read in two ways."""
        return parse_number(text, decimal_comma=self.decimal_comma)


def compile_sentence(sentence: Sentence, domains: Mapping[str, Domain]) -> Predicate:
    """The predicate that holds for the rows of which the sentence is true.

    A missing value equals nothing, starts with nothing and is neither smaller nor larger than
    anything. `!=` and `not in` are plain negations, so a missing value satisfies them, as
    u |= ¬φ iff not u |= φ in the paper; add `and X is not missing` where that is not meant.
    """
    for atom in atoms(sentence.tree):
        if atom.column.text not in domains:
            raise _unknown_column(atom.column, list(domains))
    columns = {name: _Column(name, domains[name]) for name in sentence.columns}
    return _predicate(sentence.tree, columns)


def _unknown_column(column: Word, known: list[str]) -> SentenceError:
    folded = column.text.casefold()
    twin = next((name for name in known if name.casefold() == folded), column.text)
    problem = f"unknown column {shown(column.text)}{nearest(twin, known)}"
    return SentenceError(column.position, problem)


def _predicate(tree: Tree, columns: Mapping[str, _Column]) -> Predicate:
    match tree:
        case Negation(inner):
            return Not(_predicate(inner, columns))
        case Conjunction(parts):
            return AllOf(tuple(_predicate(part, columns) for part in parts))
        case Disjunction(parts):
            return AnyOf(tuple(_predicate(part, columns) for part in parts))
        case Atom(column, relation):
            found = ValueIn(column.text, columns[column.text].values_of(tree))
            return Not(found) if relation in ("not in", "is not missing") else found


class _Column:
    """Finds the values an atom speaks of; numbers are read once for all atoms."""

    def __init__(self, name: str, domain: Domain) -> None:
        self._named = f"column {shown(name)}"
        self._domain = domain
        self._texts = frozenset(value for value in domain.values if value is not None)
        self._read: dict[Decimal, list[str]] | None = None

    def values_of(self, atom: Atom) -> frozenset[str | None]:
        """What satisfies the atom; of a negated one, what does not."""
        match atom.relation:
            case "is missing" | "is not missing":
                return frozenset({None})
            case "in" | "not in" if self._domain.numeric:
                return self._equal_numbers(atom)
            case "in" | "not in":
                return frozenset(self._known_text(value) for value in atom.values)
            case "startswith":
                return self._starting(atom.values[0])
            case _:
                return self._compared(atom, COMPARISONS[atom.relation])

    def _known_text(self, value: Word) -> str:
        if value.text in self._texts:
            return value.text
        wanted = value.text.strip().casefold()
        twin = any(text.strip().casefold() == wanted for text in self._texts)
        close = "a known value" if twin else ""
        raise self._nothing(value, f"{shown(value.text)} does not occur in", close)

    def _equal_numbers(self, atom: Atom) -> frozenset[str | None]:
        """As numbers, so that 300000 also finds a cell 300000.0."""
        cells = self._numbers(atom.column)
        found: set[str] = set()
        for value in atom.values:
            equal = cells.get(self._number(value), [])
            if not equal:
                raise self._nothing(value, f"the number {shown(value.text)} does not occur in")
            found.update(equal)
        return frozenset(found)

    def _starting(self, start: Word) -> frozenset[str | None]:
        found = frozenset(text for text in self._texts if text.startswith(start.text))
        if found:
            return found
        wanted = start.text.strip().casefold()
        twin = any(text.strip().casefold().startswith(wanted) for text in self._texts)
        close = "the start of a known value" if wanted and twin else ""
        raise self._nothing(start, f"nothing starts with {shown(start.text)} in", close)

    def _nothing(self, value: Word, problem: str, close: str = "") -> SentenceError:
        """Counts and what the job wrote, never a value of the table."""
        problem = f"{problem} {self._named} (known values: {len(self._texts):,})"
        if close:
            problem += f"; it differs from {close} only in case or blanks"
        elif not value.text.strip():
            problem += "; for cells without a value write 'is missing'"
        return SentenceError(value.position, problem)

    def _compared(self, atom: Atom, comparison: Comparison) -> frozenset[str | None]:
        if not self._domain.numeric:
            problem = f"{self._named} is not declared as numbers; declare it type: number"
            raise SentenceError(atom.column.position, problem)
        cells, bound = self._numbers(atom.column), self._number(atom.values[0])
        fulfils = _FULFILS[comparison]
        return frozenset(text for n, texts in cells.items() if fulfils(n, bound) for text in texts)

    def _numbers(self, column: Word) -> dict[Decimal, list[str]]:
        """The texts that state each number; exact decimals, never floats."""
        if self._read is not None:
            return self._read
        cells: dict[Decimal, list[str]] = {}
        refused = 0
        for text in self._texts:
            number = self._domain.number(text)
            if number is None:
                refused += 1
            else:
                cells.setdefault(number, []).append(text)
        if refused:
            raise SentenceError(
                column.position,
                f"{self._named} is declared as numbers, and {refused:,} of its "
                f"{len(self._texts):,} values cannot be read as one {self._rule}; declare such "
                f"texts under missing:, or leave type: number out",
            )
        self._read = cells
        return cells

    def _number(self, value: Word) -> Decimal:
        number = self._domain.number(value.text)
        if number is None:
            problem = f"{shown(value.text)} is not a number {self._rule}, as {self._named} needs"
            raise SentenceError(value.position, problem)
        return number

    @property
    def _rule(self) -> str:
        sign = "comma, in quotes" if self._domain.decimal_comma else "point"
        return f"(decimal {sign}, at most {DIGITS} digits)"
