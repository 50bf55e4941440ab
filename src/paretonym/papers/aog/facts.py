"""Facts of the reproduction of attribute-oriented granulation: its running example, and its genetic
algorithm on Adult.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from paretonym.papers.facts import Spread

Code = tuple[int, ...]  # a granulation: the number of each attribute's partition
Rows = tuple[tuple[str, ...], ...]
Groups = tuple[tuple[str, ...], ...]  # people by class

SAME = 1e-12  # products that differ by less are equal


@dataclass(frozen=True, slots=True)
class FigureFacts:
    """A table of the paper, and the same table made again."""

    title: str
    header: tuple[str, ...]
    printed: Rows
    computed: Rows
    note: str = ""  # on what differs

    @property
    def differing(self) -> tuple[int, ...]:
        """Columns in which a cell is not as printed."""
        return tuple(place for place, (a, b) in enumerate(self._columns()) if a != b)

    @property
    def has_same_groups(self) -> bool:
        """Cells of a column are equal where the printed ones are, whatever they show."""
        return all(
            len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))
            for a, b in self._columns()
        )

    def _columns(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Each as printed and as computed."""
        printed, computed = (zip(*rows, strict=True) for rows in (self.printed, self.computed))
        return list(zip(printed, computed, strict=True))

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "differing": [self.header[place] for place in self.differing],
            "same_groups": self.has_same_groups,
        }


@dataclass(frozen=True, slots=True)
class LogicFacts:
    """Section 3.2: who looks like whom after (1, 3, 2), and what is certain of them."""

    ind: Groups
    ind_of: Mapping[str, Groups]  # by attribute
    certain: Mapping[str, tuple[str, ...]]  # by sentence: the lower approximation
    is_secure_for_all: bool  # with (Health, 2) confidential
    is_secure_for_u1: bool  # with (Health, 1) confidential for u1


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """Section 4.3 and Fig. 8: codes, what crossover makes of them, and the repair."""

    decoded: Code  # of 01011010
    second_parent: Code | None  # 00100101 decoded; the paper does not say
    offspring: tuple[str, ...]
    offspring_decoded: tuple[Code, ...]
    repaired: tuple[str, ...]
    one_point: tuple[str, ...]  # Fig. 8
    two_points: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GranulationFacts:
    """One granulation of the running example."""

    code: Code
    names: tuple[str, ...]  # of its partitions
    is_secure: bool
    sf: float
    ql: Mapping[str, float]  # by domain: observed, full

    def product(self, domain: str) -> float:
        return self.sf * self.ql[domain]

    def to_json(self) -> dict[str, Any]:
        products = {domain: self.product(domain) for domain in self.ql}
        return {**asdict(self), "product": products}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the published genetic algorithm ended with, from one seed."""

    seed: int
    code: Code
    product: float  # sf · ql; 0 when nothing secure was found
    evaluations: int


@dataclass(frozen=True, slots=True)
class OptimumFacts:
    """The proven optimum: no secure granulation has a larger sf · ql."""

    code: Code
    product: float
    evaluations: int


@dataclass(frozen=True, slots=True)
class SecrecyFacts:
    """Everything that is found under one set of rules."""

    title: str
    rules: tuple[str, ...]
    nodes: int
    secure: int  # nodes
    minimal: tuple[Code, ...]  # in the order of Fig. 5's output
    tests: Mapping[str, int]  # by search
    full_width: Mapping[str, int]  # of these, tests that leave no attribute out
    optimum: OptimumFacts
    runs: tuple[RunFacts, ...]
    granulations: tuple[GranulationFacts, ...] = ()  # all; of the running example only

    @property
    def reached(self) -> int:
        """Runs that end with the optimum."""
        return sum(self.optimum.product - run.product < SAME for run in self.runs)

    @property
    def evaluations(self) -> Spread:
        return Spread.of([float(run.evaluations) for run in self.runs])

    @property
    def share(self) -> Spread:
        """Of the optimum."""
        return Spread.of([run.product / self.optimum.product for run in self.runs])

    def best(self, domain: str, *, secure: bool = True) -> tuple[GranulationFacts, ...]:
        """By falling sf · ql; secure ones only, or all."""
        kept = [g for g in self.granulations if g.is_secure or not secure]
        return tuple(sorted(kept, key=lambda g: (-g.product(domain), g.code)))

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "reached": self.reached,
            "evaluations": self.evaluations.to_json(),
            "share": self.share.to_json(),
            "granulations": [one.to_json() for one in self.granulations],
        }


@dataclass(frozen=True, slots=True)
class AogFacts:
    """Attribute-oriented granulation on its running example, and its genetic algorithm on Adult as
    well.
    """

    software: str
    runs: int
    seed: int
    domains: Mapping[str, tuple[int, ...]]  # values of each attribute, by domain
    figures: tuple[FigureFacts, ...]
    logic: tuple[LogicFacts, LogicFacts]  # printed, computed
    codes: tuple[CodeFacts, CodeFacts]
    examples: tuple[SecrecyFacts, ...]  # the running example under two sets of rules
    adult: SecrecyFacts

    @property
    def secrecies(self) -> tuple[SecrecyFacts, ...]:
        return (*self.examples, self.adult)

    def to_json(self) -> dict[str, Any]:
        def both(pair: tuple[Any, Any]) -> dict[str, Any]:
            return {"published": asdict(pair[0]), "computed": asdict(pair[1])}

        return {
            "paper": "aog",
            "software": self.software,
            "runs": self.runs,
            "seed": self.seed,
            "domains": dict(self.domains),
            "figures": [figure.to_json() for figure in self.figures],
            "logic": both(self.logic),
            "codes": both(self.codes),
            "secrecies": [one.to_json() for one in self.secrecies],
        }
