"""Fixtures of the browser tests."""

from tests.web.serving import served, visit

__all__ = ["served", "visit"]
