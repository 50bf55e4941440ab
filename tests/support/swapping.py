"""A small town whose soldiers stand out in one area until some of them are swapped away."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paretonym.jobfile.loading import parse_job
from paretonym.model.logic.predicate import ValueIn
from paretonym.model.source import TableSource
from paretonym.model.swap import GroupPromise, Margin, Swaps
from paretonym.pipeline.grouping import signals_of
from paretonym.tables import open_table

NAMES = ("name", "age", "sex", "area", "district", "job", "note")
COLUMNS = ("area", "district")
SOLDIER = ValueIn("job", frozenset({"soldier"}))
GROUPS: dict[str, Any] = {
    "army": {"vital": "job = soldier", "parameter": ["area"], "remove": ["name", "job"]}
}
JOB: dict[str, Any] = {
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 40]}},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "area": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "district": {"role": "quasi", "hierarchy": "suppress"},
        "job": {"role": "sensitive"},
        "note": {"role": "insensitive"},
    },
    "objectives": ["k", "glm"],
    "require": {"k": 2},
    "suppression": {"limit": "10%"},
}

Rows = list[list[str]]


def town(seed: int = 1) -> Rows:
    """Ten areas of twenty people with one or two soldiers each, and fourteen in area 04."""
    draw = random.Random(seed)
    rows = []
    for number in range(200):
        area = number // 20
        soldier = number % 20 < (14 if area == 4 else 1 + area % 2)
        rows.append(
            [
                f"Person{number:04d}x",
                str(draw.randrange(20, 40)),
                draw.choice("fm"),
                f"{area:02d}",
                "north" if area < 5 else "south",
                "soldier" if soldier else draw.choice(["baker", "nurse"]),
                draw.choice(["a, b", 'so "called"', "", "two\nlines"]),
            ]
        )
    draw.shuffle(rows)
    return rows


def good_pairs(rows: Rows) -> tuple[tuple[int, int], ...]:
    """Twelve soldiers of area 04 change places with others, spread over the other areas."""
    crowded = [i for i, row in enumerate(rows) if row[3] == "04" and row[5] == "soldier"]
    pairs = []
    for turn, soldier in enumerate(crowded[:12]):
        area = [a for a in range(10) if a != 4][turn % 9]
        taken = {other for _, other in pairs}
        pairs.append(
            (
                soldier,
                next(
                    i
                    for i, row in enumerate(rows)
                    if row[3] == f"{area:02d}" and row[5] != "soldier" and i not in taken
                ),
            )
        )
    return tuple(pairs)


def by_hand(rows: Rows, pairs: Sequence[tuple[int, int]], columns: Sequence[str] = COLUMNS) -> Rows:
    """The swapped rows, in plain Python."""
    made = [list(row) for row in rows]
    for one, other in pairs:
        for name in columns:
            place = NAMES.index(name)
            made[one][place], made[other][place] = rows[other][place], rows[one][place]
    return made


def write(path: Path, rows: Rows) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([NAMES, *rows])
    return path


def outliers(path: Path, **group: Any) -> dict[str, tuple[str, ...]]:
    """What the engine finds."""
    groups = {"army": {**GROUPS["army"], **group}}
    job = parse_job({"table": path.name, "groups": groups}, base=path.parent)
    kind = job.groups[0].outliers.signal
    regions = signals_of(job)[0].signals.regions
    return {one.region or "": one.judged[kind].outliers for one in regions}


def promise(
    folder: Path, rows: Rows, pairs: Sequence[tuple[int, int]], **more: Any
) -> GroupPromise:
    before = outliers(write(folder / "before.csv", rows))
    after = outliers(write(folder / "after.csv", by_hand(rows, pairs)))
    settings: dict[str, Any] = {
        "group": "army",
        "parameter": ("area",),
        "region": None,
        "only": None,
        "member": SOLDIER,
        "signal": "quantity",
        "alpha": "0.01",
        "side": "both",
        "ignore": (),
        "smallest_area": 1,
        "outliers_before": before,
        "outliers_after": after,
    }
    return GroupPromise(**(settings | more))


def good_swaps(folder: Path, rows: Rows, *, path: Path | None = None, **more: Any) -> Swaps:
    pairs = good_pairs(rows)
    with open_table(TableSource(path or write(folder / "people.csv", rows))) as table:
        fingerprint = table.fingerprint
    return Swaps(
        columns=COLUMNS,
        pairs=pairs,
        fingerprint=fingerprint,
        rows=len(rows),
        promises=(promise(folder, rows, pairs, **more),),
        margins=(Margin(COLUMNS),),
    )
