"""How the bundled Adult file was made from UCI's `adult.data`, so that anyone can make it again."""

from __future__ import annotations

import gzip
from collections.abc import Iterable

UNKNOWN = "?"

# the columns that the release concerns, by their place in UCI's file
KEPT = {
    "age": 0,
    "workclass": 1,
    "education": 3,
    "marital-status": 5,
    "race": 8,
    "sex": 9,
    "native-country": 13,
    "occupation": 6,
    "salary-class": 14,
}
WIDTH = 15


def prepare_adult(lines: Iterable[str]) -> bytes:
    """The complete rows, in their order, as a gzipped CSV without a time stamp."""
    rows = [",".join(KEPT)]
    for line in lines:
        cells = [cell.strip() for cell in line.split(",")]
        # a row is complete when no column is unknown, including those that are not kept
        if len(cells) == WIDTH and UNKNOWN not in cells:
            rows.append(",".join(cells[place] for place in KEPT.values()))
    return gzip.compress(("\n".join(rows) + "\n").encode(), compresslevel=9, mtime=0)
