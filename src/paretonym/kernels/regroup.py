"""One node's classes from the classes of any finer node, in a single pass.

The depth-first roll-up visits every node; a search that picks its nodes needs to come from
wherever a finer table is at hand. A class is named by a packed key: the block numbers of all
attributes side by side in one or more 64-bit words. Raising any number of attributes at once
rewrites the keys; equal keys are found by hashing and compared in full, never by hash alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.kernels.extremes import UNKNOWN, apply, worst_possible
from paretonym.kernels.jit import compiled, inlined, lean
from paretonym.kernels.merging import add_to_tally, derived
from paretonym.kernels.shapes import (
    COUNT,
    DISTINCT,
    FIRST_LOSS,
    ROWS,
    SMALLEST,
    SQUARES,
    Output,
    Pools,
    Scratch,
    Space,
    Tally,
)
from paretonym.kernels.staircase import emit_node, fill
from paretonym.model.arrays import Array, Int

_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # an odd number with well-mixed bits
_HALF = np.uint64(32)
_COUNTED = 512  # numbers below this are counted one by one to see how far suppression reaches
U = np.uintp  # an unsigned index needs no test for being negative


class Fields(NamedTuple):
    """Where each attribute's block number stands in a key, and how blocks map upward."""

    word: Array  # int64 [s]
    shift: Array  # uint64 [s]
    mask: Array  # uint64 [s]: of the shifted-down block number
    blocks: Array  # int64 [s, levels + 1]: behind the levels, 1 for an attribute left out
    map_start: Array  # int64 [s, levels, levels]: where the map finer -> coarser begins, or -1
    maps: Array  # int32


class Costs(NamedTuple):
    """What a row in each block of each level loses."""

    start: Array  # int64 [s, levels]
    per_row: Array  # int64
    lane: Array  # int64 [s]


@compiled
def smallest_ancestor(levels: Array, classes: Array, above: Array, node: Array) -> Int:
    """The table with the fewest classes among those at most as coarse as a node; -1 for none."""
    best = -1
    for table in range(len(classes)):
        if best >= 0 and classes[table] >= classes[best]:
            continue
        fits = True
        for j in range(len(node)):
            if not above[j, levels[table, j], node[j]]:
                fits = False
                break
        if fits:
            best = table
    return best


@compiled
def regroup(
    space: Space, fields: Fields, keys: Array, pools: Pools, before: Array, after: Array
) -> tuple[Array, Pools]:
    """The classes at levels `after` from those at `before`, which is finer or equal."""
    new_keys, merged_into = merge_keys(fields, keys, before, after)
    count, made = len(keys), len(new_keys)
    record = np.zeros((made, pools.record.shape[1]), np.int64)
    dense = np.zeros((made, pools.dense.shape[1]), np.int32)
    add_up(merged_into, pools.record, pools.dense, record, dense)
    sparse = np.zeros((made, pools.sparse.shape[1], 3), np.int64)
    room = np.int64(0)
    for column in range(sparse.shape[1]):
        for i in range(count):
            room += pools.sparse[i, column, 1]
    code, number = np.empty(room, np.int32), np.empty(room, np.int32)
    new = Pools(
        record, dense, sparse, code, number, np.zeros(2, np.int64), pools.counter, pools.touched
    )
    if sparse.shape[1] > 0:
        members, start = members_of(merged_into, made)
        unite_lists(members, start, pools, new)
    derive(space, new)
    return new_keys, new


@compiled
def merge_keys(fields: Fields, keys: Array, before: Array, after: Array) -> tuple[Array, Array]:
    """Keys at the coarser levels, each once, and for every old class the number of its new one."""
    raised = raise_keys(fields, keys, before, after)
    size = 16
    while size < 2 * len(keys):
        size *= 2
    merged_into = np.empty(len(keys), np.int32)
    made = number_keys(raised, np.full(size, -1, np.int32), merged_into)
    return raised[:made].copy(), merged_into


@compiled
def raise_keys(fields: Fields, keys: Array, before: Array, after: Array) -> Array:
    """Every key at the coarser levels."""
    keep = np.zeros(keys.shape[1], np.uint64)
    for j in range(len(before)):
        if before[j] == after[j]:
            keep[fields.word[j]] |= fields.mask[j] << fields.shift[j]
    raised = keys & keep
    for j in range(len(before)):
        # a single block has number 0: its field is cleared
        if before[j] != after[j] and fields.blocks[j, after[j]] > 1:
            word, start = fields.word[j], fields.map_start[j, before[j], after[j]]
            images = fields.maps[start : start + fields.blocks[j, before[j]]]
            raise_field(keys[:, word], fields.shift[j], fields.mask[j], images, raised[:, word])
    return raised


