"""The forms of what a job says of groups of people; docs/job-file.md explains them."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Annotated, Any, cast, get_args

from pydantic import (
    BeforeValidator,
    Field,
)

from paretonym.errors import nearest
from paretonym.jobfile import texts as text
from paretonym.jobfile.harmonise import (
    AS_IT_IS,
    AuxiliaryForm,
    Columns,
    RecipeForm,
    ReferenceForm,
    read_numbers,
)
from paretonym.jobfile.keys import Reads, key, words
from paretonym.jobfile.protect import PROTECT_FORMS, MemeticForm, ProtectForm, ThresholdForm
from paretonym.jobfile.tables import Said, TableForm
from paretonym.jobfile.texts import Form, Rate, Saying, Share
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

_WAYS = "a mapping with one of " + ", ".join(FUZZY_KINDS)
_PUBLISHED = Evolution()


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
    numbers = read_numbers(given, f"a list of {KNOTS[kind]} numbers")
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


def _attackers(value: Any) -> tuple[AttackerName, ...]:
    names = text.listed(value)
    if not isinstance(names, list) or not names:
        raise text.fault("expected a list, such as [fuzzy, boosting]")
    known = list(get_args(AttackerName))
    chosen = (cast(AttackerName, text.choice(name, known, "attacker")) for name in names)
    return tuple(dict.fromkeys(chosen))


Labels = Annotated[tuple[str, ...], BeforeValidator(text.listed)]


class OutliersForm(Form):
    """How outliers are found, and the expert's revision."""

    alpha: Annotated[Share, key("how rarely chance alone may make an area stand out", "5%")] = (
        OutlierRule().alpha
    )
    side: Annotated[
        Side,
        text.one_of(Side, "side"),
        key("`upper`: only areas with more than the rest; `both`: also those with less", "upper"),
    ] = OutlierRule().side
    signal: Annotated[
        SignalKind,
        text.one_of(SignalKind, "signal"),
        key("the signal that matters; outliers of both are shown", "concentration"),
    ] = OutlierRule().signal
    keep: Annotated[
        Labels,
        key("areas that are outliers whatever was found, by their labels", '["17"]', unset="none"),
    ] = ()
    ignore: Annotated[
        Labels,
        key("areas that are none, such as a base that everybody knows", '["4"]', unset="none"),
    ] = ()


class AttackForm(Form):
    """Who attacks, how it is told from chance, and the rule evolution of Tavrov and Chertov
    2016.
    """

    attackers: Annotated[
        Annotated[
            tuple[AttackerName, ...],
            Reads(_attackers, f"{words(get_args(AttackerName))}, or a list of such"),
        ]
        | None,
        key("who tries; the last two need scikit-learn (`pip install 'paretonym[attack]'`)",
            "[fuzzy, boosting]", unset="all that are installed"),
    ] = None  # fmt: skip
    controls: Annotated[
        int,
        text.whole_between(0, 1_000),
        key("how often the attack is repeated with permuted labels", "19"),
    ] = AttackSpec().controls
    resamples: Annotated[
        int, text.whole_between(100, 1_000_000), key("samples of the bootstrap", "2000")
    ] = AttackSpec().resamples

    population: Annotated[
        int, text.whole_between(2, 100_000), key("rules kept at a time", "100")
    ] = _PUBLISHED.population
    replace: Annotated[
        int,
        text.whole_between(1, 100_000),
        key("how many of the worst are replaced in a generation", "40"),
    ] = _PUBLISHED.replace
    generations: Annotated[int, text.whole_between(1, 100_000), key("rounds of one run", "100")] = (
        _PUBLISHED.generations
    )
    runs: Annotated[int, text.whole_between(1, 10_000), key("separate runs", "10")] = (
        _PUBLISHED.runs
    )
    tournament: Annotated[
        int, text.whole_between(1, 100_000), key("how many rules compete to be parents", "10")
    ] = _PUBLISHED.tournament
    crossover: Annotated[Rate, key("how often two rules are crossed", "100%")] = (
        _PUBLISHED.crossover
    )
    mutation: Annotated[Rate, key("how often a word of a rule is drawn anew", "5%")] = (
        _PUBLISHED.mutation
    )
    rcf: Annotated[
        float,
        Reads(_above_zero, "a number above zero"),
        key("the least relative confidence factor of a rule that is used", "0.75"),
    ] = _PUBLISHED.rcf
    support: Annotated[
        Rate,
        key("a rule that is used covers more of the group than this; in a small file choose it so "
            "that a rule stands on ten members or more, or chance makes rules", "1%"),
    ] = _PUBLISHED.support  # fmt: skip
    cut: Annotated[
        float,
        Reads(_grade, "a number above 0 and at most 1"),
        key("memberships below count nothing", "0.5"),
    ] = _PUBLISHED.cut

    def spec(self) -> AttackSpec:
        evolution = {field.name: getattr(self, field.name) for field in fields(Evolution)}
        return AttackSpec(Evolution(**evolution), self.attackers, self.controls, self.resamples)


