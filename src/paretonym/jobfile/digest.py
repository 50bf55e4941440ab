"""A fingerprint of what a job asks for, independent of where its files lie."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from paretonym.errors import JobError
from paretonym.model.job import Job, SearchOptions
from paretonym.model.logic.sentence import Sentence
from paretonym.model.reading import read_file
from paretonym.model.source import TableSource

FORMAT = 5  # raise when the canonical form changes: digests of old jobs then differ openly


def digest_of(job: Job) -> str:
    """SHA-256 over canonical JSON of the compiled job.

    A hierarchy file enters by its content, so that editing it changes the digest and moving
    it does not; tables stay out, because a front names the table's own hash beside this. So does
    what the publisher says about the release, which changes no number.
    """
    whole = {
        "format": FORMAT,
        "source": job.source,
        "columns": job.columns,
        "objectives": job.objectives,
        "require": job.require,
        "suppression": job.suppression,
        "epsilon": job.epsilon,
        "confidential": job.confidential,
        "security": job.security,
        "groups": job.groups,
        "search": job.search,
        **({} if job.swaps is None else {"swaps": job.swaps.digest}),
    }
    text = json.dumps(_plain(whole), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def search_digest(job: Job) -> str:
    """What a search must share with one that it continues.

    A checkpoint names method and seed for themselves, and no measure depends on how the blocks
    of a column are written, or on groups.
    """
    columns = tuple(replace(column, write="label") for column in job.columns)
    return digest_of(replace(job, columns=columns, groups=(), search=SearchOptions()))


def _plain(value: Any) -> Any:
    if isinstance(value, Sentence):
        return str(value)  # blanks and needless parentheses say nothing
    if isinstance(value, TableSource):
        return _reading(value)
    if is_dataclass(value) and not isinstance(value, type):
        inside = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"is": type(value).__name__, **inside}
    if isinstance(value, Mapping):
        return {str(key): _plain(inside) for key, inside in value.items()}
    if isinstance(value, frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(inside) for inside in value]
    if isinstance(value, Decimal | Fraction):
        return str(Fraction(value))  # 5 and 5.0 ask for the same
    if isinstance(value, Path):
        return _content(value)
    return value


def _reading(source: TableSource) -> dict[str, Any]:
    return {
        "delimiter": source.delimiter,
        "encoding": source.encoding,
        "names": source.names,
        "missing": sorted(source.missing),
    }


def _content(path: Path) -> str:
    try:
        return hashlib.sha256(read_file(path)).hexdigest()
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise JobError(f"{path.name}: {reason}; check the hierarchy file") from None
