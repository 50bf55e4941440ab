"""Proposes a job for a small table and holds it to what `check` asks."""

from __future__ import annotations

import csv
import io
import re
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from paretonym.jobfile.loading import load_job
from paretonym.model.hierarchy import Dates, Groups, Intervals
from paretonym.model.identifying import identifying
from paretonym.model.job import ColumnSpec, Job
from paretonym.model.schema import Role
from paretonym.model.source import TableSource
from paretonym.pipeline.open_job import open_job
from paretonym.proposal.hierarchies import MOST_NODES, MOST_WORK, NAMED_ROWS
from paretonym.proposal.proposing import propose_job


def accepted(
    folder: Path, source: TableSource, table_text: str, *, header: bool | None = None
) -> tuple[str, Job]:
    """The proposal for a table, once it has passed what `check` does."""
    text = propose_job(source, table_text=table_text, header=header)
    path = folder / "job.yaml"
    path.write_text(text, encoding="utf-8")
    job = load_job(path)
    with open_job(job) as opened:
        assert [c.name for c in job.columns] == list(opened.table.names)
        assert 1 <= len(job.quasi) <= 10
        assert opened.lattice.size <= MOST_NODES
        for profile in opened.table.profile():
            roles = opened.schema[profile.name].roles
            if roles & {Role.INSENSITIVE, Role.WEIGHT}:
                assert identifying(profile) is None
        for spec in job.columns:
            if isinstance(spec.hierarchy, Groups):
                names_only_frequent_values(spec.hierarchy, opened.table.values_of(spec.name))
        chains = {c.name: c.hierarchy for c in job.columns if Role.QUASI in c.roles}
        for granulation in opened.lattice.granulations:
            blocks = [partition.blocks for partition in granulation.partitions]
            if isinstance(chains[granulation.column], Intervals | Dates | Groups):
                assert all(fine > coarse for fine, coarse in pairwise(blocks)), blocks
                assert blocks[-2] > 1
        work = opened.lattice.size * opened.histogram.combinations
        assert work <= MOST_WORK or job.search.budget
    assert all(c.because is None for c in job.columns)  # a reason is never invented
    assert text.count("# guess: ") >= len(job.columns)
    return text, job


def names_only_frequent_values(spec: Groups, values: pa.Table) -> None:
    rows = dict(zip(values["value"].to_pylist(), values["rows"].to_pylist(), strict=True))
    named = [member for _, members in spec.levels[0] for member in members]
    assert all(rows[member] >= NAMED_ROWS for member in named)
    assert spec.other not in rows
    assert len(rows) - len(named) >= 2


def propose(folder: Path, table: str, **options: object) -> tuple[str, Job]:
    (folder / "t.csv").write_text(table, encoding="utf-8")
    return accepted(folder, TableSource(folder / "t.csv", **options), "t.csv")  # type: ignore[arg-type]


def column(folder: Path, name: str, cells: list[str]) -> tuple[str, ColumnSpec]:
    """What is proposed for one column beside a plain one; and its comment with its line."""
    rows = "\n".join(f"{cell};{i % 3}" for i, cell in enumerate(cells))
    text, job = propose(folder, f"{name};other\n{rows}\n", delimiter=";")
    about = text.split("columns:\n")[1].split("\n\n")[0]
    return re.sub(r"\s+#\s+", " ", about), job.columns[0]


def role_of(folder: Path, name: str, cells: list[str]) -> Role:
    (role,) = column(folder, name, cells)[1].roles
    return role


def as_csv(names: list[str], rows: list[list[str]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([names, *rows])
    return stream.getvalue()
