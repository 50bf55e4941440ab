"""The forms a job's data must have; docs/job-file.md explains them.

docs/job-reference.md lists every key, made from what is said here. Data arrives as texts, lists
and mappings. A form casts the texts and refuses unknown keys; what concerns several columns at
once is checked in `app.job`.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import BeforeValidator, Field, ValidationInfo

from paretonym.errors import JobError, nearest
from paretonym.jobfile import texts as text
from paretonym.jobfile.groups import GROUP_FORMS, GroupForm
from paretonym.jobfile.hierarchies import (
    BUILDERS,
    Comma,
    Flag,
    Hierarchy,
    IntervalsForm,
    Whole,
    file_path,
)
from paretonym.jobfile.keys import Reads, key, words
from paretonym.jobfile.secrets import GeneticForm, SecretForm, Secrets, SecurityForm
from paretonym.jobfile.swap_files import load_swaps
from paretonym.jobfile.tables import Said, TableForm, path_alone
from paretonym.jobfile.texts import Form
from paretonym.model.hierarchy import Family, HierarchySpec
from paretonym.model.job import About, Budget, ColumnSpec, Limit, Method, Rule
from paretonym.model.schema import Role
from paretonym.model.swap import Swaps
from paretonym.model.writing import WriteAs


def read_method(value: Any) -> Method:
    return cast(Method, text.choice(value, list(get_args(Method)), "method"))


def _type(value: Any) -> str:
    if value == "number":
        return "number"
    hint = nearest(value, ["number"]) if isinstance(value, str) else ""
    raise text.fault(f"unknown type{hint}; number is the only one, values are text without it")


def _swaps(value: Any, info: ValidationInfo) -> Swaps:
    """Read here, so that a damaged file is told with everything else that is wrong."""
    try:
        return load_swaps(file_path(value, info))
    except JobError as error:
        raise text.fault(str(error)) from None


Bound = Annotated[Decimal, Reads(text.read_bound, "a number, a percentage or `true`")]
Positive = Annotated[Decimal, Reads(text.read_positive, "a number above zero")]


def _written_limit(limit: Limit) -> str:
    return f"{limit.rows} rows" if limit.percent is None else f"{limit.percent}%"


class ColumnForm(Form):
    """One column: what it is and how it may be generalised."""

    role: Annotated[
        frozenset[Role],
        Reads(text.read_roles, f"{words(role.value for role in Role)}; or `target` and another"),
        key("what the column is; [roles](job-file.md#columns) tells what each does", "quasi"),
    ]
    hierarchy: Annotated[
        Hierarchy | None,
        key("how a quasi column is generalised", "{mask: right}",
            unset="quasi columns need this or `partitions`",
            accepts="`suppress`, or a mapping with one builder"),
    ] = None  # fmt: skip
    partitions: Annotated[
        Annotated[dict[str, Hierarchy], Field(min_length=1)] | None,
        key("several ways to group one column, finer ones first; the first level of each counts",
            "{tens: {intervals: 10}, sevens: {intervals: 7}}", unset="`hierarchy` is taken",
            accepts="a mapping from names to builders"),
    ] = None  # fmt: skip
    type: Annotated[
        Annotated[Literal["number"], Reads(_type, "`number`")] | None,
        key("the values are numbers, to be compared and averaged as exact decimals where "
            "something needs it", "number",
            unset="the values are text; `intervals` read numbers by themselves"),
    ] = None  # fmt: skip
    format: Annotated[
        Said | None,
        key("how dates are written, in strptime's directives; for `date` hierarchies, and for a "
            "`median` or `mode` of dates", '"%d/%m/%Y"', unset="the column holds no dates"),
    ] = None  # fmt: skip
    decimal_comma: Annotated[Flag | None, Comma] = None
    write: Annotated[
        Annotated[WriteAs, text.one_of(WriteAs, "way to write")] | None,
        key("what a quasi column shows for a group of values, see "
            "[ways to write](job-file.md#ways-to-write)", "mean", unset="`label`"),
    ] = None  # fmt: skip
    weight: Annotated[
        Positive | None,
        key("how much this quasi column counts in the losses", "2", unset="`1`"),
    ] = None
    because: Annotated[
        Said | None,
        key("why this column may pass through although it is nearly unique, or groups rows like "
            "a household number", "ward codes were drawn anew for this file",
            unset="such a column stops the run"),
    ] = None  # fmt: skip
    may_match: Annotated[
        Said | None,
        key("why cells of this column may equal values of a dropped identifier",
            "some towns are named like people", unset="such a match stops the release"),
    ] = None  # fmt: skip

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

    limit: Annotated[
        Limit,
        Reads(text.read_limit, "a percentage under 100%, or a number of rows", _written_limit),
        key("the most rows to leave out, rounded down to whole ones", "1%"),
    ] = Limit(rows=0)
    rule: Annotated[
        Rule,
        text.one_of(Rule, "rule"),
        key("what is suppressed beyond [what is required](job-file.md#suppression)", "required"),
    ] = "staircase"


class SearchForm(Form):
    """How the front is looked for."""

    method: Annotated[
        Method,
        Reads(read_method, words(get_args(Method))),
        key("the kind of search, see [methods](job-file.md#search)", "exact"),
    ] = "auto"
    seed: Annotated[Whole | None, key("for searches that use chance", "7", unset="`0`")] = None
    budget: Annotated[
        Annotated[
            Budget,
            Reads(text.read_budget, "a time (`60s`, `10min`, `2h`) or a number of evaluations"),
        ]
        | None,
        key("when to stop at the latest", "5000 evaluations",
            unset="the search ends by itself"),
    ] = None  # fmt: skip


_UNSAID = "not told"


class AboutForm(Form):
    """What the reports of a release tell of it in the publisher's own words."""

    title: Annotated[
        Said | None,
        key("the heading of both reports", "People 2026", unset="the name of the data file"),
    ] = None
    purpose: Annotated[
        Said | None,
        key("why the table is given away, and for which use", "Teaching of survey methods",
            unset="the reports say that none was stated"),
    ] = None  # fmt: skip
    publisher: Annotated[
        Said | None, key("who answers for the release", "Office of Statistics", unset=_UNSAID)
    ] = None
    contact: Annotated[
        Said | None, key("where questions go", "data@office.example", unset=_UNSAID)
    ] = None
    licence: Annotated[
        Said | None, key("under which terms the data may be used", "CC BY 4.0", unset=_UNSAID)
    ] = None
    cite: Annotated[
        Said | None,
        key("how the data are to be cited", "Office (2026). People 2026.", unset=_UNSAID),
    ] = None

    def spec(self) -> About:
        return About(**self.model_dump())


