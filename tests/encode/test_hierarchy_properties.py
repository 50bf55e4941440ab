"""What must hold for every builder and every column."""

from __future__ import annotations

import string
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paretonym.encode.hierarchies import build
from paretonym.model.granulation import Granulation, Partition
from paretonym.model.hierarchy import (
    Dates,
    FromFile,
    Groups,
    HierarchySpec,
    Intervals,
    Mask,
    OrderedGroups,
    Suppress,
)

words = st.text(alphabet="ab *01", max_size=4)
Case = tuple[HierarchySpec, list[str | None]]


def column(values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str | None]]:
    return st.lists(st.none() | values, min_size=1, max_size=30)


@st.composite
def interval_cases(draw: st.DrawFn) -> Case:
    width = draw(st.sampled_from([Decimal("0.1"), Decimal(1), Decimal(5)]))
    factors = draw(st.lists(st.integers(2, 4), max_size=3))
    widths = [width]
    for factor in factors:
        widths.append(widths[-1] * factor)
    edge = widths[-1] * draw(st.integers(-2, 2))
    bounds = draw(st.booleans())
    spec = Intervals(
        tuple(widths),
        bottom=edge if bounds else None,
        top=edge + widths[-1] if bounds else None,
    )
    numbers = st.decimals(-50, 50, places=2).map(str) | st.integers(-50, 50).map(str)
    return spec, draw(column(numbers))


@st.composite
def date_cases(draw: st.DrawFn) -> Case:
    chains = [("day", "week"), ("day", "month", "quarter", "year", "decade"), ("month", "decade")]
    days = st.dates(date(1970, 1, 1), date(2060, 1, 1)).map(lambda d: d.strftime("%d.%m.%Y"))
    return Dates("%d.%m.%Y", draw(st.sampled_from(chains))), draw(column(days))  # type: ignore[arg-type]


@st.composite
def ordered_cases(draw: st.DrawFn) -> Case:
    order = draw(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, unique=True))
    sizes = draw(st.sampled_from([(2,), (2, 4), (3, 6, 12)]))
    return OrderedGroups(tuple(order), sizes), draw(column(st.sampled_from(order)))


@st.composite
def group_cases(draw: st.DrawFn) -> Case:
    members = draw(st.lists(words, min_size=1, unique=True))
    parts = draw(st.lists(st.integers(0, 3), min_size=len(members), max_size=len(members)))
    inside = {p: tuple(m for m, q in zip(members, parts, strict=True) if p == q) for p in parts}
    first = tuple((f"g{p}", inside[p]) for p in inside)
    second = tuple(
        (f"h{half}", tuple(f"g{p}" for p in inside if p % 2 == half))
        for half in (0, 1)
        if any(p % 2 == half for p in inside)
    )
    observed = column(st.sampled_from([member or None for member in members]))  # type: ignore[arg-type]
    return Groups((first, second), open_top=draw(st.booleans())), draw(observed)


cases = st.one_of(
    interval_cases(),
    date_cases(),
    ordered_cases(),
    group_cases(),
    st.tuples(st.builds(Mask, st.sampled_from(["left", "right"])), column(words)),
    st.tuples(st.just(Suppress()), column(words)),
)


def check_chain(granulation: Granulation, observed: list[str | None]) -> None:
    """Every promise of the builders that the engine relies on."""
    assert granulation.is_chain
    assert set(observed) <= set(granulation.leaves)
    assert granulation.declared or set(observed) == set(granulation.leaves)
    assert granulation.partitions[0].labels == granulation.leaves
    for finer, coarser in pairwise(granulation.partitions):
        assert finer.refines(coarser)
    for partition in granulation.partitions:
        # non-decreasing along the leaves: blocks are contiguous, numbered as they appear
        steps = np.diff(partition.block_of)
        assert partition.block_of[0] == 0
        assert ((steps == 0) | (steps == 1)).all()
        assert len(set(partition.labels)) == partition.blocks
    top = granulation.partitions[-1]
    assert granulation.open_top or top.blocks == 1


@given(cases)
def test_builders_make_contiguous_chains_over_every_observed_value(case):
    spec, observed = case
    check_chain(build(spec, "c", observed), observed)


@given(cases)
def test_missing_is_a_block_of_its_own_below_the_top(case):
    spec, observed = case
    g = build(spec, "c", [*observed, None])
    stated = isinstance(spec, Groups) and any("" in members for _, members in spec.levels[0])
    if stated:
        return  # the job itself says which group a missing value belongs to
    for level, partition in enumerate(g.partitions):
        block = partition.block_of[g.leaf_index[None]]
        if level == g.levels - 1 and not g.open_top:
            assert partition.labels == ("*",)
        else:
            assert partition.labels[block] is None
            assert partition.leaves_per_block[block] == 1
    if not any(value is None for value in observed):
        assert None not in build(spec, "c", observed).leaves


@given(cases, st.randoms())
def test_the_order_and_number_of_observations_change_nothing(case, random):
    spec, observed = case
    shuffled = observed * 2
    random.shuffle(shuffled)
    assert build(spec, "c", shuffled).digest == build(spec, "c", observed).digest


cells = st.text(string.ascii_letters + ";, \t\"'é\n", min_size=1, max_size=5)


@given(
    st.dictionaries(cells, st.tuples(st.sampled_from("pqrs"), st.none()), min_size=1),
    st.sampled_from([";", ",", "\t"]),
)
def test_files_round_trip(rows, delimiter):
    """Any text can stand in a hierarchy file when it is quoted."""
    above = {"p": "x", "q": "x", "r": "y", "s": "y"}

    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"'

    lines = [
        delimiter.join(map(quoted, (value, low, above[low], "*")))
        for value, (low, _) in rows.items()
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "h.csv"
        path.write_bytes("\r\n".join(lines).encode())
        g = build(FromFile(path, delimiter=delimiter), "c", list(rows))
        assert build(FromFile(path), "c", list(rows)).digest == g.digest
    check_chain(g, list(rows))
    low = g.partitions[1]
    for value, (label, _) in rows.items():
        assert low.labels[low.block_of[g.leaf_index[value]]] == label


@given(st.lists(words, min_size=1, unique=True), st.sampled_from(["left", "right"]))
def test_a_mask_never_gives_two_blocks_one_label(values, side):
    """Grouping by label equals grouping by the kept characters of the padded values."""
    g = build(Mask(side), "c", values)
    longest = max(map(len, values))
    for hidden in range(1, longest):
        if side == "right":
            kept = [leaf.ljust(longest)[: longest - hidden] for leaf in g.leaves]  # type: ignore[union-attr]
        else:
            kept = [leaf.rjust(longest)[hidden:] for leaf in g.leaves]  # type: ignore[union-attr]
        blocks = g.partitions[hidden].block_of
        for i in range(len(kept)):
            for j in range(i):
                assert (kept[i] == kept[j]) == (blocks[i] == blocks[j])


@given(cases)
def test_the_digest_changes_with_anything_shown(case):
    spec, observed = case
    g = build(spec, "c", observed)
    digests = {g.digest, replace(g, column="d").digest}
    for level, partition in enumerate(g.partitions):
        variants: list[Partition] = [replace(partition, name=partition.name + "!")]
        if None not in partition.labels:
            variants.append(
                replace(partition, labels=("changed", *partition.labels[1:])),
            )
        for variant in variants:
            partitions = (*g.partitions[:level], variant, *g.partitions[level + 1 :])
            digests.add(replace(g, partitions=partitions).digest)
    unnamed = sum(1 for p in g.partitions if None in p.labels)
    assert len(digests) == 2 + 2 * g.levels - unnamed
