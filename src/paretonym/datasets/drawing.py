"""How generated tables are drawn: one code a row, alike on every machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from paretonym.model.arrays import Array, Floats, Ints


class Draw:
    """Draws one code a row; only uniform numbers and plain arithmetic, alike on every machine."""

    def __init__(self, rows: int, seed: int) -> None:
        self.rows = rows
        self.rng = np.random.Generator(np.random.PCG64(seed))

    def __call__(self, weights: Floats, given: Array | None = None) -> Ints:
        """From the weights, or from the line of them that each row's given code selects."""
        lines = np.atleast_2d(weights)
        edges = lines.cumsum(axis=1)
        edges /= edges[:, -1:]
        line = np.zeros(self.rows, np.int64) if given is None else given.astype(np.int64)
        # line i lies between i and i + 1, so one search serves all of them
        edges += np.arange(len(lines))[:, None]
        place = np.searchsorted(edges.ravel(), line + self.rng.random(self.rows), side="right")
        codes: Ints = np.clip(place - line * lines.shape[1], 0, lines.shape[1] - 1)
        return codes


def falling(count: int) -> Floats:
    """1, 1/2, 1/3, …: a few values have most of the rows."""
    return 1 / np.arange(1, count + 1)


def scattered(count: int) -> Ints:
    """A fixed order without a pattern: 7 has no factor in common with the counts used."""
    return np.arange(count) * 7 % count


def turned(count: int, lines: int) -> Floats:
    """Steeply falling weights that start elsewhere on each line."""
    weights = falling(count) * falling(count)
    return np.array([np.roll(weights, line * count // lines) for line in range(lines)])


def peaks(tops: Sequence[int], count: int, width: float) -> Floats:
    """On each line, most weight around its peak."""
    distance = np.abs(np.arange(count) - np.array(tops)[:, None]) / width
    weights: Floats = 1 / (1 + distance * distance * distance)
    return weights


def shares(yes: Sequence[float]) -> Floats:
    """No or yes, with the share of yes on each line."""
    return np.array([[1 - share, share] for share in yes])


def column(codes: Ints, values: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int16)), pa.array(list(values)))
