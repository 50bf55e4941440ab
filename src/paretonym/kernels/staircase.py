"""From the classes of a node to its candidates: one walk over the class sizes, upward.

Suppression takes whole sizes, smallest first, so every threshold of the staircase is a prefix
of that order. The tally knows the sums over all classes; only classes that may be suppressed
are looked at one by one, and there are few of them: they hold no more rows than the limit.
"""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import inlined, lean
from paretonym.kernels.risks import assess_node
from paretonym.kernels.shapes import (
    COUNT,
    DISTINCT,
    FIRST_LOSS,
    OUTPUT_FULL,
    ROWS,
    RULE_PAPER,
    RULE_REQUIRED,
    RULE_STAIRCASE,
    SMALLEST,
    SQUARES,
    Array,
    Int,
    Output,
    Pools,
    Scratch,
    Space,
    Tally,
)

_LOW = np.int64((1 << 32) - 1)
U = np.uintp  # an unsigned index needs no test for being negative
_NO_SIZE = np.iinfo(np.int64).max


@inlined
def copy_into(target: Array, source: Array) -> None:
    """A slice assignment would allocate, in case the two overlap."""
    for i in range(len(target)):
        target[i] = source[i]


@inlined
def fill(target: Array, value: Int) -> None:
    for i in range(len(target)):
        target[i] = value


@lean
def emit_node(
    space: Space,
    group_loss: Array,
    level: Int,
    rank: Int,
    count: Int,
    tally: Tally,
    pools: Pools,
    scratch: Scratch,
    out: Output,
) -> None:
    """Note a node's candidates: requirements first, then the thresholds the rule allows.

    `paper` takes the last threshold within the limit (000, section 6: the largest k),
    `required` the first one, `staircase` all.
    """
    out.nodes[0] += 1
    if len(scratch.figures) > 0:
        assess_node(space.rules, scratch.member, count, pools, scratch.figures)
    limit, told_apart = space.limit, space.told_apart
    sizes = tally.sizes
    forced = 0
    rows = np.int64(0)
    if len(space.smallest_derived) > 0:
        sizes = scratch.sizes
        copy_into(sizes, tally.sizes)
        forced, rows = list_violators(space, count, pools, scratch)
        if rows > limit:
            return
    size = np.int64(1)
    while size <= told_apart:
        if sizes[size] > 0:
            if size >= space.smallest_size and (
                space.rule == RULE_REQUIRED or rows + size * sizes[size] > limit
            ):
                break
            rows += size * sizes[size]
            if rows > limit:
                return
        size += 1
    fill(scratch.suppressed, 0)
    if rows == 0 and size <= told_apart:  # nothing may go: no need to look at single classes
        note(space, rank, count, size, tally, scratch, out)
        return
    for i in range(forced):
        suppress(space, group_loss, level, scratch.small[i] & _LOW, pools, scratch)
    if size <= told_apart:
        fill_buckets(space, group_loss, level, count, size, pools, scratch)
        climb(space, rank, count, size, sizes, tally, scratch, out)
        return
    listed, next_size = list_small(space, count, forced, size, sizes, pools, scratch)
    walk(
        space, group_loss, level, rank, count, forced, listed, next_size, tally, pools, scratch, out
    )


@lean
def list_violators(space: Space, count: Int, pools: Pools, scratch: Scratch) -> tuple[Int, Int]:
    """Classes that violate a requirement on a derived number; they go, whatever their size."""
    record, member, small = pools.record, scratch.member, scratch.small
    at_least, told_apart, limit = space.smallest_derived, space.told_apart, space.limit
    listed = 0
    rows = np.int64(0)
    for i in range(count):
        for q in range(len(at_least)):
            if record[member[i], 1 + q] < at_least[q]:
                size = record[member[i], 0]
                small[listed] = (size << 32) | i
                listed += 1
                rows += size
                scratch.sizes[min(size, told_apart + 1)] -= 1
                break
        if rows > limit:
            break
    return listed, rows


