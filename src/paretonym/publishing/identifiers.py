"""Does a released cell still carry a value of a column that was dropped?

Values and cells are compared as runs of words (letters and digits, upper and lower case alike),
so that `Anna Miller` is found in `called Anna-Miller today`. The rule:

* A *telling* value has at least four letters or digits and is not a plain number of fewer than
  eight digits. No released cell may contain one, whosever it is.
* Any other value (`17`, `M`, a record number such as 48213) coincides with ages and amounts all
  the time. It counts only against the cells of its own row: when most rows of a column equal
  their own identifier, or when a longer text contains its own row's number of four or more
  digits.

Messages name columns and counts, never values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from paretonym.model.arrays import Flags, Ints
from paretonym.publishing.cells import is_text
from paretonym.publishing.checker import Check
from paretonym.publishing.codes import Coded

_WORD = re.compile(r"[^\W_]+")
_LONGEST = 8  # words of the longest identifier looked for inside a text
_SHORTEST = 4
_NUMBER_DIGITS = 8
_REMEDY = (
    "Repair or drop that column; if the match is innocent, say why under may_match: there; a "
    "dropped column that names nobody has the role omitted"
)


def scan_identifiers(
    dropped: Mapping[str, Coded],
    released: Mapping[str, Coded],
    shown: Mapping[str, Coded],
    *,
    rows: Flags,
    recoded: frozenset[str],
) -> list[Check]:
    """Compare dropped columns with released ones.

    `dropped` and `shown` follow the input's rows (`shown` as they would be released), `rows`
    marks those that were released, `released` is the file.
    """
    if not dropped:
        return []
    found: dict[str, int] = {}
    keys = {name: _keys(name, column) for name, column in dropped.items()}
    telling = _Vocabulary.of(key for each in keys.values() for key in each if _is_telling(key))
    for name, column in released.items():
        counts = column.counts()
        texts = column.texts(name)
        hits = [index for index, text in enumerate(texts) if text and telling.inside(text)]
        found[name] = int(counts[hits].sum()) if hits else 0
    for identifier, column in dropped.items():
        own = _OwnRow.of(keys[identifier], column.codes[rows])
        for name, other in shown.items():
            keep_inside = name not in recoded and is_text(other.values.type)
            cells = Coded(other.codes[rows], other.values, other.type)
            found[name] = max(found[name], own.matches(name, cells, inside=keep_inside))
    leaking = {name: count for name, count in found.items() if count}
    note = "; ".join(f"column '{name}': {count} cells" for name, count in leaking.items())
    if leaking:
        note += f". {_REMEDY}"
    total = sum(leaking.values())
    return [Check("cells that carry a dropped identifier", 0, total, holds=not total, note=note)]


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _keys(name: str, column: Coded) -> list[str]:
    return [" ".join(words(text)) if text else "" for text in column.texts(name)]


def _is_telling(key: str) -> bool:
    letters = key.replace(" ", "")
    if letters.isdigit() and len(letters) < _NUMBER_DIGITS:
        return False
    return len(letters) >= _SHORTEST


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    keys: frozenset[str]
    lengths: tuple[int, ...]  # in words

    @classmethod
    def of(cls, keys: Iterable[str]) -> _Vocabulary:
        known = frozenset(keys)
        lengths = {key.count(" ") + 1 for key in known}
        return cls(known, tuple(sorted(n for n in lengths if n <= _LONGEST)))

    def inside(self, text: str) -> set[str]:
        """The known values that occur in the text, as the whole of it or as a run of words."""
        if not self.keys:
            return set()
        parts = words(text)
        runs = {" ".join(parts)}
        for length in self.lengths:
            if length == 1:
                runs.update(parts)
            else:
                runs.update(" ".join(parts[i : i + length]) for i in range(len(parts) - length + 1))
        return runs & self.keys


@dataclass(frozen=True, eq=False, slots=True)
class _OwnRow:
    """One dropped column, to be compared row by row; different spellings of a key are one."""

    places: Mapping[str, int]  # key -> number; the empty key has none
    own: Ints  # number of each row's key, or -1
    numbers: _Vocabulary  # the values worth looking for inside a longer text

    @classmethod
    def of(cls, keys: list[str], codes: Ints) -> _OwnRow:
        places = {key: place for place, key in enumerate(keys) if key}
        of_value = np.array([places.get(key, -1) for key in keys], np.int64)
        inner = (key for key in places if len(key) >= _SHORTEST and not _is_telling(key))
        own = of_value[codes] if len(keys) else np.empty(0, np.int64)
        return cls(places, own, _Vocabulary.of(inner))

    def matches(self, name: str, cells: Coded, *, inside: bool) -> int:
        texts = cells.texts(name)
        count = self._equal(texts, cells.codes)
        return count or (self._contained(texts, cells.codes) if inside else 0)

    def _equal(self, texts: list[str | None], codes: Ints) -> int:
        """Rows whose cell is their own identifier, when they are the majority."""
        if len(self.places) < 2 or not len(codes):
            return 0  # a constant tells nobody apart
        of_cell = [self.places.get(" ".join(words(text or "")), -2) for text in texts]
        equal = int(np.count_nonzero(self.own == np.array(of_cell, np.int64)[codes]))
        return equal if 2 * equal > int(np.count_nonzero(self.own >= 0)) else 0

    def _contained(self, texts: list[str | None], codes: Ints) -> int:
        """Rows whose text mentions their own number among other words."""
        if not self.numbers.keys:
            return 0
        inside = [
            self.numbers.inside(text) if text and len(words(text)) > 1 else set() for text in texts
        ]
        candidates = np.array([bool(found) for found in inside], np.bool_)
        if not candidates.any():
            return 0
        rows = np.flatnonzero(candidates[codes])
        mentioned = [{self.places[key] for key in found} for found in inside]
        return sum(int(self.own[row]) in mentioned[codes[row]] for row in rows)
