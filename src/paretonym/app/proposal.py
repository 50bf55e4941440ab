"""A first job for a table: roles, hierarchies and objectives, each guess with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from paretonym.app.proposal_hierarchies import Ladder, fit, ladder_for, node_count
from paretonym.app.proposal_kinds import NOUNS, Look, look_at
from paretonym.app.proposal_roles import Guess, guess_role, nearly_unique, settle_quasi
from paretonym.app.proposal_text import (
    INTRODUCTION,
    ROLES,
    Line,
    column_lines,
    comment,
    objective_lines,
    refuse_unwritable,
    table_lines,
)
from paretonym.model.schema import Role
from paretonym.model.source import TableSource
from paretonym.tables import open_table

__all__ = ["propose_job"]

_ROWS_FOR_K = 50  # fewer rows can hardly be split into groups of five
_SHORTENED = "fewer levels than it could have, to keep the search small"


def propose_job(source: TableSource, *, table_text: str) -> str:
    """The text of a job file for the table, which the job calls `table_text`.

    It names columns and counts, and never a value of the table.
    """
    source = replace(source, missing=tuple(dict.fromkeys(("", *source.missing))))
    with open_table(source) as table:
        refuse_unwritable(table.names)
        looks = [look_at(table, profile) for profile in table.profile()]
        guesses = settle_quasi([guess_role(look) for look in looks])
        full = {
            guess.look.profile.name: ladder_for(
                guess.look, table.values_of(guess.look.profile.name)
            )
            for guess in guesses
            if guess.role is Role.QUASI
        }
        rows, names = table.rows(), table.names
    ladders = fit(full)
    lines = [_line(guess, full, ladders) for guess in guesses]
    return "\n\n".join(
        [
            INTRODUCTION.format(rows=f"{rows:,}", columns=len(names)),
            _table(source, names, table_text),
            f"{_roles(guesses)}\ncolumns:\n" + "\n\n".join(map(column_lines, lines)),
            _objectives(guesses, ladders),
            _require(rows),
            "# Rows in groups that stay too small may be left out: at most this share of them.\n"
            "suppression: {limit: 1%}",
            "# auto chooses how to search; the seed makes a search by chance repeatable.\n"
            "search: {method: auto, seed: 1}\n",
        ]
    )


def _line(guess: Guess, full: Mapping[str, Ladder], ladders: Mapping[str, Ladder]) -> Line:
    name = guess.look.profile.name
    said = f"guess: {_counted(guess.look)}; {guess.why}"
    if name not in ladders:
        note = f". Note: {guess.look.note}" if guess.look.note else ""
        return Line(name, guess.role, None, f"{said}{note}.")
    option = ladders[name].first
    said += f". Levels: {option.says}"
    if guess.look.format:
        said += f"; every date reads as {guess.look.format}"
    if ladders[name] != full[name]:
        said += f" ({_SHORTENED})"
    return Line(name, guess.role, option, f"{said}.")


def _counted(look: Look) -> str:
    """How many values of which kind, and how many cells are missing."""
    profile = look.profile
    if look.kind == "unreadable":
        return f"cells of type {profile.type.split('<')[0].split('[')[0]}"
    if not profile.distinct:
        return "every cell is missing"
    said = f"{profile.distinct:,} {NOUNS[look.kind]}" + ("s" if profile.distinct > 1 else "")
    if look.decimal_comma:
        said += " with a decimal comma"
    if profile.missing:
        said += f", {profile.missing:,} missing (a category of their own)"
    return said


def _table(source: TableSource, names: Sequence[str], table_text: str) -> str:
    said = "The table; its path is relative to the folder of this file. "
    if any(source.missing):
        said += "The empty cell and the texts under missing: count as missing."
    else:
        said += "Only the empty cell counts as missing; add others as missing: [...]."
    return f"{comment(said)}\n{table_lines(source, names, table_text)}"


def _roles(guesses: Sequence[Guess]) -> str:
    surplus = sum(guess.surplus for guess in guesses)
    if not surplus:
        return ROLES
    warning = (
        f"UNPROTECTED: {surplus} columns that an outsider may know pass unchanged, because more "
        f"quasi-identifiers would make the search large; k says nothing about them. Make each one "
        f"quasi in the place of another, or an identifier to leave it out."
    )
    return f"{ROLES}\n{comment(warning)}"


def _objectives(guesses: Sequence[Guess], ladders: Mapping[str, Ladder]) -> str:
    sensitive = [
        guess
        for guess in sorted(guesses, key=lambda g: (nearly_unique(g.look), not g.named))
        if guess.role is Role.SENSITIVE and guess.look.profile.distinct > 1
    ]
    first = sensitive[0].look.profile.name if sensitive else None
    nodes = comment(
        f"The hierarchies of the quasi-identifiers ({len(ladders)}) make at most "
        f"{node_count(ladders):,} ways to generalise the table."
    )
    text = f"{nodes}\n{objective_lines(first)}"
    others = len(sensitive) - 1
    if others > 0:
        hint = f"guess: one of {others + 1} sensitive columns; add distinct_l(…) for others."
        head, last = text.rsplit("\n", 1)
        text = f"{head}\n{comment(hint)}\n{last}"
    return text


def _require(rows: int) -> str:
    said = "What every candidate must meet, whatever else it offers. "
    if rows < _ROWS_FOR_K:
        told = comment(f"{said}With {rows} rows nothing is required; a usual line would be:")
        return f"{told}\n# require: {{k: 5}}"
    told = comment(f"{said}Guess: groups of five, the usual least; your rules may ask for more.")
    return f"{told}\nrequire: {{k: 5}}"
