"""Names and numbers as people read them: shares and per-person figures, not raw sums."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

Number = int | float
Weight = int | float | Fraction

MINUS = "−"
DIGEST_SHOWN = 12
_CALL = re.compile(r"^([a-z_]+)\((.*)\)$", re.DOTALL)
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


def parts(name: str) -> tuple[str, str | None]:
    """`distinct_l(x)` as ("distinct_l", "x"); `k` as ("k", None)."""
    match = _CALL.match(name)
    return (match[1], match[2]) if match else (name, None)


@dataclass(frozen=True, slots=True)
class _Quantity:
    long: str  # may hold {x}, the column in brackets
    short: str
    kind: str  # count, rows, share, per_row, glm, flag, plain


_QUANTITIES = {
    "k": _Quantity("smallest group (k)", "k", "count"),
    "distinct_l": _Quantity("distinct values of {x} in a group (ℓ)", "ℓ of {x}", "count"),
    "s_k": _Quantity("mean group size per person", "mean group", "per_row"),
    "s_l": _Quantity(
        "people in the own group with the same {x}, mean per person", "same {x}", "per_row"
    ),
    "glm": _Quantity("information loss (GLM), % of its maximum", "GLM", "glm"),
    "cm": _Quantity("rows off their group's majority of {x} (CM)", "CM of {x}", "rows"),
    "loss_arithmetic": _Quantity("mean loss of the columns", "loss", "share"),
    "loss_geometric": _Quantity("geometric mean loss of the columns", "geometric loss", "share"),
    "discernibility": _Quantity("discernibility per person", "discernibility", "per_row"),
    "average_class_size": _Quantity("average group size", "average group", "plain"),
    "suppressed": _Quantity("rows suppressed", "suppressed", "rows"),
    "worst_group_suppression": _Quantity(
        "largest share of rows lost by a value of {x}", "worst loss in {x}", "share"
    ),
    "rows": _Quantity("rows released", "rows", "count"),
    "values": _Quantity("different values of {x}", "values of {x}", "count"),
    "classes": _Quantity("groups of equal quasi-identifiers", "groups", "count"),
    "secure": _Quantity("nobody can be certain of a secret", "secure", "flag"),
    "sf": _Quantity("security: doubt that is left about secrets", "security", "share"),
    "ql": _Quantity("quality: information that is kept", "quality", "share"),
    "worst_risk": _Quantity("largest posterior of a secret", "worst risk", "share"),
    "at_risk": _Quantity("people whose secret is likelier than allowed", "at risk", "share"),
}


def _quantity(name: str) -> tuple[_Quantity, str | None]:
    base, column = parts(name)
    known = _QUANTITIES.get(base)
    # a measure of the user's own keeps the name it was given
    return (known, column) if known else (_Quantity("", "", "plain"), None)


def long_name(name: str, basis: Basis | None = None) -> str:
    """The name in words; `basis` tells whether GLM can be a share of its maximum."""
    quantity, column = _quantity(name)
    if basis is not None and quantity.kind == "glm" and not basis.glm_maximum:
        return "information loss (GLM)"
    return quantity.long.replace("{x}", column or "") or name


def short_name(name: str) -> str:
    quantity, column = _quantity(name)
    return quantity.short.replace("{x}", column or "") or name


def axis_name(name: str, basis: Basis) -> str:
    """The long name with its unit, as it stands beside an axis."""
    label = long_name(name, basis)
    return f"{label}, %" if _quantity(name)[0].kind == "share" else label


def drawn(name: str, value: Number, basis: Basis) -> float:
    """The number that a figure shows: percentages and per-person figures."""
    kind = _quantity(name)[0].kind
    if kind == "share":
        return float(value) * 100
    if kind == "glm" and basis.glm_maximum:
        return float(value) / basis.glm_maximum * 100
    if kind == "per_row" and basis.rows:
        return float(value) / basis.rows
    return float(value)


def drawing_scale(name: str, basis: Basis) -> float:
    """What to multiply a value with to get the number that `drawn` gives, up to rounding."""
    kind = _quantity(name)[0].kind
    if kind == "glm" and basis.glm_maximum:
        return _hundredth(basis.glm_maximum)
    return 1 / basis.rows if kind == "per_row" and basis.rows else drawn(name, 1, basis)


def _hundredth(maximum: float) -> float:
    """So that the maximum itself becomes 100 and nothing beside it, where a float allows it."""
    scale = 100 / maximum
    near = (scale, math.nextafter(scale, math.inf), math.nextafter(scale, 0.0))
    return next((s for s in near if maximum * s == 100), scale)


def form(name: str, basis: Basis) -> str:
    """How `human` writes a value: as a number, percent, rows (with their share) or flag."""
    kind = _quantity(name)[0].kind
    if kind == "share" or (kind == "glm" and basis.glm_maximum):
        return "percent"
    if kind == "rows" and basis.rows:
        return "rows"
    return "flag" if kind == "flag" else "number"


def human(name: str, value: Number, basis: Basis) -> str:
    """A measure's value as people read it."""
    match form(name, basis):
        case "flag":
            return "yes" if value else "no"
        case "percent":
            return percent(drawn(name, value, basis) / 100)
        case "rows":
            return f"{number(value)} ({percent(value / basis.rows)})"
    return number(drawn(name, value, basis) if _quantity(name)[0].kind == "per_row" else value)


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
