"""Packed keys: the block numbers of all attributes side by side in 64-bit words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.kernels.regroup import Fields
from paretonym.model.arrays import Array, Codes
from paretonym.model.granulation import Granulation

_WORD = 64


def fields_of(granulations: Sequence[Granulation]) -> Fields:
    """Bits for every attribute's blocks, none across two words; maps between all levels."""
    count, levels = len(granulations), max(g.levels for g in granulations)
    word, shift, mask = np.zeros(count, np.int64), *np.zeros((2, count), np.uint64)
    blocks = np.ones((count, levels + 1), np.int64)
    map_start = np.full((count, levels, levels), -1, np.int64)
    maps: list[Array] = [np.zeros(1, np.int32)]
    last, used = 0, 0
    for j, granulation in enumerate(granulations):
        bits = max(1, (len(granulation.leaves) - 1).bit_length())
        if used + bits > _WORD:
            last, used = last + 1, 0
        word[j], shift[j], mask[j] = last, used, (1 << bits) - 1
        used += bits
        for level, partition in enumerate(granulation.partitions):
            blocks[j, level] = partition.blocks
            for coarser in np.flatnonzero(granulation.finer[level]):
                map_start[j, level, coarser] = sum(map(len, maps))
                image = partition.map_to(granulation.partitions[coarser])
                maps.append(image.astype(np.int32))
    return Fields(word, shift, mask, blocks, map_start, np.concatenate(maps))


def packed(codes: Codes, granulations: Sequence[Granulation], fields: Fields) -> Array:
    """The keys of combinations of leaf codes at the finest node."""
    keys = np.zeros((len(codes), int(fields.word[-1]) + 1), np.uint64)
    for j, (word, shift) in enumerate(zip(fields.word, fields.shift, strict=True)):
        block_of = granulations[j].partitions[0].block_of
        keys[:, word] |= block_of[codes[:, j]].astype(np.uint64) << shift
    return keys
