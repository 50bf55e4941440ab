"""Records as cases: what fuzzy rules can tell apart, and how many people each case stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.errors import JobError
from paretonym.kernels.rules import WORD, Index
from paretonym.model.arrays import AnyInts, Bits, Codes, Flags, Floats

_ROOM = 2**62  # a packed combination stays below this


@dataclass(frozen=True, eq=False, slots=True)
class Cases:
    """Distinct combinations of grades, with the group's members and the others in each."""

    index: Index
    members: Floats
    others: Floats


@dataclass(frozen=True, eq=False, slots=True)
class _Profiles:
    """The distinct columns of a variable's grades: values that no rule can tell apart."""

    grades: Floats  # [values + 1, profiles]
    of_value: Codes

    @classmethod
    def under(cls, grades: Floats, cut: float) -> _Profiles:
        """Grades under the cut are 0: a product with one of them is under the cut as well."""
        counted = np.where(grades < cut, 0.0, grades)
        distinct, of_value = np.unique(counted, axis=1, return_inverse=True)
        return cls(distinct, of_value.reshape(-1).astype(np.int32))


def distinct_cases(
    memberships: Sequence[Floats],
    codes: Sequence[AnyInts],
    members: npt.ArrayLike,
    others: npt.ArrayLike,
    cut: float,
) -> Cases:
    """Rows with the same grades everywhere become one case; its order is not that of the rows."""
    inside, outside = _weights(members), _weights(others)
    if len({len(inside), len(outside), *map(len, codes)}) > 1:
        raise ValueError("codes, members and others must speak of the same rows")
    profiles = [_Profiles.under(grades, cut) for grades in memberships]
    columns = [p.of_value[code] for p, code in zip(profiles, codes, strict=True)]
    first, case = _distinct(columns, [p.grades.shape[1] for p in profiles])
    count = len(first)
    return Cases(
        _index(profiles, [column[first] for column in columns]),
        np.bincount(case, inside, minlength=count).astype(np.float64),
        np.bincount(case, outside, minlength=count).astype(np.float64),
    )


def index_of(memberships: Sequence[Floats], codes: Sequence[AnyInts], cut: float) -> Index:
    """Every row as a case of its own."""
    profiles = [_Profiles.under(grades, cut) for grades in memberships]
    return _index(profiles, [p.of_value[code] for p, code in zip(profiles, codes, strict=True)])


def _weights(counts: npt.ArrayLike) -> Floats:
    found = np.asarray(counts, np.float64)
    if not np.isfinite(found).all() or (found < 0).any():
        raise JobError("weights must be finite numbers, none of them below 0")
    return found


def _distinct(columns: Sequence[AnyInts], sizes: list[int]) -> tuple[AnyInts, AnyInts]:
    """The first row of each distinct combination, and the combination of each row.

    The variable with the fewest profiles varies slowest: what few values divide lies together,
    so that whole words of cases are excluded at once.
    """
    packed, room = np.zeros(len(columns[0]), np.int64), 1
    for j in np.argsort(sizes, kind="stable"):
        if room * sizes[j] >= _ROOM:
            packed = np.unique(packed, return_inverse=True)[1]
            room = int(packed.max(initial=0)) + 1
        packed = packed * sizes[j] + columns[j]
        room *= sizes[j]
    _, first, case = np.unique(packed, return_index=True, return_inverse=True)
    return first, case


def _index(profiles: list[_Profiles], columns: list[Codes]) -> Index:
    grades = [profile.grades[1:] for profile in profiles]
    first = np.cumsum([0, *map(len, grades)])
    rows, words = int(first[-1]) + 1, -(-len(columns[0]) // WORD)
    sets = np.zeros((rows, words), np.uint64)
    sets[0] = _bits(np.ones(len(columns[0]), np.bool_), words)
    for j, column in enumerate(columns):
        for k, row in enumerate(grades[j], start=1):
            sets[first[j] + k] = _bits((row > 0)[column], words)
    flat = [row for part in grades for row in part]
    return Index(
        first[:-1].copy(),
        sets,
        np.bitwise_count(sets).sum(axis=1, dtype=np.int64),
        np.array([False, *(((row > 0) & (row < 1)).any() for row in flat)]),
        np.cumsum([0, 0, *map(len, flat)])[:rows],
        np.concatenate(flat),
        np.stack(columns, axis=1),
    )


def _bits(flags: Flags, words: int) -> Bits:
    packed = np.zeros(words * WORD // 8, np.uint8)
    found = np.packbits(flags, bitorder="little")
    packed[: len(found)] = found
    return packed.view("<u8").astype(np.uint64)
