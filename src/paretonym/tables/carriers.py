"""How a typed column travels through the engine and comes back as it was.

DuckDB has fewer types than Arrow: each Arrow type is given a carrier that holds it exactly,
and released columns are turned back into their own type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

TEXT_TYPES = (pa.string(), pa.large_string())


@dataclass(frozen=True, eq=False)
class Field:
    """A column of the table: its own name and type, and how the engine holds it."""

    name: str
    type: pa.DataType
    carrier: pa.DataType | None  # None: the engine cannot hold it
    faithful_text: bool = True  # the carrier's text is the value's text, so it can be a key
    categories: pa.Array | None = None  # of a dictionary column: those that occur, in order

    @property
    def is_text(self) -> bool:
        return bool(self.carrier == pa.string())

    @property
    def is_float(self) -> bool:
        return bool(self.carrier in (pa.float32(), pa.float64()))


def field_for(name: str, dtype: pa.DataType, categories: pa.Array | None = None) -> Field:
    """The field of a column of this type."""
    own = without_views(dtype)
    value = own.value_type if pa.types.is_dictionary(own) else own
    carrier, faithful = _carrier(value)
    return Field(name, own, carrier, faithful, categories)


def text_field(name: str) -> Field:
    return Field(name, pa.string(), pa.string())


def without_views(dtype: pa.DataType) -> pa.DataType:
    """View types hold the same values as plain ones but cannot be written to Parquet."""
    if pa.types.is_dictionary(dtype):
        return pa.dictionary(dtype.index_type, without_views(dtype.value_type), dtype.ordered)
    if pa.types.is_string_view(dtype):
        return pa.string()
    if pa.types.is_binary_view(dtype):
        return pa.binary()
    return dtype


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column without view types, which Arrow's own functions cannot yet work on."""
    own = without_views(column.type)
    if own == column.type:
        return column
    if not pa.types.is_dictionary(own):
        return column.cast(own)
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices, chunk.dictionary.cast(own.value_type), ordered=own.ordered
        )
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, own)


def _carrier(dtype: pa.DataType) -> tuple[pa.DataType | None, bool]:
    kinds = pa.types
    if dtype in TEXT_TYPES or kinds.is_null(dtype) or kinds.is_decimal256(dtype):
        return pa.string(), True
    if kinds.is_float16(dtype):
        return pa.float32(), True
    if kinds.is_binary(dtype) or kinds.is_large_binary(dtype) or kinds.is_fixed_size_binary(dtype):
        return pa.binary(), True
    if kinds.is_timestamp(dtype):
        if dtype.tz is None:
            return dtype, True
        # the engine's zoned time ends at microseconds: nanoseconds travel as whole numbers
        return (pa.int64(), False) if dtype.unit == "ns" else (pa.timestamp("us", "UTC"), True)
    if kinds.is_duration(dtype) or dtype == pa.time64("ns"):
        return pa.int64(), False
    exact = (
        kinds.is_integer(dtype)
        or kinds.is_floating(dtype)
        or kinds.is_boolean(dtype)
        or kinds.is_date(dtype)
        or kinds.is_time(dtype)
        or kinds.is_decimal128(dtype)
    )
    return (dtype, True) if exact else (None, False)


def load(column: pa.Array, field: Field) -> pa.Array:
    """The column in its carrier; a column without one becomes nulls, never to be read."""
    if field.carrier is None:
        return pa.nulls(len(column), pa.string())
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([load(chunk, field) for chunk in column.chunks], field.carrier)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(field.carrier)


def restore(column: pa.Array, field: Field) -> pa.Array:
    """The column as its own type again."""
    if not pa.types.is_dictionary(field.type):
        # the engine may have widened the carrier, as it does with seconds and milliseconds
        if field.carrier == pa.int64() and not field.faithful_text:
            return column.cast(pa.int64()).cast(field.type)
        if pa.types.is_null(field.type):
            return pa.nulls(len(column))
        return column.cast(field.type)
    categories = field.categories
    values = column.cast(field.type.value_type)
    indices = pc.index_in(values, value_set=categories).cast(field.type.index_type)
    return pa.DictionaryArray.from_arrays(indices, categories, ordered=field.type.ordered)


def categories_of(chunks: Iterable[pa.Array], dtype: pa.DataType) -> pa.Array:
    """The categories that occur, in the order of the dictionaries."""
    value_type = without_views(dtype.value_type)
    declared = used = pa.array([], value_type)
    for chunk in chunks:
        dictionary = chunk.dictionary.cast(value_type)
        occurring = dictionary.take(pc.unique(chunk.indices).drop_null())
        declared = pc.unique(pa.chunked_array([declared, dictionary]))
        used = pc.unique(pa.chunked_array([used, occurring]))
    return declared.filter(pc.is_in(declared, value_set=used)).drop_null()
