"""What is wrong with the measures that a job asks for, and takes more than one key to see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from paretonym.errors import nearest
from paretonym.jobfile.texts import Problem, measure_name, read_bound, shown
from paretonym.jobfile.yaml import Where
from paretonym.model import measure_catalog as measure_catalog  # makes the measures known
from paretonym.model.measure_info import (
    MeasureName,
    Unit,
    info_of,
    is_share,
    known_infos,
)

MOST_OBJECTIVES = 6  # a front of more is nearly everything, and nobody can read it


def measure_faults(texts: Mapping[str, Any], names: list[str], dropped: list[str]) -> list[Problem]:
    """Columns that measures speak of exist and are kept; nothing is asked for twice."""
    problems: list[Problem] = []
    for key in ("objectives", "require", "epsilon"):
        seen: set[str] = set()
        for where, measure in _measures(texts, key):
            if key != "epsilon":  # repeats what the objectives were told already
                problems += [(where, fault) for fault in _column_faults(measure, names, dropped)]
            if measure.plain in seen:
                problems.append((where, f"{measure.plain} stands twice; keep one of them"))
            seen.add(measure.plain)
    listed = texts.get("objectives")
    if isinstance(listed, list) and len(listed) > MOST_OBJECTIVES:
        fault = f"at most {MOST_OBJECTIVES} are compared; leave some out"
        problems.append((("objectives",), fault))
    return problems + _check_epsilon(texts) + _check_bounds(texts)


def _check_bounds(texts: Mapping[str, Any]) -> list[Problem]:
    """Bounds lie where the measure can; percentages are for shares, `true` is for yes or no."""
    asked = texts.get("require")
    found = [
        (("require", name), _bound_fault(name, bound))
        for name, bound in (asked.items() if isinstance(asked, dict) else ())
    ]
    return [(where, fault) for where, fault in found if fault]


def _bound_fault(name: str, bound: Any) -> str | None:
    info = info_of(name)
    if info is not None and info.unit is Unit.FLAG:
        return None if bound == "true" else f"write {info.name}: true, or leave it out"
    if bound in ("true", "false"):
        flags = " and ".join(info.name for info in known_infos() if info.unit is Unit.FLAG)
        return f"expected a number; only {flags} is true or not asked for"
    if isinstance(bound, str) and bound.endswith("%") and not is_share(name):
        return "expected a number; a percentage is for shares only"
    try:
        return None if info is None else info.bound_fault(read_bound(bound))
    except PydanticCustomError:
        return None  # what is no number is complained about elsewhere


def _measures(texts: Mapping[str, Any], key: str) -> list[tuple[Where, MeasureName]]:
    """The measures under a key with their places; what is none is complained about elsewhere."""
    listed = texts.get(key)
    if isinstance(listed, dict):
        steps = [(name, measure_name(name)) for name in listed]
    else:
        items = listed if isinstance(listed, list) else ()
        steps = [(number, measure_name(item)) for number, item in enumerate(items)]
    return [((key, step), measure) for step, measure in steps if measure is not None]


def _check_epsilon(texts: Mapping[str, Any]) -> list[Problem]:
    """Every objective has a box size or none has, and nothing else has one."""
    sizes, listed = texts.get("epsilon"), texts.get("objectives")
    if not isinstance(sizes, dict) or not sizes or not isinstance(listed, list):
        return []
    objectives = {measure.plain: measure for _, measure in _measures(texts, "objectives")}
    if any(measure_name(item) is None for item in listed):
        return []  # a size may belong to what could not be read
    boxes = _measures(texts, "epsilon")
    problems = [(where, fault) for where, box in boxes for fault in _box_faults(box, objectives)]
    given = [box.plain for _, box in boxes if box.plain in objectives]
    missing = [shown(name) for name in objectives if name not in given]
    if len(missing) > len(sizes) - len(given):  # a misspelt name stands for one that is missing
        fault = "names some objectives only; give every objective a box size; missing: "
        problems.append((("epsilon",), fault + ", ".join(missing[:MOST_OBJECTIVES])))
    return problems


def _box_faults(box: MeasureName, objectives: Mapping[str, MeasureName]) -> list[str]:
    if box.plain not in objectives:
        hint = nearest(box.plain, list(objectives))
        return [f"not among the objectives{hint}; name one of them"]
    if {box.direction, objectives[box.plain].direction} == {"min", "max"}:
        return ["the objective has the other direction; leave out min: or max:"]
    return []


def _column_faults(measure: MeasureName, names: list[str], dropped: list[str]) -> list[str]:
    if measure.column is None or not names:
        return []
    if measure.column not in names:
        hint = nearest(measure.column, names)
        return [f"there is no such column in columns{hint}; name one that is kept"]
    if measure.column in dropped:
        return ["this column is dropped by its role; name one that is kept"]
    return []
