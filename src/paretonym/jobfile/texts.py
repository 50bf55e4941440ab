"""How the texts of a job are read: numbers, limits, measures, paths; and data made into text.

Readers raise `fault(...)`, which pydantic places; no message repeats what it could not read,
because a job may list values of the data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

from paretonym.errors import JobError, SentenceError, nearest
from paretonym.jobfile.keys import Reads, percent, words
from paretonym.jobfile.yaml import is_text
from paretonym.model.job import Budget, Limit
from paretonym.model.logic.sentence import Sentence, parse_sentence
from paretonym.model.measure_info import MeasureName, parse_name
from paretonym.model.schema import Role
from paretonym.model.secret import FINEST_SHARE

NUMBER = re.compile(r"[+-]?([0-9]{1,60}(\.[0-9]{0,60})?|\.[0-9]{1,60})([eE][+-]?[0-9]{1,2})?")
WHOLE = re.compile(r"[0-9]{1,18}")
PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,12})?) ?%")
ROWS = re.compile(r"([0-9]{1,18})(?: rows?)?")
TIME = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?(s|m|min|h)")
EVALUATIONS = re.compile(r"([0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,5}) ?evaluations?")
BUNDLED = "dataset:"
DEEPEST = 20
SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600}
MOST_HOURS = 1000
TAG = "\0"  # starts a step of a place that pydantic adds and no job can hold

# every role stands alone, but for what analysts predict: that may be known or sensitive too
TOGETHER = (frozenset({Role.QUASI, Role.TARGET}), frozenset({Role.SENSITIVE, Role.TARGET}))


class Form(BaseModel):
    """Keys that are not known are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def known_keys(cls) -> list[str]:
        """As a job writes them."""
        return [field.alias or name for name, field in cls.model_fields.items()]


def fault(text: str) -> PydanticCustomError:
    """A problem in our own words."""
    return PydanticCustomError("job", "{text}", {"text": text})


def shown(key: object) -> str:
    """A key of the job, short, on one line, and in quotes where it would be hard to read."""
    text = str(key)
    text = text if len(text) <= 60 else text[:59] + "…"
    if re.fullmatch(r"[\w<-]+", text):
        return text
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f"'{''.join(escaped)}'"


def choice(value: Any, known: list[str], what: str) -> str:
    """One of a few words."""
    if isinstance(value, str) and value in known:
        return value
    hint = nearest(value, known) if isinstance(value, str) else ""
    raise fault(f"unknown {what}{hint}; use {', '.join(known[:-1])} or {known[-1]}")


def one_of(known: Any, what: str) -> Reads:
    """The words of a Literal."""
    listed_words = list(get_args(known))
    return Reads(lambda value: choice(value, listed_words, what), words(listed_words))


def listed(value: Any) -> Any:
    """One text may stand for a list of one."""
    return [value] if isinstance(value, str) else value


def read_number(value: Any) -> Decimal:
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        raise fault("expected a number, with a decimal point and no other signs")
    return Decimal(value)


def read_bound(value: Any) -> Decimal:
    """A number, a percentage, or `true` for what holds or does not; `app.job` knows which."""
    if value in ("true", "false"):
        return Decimal(value == "true")
    percent = PERCENT.fullmatch(value) if isinstance(value, str) else None
    return read_number(value) if percent is None else Decimal(percent[1]) / 100


def read_positive(value: Any) -> Decimal:
    number = read_number(value)
    if number <= 0:
        raise fault("must be above zero; 1 is the usual weight")
    return number


def read_whole(value: Any) -> int:
    if not isinstance(value, str) or not WHOLE.fullmatch(value):
        raise fault("expected a whole number, 0 or more, of at most 18 digits")
    return int(value)


def whole_between(least: int, most: int) -> Reads:
    def read(value: Any) -> int:
        number = read_whole(value)
        if not least <= number <= most:
            raise fault(f"expected a whole number from {least} to {most:,}")
        return number

    return Reads(read, f"a whole number from {least} to {most:,}")


