"""Tables of any size that look like Adult, for benchmarks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from paretonym.datasets.bundled import adult
from paretonym.errors import JobError

REDRAWN = 0.05  # share of the cells; without it, larger samples would hold no new combinations


def resample(rows: int, seed: int) -> pa.Table:
    """Adult rows drawn with replacement, then 5 % of the cells redrawn from their column.

    Columns come out dictionary-encoded with one byte a cell, so that 10 million rows take
    about 90 MB; equal arguments give equal tables.
    """
    if rows < 0:
        raise JobError(f"a table cannot have {rows} rows; ask for none or more")
    table = adult()
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, table.num_rows, size=rows, dtype=np.int32)
    columns = {}
    for name in table.column_names:
        encoded = table[name].combine_chunks().dictionary_encode()
        original = encoded.indices.to_numpy().astype(np.int8)  # at most 72 distinct values
        codes = original[chosen]
        redrawn = np.flatnonzero(rng.random(rows, dtype=np.float32) < REDRAWN)
        codes[redrawn] = original[rng.integers(0, len(original), size=len(redrawn))]
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(codes), encoded.dictionary)
    return pa.table(columns)