@lean
def raise_field(keys: Array, shift: Int, mask: Int, images: Array, raised: Array) -> None:
    """Put the images of one attribute's blocks into the keys."""
    for i in range(len(keys)):
        block = (keys[i] >> shift) & mask
        raised[i] |= np.uint64(images[block]) << shift


@lean
def number_keys(keys: Array, slots: Array, merged_into: Array) -> Int:
    """Move each key that differs from those before it to the front; say which one each is."""
    made = 0
    for i in range(len(keys)):
        place = find_slot(slots, keys, keys[i])
        if slots[place] < 0:
            slots[place] = made
            for w in range(keys.shape[1]):
                keys[made, w] = keys[i, w]
            made += 1
        merged_into[i] = slots[place]
    return made


@inlined
def find_slot(slots: Array, keys: Array, fresh: Array) -> Int:
    """Where a key stands in the table of slots, or the free slot where it belongs."""
    words = len(fresh)
    mixed = np.uint64(0)
    for w in range(words):
        mixed = (mixed ^ fresh[w]) * _SPREAD
        mixed ^= mixed >> _HALF
    last = np.uint64(len(slots) - 1)
    place = mixed & last
    while slots[place] >= 0:
        other = slots[place]
        same = True
        for w in range(words):
            same &= keys[other, w] == fresh[w]
        if same:
            break
        place = (place + np.uint64(1)) & last
    return place


@lean
def add_up(
    merged_into: Array, old_record: Array, old_dense: Array, record: Array, dense: Array
) -> None:
    """Sizes and dense counts of the new classes."""
    lanes = dense.shape[1]
    for i in range(len(merged_into)):
        into = merged_into[U(i)]
        record[into, 0] += old_record[i, 0]
        for lane in range(lanes):
            dense[into, lane] += old_dense[i, lane]


@compiled
def members_of(merged_into: Array, made: Int) -> tuple[Array, Array]:
    """Old classes ordered by their new one, and where each new one's begin."""
    start = np.zeros(made + 1, np.int64)
    for i in range(len(merged_into)):
        start[merged_into[i] + 1] += 1
    for g in range(made):
        start[g + 1] += start[g]
    place = start[:-1].copy()
    members = np.empty(len(merged_into), np.int64)
    for i in range(len(merged_into)):
        members[place[merged_into[i]]] = i
        place[merged_into[i]] += 1
    return members, start


@compiled
def unite_lists(members: Array, start: Array, old: Pools, new: Pools) -> None:
    """Lists of counts of the columns with many values, added up class by class.

    The counter is the caller's own: several threads read the same old table at a time.
    """
    used = np.int64(0)
    counter, touched = np.zeros_like(old.counter), np.zeros_like(old.touched)
    for column in range(new.sparse.shape[1]):
        for g in range(len(start) - 1):
            seen = 0
            for m in range(start[g], start[g + 1]):
                first = old.sparse[members[m], column, 0]
                for place in range(first, first + old.sparse[members[m], column, 1]):
                    value = old.sparse_code[place]
                    if counter[value] == 0:
                        touched[seen] = value
                        seen += 1
                    counter[value] += old.sparse_count[place]
            new.sparse[g, column, 0] = used
            new.sparse[g, column, 1] = seen
            new.sparse[g, column, 2] = seen
            for i in range(seen):
                new.sparse_code[used] = touched[i]
                new.sparse_count[used] = counter[touched[i]]
                counter[touched[i]] = 0
                used += 1


@lean
def derive(space: Space, pools: Pools) -> None:
    """What is derived from the counts of every class; extremes wait until they are asked for."""
    record, lists, width = pools.record, pools.sparse, pools.dense.shape[1]
    dense = pools.dense.reshape(-1)
    low, high = space.derived_low, space.derived_high
    for q in range(len(space.derived_kind)):
        kind, column = space.derived_kind[q], space.derived_sparse[q]
        for g in range(len(record)):
            if column >= 0:
                counts, begin, length = pools.sparse_count, lists[g, column, 0], lists[g, column, 1]
            else:
                counts, begin, length = dense, g * width + low[q], high[q] - low[q]
            record[g, 1 + q] = derived(kind, counts, U(begin), length, record[g, 0])
    for e in range(len(space.extremes.kind)):
        fill(record[:, 1 + len(space.derived_kind) + e], UNKNOWN)


