"""The forms of what a job says of groups of people; each field is described in docs/job-file.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
)

from paretonym.app import job_text as text
from paretonym.app.job_protect import PROTECT_FORMS, MemeticForm, ProtectForm, ThresholdForm
from paretonym.app.job_tables import Said, TableForm, path_alone, unique_names
from paretonym.app.job_text import TAG, Form, Saying
from paretonym.errors import nearest
from paretonym.model.fuzzy import (
    FUZZY_KINDS,
    KNOTS,
    FuzzyKind,
    FuzzyValue,
    Variable,
    shape_fault,
)
from paretonym.model.group import (
    AttackerName,
    AttackSpec,
    AuxiliarySpec,
    Evolution,
    GroupSpec,
    OutlierRule,
    Recipe,
    Side,
    SignalKind,
)

APART = ("both", "main", "auxiliary")  # files that a harmonisation may tell apart
_WAYS = "a mapping with one of " + ", ".join(FUZZY_KINDS)
_PUBLISHED = Evolution()


def _numbers(value: Any, what: str) -> tuple[Decimal, ...]:
    if not isinstance(value, list):
        raise text.fault(f"expected {what}")
    return tuple(map(text.read_number, value))


def _range(value: Any) -> tuple[Decimal, Decimal]:
    ends = _numbers(value, "a list of two numbers, such as [18, 45]")
    if len(ends) != 2 or ends[0] > ends[1]:
        raise text.fault("expected two numbers, the smaller first, such as [18, 45]")
    return ends[0], ends[1]


def _edges(value: Any) -> tuple[Decimal, ...]:
    edges = _numbers(value, "a list of edges, such as [10, 20, 40]")
    if not edges or any(a >= b for a, b in pairwise(edges)):
        raise text.fault("edges ascend, and there is at least one, such as [10, 20, 40]")
    return edges


def _recoding(value: Any) -> tuple[tuple[str, str], ...]:
    """Read here, not by pydantic, whose places would name codes of the data."""
    if not isinstance(value, dict) or not value:
        raise text.fault("expected a mapping from codes to labels, such as {'10': walked}")
    if not all(isinstance(label, str) and label for label in value.values()):
        raise text.fault("a code has no label; every label is a text that is not empty")
    return tuple(value.items())


def _fuzzy(value: Any) -> tuple[FuzzyKind, tuple[str, ...]]:
    """The kind of a fuzzy value and what it is made of."""
    if not isinstance(value, dict) or len(value) != 1:
        raise text.fault(f"expected {_WAYS}")
    kind, given = next(iter(value.items()))
    if kind not in FUZZY_KINDS:
        raise text.fault(f"unknown kind{nearest(kind, list(FUZZY_KINDS))}; write {_WAYS}")
    made = _codes(given) if kind == "is" else _knots(kind, given)
    fault = shape_fault(kind, made)
    if fault:
        raise text.fault(fault)
    return kind, made


def _codes(given: Any) -> tuple[str, ...]:
    codes = text.listed(given)
    fine = isinstance(codes, list) and all(isinstance(code, str) for code in codes)
    return tuple(codes) if fine else ()


def _knots(kind: FuzzyKind, given: Any) -> tuple[str, ...]:
    numbers = _numbers(given, f"a list of {KNOTS[kind]} numbers")
    return tuple(format(number, "f") for number in numbers)


def _above_zero(value: Any) -> float:
    number = text.read_number(value)
    if number <= 0:
        raise text.fault("expected a number above zero")
    return float(number)


def _grade(value: Any) -> float:
    number = text.read_number(value)
    if not 0 < number <= 1:
        raise text.fault("expected a membership grade above 0 and at most 1, such as 0.5")
    return float(number)


def _side(value: Any) -> Side:
    return cast(Side, text.choice(value, list(get_args(Side)), "side"))


def _signal(value: Any) -> SignalKind:
    return cast(SignalKind, text.choice(value, list(get_args(SignalKind)), "signal"))


def _attackers(value: Any) -> tuple[AttackerName, ...]:
    names = text.listed(value)
    if not isinstance(names, list) or not names:
        raise text.fault("expected a list, such as [fuzzy, boosting]")
    known = list(get_args(AttackerName))
    chosen = (cast(AttackerName, text.choice(name, known, "attacker")) for name in names)
    return tuple(dict.fromkeys(chosen))


def _type(value: Any) -> Literal["number"]:
    if value != "number":
        raise text.fault("number is the only type, codes are text without it")
    return "number"


def _with_path(form: TableForm) -> TableForm:
    if form.path is None:
        raise text.fault("there is no path; write path: other.csv")
    return form


Columns = Annotated[
    tuple[str, ...],
    BeforeValidator(text.listed),
    Field(min_length=1),
    AfterValidator(unique_names),
]
Labels = Annotated[tuple[str, ...], BeforeValidator(text.listed)]
Files = Annotated[TableForm, BeforeValidator(path_alone), AfterValidator(_with_path)]
Rate = Annotated[float, PlainValidator(text.read_rate)]
Share = Annotated[Fraction, PlainValidator(text.read_share)]


class OutliersForm(Form):
    """How outliers are found, and the expert's revision."""

    alpha: Share = OutlierRule().alpha
    side: Annotated[Side, PlainValidator(_side)] = OutlierRule().side
    signal: Annotated[SignalKind, PlainValidator(_signal)] = OutlierRule().signal
    keep: Labels = ()
    ignore: Labels = ()


