"""Everything an explorer draws of a front, as data that JSON can hold; arrays as base64."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paretonym.decide import pick
from paretonym.kernels.spread import spread_matrix
from paretonym.model.arrays import Array
from paretonym.model.front import Direction, Front
from paretonym.model.measure_info import direction_words
from paretonym.pipeline.open_job import OpenJob
from paretonym.publishing.manifest import software_version
from paretonym.report import words
from paretonym.report.facts import STEPS_OF_K, TITLE, exactness, rule_in_words, spread
from paretonym.report.scale import suits_log
from paretonym.report.words import Basis
from paretonym.search.cloud_sampling import MOST
from paretonym.search.outcome import as_number
from paretonym.views.node_views import (
    CandidateClasses,
    Property,
    classes_at_each,
    people_behind,
    properties_of,
    vector_of,
    view_of,
)

DETAILED = 40  # points of the front with details, at most
_SPREAD_WORK = 4 * 10**8  # entries of property vectors compared for the spread of all pairs


def inputs_digest(opened: OpenJob) -> str:
    """Of the table and of every hierarchy as applied: the same levels mean the same only then."""
    parts = [opened.table.fingerprint, *(g.digest for g in opened.lattice.granulations)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def front_view(
    front: Front, opened: OpenJob, *, title: str = TITLE, most: int = MOST
) -> dict[str, Any]:
    """The front and at most `most` other candidates, with what their axes mean."""
    points = _points(front, opened, most)
    weights = dict(zip(opened.lattice.columns, opened.context.weights, strict=True))
    return {
        "software": software_version(),
        "title": title,
        "rows": front.rows,
        "nodes": front.nodes,
        "evaluated": front.evaluated,
        "method": front.method,
        "exact": front.exact,
        "exactness": exactness(front),
        "limit_rows": opened.limit,
        "rule": rule_in_words(opened.job.suppression.rule),
        "fingerprint": front.table,
        "candidates": front.cloud.seen,
        "columns": [
            {
                "name": granulation.column,
                "weight": as_number(float(weights[granulation.column])),
                "levels": [{"name": p.name, "blocks": p.blocks} for p in granulation.partitions],
            }
            for granulation in opened.lattice.granulations
        ],
        "measures": _measures(front, opened, points["values"]),
        "directions": direction_words(),
        "require": [
            _required(r.bound.measure, r.bound.direction, r.bound.number, opened.basis)
            for r in opened.require
        ],
        "front_count": len(front.entries),
        "ties": [entry.ties for entry in front.entries],
        "points": {
            "count": len(points["below"]),
            **{name: _packed(points[name], "<i4") for name in ("below", "suppressed")},
            "levels": _packed(points["levels"], "<u2"),
            "values": {name: _packed(column, "<f8") for name, column in points["values"].items()},
        },
        "picks": [{"says": says, "index": index} for says, index in picks_of(front)],
    }


def _packed(array: Array, kind: str) -> str:
    """Little-endian bytes, row by row."""
    return base64.b64encode(np.ascontiguousarray(array, np.dtype(kind)).tobytes()).decode("ascii")


def _points(front: Front, opened: OpenJob, most: int) -> dict[str, Any]:
    """The front in its order, then the rest of the cloud; NaN where a value is not known."""
    cloud, lattice = front.cloud, opened.lattice
    ranks = np.array([lattice.rank(lattice.node_of(e.levels)) for e in front.entries], np.int64)
    own = _places(front, ranks)
    others = np.delete(np.arange(len(cloud)), own[own >= 0])
    others = others[spread(len(others), most)]
    rest = np.concatenate([ranks, cloud.rank[others]])
    levels = np.empty((len(rest), len(lattice.levels)), np.uint16)
    for j, stride in enumerate(lattice.strides):
        levels[:, j], rest = np.divmod(rest, stride)
    lost = _joined([e.suppressed for e in front.entries], cloud.suppressed[others])
    values = {}
    for name in _names(front):
        known = cloud.values.get(name, np.full(len(cloud), math.nan))
        ahead = [
            entry.values.get(name, known[place] if place >= 0 else math.nan)
            for entry, place in zip(front.entries, own, strict=True)
        ]
        values[name] = lost if name == "suppressed" else _joined(ahead, known[others])
    below = _joined([e.suppress_below for e in front.entries], cloud.suppress_below[others])
    return {"levels": levels, "below": below, "suppressed": lost, "values": values}


def _joined(first: Sequence[Any], rest: Array) -> Array:
    return np.concatenate([np.array(first, rest.dtype), rest])


def _names(front: Front) -> list[str]:
    """Objectives first; the rows suppressed are always among them."""
    objectives = [objective.name for objective in front.objectives]
    return list(dict.fromkeys([*objectives, *front.cloud.values, "suppressed"]))


def _places(front: Front, ranks: Array) -> Array:
    """Where each point of the front stands in the cloud, -1 when it does not."""
    cloud = front.cloud
    begin, end = (np.searchsorted(cloud.rank, ranks, side) for side in ("left", "right"))
    found = np.full(len(ranks), -1)
    for i, entry in enumerate(front.entries):
        of_node = cloud.suppress_below[begin[i] : end[i]]
        place = int(np.searchsorted(of_node, entry.suppress_below))
        if place < len(of_node) and of_node[place] == entry.suppress_below:
            found[i] = begin[i] + place
    return found


def _measures(front: Front, opened: OpenJob, values: Mapping[str, Array]) -> list[dict[str, Any]]:
    basis = opened.basis
    directions = {m.name: m.direction for m in opened.every_measure()}
    wanted = {objective.name: objective.direction for objective in front.objectives}
    found = []
    for name, column in values.items():
        info, parsed = words.known(name)
        direction = wanted.get(name) or directions.get(name)
        finite = column[np.isfinite(column)]
        ends = [float(finite.min()), float(finite.max())] if len(finite) else []
        found.append(
            {
                "name": name,
                "unit": str(info.unit),
                "says": parsed.fill(info.says),
                "left_out": info.left_out,
                "long": words.long_name(name, basis),
                "short": words.short_name(name),
                "direction": None if direction is None else str(direction),
                "objective": name in wanted,
                "scale": words.drawing_scale(name, basis),
                "format": words.form(name, basis),
                "log": suits_log(words.drawn(name, end, basis) for end in ends),
            }
        )
    return found


def _required(name: str, direction: Direction | None, bound: float, basis: Basis) -> dict[str, Any]:
    return {
        "name": name,
        "long": words.long_name(name, basis),
        "short": words.short_name(name),
        "unit": str(words.known(name)[0].unit),
        "direction": str(direction),
        "bound": bound,
        "shown": words.human(name, bound, basis),
    }


def picks_of(front: Front) -> list[tuple[str, int]]:
    """What `--pick` takes: the cheapest point for round values of k, and the knee.

    Each point is offered once: under the largest k that leads to it, and as the knee if it is.
    """
    if not front.entries:
        return []
    hows = []
    if any(objective.name == "k" for objective in front.objectives):
        largest = max(entry.values["k"] for entry in front.entries)
        hows = [f"k>={step}" for step in STEPS_OF_K if step <= largest]
    places = {id(entry): i for i, entry in enumerate(front.entries)}
    offered = {places[id(pick(front, how))]: how for how in hows}
    knee = places[id(pick(front, "knee"))]
    offered[knee] = f"{offered[knee]}, knee" if knee in offered else "knee"
    return [(says, index) for index, says in offered.items()]


def with_details(view: Mapping[str, Any], front: Front, opened: OpenJob) -> dict[str, Any]:
    """The view with facts of single points, for a page that has no table to ask."""
    indexes = _detailed(front, opened)
    entries = [front.entries[i] for i in indexes]
    places = [(opened.lattice.node_of(e.levels), e.suppress_below) for e in entries]
    properties = properties_of(opened)
    details: dict[str, Any] = {}
    vectors: dict[str, list[Array]] = {each.name: [] for each in properties}
    for index, shown in zip(indexes, classes_at_each(opened, places), strict=True):
        details[str(index)] = view_of(opened, shown, named=False).to_json()
        _add_vectors(vectors, properties, shown)
    matrix = {
        each.name: _packed(
            spread_matrix(np.array(vectors[each.name], np.int64), people_behind(opened, each)),
            "<f8",
        )
        for each in properties
    }
    names = [each.name for each in properties]
    spread_facts = {"indexes": indexes, "properties": names, "matrix": matrix}
    return {**view, "details": details, "spread": spread_facts}


def _detailed(front: Front, opened: OpenJob) -> list[int]:
    """Every pick, and points evenly spread as far as the work allows."""
    most = min(DETAILED, math.isqrt(_SPREAD_WORK // max(opened.histogram.combinations, 1)))
    picked = {index for _, index in picks_of(front)}
    others = [i for i in range(len(front.entries)) if i not in picked]
    return sorted([*picked, *(others[i] for i in spread(len(others), most - len(picked)))])


def _add_vectors(
    vectors: Mapping[str, list[Array]], properties: Sequence[Property], shown: CandidateClasses
) -> None:
    for each in properties:
        vectors[each.name].append(vector_of(shown, each))
