"""Depth-first roll-up: every node's classes come from a finer node's classes, never from rows.

A class table is kept by prefix (the attributes already decided): each prefix has its entries, each
entry standing for one combination of the remaining attributes, the *suffix*, numbered so
that numbers sort like the combinations. Three moves are enough:

split   cut every prefix at the next attribute into blocks of equal code;
roll    raise that attribute one level: blocks of a prefix that now share a code are merged;
sweep   at the innermost attribute, raise it level by level and note each node's candidates.

A class that is not merged costs a copied integer and nothing else: what is known of a node
(its tally) changes only where classes merge. Suffix numbers keep keys narrow however many
attributes there are.
"""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import compiled, inlined, lean
from paretonym.kernels.merging import sort_entries, unite
from paretonym.kernels.shapes import (
    POOL_FULL,
    Blocks,
    Output,
    Pools,
    RollupTable,
    Scratch,
    Space,
    Tally,
)
from paretonym.kernels.staircase import copy_into, emit_node
from paretonym.model.arrays import Array, Int

_LOW = np.int64((1 << 32) - 1)
U = np.uintp  # an unsigned index needs no test for being negative


@compiled
def split(space: Space, depth: Int, table: RollupTable) -> tuple[Blocks, RollupTable]:
    """Cut every prefix at attribute `depth` (level 0): blocks, and the suffixes behind them."""
    offset = U(space.suffix_start[depth])
    suffix_code, suffix_next = space.suffix_code, space.suffix_next
    start, old = table.start, table.entries
    count = len(old)
    entries = np.empty(count, np.int64)
    block_prefix = np.empty(count, np.int32)
    block_code = np.empty(count, np.int32)
    block_start = np.empty(count + 1, np.int64)
    blocks = 0
    for prefix in range(len(start) - 1):
        code = np.int32(-1)
        for entry in range(start[prefix], start[prefix + 1]):
            packed = old[U(entry)]
            place = offset + U(packed >> 32)
            entries[U(entry)] = (np.int64(suffix_next[place]) << 32) | (packed & _LOW)
            if suffix_code[place] != code:
                code = suffix_code[place]
                block_prefix[blocks] = prefix
                block_code[blocks] = code
                block_start[blocks] = entry
                blocks += 1
    block_start[blocks] = count
    cut = Blocks(block_prefix[:blocks], block_code[:blocks], block_start[: blocks + 1])
    return cut, RollupTable(start, table.loss, entries, table.tally)


@compiled
def by_prefix(space: Space, depth: Int, level: Int, cut: Blocks, table: RollupTable) -> RollupTable:
    """The same entries, each block now a prefix of its own: ready for attribute `depth` + 1."""
    prefix, code, old_loss, losses = cut.prefix, cut.code, table.loss, space.losses
    blocks, lanes, lane = len(code), space.loss_lanes, space.loss_lane[depth]
    loss = np.empty((blocks, lanes), np.int64)
    offset = space.loss_start[depth, level]
    for block in range(blocks):
        for i in range(lanes):
            loss[block, i] = old_loss[prefix[block], i]
        loss[block, lane] += losses[offset + code[block]]
    return RollupTable(cut.start, loss, table.entries, table.tally)