@lean
def fill_buckets(
    space: Space,
    group_loss: Array,
    level: Int,
    count: Int,
    stop: Int,
    pools: Pools,
    scratch: Scratch,
) -> None:
    """Add up what goes with the classes smaller than `stop`, size by size.

    Where the rule makes a single candidate of them, all go into the first bucket. Classes
    that violate a requirement are gone already.
    """
    key, member, record = scratch.key, scratch.member, pools.record.reshape(-1)
    totals, values = scratch.bucket.reshape(-1), scratch.bucket_values
    kind, at_least, value_start = space.derived_kind, space.smallest_derived, space.value_start
    losses = space.losses
    lanes, columns = space.loss_lanes, scratch.bucket.shape[1]
    last = len(space.levels) - 1
    last_lane, costs = space.loss_lane[last], U(space.loss_start[last, level])
    fields = U(len(kind) + 1)
    each = space.rule == RULE_STAIRCASE
    for i in range(count):
        place = U(member[U(i)]) * fields
        size = record[place]
        if size >= stop:
            continue
        violates = False
        for q in range(len(at_least)):
            violates |= record[place + U(1 + q)] < at_least[q]
        if violates:
            continue
        bucket = size if each else np.int64(0)
        base = U(bucket * columns)
        group = U(key[U(i)] >> 32)
        cost = losses[costs + U(key[U(i)] & _LOW)]
        if lanes == 1:
            totals[base + U(FIRST_LOSS)] += size * (cost + group_loss[group, 0])
        else:
            for lane in range(lanes):
                totals[base + U(FIRST_LOSS + lane)] += size * group_loss[group, lane]
            totals[base + U(FIRST_LOSS + last_lane)] += size * cost
        for q in range(len(kind)):
            value = record[place + U(1 + q)]
            if kind[q] == DISTINCT:
                values[bucket, value_start[q] + value] += 1
            else:
                totals[base + U(FIRST_LOSS + lanes + q)] += value
        if space.vectors > 0:
            add_vectors(space, pools.dense, member[i], scratch.bucket[bucket])


@lean
def add_vectors(space: Space, dense: Array, member: Int, totals: Array) -> None:
    """Add a class's counts value by value, behind the other columns."""
    place = FIRST_LOSS + space.loss_lanes + len(space.derived_kind)
    for v in range(len(space.vector_low)):
        for lane in range(space.vector_low[v], space.vector_high[v]):
            totals[place] += dense[member, lane]
            place += 1


@lean
def climb(
    space: Space,
    rank: Int,
    count: Int,
    stop: Int,
    sizes: Array,
    tally: Tally,
    scratch: Scratch,
    out: Output,
) -> None:
    """Suppress size by size up to `stop`, noting a candidate before each size that may stay."""
    each = space.rule == RULE_STAIRCASE
    suppressed = scratch.suppressed
    if not each:
        empty_bucket(scratch, 0)
    for size in range(1, stop):
        if sizes[size] == 0:
            continue
        if each and size >= space.smallest_size:
            note(space, rank, count, size, tally, scratch, out)
        suppressed[COUNT] += sizes[size]
        suppressed[ROWS] += size * sizes[size]
        suppressed[SQUARES] += size * size * sizes[size]
        if each:
            empty_bucket(scratch, size)
    note(space, rank, count, stop, tally, scratch, out)
    fill(scratch.values, 0)


@inlined
def empty_bucket(scratch: Scratch, bucket: Int) -> None:
    """Move a bucket into the running totals of what is suppressed."""
    for column in range(len(scratch.suppressed)):
        scratch.suppressed[column] += scratch.bucket[bucket, column]
        scratch.bucket[bucket, column] = 0
    for value in range(len(scratch.values)):
        scratch.values[value] += scratch.bucket_values[bucket, value]
        scratch.bucket_values[bucket, value] = 0


@lean
def list_small(
    space: Space, count: Int, forced: Int, stop: Int, sizes: Array, pools: Pools, scratch: Scratch
) -> tuple[Int, Int]:
    """All classes up to the limit, ascending, behind the forced ones.

    For nodes where every size that is told apart may go (`stop` lies beyond them). Returns how
    many are listed and the smallest size that is not.
    """
    record, member, small = pools.record, scratch.member, scratch.small
    at_least, told_apart = space.smallest_derived, space.told_apart
    offset = scratch.offset
    offset[1] = forced
    for size in range(1, stop):
        offset[size + 1] = offset[size] + sizes[size]
    listed_apart = offset[stop]
    listed = listed_apart
    ceiling = max(space.limit, told_apart)
    next_size = np.int64(_NO_SIZE)
    for i in range(count):
        size = record[member[i], 0]
        if size > ceiling and size >= next_size:
            continue
        violates = False
        for q in range(len(at_least)):
            violates |= record[member[i], 1 + q] < at_least[q]
        if violates:
            continue
        if size > ceiling:
            next_size = size
        elif size > told_apart:
            small[listed] = (size << 32) | i
            listed += 1
        else:
            small[offset[size]] = (size << 32) | i
            offset[size] += 1
    sort_beyond(small, listed_apart, listed)
    return listed, next_size


