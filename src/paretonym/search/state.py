"""What a search must remember to go on after an interruption: plain arrays and plain facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from paretonym.model.arrays import Array


@dataclass(frozen=True, slots=True)
class State:
    arrays: Mapping[str, Array] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)  # what JSON can hold


class Keeper(Protocol):
    """Keeps the state of a search from time to time; where, is not the search's business."""

    def is_due(self) -> bool: ...

    def keep(self, state: State) -> None: ...


class Forgetful:
    """Keeps nothing."""

    def is_due(self) -> bool:
        return False

    def keep(self, state: State) -> None:
        pass


def generator_facts(draw: np.random.Generator) -> dict[str, str]:
    """A generator's state; its numbers are too long for most readers of JSON."""
    inner: Any = draw.bit_generator.state
    words = {**inner["state"], "has_uint32": inner["has_uint32"], "uinteger": inner["uinteger"]}
    return {name: str(number) for name, number in words.items()}


def generator_from(facts: Mapping[str, str]) -> np.random.Generator:
    bits = np.random.PCG64()
    words = {name: int(text) for name, text in facts.items()}
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": words["state"], "inc": words["inc"]},
        "has_uint32": words["has_uint32"],
        "uinteger": words["uinteger"],
    }
    return np.random.Generator(bits)
