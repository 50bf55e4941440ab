"""What is wrong with the measures that a job asks for, and takes more than one key to see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paretonym.decide.pick import is_share
from paretonym.errors import nearest
from paretonym.jobfile.texts import MeasureName, Problem, parse_measure, shown
from paretonym.jobfile.yaml import Where

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
    """Percentages are for shares, and `true` is for what holds or does not."""
    problems: list[Problem] = []
    asked = texts.get("require")
    for name, bound in asked.items() if isinstance(asked, dict) else ():
        where = ("require", name)
        if name == "secure" and bound != "true":
            problems.append((where, "write secure: true, or leave it out"))
        elif name != "secure" and bound in ("true", "false"):
            problems.append((where, "expected a number; only secure is true or not asked for"))
        elif isinstance(bound, str) and bound.endswith("%") and not is_share(name):
            problems.append((where, "expected a number; a percentage is for shares only"))
    return problems


def _measures(texts: Mapping[str, Any], key: str) -> list[tuple[Where, MeasureName]]:
    """The measures under a key with their places; what is none is complained about elsewhere."""
    listed = texts.get(key)
    if isinstance(listed, dict):
        steps = [(name, parse_measure(name)) for name in listed]
    else:
        items = listed if isinstance(listed, list) else ()
        steps = [(number, parse_measure(item)) for number, item in enumerate(items)]
    return [((key, step), measure) for step, measure in steps if measure is not None]


def _check_epsilon(texts: Mapping[str, Any]) -> list[Problem]:
    """Every objective has a box size or none has, and nothing else has one."""
    sizes, listed = texts.get("epsilon"), texts.get("objectives")
    if not isinstance(sizes, dict) or not sizes or not isinstance(listed, list):
        return []
    objectives = {measure.plain: measure for _, measure in _measures(texts, "objectives")}
    if any(parse_measure(item) is None for item in listed):
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
