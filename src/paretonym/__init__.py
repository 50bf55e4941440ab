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
    from paretonym.errors import (
        HierarchyError,
        InfeasibleError,
        JobError,
        OutputError,
        ParetonymError,
        SafetyError,
        TableError,
        VerificationError,
    )
    from paretonym.groups.attack import GroupAttack
    from paretonym.groups.signals import GroupSignals
    from paretonym.measures.classes import ClassTable
    from paretonym.measures.measure import (
        Context,
        Measure,
        Monotone,
        Reduce,
        Reduced,
        Statistic,
        Values,
        direct,
    )
    from paretonym.measures.spread import property_vectors, spread_index
    from paretonym.model.bound import Bound
    from paretonym.model.candidate import Candidate, Counts
    from paretonym.model.front import Direction, Front, Objective
    from paretonym.model.job import Job
    from paretonym.model.measure_info import MeasureInfo, Unit
    from paretonym.model.schema import Role
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
    from paretonym.pipeline.applying import Drift
    from paretonym.pipeline.open_job import OpenJob, open_job
    from paretonym.pipeline.protecting import Protection
    from paretonym.publishing.checker import Check
    from paretonym.publishing.publish import Publication
    from paretonym.publishing.verify import Verification
    from paretonym.search.progress import Progress

__all__ = [
    "Bound",
    "Candidate",
    "Check",
    "ClassTable",
    "Context",
    "Counts",
    "Direction",
    "Drift",
    "Front",
    "GroupAttack",
    "GroupSignals",
    "HierarchyError",
    "InfeasibleError",
    "Job",
    "JobError",
    "Measure",
    "MeasureInfo",
    "Monotone",
    "Objective",
    "OpenJob",
    "OutputError",
    "ParetonymError",
    "Progress",
    "Protection",
    "Publication",
    "Reduce",
    "Reduced",
    "Role",
    "SafetyError",
    "Statistic",
    "TableError",
    "Unit",
    "Values",
    "Verification",
    "VerificationError",
    "__version__",
    "apply",
    "attack_groups",
    "direct",
    "find_front",
    "group_signals",
    "groups",
    "load_job",
    "make_job",
    "open_job",
    "pick",
    "property_vectors",
    "protect_groups",
    "register",
    "release",
    "score",
    "spread_index",
    "verify",
]

# where each name lives; it is imported on first use, because the command line asks for the version
# long before any engine
_HOMES = {
    "paretonym.errors": (
        "HierarchyError", "InfeasibleError", "JobError", "OutputError", "ParetonymError",
        "SafetyError", "TableError", "VerificationError",
    ),
    "paretonym.groups.attack": ("GroupAttack",),
    "paretonym.groups.signals": ("GroupSignals",),
    "paretonym.measures.classes": ("ClassTable",),
    "paretonym.measures.measure": (
        "Context", "Measure", "Monotone", "Reduce", "Reduced", "Statistic", "Values", "direct",
    ),
    "paretonym.measures.spread": ("property_vectors", "spread_index"),
    "paretonym.model.bound": ("Bound",),
    "paretonym.model.candidate": ("Candidate", "Counts"),
    "paretonym.model.front": ("Direction", "Front", "Objective"),
    "paretonym.model.job": ("Job",),
    "paretonym.model.measure_info": ("MeasureInfo", "Unit"),
    "paretonym.model.schema": ("Role",),
    "paretonym.pipeline.api": (
        "apply", "attack_groups", "find_front", "group_signals", "load_job", "make_job", "pick",
        "protect_groups", "register", "release", "score", "verify",
    ),
    "paretonym.pipeline.applying": ("Drift",),
    "paretonym.pipeline.open_job": ("OpenJob", "open_job"),
    "paretonym.pipeline.protecting": ("Protection",),
    "paretonym.publishing.checker": ("Check",),
    "paretonym.publishing.publish": ("Publication",),
    "paretonym.publishing.verify": ("Verification",),
    "paretonym.search.progress": ("Progress",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "groups":
        return import_module("paretonym.groups")
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'paretonym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
