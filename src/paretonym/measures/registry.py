"""Measures by name: `k`, `distinct_l(occupation)`, and whatever a user registers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from paretonym.errors import JobError, nearest
from paretonym.measures.measure import Context, Factory, Measure
from paretonym.model.front import Direction, Objective

_NAME = re.compile(r"^(?:(min|max):)?\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\((.*)\))?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Entry:
    factory: Factory
    takes_column: bool
    needs_context: bool


_REGISTRY: dict[str, _Entry] = {}


def register(name: str, *, needs_context: bool = False) -> Callable[[Factory], Factory]:
    """Make a measure known: decorate a function that returns it.

    Args:
        name: How jobs write it, without a column.
        needs_context: The function's first argument is the `Context`: the table as a whole.

    Returns:
        The decorator. The function it decorates takes one more argument for a measure of a column.

    Example:
        @pn.register("lonely")
        def lonely() -> pn.Measure:
            alone = pn.Statistic("lonely", lambda classes, context: (classes.size == 1) * 1)
            return pn.Measure(
                "lonely",
                pn.Direction.MIN,
                (alone,),
                pn.direct("lonely"),
                pn.Monotone.NO,
                "released people who share their class with nobody",
            )


        job = pn.load_job("ten.yaml")
        assert pn.score(job, {"school": 0, "sex": 0}).values["lonely"] == 4
    """

    def keep(factory: Factory) -> Factory:
        arguments = factory.__code__.co_argcount
        takes_column = arguments > (1 if needs_context else 0)
        _REGISTRY[name] = _Entry(factory, takes_column, needs_context)
        return factory

    return keep


def known_measures() -> list[str]:
    return sorted(_REGISTRY)


def takes_column(base: str) -> bool:
    return _REGISTRY[base].takes_column


@dataclass(frozen=True, slots=True)
class Wanted:
    """A measure as a job writes it."""

    name: str  # canonical: without direction and blanks
    base: str
    column: str | None
    direction: Direction | None


def parse(text: str) -> Wanted:
    match = _NAME.match(text.strip())
    if not match:
        raise JobError(f"'{text}' is not a measure; write a name such as k or distinct_l(column)")
    direction, base, column = match.groups()
    if base not in _REGISTRY:
        raise JobError(f"there is no measure '{base}'{nearest(base, known_measures())}")
    entry = _REGISTRY[base]
    column = column.strip() if column is not None else None
    if entry.takes_column and not column:
        raise JobError(f"measure '{base}' needs a column: write {base}(column)")
    if not entry.takes_column and column is not None:
        raise JobError(f"measure '{base}' takes no column")
    name = f"{base}({column})" if column else base
    return Wanted(name, base, column, Direction(direction) if direction else None)


def build(wanted: Wanted, context: Context) -> Measure:
    entry = _REGISTRY[wanted.base]
    arguments = [context] if entry.needs_context else []
    return entry.factory(*arguments, *([wanted.column] if entry.takes_column else []))


def objective_of(wanted: Wanted, measure: Measure) -> Objective:
    """The direction is the measure's own unless the job states one."""
    direction = wanted.direction or measure.direction
    if direction is None:
        raise JobError(
            f"measure '{wanted.name}' has no natural direction: write max:{wanted.name} or "
            f"min:{wanted.name}"
        )
    if measure.direction is not None and direction is not measure.direction:
        raise JobError(f"measure '{wanted.name}' is always to be {measure.direction}imised")
    return Objective(wanted.name, direction)
