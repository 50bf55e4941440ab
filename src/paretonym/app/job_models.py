"""The forms a job's data must have; each field is described in docs/job-file.md.

Data arrives as texts, lists and mappings. A form casts the texts and refuses unknown keys;
what concerns several columns at once is checked in `app.job`.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
)

from paretonym.app import job_text as text
from paretonym.app.job_groups import GROUP_FORMS, GroupForm
from paretonym.app.job_secrets import GeneticForm, SecretForm, Secrets, SecurityForm
from paretonym.app.job_tables import Delimiter, Said, TableForm, path_alone
from paretonym.app.job_text import TAG, Form
from paretonym.app.swap_files import load_swaps
from paretonym.errors import JobError, nearest
from paretonym.model.hierarchy import (
    Chain,
    Dates,
    DateUnit,
    Family,
    FromFile,
    Groups,
    HierarchySpec,
    Intervals,
    Mask,
    OrderedGroups,
    Suppress,
)
from paretonym.model.job import Budget, ColumnSpec, Limit, Method, Rule
from paretonym.model.schema import Role
from paretonym.model.swap import Swaps
from paretonym.model.writing import Way


def _unit(value: Any) -> str:
    return text.choice(value, list(get_args(DateUnit)), "unit")


def read_method(value: Any) -> Method:
    return cast(Method, text.choice(value, list(get_args(Method)), "method"))


def _rule(value: Any) -> str:
    return text.choice(value, list(get_args(Rule)), "rule")


def _way(value: Any) -> str:
    return text.choice(value, list(get_args(Way)), "way to write")


def _type(value: Any) -> str:
    if value == "number":
        return "number"
    hint = nearest(value, ["number"]) if isinstance(value, str) else ""
    raise text.fault(f"unknown type{hint}; number is the only one, values are text without it")


def _side(value: Any) -> str:
    return text.choice(value, ["right", "left"], "side")


def _file_path(value: Any, info: ValidationInfo) -> Path:
    return text.find_file(value, Path(info.context or ""))


def _swaps(value: Any, info: ValidationInfo) -> Swaps:
    """Read here, so that a damaged file is told with everything else that is wrong."""
    try:
        return load_swaps(_file_path(value, info))
    except JobError as error:
        raise text.fault(str(error)) from None


def _named_groups(value: Any) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
    """Read here, not by pydantic, whose places would name groups and count on their names."""
    levels = value if isinstance(value, list) else [value]
    if not levels:
        raise text.fault("no groups; write {name: [value, value], …}")
    result = []
    for number, level in enumerate(levels, start=1):
        if not isinstance(level, dict) or not level:
            raise text.fault(f"level {number}: expected a mapping {{name: [value, value], …}}")
        for place, members in enumerate(level.values(), start=1):
            if not isinstance(members, list) or not all(isinstance(m, str) for m in members):
                raise text.fault(f"level {number}, group {place}: expected a list of values")
        result.append(tuple((name, tuple(members)) for name, members in level.items()))
    return tuple(result)


Number = Annotated[Decimal, PlainValidator(text.read_number)]
Bound = Annotated[Decimal, PlainValidator(text.read_bound)]
Positive = Annotated[Decimal, PlainValidator(text.read_positive)]
Whole = Annotated[int, PlainValidator(text.read_whole)]
Flag = Annotated[bool, PlainValidator(text.read_flag)]


class FileForm(Form):
    """hierarchy: {file: country.csv}"""

    file: Annotated[Path, PlainValidator(_file_path)]
    delimiter: Delimiter | None = None
    open_top: Flag = False

    def spec(self, _column: ColumnForm) -> Chain:
        return FromFile(self.file, self.delimiter, self.open_top)


class IntervalsForm(Form):
    """hierarchy: {intervals: [5, 10]}"""

    intervals: Annotated[tuple[Number, ...], BeforeValidator(text.listed), Field(min_length=1)]
    origin: Number = Decimal(0)
    bottom: Number | None = None
    top: Number | None = None
    decimal_comma: Flag = False

    def spec(self, column: ColumnForm) -> Chain:
        comma = self.decimal_comma or bool(column.decimal_comma)
        return Intervals(self.intervals, self.origin, self.bottom, self.top, comma)


class MaskForm(Form):
    """hierarchy: {mask: right}"""

    mask: Annotated[Literal["left", "right"], PlainValidator(_side)]

    def spec(self, _column: ColumnForm) -> Chain:
        return Mask(self.mask)


class OrderForm(Form):
    """hierarchy: {order: [low, middle, high, top], groups_of: [2]}"""

    order: Annotated[tuple[str, ...], Field(min_length=1)]
    groups_of: Annotated[tuple[Whole, ...], BeforeValidator(text.listed), Field(min_length=1)]

    def spec(self, _column: ColumnForm) -> Chain:
        return OrderedGroups(self.order, self.groups_of)


class GroupsForm(Form):
    """hierarchy: {groups: {work: [private, public], none: [retired]}}"""

    groups: Annotated[
        tuple[tuple[tuple[str, tuple[str, ...]], ...], ...], PlainValidator(_named_groups)
    ]
    open_top: Flag = False

    def spec(self, _column: ColumnForm) -> Chain:
        return Groups(self.groups, self.open_top)


class DateForm(Form):
    """hierarchy: {date: [month, year]}"""

    date: Annotated[
        tuple[Annotated[DateUnit, PlainValidator(_unit)], ...],
        BeforeValidator(text.listed),
        Field(min_length=1),
    ]

    def spec(self, column: ColumnForm) -> Chain:
        return Dates(column.format or "", self.date)


class SuppressForm(Form):
    """hierarchy: suppress"""

    def spec(self, _column: ColumnForm) -> Chain:
        return Suppress()


BUILDERS: dict[str, type[Form]] = {
    "file": FileForm,
    "intervals": IntervalsForm,
    "mask": MaskForm,
    "order": OrderForm,
    "groups": GroupsForm,
    "date": DateForm,
}
FORMS: dict[str, type[Form]] = {TAG + name: form for name, form in BUILDERS.items()}


def _one_builder(value: Any) -> Any:
    """`suppress`, or a mapping with exactly one builder; says so where it is neither."""
    if value == "suppress":
        return {}
    ways = f"'suppress' or a mapping with one of {', '.join(BUILDERS)}"
    if isinstance(value, str):
        hint = nearest(value, ["suppress"])
        hint = f"; {value} is a key, as in {{{value}: …}}" if value in BUILDERS else hint
        raise text.fault(f"unknown hierarchy{hint}; write {ways}")
    if not isinstance(value, dict):
        raise text.fault(f"expected {ways}")
    found = [name for name in BUILDERS if name in value]
    if len(found) > 1:
        raise text.fault(f"{' and '.join(found)} cannot be combined; keep one of them")
    if not found and "groups_of" not in value:
        hints = (nearest(key, list(BUILDERS)) for key in value)
        raise text.fault(f"no builder{next(filter(None, hints), '')}; write {ways}")
    return value


def _builder_of(value: Any) -> str:
    found = next((name for name in BUILDERS if name in value), "order")
    return TAG + (found if value else "suppress")


Hierarchy = Annotated[
    Annotated[FileForm, Tag(TAG + "file")]
    | Annotated[IntervalsForm, Tag(TAG + "intervals")]
    | Annotated[MaskForm, Tag(TAG + "mask")]
    | Annotated[OrderForm, Tag(TAG + "order")]
    | Annotated[GroupsForm, Tag(TAG + "groups")]
    | Annotated[DateForm, Tag(TAG + "date")]
    | Annotated[SuppressForm, Tag(TAG + "suppress")],
    Discriminator(_builder_of),
    BeforeValidator(_one_builder),
]


class ColumnForm(Form):
    """One column: what it is and how it may be generalised."""

    role: Annotated[frozenset[Role], PlainValidator(text.read_roles)]
    hierarchy: Hierarchy | None = None
    partitions: Annotated[dict[str, Hierarchy], Field(min_length=1)] | None = None
    type: Annotated[Literal["number"], PlainValidator(_type)] | None = None
    format: Said | None = None
    decimal_comma: Flag | None = None
    write: Annotated[Way, PlainValidator(_way)] | None = None
    weight: Positive | None = None
    because: Said | None = None
    may_match: Said | None = None

    @property
    def builders(self) -> tuple[Form, ...]:
        single = () if self.hierarchy is None else (self.hierarchy,)
        return (*single, *(self.partitions or {}).values())

    def spec(self, name: str) -> ColumnSpec:
        return ColumnSpec(
            name=name,
            roles=self.role,
            hierarchy=self.hierarchy_spec(),
            weight=Fraction(1 if self.weight is None else self.weight),
            because=self.because,
            may_match=self.may_match,
            numeric=self.type == "number",
            decimal_comma=bool(self.decimal_comma)
            or any(
                isinstance(form, IntervalsForm) and form.decimal_comma for form in self.builders
            ),
            format=self.format,
            write=self.write or "label",
        )

    def hierarchy_spec(self) -> HierarchySpec | None:
        if self.partitions is not None:
            return Family(tuple((n, form.spec(self)) for n, form in self.partitions.items()))
        return None if self.hierarchy is None else self.hierarchy.spec(self)


class SuppressionForm(Form):
    """How many rows may be left out, and by which rule."""

    limit: Annotated[Limit, PlainValidator(text.read_limit)] = Limit(rows=0)
    rule: Annotated[Rule, PlainValidator(_rule)] = "staircase"


class SearchForm(Form):
    """How the front is looked for."""

    method: Annotated[Method, PlainValidator(read_method)] = "auto"
    seed: Whole | None = None
    budget: Annotated[Budget, PlainValidator(text.read_budget)] | None = None


Objective = Annotated[str, PlainValidator(text.read_objective)]
Requirement = Annotated[str, PlainValidator(text.read_requirement)]
BoxName = Annotated[str, PlainValidator(text.read_box_name)]
BoxSize = Annotated[Fraction, PlainValidator(text.read_box_size)]


class JobForm(Form):
    """A whole job."""

    table: Annotated[TableForm, BeforeValidator(path_alone)]
    # both are needed but in a job of groups alone, which `app.job` checks
    columns: Annotated[dict[str, ColumnForm], Field(min_length=1)] = Field(default_factory=dict)
    objectives: Annotated[tuple[Objective, ...], Field(min_length=1)] = ()
    require: dict[Requirement, Bound] = Field(default_factory=dict)
    suppression: SuppressionForm = SuppressionForm()
    epsilon: dict[BoxName, BoxSize] = Field(default_factory=dict)
    confidential: Secrets = ()
    security: SecurityForm = SecurityForm()
    groups: Annotated[dict[str, GroupForm], Field(min_length=1)] = Field(default_factory=dict)
    swaps: Annotated[Swaps, PlainValidator(_swaps)] | None = None
    search: SearchForm = SearchForm()


ALL_FORMS: tuple[type[Form], ...] = (
    JobForm,
    TableForm,
    ColumnForm,
    SuppressionForm,
    SearchForm,
    SecretForm,
    SecurityForm,
    GeneticForm,
    *GROUP_FORMS,
    *BUILDERS.values(),
)
