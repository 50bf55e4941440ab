"""What the maker of a release hands over for its internal report, beside the manifests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paretonym.model.bound import Bound
from paretonym.model.group import GroupSpec
from paretonym.model.secret import Secrecy
from paretonym.model.swap import Swaps
from paretonym.report.words import Number

Sizes = Sequence[tuple[int, int]]  # size of a class, number of classes of that size


@dataclass(frozen=True, slots=True)
class HierarchyApplied:
    column: str
    level: int
    name: str
    digest: str
    leaves: int  # values in the domain
    blocks: int  # that are told apart at this level
    declared: bool = False  # the domain, not only what occurs


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """One column before and after, by the same measures."""

    column: str
    values_before: int  # told apart in the table
    values_after: int  # told apart in the release
    moved: float  # total variation distance at the released level, 0..1
    loss: float | None = None  # share 0..1 of what a quasi-identifier can lose


@dataclass(frozen=True, slots=True)
class Settings:
    """What the job asked for and how the released node was found."""

    objectives: tuple[str, ...]
    require: tuple[Bound, ...]
    limit: int  # rows
    rule: str
    asked: str  # the search of the job
    used: str | None = None  # the search that ran; None: the levels were named by hand
    exact: bool = False
    evaluated: int = 0
    nodes: int = 0
    budget: str | None = None


@dataclass(frozen=True, slots=True)
class ReleaseExtra:
    """What the maker of a release knows beside its manifests."""

    hierarchies: Sequence[HierarchyApplied] = ()
    changes: Sequence[ColumnChange] = ()
    # column -> (label of a value, rows lost, rows before)
    suppressed_by_group: Mapping[str, Sequence[tuple[str | None, int, int]]] = field(
        default_factory=dict
    )
    sizes_before: Sizes = ()  # of the table as it came
    class_sizes: Sizes = ()  # of the release
    before: Mapping[str, Number] = field(default_factory=dict)
    after: Mapping[str, Number] = field(default_factory=dict)
    dropped: Sequence[str] = ()  # columns that name a person directly
    omitted: Sequence[str] = ()  # left out as well, but they name nobody
    # column, reason why it may pass unchanged or may match a dropped identifier
    reasons: Sequence[tuple[str, str]] = ()
    settings: Settings | None = None
    notes: Sequence[str] = ()
    glm_maximum: float | None = None  # n · Σ weights; without it GLM is shown as it is
    secrecy: Secrecy = field(default_factory=Secrecy)  # rules of confidentiality
    swaps: Swaps | None = None
    steps: Sequence[str] = ()  # of the plan, in words and in their order
    # groups whose protection made the swaps, each with the adversaries who tried
    groups: Sequence[tuple[GroupSpec, tuple[str, ...]]] = ()
    sections: str = ""  # further HTML of the internal report, as it is
