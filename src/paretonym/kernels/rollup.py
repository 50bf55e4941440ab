"""Depth-first roll-up: every node's classes come from a finer node's classes, never from rows.

A class table is kept as groups (equal on the attributes already decided) of entries, each
entry standing for one combination of the remaining attributes, the *suffix*, numbered so
that numbers sort like the combinations. Three moves are enough:

split   cut every group at the next attribute into blocks of equal code;
roll    raise that attribute one level: blocks of a group that now share a code are merged;
sweep   at the innermost attribute, raise it level by level and note each node's candidates.

A class that is not merged costs a copied integer and nothing else: what is known of a node
(its tally) changes only where classes merge. Suffix numbers keep keys narrow however many
attributes there are.
"""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled, inlined, lean
from paretonym.kernels.shapes import (
    DISTINCT,
    POOL_FULL,
    SUM_SQUARES,
    Array,
    Blocks,
    Int,
    Output,
    Pools,
    Scratch,
    Space,
    Table,
    Tally,
)
from paretonym.kernels.staircase import copy_into, emit_node

_INSERTION = 16  # up to this many entries, insertion sort beats merging
_LOW = np.int64((1 << 32) - 1)
U = np.uintp  # an unsigned index needs no test for being negative


@compiled
def split(space: Space, depth: Int, table: Table) -> tuple[Blocks, Table]:
    """Cut every group at attribute `depth` (level 0): blocks, and the suffixes behind them."""
    offset = U(space.suffix_start[depth])
    suffix_code, suffix_next = space.suffix_code, space.suffix_next
    start, old = table.start, table.entries
    count = len(old)
    entries = np.empty(count, np.int64)
    block_group = np.empty(count, np.int32)
    block_code = np.empty(count, np.int32)
    block_start = np.empty(count + 1, np.int64)
    blocks = 0
    for group in range(len(start) - 1):
        code = np.int32(-1)
        for entry in range(start[group], start[group + 1]):
            packed = old[U(entry)]
            place = offset + U(packed >> 32)
            entries[U(entry)] = (np.int64(suffix_next[place]) << 32) | (packed & _LOW)
            if suffix_code[place] != code:
                code = suffix_code[place]
                block_group[blocks] = group
                block_code[blocks] = code
                block_start[blocks] = entry
                blocks += 1
    block_start[blocks] = count
    cut = Blocks(block_group[:blocks], block_code[:blocks], block_start[: blocks + 1])
    return cut, Table(start, table.loss, entries, table.tally)


@compiled
def groups_of(space: Space, depth: Int, level: Int, cut: Blocks, table: Table) -> Table:
    """The same entries, each block now a group of its own: ready for attribute `depth` + 1."""
    group, code, old_loss, losses = cut.group, cut.code, table.loss, space.losses
    blocks, lanes, lane = len(code), space.loss_lanes, space.loss_lane[depth]
    loss = np.empty((blocks, lanes), np.int64)
    offset = space.loss_start[depth, level]
    for block in range(blocks):
        for i in range(lanes):
            loss[block, i] = old_loss[group[block], i]
        loss[block, lane] += losses[offset + code[block]]
    return Table(cut.start, loss, table.entries, table.tally)


@inlined
def merge_pair(
    a: Int,
    b: Int,
    into: Int,
    kind: Array,
    in_list: Array,
    low: Array,
    high: Array,
    value_start: Array,
    told_apart: Int,
    record: Array,
    dense: Array,
    width: Int,
    sizes: Array,
    sums: Array,
    values: Array,
) -> None:
    """Make class `into` (which may be `a`) of two others, and let the tally follow.

    Two at a time, because loops of unforeseeable length cost more than sums made twice.
    """
    fields = U(len(kind) + 1)
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
        value = np.int64(0)
        if kind[q] == DISTINCT:
            values[U(value_start[q] + a_value)] -= 1
            values[U(value_start[q] + b_value)] -= 1
            if in_list[q] >= 0:
                continue
            for lane in range(low[q], high[q]):
                value += np.int64(dense[lane_0 + U(lane)] != 0)
            values[U(value_start[q] + value)] += 1
        else:
            sums[1 + q] -= a_value + b_value
            if in_list[q] >= 0:
                continue
            if kind[q] == SUM_SQUARES:
                for lane in range(low[q], high[q]):
                    number = np.int64(dense[lane_0 + U(lane)])
                    value += number * number
            else:
                for lane in range(low[q], high[q]):
                    value = max(value, np.int64(dense[lane_0 + U(lane)]))
                value = a_size + b_size - value
            sums[1 + q] += value
        record[place + U(1 + q)] = value


