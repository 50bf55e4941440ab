"""The attributes as the compiled pass sees them: order, codes, refinement trees, suffixes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.encode.histogram import Histogram
from paretonym.model.arrays import Array, Codes, Ints
from paretonym.model.granulation import Granulation

_SAMPLE = 20_000  # combinations looked at to order the attributes


@dataclass(frozen=True, slots=True)
class Losses:
    """Cost of one row in every block, in integers.

    One lane adds up all attributes at a common scale; or each attribute has a lane of its
    own, which counts leaves - 1.
    """

    apart: bool
    per_block: tuple[tuple[Ints, ...], ...]  # [attribute][level][block]

    @property
    def lanes(self) -> int:
        return len(self.per_block) if self.apart else 1


def losses_of(granulations: Sequence[Granulation], factors: Sequence[int] | None) -> Losses:
    """Losses at a common scale (`factors` times leaves - 1), or apart when there is none."""
    tables = tuple(
        tuple((p.leaves_per_block - 1) * (factors[j] if factors else 1) for p in g.partitions)
        for j, g in enumerate(granulations)
    )
    return Losses(factors is None, tables)


def engine_order(granulations: Sequence[Granulation], codes: Codes) -> list[int]:
    """Strong reducers outermost: their levels shrink the table for everything inside.

    The strength of an attribute is the factor by which one of its levels shrinks the table
    on average; measured on a sample, from the combinations left without the attribute. The
    innermost attribute must be a chain, because it is swept level by level: a weak reducer
    too, but one with levels enough to be worth loading each table for.
    """
    sample = codes[:: max(1, len(codes) // _SAMPLE)].astype(np.int64)

    def shrinking(position: int) -> float:
        levels = granulations[position].levels
        if levels == 1:
            return 1.0
        class_of = np.zeros(len(sample), np.int64)
        for j in range(sample.shape[1]):
            if j != position:
                _, class_of = np.unique(
                    class_of * len(granulations[j].leaves) + sample[:, j], return_inverse=True
                )
        left = (int(class_of.max(initial=0)) + 1) / max(len(sample), 1)
        return float(left ** (1 / (levels - 1)))

    weakness = [shrinking(j) for j in range(len(granulations))]
    order = sorted(range(len(granulations)), key=lambda j: (weakness[j], j))
    chains = [j for j in order if granulations[j].is_chain]
    if chains:
        inner = max(chains, key=lambda j: (weakness[j] * (1 - 1 / granulations[j].levels), j))
        order.remove(inner)
        order.append(inner)
    return order


@dataclass(frozen=True, slots=True)
class Trees:
    """Arrays of kernels.shapes.Space that describe the attributes, and the codes in their order."""

    codes: Ints  # [combinations, depths]
    levels: Array
    first_child: Array
    next_sibling: Array
    map_start: Array
    maps: Array
    loss_start: Array
    losses: Array
    loss_lane: Array
    rank_stride: Array


def trees_of(
    histogram: Histogram,
    granulations: Sequence[Granulation],
    strides: Sequence[int],
    losses: Losses,
) -> Trees:
    """Attributes in engine order; the pass needs two at least and a chain innermost.

    Where these are lacking, attributes of one value and one level stand in for them.
    """
    order = engine_order(granulations, histogram.codes)
    behind = 0 if granulations[order[-1]].is_chain else 1
    before = max(0, 2 - len(order) - behind)
    depths = before + len(order) + behind
    shape = (depths, max(g.levels for g in granulations))
    codes = np.zeros((histogram.combinations, depths), np.int64)
    levels, stride, lane = np.ones(depths, np.int64), *np.zeros((2, depths), np.int64)
    first_child, next_sibling = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    map_start, loss_start = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    maps: list[Array] = [np.zeros(1, np.int32)]  # place 0 serves the stand-ins
    costs: list[Array] = [np.zeros(1, np.int64)]
    for depth, job in enumerate(order, start=before):
        granulation = granulations[job]
        position, number = _engine_leaves(granulation)
        codes[:, depth] = position[histogram.codes[:, job]]
        levels[depth] = granulation.levels
        stride[depth] = strides[job]
        lane[depth] = job if losses.apart else 0
        for level, partition in enumerate(granulation.partitions):
            loss_start[depth, level] = sum(map(len, costs))
            costs.append(_renumbered(losses.per_block[job][level], number[level]))
            parent = granulation.parents[level]
            if parent < 0:
                continue
            image = number[level][granulation.partitions[parent].map_to(partition)]
            map_start[depth, level] = sum(map(len, maps))
            maps.append(_renumbered(image, number[parent]).astype(np.int32))
            next_sibling[depth, level] = first_child[depth, parent]
            first_child[depth, parent] = level
    return Trees(
        codes, levels, first_child, next_sibling, map_start, np.concatenate(maps),
        loss_start, np.concatenate(costs), lane, stride,
    )  # fmt: skip


def _renumbered(values: Ints, number: Ints) -> Ints:
    """Values by block of the model, put where the engine's number of the block says."""
    moved = np.empty(len(values), np.int64)
    moved[number] = values
    return moved


def _engine_leaves(granulation: Granulation) -> tuple[Ints, list[Ints]]:
    """Leaf codes ordered so that, in a chain, blocks are runs; blocks renumbered to match."""
    keys = [p.block_of for p in granulation.partitions]
    order = np.lexsort(keys) if granulation.is_chain else np.lexsort(keys[:1] + keys[-1:])
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    blocks = []
    for partition in granulation.partitions:
        along = partition.block_of[order]
        _, first = np.unique(along, return_index=True)
        number = np.empty(partition.blocks, np.int64)
        number[along[np.sort(first)]] = np.arange(partition.blocks)
        blocks.append(number)  # block of the model -> block of the engine
    return position, blocks


def suffixes_of(codes: Ints) -> tuple[list[Array], list[Array], Ints]:
    """Number the distinct suffixes of every depth so that numbers sort like combinations."""
    depth = codes.shape[1]
    code_of: list[Array] = [np.empty(0)] * depth
    next_of: list[Array] = [np.empty(0)] * depth
    suffix = np.zeros(len(codes), np.int64)
    width = 1
    for d in range(depth - 1, -1, -1):
        distinct, suffix = np.unique(codes[:, d] * width + suffix, return_inverse=True)
        code_of[d] = (distinct // width).astype(np.int32)
        next_of[d] = (distinct % width).astype(np.int32)
        width = len(distinct)
    return code_of, next_of, suffix
