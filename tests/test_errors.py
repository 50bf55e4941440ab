"""Words that several messages share."""

from __future__ import annotations

import pytest

from paretonym.errors import missing


@pytest.mark.parametrize(
    ("packages", "told"),
    [
        (["a"], "a, which is not installed; install it with pip"),
        (["a", "b"], "a and b, which are not installed; install them with pip"),
        (["a", "b", "c"], "a, b and c, which are not installed; install them with pip"),
    ],
)
def test_missing_packages_are_told_in_one_sentence(packages: list[str], told: str) -> None:
    assert missing(packages, "pip") == told