@lean
def merge_lists(
    space: Space, pools: Pools, a: Int, b: Int, into: Int, sums: Array, values: Array
) -> bool:
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
        first = top[1]
        full = first + seen > len(code)
        squares, most = np.int64(0), np.int64(0)
        for i in range(seen):
            number = np.int64(counter[touched[i]])
            counter[touched[i]] = 0
            squares += number * number
            most = max(most, number)
            if not full:
                code[first + i] = touched[i]
                count[first + i] = number
        if full:
            return False
        top[1] = first + seen
        sparse[into, column, 0] = first
        sparse[into, column, 1] = seen
        for q in range(len(kind)):
            if in_list[q] != column:
                continue
            if kind[q] == DISTINCT:
                record[into, 1 + q] = seen
                values[space.value_start[q] + seen] += 1
            else:
                value = squares if kind[q] == SUM_SQUARES else record[into, 0] - most
                record[into, 1 + q] = value
                sums[1 + q] += value
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


@inlined
def order_blocks(
    first: Int,
    old_group: Array,
    old_code: Array,
    maps: Array,
    offset: Int,
    codes: Array,
    members: Array,
) -> Int:
    """New codes of one group's blocks, ascending; returns where the next group begins.

    The insertion moves nothing along a chain; it re-sorts where a level's order of blocks
    differs from its parent's.
    """
    group = old_group[first]
    after = first
    while after < len(old_group) and old_group[after] == group:
        code = maps[offset + U(old_code[after])]
        place = after
        while place > first and codes[place - 1] > code:
            codes[place] = codes[place - 1]
            members[place] = members[place - 1]
            place -= 1
        codes[place] = code
        members[place] = after
        after += 1
    return after


@compiled
def roll(
    space: Space, depth: Int, level: Int, cut: Blocks, table: Table, pools: Pools, scratch: Scratch
) -> tuple[Blocks, Table, bool]:
    """Raise attribute `depth` to `level` from its parent level: merge blocks that now agree."""
    blocks, entries = len(cut.code), np.empty(len(table.entries), np.int64)
    group, code = np.empty(blocks, np.int32), np.empty(blocks, np.int32)
    new = Blocks(group, code, np.empty(blocks + 1, np.int64))
    order = Blocks(
        np.empty(blocks, np.int32), np.empty(blocks, np.int32), np.empty(blocks + 2, np.int64)
    )
    old = table.tally
    tally = Tally(old.sizes.copy(), old.sums.copy(), old.values.copy())
    new_blocks, count, full = roll_into(
        space, depth, level, cut, table.entries, pools, scratch, order, new, entries, tally
    )
    new_cut = Blocks(group[:new_blocks], code[:new_blocks], new.start[: new_blocks + 1])
    return new_cut, Table(table.start, table.loss, entries[:count], tally), full


@lean
def roll_into(
    space: Space,
    depth: Int,
    level: Int,
    cut: Blocks,
    old: Array,
    pools: Pools,
    scratch: Scratch,
    order_of: Blocks,
    new: Blocks,
    entries: Array,
    tally: Tally,
) -> tuple[Int, Int, bool]:
    """The work of `roll`: fills `new`, `entries` and `tally`; returns blocks, entries, no room."""
    offset, maps = U(space.map_start[depth, level]), space.maps
    old_group, old_code, old_start = cut.group, cut.code, cut.start
    members, codes, run_start = order_of.group, order_of.code, order_of.start
    new_group, new_code, new_start = new.group, new.code, new.start
    kind, in_list, value_start = space.derived_kind, space.derived_sparse, space.value_start
    low, high, told_apart = space.derived_low, space.derived_high, space.told_apart
    record, dense, top = pools.record.reshape(-1), pools.dense.reshape(-1), pools.top
    width, capacity = pools.dense.shape[1], pools.record.shape[0]
    has_lists = pools.sparse.shape[1] > 0
    sizes, sums, values = tally.sizes, tally.sums, tally.values
    packed, spare = scratch.packed, scratch.spare
    blocks = len(old_code)
    new_blocks = written = after = first = 0
    full = False
    while first < blocks and not full:
        if first == after:
            after = order_blocks(first, old_group, old_code, maps, offset, codes, members)
        new_group[new_blocks] = old_group[first]
        new_code[new_blocks] = codes[first]
        new_start[new_blocks] = written
        new_blocks += 1
        end = first + 1
        while end < after and codes[end] == codes[first]:
            end += 1
        count = runs = 0
        # a block on its own stays as it is; several are brought together and sorted
        alone = end == first + 1
        for i in range(first, end):
            run_start[runs] = count
            runs += 1
            begin = U(old_start[members[i]])
            length = old_start[members[i] + 1] - old_start[members[i]]
            if alone:
                for entry in range(length):
                    entries[U(written + entry)] = old[begin + U(entry)]
            else:
                for entry in range(length):
                    packed[U(count + entry)] = old[begin + U(entry)]
            count += length
        if alone:
            written += count
            first = end
            continue
        run_start[runs] = count
        order = packed
        if sort_entries(packed, spare, count, runs, run_start):
            order = spare
        own = top[0]  # classes from here on were made for this block
        entries[U(written)] = order[0]
        for i in range(1, count):
            last, here = entries[U(written)], order[U(i)]
            if (last ^ here) >> 32 != 0:
                written += 1
                entries[U(written)] = here
                continue
            into = last & _LOW
            if into < own:
                into = top[0]
                if into >= capacity:
                    full = True
                    break
                top[0] = into + 1
            merge_pair(
                last & _LOW, here & _LOW, into, kind, in_list, low, high, value_start, told_apart,
                record, dense, width, sizes, sums, values,
            )  # fmt: skip
            if has_lists and not merge_lists(
                space, pools, last & _LOW, here & _LOW, into, sums, values
            ):
                full = True
                break
            entries[U(written)] = last - (last & _LOW) + into
        written += 1
        first = end
    new_start[new_blocks] = written
    return new_blocks, written, full