def read_share(value: Any) -> Fraction:
    """A percentage between the ends; a bare fraction could be taken for one."""
    match = PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or not 0 < Decimal(match[1]) < 100:
        raise fault("expected a percentage above 0% and below 100%, such as 50%")
    share = Fraction(Decimal(match[1])) / 100
    if share.denominator > FINEST_SHARE:
        raise fault("at most four decimals are told apart; write 0.01% or 33.3333%")
    return share


def read_rate(value: Any) -> float:
    match = PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or not 0 <= Decimal(match[1]) <= 100:
        raise fault("expected a percentage from 0% to 100%, such as 80%")
    return float(Decimal(match[1]) / 100)


def read_flag(value: Any) -> bool:
    words = {"true": True, "yes": True, "false": False, "no": False}
    if not isinstance(value, str) or value.lower() not in words:
        raise fault("expected true or false")
    return words[value.lower()]


def read_said(value: Any) -> str:
    """A reason must say something."""
    if not isinstance(value, str) or not value.strip():
        raise fault("expected a sentence; leave the key out where there is nothing to say")
    return value.strip()


def read_sentence(value: Any) -> Sentence:
    try:
        return parse_sentence(read_said(value))
    except SentenceError as error:
        raise fault(str(error)) from None


Rate = Annotated[float, Reads(read_rate, "a percentage from 0% to 100%", percent)]
Share = Annotated[
    Fraction,
    Reads(read_share, "a percentage above 0% and below 100%, of at most four decimals", percent),
]
Saying = Annotated[Sentence, Reads(read_sentence, "a [sentence](sentences.md)")]


