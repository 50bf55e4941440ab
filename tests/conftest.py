"""For all tests: one browser; how long an example takes says more of the machine than the code."""

from hypothesis import settings

from tests.support.browsing import browser

__all__ = ["browser"]

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
