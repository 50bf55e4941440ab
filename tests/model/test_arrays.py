"""Kinds of arrays have one name each."""

from __future__ import annotations

import re
from pathlib import Path

import paretonym
from paretonym.model import arrays

_DEFINITION = re.compile(r"^\w+(: TypeAlias)? = .*\bNDArray\[", re.MULTILINE)


def test_names_for_arrays_stand_in_one_module():
    sources = Path(paretonym.__file__).parent.rglob("*.py")
    defining = {path for path in sources if _DEFINITION.search(path.read_text(encoding="utf-8"))}
    assert defining == {Path(arrays.__file__)}
