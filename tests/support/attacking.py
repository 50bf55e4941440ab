"""Small files for attacks: records by hand, and a table with an obvious base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from paretonym.groups.attack import GroupAttack
from paretonym.groups.records import Column, Records
from paretonym.pipeline.api import make_job
from paretonym.pipeline.attacking import attacks_of


def records(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    values: dict[str, tuple[str | None, ...]] | None = None,
    weight: float | None = None,
) -> Records:
    """Rows of values, then how many records and members; `values` may know more than occur."""
    columns = {}
    for place, name in enumerate(names):
        texts = [row[place] for row in rows]
        made = Column.of(texts, np.arange(len(rows)))
        known = (values or {}).get(name, made.values)
        codes = [known.index(text) for text in texts]
        columns[name] = Column(known, np.array(codes, np.int32))
    count = np.array([row[-2] for row in rows], np.int64)
    members = np.array([row[-1] for row in rows], np.int64)
    each = 1.0 if weight is None else weight
    return Records(columns, count, members, count * each, members * each, weight is not None)


# soldiers walk at night; area f has the base
AREAS = {"a": 5, "b": 9, "c": 4, "d": 6, "e": 11, "f": 90, "g": 8}
MAIN = [
    (area, job, way, when)
    for area, soldiers in AREAS.items()
    for job, way, when, count in (("s", "foot", "night", soldiers), ("c", "car", "day", 60),
                                  ("c", "foot", "day", 20), ("c", "car", "night", 20))
    for _ in range(count)
]  # fmt: skip
OTHER = [
    (job, way, when)
    for job, way, when, count in (("s", "foot", "night", 40), ("s", "car", "day", 5),
                                  ("c", "car", "day", 200), ("c", "foot", "day", 60),
                                  ("c", "car", "night", 60), ("c", "foot", "night", 2))
    for _ in range(count)
]  # fmt: skip
MAIN_NAMES, OTHER_NAMES = ("area", "job", "way", "when"), ("job", "way", "when")
QUICK = {"population": 20, "replace": 8, "generations": 5, "runs": 2, "tournament": 3,
         "controls": 2, "resamples": 200}  # fmt: skip
VARIABLES: dict[str, Any] = {
    "way": {"on foot": {"is": ["foot"]}, "by car": {"is": ["car"]}},
    "when": {"night": {"is": ["night"]}, "day": {"is": ["day"]}},
}
GROUP: dict[str, Any] = {
    "vital": "job = s",
    "remove": ["job"],
    "parameter": ["area"],
    "basic": ["way", "when"],
    "variables": VARIABLES,
    "outliers": {"side": "upper"},
    "attack": QUICK,
}


def csv_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(",".join(row) for row in [names, *rows]) + "\n"


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> pa.Table:
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def attacked(
    folder: Any,
    *,
    main: Sequence[Sequence[str]] = MAIN,
    names: Sequence[str] = MAIN_NAMES,
    attack: dict[str, Any] | None = None,
    threads: int = 1,
    seed: int = 1,
    **changes: Any,
) -> GroupAttack:
    """One attack on the group, with files in the folder."""
    (folder / "other.csv").write_text(csv_text(OTHER_NAMES, OTHER))
    group = {
        **GROUP,
        "auxiliary": {"table": str(folder / "other.csv")},
        "attack": {"attackers": ["fuzzy"], **QUICK, **(attack or {})},
        **changes,
    }
    group = {key: value for key, value in group.items() if value is not None}
    plain = {"groups": {"soldiers": group}, "search": {"seed": seed}}
    (found,) = attacks_of(make_job(plain, table=table(names, main)), threads=threads)
    return found
