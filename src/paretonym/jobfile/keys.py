"""What is said of a key beside its form: what it means and accepts, with an example.

docs/job-reference.md is made from it by docs/make_reference.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pydantic import Field, GetCoreSchemaHandler, PlainValidator
from pydantic_core import CoreSchema

UNSET = "when left out"
ACCEPTS = "accepts"


@dataclass(frozen=True, slots=True)
class Reads:
    """A reader of a job's text, what it accepts in words, and how a job writes such a value."""

    read: Callable[..., Any]
    accepts: str
    write: Callable[[Any], str] = str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return PlainValidator(self.read).__get_pydantic_core_schema__(source, handler)


def key(meaning: str, example: str, *, unset: str = "", accepts: str = "") -> Any:
    """What a key means, with a value as YAML; `unset` says what holds where there is none.

    `accepts` takes the place of what follows from the key's type.
    """
    extra: dict[str, Any] = {
        name: said for name, said in ((UNSET, unset), (ACCEPTS, accepts)) if said
    }
    return Field(description=meaning, examples=[example], json_schema_extra=extra or None)


def words(known: Iterable[str]) -> str:
    """Words as they stand in a job: `a`, `b` or `c`."""
    *first, last = (f"`{word}`" for word in known)
    return f"{', '.join(first)} or {last}" if first else last


def percent(share: float | Fraction) -> str:
    exact = Decimal(str(float(share))) * 100
    return f"{exact.normalize():f}%"


def flag(value: object) -> str:
    return "true" if value else "false"