@inlined
def order_blocks(
    first: Int,
    old_prefix: Array,
    old_code: Array,
    maps: Array,
    offset: Int,
    codes: Array,
    members: Array,
) -> Int:
    """New codes of one prefix's blocks, ascending; returns where the next prefix begins.

    The insertion moves nothing along a chain; it re-sorts where a level's order of blocks
    differs from its parent's.
    """
    prefix = old_prefix[first]
    after = first
    while after < len(old_prefix) and old_prefix[after] == prefix:
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
    space: Space,
    depth: Int,
    level: Int,
    cut: Blocks,
    table: RollupTable,
    floor: Int,
    pools: Pools,
    scratch: Scratch,
) -> tuple[Blocks, RollupTable, bool]:
    """Raise attribute `depth` to `level` from its parent level: merge blocks that now agree.

    Along a path of levels, classes from `floor` on belong to the table at hand alone, which
    is not needed any more: they are overwritten.
    """
    own = floor if space.is_path[depth] else pools.top[0]
    blocks, entries = len(cut.code), np.empty(len(table.entries), np.int64)
    prefix, code = np.empty(blocks, np.int32), np.empty(blocks, np.int32)
    new = Blocks(prefix, code, np.empty(blocks + 1, np.int64))
    order = Blocks(
        np.empty(blocks, np.int32), np.empty(blocks, np.int32), np.empty(blocks + 2, np.int64)
    )
    old = table.tally
    tally = Tally(old.sizes.copy(), old.sums.copy(), old.values.copy())
    new_blocks, count, full = roll_into(
        space, depth, level, cut, table.entries, own, pools, scratch, order, new, entries, tally
    )
    new_cut = Blocks(prefix[:new_blocks], code[:new_blocks], new.start[: new_blocks + 1])
    return new_cut, RollupTable(table.start, table.loss, entries[:count], tally), full


@lean
def roll_into(
    space: Space,
    depth: Int,
    level: Int,
    cut: Blocks,
    old: Array,
    own: Int,
    pools: Pools,
    scratch: Scratch,
    work: Blocks,
    new: Blocks,
    entries: Array,
    tally: Tally,
) -> tuple[Int, Int, bool]:
    """The work of `roll`: fills `new`, `entries` and `tally`; returns blocks, entries, no room."""
    offset = U(space.map_start[depth, level])
    members, codes, run_start = work.prefix, work.code, work.start
    blocks = len(cut.code)
    new_blocks = written = after = first = 0
    full = False
    while first < blocks and not full:
        if first == after:
            after = order_blocks(first, cut.prefix, cut.code, space.maps, offset, codes, members)
        new.prefix[new_blocks] = cut.prefix[first]
        new.code[new_blocks] = codes[first]
        new.start[new_blocks] = written
        new_blocks += 1
        end = first + 1
        while end < after and codes[end] == codes[first]:
            end += 1
        if end == first + 1:  # a block on its own stays as it is
            begin = U(cut.start[members[first]])
            length = cut.start[members[first] + 1] - cut.start[members[first]]
            for entry in range(length):
                entries[U(written + entry)] = old[begin + U(entry)]
            written += length
        else:
            count = gather(cut.start, old, members, first, end, scratch.packed, run_start)
            order = scratch.packed
            if sort_entries(scratch.packed, scratch.spare, count, end - first, run_start):
                order = scratch.spare
            written, full = merge_equal(space, pools, tally, own, order, count, entries, written)
        first = end
    new.start[new_blocks] = written
    return new_blocks, written, full


@inlined
def gather(
    start: Array, old: Array, members: Array, first: Int, end: Int, packed: Array, run_start: Array
) -> Int:
    """Bring the entries of several blocks together, each block an ascending run."""
    count = 0
    for i in range(first, end):
        run_start[i - first] = count
        begin = U(start[members[i]])
        length = start[members[i] + 1] - start[members[i]]
        for entry in range(length):
            packed[U(count + entry)] = old[begin + U(entry)]
        count += length
    run_start[end - first] = count
    return count


@inlined
def merge_equal(
    space: Space,
    pools: Pools,
    tally: Tally,
    own: Int,
    order: Array,
    count: Int,
    entries: Array,
    written: Int,
) -> tuple[Int, bool]:
    """Write sorted entries, those with equal suffixes as one; returns how many, and no room."""
    record, dense = pools.record.reshape(-1), pools.dense.reshape(-1)
    entries[U(written)] = order[0]
    for i in range(1, count):
        last, here = entries[U(written)], order[U(i)]
        if (last ^ here) >> 32 != 0:
            written += 1
            entries[U(written)] = here
            continue
        into = unite(space, pools, record, dense, tally, last & _LOW, here & _LOW, own)
        if into < 0:
            return written, True
        entries[U(written)] = last - (last & _LOW) + into
    return written + 1, False


