"""Release tables of personal records: every trade-off, and proof of what was written.

import paretonym as pn
job = pn.load_job("adult.yaml")
front = pn.find_front(job)
made = pn.release(job, pick="k>=5", out="release")
assert pn.verify("release").ok
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paretonym.version import __version__

if TYPE_CHECKING:
    from paretonym import groups
    from paretonym.pipeline.api import (
        apply,
        attack_groups,
        find_front,
        group_signals,
        load_job,
        make_job,
        pick,
        protect_groups,
        register,
        release,
        score,
        verify,
    )

__all__ = [
    "__version__",
    "apply",
    "attack_groups",
    "find_front",
    "group_signals",
    "groups",
    "load_job",
    "make_job",
    "pick",
    "protect_groups",
    "register",
    "release",
    "score",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import on first use: the command line asks for the version long before any engine."""
    if name == "groups":
        return import_module("paretonym.groups")
    if name in __all__:
        return getattr(import_module("paretonym.pipeline.api"), name)
    raise AttributeError(f"module 'paretonym' has no attribute {name!r}")
