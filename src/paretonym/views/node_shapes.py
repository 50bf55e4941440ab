"""What a page is told of candidates: each form stands here once, for JSON and for its description.

Fields are called as in the JSON. A description of the server's answers is made from these types.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any

from pydantic import Field


class _Told:
    """Something that a page is told on its own."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = _plain(self)
        return found


def _plain(value: Any) -> Any:
    """As `dataclasses.asdict` without its deep copies, with lists for tuples."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if is_dataclass(value):
        # a field called as a word of Python, such as `from`, ends in an underscore
        return {part.name.rstrip("_"): _plain(getattr(value, part.name)) for part in fields(value)}
    return value


@dataclass(frozen=True, slots=True)
class MeasureView:
    name: str
    long: str
    value: float | int
    shown: str


@dataclass(frozen=True, slots=True)
class SizesView:
    """Classes of these sizes."""

    from_: Annotated[int, Field(alias="from")]
    to: int
    classes: int
    rows: int


@dataclass(frozen=True, slots=True)
class QuantileView:
    """A share of the people, who have at most this value."""

    share: float
    value: int


@dataclass(frozen=True, slots=True)
class WorstView:
    value: int
    people: int  # who have it


@dataclass(frozen=True, slots=True)
class PrivacyView:
    """How a property is distributed over the released people; the suppressed are not counted."""

    property: str
    says: str
    minimum: int
    quantiles: tuple[QuantileView, ...]
    maximum: int
    mean: float
    worst: WorstView
    steps: tuple[tuple[int, int], ...]  # value, people with at most that; evenly spread if many


@dataclass(frozen=True, slots=True)
class LossView:
    column: str
    level: int
    name: str
    loss: float


@dataclass(frozen=True, slots=True)
class BarView:
    label: str | None
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class OthersView:
    """Values that have no bar of their own."""

    values: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class DistributionView:
    """Rows of each value as the release writes it, in the whole table and in the release.

    `distance` is the total variation between the two at the released level of detail, which is
    what rows left out do to it: the share of people that would have to move; None when nobody is
    released. Values beyond the most frequent ones, and rare ones that were left out altogether,
    are counted together as `others`.
    """

    column: str
    role: str
    values: int  # different ones in the table, before anything is coarsened
    blocks: int  # different ones in the release
    distance: float | None
    bars: tuple[BarView, ...]
    others: OthersView | None


@dataclass(frozen=True, slots=True)
class NotComparedView:
    """A column that has no distribution here."""

    column: str
    why: str


@dataclass(frozen=True, slots=True)
class LostValue:
    label: str | None
    lost: int
    rows: int


@dataclass(frozen=True, slots=True)
class LostView:
    """Values of a column that lost rows."""

    column: str
    rows: tuple[LostValue, ...]


@dataclass(frozen=True, slots=True)
class NodeView(_Told):
    """One candidate. Without one at its threshold (`feasible` is false) it has no values."""

    levels: tuple[int, ...]
    below: int
    suppressed: int
    released: int
    classes: int
    feasible: bool
    values: tuple[MeasureView, ...]
    class_sizes: tuple[SizesView, ...]
    privacy: tuple[PrivacyView, ...]
    losses: tuple[LossView, ...]
    distributions: tuple[DistributionView, ...]
    not_compared: tuple[NotComparedView, ...]
    lost: tuple[LostView, ...]


@dataclass(frozen=True, slots=True)
class PlaceView:
    levels: tuple[int, ...]
    below: int


@dataclass(frozen=True, slots=True)
class SpreadView:
    """The spread index both ways, and for how many people each side is better."""

    property: str
    says: str
    a_over_b: int
    b_over_a: int
    better_a: int
    better_b: int
    equal: int


@dataclass(frozen=True, slots=True)
class ComparedView:
    name: str
    long: str
    a: str
    b: str
    better: str | None  # "a", "b" or "equal"; None: the measure has no direction


@dataclass(frozen=True, slots=True)
class CompareView(_Told):
    """Two candidates side by side."""

    a: PlaceView
    b: PlaceView
    spread: tuple[SpreadView, ...]
    values: tuple[ComparedView, ...]


@dataclass(frozen=True, slots=True)
class PreviewView(_Told):
    """Rows of a release for its publisher's eyes; it is checked by nothing."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    released: int
