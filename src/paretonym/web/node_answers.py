"""What goes over the wire about candidates, as `app.node_views` writes it."""

from __future__ import annotations

from pydantic import BaseModel, Field


class MeasureShown(BaseModel):
    name: str
    long: str
    value: int | float
    shown: str


class SizesShown(BaseModel):
    """Classes of these sizes."""

    from_: int = Field(alias="from")
    to: int
    classes: int
    rows: int


class QuantileShown(BaseModel):
    share: float
    value: int


class WorstShown(BaseModel):
    value: int
    people: int


class PrivacyShown(BaseModel):
    """How well the released people are protected, from the worst on."""

    property: str
    says: str
    minimum: int
    quantiles: list[QuantileShown]
    maximum: int
    mean: float
    worst: WorstShown
    steps: list[tuple[int, int]]


class LossShown(BaseModel):
    column: str
    level: int
    name: str
    loss: float


class BarShown(BaseModel):
    label: str | None
    before: int
    after: int


class OthersShown(BaseModel):
    values: int
    before: int
    after: int


class DistributionShown(BaseModel):
    column: str
    role: str
    values: int
    blocks: int
    distance: float | None
    bars: list[BarShown]
    others: OthersShown | None


class NotCompared(BaseModel):
    column: str
    why: str


class LostValue(BaseModel):
    label: str | None
    lost: int
    rows: int


class LostShown(BaseModel):
    column: str
    rows: list[LostValue]


class NodeShown(BaseModel):
    """One candidate in full."""

    levels: list[int]
    below: int
    suppressed: int
    released: int
    classes: int
    feasible: bool
    values: list[MeasureShown]
    class_sizes: list[SizesShown]
    privacy: list[PrivacyShown]
    losses: list[LossShown]
    distributions: list[DistributionShown]
    not_compared: list[NotCompared]
    lost: list[LostShown]


class PlaceShown(BaseModel):
    levels: list[int]
    below: int


class SpreadShown(BaseModel):
    property: str
    says: str
    a_over_b: int
    b_over_a: int
    better_a: int
    better_b: int
    equal: int


class ComparedShown(BaseModel):
    name: str
    long: str
    a: str
    b: str
    better: str | None


class PairShown(BaseModel):
    """Two candidates side by side."""

    a: PlaceShown
    b: PlaceShown
    spread: list[SpreadShown]
    values: list[ComparedShown]
