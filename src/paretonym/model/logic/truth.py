"""Whether a predicate says anything at all: one that always holds can be no secret."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from math import prod
from operator import and_, or_

from paretonym.model.logic.meaning import Domain
from paretonym.model.logic.predicate import AllOf, AnyOf, Not, Predicate, ValueIn, atoms_of

MOST_COMBINATIONS = 2**20


def always_holds(predicate: Predicate, domains: Mapping[str, Domain]) -> bool:
    """Whether every row that the columns' domains allow fulfils it.

    Exact as long as at most MOST_COMBINATIONS kinds of rows differ for the predicate; beyond
    that the answer is False, which claims nothing.
    """
    found = _truth_table(predicate, domains)
    return found is not None and found[0] == found[1]


def _truth_table(predicate: Predicate, domains: Mapping[str, Domain]) -> tuple[int, int] | None:
    """Where the predicate is true, and everywhere: one bit for each kind of row."""
    atoms: dict[str, list[ValueIn]] = {}
    for atom in dict.fromkeys(atoms_of(predicate)):
        atoms.setdefault(atom.column, []).append(atom)
    kinds = {column: _kinds(domains[column], found) for column, found in atoms.items()}
    size = prod(map(len, kinds.values()))
    if size > MOST_COMBINATIONS:
        return None
    truths: dict[ValueIn, int] = {}
    stride = 1  # kinds of rows in sequence that share this column's kind of value
    for column, found in atoms.items():
        for i, atom in enumerate(found):
            turn = "".join("01"[kind[i]] * stride for kind in kinds[column])
            truths[atom] = int("0" + turn * (size // max(len(turn), 1)), base=2)
        stride *= len(kinds[column])
    everywhere = (1 << size) - 1
    return _truth(predicate, truths, everywhere), everywhere


def _kinds(domain: Domain, atoms: Collection[ValueIn]) -> set[tuple[bool, ...]]:
    """Values that the same atoms contain cannot be told apart by the predicate."""
    return {tuple(value in atom.values for atom in atoms) for value in domain.values}


def _truth(predicate: Predicate, truths: Mapping[ValueIn, int], everywhere: int) -> int:
    match predicate:
        case ValueIn():
            return truths[predicate]
        case Not(inner):
            return everywhere ^ _truth(inner, truths, everywhere)
        case AllOf(parts):
            return reduce(and_, (_truth(part, truths, everywhere) for part in parts), everywhere)
        case AnyOf(parts):
            return reduce(or_, (_truth(part, truths, everywhere) for part in parts), 0)
