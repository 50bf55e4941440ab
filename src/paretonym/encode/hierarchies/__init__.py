"""Hierarchy builders: what a job asks for, made into partitions of a column's values.

Each builder drafts its levels as one label per value; `assemble` adds what all of them
share: missing values, the top level and the order of the leaves.
"""

from paretonym.encode.hierarchies.build import build

__all__ = ["build"]
