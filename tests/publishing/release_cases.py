"""One small table whose release a hand can check.

Decades of age and `*` for zip give the classes 20s (3 rows), 30s (3), missing (2) and 60s (1);
the last one is suppressed.
"""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa

from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.plan import Plan, sealed, steps_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.source import TableSource
from paretonym.model.steps import Recode, Suppress
from paretonym.publishing import Publication, ReleaseRequest, publish

NAMES = ("name", "age", "zip", "illness")
ROWS: list[tuple[str, str | None, str, str | None]] = [
    ("Anna Abel", "21", "1010", "flu"),
    ("Berta Boll", "25", "1010", "flu"),
    ("Carl Cord", "28", "1020", "cold"),
    ("Dora Dahl", "34", "1010", "flu"),
    ("Emil Ende", "36", "1020", None),
    ("Franz Fuchs", "39", "1020", "cold"),
    ("Greta Gross", None, "1010", "flu"),
    ("Hanna Huber", None, "1020", "cold"),
    ("Ivo Igel", "61", "1010", "flu"),
]
SCHEMA = Schema.of(
    [
        Column("name", frozenset({Role.IDENTIFIER})),
        Column("age", frozenset({Role.QUASI})),
        Column("zip", frozenset({Role.QUASI}), Fraction(2)),
        Column("illness", frozenset({Role.SENSITIVE})),
    ]
)
DECADES: dict[str | None, str | None] = {
    "21": "20s", "25": "20s", "28": "20s", "34": "30s", "36": "30s", "39": "30s", "61": "60s",
    None: None,
}  # fmt: skip
AGE = Recode("age", 1, "decade", DECADES, {"20s": 3, "30s": 3, "60s": 1, None: 1}, 8, "a" * 64)
ZIP = Recode("zip", 1, "all", {"1010": "*", "1020": "*"}, {"*": 2}, 2, "b" * 64)
DIVERSE = Bound("distinct_l(illness)", Direction.MAX, Fraction(2))
PLAN = Plan(SCHEMA, ("",), steps_of(SCHEMA, (AGE, ZIP), Suppress(2, (DIVERSE,), 1)), "f" * 64, 9)

# (19/7 for age) + 2 · (9 for zip), and so on: see the module's words
GLM = float(Fraction(19, 7) + 18)
VALUES: dict[str, int | float] = {
    "k": 2,
    "distinct_l(illness)": 2,
    "s_k": 22,
    "s_l(illness)": 10,
    "glm": GLM,
    "cm(illness)": 5,
    "loss_arithmetic": GLM / 27,
    "loss_geometric": (1 + 19 / 63) ** (1 / 3) * 2 ** (2 / 3) - 1,
    "discernibility": 31,
    "average_class_size": 2.25,
    "suppressed": 1,
    "worst_group_suppression(illness)": 0.2,
    "worst_group_suppression(age)": 1.0,
    "sf": 0.5,  # nothing here can recompute it
}


def input_table() -> Any:
    columns = zip(*ROWS, strict=True)
    return pa.table({n: pa.array(c, pa.string()) for n, c in zip(NAMES, columns, strict=True)})


def input_csv(folder: Path) -> Path:
    path = folder / "input.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([NAMES, *ROWS])
    return path


def released_table() -> Any:
    """What an engine without faults would hand over."""
    rows = [(DECADES[age], "*", illness) for _, age, _, illness in ROWS[:-1]]
    columns = zip(*rows, strict=True)
    return pa.table({n: pa.array(c, pa.string()) for n, c in zip(NAMES[1:], columns, strict=True)})


def request(folder: Path, source: object, **changes: Any) -> ReleaseRequest:
    settings: dict[str, Any] = {
        "folder": folder,
        "source": TableSource(source),
        "plan": PLAN,
        "levels": {"age": 1, "zip": 1},
        "values": VALUES,
        "suppressed": 1,
        "input_rows": 9,
        "fingerprint": "f" * 64,
        "job_digest": "j" * 64,
        "classes": 3,
        "shuffle_key": b"\x01\x02secret",
        "seed": 424242,
    }
    return ReleaseRequest(**(settings | changes))


def release(folder: Path, source: object, table: Any = None, **changes: Any) -> Publication:
    rows = released_table() if table is None else table
    return publish(
        rows.to_reader(),
        request(folder, source, **changes),
        public_report=lambda public, made: f"<p>public {len(made.public_checks)}</p>",
        internal_report=lambda public, internal, made: f"<p>internal {len(made.checks)}</p>",
    )


def edit_json(path: Path, change: Any) -> None:
    """As somebody would who also computes the digest of a plan anew."""
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(sealed(data) if path.name == "plan.json" else data))
