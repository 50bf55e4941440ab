"""An objective as searches see it."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.measures import Measure
from paretonym.model.front import Objective


@dataclass(frozen=True, slots=True)
class Target:
    """An objective and the measure behind it."""

    objective: Objective
    measure: Measure
