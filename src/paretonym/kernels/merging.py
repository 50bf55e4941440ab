"""Two classes become one: sizes and counts added, derived numbers redone, the tally kept true."""

from __future__ import annotations

import numpy as np

from paretonym.kernels.extremes import UNKNOWN
from paretonym.kernels.jit import inlined, lean
from paretonym.kernels.shapes import DISTINCT, SUM_SQUARES, Pools, Space, Tally
from paretonym.model.arrays import Array, Int

_INSERTION = 16  # up to this many entries, insertion sort beats merging
U = np.uintp  # an unsigned index needs no test for being negative


@inlined
def unite(
    space: Space, pools: Pools, record: Array, dense: Array, tally: Tally, a: Int, b: Int, own: Int
) -> Int:
    """The class of `a` and `b`: in the place of one of them that stands from `own` on, or new.

    What stands there was made for the table that is being replaced, so nobody misses it.
    `record` and `dense` are those of the pools, laid flat. Returns -1 when there is no room.
    """
    into = max(a, b)
    if into < own:
        into = pools.top[0]
        if into >= pools.record.shape[0]:
            return np.int64(-1)
        pools.top[0] = into + 1
    merge_pair(space, pools, a, b, into, record, dense, tally)
    if pools.sparse.shape[1] > 0 and not merge_lists(space, pools, a, b, into, tally):
        return np.int64(-1)
    return into


@inlined
def merge_pair(
    space: Space, pools: Pools, a: Int, b: Int, into: Int, record: Array, dense: Array, tally: Tally
) -> None:
    """Make class `into` (which may be one of the two) of two others; the tally follows.

    Two at a time, because loops of unforeseeable length cost more than sums made twice.
    """
    kind, in_list, value_start = space.derived_kind, space.derived_sparse, space.value_start
    low, high, told_apart = space.derived_low, space.derived_high, space.told_apart
    sizes, sums, values = tally.sizes, tally.sums, tally.values
    fields, width = U(pools.record.shape[1]), pools.dense.shape[1]
    a_place, b_place, place = U(a) * fields, U(b) * fields, U(into) * fields
    a_size, b_size = record[a_place], record[b_place]
    sizes[U(min(a_size, told_apart + 1))] -= 1
    sizes[U(min(b_size, told_apart + 1))] -= 1
    sizes[U(min(a_size + b_size, told_apart + 1))] += 1
    sums[0] += 2 * a_size * b_size
    record[place] = a_size + b_size
    a_lane, b_lane, lane_0 = U(a * width), U(b * width), U(into * width)
    for lane in range(width):
        dense[lane_0 + U(lane)] = dense[a_lane + U(lane)] + dense[b_lane + U(lane)]
    for q in range(len(kind)):
        a_value, b_value = record[a_place + U(1 + q)], record[b_place + U(1 + q)]
        if kind[q] == DISTINCT:
            values[U(value_start[q] + a_value)] -= 1
            values[U(value_start[q] + b_value)] -= 1
        else:
            sums[1 + q] -= a_value + b_value
        if in_list[q] >= 0:
            continue
        value = derived(kind[q], dense, lane_0 + U(low[q]), high[q] - low[q], a_size + b_size)
        record[place + U(1 + q)] = value
        add_to_tally(space, q, value, tally)
    for e in range(len(space.extremes.kind)):
        record[place + U(1 + len(kind) + e)] = UNKNOWN


@inlined
def derived(kind: Int, counts: Array, begin: Int, length: Int, size: Int) -> Int:
    """The derived number of a class of `size` rows, from the counts of one column."""
    value = np.int64(0)
    if kind == DISTINCT:
        for i in range(length):
            value += np.int64(counts[begin + U(i)] != 0)
        return value
    if kind == SUM_SQUARES:
        for i in range(length):
            number = np.int64(counts[begin + U(i)])
            value += number * number
        return value
    for i in range(length):
        value = max(value, np.int64(counts[begin + U(i)]))
    return size - value


@inlined
def add_to_tally(space: Space, q: Int, value: Int, tally: Tally) -> None:
    """Count a class's derived number where it is minimised, else add it up."""
    if space.derived_kind[q] == DISTINCT:
        tally.values[U(space.value_start[q] + value)] += 1
    else:
        tally.sums[1 + q] += value


@lean
def merge_lists(space: Space, pools: Pools, a: Int, b: Int, into: Int, tally: Tally) -> bool:
    """The same for the columns with many values; returns False when the lists have no room."""
    counter, touched, top = pools.counter, pools.touched, pools.top
    code, count, sparse = pools.sparse_code, pools.sparse_count, pools.sparse
    kind, in_list, record = space.derived_kind, space.derived_sparse, pools.record
    for column in range(sparse.shape[1]):
        seen = 0
        for member in (a, b):
            first = sparse[member, column, 0]
            for place in range(first, first + sparse[member, column, 1]):
                if counter[code[place]] == 0:
                    touched[seen] = code[place]
                    seen += 1
                counter[code[place]] += count[place]
        # in place if the class owns enough room, else at the top, with room to grow
        first, room = sparse[into, column, 0], sparse[into, column, 2]
        if (into != a and into != b) or room < seen:
            first, room = top[1], 2 * seen
            top[1] = first + room
        full = first + seen > len(code)
        for i in range(seen):
            if not full:
                code[first + i] = touched[i]
                count[first + i] = counter[touched[i]]
            counter[touched[i]] = 0
        if full:
            return False
        sparse[into, column, 0] = first
        sparse[into, column, 1] = seen
        sparse[into, column, 2] = room
        for q in range(len(kind)):
            if in_list[q] != column:
                continue
            value = derived(kind[q], count, U(first), seen, record[into, 0])
            record[into, 1 + q] = value
            add_to_tally(space, q, value, tally)
    return True


@inlined
def sort_entries(packed: Array, spare: Array, count: Int, runs: Int, run_start: Array) -> bool:
    """Sort packed entries made of ascending runs; returns True when the result is in `spare`."""
    if count <= _INSERTION:
        for i in range(1, count):
            value = packed[U(i)]
            j = i - 1
            while j >= 0 and packed[U(j)] > value:
                packed[U(j + 1)] = packed[U(j)]
                j -= 1
            packed[U(j + 1)] = value
        return False
    swapped = False
    while runs > 1:
        source, target = (spare, packed) if swapped else (packed, spare)
        for run in range(0, runs, 2):
            a, a_end = run_start[run], run_start[run + 1]
            b = a_end
            b_end = run_start[run + 2] if run + 2 <= runs else a_end
            run_start[run >> 1] = a
            for written in range(a, b_end):
                if b >= b_end or (a < a_end and source[U(a)] <= source[U(b)]):
                    target[U(written)] = source[U(a)]
                    a += 1
                else:
                    target[U(written)] = source[U(b)]
                    b += 1
        runs = (runs + 1) >> 1
        run_start[runs] = count
        swapped = not swapped
    return swapped
