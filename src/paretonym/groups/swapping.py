"""The task of providing group anonymity in one region: whose areas may be exchanged (Chertov and
Tavrov 2017).

A swap exchanges the areas of two records, one in the group and one not, so that every area keeps
its number of records. Records are numbered here from 0; `rows` says where they stand in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.kernels.distance import Traits, distortions
from paretonym.model.arrays import Flags, Ints, Pairs

MILLION = 1_000_000  # distortions are counted in millionths, so that ties are exact


@dataclass(frozen=True, eq=False, slots=True)
class Region:
    """Records of one region that are looked at, and what tells them apart."""

    areas: tuple[str, ...]
    area: Ints  # of each record
    member: Flags
    rows: Ints  # of the table
    traits: Traits
    kind: Ints  # only records of one kind are swapped: margins and earlier groups stay as they are
    fixed: Flags  # records that may not be touched

    @property
    def signal(self) -> Ints:
        """The group's quantity in each area."""
        return np.bincount(self.area[self.member], minlength=len(self.areas))

    @property
    def sizes(self) -> Ints:
        return np.bincount(self.area, minlength=len(self.areas))

    @property
    def largest_distortion(self) -> int:
        """Of one swap, in millionths: every attribute differs as much as it can."""
        return int(self.traits.weights.sum()) + int(self.traits.importance.sum())

    def distortions(self, pairs: Pairs) -> Ints:
        """Of each swap, in millionths."""
        found: Ints = distortions(self.traits, pairs[:, 0].copy(), pairs[:, 1].copy())
        return found

    def after(self, pairs: Pairs) -> Ints:
        """The signal when these swaps are made."""
        left, entered = self.area[pairs[:, 0]], self.area[pairs[:, 1]]
        count = len(self.areas)
        moved: Ints = np.bincount(entered, minlength=count) - np.bincount(left, minlength=count)
        return self.signal + moved

    def faults(self, pairs: Pairs) -> list[str]:
        """What no swap may do; an empty list for a plan that keeps every rule."""
        first, second = pairs[:, 0], pairs[:, 1]
        used = np.concatenate([first, second])
        rules = (
            (len(np.unique(used)) < len(used), "a record is swapped twice"),
            (not self.member[first].all(), "the first record of a pair is not in the group"),
            (bool(self.member[second].any()), "the second record of a pair is in the group"),
            (bool((self.area[first] == self.area[second]).any()), "a pair is of one area"),
            (bool((self.kind[first] != self.kind[second]).any()), "a pair is of two kinds"),
            (bool(self.fixed[used].any()), "a record is swapped that may not be touched"),
        )
        return [fault for broken, fault in rules if broken]


def pairs_of(found: Sequence[tuple[int, int]]) -> Pairs:
    return np.array(found, np.int64).reshape(-1, 2)
