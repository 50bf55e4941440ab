"""From a stream of groups to one table whose keys are small integers with one dictionary each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from paretonym.model.arrays import Array, Codes, Ints


class KeyColumn:
    """Codes of one key, collected batch by batch; the texts are kept once."""

    def __init__(self) -> None:
        self._code_of: dict[str, int] = {}
        self._parts: list[Codes] = []

    def add(self, array: pa.Array) -> None:
        encoded = array.dictionary_encode()
        local = encoded.dictionary.to_pylist()
        code_of = self._code_of
        images = [code_of.setdefault(value, len(code_of)) for value in local]
        images.append(-1)  # where a missing value's index, -1, lands
        indices = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        self._parts.append(np.array(images, np.int32)[indices])

    def finish(self) -> tuple[Codes, list[str]]:
        """Codes numbered in the order of the texts, so that the result has one form only."""
        texts = sorted(self._code_of)
        rank = np.empty(len(texts) + 1, np.int32)
        rank[[self._code_of[value] for value in texts]] = np.arange(len(texts), dtype=np.int32)
        rank[-1] = -1
        codes = np.concatenate([np.empty(0, np.int32), *(rank[part] for part in self._parts)])
        self._parts.clear()
        return codes, texts


def collect(
    batches: Iterable[pa.RecordBatch],
    names: Sequence[str],
    counts: Sequence[str],
    *,
    by: str | None = None,
) -> pa.Table:
    """One table: `key:<name>` dictionary columns, then the counts; ordered by the keys.

    `by` names a count to order by instead: a row's own number.
    """
    keys = [KeyColumn() for _ in names]
    totals: list[list[Array]] = [[] for _ in counts]
    for batch in batches:
        for index, key in enumerate(keys):
            key.add(batch.column(index))
        for index, parts in enumerate(totals, start=len(keys)):
            parts.append(batch.column(index).to_numpy(zero_copy_only=False))
    finished = [key.finish() for key in keys]
    summed = [np.concatenate(parts) for parts in totals]
    if by is None:
        order = _order([codes for codes, _ in finished], len(summed[0]))
    else:
        order = np.argsort(summed[counts.index(by)], kind="stable")
    columns: dict[str, pa.Array] = {}
    for name, (codes, texts) in zip(names, finished, strict=True):
        columns[f"key:{name}"] = _dictionary(codes[order], texts)
    for name, total in zip(counts, summed, strict=True):
        columns[name] = pa.array(total[order])
    return pa.table(columns)


def _dictionary(codes: Codes, texts: list[str]) -> pa.DictionaryArray:
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))


def _order(columns: Sequence[Codes], rows: int) -> Ints:
    """The order by keys, first key first and missing first: threads must not show in a result."""
    packed = np.zeros(rows, np.int64)
    size = 1
    for codes in columns:
        base = int(codes.max(initial=-1)) + 2
        size *= base
        if size >= 2**62:
            return np.lexsort(tuple(reversed(columns)))
        packed *= base
        packed += codes
        packed += 1
    return np.argsort(packed, kind="stable")
