"""What `init` does: a first job for a table, and what was seen in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from paretonym.cli.show import Screen
from paretonym.errors import JobError, OutputError
from paretonym.model.source import CombinationProfile, TableSource
from paretonym.proposal.proposing import Proposal, ProposedColumn, propose
from paretonym.publishing import refuse_same_path
from paretonym.publishing.atomic import write_text
from paretonym.report.words import plural, printable

if TYPE_CHECKING:
    from rich.table import Table

_MOST_COLUMNS = 60  # a longer table is not read; the job names every column
_MOST_PAIRS = 5
_LONGEST_NAME = 24


def source_of(
    table: str,
    *,
    delimiter: str | None,
    encoding: str,
    names: str | None,
    missing: Sequence[str],
) -> TableSource:
    """How the command line says the table is to be read."""
    if delimiter is not None and len(delimiter) != 1:
        raise JobError("--delimiter takes one character, such as ';'")
    listed = None if names is None else tuple(name.strip() for name in names.split(","))
    return TableSource(
        Path(table),
        delimiter=delimiter,
        encoding=encoding,
        names=listed,
        missing=("", *missing),
    )


def init(
    screen: Screen, source: TableSource, out: Path, seed: int | None, *, header: bool | None
) -> None:
    table = Path(str(source.data))
    if out.exists():
        raise OutputError(f"{out} exists already; give another name with -o, or remove it")
    refuse_same_path(table, out)
    proposal = propose(source, table_text=_relative(table, out.parent), header=header)
    text = proposal.text
    if seed is not None:  # the last one: a column may be called so
        before, _, after = text.rpartition("seed: 1")
        text = f"{before}seed: {seed}{after}"
    write_text(out, text)
    screen.show(column_table(proposal))
    for line in about_pairs(proposal):
        screen.show(line)
    screen.say(f"wrote {out}: read it, correct the guesses, then run: paretonym check {out}")
    screen.give({"job": str(out), **proposal.to_json()})


def _relative(table: Path, folder: Path) -> str:
    """The table's path as seen from the job file's folder."""
    # folders that are links would lead elsewhere behind "..", a file that is one keeps its name
    return os.path.relpath(table.parent.resolve() / table.name, folder.resolve())


def column_table(proposal: Proposal) -> Table:
    """A row for each column: what is in it, and the role it is proposed for."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", caption_justify="left")
    for heading, justify in (
        ("column", "left"), ("kind", "left"), ("distinct", "right"), ("missing", "right"),
        ("alone", "right"), ("role", "left"),
    ):  # fmt: skip
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    table.add_column("why", ratio=1)
    for column in proposal.columns[:_MOST_COLUMNS]:
        table.add_row(*(Text(printable(cell)) for cell in _cells(column)))
    left = len(proposal.columns) - _MOST_COLUMNS
    said = f"{proposal.profile.rows:,} rows. alone: rows that share their value with no other row."
    if left > 0:
        said += f" {plural(left, 'more column')} in the job file."
    table.caption = Text(said)
    return table


def _cells(column: ProposedColumn) -> list[str]:
    profile = column.look.profile
    first, *more = column.why.split(". ")
    warnings = [sentence for sentence in more if sentence.startswith("Take care")]
    return [
        _short(column.name),
        column.look.kind,
        f"{profile.distinct:,}",
        f"{profile.missing:,}",
        f"{profile.alone:,}",
        column.role.value,
        ". ".join([first, *warnings]),
    ]


def about_pairs(proposal: Proposal) -> list[str]:
    """Who is alone by two columns, and by all that an outsider may know."""
    profile, together = proposal.profile, proposal.together
    lines = []
    told = [pair for pair in profile.pairs if pair.alone][:_MOST_PAIRS]
    if told:
        lines.append("Rows alone by two columns that an outsider may know (neither nearly unique):")
        lines += [f"  {_share(pair)}  {_named(pair)}" for pair in told]
    if profile.pairs_left_out:
        lines.append(f"Pairs not counted, to keep this quick: {profile.pairs_left_out:,}.")
    if len(together.columns) > 1:
        lines.append(
            f"Rows alone by all {len(together.columns)} quasi-identifiers: "
            f"{_share(together).strip()}."
        )
    return lines


def _named(pair: CombinationProfile) -> str:
    return " with ".join(printable(_short(name)) for name in pair.columns)


def _share(found: CombinationProfile) -> str:
    return f"{found.alone:>9,} ({found.alone / found.rows:.1%})"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
