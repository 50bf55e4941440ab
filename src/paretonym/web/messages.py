"""What a working process and the server tell each other: one JSON object a line.

The server writes a request as the first line and keeps the pipe open; a further line, or the
pipe's end, asks the worker to stop. The worker answers with progress, remarks, checks, and last
with `end`. What it made lies in the task's folder, not in the pipe.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

Kind = Literal["front", "secure", "signal", "attack", "protect", "release"]
Ending = Literal["done", "failed", "cancelled"]

RESULT = "result.json"  # in the task's folder: what the page shows
CHANGED_INPUTS = (
    "the table or a file of a hierarchy was changed since the front was found; find the front "
    "again and choose from it"
)
OUT = "out"  # in the task's folder: the files that the same command would have written


@dataclass(frozen=True, slots=True)
class Request:
    """One piece of work on a job, as it was when the work was asked for."""

    kind: Kind
    text: str  # of the job
    name: str  # how messages call the job
    base: str  # the folder that paths in the job are relative to
    folder: str  # the task's own
    levels: tuple[int, ...] = ()
    below: int | None = None
    format: str = "csv"
    neutralise: bool = False
    searched: Mapping[str, Any] = field(default_factory=dict)  # how the front was found, if it was
    inputs: str | None = None  # digest of what that front was found from

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> Request:
        data = json.loads(line)
        return cls(**{**data, "levels": tuple(data["levels"])})

    @property
    def out(self) -> Path:
        return Path(self.folder) / OUT
