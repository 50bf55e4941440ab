"""Exhaustive search: every node, every threshold, the exact front."""

from __future__ import annotations

import time
from collections.abc import Sequence

from paretonym.errors import CancelledError, InfeasibleError, LatticeTooBigError
from paretonym.measures import Evaluator
from paretonym.measures.measure import Array
from paretonym.model.front import Front
from paretonym.search.archive import Archive
from paretonym.search.boxes import Boxing
from paretonym.search.nondominated import Vectors, front_of, join
from paretonym.search.outcome import CLOUD, Target, entries_of, how_far, in_order, thin, vectors_of
from paretonym.search.progress import Progress

MOST_NODES = 50_000_000  # beyond this, enumerating takes hours on any table worth protecting
MOST_NODES_PLAIN = 200_000  # a user's Python measure is evaluated node by node


def refuse_if_too_big(evaluator: Evaluator) -> None:
    most = MOST_NODES if evaluator.is_fast else MOST_NODES_PLAIN
    size = evaluator.lattice.size
    if size <= most:
        return
    slow = "" if evaluator.is_fast else " with a measure written in Python"
    raise LatticeTooBigError(
        f"the lattice has {size:,} nodes, and the exhaustive search visits at most {most:,}{slow}. "
        f"Use fewer levels or fewer quasi-identifiers; single nodes can be scored and released "
        f"with --levels whatever the lattice's size."
    )


def search_exhaustively(
    evaluator: Evaluator,
    targets: Sequence[Target],
    *,
    threads: int,
    progress: Progress,
    table: str = "",
    boxing: Boxing | None = None,
) -> Front:
    """The exact front; interrupted, what is known so far, marked as not exact.

    With boxes, one entry for each non-dominated box: those of all candidates are those of the
    front, because a dominated candidate's box is no better than that of who dominates it.
    """
    refuse_if_too_big(evaluator)
    started = time.perf_counter()
    lattice = evaluator.lattice
    parts: list[Vectors] = []
    cloud: list[Array] = []
    every = max(1, lattice.size // CLOUD)
    evaluated, exact = 0, True
    progress.start("searching", lattice.size)
    try:
        for candidates in evaluator.sweep(threads=threads, progress=progress.advance):
            evaluated += candidates.nodes
            found = vectors_of(evaluator, candidates, targets, boxing)
            cloud.append(found.shown[found.rank % every == 0])
            parts = [front_of(join([*parts, front_of(found)]))]
    except KeyboardInterrupt:
        exact = False
        if not parts or not len(parts[0]):
            raise CancelledError("stopped before any candidate was found") from None
    finally:
        progress.finish()
    front = parts[0] if parts else None
    if front is None or not len(front):
        raise InfeasibleError(how_far(evaluator))
    if boxing:
        front = _one_a_box(front)
    return Front(
        method="exhaustive",
        exact=exact,
        nodes=lattice.size,
        evaluated=evaluated,
        objectives=tuple(target.objective for target in targets),
        entries=entries_of(evaluator, front, targets),
        rows=evaluator.histogram.rows,
        table=table,
        seconds=time.perf_counter() - started,
        cloud=thin(cloud),
    )


def _one_a_box(front: Vectors) -> Vectors:
    """Offered in the order in which a front is shown: the first of a box stands for it."""
    archive = Archive()
    archive.offer(in_order(front))
    return archive.members
