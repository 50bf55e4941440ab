"""Escapes in a job that stand for no character, and files that would never end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from paretonym.errors import JobError
from paretonym.jobfile.loading import job_from_text, parse_job
from paretonym.jobfile.swap_files import load_swaps
from paretonym.pipeline.applying import load_plan


@pytest.mark.parametrize(
    "text", [r'table: "\ud800"', r'"\0": 1', r'"\0a": {"\0b": 1}', r'columns: {"\udfff": 1}']
)
def test_they_are_refused_with_their_line(text: str) -> None:
    with pytest.raises(JobError) as refused:
        job_from_text(f"# a job\n{text}\n", name="job.yaml", base=Path())
    assert [fault.line for fault in refused.value.faults] == [2]


@pytest.mark.parametrize("data", [{"\0": 1}, {"table": "\ud800"}, {"columns": {"\0a": {}}}])
def test_in_plain_data_too(data: dict[str, Any]) -> None:
    with pytest.raises(JobError, match="text"):
        parse_job(data, base=Path())


def test_plans_and_swaps_are_read_from_files_only(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero")):
        for load in (load_plan, load_swaps):
            with pytest.raises(JobError, match="can be read there"):
                load(place)
