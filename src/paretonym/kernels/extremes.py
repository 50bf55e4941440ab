"""Measures that take the worst class: one 64-bit integer a class, worked out from its counts.

A smaller number is a worse class, so the number of a candidate is the smallest one of the
classes it releases. Where the worst class is the one with the largest number, the kind gives the
negative. Numbers are worked out when they are asked for and kept in the class's record: a class
that merges again before anybody looks costs nothing.

A new kind is a number and a branch in `number_of`, in `worst_possible` and in `at_best`. What a
kind needs beside the counts is a list of integers, made by the measure's definition.
"""

from __future__ import annotations

import numpy as np

from paretonym.kernels.jit import inlined, lean
from paretonym.kernels.shapes import FIRST_LOSS, SMALLEST, Output, Pools, Scratch, Space
from paretonym.model.arrays import Array, Int

ENTROPY, POSTERIOR, DISCLOSURE = 0, 1, 2
UNKNOWN = np.int64(-(2**63))  # not worked out yet; no number is as small
LARGEST = np.int64(2**63 - 1)
U = np.uintp  # an unsigned index needs no test for being negative

LOG_BITS = 40  # logarithms to base 2 are whole multiples of 1 / 2^40
LOG_TABLE = 1 << 16  # of whole numbers up to this one; between larger ones they run straight
_SPLIT = 20  # products of counts and logarithms are added up in two halves, of 20 bits and the rest
_WHOLE = 1 << 18  # a class of fewer rows needs no halves: its sum stays inside 64 bits
# merging classes of up to 1,024 rows in all never leaves a number below the smaller one of the
# two; beyond that rounding may, by this much: see measures/attribute.py
_EXACT_ROWS, _SLACK, _WIDE_SLACK = 1024, 3, 512


@lean
def number_of(
    kind: Int,
    code: Array,
    count: Array,
    size: Int,
    given: Array,
) -> Int:
    """A class's number from its counts (`count[i]` rows have value `code[i]`; some may be 0)."""
    if kind == ENTROPY:
        return entropy(count, LARGEST, given)
    if kind == DISCLOSURE:
        return disclosure(code, count, size, given)
    return posterior(count, size, given)


@lean
def worst_possible(kind: Int) -> Int:
    """No class has a smaller number: when one has this, nobody need look at the others."""
    if kind == ENTROPY:
        return np.int64(0)
    if kind == DISCLOSURE:
        return UNKNOWN + 1
    return -bits_of(1.0)


@lean
def at_best(kind: Int, code: Array, count: Array, size: Int, given: Array, limit: Int) -> Int:
    """What the worst part of a class can be at best.

    However the class is cut, and whichever rows of it are left out, no more than `limit`: some
    part that stays has no larger number. The largest integer, when nothing is known.
    """
    if kind == ENTROPY:
        return entropy_at_best(count, size, given, limit)
    if kind == DISCLOSURE:
        return LARGEST
    if limit > 0:
        return LARGEST
    return number_of(kind, code, count, size, given)  # a mean is never above all its parts


# ---- entropy


