"""Random sentences over three small columns, and what they mean, written a second time."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from paretonym.model.logic.meaning import Domain
from paretonym.model.logic.sentence import Atom, Conjunction, Disjunction, Negation, Tree, Word

CELLS: dict[str, list[str | None]] = {
    "Health": ["0", "1", "it's", 'say "ah"', "Never married", None],
    "Income": ["-5", "0", "0.0", "7.50", "3e5", "300000", None],
    "or": ["551", "559", "A1", "and", None],
}
DOMAINS = {
    name: Domain(frozenset(cells), numeric=name == "Income") for name, cells in CELLS.items()
}


def words(column: str) -> st.SearchStrategy[Word]:
    return st.sampled_from([cell for cell in CELLS[column] if cell is not None]).map(Word)


@st.composite
def meaningful_atoms(draw) -> Atom:
    column = draw(st.sampled_from(list(CELLS)))
    relation = draw(st.sampled_from(["in", "not in", "is missing", "is not missing", "other"]))
    values: tuple[Word, ...] = ()
    if relation in ("in", "not in"):
        values = tuple(draw(st.lists(words(column), min_size=1, max_size=3)))
    elif relation == "other" and column == "Income":
        relation = draw(st.sampled_from(["<", "<=", ">", ">="]))
        values = (Word(draw(st.sampled_from(["-5.0", "0", "1", "7.5", "300000.0", "1e9"]))),)
    elif relation == "other":
        relation = "startswith"
        start = draw(words(column)).text
        values = (Word(start[: draw(st.integers(1, len(start)))]),)
    return Atom(Word(column), relation, values)  # type: ignore[arg-type]


def trees(leaves: st.SearchStrategy[Atom]) -> st.SearchStrategy[Tree]:
    def larger(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            inner.map(Negation), several.map(Conjunction), several.map(Disjunction)
        )  # fmt: skip

    return st.recursive(leaves, larger, max_leaves=8)


def is_true(tree: Tree, row: dict[str, str | None]) -> bool:
    """The paper's four clauses, and what each relation says of one cell."""
    if isinstance(tree, Negation):
        return not is_true(tree.inner, row)
    if isinstance(tree, Conjunction):
        return all(is_true(part, row) for part in tree.parts)
    if isinstance(tree, Disjunction):
        return any(is_true(part, row) for part in tree.parts)
    said = [word.text for word in tree.values]
    cell, numeric = row[tree.column.text], tree.column.text == "Income"
    if tree.relation in ("is missing", "is not missing"):
        return (cell is None) == (tree.relation == "is missing")
    if cell is None:
        return tree.relation == "not in"
    if tree.relation in ("in", "not in"):
        same = (lambda a, b: Fraction(a) == Fraction(b)) if numeric else str.__eq__
        return any(same(cell, text) for text in said) == (tree.relation == "in")
    if tree.relation == "startswith":
        return cell[: len(said[0])] == said[0]
    gap = Fraction(cell) - Fraction(said[0])
    return {"<": gap < 0, "<=": gap <= 0, ">": gap > 0, ">=": gap >= 0}[tree.relation]
