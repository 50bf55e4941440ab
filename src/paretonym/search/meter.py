"""How much of a search's budget is used: evaluations, or seconds."""

from __future__ import annotations

import time

from paretonym.model.job import Budget
from paretonym.search.progress import Progress


class Meter:
    """Counts unique node evaluations and seconds, also those before an interruption."""

    def __init__(self, budget: Budget | None, progress: Progress) -> None:
        self.budget = budget
        self.evaluations = 0
        self._progress = progress
        self._earlier = 0.0
        self._started = time.monotonic()
        self._shown = 0

    @property
    def seconds(self) -> float:
        return self._earlier + time.monotonic() - self._started

    def start(self) -> None:
        """Time before this, which went into tables and arrays, is not the search's."""
        self._started = time.monotonic()

    def go_on(self, evaluations: int, seconds: float) -> None:
        """Take up the count of an interrupted search."""
        self.evaluations, self._earlier = evaluations, seconds

    def allowed(self, wanted: int) -> int:
        """How many of the wanted evaluations may still be made; the first ones always."""
        if self.budget is None:
            return wanted
        if self.budget.evaluations is not None:
            return max(0, min(wanted, self.budget.evaluations - self.evaluations))
        late = self.budget.seconds is not None and self.seconds >= self.budget.seconds
        return 0 if late and self.evaluations else wanted

    @property
    def is_timed(self) -> bool:
        return self.budget is not None and self.budget.seconds is not None

    @property
    def is_used_up(self) -> bool:
        return self.allowed(1) == 0

    def count(self, evaluations: int) -> None:
        self.evaluations += evaluations
        done = int(self.seconds) if self.is_timed else self.evaluations
        self._progress.advance(max(0, done - self._shown))
        self._shown = max(done, self._shown)
