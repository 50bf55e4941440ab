"""Files that a newer version wrote: what this version does not know is refused, never skipped.

Skipped, a step or a part would make an old version do or check less than the file says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from paretonym.errors import JobError

_LONGEST = 40  # characters of a name that a message repeats


def writer_of(data: Mapping[str, Any]) -> str | None:
    """The version that wrote a plan or a manifest, if it says so."""
    software = data.get("software")
    version = software.get("version") if isinstance(software, Mapping) else None
    return version if isinstance(version, str) else None


def refuse_unknown(
    what: str, named: Collection[str], known: Collection[str], version: str | None
) -> None:
    """`what` is whose parts are named: "the plan holds", "the step 'recode' of the plan holds"."""
    unknown = sorted(set(named) - set(known))
    if unknown:
        raise JobError(
            f"{what} '{unknown[0][:_LONGEST]}', which this version of paretonym does not know; "
            f"it was written by {said_of(version)}: use that version or a later one"
        )


def said_of(version: str | None) -> str:
    return "another version of paretonym" if version is None else f"paretonym {version[:_LONGEST]}"