class RecipeForm(Form):
    """How one harmonised attribute is made."""

    source: Columns | None = Field(None, alias="from")
    type: Annotated[Literal["number"], PlainValidator(_type)] | None = None
    range: Annotated[tuple[Decimal, Decimal], PlainValidator(_range)] | None = None
    intervals: Annotated[tuple[Decimal, ...], PlainValidator(_edges)] | None = None
    map: Annotated[tuple[tuple[str, str], ...], PlainValidator(_recoding)] | None = None
    rest: Said | None = None

    def spec(self, name: str, *, numeric: bool) -> Recipe:
        """What has a range holds numbers, unless they are recoded."""
        ranged = self.range is not None and self.map is None and self.intervals is None
        return Recipe(
            name=name,
            columns=self.source or (name,),
            range=self.range,
            edges=self.intervals or (),
            recode=self.map or (),
            rest=self.rest,
            numeric=numeric or ranged or self.type is not None,
        )

    def faults(self) -> Iterator[str]:
        if self.map is not None and self.intervals is not None:
            yield "map and intervals cannot be combined; keep one of them"
        if self.rest is not None and self.map is None:
            yield "rest is for codes that map does not name; add map, or leave it out"


_AS_IT_IS = RecipeForm.model_validate({})
Recipes = Annotated[dict[str, RecipeForm], Field(min_length=1)]


class ApartForm(Form):
    """Harmonisation that differs between the files; an own recipe goes before a common one."""

    both: Recipes = Field(default_factory=dict)
    main: Recipes = Field(default_factory=dict)
    auxiliary: Recipes = Field(default_factory=dict)


def _shape_of(value: Any) -> str:
    apart = isinstance(value, dict) and value and all(key in APART for key in value)
    return TAG + ("apart" if apart else "same")


Harmonise = Annotated[
    Annotated[Recipes, Tag(TAG + "same")] | Annotated[ApartForm, Tag(TAG + "apart")],
    Discriminator(_shape_of),
]


class AuxiliaryForm(Form):
    """A third party's file, and how it is made to agree with the job's table."""

    table: Files
    vital: Saying | None = None
    only: Saying | None = None
    harmonise: Harmonise | None = None

    def recipes(self, file: str) -> dict[str, RecipeForm]:
        """Of one of the two files."""
        if isinstance(self.harmonise, ApartForm):
            return {**self.harmonise.both, **getattr(self.harmonise, file)}
        return self.harmonise or {}

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.recipes("main"), *self.recipes("auxiliary")]))


class ReferenceForm(Form):
    """Another file with the same columns, to compare with."""

    table: Files


class AttackForm(Form):
    """Who attacks, how it is told from chance, and the rule evolution of paper 001."""

    attackers: Annotated[tuple[AttackerName, ...], PlainValidator(_attackers)] | None = None
    controls: Annotated[int, text.whole_between(0, 1_000)] = AttackSpec().controls
    resamples: Annotated[int, text.whole_between(100, 1_000_000)] = AttackSpec().resamples

    population: Annotated[int, text.whole_between(2, 100_000)] = _PUBLISHED.population
    replace: Annotated[int, text.whole_between(1, 100_000)] = _PUBLISHED.replace
    generations: Annotated[int, text.whole_between(1, 100_000)] = _PUBLISHED.generations
    runs: Annotated[int, text.whole_between(1, 10_000)] = _PUBLISHED.runs
    tournament: Annotated[int, text.whole_between(1, 100_000)] = _PUBLISHED.tournament
    crossover: Rate = _PUBLISHED.crossover
    mutation: Rate = _PUBLISHED.mutation
    rcf: Annotated[float, PlainValidator(_above_zero)] = _PUBLISHED.rcf
    support: Rate = _PUBLISHED.support
    cut: Annotated[float, PlainValidator(_grade)] = _PUBLISHED.cut

    def spec(self) -> AttackSpec:
        evolution = {field.name: getattr(self, field.name) for field in fields(Evolution)}
        return AttackSpec(Evolution(**evolution), self.attackers, self.controls, self.resamples)


