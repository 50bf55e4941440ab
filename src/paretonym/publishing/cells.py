"""What a cell looks like as text: typed values, spreadsheet formulas, and their undoing."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from paretonym.errors import OutputError

_FORMULA = r"^[=+\-@\t\r]"
_NEGATIVE_NUMBER = r"^-([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?$"
_QUOTED_FORMULA = r"^'+[=+\-@\t\r]"


def is_text(kind: Any) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def plain_type(kind: Any) -> Any:
    """The type of the values themselves: dictionaries and the flavours of text are storage."""
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.string() if is_text(kind) else kind


def as_text(array: Any, column: str) -> Any:
    """The cells of an Arrow array as large_string; null and NaN stay null."""
    kind = plain_type(array.type)
    if pa.types.is_null(kind):
        return pa.nulls(len(array), pa.large_string())
    try:
        if pa.types.is_floating(kind):
            array = array.cast(kind)
            if pa.types.is_float16(kind):  # spelled as the single-precision number it is
                kind = pa.float32()
                array = array.cast(kind)
            array = pc.if_else(pc.is_nan(array), pa.scalar(None, kind), array)
            # 1.0 must not come out as the integer 1
            text = array.cast(pa.large_string())
            return pc.replace_substring_regex(text, r"^(-?[0-9]+)$", r"\1.0")
        if pa.types.is_timestamp(kind) and kind.tz is not None:  # one spelling for every zone
            text = array.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.large_string())
            return pc.replace_substring_regex(_without_trailing_zeros(text), "Z$", "+00")
        text = array.cast(kind).cast(pa.large_string())
        if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
            return _without_trailing_zeros(text)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise OutputError(
            f"column '{column}': values of type {kind} cannot be written as text; "
            f"release Parquet or leave the column out"
        ) from None
    return text


def _without_trailing_zeros(text: Any) -> Any:
    text = pc.replace_substring_regex(text, r"(\.[0-9]*[1-9])0+(Z?)$", r"\1\2")
    return pc.replace_substring_regex(text, r"\.0+(Z?)$", r"\1")


def formula_mask(text: Any) -> Any:
    """Cells that a spreadsheet would run as a formula; negative numbers are none."""
    starts = pc.match_substring_regex(text, _FORMULA)
    return pc.and_(starts, pc.invert(pc.match_substring_regex(text, _NEGATIVE_NUMBER)))


def neutralise(text: Any) -> Any:
    """Put `'` before every formula.

    A cell that already reads like a neutralised one gets a further quote, so that two
    different cells never become equal and `restore` gives back exactly what was there.
    """
    wanted = pc.or_(formula_mask(text), pc.match_substring_regex(text, _QUOTED_FORMULA))
    quote, nothing = pa.scalar("'", pa.large_string()), pa.scalar("", pa.large_string())
    return pc.if_else(wanted, pc.binary_join_element_wise(quote, text, nothing), text)


def restore(text: Any) -> Any:
    """Undo `neutralise`."""
    wanted = pc.match_substring_regex(text, _QUOTED_FORMULA)
    return pc.if_else(wanted, pc.utf8_slice_codeunits(text, 1), text)
