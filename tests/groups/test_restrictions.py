"""Compatibility with restrictions and published fitness (Chertov and Tavrov 2017, eq. 2 and 3,
Table 3).
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.groups.test_memetic import region_of
from tests.support.oracles import SHARED

from paretonym.errors import JobError
from paretonym.groups.protection import Protected, ProtectionTask
from paretonym.groups.restrictions import (
    Restriction,
    compatibility,
    published_fitness,
    thresholds,
)
from paretonym.groups.swapping import MILLION, pairs_of
from paretonym.model.group import OutlierRule
from paretonym.model.protect import ProtectSpec, Threshold

# areas 5 and 29 of Chertov and Tavrov 2017: 97 and 45 members, to sink to 10
PAPER = [Restriction("5", 97, Fraction(10)), Restriction("29", 45, Fraction(10))]
FOUND = json.loads(SHARED.read_text()) if SHARED.exists() else []
ROWS = [one for one in FOUND if one["id"].startswith("mu_fit_004")]
# rows 1, 5 and 7 of Table 3 as printed: q5, q29, metric, compatibility, fitness
PRINTED = [(14, 13, 407, 0.990, 0.772), (11, 10, 437, 1.0, 0.755), (10, 8, 459, 1.0, 0.716)]


def scored(q5: int, q29: int, metric: int) -> tuple[float, float]:
    compatible = compatibility(PAPER, {"5": q5, "29": q29})
    swaps = 97 - q5 + 45 - q29
    return compatible, published_fitness(metric, 1846, compatible, swaps, centre=130)


@pytest.mark.parametrize(("q5", "q29", "metric", "compatible", "fitness"), PRINTED)
def test_rows_of_the_published_table(q5, q29, metric, compatible, fitness):
    found = scored(q5, q29, metric)
    assert found[0] == pytest.approx(compatible, abs=0.009)
    assert found[1] == pytest.approx(fitness, abs=0.008)


@pytest.mark.parametrize("oracle", ROWS, ids=lambda one: one["id"])
def test_all_rows_of_the_published_table(oracle):
    given, wanted = oracle["inputs"], oracle["expected"]
    compatible, fitness = scored(given["q5"], given["q29"], given["metric"])
    assert compatible == pytest.approx(wanted["mu_as_printed_formula"], abs=1e-9)
    assert fitness == pytest.approx(wanted["fitness_as_printed_formula_c130"], abs=1e-9)
    assert compatible == pytest.approx(wanted["mu_published"], abs=0.009)
    assert math.sqrt(compatible) == pytest.approx(wanted["mu_geometric_mean"], abs=1e-9)


def test_the_shape_between_threshold_and_value():
    one = Restriction("a", 20, Fraction(10))
    assert [one.compatibility(v) for v in (0, 10, 15, 20, 25)] == [1, 1, 0.5, 0, 0]
    assert one.highest(0.5) == 15
    assert one.highest(1.0) == 10
    assert Restriction("a", 20, Fraction(0)).highest(1.0) == 0


@given(st.integers(0, 60), st.fractions(0, 80), st.floats(0.001, 1.0))
def test_the_highest_value_is_that_of_a_scan(value, threshold, least):
    """Of 0 to the present value: nobody asks for more members than there are."""
    one = Restriction("a", value, threshold)
    wanted = max(v for v in range(value + 1) if one.compatibility(v) >= least)
    assert one.highest(least) == wanted


def test_thresholds_are_the_kth_largest_of_the_others():
    others = [Fraction(v) for v in (3, 9, 7, 7, 1)]
    now = {"a": Fraction(27), "b": Fraction(107)}
    for largest, level in ((1, 9), (2, 7), (3, 7), (4, 3), (5, 1)):
        found = thresholds(now, others, largest=largest, extra=Fraction(0))
        assert found == {"a": level, "b": level}
    safe = thresholds(now, others, largest=2, extra=Fraction(1, 5))
    assert safe == {"a": 3, "b": 0}  # 7 - 20/5, and 7 - 100/5, which is below 0
    with pytest.raises(JobError, match="only 5 areas"):
        thresholds(now, others, largest=6, extra=Fraction(0))


def small_task(**spec) -> ProtectionTask:
    """One outlier of 8 members, threshold 2 by hand; three areas of 2, 1 and 0 members."""
    area = [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10
    member = [n % 10 < (8, 2, 1, 0)[n // 10] for n in range(40)]
    region = region_of(area, member, [[n % 10] for n in range(40)])
    chosen = ProtectSpec(threshold=Threshold(by_hand=(("a", 2),)), **spec)
    return ProtectionTask(None, region, OutlierRule(side="upper"), chosen, ("a",))


def swapped(task: ProtectionTask, count: int) -> Protected:
    """So many members of the outlier with others of the last area, codes n and n + 1."""
    pairs = pairs_of([(n, 30 + (n + 1) % 10) for n in range(count)])
    spent = int(task.region.distortions(pairs).sum())
    return Protected(task, pairs, spent, 0, "flow")


def test_compatibility_counts_exactly_at_its_threshold():
    """Five of 8 with threshold 2 is the middle of the slope: 0.5."""
    assert swapped(small_task(), 3).compatibility == 0.5
    wide = {"new_outliers": "allow", "remaining": Fraction(1), "distortion": Fraction(1)}
    assert swapped(small_task(compatibility=0.5, **wide), 3).paper_faults == []
    above = math.nextafter(0.5, 1)
    assert swapped(small_task(compatibility=above, **wide), 3).paper_faults == ["compatibility"]


def test_distortion_counts_exactly_at_its_threshold():
    """Three swaps of 8 possible ones, each as bad as can be."""
    wide = {"new_outliers": "allow", "remaining": Fraction(1)}
    made = swapped(small_task(distortion=Fraction(3, 8), **wide), 3)
    assert (made.distortion, made.task.most_distorted) == (3 * MILLION, 8 * MILLION)
    assert made.paper_faults == []
    less = replace(made.task.spec, distortion=Fraction(3, 8) - Fraction(1, 10**12))
    assert replace(made, task=replace(made.task, spec=less)).paper_faults == ["distortion"]


def test_remaining_outliers_count_exactly_at_their_threshold():
    """Two areas of 30 among 1s and 2s; one of them is masked."""
    signal = [30, 30, 1, 2, 1, 2, 1, 2, 1, 2]
    area = np.repeat(np.arange(10), 40).tolist()
    member = [n % 40 < signal[n // 40] for n in range(400)]
    region = region_of([min(a, 7) for a in area], member, [[0]] * 400)
    region = replace(region, areas=tuple("abcdefghij"), area=np.array(area))
    rule = OutlierRule(side="upper")
    spec = ProtectSpec(remaining=Fraction(1, 2), distortion=Fraction(1), compatibility=1e-9)
    task = ProtectionTask(None, region, rule, spec, ("a", "b"))
    moved = range(29)
    others = [n for n in range(80, 400) if not member[n]]
    pairs = pairs_of([(m, others[38 * (k % 8)] + k // 8) for k, m in enumerate(moved)])
    made = Protected(task, pairs, 0, 0, "flow")
    assert "b" in made.remaining
    assert "a" not in made.remaining
    assert "old outliers remain" not in made.paper_faults
    strict = replace(task, spec=replace(spec, remaining=Fraction(1, 2) - Fraction(1, 10**9)))
    assert "old outliers remain" in replace(made, task=strict).paper_faults
    assert task.forbidden(made.after) == []
    assert strict.forbidden(made.after) == [1]
