"""Small jobs on small tables, opened: what the views of a node and of a front are tested on."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import paretonym as pn
from paretonym.model.job import Job
from paretonym.pipeline.open_job import OpenJob, open_job

# six people; zip 1010 and 1020 are in the north
PEOPLE = {
    "name": ["ann", "bob", "cem", "dot", "eve", "fay"],
    "zip": ["1010", "1010", "1020", "1020", "1020", "2010"],
    "sex": ["f", "m", "m", "f", "f", "f"],
    "illness": ["flu", "flu", "flu", "cold", "flu", "rare"],
}
Row = tuple[str, str, str]  # two quasi-identifiers and a sensitive value
rows_of_people = st.lists(
    st.tuples(
        st.sampled_from(["11", "12", "21", "22"]),
        st.sampled_from(["f", "m"]),
        st.sampled_from(["s0", "s1", "s2"]),
    ),
    min_size=3,
    max_size=24,
)


def people_job(**changes: Any) -> Job:
    """Levels of zip: value, north or south, *; of sex: value, *."""
    groups = {"groups": {"north": ["1010", "1020"], "south": ["2010"]}}
    data: dict[str, Any] = {
        "columns": {
            "name": {"role": "identifier"},
            "zip": {"role": "quasi", "hierarchy": groups, "weight": 2},
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "illness": {"role": "sensitive"},
        },
        "objectives": ["k", "glm"],
        "suppression": {"limit": 1},
        **changes,
    }
    return pn.make_job(data, table=pd.DataFrame(PEOPLE))


def people_open_job(**changes: Any) -> OpenJob:
    return open_job(people_job(**changes))


def random_open_job(rows: Sequence[Row], limit: int) -> OpenJob:
    """Levels of place: value, first digit, *; of sex: value, *."""
    data = {
        "columns": {
            "place": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "secret": {"role": "sensitive"},
        },
        "objectives": ["k", "glm"],
        "suppression": {"limit": min(limit, len(rows) - 1)},
    }
    frame = pd.DataFrame(list(rows), columns=["place", "sex", "secret"])
    return open_job(pn.make_job(data, table=frame))


def vectors_by_hand(rows: Sequence[Row], node: Sequence[int], below: int) -> dict[str, list[int]]:
    """For each row its class's size, and how many there share its secret; 0 when suppressed."""

    def label(row: Row) -> tuple[str, str]:
        place = (row[0], row[0][0], "*")[node[0]]
        return place, (row[1], "*")[node[1]]

    size = Counter(label(row) for row in rows)
    same = Counter((label(row), row[2]) for row in rows)
    kept = [size[label(row)] >= below for row in rows]
    return {
        "k": [size[label(r)] * k for r, k in zip(rows, kept, strict=True)],
        "s_l(secret)": [same[label(r), r[2]] * k for r, k in zip(rows, kept, strict=True)],
    }


def unpacked(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), np.dtype(kind))
