"""Influential attributes as numbers that the metric compares (Tavrov and Chertov 2016, eq. 25;
Chertov and Tavrov 2017, eq. 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

import numpy as np

from paretonym.errors import JobError
from paretonym.groups.records import Column
from paretonym.groups.swapping import MILLION
from paretonym.kernels.distance import Traits
from paretonym.model.arrays import Floats
from paretonym.model.numbers import parse_number
from paretonym.model.protect import Influence


def traits_of(columns: Mapping[str, Column], influential: Sequence[Influence]) -> Traits:
    """Row by row; values that a grouping puts together are one category."""
    rows = len(next(iter(columns.values())).codes)
    named = [one for one in influential if not one.ordinal]
    sized = [one for one in influential if one.ordinal]
    codes = [_categories(columns[one.column], one) for one in named]
    numbers = [_numbers(columns[one.column], one) for one in sized]
    return Traits(
        np.stack(codes, axis=1) if codes else np.zeros((rows, 0), np.int32),
        np.array([int(one.weight * MILLION) for one in named], np.int64),
        np.stack(numbers, axis=1) if numbers else np.zeros((rows, 0)),
        np.array([float(one.weight * MILLION) for one in sized], np.float64),
    )


def _categories(column: Column, one: Influence) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Codes; grouped values share one beyond all others."""
    group = {code: len(column.values) + place for place, codes in enumerate(one.groups)
             for code in codes}  # fmt: skip
    images = [group.get(value, place) if value is not None else place
              for place, value in enumerate(column.values)]  # fmt: skip
    return np.asarray(np.array(images, np.int32)[column.codes], np.int32)


def _numbers(column: Column, one: Influence) -> Floats:
    """The metric divides by a sum, so that numbers below 0 have no place in it."""
    read = [None if value is None else _finite(value) for value in column.values]
    pairs = list(zip(read, column.values, strict=True))
    unread = sum(number is None and value is not None for number, value in pairs)
    negative = sum(number is not None and number < 0 for number, _ in pairs)
    if unread or negative:
        fault = f"{unread:,} are no numbers" if unread else f"{negative:,} are below 0"
        raise JobError(
            f"protect.influential.{one.column}: of {len(read):,} different values {fault}, but "
            f"an ordinal attribute needs numbers from 0 on; make it categorical"
        )
    images = np.array([np.nan if number is None else float(number) for number in read])
    return np.asarray(images[column.codes], np.float64)


def _finite(text: str) -> Decimal | None:
    """None also for what no float can hold."""
    number = parse_number(text, decimal_comma=False)
    return number if number is not None and math.isfinite(float(number)) else None
