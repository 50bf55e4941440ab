"""Characteristics of classes: which rules someone in a class falsifies, and which protect someone.

One 64-bit word a class: bit r when somebody falsifies the sentence of rule r, bit 32 + r when
rule r protects somebody. A class of a coarser node unites the words of its parts and never looks
at rows again (the roll-up property of attribute-oriented granulation, section 3.4).
"""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled
from paretonym.kernels.regroup import Fields, merge_keys
from paretonym.model.arrays import Array, Int

_HALF = np.uint64(32)
_RULES = np.uint64((1 << 32) - 1)


@compiled
def roll_up(
    fields: Fields, keys: Array, characteristics: Array, before: Array, after: Array
) -> tuple[Array, Array]:
    """The class table at levels `after` from the one at `before`, which is finer or equal."""
    new_keys, group = merge_keys(fields, keys, before, after)
    united = np.zeros(len(new_keys), np.uint64)
    for i in range(len(group)):
        united[group[i]] |= characteristics[i]
    return new_keys, united


@compiled
def exposed_rules(characteristics: Array) -> Int:
    """Bit r is set when some class exposes rule r: it protects somebody there, all satisfy it.

    Nobody then doubts the sentence of a protected person, which is what Fig. 6 of
    attribute-oriented granulation tests person by person.
    """
    exposed = np.uint64(0)
    for i in range(len(characteristics)):
        exposed |= (characteristics[i] >> _HALF) & ~characteristics[i]
    return exposed & _RULES
