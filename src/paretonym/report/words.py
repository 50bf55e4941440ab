"""Names and numbers as people read them: shares and per-person figures, not raw sums."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from paretonym.model import measure_catalog as measure_catalog  # makes the measures known
from paretonym.model.measure_info import MeasureInfo, MeasureName, Unit, info_of, parse_name

Number = int | float
Weight = int | float | Fraction

MINUS = "−"
DIGEST_SHOWN = 12
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGE, _MILLION, _BILLION = 1e15, 1e6, 1e9


@dataclass(frozen=True, slots=True)
class Basis:
    """What shares refer to: the rows of the table and the largest GLM (None: not known)."""

    rows: int
    glm_maximum: float | None = None


def glm_maximum(rows: int, columns: Iterable[str], weights: Mapping[str, Weight] | None) -> float:
    """n · Σ weights: every cell of every quasi-identifier lost."""
    given = weights or {}
    return float(rows * sum(Fraction(given.get(name, 1)) for name in columns))


# what reports count beside the measures
_COUNTS = {
    info.name: info
    for info in (
        MeasureInfo(
            name="rows", direction=None, unit=Unit.COUNT, long="rows released", short="rows"
        ),
        MeasureInfo(
            name="values", takes_column=True, direction=None, unit=Unit.COUNT,
            long="different values of {column}", short="values of {column}",
        ),
        MeasureInfo(
            name="classes", direction=None, unit=Unit.COUNT,
            long="classes of equal quasi-identifiers", short="classes",
            repeat="count the different combinations of {quasi}",
            repeat_without_quasi="nothing to count: without key columns there is one class",
        ),
    )
}  # fmt: skip


def known(name: str) -> tuple[MeasureInfo, MeasureName]:
    """What is known of a measure or a count, and its name in parts."""
    parsed = parse_name(name) or MeasureName(name)
    # a measure of the user's own keeps the name it was given
    unknown = MeasureInfo(name=parsed.base, direction=None)
    return info_of(name) or _COUNTS.get(parsed.base, unknown), parsed


def _unit(name: str) -> Unit:
    return known(name)[0].unit


def long_name(name: str, basis: Basis | None = None) -> str:
    """The name in words; `basis` tells whether a loss can be a share of its maximum."""
    info, parsed = known(name)
    long = parsed.fill(info.long) or name
    if info.unit is Unit.LOSS and (basis is None or basis.glm_maximum):
        return f"{long}, % of its maximum"
    return long


def short_name(name: str) -> str:
    info, parsed = known(name)
    return parsed.fill(info.short) or name


def axis_name(name: str, basis: Basis) -> str:
    """The long name with its unit, as it stands beside an axis."""
    label = long_name(name, basis)
    return f"{label}, %" if _unit(name) is Unit.SHARE else label


def drawn(name: str, value: Number, basis: Basis) -> float:
    """The number that a figure shows: percentages and per-person figures."""
    unit = _unit(name)
    if unit is Unit.SHARE:
        return float(value) * 100
    if unit is Unit.LOSS and basis.glm_maximum:
        return float(value) / basis.glm_maximum * 100
    if unit is Unit.PER_ROW and basis.rows:
        return float(value) / basis.rows
    return float(value)


def drawing_scale(name: str, basis: Basis) -> float:
    """What to multiply a value with to get the number that `drawn` gives, up to rounding."""
    unit = _unit(name)
    if unit is Unit.LOSS and basis.glm_maximum:
        return _hundredth(basis.glm_maximum)
    return 1 / basis.rows if unit is Unit.PER_ROW and basis.rows else drawn(name, 1, basis)


def _hundredth(maximum: float) -> float:
    """So that the maximum itself becomes 100 and nothing beside it, where a float allows it."""
    scale = 100 / maximum
    near = (scale, math.nextafter(scale, math.inf), math.nextafter(scale, 0.0))
    return next((s for s in near if maximum * s == 100), scale)


def form(name: str, basis: Basis) -> str:
    """How `human` writes a value: as a number, percent, rows (with their share) or flag."""
    unit = _unit(name)
    if unit is Unit.SHARE or (unit is Unit.LOSS and basis.glm_maximum):
        return "percent"
    if unit is Unit.ROWS and basis.rows:
        return "rows"
    return "flag" if unit is Unit.FLAG else "number"


def human(name: str, value: Number, basis: Basis) -> str:
    """A measure's value as people read it."""
    match form(name, basis):
        case "flag":
            return "yes" if value else "no"
        case "percent":
            return percent(drawn(name, value, basis) / 100)
        case "rows":
            return f"{number(value)} ({percent(value / basis.rows)})"
    return number(drawn(name, value, basis) if _unit(name) is Unit.PER_ROW else value)


