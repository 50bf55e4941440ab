"""From the classes of a node to its candidates: one walk over the class sizes, upward.

Suppression takes whole sizes, smallest first, so every threshold of the staircase is a prefix
of that order. The tally knows the sums over all classes; only classes that may be suppressed
are looked at one by one, and there are few of them: they hold no more rows than the limit.
"""

from __future__ import annotations

import numpy as np

from paretonym.kernels.extremes import UNKNOWN, class_number, note_extremes, violates
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
    Output,
    Pools,
    Scratch,
    Space,
    Tally,
)
from paretonym.model.arrays import Array, Int

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
    prefix_loss: Array,
    level: Int,
    rank: Int,
    count: Int,
    tally: Tally,
    pools: Pools,
    scratch: Scratch,
    out: Output,
) -> None:
    """Note a node's candidates with everything that is known of them."""
    out.nodes[0] += 1
    if len(scratch.figures) > 0:
        assess_node(space.rules, scratch.member, count, pools, scratch.figures)
    first = out.used[0]
    note_candidates(space, prefix_loss, level, rank, count, tally, pools, scratch, out)
    if len(space.extremes.kind) > 0 and out.used[0] > first:
        note_extremes(space, count, first, pools, scratch, out)


@lean
def note_candidates(
    space: Space,
    prefix_loss: Array,
    level: Int,
    rank: Int,
    count: Int,
    tally: Tally,
    pools: Pools,
    scratch: Scratch,
    out: Output,
) -> None:
    """Requirements first, then the thresholds the rule allows.

    `paper` takes the last threshold within the limit (Dewri et al. 2010, section 6: the largest k),
    `required` the first one, `staircase` all.
    """
    limit, told_apart = space.limit, space.told_apart
    sizes = tally.sizes
    forced = 0
    rows = np.int64(0)
    if len(space.at_least) > 0:
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
        suppress(space, prefix_loss, level, scratch.small[i] & _LOW, pools, scratch)
    if size <= told_apart:
        fill_buckets(space, prefix_loss, level, count, size, pools, scratch)
        climb(space, rank, count, size, sizes, tally, scratch, out)
        return
    listed, next_size = list_small(space, count, forced, size, sizes, pools, scratch)
    walk(
        space,
        prefix_loss,
        level,
        rank,
        count,
        forced,
        listed,
        next_size,
        tally,
        pools,
        scratch,
        out,
    )


@lean
def list_violators(space: Space, count: Int, pools: Pools, scratch: Scratch) -> tuple[Int, Int]:
    """Classes whose numbers violate a requirement; they go, whatever their size.

    From here on every extreme that is required is known.
    """
    record, member, small = pools.record.reshape(-1), scratch.member, scratch.small
    told_apart, limit = space.told_apart, space.limit
    derived, fields = len(space.derived_kind), U(pools.record.shape[1])
    listed = 0
    rows = np.int64(0)
    for i in range(count):
        for e in range(len(space.extremes.kind)):
            if space.at_least[derived + e] > UNKNOWN:
                class_number(space, pools, member[i], e)
        place = U(member[i]) * fields
        if violates(space, record, place):
            size = record[place]
            small[listed] = (size << 32) | i
            listed += 1
            rows += size
            scratch.sizes[min(size, told_apart + 1)] -= 1
        if rows > limit:
            break
    return listed, rows


@lean
def fill_buckets(
    space: Space,
    prefix_loss: Array,
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
    member, record = scratch.member, pools.record.reshape(-1)
    totals, columns = scratch.bucket.reshape(-1), scratch.bucket.shape[1]
    values, counted = scratch.bucket_values.reshape(-1), scratch.bucket_values.shape[1]
    fields = U(pools.record.shape[1])
    each = space.rule == RULE_STAIRCASE
    for i in range(count):
        place = U(member[U(i)]) * fields
        size = record[place]
        if size >= stop or violates(space, record, place):
            continue
        bucket = size if each else np.int64(0)
        base, first = bucket * columns, bucket * counted
        add_class(space, prefix_loss, level, i, record, place, scratch, totals, base, values, first)
        if space.vectors > 0:
            add_vectors(space, pools.dense, member[i], scratch.bucket[bucket])


@inlined
def add_class(
    space: Space,
    prefix_loss: Array,
    level: Int,
    i: Int,
    record: Array,
    place: Int,
    scratch: Scratch,
    totals: Array,
    base: Int,
    values: Array,
    first_value: Int,
) -> None:
    """Add the losses and derived numbers of the i-th class of the node, which is to go.

    Its record begins at `place`; the totals are `totals` from `base` on, the counts of minimised
    numbers `values` from `first_value` on.
    """
    kind, losses, lanes = space.derived_kind, space.losses, space.loss_lanes
    last = len(space.levels) - 1
    key, size = scratch.key[U(i)], record[place]
    prefix = U(key >> 32)
    cost = losses[U(space.loss_start[last, level]) + U(key & _LOW)]
    first = U(base + FIRST_LOSS)
    if lanes == 1:
        totals[first] += size * (cost + prefix_loss[prefix, 0])
    else:
        for lane in range(lanes):
            totals[first + U(lane)] += size * prefix_loss[prefix, lane]
        totals[first + U(space.loss_lane[last])] += size * cost
    for q in range(len(kind)):
        value = record[place + U(1 + q)]
        if kind[q] == DISTINCT:
            values[U(first_value + space.value_start[q] + value)] += 1
        else:
            totals[first + U(lanes + q)] += value


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
    told_apart, offset = space.told_apart, scratch.offset
    fields, flat = U(record.shape[1]), record.reshape(-1)
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
        if violates(space, flat, U(member[i]) * fields):
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
    prefix_loss: Array,
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
            suppress(space, prefix_loss, level, small[place] & _LOW, pools, scratch)
        i = after
    fill(values, 0)


@lean
def suppress(
    space: Space, prefix_loss: Array, level: Int, place: Int, pools: Pools, scratch: Scratch
) -> None:
    """Add one class to the running totals of what is suppressed."""
    suppressed, record = scratch.suppressed, pools.record.reshape(-1)
    member = scratch.member[place]
    begin = U(member) * U(pools.record.shape[1])
    size = record[begin]
    suppressed[COUNT] += 1
    suppressed[ROWS] += size
    suppressed[SQUARES] += size * size
    values = scratch.values
    add_class(space, prefix_loss, level, place, record, begin, scratch, suppressed, 0, values, 0)
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
    figure = vector + len(space.extremes.kind)
    for i in range(len(scratch.figures)):
        statistics[place, figure + i] = scratch.figures[i]
    for v in range(space.vectors):
        out.vectors[place, v] = suppressed[vector + v]
