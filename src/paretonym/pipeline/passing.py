"""Columns that pass through as they are: what they hold, counted once when somebody looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from paretonym.encode import CountColumn, encode
from paretonym.errors import TableError
from paretonym.model.granulation import Granulation
from paretonym.tables import Table

COMPARED = 1000  # distinct values up to which a distribution is compared
_CELLS = 10**7  # of the columns read in one go


class PassedThrough:
    """Counts of columns that no measure needs, for the combinations of an encoded histogram."""

    def __init__(
        self, table: Table, granulations: Sequence[Granulation], names: Sequence[str]
    ) -> None:
        self._table = table
        self._granulations = granulations
        self._names = names

    @cached_property
    def not_compared(self) -> Mapping[str, str]:
        """Columns that are left out, each with the reason."""
        reasons = {name: self._reason(name) for name in self._names}
        return {name: reason for name, reason in reasons.items() if reason}

    @cached_property
    def counts(self) -> Mapping[str, CountColumn]:
        names = [name for name in self._names if name not in self.not_compared]
        together = max(1, _CELLS // max(1, self._table.rows()))
        found: dict[str, CountColumn] = {}
        for first in range(0, len(names), together):
            found |= self._counted(names[first : first + together])
        return found

    def _reason(self, name: str) -> str | None:
        try:
            (profile,) = self._table.combinations([[name]])
        except TableError:
            return f"values of type {self._table.types[name]} have no plain text form"
        values = profile.distinct
        return f"it has {values:,} values, more than {COMPARED:,}" if values > COMPARED else None

    def _counted(self, names: Sequence[str]) -> dict[str, CountColumn]:
        keys = [granulation.column for granulation in self._granulations]
        raw = self._table.histogram([*keys, *names])
        return dict(encode(raw, self._granulations, names).counts)
