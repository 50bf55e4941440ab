"""For all tests: one browser, the quick ones first, and no limit on how long an example takes."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.support.browsing import browser

__all__ = ["browser"]

# how long an example takes says more of the machine than of the code
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests last, so that what is wrong shows soon; otherwise the order stays."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
