"""Fabricated fronts and releases whose numbers a hand can check."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paretonym.model.bound import Bound
from paretonym.model.candidate import Candidate, Counts, SuppressBelow
from paretonym.model.front import Cloud, Direction, Front, Objective
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.publishing import Check, InternalManifest, PublicManifest, Verification
from paretonym.publishing.manifest import DataFile, ReleasedColumn
from paretonym.publishing.step_checks import THRESHOLD
from paretonym.report import ReleaseExtra
from paretonym.report.release_extra import ColumnChange, HierarchyApplied, Settings

K = Objective("k", Direction.MAX)
GLM = Objective("glm", Direction.MIN)
ELL = Objective("distinct_l(illness)", Direction.MAX)
CANARY = "canary-4711"
FORBIDDEN = ("anonymous", "safe", "compliant", "gdpr")


def hierarchy(column: str, leaves: Sequence[str], *, declared: bool = False) -> Granulation:
    """Three levels: raw, by first character, everything."""
    return Granulation(
        column,
        tuple(leaves),
        (
            partition_from_labels("as it is", list(leaves)),
            partition_from_labels("first digit", [leaf[0] + "…" for leaf in leaves]),
            partition_from_labels("everything", ["*"] * len(leaves)),
        ),
        declared=declared,
    )


AGE = hierarchy("age", ["21", "25", "34", "36"])
ZIP = hierarchy("zip", ["1010", "1020", "2010"], declared=True)


def entry(age: int, zip_level: int, suppressed: int = 0, /, **values: float) -> Candidate:
    named = {"distinct_l(illness)" if n == "ell" else n: v for n, v in values.items()}
    return Candidate(
        {"age": age, "zip": zip_level}, (SuppressBelow(2),), Counts(suppressed=suppressed), named
    )


def front(
    entries: Sequence[Candidate], objectives: Sequence[Objective] = (K, GLM), **changes: Any
) -> Front:
    settings: dict[str, Any] = {
        "method": "exhaustive",
        "exact": True,
        "nodes": 9,
        "evaluated": 9,
        "rows": 100,
        "table": "f" * 64,
    }
    return Front(objectives=tuple(objectives), entries=tuple(entries), **(settings | changes))


def cloud_of(rows: Sequence[Sequence[float]], objectives: Sequence[Objective] = (K, GLM)) -> Cloud:
    """Candidates of which only the objectives matter."""
    count = np.arange(len(rows))
    values = {o.name: np.array([row[j] for row in rows]) for j, o in enumerate(objectives)}
    return Cloud(count, count, count, values, len(rows))


def three_points(**changes: Any) -> Front:
    """100 rows, two columns: the largest GLM is 200."""
    return front(
        [
            entry(0, 0, k=1, glm=0.0, ell=1),
            entry(1, 0, 3, k=5, glm=50.0, ell=2),
            entry(2, 2, k=100, glm=200.0, ell=4),
        ],
        (K, GLM, ELL),
        **changes,
    )


def random_front(points: int = 60, cloud: int = 6000, rows: int = 30_162) -> Front:
    """Shaped like a real one: a small k is cheap."""
    rng = random.Random(7)
    ks = sorted({int(1.16**i) + i % 3 for i in range(points)})
    entries = [
        Candidate(
            {"age": min(i // 8, 6), "work class": i % 3, "education": i % 4, "country": i % 5},
            (SuppressBelow(k),),
            Counts(suppressed=rng.randrange(302)),
            {
                "k": k,
                "glm": rows * 4 * min(0.97, 0.12 + 0.05 * i**0.7 + rng.random() * 0.02),
                "distinct_l(occupation)": min(14, 1 + i // 4 + rng.randrange(2)),
                "s_k": rows * (k * 6 + 40 + rng.randrange(30)),
                "worst_group_suppression(race)": rng.random() * 0.15,
            },
        )
        for i, k in enumerate(ks)
    ]
    sample = [
        (float(k), rows * 4 * min(1.0, base + rng.random() * 0.5), float(rng.randrange(1, 14)))
        for k, base in ((int(1.16 ** (rng.random() * 58)) + 1, 0.3) for _ in range(cloud))
    ]
    objectives = (K, GLM, Objective("distinct_l(occupation)", Direction.MAX))
    behind = cloud_of(sample, objectives)
    return front(entries, objectives, rows=rows, nodes=17_920, evaluated=17_920, cloud=behind)


def public_manifest(**changes: Any) -> PublicManifest:
    settings: dict[str, Any] = {
        "data": DataFile("data.csv", "a1" * 32, "csv"),
        "columns": (
            ReleasedColumn("age", ("quasi",), 1, "first digit", AGE.digest),
            ReleasedColumn("zip", ("quasi",), 0, "as it is", ZIP.digest),
            ReleasedColumn("illness", ("sensitive",)),
        ),
        "promises": {"k": 5, "rows": 97, "classes": 8, "distinct_l(illness)": 2},
        "suppressed": "<k",
        "software": "0.2.0",
    }
    return PublicManifest(**(settings | changes))


def public_checks(manifest: PublicManifest) -> tuple[Check, ...]:
    names = ", ".join(column.name for column in manifest.columns)
    return (
        Check("sha256", manifest.data.sha256, manifest.data.sha256, holds=True),
        Check("columns", names, names, holds=True, note="names and order"),
        *(Check(name, value, value, holds=True) for name, value in manifest.promises.items()),
    )


def internal_manifest(**changes: Any) -> InternalManifest:
    settings: dict[str, Any] = {
        "values": {"k": 5, "glm": 50.0, "distinct_l(illness)": 2, "s_k": 1200, "sf": 0.5},
        "levels": {"age": 1, "zip": 0},
        "suppress_below": 5,
        "suppressed": 3,
        "input_rows": 100,
        "input_fingerprint": "f0" * 32,
        "job_digest": "b0" * 32,
        "shuffle_key": "5ec2e7" * 8,
        "seed": 424242,
        "recomputed": ("k", "glm", "distinct_l(illness)", "s_k"),
        "stated": ("sf",),
        "files": {"data.csv": "a1" * 32, "internal/plan.json": "c0" * 32},
        "formula_cells": {"illness": 2},
        "software": "0.2.0",
    }
    return InternalManifest(**(settings | changes))


def verification(manifest: PublicManifest, internal: InternalManifest) -> Verification:
    public = public_checks(manifest)
    checks = (
        *public,
        Check("glm", 50.0, 50.0, holds=True),
        Check("s_k", 1200, 1200, holds=True),
        Check("released + suppressed", 100, 100, holds=True),
        Check(THRESHOLD, "at least 5", 5, holds=True),
        *(Check(f"sha256 of {n}", d, d, holds=True) for n, d in internal.files.items()),
    )
    return Verification(checks, internal_checked=True, stated=("sf",), public_checks=public)


def release_extra(**changes: Any) -> ReleaseExtra:
    settings: dict[str, Any] = {
        "hierarchies": (
            HierarchyApplied("age", 1, "first digit", AGE.digest, 4, 2),
            HierarchyApplied("zip", 0, "as it is", ZIP.digest, 3, 3, declared=True),
        ),
        "changes": (
            ColumnChange("age", 4, 2, 0.01, loss=0.37),
            ColumnChange("zip", 3, 3, 0.02, loss=0.03),
            ColumnChange("illness", 3, 3, 0.005),
        ),
        "suppressed_by_group": {
            "illness": [("flu", 0, 60), (CANARY, 2, 4), ("cold", 1, 36)],
            "zip": [(None, 3, 10), ("1010", 0, 90)],
        },
        "sizes_before": [(1, 60), (2, 10), (4, 2), (12, 1)],
        "class_sizes": [(5, 3), (8, 2), (12, 2), (42, 1)],
        "before": {"k": 1, "classes": 74, "s_k": 180},
        "after": {"k": 5, "classes": 8, "s_k": 1200, "glm": 50.0},
        "dropped": ("name",),
        "reasons": (("illness", "asked for by its users"),),
        "settings": Settings(
            objectives=("k", "glm"),
            require=(
                Bound("k", Direction.MAX, Fraction(5)),
                Bound("worst_group_suppression(zip)", Direction.MIN, Fraction("0.3")),
            ),
            limit=4,
            rule="staircase",
            asked="auto",
            used="exhaustive",
            exact=True,
            evaluated=9,
            nodes=9,
        ),
        "notes": ("Domain of age: observed in the table.",),
        "glm_maximum": 200.0,
    }
    return ReleaseExtra(**(settings | changes))
