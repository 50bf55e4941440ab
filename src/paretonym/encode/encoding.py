"""From the table's histogram of texts to the encoded one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paretonym.encode.histogram import Histogram, count_column
from paretonym.errors import TableError
from paretonym.model.arrays import Ints
from paretonym.model.granulation import Granulation

_MOST_ROWS = 10**9  # counts fit in 32 bits, sums of squares of class sizes in 64


def observed_values(column: pa.ChunkedArray) -> list[str | None]:
    """The distinct texts of a key column, the missing one as None and last."""
    merged = column.combine_chunks()
    values: list[str | None] = merged.dictionary.to_pylist()
    return [*values, None] if merged.null_count else values


def encode(raw: pa.Table, granulations: Sequence[Granulation], counted: Sequence[str]) -> Histogram:
    """Combinations of leaf codes with sizes, and counts per value of the named columns."""
    rows = raw["rows"].to_numpy().astype(np.int64)
    total = int(rows.sum())
    if total > _MOST_ROWS:
        raise TableError(f"the table has {total:,} rows; at most {_MOST_ROWS:,} are supported")
    codes = np.stack([_leaf_codes(raw[f"key:{g.column}"], g) for g in granulations], axis=1)
    combination, distinct = _combinations(codes, granulations)
    sizes = np.bincount(combination, weights=rows, minlength=len(distinct)).astype(np.int64)
    counts = {}
    for name in counted:
        column = raw[f"key:{name}"].combine_chunks()
        values = tuple(observed_values(raw[f"key:{name}"]))
        code = _codes(column)
        code = np.where(code < 0, len(values) - 1, code)  # missing comes last
        counts[name] = count_column(values, combination, code, rows, len(distinct))
    predicates = {
        name.removeprefix("count:"): _summed(raw[name].to_numpy(), combination, len(distinct))
        for name in raw.column_names
        if name.startswith("count:")
    }
    weights = None
    if "weight" in raw.column_names:
        summed = np.bincount(combination, weights=raw["weight"].to_numpy(), minlength=len(distinct))
        weights = summed.astype(np.float64)
    names = tuple(g.column for g in granulations)
    return Histogram(total, names, distinct, sizes, counts, predicates, weights)


def _summed(values: Ints, combination: Ints, count: int) -> Ints:
    return np.bincount(combination, weights=values, minlength=count).astype(np.int64)


def _codes(column: pa.DictionaryArray) -> Ints:
    """Dictionary codes, -1 for missing."""
    indices = pc.fill_null(column.indices, -1)
    return np.asarray(indices.to_numpy(zero_copy_only=False), np.int64)


def _leaf_codes(column: pa.ChunkedArray, granulation: Granulation) -> Ints:
    merged = column.combine_chunks()
    leaves = [granulation.leaf_index[value] for value in merged.dictionary.to_pylist()]
    missing = granulation.leaf_index.get(None, -1)
    return np.array([*leaves, missing], np.int64)[_codes(merged)]  # -1 takes the last


def _combinations(
    codes: Ints, granulations: Sequence[Granulation]
) -> tuple[Ints, np.ndarray[tuple[int, ...], np.dtype[np.int32]]]:
    """Number the distinct rows of codes in lexicographic order."""
    number = np.zeros(len(codes), np.int64)
    for j, granulation in enumerate(granulations):
        _, number = np.unique(number * len(granulation.leaves) + codes[:, j], return_inverse=True)
    _, first = np.unique(number, return_index=True)
    return number, codes[first].astype(np.int32)