Fuzzy = Annotated[tuple[FuzzyKind, tuple[str, ...]], PlainValidator(_fuzzy)]
Words = Annotated[dict[str, Fuzzy], Field(min_length=1)]


class GroupForm(Form):
    """One group: who is in it, where it is looked for, and how an adversary would find it."""

    vital: Saying
    parameter: Columns
    remove: Columns = ()
    basic: Columns | None = None
    region: Said | None = None
    region_share: Share = Fraction(0)
    smallest_area: Annotated[int, text.whole_between(1, 10**9)] = 1
    weight: Said | None = None
    only: Saying | None = None
    outliers: OutliersForm = OutliersForm()
    variables: Annotated[dict[str, Words], Field(min_length=1)] = Field(default_factory=dict)
    reference: ReferenceForm | None = None
    auxiliary: AuxiliaryForm | None = None
    attack: AttackForm = AttackForm()
    protect: ProtectForm | None = None
    sites: Annotated[int, text.whole_between(1, 10**9)] | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        """What the attack may use: as listed, else what has fuzzy values or a recipe."""
        if self.basic is not None:
            return self.basic
        return tuple(self.variables) or tuple(self.auxiliary.names if self.auxiliary else ())

    def spec(self, name: str) -> GroupSpec:
        return GroupSpec(
            name=name,
            vital=self.vital,
            parameter=self.parameter,
            remove=self.remove,
            basic=self.attributes,
            region=self.region,
            region_share=self.region_share,
            smallest_area=self.smallest_area,
            weight=self.weight,
            only=self.only,
            outliers=OutlierRule(**dict(self.outliers)),
            variables=tuple(_variable(*item) for item in self.variables.items()),
            reference=() if self.reference is None else self.reference.table.sources(),
            auxiliary=self._auxiliary(),
            attack=self.attack.spec(),
            protect=None if self.protect is None else self.protect.spec(),
            sites=self.sites,
        )

    def _auxiliary(self) -> AuxiliarySpec | None:
        form = self.auxiliary
        if form is None:
            return None
        return AuxiliarySpec(
            sources=form.table.sources(),
            vital=form.vital or self.vital,
            only=form.only or self.only,
            main_recipes=self._recipes(form.recipes("main")),
            recipes=self._recipes(form.recipes("auxiliary")),
        )

    def _recipes(self, given: dict[str, RecipeForm]) -> tuple[Recipe, ...]:
        """Of every attribute; those that only drop records come last."""
        numeric = {n for n, values in self.variables.items() if _variable(n, values).numeric}
        names = dict.fromkeys([*self.attributes, *given])
        return tuple(
            given.get(name, _AS_IT_IS).spec(name, numeric=name in numeric) for name in names
        )


def _variable(column: str, words: dict[str, Any]) -> Variable:
    return Variable(column, tuple(FuzzyValue(name, *made) for name, made in words.items()))


GROUP_FORMS: tuple[type[Form], ...] = (
    GroupForm,
    OutliersForm,
    AuxiliaryForm,
    RecipeForm,
    ReferenceForm,
    AttackForm,
    *PROTECT_FORMS,
)


def form_at(steps: tuple[Any, ...]) -> type[Form]:
    """The form whose keys stand at a place under `groups`, after the group's name."""
    match steps:
        case ("auxiliary", "table", *_) | ("reference", "table", *_):
            return TableForm
        case ("protect", "threshold", *_):
            return ThresholdForm
        case ("protect", "memetic", *_):
            return MemeticForm
        case ("auxiliary", "harmonise", *rest):
            return RecipeForm if rest else AuxiliaryForm
    forms: dict[Any, type[Form]] = {"outliers": OutliersForm, "auxiliary": AuxiliaryForm,
             "reference": ReferenceForm, "attack": AttackForm, "protect": ProtectForm}  # fmt: skip
    return forms.get(steps[0], GroupForm) if steps else GroupForm
