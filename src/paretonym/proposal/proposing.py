"""A first job for a table: roles, hierarchies and objectives, each guess with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paretonym.model.hierarchy import Groups
from paretonym.model.schema import Role
from paretonym.model.source import CombinationProfile, TableSource
from paretonym.proposal.header import read_as, refuse_record
from paretonym.proposal.hierarchies import (
    MOST_WORK,
    NAMED_ROWS,
    Ladder,
    Option,
    fit,
    ladder_for,
    node_count,
)
from paretonym.proposal.kinds import NOUNS, Look
from paretonym.proposal.profile import TableProfile, profile_of
from paretonym.proposal.roles import Guess, guess_role, nearly_unique, settle_quasi
from paretonym.proposal.text import (
    GROUPS,
    INTRODUCTION,
    ROLES,
    SUPPRESSION,
    Line,
    column_lines,
    comment,
    objective_lines,
    refuse_unwritable,
    shown,
    table_lines,
)
from paretonym.tables import open_table

__all__ = ["Proposal", "ProposedColumn", "propose", "propose_job"]

_ROWS_FOR_K = 50  # fewer rows can hardly be split into classes of five
_PAIRS_TOLD = 3
_BUDGET = "40s"
_SHORTENED = "fewer levels than it could have, to keep the search small"


@dataclass(frozen=True, slots=True)
class ProposedColumn:
    """What is proposed for one column, and why."""

    look: Look
    role: Role
    why: str
    option: Option | None  # of a quasi column
    shortened: bool  # it has fewer levels than it could have

    @property
    def name(self) -> str:
        return self.look.profile.name

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "role": self.role.value,
            "why": self.why,
            "levels": None if self.option is None else self.option.levels,
            "hierarchy": None if self.option is None else self.option.says,
        }


@dataclass(frozen=True, slots=True)
class Proposal:
    """The text of a job file, and what it was made from."""

    text: str
    profile: TableProfile
    columns: tuple[ProposedColumn, ...]
    together: CombinationProfile  # the quasi-identifiers

    def to_json(self) -> dict[str, Any]:
        return {
            "profile": self.profile.to_json(),
            "columns": [column.to_json() for column in self.columns],
            "quasi": {
                "columns": list(self.together.columns),
                "distinct": self.together.distinct,
                "alone": self.together.alone,
            },
        }


def propose_job(source: TableSource, *, table_text: str, header: bool | None = None) -> str:
    """The text of a job file for the table, which the job calls `table_text`.

    It names columns, counts, round numbers, and categories that stand in at least ten rows; never
    a rarer value of the table.
    """
    return propose(source, table_text=table_text, header=header).text


def propose(source: TableSource, *, table_text: str, header: bool | None = None) -> Proposal:
    """The same with the facts behind it.

    `header` says whether the first row of a CSV holds names; None: it must look like it.
    """
    source = replace(source, missing=tuple(dict.fromkeys(("", *source.missing))))
    source = read_as(source, header=header)
    with open_table(source) as table:
        refuse_unwritable(table.names)
        profile = profile_of(table)
        if table.kind == "csv" and source.names is None and header is None:
            refuse_record(table, profile.columns)
        guesses = settle_quasi([guess_role(look) for look in profile.columns])
        quasi = [guess.look for guess in guesses if guess.role is Role.QUASI]
        full = {
            look.profile.name: ladder_for(look, table.values_of(look.profile.name))
            for look in quasi
        }
        (together,) = table.combinations([tuple(full)])
    ladders = fit(full, together.distinct)
    columns = tuple(_column(guess, full, ladders) for guess in guesses)
    parts = [
        INTRODUCTION.format(
            rows=f"{profile.rows:,}", columns=len(profile.columns), named=NAMED_ROWS
        ),
        _table(source, [column.name for column in columns], table_text),
        "\n".join([*_about(columns), *_warnings(guesses, profile, together), "columns:"])
        + "\n"
        + "\n\n".join(column_lines(_line(column)) for column in columns),
        _objectives(guesses, ladders),
        _require(profile.rows),
        SUPPRESSION,
        _search(node_count(ladders) * together.distinct),
    ]
    return Proposal("\n\n".join(parts), profile, columns, together)


def _about(columns: Sequence[ProposedColumn]) -> list[str]:
    grouped = any(column.option and isinstance(column.option.spec, Groups) for column in columns)
    return [ROLES, GROUPS] if grouped else [ROLES]


def _column(
    guess: Guess, full: Mapping[str, Ladder], ladders: Mapping[str, Ladder]
) -> ProposedColumn:
    name = guess.look.profile.name
    if name not in ladders:
        return ProposedColumn(guess.look, guess.role, guess.why, None, shortened=False)
    shortened = ladders[name] != full[name]
    return ProposedColumn(
        guess.look, guess.role, guess.why, ladders[name].first, shortened=shortened
    )


def _line(column: ProposedColumn) -> Line:
    look, option = column.look, column.option
    said = f"guess: {_counted(look)}; {column.why}"
    if option is None:
        note = f". Note: {look.note}" if look.note else ""
        return Line(column.name, column.role, None, f"{said}{note}.")
    said += f". Levels: {option.says}"
    if look.format:
        said += f"; every date reads as {look.format}"
    if column.shortened:
        said += f" ({_SHORTENED})"
    return Line(column.name, column.role, option, f"{said}.")


def _counted(look: Look) -> str:
    """How many values of which kind, how many cells are missing, how many rows are alone."""
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
    if profile.alone:
        said += f", {profile.alone:,} of {profile.rows:,} rows alone with theirs"
    return said


def _table(source: TableSource, names: Sequence[str], table_text: str) -> str:
    said = "The table; its path is relative to the folder of this file. "
    if any(source.missing):
        said += "The empty cell and the texts under missing: count as missing."
    else:
        said += "Only the empty cell counts as missing; add others as missing: [...]."
    return f"{comment(said)}\n{table_lines(source, names, table_text)}"


def _warnings(
    guesses: Sequence[Guess], profile: TableProfile, together: CombinationProfile
) -> list[str]:
    """What holds for several columns at once."""
    said = []
    surplus = sum(guess.surplus for guess in guesses)
    if surplus:
        said.append(
            f"LEFT OUT: {surplus} columns that an outsider may know, because more "
            f"quasi-identifiers would make the search large and the classes small. To keep one, "
            f"make it quasi in the place of another; insensitive would pass it unprotected."
        )
    if len(together.columns) > 1:
        said.append(
            f"Alone: {together.alone:,} of {together.rows:,} rows share the values of the "
            f"{len(together.columns)} columns that are proposed as quasi with no other row."
        )
    told = [pair for pair in profile.pairs if pair.alone][:_PAIRS_TOLD]
    if told:
        pairs = ", ".join(f"{' with '.join(map(shown, p.columns))} {p.alone:,}" for p in told)
        said.append(
            f"Rows alone by two columns that an outsider may know, neither of them nearly unique "
            f"by itself: {pairs}."
        )
    if profile.composite_identifiers:
        said.append(
            f"Of these pairs, {len(profile.composite_identifiers)} work like an identifier: they "
            f"are nearly unique."
        )
    if profile.pairs_left_out:
        said.append(f"Pairs not counted, to keep this quick: {profile.pairs_left_out:,}.")
    return [comment(text) for text in said]


def _objectives(guesses: Sequence[Guess], ladders: Mapping[str, Ladder]) -> str:
    sensitive = [
        guess
        for guess in sorted(guesses, key=lambda g: (nearly_unique(g.look), not g.named))
        if guess.role is Role.SENSITIVE and guess.look.profile.distinct > 1
    ]
    first = sensitive[0].look.profile.name if sensitive else None
    nodes = comment(
        f"As proposed, the hierarchies of the quasi-identifiers ({len(ladders)}) make at most "
        f"{node_count(ladders):,} ways to generalise the table."
    )
    text = f"{nodes}\n{objective_lines(first)}"
    others = len(sensitive) - 1
    if others > 0:
        hint = f"guess: one of {others + 1} sensitive columns; add distinct_l(…) for others."
        head, last = text.rsplit("\n", 1)
        text = f"{head}\n{comment(hint)}\n{last}"
    return text


def _search(work: int) -> str:
    said = "auto chooses how to search; the seed makes a search by chance repeatable."
    if work <= MOST_WORK:
        return f"{comment(said)}\nsearch: {{method: auto, seed: 1}}\n"
    told = comment(f"{said} guess: a first front should take less than a minute; allow more later.")
    return f"{told}\nsearch: {{method: auto, seed: 1, budget: {_BUDGET}}}\n"


def _require(rows: int) -> str:
    said = "What every candidate must meet, whatever else it offers. "
    if rows < _ROWS_FOR_K:
        told = comment(f"{said}With {rows} rows nothing is required; a usual line would be:")
        return f"{told}\n# require: {{k: 5}}"
    told = comment(f"{said}guess: classes of five, the usual least; your rules may ask for more.")
    return f"{told}\nrequire: {{k: 5}}"