@lean
def sweep(
    space: Space, table: Table, rank: Int, pools: Pools, scratch: Scratch, out: Output
) -> None:
    """All levels of the innermost attribute, each from the one before, noting every node."""
    depth = len(space.levels) - 1
    start, entries, suffix_code = table.start, table.entries, space.suffix_code
    maps, key, member = space.maps, scratch.key, scratch.member
    kind, in_list, value_start = space.derived_kind, space.derived_sparse, space.value_start
    low, high, told_apart = space.derived_low, space.derived_high, space.told_apart
    record, dense, top = pools.record.reshape(-1), pools.dense.reshape(-1), pools.top
    width, capacity = pools.dense.shape[1], pools.record.shape[0]
    has_lists = pools.sparse.shape[1] > 0
    tally = scratch.tally
    sizes, sums, values = tally.sizes, tally.sums, tally.values
    copy_into(sizes, table.tally.sizes)
    copy_into(sums, table.tally.sums)
    copy_into(values, table.tally.values)
    offset = U(space.suffix_start[depth])
    class_top, list_top = top[0], top[1]
    count = len(entries)
    for group in range(len(start) - 1):
        for entry in range(start[group], start[group + 1]):
            packed = entries[U(entry)]
            code = np.int64(suffix_code[offset + U(packed >> 32)])
            key[U(entry)] = (np.int64(group) << 32) | code
            member[U(entry)] = packed & _LOW
    emit_node(space, table.loss, 0, rank, count, tally, pools, scratch, out)
    for level in range(1, space.levels[depth]):
        level_map = U(space.map_start[depth, level])
        own = top[0]  # classes from here on were made for this level
        written = -1
        last = np.int64(-1)
        for i in range(count):
            old = key[U(i)]
            code = old & _LOW
            new = old - code + maps[level_map + U(code)]
            b = member[U(i)]
            if new != last:
                written += 1
                key[U(written)] = last = new
                member[U(written)] = b
                continue
            a = member[U(written)]
            into = a
            if a < own:
                into = top[0]
                if into >= capacity:
                    out.status[0] = POOL_FULL
                    return
                top[0] = into + 1
            merge_pair(
                a, b, into, kind, in_list, low, high, value_start, told_apart,
                record, dense, width, sizes, sums, values,
            )  # fmt: skip
            if has_lists and not merge_lists(space, pools, a, b, into, sums, values):
                out.status[0] = POOL_FULL
                return
            member[U(written)] = into
        written += 1
        count = written
        here = rank + level * space.rank_stride[depth]
        emit_node(space, table.loss, level, here, count, tally, pools, scratch, out)
    top[0], top[1] = class_top, list_top


@compiled
def explore(
    space: Space,
    depth: Int,
    cut: Blocks,
    table: Table,
    rank: Int,
    pools: Pools,
    scratch: Scratch,
    out: Output,
) -> None:
    """Visit every node below: attribute `depth` from level 0 up, all attributes after it.

    An explicit stack, because a cached compiled function must not call itself. A frame is
    visited (everything behind its attribute), then advanced to one child level at a time.
    Whatever deeper frames put into the pools is forgotten when a frame is taken up again.
    """
    frames = [(np.int64(-1), depth, np.int64(0), rank, pools.top[0], pools.top[1], cut, table)]
    while len(frames) > 0 and out.status[0] == 0:
        child, depth, level, rank, class_top, list_top, cut, table = frames.pop()
        pools.top[0], pools.top[1] = class_top, list_top
        if child < 0:  # visit
            child = np.int64(space.first_child[depth, level])
            if child >= 0:
                frames.append((child, depth, level, rank, class_top, list_top, cut, table))
            here = rank + level * space.rank_stride[depth]
            inner = groups_of(space, depth, level, cut, table)
            if depth + 2 == len(space.levels):
                sweep(space, inner, here, pools, scratch, out)
            else:
                inner_cut, inner_table = split(space, depth + 1, inner)
                frames.append(
                    (np.int64(-1), depth + 1, np.int64(0), here, class_top, list_top, inner_cut,
                     inner_table)
                )  # fmt: skip
        else:  # advance
            sibling = np.int64(space.next_sibling[depth, child])
            if sibling >= 0:
                frames.append((sibling, depth, level, rank, class_top, list_top, cut, table))
            new_cut, new_table, full = roll(space, depth, child, cut, table, pools, scratch)
            if full:
                out.status[0] = POOL_FULL
            frames.append(
                (np.int64(-1), depth, child, rank, pools.top[0], pools.top[1], new_cut, new_table)
            )