@lean
def entropy(count: Array, cap: Int, logs: Array) -> Int:
    """Entropy in units of 1 / 2^40 bit; counts above `cap` are taken as `cap`.

    Counts are divided by their greatest common divisor, so that equal shares give equal numbers.
    """
    shared, size = np.int64(0), np.int64(0)
    for i in range(len(count)):
        number = min(np.int64(count[U(i)]), cap)
        size += number
        while number != 0 and shared != 1:  # Euclid's algorithm
            shared, number = number, shared % number
    size //= shared
    if size < _WHOLE:
        total = np.int64(0)
        for i in range(len(count)):
            number = reduced(count[U(i)], cap, shared)
            total += number * log_of(number, logs)
        return log_of(size, logs) - total // size
    high, low = np.int64(0), np.int64(0)
    for i in range(len(count)):
        number = reduced(count[U(i)], cap, shared)
        log = log_of(number, logs)
        high += number * (log >> _SPLIT)
        low += number * (log & ((1 << _SPLIT) - 1))
    rest = ((high % size) << _SPLIT) + low
    return log_of(size, logs) - (((high // size) << _SPLIT) + rest // size)


@inlined
def reduced(count: Int, cap: Int, shared: Int) -> Int:
    """A count below the cap, divided by what all counts share: mostly nothing."""
    number = min(np.int64(count), cap)
    return number if shared == 1 else number // shared


@inlined
def log_of(number: Int, logs: Array) -> Int:
    """The logarithm from the table (0 for 0); of large numbers on the line between its entries."""
    if number < len(logs):
        return logs[U(number)]
    shift = 1
    while number >> shift >= LOG_TABLE:
        shift += 1
    entry = number >> shift
    rise = logs[U(entry + 1)] - logs[U(entry)]
    along = number - (entry << shift)
    if shift > _SPLIT:  # 64 bits hold the product in two halves only
        low = (rise * (along & ((1 << _SPLIT) - 1))) >> _SPLIT
        climbed = (rise * (along >> _SPLIT) + low) >> (shift - _SPLIT)
    else:
        climbed = (rise * along) >> shift
    return (np.int64(shift) << LOG_BITS) + logs[U(entry)] + climbed


@lean
def entropy_at_best(count: Array, size: Int, logs: Array, limit: Int) -> Int:
    """Leaving out the most frequent values' rows makes the rest as even as `limit` allows.

    Entropy is concave, so of the parts of what stays, the worst has no more than the whole.
    """
    low, high, rows = np.int64(0), np.int64(0), np.int64(0)
    for i in range(len(count)):
        number = np.int64(count[U(i)])
        high = max(high, number)
        rows += number
    if high == rows:  # a single value
        return np.int64(0)
    while low + 1 < high:  # counts capped at `high` leave out no more than the limit
        middle = (low + high) // 2
        gone = np.int64(0)
        for i in range(len(count)):
            above = np.int64(count[U(i)]) - middle
            gone += above if above > 0 else 0
        if gone <= limit:
            high = middle
        else:
            low = middle
    if limit > 0:
        high = (
            high - 1 if high > 1 else high
        )  # the limit may end between two caps: one less is beyond it
    slack = 0 if limit == 0 and size <= _EXACT_ROWS else _SLACK
    return entropy(count, high, logs) + (slack if size <= LOG_TABLE else _WIDE_SLACK)


# ---- shares in a class beside those in the table


@lean
def disclosure(code: Array, count: Array, size: Int, given: Array) -> Int:
    """The furthest that a value's share is from its share of the table, by logarithms; negative.

    `given` holds the table's rows, how many values there are, the rows of each, and logarithms.
    """
    rows, values = given[0], given[1]
    totals, logs = given[2 : 2 + values], given[2 + values :]
    furthest = np.int64(0)
    for i in range(len(count)):
        if count[U(i)] == 0:
            continue
        here = np.int64(count[U(i)]) * rows
        there = np.int64(size) * totals[U(code[U(i)])]
        shared, rest = here, there
        while rest != 0:  # Euclid's algorithm
            shared, rest = rest, shared % rest
        apart = log_of(here // shared, logs) - log_of(there // shared, logs)
        furthest = max(furthest, abs(apart))
    return -furthest


# ---- the worst posterior of confidentiality rules


@inlined
def bits_of(share: float) -> Int:
    """The bits of a float that is not negative sort like the float."""
    return np.float64(share).view(np.int64)


@lean
def posterior(count: Array, size: Int, given: Array) -> Int:
    """The largest share of a class that fulfils a sentence kept secret about one of its people.

    `count` holds a number for each rule and for each pattern, `given` how many there are of both
    and which rules apply to which pattern.
    """
    rules, patterns = given[0], given[1]
    hits = np.int64(0)
    for pattern in range(patterns):
        if count[rules + pattern] == 0:
            continue
        for rule in range(rules):
            if given[2 + pattern * rules + rule] != 0:
                hits = max(hits, np.int64(count[rule]))
    return -bits_of(hits / size)


# ---- classes and candidates


@lean
def class_number(space: Space, pools: Pools, member: Int, e: Int) -> Int:
    """The number of a class, worked out once."""
    place = 1 + len(space.derived_kind) + e
    number = pools.record[member, place]
    if number == UNKNOWN:
        number = apply(space, pools, member, e, np.int64(-1))
        pools.record[member, place] = number
    return number


@lean
def apply(space: Space, pools: Pools, member: Int, e: Int, limit: Int) -> Int:
    """The number of a class (`limit` below 0), or what its worst part can be at best."""
    extremes = space.extremes
    kind, column, size = extremes.kind[e], extremes.sparse[e], pools.record[member, 0]
    given = extremes.given[extremes.begin[e] : extremes.end[e]]
    if column >= 0:
        first = pools.sparse[member, column, 0]
        end = first + pools.sparse[member, column, 1]
        code, count = pools.sparse_code[first:end], pools.sparse_count[first:end]
    else:
        low, high = extremes.low[e], extremes.high[e]
        code, count = extremes.lane[: high - low], pools.dense[member, low:high]
    if limit < 0:
        return number_of(kind, code, count, size, given)
    return at_best(kind, code, count, size, given, limit)


@inlined
def violates(space: Space, record: Array, place: Int) -> bool:
    """Whether the class whose record begins at `place` falls short of a requirement."""
    at_least = space.at_least
    found = False
    for field in range(len(at_least)):
        found |= record[place + U(1 + field)] < at_least[field]
    return found


@lean
def note_extremes(
    space: Space, count: Int, first: Int, pools: Pools, scratch: Scratch, out: Output
) -> None:
    """Complete a node's candidates, which are those from `first` on, by rising threshold.

    Most classes are released by all of them. One that only some release belongs to the last
    of these, and each candidate has what the one after it has as well.
    """
    last = out.used[0] - 1
    begin = FIRST_LOSS + space.loss_lanes + len(space.derived_kind)
    for e in range(len(space.extremes.kind)):
        column = begin + e
        worst = worst_released(space, count, e, out.statistics[last, SMALLEST], pools, scratch)
        for place in range(first, last):
            out.statistics[place, column] = LARGEST
        out.statistics[last, column] = worst
        if first < last and worst > worst_possible(space.extremes.kind[e]):
            sort_in(space, count, first, e, pools, scratch, out)
        for place in range(last - 1, first - 1, -1):
            worst = min(worst, out.statistics[place, column])
            out.statistics[place, column] = worst


@lean
def worst_released(
    space: Space, count: Int, e: Int, threshold: Int, pools: Pools, scratch: Scratch
) -> Int:
    """The smallest number of the classes that reach the threshold."""
    record, member = pools.record.reshape(-1), scratch.member
    fields = U(pools.record.shape[1])
    end = worst_possible(space.extremes.kind[e])
    worst = LARGEST
    for i in range(count):
        place = U(member[U(i)]) * fields
        if record[place] < threshold or violates(space, record, place):
            continue
        worst = min(worst, class_number(space, pools, member[U(i)], e))
        if worst <= end:
            break
    return worst


@lean
def sort_in(
    space: Space, count: Int, first: Int, e: Int, pools: Pools, scratch: Scratch, out: Output
) -> None:
    """Give every class below the last threshold to the last candidate that releases it."""
    record, member = pools.record.reshape(-1), scratch.member
    fields = U(pools.record.shape[1])
    statistics, last = out.statistics, out.used[0] - 1
    lowest, highest = statistics[first, SMALLEST], statistics[last, SMALLEST]
    column = FIRST_LOSS + space.loss_lanes + len(space.derived_kind) + e
    for i in range(count):
        place = U(member[U(i)]) * fields
        size = record[place]
        if size < lowest or size >= highest or violates(space, record, place):
            continue
        low, high = first, last
        while low + 1 < high:
            middle = (low + high) // 2
            if statistics[middle, SMALLEST] <= size:
                low = middle
            else:
                high = middle
        number = class_number(space, pools, member[U(i)], e)
        statistics[low, column] = min(statistics[low, column], number)