Fuzzy = Annotated[tuple[FuzzyKind, tuple[str, ...]], Reads(_fuzzy, _WAYS)]
Words = Annotated[dict[str, Fuzzy], Field(min_length=1)]


class GroupForm(Form):
    """One group: who is in it, where it is looked for, and how an adversary would find it."""

    vital: Annotated[Saying, key("who is in the group", "occupation startswith '55'")]
    parameter: Annotated[
        Columns,
        key("where somebody is; an area is labelled by the values, joined by `-`",
            "[work_state, work_area]", accepts="a column, or a list of columns"),
    ]  # fmt: skip
    remove: Annotated[
        Columns,
        key("columns that the publisher takes out of the release, because they give the group "
            "away; no attack may use them", "[occupation, industry]", unset="none",
            accepts="a column, or a list of columns"),
    ] = ()  # fmt: skip
    basic: Annotated[
        Columns | None,
        key("attributes that an attack may use, by their names after harmonisation; none that is "
            "removed, vital, a parameter or the region", "[age, sex, hours]",
            unset="those with `variables`, else those under `harmonise`",
            accepts="an attribute, or a list of attributes"),
    ] = None  # fmt: skip
    region: Annotated[
        Said | None,
        key("signals are judged for each of its values apart", "work_state", unset="one region",
            accepts="a column"),
    ] = None  # fmt: skip
    region_share: Annotated[
        Share,
        key("the least share of the group that a region must hold to be shown", "0.5%",
            unset="every region is shown"),
    ] = Fraction(0)  # fmt: skip
    smallest_area: Annotated[
        int,
        text.whole_between(1, 10**9),
        key("areas with fewer records (of those looked at) are left out, and counted", "100"),
    ] = 1
    weight: Annotated[
        Said | None,
        key("survey weights: everybody counts as many people as they stand for", "person_weight",
            unset="everybody counts once", accepts="a column"),
    ] = None  # fmt: skip
    only: Annotated[
        Saying | None, key("who is looked at at all", "age >= 18", unset="everybody")
    ] = None
    outliers: Annotated[OutliersForm, key("which areas stand out", "{side: upper}")] = (
        OutliersForm()
    )
    variables: Annotated[
        dict[str, Words],
        Field(min_length=1),
        key("attributes in words, each with a [membership function](job-file.md#variables)",
            "{age: {young: {z: [20, 30]}}}", unset="proposed from the auxiliary file",
            accepts="a mapping from attributes to words, each a mapping with one of "
            + words(FUZZY_KINDS)),
    ] = Field(default_factory=dict)  # fmt: skip
    reference: Annotated[
        ReferenceForm | None,
        key("a file to compare with, such as last year's", "{table: last-year.csv}",
            unset="nothing is compared"),
    ] = None  # fmt: skip
    auxiliary: Annotated[
        AuxiliaryForm | None,
        key("a third party's file in which the group can be told", "{table: census.csv}",
            unset="`group attack` is not possible"),
    ] = None  # fmt: skip
    attack: Annotated[AttackForm, key("who attacks", "{controls: 19}")] = AttackForm()
    protect: Annotated[
        ProtectForm | None,
        key("how outliers are masked", "{compatibility: 1}", unset="the group is not protected"),
    ] = None
    sites: Annotated[
        Annotated[int, text.whole_between(1, 10**9)] | None,
        key("an area with at least so many members is a site; the attack tells how well it ranks "
            "sites before other areas", "15", unset="true outliers are ranked"),
    ] = None  # fmt: skip

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
            given.get(name, AS_IT_IS).spec(name, numeric=name in numeric) for name in names
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
