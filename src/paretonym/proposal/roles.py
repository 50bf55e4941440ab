"""Roles by simple rules: the first rule that speaks decides, and says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from paretonym.errors import TableError
from paretonym.model.identifying import identifying
from paretonym.model.schema import Role
from paretonym.proposal.kinds import Look
from paretonym.proposal.words import NAMED_THINGS, hint_of

MOST_QUASI = 10
_NEAR_UNIQUE = 0.9
_MANY = 20  # distinct values from which "nearly unique" and "groups" say anything about texts
_HOUSEHOLD = 5  # mean rows a value under which whole numbers and texts look like case numbers

_IF_MEASURED = "If it is a measurement, make it quasi, or sensitive to keep it as it is"

Verdict = tuple[Role, str]


@dataclass(frozen=True, slots=True)
class Guess:
    """A role for one column and the reason for it."""

    look: Look
    role: Role
    why: str
    named: bool = False  # the column's name decided
    surplus: bool = False  # would be quasi, were there not enough of them


def guess_role(look: Look) -> Guess:
    for rule, named in RULES:
        verdict = rule(look)
        if verdict:
            return Guess(look, *verdict, named)
    return Guess(look, Role.QUASI, "nothing speaks for another role, so it is protected")


def _unreadable(look: Look) -> Verdict | None:
    if look.kind != "unreadable":
        return None
    return Role.OMITTED, "such cells have no plain text: left out"


def _empty(look: Look) -> Verdict | None:
    if look.profile.distinct:
        return None
    return Role.INSENSITIVE, "it tells nothing about anybody"


def _named_identifier(look: Look) -> Verdict | None:
    hint, word = hint_of(look.words) or (None, "")
    if hint != "identifier":
        return None
    other = next((w for w in look.words if w in NAMED_THINGS), None)
    if other and not identifying(look.profile):
        return Role.QUASI, f"the name says '{other}', and the values repeat"
    return Role.IDENTIFIER, f"the name says '{word}': left out of the release"


def _named_weight(look: Look) -> Verdict | None:
    hint, word = hint_of(look.words) or (None, "")
    if hint != "weight" or look.kind not in ("whole", "number") or look.decimal_comma:
        return None
    reason = _singles_out(look)
    if reason:
        return Role.IDENTIFIER, (
            f"the name says '{word}', but a weight passes unchanged and this one {reason}: left "
            f"out. To keep it, write role: weight and the reason in because:"
        )
    return Role.WEIGHT, (
        f"the name says '{word}': passed through as a survey weight. If it is the weight of a "
        f"body, make it quasi with a hierarchy of intervals"
    )


def _named_sensitive(look: Look) -> Verdict | None:
    hint, word = hint_of(look.words) or (None, "")
    if hint != "sensitive":
        return None
    if look.kind in ("text", "code", "date") and nearly_unique(look) and _many(look):
        return Role.IDENTIFIER, (
            f"the name says '{word}', but the cells are nearly unique and could name people: left "
            f"out. If they cannot, make it sensitive"
        )
    reason = _singles_out(look)
    care = f". Take care: it {reason}" if reason else ""
    return Role.SENSITIVE, f"the name says '{word}': kept as it is{care}"


def _constant(look: Look) -> Verdict | None:
    profile = look.profile
    if profile.distinct > 1 or profile.missing or profile.rows < 2:
        return None
    return Role.INSENSITIVE, "the same in every row, so it tells nobody apart"


def _named_quasi(look: Look) -> Verdict | None:
    hint, word = hint_of(look.words) or (None, "")
    free_text = look.kind == "text" and not look.note and nearly_unique(look) and _many(look)
    if hint != "quasi" or free_text:
        return None
    return Role.QUASI, f"the name says '{word}', which an outsider may know"


def _nearly_unique_column(look: Look) -> Verdict | None:
    if not nearly_unique(look):
        return None
    if _measures(look):
        return Role.SENSITIVE, (
            "nearly unique numbers with decimals are taken for a measurement and kept as they are. "
            "Take care: whoever knows a value finds its row. If outsiders may know them, make it "
            "quasi; if they number people, identifier"
        )
    if look.kind == "date":
        return Role.QUASI, "an outsider may know a date"
    return Role.IDENTIFIER, f"nearly unique, so it could point at people: left out. {_IF_MEASURED}"


def _grouping(look: Look) -> Verdict | None:
    reason = _singles_out(look)
    if not reason:
        return None
    if _measures(look):
        return Role.SENSITIVE, f"taken for a measurement and kept as it is. Take care: it {reason}"
    if look.kind != "date" and look.present < _HOUSEHOLD * look.profile.distinct:
        return Role.IDENTIFIER, f"it {reason}: left out. {_IF_MEASURED}"
    return Role.QUASI, f"it {reason}, so it must not pass unchanged"


def _few(look: Look) -> Verdict | None:
    if look.profile.distinct > _MANY:
        return None
    return Role.QUASI, "few values that repeat: an outsider may know them"


RULES: tuple[tuple[Callable[[Look], Verdict | None], bool], ...] = (
    (_unreadable, True),
    (_empty, False),
    (_named_identifier, True),
    (_named_weight, True),
    (_named_sensitive, True),
    (_constant, False),
    (_named_quasi, True),
    (_nearly_unique_column, False),
    (_grouping, False),
    (_few, False),
)


def _measures(look: Look) -> bool:
    """Numbers with fractions; 4711.0 is a number that a program stored so, perhaps of a case."""
    return look.kind == "number" and not look.integral


def _singles_out(look: Look) -> str | None:
    """What would stop the column from passing unchanged, to be said of 'it'."""
    reason = identifying(look.profile)
    return f"is {reason}" if reason and reason.startswith("nearly") else reason


def nearly_unique(look: Look) -> bool:
    return look.profile.distinct > 1 and look.profile.distinct >= _NEAR_UNIQUE * look.present


def _many(look: Look) -> bool:
    return look.profile.distinct >= _MANY


def settle_quasi(guesses: list[Guess]) -> list[Guess]:
    """At least one quasi-identifier and not too many, with the reason where a guess changes."""
    quasi = [guess for guess in guesses if guess.role is Role.QUASI]
    if not quasi:
        chosen = _least_telling(guesses)
        why = (
            f"a job needs a quasi-identifier, and no column suggests itself; this one would "
            f"otherwise be {chosen.role.value}. Choose with care"
        )
        return [replace(g, role=Role.QUASI, why=why) if g is chosen else g for g in guesses]
    surplus = {id(guess) for guess in ranked(quasi)[MOST_QUASI:]}
    return [_without_place(g) if id(g) in surplus else g for g in guesses]


def ranked(quasi: Sequence[Guess]) -> list[Guess]:
    """Those known by their name first; then many values, the greater danger if unprotected."""
    return sorted(quasi, key=lambda g: (not g.named, 0 if g.named else -g.look.profile.distinct))


def _least_telling(guesses: list[Guess]) -> Guess:
    readable = [guess for guess in guesses if guess.look.kind != "unreadable"]
    if not readable:
        raise TableError(
            "no column of the table has a plain text form, so none can be generalised; convert "
            "columns to text, dates or numbers"
        )
    return min(
        readable, key=lambda g: (g.named, not g.look.profile.distinct, g.look.profile.distinct)
    )


def _without_place(guess: Guess) -> Guess:
    full = f"there are {MOST_QUASI} other quasi-identifiers already"
    why = f"left out, as {full}. It would be quasi: {guess.why}"
    return replace(guess, role=Role.OMITTED, why=why, surplus=True)