def read_delimiter(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in '"\r\n\0':
        raise fault('expected one character, not a quote; a tab is written "\\t", in double quotes')
    return value


def read_roles(value: Any) -> frozenset[Role]:
    words = value if isinstance(value, list) else [value]
    known = [role.value for role in Role]
    if not words:
        raise fault(f"no role; use one of {', '.join(known)}")
    for word in words:
        if not isinstance(word, str) or word not in known:
            hint = nearest(word, known) if isinstance(word, str) else ""
            raise fault(f"unknown role{hint}; roles are {', '.join(known)}")
    roles = frozenset(map(Role, words))
    if len(roles) > 1 and roles not in TOGETHER:
        names = " and ".join(role.value for role in Role if role in roles)
        raise fault(
            f"{names} do not go together; only target may join another role, "
            f"as [quasi, target] or [sensitive, target]"
        )
    return roles


def read_limit(value: Any) -> Limit:
    """A percentage or a number of rows; a bare fraction could be taken for either."""
    text = value if isinstance(value, str) else ""
    if (rows := ROWS.fullmatch(text)) is not None:
        return Limit(rows=int(rows[1]))
    if (percent := PERCENT.fullmatch(text)) is not None and Decimal(percent[1]) < 100:
        return Limit(percent=Decimal(percent[1]))
    if percent is not None:
        raise fault("the limit must be under 100%; write 1% or a number of rows")
    if NUMBER.fullmatch(text):
        raise fault("a bare fraction is neither percent nor rows; write 1% or a number of rows")
    raise fault("not a limit; write 1% or a number of rows, such as 30 or 30 rows")


def read_budget(value: Any) -> Budget:
    """A time or a number of evaluations; a bare number could be taken for either."""
    text = value if isinstance(value, str) else ""
    ways = (
        "a budget is a time of at least one second such as 60s or 10min, "
        "or a number of evaluations such as 5000 evaluations"
    )
    if (times := EVALUATIONS.fullmatch(text)) is not None and int(times[1].replace(",", "")):
        return Budget(evaluations=int(times[1].replace(",", "")))
    if NUMBER.fullmatch(text):
        raise fault(f"a bare number is neither a time nor evaluations; {ways}")
    time = TIME.fullmatch(text)
    seconds = Decimal(0) if time is None else Decimal(time[1]) * SECONDS[time[2]]
    if seconds > MOST_HOURS * SECONDS["h"]:
        raise fault(f"a time of more than {MOST_HOURS} hours; {ways}")
    if seconds < 1:
        raise fault(ways)
    return Budget(seconds=float(seconds))


def read_box_size(value: Any) -> Fraction:
    """Exact: 0.1 is one tenth, so that what lies on the edge of a box stays there."""
    if not isinstance(value, str) or not NUMBER.fullmatch(value) or Decimal(value) <= 0:
        raise fault("expected a box size: a number above zero, in the objective's own units")
    return Fraction(Decimal(value))


def measure_name(value: Any) -> MeasureName | None:
    """The parts of a measure's name, or None when it has another form."""
    return parse_name(value) if isinstance(value, str) else None


def read_objective(value: Any) -> str:
    measure = measure_name(value)
    if measure is None:
        raise fault("not a measure; write k, distinct_l(column) or max:s_l(column)")
    return measure.written


def read_requirement(value: Any) -> str:
    measure = measure_name(value)
    if measure is None:
        raise fault("not a measure; write k or distinct_l(column)")
    if measure.direction is not None:
        raise fault("a requirement has no direction; leave out min: or max:")
    return measure.plain


def read_box_name(value: Any) -> str:
    """A size has no direction; one that is written as in the objectives does no harm."""
    measure = measure_name(value)
    if measure is None:
        raise fault("not a measure; write it as in objectives")
    return measure.plain


def find_path(value: Any, base: Path) -> Path:
    """A path relative to the job's folder, or a file that comes with the product."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise fault("expected a path")
    if not value.startswith(BUNDLED):
        return base / value
    from paretonym import datasets  # brings pyarrow along, which other jobs do not need yet

    try:
        return datasets.path(value.removeprefix(BUNDLED))
    except JobError as error:
        raise fault(str(error)) from None


def find_file(value: Any, base: Path) -> Path:
    """The same, of a file that must be there."""
    path = find_path(value, base)
    if not path.is_file():
        kind = "this is a folder" if path.is_dir() else "there is no such file"
        raise fault(f"{kind}; paths are relative to the folder of the job file")
    return path


Problem = tuple[tuple[str | int, ...], str]


def as_text(value: Any, where: tuple[str | int, ...], problems: list[Problem]) -> Any:
    """Plain data with every scalar as the text that a job file would hold.

    What Python calls None stands for a key that is not there.
    """
    if len(where) > DEEPEST:
        problems.append((where[:3], f"nested deeper than {DEEPEST} levels"))
        return ""
    if isinstance(value, Mapping):
        return _mapping_as_text(value, where, problems)
    if isinstance(value, list | tuple):
        return [as_text(item, (*where, i), problems) for i, item in enumerate(value)]
    text = _scalar_as_text(value)
    if text is None:
        problems.append((where, "expected text, a number, a list or a mapping"))
        return ""
    return text


def _mapping_as_text(
    value: Mapping[Any, Any], where: tuple[str | int, ...], problems: list[Problem]
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, inside in value.items():
        name = _scalar_as_text(key)
        if name is None or TAG in name:
            problems.append((where, "a key that is not a text"))
        elif name in result:
            problems.append((where, "two keys are the same text; keep one of them"))
        elif inside is not None:
            result[name] = as_text(inside, (*where, name), problems)
    return result


def _scalar_as_text(value: Any) -> str | None:
    """None for what has no obvious text."""
    if isinstance(value, str):
        return "".join(value) if is_text(value) else None  # an enumeration's member: its value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value)) if abs(int(value)) < 10**1000 else None  # Python writes no longer
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, Decimal):
        return str(value)
    path = os.fspath(value) if isinstance(value, os.PathLike) else None
    return path if isinstance(path, str) else None
