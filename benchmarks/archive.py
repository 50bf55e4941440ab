"""The box-dominance archive: candidates a second, three objectives, archives of several sizes."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from paretonym.measures import Values
from paretonym.model.front import Direction
from paretonym.search.archive import Archive, bare_vectors
from paretonym.search.boxes import Boxing, Side
from paretonym.search.nondominated import Vectors

CANDIDATES = 300_000
BATCH = 10_000
_RADIUS = 1_000_000


def candidates_near_a_sphere(boxing: Boxing) -> Vectors:
    """Points on and within an eighth of a sphere: many best boxes, none far from being one."""
    draw = np.random.default_rng(0)
    points = np.abs(draw.normal(size=(CANDIDATES, 3)))
    points /= np.linalg.norm(points, axis=1)[:, None]
    points *= draw.uniform(0.9, 1.0, (CANDIDATES, 1))
    whole = (points * _RADIUS).astype(np.int64)
    return bare_vectors([Values(column) for column in whole.T], boxing)


def fill(candidates: Vectors, batch: int) -> tuple[float, int]:
    """Seconds and the archive's final size."""
    archive = Archive()
    started = time.perf_counter()
    for first in range(0, len(candidates), batch):
        archive.offer(candidates.at(np.arange(first, min(first + batch, len(candidates)))))
    return time.perf_counter() - started, len(archive)


def run() -> None:
    for boxes_a_side in (20, 40, 60):
        size = Fraction(_RADIUS, boxes_a_side)
        boxing = Boxing(tuple(Side(f"m{j}", Direction.MAX, size) for j in range(3)))
        candidates = candidates_near_a_sphere(boxing)
        fill(candidates.at(np.arange(10)), BATCH)  # compiled and warm
        seconds, members = fill(candidates, BATCH)
        rate = len(candidates) / seconds
        print(f"  {members:5,} members: {rate:12,.0f} candidates a second   (100,000)", flush=True)
