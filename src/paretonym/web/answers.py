"""What goes over the wire: requests that are checked, answers whose form is documented."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from paretonym.web.messages import Kind

MOST_CHANGES = 200
MOST_LEVELS = 1000
DEEPEST = 50  # a job nests to 20 at most


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_plain(cls, data: Any) -> Any:
        _refuse_odd(data)
        return data


def _refuse_odd(data: Any, depth: int = 0) -> None:
    """JSON can hold halves of surrogate pairs, which no file can, and nest without end."""
    if depth > DEEPEST:
        raise ValueError
    if isinstance(data, str):
        data.encode()
    elif isinstance(data, Mapping):
        for key, value in data.items():
            _refuse_odd(key, depth + 1)
            _refuse_odd(value, depth + 1)
    elif isinstance(data, list):
        for item in data:
            _refuse_odd(item, depth + 1)


class ChangeAsked(_Asked):
    """One key of the job: a new value, or gone."""

    path: Annotated[list[str | int], Field(min_length=1, max_length=20)]
    value: Any = None
    remove: bool = False


class EditAsked(_Asked):
    """Either changes of single keys, or the whole text."""

    revision: int
    says: Annotated[str, Field(max_length=200)] | None = None
    changes: Annotated[list[ChangeAsked], Field(max_length=MOST_CHANGES)] | None = None
    text: str | None = None


class CheckAsked(_Asked):
    """Changes that are only looked at."""

    changes: Annotated[list[ChangeAsked], Field(max_length=MOST_CHANGES)]


class RevisionAsked(_Asked):
    revision: int


Level = Annotated[int, Field(ge=0, le=1_000_000)]
Levels = Annotated[list[Level], Field(max_length=MOST_LEVELS)]


# the task that found the front on show: levels mean something for its job only
FrontId = Annotated[str, Field(max_length=64)] | None


class EntryAsked(_Asked):
    code: Annotated[str, Field(min_length=1, max_length=100)]


class EntryShown(BaseModel):
    token: str


class NodeAsked(_Asked):
    """A candidate: levels in the order of the quasi-identifiers, and what is suppressed."""

    levels: Levels
    below: Annotated[int, Field(ge=1, le=2**53)] | None = None
    front: FrontId = None


class PairAsked(_Asked):
    a: NodeAsked
    b: NodeAsked
    front: FrontId = None


class TaskAsked(_Asked):
    """`digest` and `front`, of a release: the job and the front that its levels were chosen for."""

    kind: Kind
    digest: Annotated[str, Field(max_length=64)] | None = None
    front: FrontId = None
    levels: Levels = []
    below: Annotated[int, Field(ge=1, le=2**53)] | None = None
    format: Literal["csv", "parquet"] = "csv"
    neutralise: bool = False


class HierarchyAsked(_Asked):
    """What the job says, or would say, of one column."""

    column: str
    data: dict[str, Any]


Wanted = Literal["job", "data", "public", "release", "front", "attack", "protect"]


class DownloadAsked(_Asked):
    what: Wanted


class Where(BaseModel):
    line: int | None = None


class FaultShown(BaseModel):
    """Every refusal: what is wrong, where, what to do, and its kind where a page can help."""

    message: str
    where: Where | None = None
    kind: Literal["encoding", "header"] | None = None


class CheckShown(BaseModel):
    name: str
    promised: Any
    recomputed: Any
    holds: bool


class TaskShown(BaseModel):
    id: str
    project: str
    kind: Kind
    state: Literal["running", "done", "failed", "cancelled"]
    what: str
    done: int
    total: int
    started: str
    seconds: float
    message: str | None
    checks: list[CheckShown]
    log: list[str]
    digest: str
    has_result: bool
    levels: list[int]
    below: int | None


class EditShown(BaseModel):
    says: str
    undone: bool


class LineFault(BaseModel):
    message: str
    line: int | None
    path: list[str | int] = []


class Parts(BaseModel):
    """Which rooms a job has something for."""

    columns: bool
    confidential: bool
    groups: bool


class Order(BaseModel):
    """Keys as they follow each other in the job; JavaScript would put 2020 before all others."""

    columns: list[str]
    groups: list[str]
    require: list[str]


class ProjectBrief(BaseModel):
    id: str
    name: str
    table: str


class ProjectOpen(ProjectBrief):
    """What closing it would lose."""

    unsaved: bool
    running: bool


class ProjectShown(ProjectBrief):
    revision: int
    digest: str
    text: str
    faults: list[LineFault]
    edits: list[EditShown]
    saved: bool
    savable: bool
    path: str | None
    has: Parts
    job: Any
    order: Order
    tasks: list[TaskShown]


class ExampleShown(BaseModel):
    name: str
    says: str


class MeasureKnown(BaseModel):
    """How pages offer, say and bound a measure; words may hold {column}."""

    name: str
    takes_column: bool
    direction: Literal["max", "min"] | None
    unit: str
    long: str
    short: str
    says: str
    roles: list[str]
    needs_rules: bool
    first_bound: str | None


class DirectionSaid(BaseModel):
    better: str
    side: str
    sign: str


class StateShown(BaseModel):
    software: str
    temporary: bool
    upload_limit: int
    projects: list[ProjectOpen]
    examples: list[ExampleShown]
    measures: list[MeasureKnown]
    directions: dict[str, DirectionSaid]


class DownloadShown(BaseModel):
    address: str


class ResultShown(BaseModel):
    task: TaskShown
    result: Any
    stale: bool
