"""For all tests: how long an example takes says more about the machine than about the code."""

from hypothesis import settings

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
