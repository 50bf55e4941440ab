"""The influential metric by hand, and the cheapest partners against looking at all of them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.errors import JobError
from paretonym.groups.records import Column
from paretonym.groups.swapping import MILLION
from paretonym.groups.traits import traits_of
from paretonym.kernels.distance import FAR, Traits, distortions, nearest
from paretonym.model.protect import Influence


def column(*texts: str | None) -> Column:
    return Column.of(texts, np.arange(len(texts)))


def between(one: Influence, *texts: str | None) -> int:
    """Of swapping the first with the second."""
    traits = traits_of({one.column: column(*texts)}, [one])
    return int(distortions(traits, np.array([0]), np.array([1]))[0])


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("0", "0", 0),  # 0/0 counts nothing
        ("0", "5", MILLION),
        ("10", "30", MILLION // 4),
        ("1", "2", 111_111),
        ("2", "2.0", 0),
        ("0.5", "1.5", 250_000),
        (None, None, 0),
        (None, "0", MILLION),
        ("7", None, MILLION),
    ],
)
def test_ordinal_values(first, second, wanted):
    """((x - y) / (x + y))² of Tavrov and Chertov 2016, eq. 25."""
    assert between(Influence("age", ordinal=True), first, second) == wanted
    assert between(Influence("age", ordinal=True), second, first) == wanted
    half = Influence("age", Fraction(1, 2), ordinal=True)
    assert between(half, first, second) == math.floor(wanted / 2 + 0.5)


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [("a", "a", 0), ("a", "b", 1), (None, None, 0), (None, "a", 1), ("01", "1", 1)],
)
def test_categories(first, second, wanted):
    assert between(Influence("race"), first, second) == wanted * MILLION
    assert between(Influence("race", Fraction("2.5")), first, second) == wanted * 2_500_000


def test_values_of_one_grouping_are_one_category():
    one = Influence("means", groups=(("car", "bus"), ("foot",)))
    wanted = {("car", "bus"): 0, ("car", "foot"): 1, ("foot", "foot"): 0, ("car", "train"): 1,
              ("train", "ship"): 1, ("bus", None): 1}  # fmt: skip
    for pair, differs in wanted.items():
        assert between(one, *pair) == differs * MILLION, pair


def test_attributes_add_up():
    columns = {"race": column("a", "b"), "age": column("10", "30"), "sex": column("f", "m")}
    parts = [Influence("race", Fraction(2)), Influence("age", Fraction(3), ordinal=True),
             Influence("sex")]  # fmt: skip
    found = distortions(traits_of(columns, parts), np.array([0]), np.array([1]))
    assert found.tolist() == [2 * MILLION + 3 * MILLION // 4 + MILLION]
    assert found.dtype == np.int64


@pytest.mark.parametrize(
    ("texts", "said"),
    [(("-12345", "3"), "1 are below 0"), (("secret", "3"), "1 are no numbers"),
     (("1e999", "3"), "no numbers")],
)  # fmt: skip
def test_ordinals_from_0_on(texts, said):
    with pytest.raises(JobError, match=r"protect\.influential\.income") as caught:
        between(Influence("income", ordinal=True), *texts)
    assert said in str(caught.value)
    assert not any(text in str(caught.value) for text in texts if len(text) > 1)


@st.composite
def records(draw):
    """Traits, kinds, members sought, and others by area; enough that blocks are cut in two."""
    seed = draw(st.integers(0, 2**32 - 1))
    generator = np.random.default_rng(seed)
    count = draw(st.sampled_from([5, 30, 300, 7000]))
    codes, ordinal = draw(st.integers(0, 4)), draw(st.integers(0, 2))
    numbers = generator.integers(0, 4, (count, ordinal)).astype(float)
    numbers[generator.random(numbers.shape) < 0.1] = np.nan
    heavy = draw(st.sampled_from([MILLION, 3_000 * MILLION]))  # the latter needs wide sums
    traits = Traits(
        generator.integers(0, 3, (count, codes)).astype(np.int32),
        generator.integers(1, 4, codes) * heavy,
        numbers,
        generator.integers(1, 4, ordinal) * 0.25 * MILLION,
    )
    area = generator.integers(0, 3, count)
    return traits, generator.integers(0, 2, count), area, generator.random(count) < 0.2, seed


@given(records())
def test_distances_are_symmetric_and_none_with_oneself(case):
    traits, _, _, _, seed = case
    draw = np.random.default_rng(seed + 1)
    first, second = draw.integers(0, len(traits.codes), (2, 20))
    assert (distortions(traits, first, second) == distortions(traits, second, first)).all()
    assert not distortions(traits, first, first).any()
    assert (distortions(traits, first, second) >= 0).all()


@settings(max_examples=40)
@given(records(), st.lists(st.integers(0, 6), min_size=3, max_size=3))
def test_nearest_are_those_of_a_full_search(case, lengths):
    traits, kind, area, member, _ = case
    sought = np.flatnonzero(member)[:6]
    others = np.flatnonzero(~member)
    others = others[np.argsort(area[others], kind="stable")]
    start = np.concatenate([[0], np.cumsum(np.bincount(area[others], minlength=3))])
    keep = np.array(lengths)
    slot = np.concatenate([[0], np.cumsum(keep)[:-1]])
    found = np.full((len(sought), keep.sum()), -7, np.int32)
    costs = np.full(found.shape, -7, np.int64)
    nearest(traits, kind, sought, others, start, keep, slot, found, costs)
    for row, own in enumerate(sought):
        for place in range(3):
            near = [o for o in others[start[place] : start[place + 1]] if kind[o] == kind[own]]
            apart = distortions(traits, np.full(len(near), own), np.array(near, np.int64))
            wanted = sorted(zip(apart.tolist(), range(len(near)), strict=True))[: keep[place]]
            pad = [-1] * (keep[place] - len(wanted))
            part = slice(slot[place], slot[place] + keep[place])
            assert found[row, part].tolist() == [near[n] for _, n in wanted] + pad
            assert costs[row, part].tolist() == [c for c, _ in wanted] + [int(FAR) for _ in pad]
