"""The arrays that travel through the compiled pass, as named tuples numba understands.

A quasi-identifier is an *attribute* here. Attributes are visited in engine order, the last
one innermost. Codes are integers; nothing in this package knows a value's text.
"""

from __future__ import annotations

from typing import NamedTuple

from paretonym.model.arrays import Array

# what is derived from the counts of one column in one class
DISTINCT, SUM_SQUARES, MINORITY = 0, 1, 2
# which steps of the class-size staircase become candidates
RULE_REQUIRED, RULE_STAIRCASE, RULE_PAPER = 0, 1, 2
# columns that come first in a candidate's statistics; loss lanes and derived numbers follow
COUNT, ROWS, SQUARES, SMALLEST = 0, 1, 2, 3
FIRST_LOSS = 4


OK, POOL_FULL, OUTPUT_FULL = 0, 1, 2  # what a pass reports back
# what confidentiality rules make of the classes of a node together; last in a candidate's
# statistics, where there are rules
EXPOSED, AT_RISK, RISK = 0, 1, 2
FIGURES = 3


class Rules(NamedTuple):
    """Confidentiality rules as numbers; a pattern is a set of rules that protects somebody."""

    lane: int  # where the counts begin among a class's dense counts: rules, then patterns
    applies: Array  # bool [patterns, rules]
    damage: Array  # float64 [patterns, rules]: adds up to 1 for each pattern with a rule
    log_prior: Array  # float64 [rules]: of the share that is believed beforehand; 0 when all
    numerator: int  # a posterior above numerator / denominator puts a person at risk
    denominator: int
    scale: float  # risks are added up as whole multiples of 1 / scale


class Extremes(NamedTuple):
    """Numbers of a class of which a candidate has the smallest; see kernels/extremes.py."""

    kind: Array  # int64 [e]
    sparse: Array  # int64 [e]: the sparse column whose counts it reads, or -1 when dense
    low: Array  # int64 [e]: first lane and end lane of dense counts
    high: Array  # int64 [e]
    begin: Array  # int64 [e]: where what the kind is given beside the counts begins and ends
    end: Array  # int64 [e]
    given: Array  # int64
    lane: Array  # int32 [lanes]: 0, 1, 2 ...: the values of dense counts


class Space(NamedTuple):
    """What does not change during a pass: hierarchies, suffix dictionaries, what to derive."""

    # suffix dictionaries: a distinct combination of the codes of attributes d.. is one number
    suffix_start: Array  # int64 [s + 1]: where attribute d's dictionary begins
    suffix_code: Array  # int32: code of attribute d in that suffix
    suffix_next: Array  # int32: number of the suffix of attributes d+1..
    # the refinement tree of each attribute
    levels: Array  # int64 [s]
    first_child: Array  # int32 [s, most levels]; -1 for none
    next_sibling: Array  # int32 [s, most levels]
    is_path: Array  # bool [s]: no level has siblings, as in a chain
    map_start: Array  # int64 [s, most levels]: where the map parent -> level begins
    maps: Array  # int32: block of the parent level -> block of this level
    loss_start: Array  # int64 [s, most levels]: where the loss of the level's blocks begins
    losses: Array  # int64 [blocks of all levels]: cost of one row in that block
    loss_lane: Array  # int64 [s]: which loss total the attribute adds to
    loss_lanes: int
    # counts of named columns: dense lanes and sparse lists
    derived_kind: Array  # int64 [q]: DISTINCT, SUM_SQUARES or MINORITY
    derived_sparse: Array  # int64 [q]: the sparse column, or -1 when dense
    derived_low: Array  # int64 [q]: first lane and end lane of a dense column
    derived_high: Array  # int64 [q]
    sparse_values: Array  # int64 [sparse columns]: size of the domain
    vector_low: Array  # int64 [v]: dense lanes whose counts are totalled per class size
    vector_high: Array  # int64 [v]
    vectors: int  # lanes in all of them together
    # suppression
    rows: int
    limit: int
    rule: int
    smallest_size: int  # a class with fewer rows violates the requirement
    at_least: Array  # int64 [q + e, or 0]: a class with a smaller number than this violates it
    told_apart: int  # class sizes up to this one have a count of their own
    value_start: Array  # int64 [q]: where a minimised number's counts begin in Tally.values
    rank_stride: Array  # int64 [s]: weight of a level in the node's rank (job's order)
    rules: Rules
    extremes: Extremes


class Tally(NamedTuple):
    """What is known of all classes of a node at once; kept up to date merge by merge."""

    sizes: Array  # int64 [told apart + 2]: classes of each size; the last counts all larger ones
    sums: Array  # int64 [1 + q]: sum of size², then of every derived number that is added up
    values: Array  # int64: classes by value, for every derived number that is minimised


class RollupTable(NamedTuple):
    """Classes over some attributes, kept by prefix: the attributes before them, already decided."""

    start: Array  # int64 [prefixes + 1]: where each prefix's entries begin
    loss: Array  # int64 [prefixes, loss lanes]: cost of one row of the prefix, attributes so far
    entries: Array  # int64: the remaining attributes' suffix << 32 | class, ascending in a prefix
    tally: Tally


class Blocks(NamedTuple):
    """A table cut at one attribute: a block is a prefix's entries with equal code."""

    prefix: Array  # int32 [blocks]: the prefix a block lies in
    code: Array  # int32 [blocks]
    start: Array  # int64 [blocks + 1]


class Pools(NamedTuple):
    """Every class alive: a stack, because the search is depth-first."""

    record: Array  # int64 [capacity, 1 + q + e]: size, derived numbers, extremes
    dense: Array  # int32 [capacity, lanes]: counts of the columns with few values
    sparse: Array  # int64 [capacity, sparse columns, 3]: start, length and room of a list of counts
    sparse_code: Array  # int32 [list capacity]
    sparse_count: Array  # int32 [list capacity]
    top: Array  # int64 [2]: first free class and first free place of the lists
    counter: Array  # int32 [largest sparse domain]: all zero between uses
    touched: Array  # int32 [largest sparse domain]


class Scratch(NamedTuple):
    """Room for the innermost attribute of one table, and for one node's staircase."""

    key: Array  # int64 [entries]: prefix << 32 | code
    member: Array  # int64 [entries]: class
    packed: Array  # int64 [entries]: for sorting
    spare: Array  # int64 [entries]
    small: Array  # int64 [entries]: size << 32 | place of the classes a node may suppress
    offset: Array  # int64 [told apart + 3]: where each size begins among them
    sizes: Array  # int64: like Tally.sizes, without classes that must go
    tally: Tally  # of the node the sweep has reached
    suppressed: Array  # int64 [columns]: running totals while walking the staircase
    values: Array  # int64: like Tally.values, of the suppressed classes
    bucket: Array  # int64 [told apart + 1, columns]: totals of the classes of one size
    bucket_values: Array  # int64 [told apart + 1, values]: the same for Tally.values
    figures: Array  # int64 [FIGURES, or 0 where none is asked for]


class Output(NamedTuple):
    """Candidates found: a node, a threshold, what is suppressed, statistics of the rest."""

    used: Array  # int64 [1]
    rank: Array  # int64
    suppressed: Array  # int64
    statistics: Array  # int64 [capacity, columns]
    vectors: Array  # int64 [capacity, lanes]: suppressed rows per value
    status: Array  # int64 [1]
    nodes: Array  # int64 [1]
