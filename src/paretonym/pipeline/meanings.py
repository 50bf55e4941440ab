"""Sentences of a job against its tables: which values occur, and what a sentence then means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paretonym.errors import JobError, SentenceError
from paretonym.model.job import ColumnSpec
from paretonym.model.logic.meaning import Domain, compile_sentence
from paretonym.model.logic.predicate import Predicate
from paretonym.model.logic.sentence import COMPARISONS, Sentence, atoms
from paretonym.tables import Table


def observed(tables: Sequence[Table], column: str) -> frozenset[str | None]:
    """Every value that occurs in one of the files."""
    return frozenset(v for table in tables for v in table.values_of(column)["value"].to_pylist())


def domains_of(
    sentence: Sentence, tables: Sequence[Table], columns: Mapping[str, ColumnSpec]
) -> dict[str, Domain]:
    """Of the columns that the sentence names; what it compares by size is taken for numbers."""
    compared = {a.column.text for a in atoms(sentence.tree) if a.relation in COMPARISONS}
    return {
        name: Domain(
            observed(tables, name),
            numeric=name in compared or (name in columns and columns[name].numeric),
            decimal_comma=name in columns and columns[name].decimal_comma,
        )
        for name in sentence.columns
    }


def compiled(where: str, sentence: Sentence, domains: Mapping[str, Domain]) -> Predicate:
    """What the sentence means; `where` is its place in the job."""
    try:
        return compile_sentence(sentence, domains)
    except SentenceError as error:
        raise JobError(f"{where}: {error}") from None
