"""Every error the product raises: what is wrong, where, and what to do; never a cell's value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class ParetonymError(Exception):
    """Base of all errors; `exit_code` is what a command returns for it."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a job: what to do about it, and where it stands."""

    message: str
    line: int | None = None  # counted from 1
    path: tuple[str | int, ...] = ()  # keys and numbers of items


class JobError(ParetonymError):
    """The job file asks for something that is not understood or not possible.

    `faults` has every problem by itself, so that a page can show each where it stands.
    """

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults) or (Fault(message),)


class SentenceError(JobError):
    """A sentence of the job is not understood; `position` counts its characters from 1."""

    def __init__(self, position: int, problem: str) -> None:
        super().__init__(f"character {position}: {problem}")
        self.position = position


class TableError(ParetonymError):
    """The table cannot be read faithfully."""


class EncodingError(TableError):
    """The bytes of the table are not text in the encoding that was said."""


class HeaderError(TableError):
    """The first row of a CSV looks like somebody's record, not like names of columns."""


class HierarchyError(ParetonymError):
    """A hierarchy does not cover its column, is ambiguous, or is not nested."""


class OutputError(ParetonymError):
    """The output cannot be written where it was asked for."""


class SafetyError(ParetonymError):
    """Going on would publish something the job does not allow; needs a decision of the user."""


class LatticeTooBigError(ParetonymError):
    """The lattice has more nodes than an exhaustive search may visit."""


class InfeasibleError(ParetonymError):
    """No candidate meets the requirements; the message says how far the best one got."""

    exit_code = 1


class NothingFoundError(InfeasibleError):
    """A proof stopped at its budget before a candidate was found; it can go on."""


class VerificationError(ParetonymError):
    """A number recomputed from a written file differs from what was promised."""

    exit_code = 1


class CancelledError(ParetonymError):
    """The user stopped the work before anything worth keeping was known."""

    exit_code = 1


NO_MEMORY = "not enough memory for this job; use fewer quasi-identifiers or levels"


def place_of(error: BaseException) -> str:
    """The kind of an unexpected error and where it arose, without its text."""
    trace, where = error.__traceback__, ""
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.startswith("paretonym."):
            where = f" in {name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}{where}"


def missing(packages: Sequence[str], remedy: str) -> str:
    """`a and b, which are not installed; …`, to follow what needs them."""
    *others, last = packages
    named = f"{', '.join(others)} and {last}" if others else last
    be, them = ("are", "them") if others else ("is", "it")
    return f"{named}, which {be} not installed; install {them} with {remedy}"


def nearest(word: str, known: list[str]) -> str:
    """A hint ` (did you mean 'x'?)` for a misspelt name, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1, cutoff=0.6)
    return f" (did you mean '{close[0]}'?)" if close else ""