@compiled
def score_classes(
    space: Space,
    fields: Fields,
    costs: Costs,
    keys: Array,
    pools: Pools,
    node: Array,
    rank: Int,
    scratch: Scratch,
    out: Output,
    whole: Array,
) -> None:
    """A node's candidates, and what bounds every node above or below it.

    `space` has one stand-in attribute that costs nothing: the loss of a class is known as a
    whole here, and worked out only for classes small enough to be suppressed.
    """
    count = len(keys)
    loss = np.zeros((count, space.loss_lanes), np.int64)
    for i in range(count):
        scratch.key[i] = np.int64(i) << 32
        scratch.member[i] = i
        if pools.record[i, 0] > space.limit:
            continue
        for j in range(len(node)):
            block = (keys[i, fields.word[j]] >> fields.shift[j]) & fields.mask[j]
            loss[i, costs.lane[j]] += costs.per_row[U(costs.start[j, node[j]]) + U(block)]
    take_stock(space, pools.record, scratch.tally)
    emit_node(space, loss, 0, rank, count, scratch.tally, pools, scratch, out)
    note_whole(space, pools, scratch.tally, whole)
    first = FIRST_LOSS + space.loss_lanes + len(space.derived_kind) + len(space.extremes.kind)
    for i in range(len(scratch.figures)):
        whole[first + i] = scratch.figures[i]


@lean
def take_stock(space: Space, record: Array, tally: Tally) -> None:
    """The tally of a node, from its classes."""
    fill(tally.sizes, 0)
    fill(tally.sums, 0)
    fill(tally.values, 0)
    for i in range(len(record)):
        size = record[i, 0]
        tally.sizes[min(size, space.told_apart + 1)] += 1
        tally.sums[0] += size * size
        for q in range(len(space.derived_kind)):
            add_to_tally(space, q, record[i, 1 + q], tally)


@compiled
def note_whole(space: Space, pools: Pools, tally: Tally, whole: Array) -> None:
    """Numbers of the node before suppression, in the columns of a candidate.

    A smallest number (k, distinct values) is replaced by the largest one that leaving out
    `limit` rows can reach: rows in classes with no more than that number exceed the limit, so
    one of them stays, here and in every finer node. A part of a class may have a larger extreme
    than the class; so what its worst part can be at best takes the extreme's place. At the end
    stands, for a sum of squares, the smallest that leaving out `limit` rows can make of it: each
    row takes along at most the largest mean of a class that may go.
    """
    record, first, number = pools.record, FIRST_LOSS + space.loss_lanes, len(space.derived_kind)
    floors = len(whole) - number
    whole[COUNT] = len(record)
    whole[ROWS] = space.rows
    whole[SQUARES] = tally.sums[0]
    whole[SMALLEST] = reach(record, 0, space.limit)
    for lane in range(space.loss_lanes):
        whole[FIRST_LOSS + lane] = 0
    for q in range(number):
        if space.derived_kind[q] == DISTINCT:
            whole[first + q] = reach(record, 1 + q, space.limit)
            whole[floors + q] = 0
            continue
        most = np.int64(0)
        for i in range(len(record)):
            if record[i, 0] <= space.limit:
                mean = (record[i, 1 + q] + record[i, 0] - 1) // record[i, 0]
                most = max(most, mean)
        whole[first + q] = tally.sums[1 + q]
        whole[floors + q] = max(tally.sums[1 + q] - most * space.limit, 0)
    for e in range(len(space.extremes.kind)):
        whole[first + number + e] = reach_of_parts(space, pools, e)


@compiled
def reach_of_parts(space: Space, pools: Pools, e: Int) -> Int:
    """The same for an extreme; in fine nodes it is mostly over after a few classes."""
    worst = worst_possible(space.extremes.kind[e])
    best = np.empty((len(pools.record), 2), np.int64)
    rows = np.int64(0)
    for i in range(len(best)):
        best[i, 0], best[i, 1] = pools.record[i, 0], apply(space, pools, i, e, space.limit)
        if best[i, 1] <= worst:
            rows += best[i, 0]
            if rows > space.limit:
                return worst
    return reach(best, 1, space.limit)


@compiled
def reach(record: Array, column: Int, limit: Int) -> Int:
    """The smallest number v so that classes with a number of at most v hold over `limit` rows."""
    rows_of = np.zeros(_COUNTED, np.int64)
    low, high = record[0, column], record[0, column]
    for i in range(len(record)):
        number = record[i, column]
        low, high = min(low, number), max(high, number)
        if 0 <= number < _COUNTED:
            rows_of[number] += record[i, 0]
    rows = np.int64(0)
    if low >= 0:
        for number in range(_COUNTED):
            rows += rows_of[number]
            if rows > limit:
                return np.int64(number)
    low = low - 1 if low < 0 else np.int64(_COUNTED - 1)
    # numbers in plenty are small ones; few nodes come here with many classes
    while low + 1 < high:
        middle = (low & high) + ((low ^ high) >> 1)  # the mean, which never leaves 64 bits
        rows = np.int64(0)
        for i in range(len(record)):
            if record[i, column] <= middle:
                rows += record[i, 0]
        if rows > limit:
            high = middle
        else:
            low = middle
    return high
