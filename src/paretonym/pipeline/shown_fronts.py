"""A front that knows the job it comes from, so that a notebook can draw it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from paretonym.model.front import Front
from paretonym.model.granulation import Granulation
from paretonym.pipeline.open_job import OpenJob
from paretonym.report import front_facts
from paretonym.report.facts import FrontFacts
from paretonym.report.notebook import front_fragment
from paretonym.report.words import Basis, glm_maximum, shown_values


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFront(Front):
    """The same front; the rest is what a report needs beside it."""

    hierarchies: tuple[Granulation, ...] = field(compare=False, repr=False)
    weights: Mapping[str, Fraction] = field(compare=False, repr=False)
    limit_rows: int = field(compare=False, repr=False)
    rule: str = field(compare=False, repr=False)

    @classmethod
    def of(cls, front: Front, opened: OpenJob) -> ShownFront:
        return cls(
            **{part.name: getattr(front, part.name) for part in fields(Front)},
            hierarchies=opened.lattice.granulations,
            weights={c.name: Fraction(c.weight) for c in opened.job.columns},
            limit_rows=opened.limit,
            rule=opened.job.suppression.rule,
        )

    def facts(self) -> FrontFacts:
        """What the report of this front says, as plain numbers and words."""
        return front_facts(
            self,
            hierarchies=self.hierarchies,
            limit_rows=self.limit_rows,
            rule=self.rule,
            weights=self.weights,
        )

    @property
    def basis(self) -> Basis:
        """What shares of rows and of the largest loss refer to."""
        columns = [granulation.column for granulation in self.hierarchies]
        return Basis(self.rows, glm_maximum(self.rows, columns, self.weights))

    @property
    def shown(self) -> tuple[dict[str, str], ...]:
        """The values of every entry as people read them."""
        return tuple(shown_values(entry.values, self.basis) for entry in self.entries)

    def to_json(self, *, with_seconds: bool = True) -> dict[str, Any]:
        # without arguments, super() fails in a class that was made anew for its slots
        data = Front.to_json(self, with_seconds=with_seconds)
        for entry, shown in zip(data["front"], self.shown, strict=True):
            entry["shown"] = shown
        return data

    def _repr_html_(self) -> str:
        return front_fragment(self.facts())
