"""Facts of the reproduction of Tavrov and Chertov 2016, the attack: what it prints, and experiments
of our own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from paretonym.groups.adequacy import Adequacy
from paretonym.groups.attack import Attacked, Ranking
from paretonym.groups.rules import Rule
from paretonym.groups.signals import GroupSignals, RegionSignals
from paretonym.report.attack import chance_auc

DISCLOSED, FALSE = 0.61, 0.1  # asked of the experiment: at least, the paper's 60 of 98; at most
NOBODY = Adequacy(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class OutlierCase:
    """A published signal; its outliers are counted from 1, as the paper does."""

    number: int
    signal: tuple[int, ...]
    printed: tuple[int, ...]
    found: tuple[int, ...]

    @property
    def is_same(self) -> bool:
        return self.printed == self.found


@dataclass(frozen=True, slots=True)
class TauFacts:
    """The threshold that such a signal is judged by first."""

    values: int
    alpha: float
    t: float
    tau: float


@dataclass(frozen=True, slots=True)
class PrintedAdequacy:
    """The tests of a confusion matrix as the paper prints them."""

    pa: float
    j: float
    mb: float


@dataclass(frozen=True, slots=True)
class StateRow:
    """A line of Tables 6 and 7."""

    state: str
    outliers: int  # in the quantity signal
    undisclosed: int
    restored: int  # outliers in the auxiliary quantity signal
    false: int

    @property
    def is_consistent(self) -> bool:
        """What is disclosed is the same from either side."""
        return self.outliers - self.undisclosed == self.restored - self.false


@dataclass(frozen=True, slots=True)
class StatesFacts:
    """Table 6 or 7 with the confusion matrix and the tests that follow it."""

    table: int
    about: str
    rows: tuple[StateRow, ...]
    printed_total: StateRow
    matrix: Adequacy  # as printed
    printed: PrintedAdequacy

    @property
    def total(self) -> StateRow:
        columns = ("outliers", "undisclosed", "restored", "false")
        return StateRow("Total", *(sum(getattr(r, name) for r in self.rows) for name in columns))

    @property
    def gives_the_matrix(self) -> bool:
        """The rest, tn, is in no row: the number of areas is not printed by state."""
        sums, cells = self.total, self.matrix
        found = (sums.outliers - sums.undisclosed, sums.undisclosed, sums.false)
        return found == (cells.tp, cells.fn, cells.fp)

    def to_json(self) -> dict[str, Any]:
        return {
            "table": self.table,
            "about": self.about,
            "rows": [asdict(row) for row in self.rows],
            "printed_total": asdict(self.printed_total),
            "total": asdict(self.total),
            "consistent": all(row.is_consistent for row in self.rows),
            "gives_the_matrix": self.gives_the_matrix,
            "printed": asdict(self.printed),
            "computed": self.matrix.to_json(),
        }


@dataclass(frozen=True, slots=True)
class PrintedRule:
    """A rule of Table 5 in words, and whether its printed figures fit each other."""

    rule: Rule
    words: str
    is_general: bool  # it is no specialisation of another one
    fits: bool  # its DF follows from its support and RCF, as far as the digits go

    def to_json(self) -> dict[str, Any]:
        checks = {"is_general": self.is_general, "fits": self.fits}
        return {**asdict(self.rule), "words": self.words, **checks}


@dataclass(frozen=True, slots=True)
class SeedFacts:
    """The fuzzy attack on one generated population, learnt from another one."""

    seed: int
    found: Adequacy
    rules: int
    control: Adequacy  # the same with permuted labels
    control_rules: int

    def to_json(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "found": self.found.to_json(),
            "rules": self.rules,
            "control": self.control.to_json(),
            "control_rules": self.control_rules,
        }


@dataclass(frozen=True, slots=True)
class SurveyFile:
    """A file of the American Community Survey."""

    place: str  # state, and year where it is not 2018
    name: str  # as the Census Bureau calls it
    archive: str  # to be fetched, below its folder of public use microdata


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """All adversaries on real files: where they learnt, and where they looked."""

    key: str
    auxiliary: tuple[str, ...]
    target: tuple[str, ...]
    learnt_from: tuple[int, int]  # records and members after harmonisation
    looked_at: tuple[int, int]
    states: dict[str | None, str]  # names of the regions
    sites: int  # members from which on an area should not rank first
    signals: GroupSignals
    attackers: tuple[Attacked, ...]
    notes: tuple[str, ...]

    @property
    def largest(self) -> RegionSignals:
        """The region with the most members, which is drawn."""
        return max(self.signals.regions, key=lambda region: sum(region.quantity))

    @property
    def ranking(self) -> Ranking:
        """What is ranked is the same for all adversaries."""
        return self.attackers[0].ranking

    @property
    def areas(self) -> int:
        return sum(len(region.areas) for region in self.signals.regions)

    def sites_called_false(self, place: int, one: Attacked) -> int:
        """False outliers of a region that have as many members as a site, all the same.

        Where a third of a region's areas are sites, the quartiles hide them from the technique.
        """
        region, restored = self.signals.regions[place], one.regions[place]
        true = region.judged[self.signals.rule.signal].outliers
        return sum(
            area in restored.outliers and area not in true and members >= self.sites
            for area, members in zip(region.areas, region.quantity, strict=True)
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "split": self.key,
            "auxiliary": list(self.auxiliary),
            "target": list(self.target),
            "learnt_from": dict(zip(("records", "members"), self.learnt_from, strict=True)),
            "looked_at": dict(zip(("records", "members"), self.looked_at, strict=True)),
            "sites": self.sites,
            "chance_auc": chance_auc(self.ranking),
            "signals": self.signals.to_json(),
            "attackers": [one.to_json() for one in self.attackers],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class AttackFacts:
    """Everything."""

    software: str
    runs: int
    seed: int
    outliers: tuple[OutlierCase, ...]
    tau: TauFacts
    states: tuple[StatesFacts, ...]
    rules: tuple[PrintedRule, ...]
    seeds: tuple[SeedFacts, ...]
    files: tuple[SurveyFile, ...]
    missing: tuple[str, ...]  # files that were not there
    splits: tuple[SplitFacts, ...]

    @property
    def found(self) -> Adequacy:
        return sum((one.found for one in self.seeds), NOBODY)

    @property
    def control(self) -> Adequacy:
        return sum((one.control for one in self.seeds), NOBODY)

    @property
    def disclosed(self) -> float:
        """The share of the true outliers that were found."""
        return self.found.sensitivity or 0.0

    @property
    def false(self) -> float:
        """The share of the found outliers that are none."""
        precision = self.found.precision
        return 0.0 if precision is None else 1 - precision

    def to_json(self) -> dict[str, Any]:
        return {
            "paper": "attack",
            "software": self.software,
            "runs": self.runs,
            "seed": self.seed,
            "outliers": [asdict(case) for case in self.outliers],
            "tau": asdict(self.tau),
            "tables": [one.to_json() for one in self.states],
            "rules": [one.to_json() for one in self.rules],
            "generated": {
                "found": self.found.to_json(),
                "control": self.control.to_json(),
                "disclosed": self.disclosed,
                "false": self.false,
                "asked": {"disclosed": DISCLOSED, "false": FALSE},
                "seeds": [one.to_json() for one in self.seeds],
            },
            "survey": {
                "missing": list(self.missing),
                "splits": [one.to_json() for one in self.splits],
            },
        }
