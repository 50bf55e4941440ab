"""Pick one entry of a front: by conditions, by the knee, or by weights.

`k>=5`            the first objective without a condition decides, then the next ones
`k>=5, glm<=9e4`  several conditions
`knee`            the entry closest to the best value of every objective at once
`weights k=1 glm=2`  the largest weighted sum of the objectives, each scaled to 0..1
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence

from paretonym.errors import InfeasibleError, JobError, nearest
from paretonym.model import measure_catalog as measure_catalog  # makes the measures known
from paretonym.model.candidate import Candidate
from paretonym.model.front import Direction, Front, Objective
from paretonym.model.measure_info import Unit, bound_fault, info_of, is_share

_CONDITION = re.compile(r"^\s*(.+?)\s*(>=|<=|==|>|<|=)\s*([-+0-9.eE]+)\s*(%?)\s*$", re.DOTALL)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
    "=": operator.eq, "==": operator.eq,
}  # fmt: skip

_WIDE = 100  # a ratio from which an objective is compared by its logarithm


def pick(front: Front, how: str) -> Candidate:
    """Choose one entry of a front.

    Args:
        front: What `find_front` returned.
        how: Conditions such as `k>=5, suppressed<=1%`, `knee`, or weights such as
            `weights k=1 glm=2`.

    Returns:
        The entry with its levels, its threshold and its values.

    Raises:
        InfeasibleError: No entry meets the conditions; the message says how far the front reaches.
        JobError: The words are not understood.

    Example:
        front = pn.find_front(pn.load_job("ten.yaml"))
        best = pn.pick(front, "k>=3")
        assert (best.values["k"], best.suppressed) == (3, 3)
    """
    how = how.strip()
    if how == "knee":
        return _knee(front)
    if re.match(r"weights\b", how):
        return _weighted(front, _weights(front, how.removeprefix("weights").lstrip(": ")))
    return _conditioned(front, how)


def _conditioned(front: Front, text: str) -> Candidate:
    known = {objective.name: objective for objective in front.objectives}
    left = list(front.entries)
    used = set()
    for part in _parts(text):
        match = _CONDITION.match(part)
        if not match:
            raise JobError(
                f"'{part}' is not a condition; write for example --pick \"k>=5\", --pick knee, "
                f'or --pick "weights k=1 glm=2"'
            )
        name, sign, number, percent = match.groups()
        if name != "suppressed" and name not in known:
            names = [*known, "suppressed"]
            raise JobError(f"'{name}' is not an objective of this front{nearest(name, names)}")
        bound = _bound(number, percent, name, front)
        compare = _COMPARE[sign]
        meeting = [e for e in left if compare(_value(e, name), bound)]
        if not meeting:
            best = _reach(left, name, sign)
            raise InfeasibleError(
                f"no entry of the front meets {name}{sign}{number}{percent}; "
                f"the front reaches {name} = {best:g}"
            )
        left = meeting
        used.add(name)
    return min(left, key=lambda e: (_rank(e, _order(front.objectives, used)), _levels(e)))


def _parts(text: str) -> list[str]:
    """Split at commas outside parentheses: a measure's column may hold one."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [*parts, current]


def _bound(number: str, percent: str, name: str, front: Front) -> float:
    try:
        bound = float(number)
    except ValueError:
        raise JobError(f"'{number}' is not a number") from None
    if not math.isfinite(bound):
        raise JobError(f"'{number}' is too large to be compared")
    info = info_of(name)
    if percent and info is not None and info.unit is Unit.ROWS:
        rows = bound * front.rows / 100  # as a bound it need not be whole
        if rows < 0:
            raise JobError(f"{name} is never below 0 %")
        return rows
    if percent and is_share(name):
        bound /= 100
    elif percent:
        raise JobError(f"a percentage makes no sense for {name}; it is not a share")
    fault = bound_fault(name, bound)
    if fault:
        raise JobError(fault)
    return bound


def _value(entry: Candidate, name: str) -> float:
    return entry.suppressed if name == "suppressed" else entry.values[name]


def _reach(entries: Sequence[Candidate], name: str, sign: str) -> float:
    values = [_value(e, name) for e in entries]
    return max(values) if sign.startswith(">") else min(values)


def _order(objectives: Sequence[Objective], used: set[str]) -> list[Objective]:
    """Objectives without a condition decide first; the others break ties."""
    return sorted(objectives, key=lambda objective: objective.name in used)


def _rank(entry: Candidate, objectives: Sequence[Objective]) -> tuple[float, ...]:
    return tuple(
        -entry.values[o.name] if o.direction is Direction.MAX else entry.values[o.name]
        for o in objectives
    )


def _levels(entry: Candidate) -> tuple[int, ...]:
    return (*entry.levels.values(), entry.suppress_below)


def _shortfalls(front: Front) -> list[list[float]]:
    """For each entry, how far every objective is from the front's best (0) to its worst (1).

    Values that span orders of magnitude, as k does, are compared by their logarithms: from 5
    to 10 is as far as from 500 to 1,000.
    """
    columns = []
    for objective in front.objectives:
        values = [float(e.values[objective.name]) for e in front.entries]
        if min(values) > 0 and max(values) > _WIDE * min(values):
            values = [math.log(value) for value in values]
        low, high = min(values), max(values)
        span = (high - low) or 1
        best = high if objective.direction is Direction.MAX else low
        columns.append([abs(v - best) / span for v in values])
    return [list(row) for row in zip(*columns, strict=True)]


def _knee(front: Front) -> Candidate:
    short = _shortfalls(front)
    place = min(
        range(len(short)), key=lambda i: (sum(x * x for x in short[i]), _levels(front.entries[i]))
    )
    return front.entries[place]


def _weights(front: Front, text: str) -> list[float]:
    known = [objective.name for objective in front.objectives]
    found: dict[str, float] = {}
    for part in re.split(r"[;\s]+(?![^()]*\))", text.strip()):
        name, _, number = part.rpartition("=")
        if name not in known:
            raise JobError(
                f"weights are written as objective=number; '{name or part}' is not an objective "
                f"of this front{nearest(name or part, known)}"
            )
        try:
            found[name] = float(number)
        except ValueError:
            raise JobError(f"the weight of {name} is not a number") from None
        if not 0 <= found[name] < float("inf"):
            raise JobError(f"the weight of {name} must not be negative")
    if not any(found.values()):
        raise JobError("every weight is zero; give the objectives that matter a weight above it")
    return [found.get(name, 0.0) for name in known]


def _weighted(front: Front, weights: Sequence[float]) -> Candidate:
    short = _shortfalls(front)
    place = min(
        range(len(short)),
        key=lambda i: (
            sum(w * x for w, x in zip(weights, short[i], strict=True)),
            _levels(front.entries[i]),
        ),
    )
    return front.entries[place]