@lean
def sort_beyond(small: Array, begin: Int, end: Int) -> None:
    """Heap sort in place: these are few, and nothing may be allocated here."""
    count = end - begin
    for heap in range(count // 2 - 1, -1, -1):
        sift_down(small, begin, heap, count)
    for last in range(count - 1, 0, -1):
        small[begin], small[begin + last] = small[begin + last], small[begin]
        sift_down(small, begin, 0, last)


@lean
def sift_down(small: Array, begin: Int, place: Int, count: Int) -> None:
    while 2 * place + 1 < count:
        child = 2 * place + 1
        if child + 1 < count and small[begin + child] < small[begin + child + 1]:
            child += 1
        if small[begin + place] >= small[begin + child]:
            return
        small[begin + place], small[begin + child] = small[begin + child], small[begin + place]
        place = child


@lean
def walk(
    space: Space,
    group_loss: Array,
    level: Int,
    rank: Int,
    count: Int,
    forced: Int,
    listed: Int,
    next_size: Int,
    tally: Tally,
    pools: Pools,
    scratch: Scratch,
    out: Output,
) -> None:
    """Suppress the listed classes in order, noting a candidate before each larger size."""
    small, suppressed, values = scratch.small, scratch.suppressed, scratch.values
    i = forced
    while True:
        size = small[i] >> 32 if i < listed else next_size
        after = i
        rows = suppressed[ROWS]
        while after < listed and (small[after] >> 32) == size:
            after += 1
            rows += size
        may_go = rows <= space.limit and after > i
        allowed = size >= space.smallest_size
        if allowed and (space.rule != RULE_PAPER or not may_go):
            note(space, rank, count, size, tally, scratch, out)
        if not may_go or (allowed and space.rule == RULE_REQUIRED):
            break
        for place in range(i, after):
            suppress(space, group_loss, level, small[place] & _LOW, pools, scratch)
        i = after
    fill(values, 0)


@lean
def suppress(
    space: Space, group_loss: Array, level: Int, place: Int, pools: Pools, scratch: Scratch
) -> None:
    """Add one class to the running totals of what is suppressed."""
    suppressed, record = scratch.suppressed, pools.record
    key, member = scratch.key[place], scratch.member[place]
    size = record[member, 0]
    suppressed[COUNT] += 1
    suppressed[ROWS] += size
    suppressed[SQUARES] += size * size
    for lane in range(space.loss_lanes):
        suppressed[FIRST_LOSS + lane] += size * group_loss[key >> 32, lane]
    last = len(space.levels) - 1
    cost = space.losses[space.loss_start[last, level] + (key & _LOW)]
    suppressed[FIRST_LOSS + space.loss_lane[last]] += size * cost
    first = FIRST_LOSS + space.loss_lanes
    for q in range(len(space.derived_kind)):
        value = record[member, 1 + q]
        if space.derived_kind[q] == DISTINCT:
            scratch.values[space.value_start[q] + value] += 1
        else:
            suppressed[first + q] += value
    add_vectors(space, pools.dense, member, suppressed)


@lean
def note(
    space: Space, rank: Int, count: Int, size: Int, tally: Tally, scratch: Scratch, out: Output
) -> None:
    """Write one candidate: all classes of the tally less the suppressed ones."""
    place = out.used[0]
    if place >= len(out.rank):
        out.status[0] = OUTPUT_FULL
        return
    out.used[0] = place + 1
    suppressed, statistics = scratch.suppressed, out.statistics
    out.rank[place] = rank
    out.suppressed[place] = suppressed[ROWS]
    statistics[place, COUNT] = count - suppressed[COUNT]
    statistics[place, ROWS] = space.rows - suppressed[ROWS]
    statistics[place, SQUARES] = tally.sums[0] - suppressed[SQUARES]
    statistics[place, SMALLEST] = size
    for lane in range(space.loss_lanes):  # the caller knows the node's full loss
        statistics[place, FIRST_LOSS + lane] = suppressed[FIRST_LOSS + lane]
    first = FIRST_LOSS + space.loss_lanes
    for q in range(len(space.derived_kind)):
        if space.derived_kind[q] == DISTINCT:
            value = space.value_start[q]
            while tally.values[value] == scratch.values[value]:
                value += 1
            statistics[place, first + q] = value - space.value_start[q]
        else:
            statistics[place, first + q] = tally.sums[1 + q] - suppressed[first + q]
    vector = first + len(space.derived_kind)
    for i in range(len(scratch.figures)):
        statistics[place, vector + i] = scratch.figures[i]
    for v in range(space.vectors):
        out.vectors[place, v] = suppressed[vector + v]
