"""The checker's own outliers are those of the definition, and those of the engine."""

from __future__ import annotations

import json
import random

import pytest
from tests.support.oracles import SHARED

from paretonym.groups.outliers import find_outliers, tau
from paretonym.publishing.outlier_areas import outliers_of, threshold

ORACLES = json.loads(SHARED.read_text(encoding="utf-8")) if SHARED.exists() else []
PUBLISHED = [one for one in ORACLES if one["id"].startswith("mttt_") and "q" in one["inputs"]]


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: case["id"])
def test_published_signals(case):
    expected = case["expected"]
    q, alpha = case["inputs"]["q"], case["inputs"]["alpha"]
    wanted = expected.get("out", expected.get("default"))
    assert [i + 1 for i in outliers_of(q, alpha=alpha, upper_only=False)] == wanted
    if "upper_only" in expected:
        assert [i + 1 for i in outliers_of(q, alpha=alpha, upper_only=True)] == expected[
            "upper_only"
        ]


def test_a_hand_can_follow():
    """Median 2, quartiles 1 and 3, spread 1.48: 30 is far, and then the rest is close."""
    assert outliers_of([1, 2, 3, 1, 2, 3, 30], alpha=0.01, upper_only=False) == (6,)
    assert outliers_of([5, 9], alpha=0.01, upper_only=False) == ()
    assert outliers_of([4, 4, 4, 5], alpha=0.01, upper_only=False) == (3,)


def test_the_threshold_of_38_values():
    assert threshold(38, 0.01) == pytest.approx(2.477842527184262, rel=1e-9)


@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.01, 1e-4, 1e-6])
def test_thresholds_agree_with_the_engine(alpha):
    for count in (3, 4, 5, 10, 101, 2000):
        assert threshold(count, alpha) == pytest.approx(tau(count, alpha), rel=1e-9)


def random_signal(draw: random.Random) -> list[float]:
    size = draw.randrange(0, 40)
    kind = draw.randrange(3)
    if kind == 0:
        return [float(draw.choice([0, 0, 1, 2, 3, 30])) for _ in range(size)]
    if kind == 1:
        return [draw.gauss(0, 1) ** 3 for _ in range(size)]
    return [draw.randrange(12) / draw.randrange(12, 40) for _ in range(size)]


def test_random_signals_agree_with_the_engine():
    draw = random.Random(7)
    for _ in range(500):
        signal = random_signal(draw)
        alpha = draw.choice([0.2, 0.05, 0.01, 0.001])
        for side in ("both", "upper"):
            wanted = find_outliers(signal, alpha=alpha, side=side).indexes
            assert outliers_of(signal, alpha=alpha, upper_only=side == "upper") == wanted
