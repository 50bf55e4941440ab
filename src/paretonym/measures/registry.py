"""Measures by name: `k`, `distinct_l(occupation)`, and what users or packages register."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from paretonym.errors import JobError, nearest
from paretonym.measures.measure import Context, Factory, Measure, Reduce
from paretonym.model.front import Direction, Objective
from paretonym.model.measure_info import MeasureInfo, MeasureName, declare, info_of, parse_name

PACKAGES = "paretonym.measures"  # the group of entry points by which packages bring measures


@dataclass(frozen=True, slots=True)
class _Entry:
    factory: Factory
    takes_column: bool
    needs_context: bool
    is_told: bool  # its info was given; otherwise it follows from the measure once that is built


_REGISTRY: dict[str, _Entry] = {}


class _Packages:
    """What packages bring is loaded once, when somebody first asks for more than is known."""

    def __init__(self) -> None:
        self._asked = False
        self._faults: list[str] = []

    def load(self) -> None:
        """A package that cannot be loaded is told at every question, not at the first alone."""
        if not self._asked:
            self._asked = True
            self._faults = _load_packages()
        if self._faults:
            raise JobError("; ".join(self._faults))


def _load_packages() -> list[str]:
    """Import what the installed packages name; what is wrong with them."""
    from importlib.metadata import entry_points

    faults = []
    for point in entry_points(group=PACKAGES):
        try:
            point.load()
        except Exception as error:
            package = point.dist.name if point.dist else point.module
            faults.append(
                f"the package '{package}' brings measures that cannot be loaded "
                f"({point.value}: {type(error).__name__}); mend, update or uninstall it"
            )
    return faults


_packages = _Packages()


def register(
    measure: str | MeasureInfo, *, needs_context: bool = False
) -> Callable[[Factory], Factory]:
    """Make a measure known: decorate a function that returns it.

    Args:
        measure: How jobs write it, without a column; or a `MeasureInfo`, which brings the words and
            units by which reports and pages show it. Given a name alone, they show plain numbers.
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
    name = measure if isinstance(measure, str) else measure.name

    def keep(factory: Factory) -> Factory:
        arguments = factory.__code__.co_argcount
        takes_column = arguments > (1 if needs_context else 0)
        info = MeasureInfo(name=name, takes_column=takes_column, direction=None)
        if not isinstance(measure, str):
            info = measure
        if info.takes_column != takes_column:
            raise JobError(
                f"the info of measure '{name}' and its function must agree whether it takes a "
                f"column"
            )
        declare(info)
        told = not isinstance(measure, str)
        _REGISTRY[name] = _Entry(factory, takes_column, needs_context, told)
        return factory

    return keep


def known_measures() -> list[str]:
    _packages.load()
    return sorted(_REGISTRY)


def takes_column(base: str) -> bool:
    return _REGISTRY[base].takes_column


def parse(text: str) -> MeasureName:
    """A measure as a job writes it."""
    name = parse_name(text)
    if name is None:
        raise JobError(f"'{text}' is not a measure; write a name such as k or distinct_l(column)")
    base = name.base
    if base not in _REGISTRY and base not in (known := known_measures()):
        raise JobError(f"there is no measure '{base}'{nearest(base, known)}")
    entry = _REGISTRY[base]
    if entry.takes_column and name.column is None:
        raise JobError(f"measure '{base}' needs a column: write {base}(column)")
    if not entry.takes_column and name.column is not None:
        raise JobError(f"measure '{base}' takes no column")
    return name


def build(wanted: MeasureName, context: Context) -> Measure:
    entry = _REGISTRY[wanted.base]
    arguments = [context] if entry.needs_context else []
    measure = entry.factory(*arguments, *([wanted.column] if entry.takes_column else []))
    _refuse_unruly(measure)
    info = info_of(wanted.base)
    if info is not None and not entry.is_told:
        declare(_told_by(measure, info))
    elif info is not None and (info.direction, info.class_wise) != (
        measure.direction,
        measure.class_wise,
    ):
        raise JobError(
            f"measure '{wanted.base}' says another direction than its info, or differs from it in "
            f"class_wise; make it with Measure.of(info, …)"
        )
    return measure


def _refuse_unruly(measure: Measure) -> None:
    """A class that is left out must be one that breaks the bound: the worst class has the value."""
    if not measure.class_wise or measure.direction is None:
        return
    worst = Reduce.MIN if measure.direction is Direction.MAX else Reduce.MAX
    if measure.statistics[0].reduce is not worst:
        raise JobError(
            f"measure '{measure.name}' is class_wise and to be {measure.direction}imised, so its "
            f"first statistic must be reduced by {worst}; change that, or leave out class_wise"
        )


def _told_by(measure: Measure, info: MeasureInfo) -> MeasureInfo:
    """What a measure that was registered by its name alone says of itself."""
    says = "" if info.takes_column else measure.says  # its sentence names one column only
    return replace(info, direction=measure.direction, class_wise=measure.class_wise, says=says)


def objective_of(wanted: MeasureName, measure: Measure) -> Objective:
    """The direction is the measure's own unless the job states one."""
    name, direction = wanted.plain, wanted.direction or measure.direction
    if direction is None:
        raise JobError(f"measure '{name}' has no natural direction: write max:{name} or min:{name}")
    if measure.direction is not None and direction is not measure.direction:
        raise JobError(f"measure '{name}' is always to be {measure.direction}imised")
    return Objective(name, direction)
