"""What is wrong with a job's groups that takes more than one of their keys to see."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from paretonym.errors import nearest
from paretonym.jobfile import texts as text
from paretonym.jobfile.groups import GroupForm
from paretonym.jobfile.texts import Problem
from paretonym.model.fuzzy import ANY


def group_faults(
    groups: dict[str, GroupForm], columns: list[str], dropped: Collection[str] = ()
) -> list[Problem]:
    """What takes more than one key of a group to see; `columns` are the job's, if it lists any."""
    return [
        (("groups", name, *where), fault)
        for name, group in groups.items()
        for where, fault in (
            *_role_faults(group),
            *_column_faults(group, columns),
            *_auxiliary_faults(group),
            *_number_faults(group),
            *_kept_faults(group, columns, dropped),
        )
    ]


def _role_faults(group: GroupForm) -> Iterator[Problem]:
    """Vital, parameter and basic attributes are apart from one another (Tavrov and Chertov
    2016).
    """
    vital = group.vital.columns
    for number, column in enumerate(group.parameter):
        if column in vital:
            fault = f"column {text.shown(column)} says who is in the group; where is another column"
            yield ("parameter", number), fault
    for number, column in enumerate(group.attributes):
        where = ("basic", number) if group.basic else _source(group, column)
        if column in (*group.remove, *vital):
            fault = (
                f"column {text.shown(column)} is taken out of the release, so that no attack can "
                f"use it; leave it out"
            )
            yield where, fault
        elif column in (*group.parameter, group.region):
            yield where, "says where somebody is, not who; leave it out"
    for column in group.variables:
        if ANY in group.variables[column]:
            yield ("variables", column, ANY), "every variable has this value already; leave it out"
        if column not in group.attributes:
            hint = nearest(column, list(group.attributes))
            yield ("variables", column), f"not among the basic attributes{hint}; add it to basic"


def _source(group: GroupForm, attribute: str) -> tuple[str, ...]:
    """Where an attribute stands that `basic` does not list."""
    if attribute in group.variables:
        return "variables", attribute
    return "auxiliary", "harmonise", attribute


def _column_faults(group: GroupForm, columns: list[str]) -> Iterator[Problem]:
    """Every column of the main table that the group names is listed."""
    named: list[tuple[tuple[str | int, ...], str]] = [
        (("vital",), column) for column in group.vital.columns
    ]
    named += [(("only",), column) for column in (group.only.columns if group.only else ())]
    named += [(("parameter", n), column) for n, column in enumerate(group.parameter)]
    named += [(("remove", n), column) for n, column in enumerate(group.remove)]
    named += [((key,), one) for key, one in (("region", group.region), ("weight", group.weight))
              if one is not None]  # fmt: skip
    if group.protect is not None:
        named += [(("protect", *where), column) for where, column in group.protect.columns()]
    for where, column in named if columns else ():
        if column not in columns:
            hint = nearest(column, columns)
            yield where, f"there is no column {text.shown(column)} in columns{hint}"


def _auxiliary_faults(group: GroupForm) -> Iterator[Problem]:
    if group.auxiliary is None:
        return
    for file in ("main", "auxiliary"):
        for name, recipe in group.auxiliary.recipes(file).items():
            where = ("auxiliary", "harmonise", name)
            for fault in recipe.faults():
                yield where, fault
            taken = [c for c in recipe.source or () if c in (*group.remove, *group.vital.columns)]
            if file == "main" and taken and name in group.attributes:
                fault = f"column {text.shown(taken[0])} is taken out of the release; use others"
                yield (*where, "from"), fault
    if not group.attributes:
        yield ("basic",), "nothing to learn from; list the columns that an adversary may use"


def _kept_faults(
    group: GroupForm, columns: list[str], dropped: Collection[str]
) -> Iterator[Problem]:
    """What a group takes out must not come back through its role."""
    for number, column in enumerate(group.remove):
        if column in columns and column not in dropped:
            yield (
                ("remove", number),
                (
                    f"column {text.shown(column)} is taken out here, but its role keeps it in the "
                    f"release; write role: omitted, or role: identifier where it names people"
                ),
            )


def _number_faults(group: GroupForm) -> Iterator[Problem]:
    both = set(group.outliers.keep) & set(group.outliers.ignore)
    if both:
        yield ("outliers", "ignore"), "an area stands under keep as well; keep one of them"
    attack = group.attack
    for key in ("replace", "tournament"):
        if getattr(attack, key) > attack.population:
            yield ("attack", key), "more than the population; write at most as many"
