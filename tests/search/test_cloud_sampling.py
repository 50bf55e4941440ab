"""The cloud keeps every candidate while there is room, and then an even sample of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.searching import MIDDLE, every_candidate

from paretonym.lattice.lattice import strides_of
from paretonym.search import RunSettings
from paretonym.search.cloud_sampling import CloudSampler
from paretonym.search.nondominated import Vectors, join
from paretonym.search.outcome import vectors_of


def candidates(nodes: list[tuple[int, int]]) -> Vectors:
    """Nodes by rank, each with so many thresholds 1, 2, …; the value is rank + threshold / 100."""
    rank = np.array([r for r, count in nodes for _ in range(count)], np.int64)
    below = np.array([k for _, count in nodes for k in range(1, count + 1)], np.int64)
    shown = (rank + below / 100)[:, None]
    none = np.empty((len(rank), 0), np.int64)
    zeros = np.zeros(len(rank), np.int64)
    return Vectors(none, rank, below, below - 1, shown, zeros, none, -shown)


def gathered(parts: list[Vectors], most: int, members: Vectors | None = None):
    gathering = CloudSampler(most)
    for part in parts:
        gathering.offer(part)
    return gathering.cloud(members or candidates([]), ["value", "other"])


def keys(cloud) -> list[tuple[int, int]]:
    return list(zip(cloud.rank.tolist(), cloud.suppress_below.tolist(), strict=True))


NODES = [(rank, 1 + rank * 7 % 5) for rank in range(200)]  # 600 candidates


def test_few_candidates_are_all_kept_in_order():
    cloud = gathered([candidates(NODES[100:]), candidates(NODES[:100])], 600)
    assert keys(cloud) == [(rank, k) for rank, count in NODES for k in range(1, count + 1)]
    assert cloud.seen == len(cloud) == 600
    assert cloud.values["value"].tolist() == [rank + k / 100 for rank, k in keys(cloud)]
    assert cloud.values["other"].tolist() == (-cloud.values["value"]).tolist()
    assert cloud.suppressed.tolist() == [k - 1 for _, k in keys(cloud)]


def test_the_first_and_the_last_of_every_node_are_kept_before_others():
    """360 of 600 candidates suppress least or most at their node."""
    ends = {(rank, k) for rank, count in NODES for k in (1, count)}
    cloud = gathered([candidates(NODES)], 400)
    assert len(ends) == 360
    assert len(cloud) == 400
    assert ends <= set(keys(cloud))


@given(st.lists(st.integers(1, 199), max_size=8), st.integers(1, 700), st.randoms())
def test_parts_and_their_order_change_nothing(cuts, most, random):
    edges = [0, *sorted(set(cuts)), 200]
    parts = [candidates(NODES[a:b]) for a, b in pairwise(edges)]
    random.shuffle(parts)
    whole = gathered([candidates(NODES)], most)
    assert keys(gathered(parts, most)) == keys(whole)
    assert len(whole) == min(most, 600)


@given(st.integers(0, 200), st.integers(1, 700))
def test_an_interruption_changes_nothing(cut, most):
    first, second = CloudSampler(most), CloudSampler(most)
    first.offer(candidates(NODES[:cut]))
    second.restore(first.arrays())
    second.offer(candidates(NODES[cut:]))
    cloud = second.cloud(candidates([]), ["value", "other"])
    assert keys(cloud) == keys(gathered([candidates(NODES)], most))
    assert cloud.seen == 600


@given(st.sets(st.integers(0, 599), max_size=50), st.integers(50, 700))
def test_members_of_the_front_are_always_there(chosen, most):
    everything = candidates(NODES)
    members = everything.at(np.array(sorted(chosen), np.int64))
    cloud = gathered([everything], most, members)
    assert len(cloud) == min(most, 600)
    assert len(set(keys(cloud))) == len(cloud)
    assert set(zip(members.rank.tolist(), members.below.tolist(), strict=True)) <= set(keys(cloud))


def test_a_sample_is_even_over_levels_that_are_powers_of_two():
    """2¹² nodes of twelve attributes with two levels: each level about as often as the other."""
    cloud = gathered([candidates([(rank, 1) for rank in range(2**12)])], 1000)
    for stride in strides_of([2] * 12):
        assert 400 < int((cloud.rank // stride % 2).sum()) < 600


def test_memory_is_bounded_while_collecting():
    gathering = CloudSampler(100)
    for begin in range(0, 10_000, 50):
        gathering.offer(candidates([(rank, 1) for rank in range(begin, begin + 50)]))
        assert gathering._held <= 200
    assert gathering.seen == 10_000


@pytest.mark.parametrize("method", ["exhaustive", "exact", "evolve"])
def test_the_cloud_of_a_search(method):
    """Of a search that looks at everything, every candidate; of others, those they looked at."""
    front = MIDDLE.find(method, settings=RunSettings(threads=2))
    evaluator, _ = MIDDLE.parts()
    known = every_candidate(MIDDLE)
    cloud = front.cloud
    for i, (rank, below) in enumerate(keys(cloud)):
        values = known[evaluator.lattice.unrank(rank), below]
        assert {name: column[i] for name, column in cloud.values.items()} == pytest.approx(values)
    assert cloud.seen == len(cloud) <= len(known)
    if method == "exhaustive":
        assert len(cloud) == len(known)
    shown = {(evaluator.lattice.rank(tuple(e.levels.values())), e.suppress_below)
             for e in front.entries}  # fmt: skip
    assert shown <= set(keys(cloud))


def test_a_thinned_cloud_does_not_depend_on_threads():
    evaluator, targets = MIDDLE.parts()
    found = []
    for threads in (1, 2):
        parts = evaluator.sweep(threads=threads)
        gathering = CloudSampler(40)
        for part in parts:
            gathering.offer(vectors_of(evaluator, part, targets))
        names = [target.objective.name for target in targets]
        found.append(gathering.cloud(candidates([]), names))
    assert keys(found[0]) == keys(found[1])
    assert len(found[0]) == 40 < found[0].seen


def test_joined_vectors_keep_the_other_measures():
    both = join([candidates(NODES[:3]), candidates(NODES[3:5])])
    assert both.others.tolist() == (-both.shown).tolist()
