"""The forms of the hierarchy builders: a column takes one; docs/hierarchies.md shows them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, Discriminator, Field, Tag, ValidationInfo

from paretonym.errors import nearest
from paretonym.jobfile import texts as text
from paretonym.jobfile.keys import Reads, flag, key
from paretonym.jobfile.tables import Delimiter
from paretonym.jobfile.texts import TAG, Form
from paretonym.model.hierarchy import (
    Chain,
    Dates,
    DateUnit,
    FromFile,
    Groups,
    Intervals,
    Mask,
    OrderedGroups,
    Suppress,
)


class ReadAs(Protocol):
    """What a column says of how its values are read."""

    @property
    def format(self) -> str | None: ...
    @property
    def decimal_comma(self) -> bool | None: ...


def file_path(value: Any, info: ValidationInfo) -> Path:
    return text.find_file(value, Path(info.context or ""))


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


Number = Annotated[Decimal, Reads(text.read_number, "a number")]
Whole = Annotated[int, Reads(text.read_whole, "a whole number, 0 or more")]
Flag = Annotated[bool, Reads(text.read_flag, "`true` or `false`", flag)]
Sides = Literal["right", "left"]
Unit = Annotated[DateUnit, text.one_of(DateUnit, "unit")]
OpenTop = Annotated[
    Flag, key("`true`: the last level may have several labels, and no `*` is added", "true")
]
Comma = key("`true` when the column writes 3,5 for three and a half", "true", unset="`false`")


class FileForm(Form):
    """A file with one row a value: the value, then its label at each level; no header."""

    file: Annotated[
        Path,
        Reads(file_path, "a path"),
        key("relative to the folder of the job file, or `dataset:` and a bundled one",
            "country.csv"),
    ]  # fmt: skip
    delimiter: Annotated[
        Delimiter | None,
        key("what stands between cells", '";"', unset="found among `;` `,` and tab"),
    ] = None
    open_top: OpenTop = False

    def spec(self, _column: ReadAs) -> Chain:
        return FromFile(self.file, self.delimiter, self.open_top)


class IntervalsForm(Form):
    """Numbers in half-open intervals, wider at each level."""

    intervals: Annotated[
        tuple[Number, ...],
        BeforeValidator(text.listed),
        Field(min_length=1),
        key("the widths, from narrow to wide; each divides the next", "[5, 10, 20]"),
    ]
    origin: Annotated[Number, key("where the counting of intervals starts", "250")] = Decimal(0)
    bottom: Annotated[
        Number | None,
        key("everything below shares one block; an edge of every width", "20",
            unset="no such block"),
    ] = None  # fmt: skip
    top: Annotated[
        Number | None,
        key("everything at or above shares one block; an edge of every width", "80",
            unset="no such block"),
    ] = None  # fmt: skip
    decimal_comma: Annotated[Flag, Comma] = False

    def spec(self, column: ReadAs) -> Chain:
        comma = self.decimal_comma or bool(column.decimal_comma)
        return Intervals(self.intervals, self.origin, self.bottom, self.top, comma)


class MaskForm(Form):
    """One more character hidden at each level."""

    mask: Annotated[Sides, text.one_of(Sides, "side"), key("the end to begin at", "right")]

    def spec(self, _column: ReadAs) -> Chain:
        return Mask(self.mask)


class OrderForm(Form):
    """Values in an order of your own, neighbours grouped."""

    order: Annotated[
        tuple[str, ...], Field(min_length=1), key("all values, in order", "[low, middle, high]")
    ]
    groups_of: Annotated[
        tuple[Whole, ...],
        BeforeValidator(text.listed),
        Field(min_length=1),
        key("so many neighbours at each level, from 2 on; each divides the next", "[2, 4]"),
    ]

    def spec(self, _column: ReadAs) -> Chain:
        return OrderedGroups(self.order, self.groups_of)


class GroupsForm(Form):
    """Values in groups with names."""

    groups: Annotated[
        tuple[tuple[tuple[str, tuple[str, ...]], ...], ...],
        Reads(_named_groups, "a mapping from names to lists of values, or a list of mappings"),
        key("the members of each group; each mapping of a list groups the names of the one before",
            "{paid: [private, public], unpaid: [family, none]}"),
    ]  # fmt: skip
    open_top: OpenTop = False
    other: Annotated[
        str | None,
        key("the label of every value that the first level does not name", "other",
            unset="such a value is an error"),
    ] = None  # fmt: skip

    def spec(self, _column: ReadAs) -> Chain:
        return Groups(self.groups, self.open_top, self.other)


class DateForm(Form):
    """Dates cut to longer and longer units; the column states its `format`."""

    date: Annotated[
        tuple[Unit, ...],
        BeforeValidator(text.listed),
        Field(min_length=1),
        key("the units, from short to long; nothing follows `week`", "[month, year]"),
    ]

    def spec(self, column: ReadAs) -> Chain:
        return Dates(column.format or "", self.date)


class SuppressForm(Form):
    """hierarchy: suppress"""

    def spec(self, _column: ReadAs) -> Chain:
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