Objective = Annotated[str, Reads(text.read_objective, "a [measure](measures.md)")]
Requirement = Annotated[str, Reads(text.read_requirement, "a [measure](measures.md)")]
BoxName = Annotated[str, Reads(text.read_box_name, "an objective")]
BoxSize = Annotated[Fraction, Reads(text.read_box_size, "a number above zero")]
_GROUPS_ALONE = "needed, but in a job of `groups` alone"


class JobForm(Form):
    """A whole job."""

    table: Annotated[
        TableForm,
        BeforeValidator(path_alone),
        key("the table to release", "people.csv",
            accepts="a path, or a mapping where more is to be said"),
    ]  # fmt: skip
    # both are needed but in a job of groups alone, which `app.job` checks
    columns: Annotated[
        dict[str, ColumnForm],
        Field(min_length=1),
        key("every column of the table, by its name; the order of the quasi columns is the order "
            "of levels everywhere", "{age: {role: quasi, hierarchy: suppress}}",
            unset=_GROUPS_ALONE),
    ] = Field(default_factory=dict)  # fmt: skip
    objectives: Annotated[
        tuple[Objective, ...],
        Field(min_length=1),
        key("what the front compares, one to six; `max:` or `min:` states a direction where a "
            "measure has none", "[k, glm, distinct_l(diagnosis)]", unset=_GROUPS_ALONE),
    ] = ()  # fmt: skip
    require: Annotated[
        dict[Requirement, Bound],
        key("what every candidate must meet", "{k: 5}", unset="nothing is required"),
    ] = Field(default_factory=dict)
    suppression: Annotated[SuppressionForm, key("which rows may be left out", "{limit: 1%}")] = (
        SuppressionForm()
    )
    epsilon: Annotated[
        dict[BoxName, BoxSize],
        key("box sizes in the objectives' own units; one entry of a box is enough",
            "{k: 5, glm: 1000}", unset="every point of the front is listed"),
    ] = Field(default_factory=dict)  # fmt: skip
    confidential: Annotated[
        Secrets,
        key("rules: what nobody may learn from the release; at most 32",
            "[{say: occupation = Sales}]", unset="no rules"),
    ] = ()  # fmt: skip
    security: Annotated[SecurityForm, key("how confidentiality is measured", "{at_risk: 25%}")] = (
        SecurityForm()
    )
    groups: Annotated[
        dict[str, GroupForm],
        Field(min_length=1),
        key("groups of people whose whereabouts are nobody's business, by a name of your own",
            "{soldiers: {vital: job = soldier, parameter: area}}", unset="no groups"),
    ] = Field(default_factory=dict)  # fmt: skip
    swaps: Annotated[
        Annotated[Swaps, Reads(_swaps, "a path")] | None,
        key("pairs of records that exchange where they are, made by `group protect`",
            "swaps.json", unset="nothing is exchanged"),
    ] = None  # fmt: skip
    search: Annotated[SearchForm, key("how the front is looked for", "{method: exact}")] = (
        SearchForm()
    )
    about: Annotated[
        AboutForm,
        key("what the reports tell of the release, in your own words",
            "{title: People 2026}"),
    ] = AboutForm()  # fmt: skip


ALL_FORMS: tuple[type[Form], ...] = (
    JobForm,
    TableForm,
    ColumnForm,
    SuppressionForm,
    SearchForm,
    SecretForm,
    SecurityForm,
    GeneticForm,
    AboutForm,
    *GROUP_FORMS,
    *BUILDERS.values(),
)