@lean
def sweep(
    space: Space, table: RollupTable, rank: Int, pools: Pools, scratch: Scratch, out: Output
) -> None:
    """All levels of the innermost attribute, each from the one before, noting every node."""
    depth = len(space.levels) - 1
    tally = scratch.tally
    copy_into(tally.sizes, table.tally.sizes)
    copy_into(tally.sums, table.tally.sums)
    copy_into(tally.values, table.tally.values)
    class_top, list_top = pools.top[0], pools.top[1]
    start, entries, suffix_code = table.start, table.entries, space.suffix_code
    offset = U(space.suffix_start[depth])
    for prefix in range(len(start) - 1):
        for entry in range(start[prefix], start[prefix + 1]):
            packed = entries[U(entry)]
            code = np.int64(suffix_code[offset + U(packed >> 32)])
            scratch.key[U(entry)] = (np.int64(prefix) << 32) | code
            scratch.member[U(entry)] = packed & _LOW
    count = len(entries)
    emit_node(space, table.loss, 0, rank, count, tally, pools, scratch, out)
    for level in range(1, space.levels[depth]):
        map_start = space.map_start[depth, level]
        count = raise_innermost(space, map_start, count, class_top, pools, scratch)
        if count < 0:
            out.status[0] = POOL_FULL
            return
        here = rank + level * space.rank_stride[depth]
        emit_node(space, table.loss, level, here, count, tally, pools, scratch, out)
    pools.top[0], pools.top[1] = class_top, list_top


@inlined
def raise_innermost(
    space: Space, map_start: Int, count: Int, own: Int, pools: Pools, scratch: Scratch
) -> Int:
    """Raise the innermost attribute one level, in place; returns the classes left, -1: no room."""
    maps, key, member = space.maps, scratch.key, scratch.member
    record, dense = pools.record.reshape(-1), pools.dense.reshape(-1)
    written = -1
    last = np.int64(-1)
    for i in range(count):
        code = key[U(i)] & _LOW
        new = key[U(i)] - code + maps[U(map_start) + U(code)]
        if new != last:
            written += 1
            key[U(written)] = last = new
            member[U(written)] = member[U(i)]
            continue
        into = unite(
            space, pools, record, dense, scratch.tally, member[U(written)], member[U(i)], own
        )
        if into < 0:
            return -1
        member[U(written)] = into
    return written + 1


@compiled
def explore(
    space: Space,
    depth: Int,
    cut: Blocks,
    table: RollupTable,
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
    top = pools.top
    visit = np.int64(-1)
    frames = [(visit, depth, np.int64(0), rank, top[0], top[0], top[1], cut, table)]
    while len(frames) > 0 and out.status[0] == 0:
        child, depth, level, rank, floor, class_top, list_top, cut, table = frames.pop()
        top[0], top[1] = class_top, list_top
        if child == visit:
            child = np.int64(space.first_child[depth, level])
            if child >= 0:
                frames.append((child, depth, level, rank, floor, class_top, list_top, cut, table))
            here = rank + level * space.rank_stride[depth]
            inner = by_prefix(space, depth, level, cut, table)
            if depth + 2 == len(space.levels):
                sweep(space, inner, here, pools, scratch, out)
            else:
                inner_cut, inner_table = split(space, depth + 1, inner)
                frames.append(
                    (visit, depth + 1, np.int64(0), here, class_top, class_top, list_top,
                     inner_cut, inner_table)
                )  # fmt: skip
        else:  # advance
            sibling = np.int64(space.next_sibling[depth, child])
            if sibling >= 0:
                frames.append((sibling, depth, level, rank, floor, class_top, list_top, cut, table))
            new_cut, new_table, full = roll(space, depth, child, cut, table, floor, pools, scratch)
            if full:
                out.status[0] = POOL_FULL
            frames.append((visit, depth, child, rank, floor, top[0], top[1], new_cut, new_table))