def shown_values(values: Mapping[str, Number], basis: Basis) -> dict[str, str]:
    """Every value as people read it, to stand beside the exact ones."""
    return {name: human(name, value, basis) for name, value in values.items()}


def number(value: Number) -> str:
    """Whole numbers with thousands separators, others with three or four useful digits."""
    if isinstance(value, int):
        # beyond 10¹⁵ nobody reads digits, and Python refuses to print very long ones
        text = f"{abs(value):,}" if abs(value) < _LARGE else _power(abs(value))
        return (MINUS if value < 0 else "") + text
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else (MINUS if value < 0 else "") + "∞"
    size = abs(value)
    if size >= _LARGE or 0 < size < 1e-4:
        text = _power(size)
    elif size >= 1000 or size == int(size):
        text = f"{size:,.0f}"
    else:
        text = f"{size:.4g}" if size < 1 else f"{size:.2f}"
    return (MINUS if value < 0 else "") + text


def _power(size: Number) -> str:
    """12 million million million as 1.2×10¹⁹."""
    exponent = math.floor(math.log10(size))
    mantissa = 10 ** (math.log10(size) - exponent)
    text = f"{mantissa:.3g}"
    if float(text) >= 10:
        text, exponent = "1", exponent + 1
    return f"{text}×10{str(exponent).translate(_SUPERSCRIPT)}"


def tick(value: float, step: float) -> str:
    """A label of an axis; `step` says how many decimals matter."""
    size, sign = abs(value), MINUS if value < 0 else ""
    if size < step * 1e-6:
        return "0"
    if size >= _BILLION or size < 1e-4:
        return sign + _power(size)
    if size >= _MILLION:
        decimals = max(0, min(6, -math.floor(math.log10(step / _MILLION) + 1e-9)))
        return f"{sign}{size / _MILLION:,.{decimals}f} M"
    decimals = max(0, min(6, -math.floor(math.log10(step) + 1e-9)))
    return f"{sign}{size:,.{decimals}f}"


def percent(share: float) -> str:
    """A share as a percentage; only nothing reads 0 %, and only all reads 100 %."""
    value = share * 100
    if not math.isfinite(value):
        return number(value)
    return f"{MINUS if value < 0 else ''}{_percent_digits(abs(value))} %"


def _percent_digits(size: float) -> str:
    if size in (0, 100):
        return f"{size:.0f}"
    if size < 0.01:
        return "<0.01"
    if size < 10:
        return f"{size:.2f}"
    if f"{size:.1f}" != "100.0":
        return f"{size:,.1f}"
    if f"{size:.2f}" != "100.00":
        return f"{size:.2f}"
    return ">99.99" if size < 100 else ">100"


def plural(count: int, noun: str, many: str | None = None) -> str:
    return f"{number(count)} {noun if count == 1 else many or noun + 's'}"


def short_digest(digest: str) -> str:
    return digest[:DIGEST_SHOWN]


def listed(names: Iterable[str], joined: str = "and") -> str:
    """`a, b and c`."""
    *head, last = list(names) or [""]
    return f"{', '.join(head)} {joined} {last}" if head else last


def printable(text: str) -> str:
    """Text for a terminal: characters that could steer it become a box."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def printable_lines(text: str) -> str:
    """The same for text of several lines."""
    return "\n".join(map(printable, text.split("\n")))
