"""Measures of a test's own, forgotten after it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import paretonym as pn
from paretonym.measures import Measure, Monotone, Reduce, Statistic, direct, registry
from paretonym.model import measure_info
from paretonym.model.front import Direction
from paretonym.model.measure_info import MeasureInfo, Unit

SMALL = MeasureInfo(
    name="in_pairs",
    direction=Direction.MIN,
    unit=Unit.ROWS,
    long="rows in classes of two at most",
    short="in pairs",
    says="released people who share their class with one other at most",
    least=Fraction(0),
    first_bound="0",
    risk=True,
)


@pytest.fixture
def own_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    monkeypatch.setattr(measure_info, "_KNOWN", dict(measure_info._KNOWN))


def register_in_pairs(info: MeasureInfo | str = SMALL) -> None:
    @pn.register(info)
    def in_pairs() -> Measure:
        statistic = Statistic(
            "in_pairs",
            lambda classes, _: np.where(classes.size <= 2, classes.size, 0),
            Reduce.SUM,
        )
        if isinstance(info, str):
            return Measure(
                info, Direction.MIN, (statistic,), direct("in_pairs"), Monotone.NO, "few alike"
            )
        return Measure.of(info, (statistic,), direct("in_pairs"), Monotone.NO)
