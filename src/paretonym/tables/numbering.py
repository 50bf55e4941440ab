"""Numbers of classes, put together from parts that the rows of mapping tables carry.

What a column shows is a digit. Digits of several columns make one number in mixed radix, so that
a row's class is a sum of integers, and engines compare integers instead of texts that may be
missing. Where one 64-bit integer is too narrow for all columns, further words follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paretonym.errors import TableError

WIDEST = 2**62  # numbers of one word lie below this; sums of parts then never leave 64 bits

Label = str | None


@dataclass(frozen=True, slots=True)
class Numbering:
    """The digit of each label, and the place of each column's digit."""

    digits: tuple[Mapping[Label, int], ...]  # column by column: label -> digit
    strides: tuple[int, ...]
    word: tuple[int, ...]  # in which a column's digit stands

    @classmethod
    def of(cls, shown: Sequence[Sequence[Label]], *, widest: int = WIDEST) -> Numbering:
        """For columns that show these labels; equal ones are one digit, whatever they stand for."""
        digits = [{text: i for i, text in enumerate(dict.fromkeys(texts))} for texts in shown]
        strides, words = [], []
        word, stride = 0, 1
        for column in digits:
            width = max(len(column), 1)
            if stride > 1 and stride * width > widest:
                word, stride = word + 1, 1
            strides.append(stride)
            words.append(word)
            stride *= width
        return cls(tuple(digits), tuple(strides), tuple(words))

    @property
    def words(self) -> int:
        return max(self.word, default=-1) + 1

    def parts(self, position: int, labels: Sequence[Label]) -> pa.Array:
        """What the labels of a column add to the number of a class."""
        digits, stride = self.digits[position], self.strides[position]
        return pa.array([digits[label] * stride for label in labels], pa.int64())

    def numbers(self, classes: pa.Table, names: Sequence[str]) -> list[pa.Array]:
        """Word by word the numbers of classes given by their labels, a column each.

        A class with a label that no row can show has no number and is not there.
        """
        lacking = [name for name in names if name not in classes.column_names]
        if lacking:
            raise TableError(f"the table of suppressed classes lacks the column '{lacking[0]}'")
        sums = np.zeros((self.words, classes.num_rows), np.int64)
        shown = np.ones(classes.num_rows, np.bool_)
        for j, name in enumerate(names):
            labels = pa.array(list(self.digits[j]), pa.string())
            found = pc.index_in(classes.column(name).cast(pa.string()), value_set=labels)
            digit = np.asarray(pc.fill_null(found, -1).to_numpy(), np.int64)
            shown &= digit >= 0
            sums[self.word[j]] += digit * self.strides[j]
        return [pa.array(word[shown]) for word in sums]
