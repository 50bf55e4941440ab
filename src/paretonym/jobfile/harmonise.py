"""The forms of a group's other files, and of how they are made to agree with the job's table."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from paretonym.jobfile import texts as text
from paretonym.jobfile.keys import Reads, key
from paretonym.jobfile.tables import Said, TableForm, path_alone, unique_names
from paretonym.jobfile.texts import TAG, Form, Saying
from paretonym.model.group import Recipe

APART = ("both", "main", "auxiliary")  # files that a harmonisation may tell apart
_FILES = "a path, a list of paths, or a mapping"


def read_numbers(value: Any, what: str) -> tuple[Decimal, ...]:
    if not isinstance(value, list):
        raise text.fault(f"expected {what}")
    return tuple(map(text.read_number, value))


def _range(value: Any) -> tuple[Decimal, Decimal]:
    ends = read_numbers(value, "a list of two numbers, such as [18, 45]")
    if len(ends) != 2 or ends[0] > ends[1]:
        raise text.fault("expected two numbers, the smaller first, such as [18, 45]")
    return ends[0], ends[1]


def _edges(value: Any) -> tuple[Decimal, ...]:
    edges = read_numbers(value, "a list of edges, such as [10, 20, 40]")
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
Files = Annotated[TableForm, BeforeValidator(path_alone), AfterValidator(_with_path)]


class RecipeForm(Form):
    """How one harmonised attribute is made."""

    source: Annotated[
        Columns | None,
        key("the column; of several, the values are merged: joined by `-`", "[hour, minute]",
            unset="the column of the attribute's name"),
    ] = Field(None, alias="from")  # fmt: skip
    type: Annotated[
        Annotated[Literal["number"], Reads(_type, "`number`")] | None,
        key("the values are numbers, so that `045` and `45` are the same; known by itself where "
            "there is a `range`, or a variable that needs numbers", "number",
            unset="codes are text"),
    ] = None  # fmt: skip
    range: Annotated[
        Annotated[tuple[Decimal, Decimal], Reads(_range, "two numbers, the smaller first")] | None,
        key("records outside, or without a value, are dropped", "[18, 45]",
            unset="nobody is dropped"),
    ] = None  # fmt: skip
    intervals: Annotated[
        Annotated[tuple[Decimal, ...], Reads(_edges, "a list of ascending numbers")] | None,
        key("edges; numbers become `< 10`, `[10, 20)`, … `>= 40`", "[10, 20, 40]",
            unset="numbers stay"),
    ] = None  # fmt: skip
    map: Annotated[
        Annotated[
            tuple[tuple[str, str], ...], Reads(_recoding, "a mapping from codes to new codes")
        ]
        | None,
        key("how codes are renamed", '{"10": walked, "01": car}', unset="codes stay"),
    ] = None
    rest: Annotated[
        Said | None,
        key("the new code of everything that `map` does not name", "other",
            unset="such codes stay"),
    ] = None  # fmt: skip

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


AS_IT_IS = RecipeForm.model_validate({})
Recipes = Annotated[dict[str, RecipeForm], Field(min_length=1)]


class ApartForm(Form):
    """Harmonisation that differs between the files; an own recipe goes before a common one."""

    both: Annotated[
        Recipes, key("recipes for both files", "{hours: {range: [1, 99]}}", unset="none")
    ] = Field(default_factory=dict)
    main: Annotated[
        Recipes,
        key("recipes for the job's table", "{leaves: {from: [hour, minute]}}", unset="none"),
    ] = Field(default_factory=dict)
    auxiliary: Annotated[
        Recipes, key("recipes for the other file", "{leaves: {from: departure}}", unset="none")
    ] = Field(default_factory=dict)


def _shape_of(value: Any) -> str:
    apart = isinstance(value, dict) and value and all(key in APART for key in value)
    return TAG + ("apart" if apart else "same")


Harmonise = Annotated[
    Annotated[Recipes, Tag(TAG + "same")] | Annotated[ApartForm, Tag(TAG + "apart")],
    Discriminator(_shape_of),
]


class AuxiliaryForm(Form):
    """A third party's file, and how it is made to agree with the job's table."""

    table: Annotated[Files, key("where it is", "census.csv", accepts=_FILES)]
    vital: Annotated[
        Saying | None,
        key("who is in the group, in the terms of this file", "occupation = 55",
            unset="as in the group"),
    ] = None  # fmt: skip
    only: Annotated[
        Saying | None,
        key("who is looked at, in the terms of this file", "years >= 18",
            unset="as in the group"),
    ] = None  # fmt: skip
    harmonise: Annotated[
        Harmonise | None,
        key("how both files are made alike: a recipe for each attribute, or recipes for each file",
            "{age: {from: years, range: [18, 45]}}", unset="they are alike",
            accepts="a mapping from attributes to recipes, or a mapping by file"),
    ] = None  # fmt: skip

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

    table: Annotated[Files, key("where it is", "last-year.csv", accepts=_FILES)]
