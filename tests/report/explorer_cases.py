"""Made-up views of fronts and nodes, with names that try to break out of a page."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from paretonym.model.measure_info import direction_words
from paretonym.report import words
from paretonym.report.words import Basis

ROWS = 30_162
HOSTILE = '</script><script>window.broken = 1</script><img src=x onerror="window.broken=1">'
REVERSED = "\u202eegdirb\u202c & co"
LONG = "x" * 10_000
SAME_ILLNESS = "people in the own class with the same illness"
COLUMNS = {
    "age": ("as it is", "5-year bands", "10-year bands", "20-year bands", "any age"),
    "zip": ("all digits", "4 digits", "3 digits", "2 digits", "1 digit", "any place"),
    "sex": ("as it is", "any sex"),
    "education": ("as it is", "stage", "school or more", "any"),
    "marital": ("as it is", "partner or not", "any"),
    "work": ("as it is", "sector", "any"),
}
HOSTILE_COLUMNS = COLUMNS | {HOSTILE: ("as it is", REVERSED, LONG), REVERSED: ("as it is", "any")}
BASIS = Basis(ROWS, float(ROWS * len(COLUMNS)))
# name, direction, objective, scale, format, log
MEASURES = (
    ("k", "max", True, 1.0, "number", True),
    ("glm", "min", True, 100 / (ROWS * len(COLUMNS)), "percent", False),
    ("distinct_l(illness)", "max", True, 1.0, "number", False),
    ("suppressed", "min", False, 1.0, "rows", False),
    ("s_k", "max", False, 1 / ROWS, "number", True),
    ("loss_arithmetic", "min", False, 100.0, "percent", False),
    ("secure", None, False, 1.0, "flag", False),
)


def encoded(values: Any, dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode()


def measure(name: str) -> dict[str, Any]:
    _, direction, objective, scale, form, log = next(m for m in MEASURES if m[0] == name)
    return {
        "name": name,
        "long": words.long_name(name, BASIS),
        "short": words.short_name(name),
        "unit": str(words.known(name)[0].unit),
        "left_out": words.known(name)[0].left_out,
        "direction": direction,
        "objective": objective,
        "scale": scale,
        "format": form,
        "log": log,
    }


def _candidates(count: int, tops: list[int], seed: int) -> dict[str, Any]:
    """Coarser levels give larger classes and more loss, with some noise."""
    rng = np.random.default_rng(seed)
    levels = np.stack([rng.integers(0, top + 1, count) for top in tops], axis=1)
    coarse = (levels / np.array(tops)).mean(axis=1)
    suppressed = rng.integers(0, 300, count)
    k = np.maximum(1, np.exp(7 * coarse**1.4 + rng.normal(0, 0.6, count)).astype(int))
    loss = np.clip(coarse + rng.normal(0, 0.05, count), 0, 1)
    return {
        "levels": levels,
        "below": np.arange(count) % 7,  # tells candidates of equal levels apart
        "suppressed": suppressed,
        "k": k,
        "glm": loss * ROWS * len(COLUMNS),
        "distinct_l(illness)": np.minimum(
            k, 1 + (6 * rng.random(count) * (0.3 + coarse)).astype(int)
        ),
        "s_k": k * ROWS * 1.7,
        "loss_arithmetic": loss,
        "secure": (k > 10).astype(float),
    }


def _front(made: dict[str, Any]) -> np.ndarray:
    """Places that nothing beats in k, GLM and distinct values at once."""
    scores = np.stack([-made["k"], made["glm"], -made["distinct_l(illness)"]], axis=1).astype(float)
    order = np.lexsort(scores.T[::-1])
    kept: list[int] = []
    for place in order:
        rivals = scores[kept]
        if not len(kept) or not np.any(np.all(rivals <= scores[place], axis=1)):
            kept.append(int(place))
    return np.array(kept)


def node_view(view: dict[str, Any], levels: list[int], values: dict[str, float]) -> dict[str, Any]:
    """A node with made-up details; its measures are those of the front."""
    k = int(values["k"])
    first = view["columns"][0]["name"]
    return {
        "levels": levels,
        "below": int(values["below"]),
        "suppressed": int(values["suppressed"]),
        "released": ROWS - int(values["suppressed"]),
        "classes": 812,
        "feasible": True,
        "values": [
            {
                "name": m["name"],
                "long": m["long"],
                "value": float(values[m["name"]]),
                "shown": words.human(m["name"], values[m["name"]], BASIS),
            }
            for m in view["measures"]
        ],
        "class_sizes": [
            {"from": k * 2**i, "to": k * 2 ** (i + 1) - 1, "classes": 400 // 3**i, "rows": 900 - i}
            for i in range(6)
        ],
        "privacy": [
            _privacy("k", "people in the own class", k, values["suppressed"]),
            _privacy("s_l(illness)", SAME_ILLNESS, max(1, k // 3), values["suppressed"]),
        ],
        "losses": [
            {
                "column": column["name"],
                "level": level,
                "name": column["levels"][level]["name"],
                "loss": level / (len(column["levels"]) - 1),
            }
            for column, level in zip(view["columns"], levels, strict=True)
        ],
        "distributions": [
            *(_distribution(column["name"]) for column in view["columns"]),
            _distribution("came by", role="insensitive") | {"distance": None, "blocks": 0},
        ],
        "not_compared": [{"column": HOSTILE, "why": "it has 1,234 values, more than 1,000"}],
        "lost": [
            {
                "column": first,
                "rows": [
                    {"label": "40–44", "lost": 3, "rows": 900},
                    {"label": None, "lost": 40, "rows": 200},
                    {"label": HOSTILE, "lost": 1, "rows": 50},
                ],
            },
            {
                "column": "sex",
                "rows": [
                    {"label": "f", "lost": k % 90, "rows": 100},
                    {"label": "m", "lost": 10, "rows": 100},
                ],
            },
        ],
    }


def _privacy(name: str, says: str, least: int, suppressed: float) -> dict[str, Any]:
    people = ROWS - int(suppressed)
    sizes = [least * (i + 1) for i in range(60)]
    shares = [1 - (1 - (i + 1) / 60) ** 1.8 for i in range(60)]
    return {
        "property": name,
        "says": says,
        "minimum": least,
        "quantiles": [
            {"share": share, "value": int(sizes[int(share * 30)])}
            for share in (0.05, 0.25, 0.5, 0.75, 0.95)
        ],
        "maximum": sizes[-1],
        "mean": least * 20.4,
        "worst": {"value": least, "people": int(shares[0] * people)},
        "steps": [[s, int(share * people)] for s, share in zip(sizes, shares, strict=True)],
    }


def _distribution(column: str, role: str = "quasi") -> dict[str, Any]:
    bars: list[dict[str, Any]] = [
        {"label": f"value {i}", "before": 6000 // (i + 1), "after": 5800 // (i + 1)}
        for i in range(8)
    ]
    bars.append({"label": None, "before": 120, "after": 90})
    bars.append({"label": HOSTILE, "before": 80, "after": 70})
    bars.append({"label": REVERSED + LONG, "before": 40, "after": 20})
    return {
        "column": column,
        "role": role,
        "values": 590,
        "blocks": 11,
        "distance": 0.0213,
        "bars": bars,
        "others": {"values": 7, "before": 33, "after": 0},
    }


def front_view(
    count: int = 1500, *, seed: int = 7, hostile: bool = False, detailed: int = 8
) -> dict[str, Any]:
    """A front of `count` candidates; the first `detailed` points carry their details."""
    columns = HOSTILE_COLUMNS if hostile else COLUMNS
    made = _candidates(count, [len(levels) - 1 for levels in columns.values()], seed)
    front = _front(made)
    order = np.concatenate([front, np.setdiff1d(np.arange(count), front)])
    made = {name: values[order] for name, values in made.items()}
    names = [m[0] for m in MEASURES]
    view: dict[str, Any] = {
        "software": "0.2.0",
        "title": f"census & co {HOSTILE}" if hostile else "census.csv",
        "rows": ROWS,
        "nodes": count,
        "evaluated": count,
        "method": "exhaustive",
        "exact": True,
        "exactness": "complete for these hierarchies and objectives",
        "limit_rows": 300,
        "rule": "staircase",
        "fingerprint": "0" * 64,
        "candidates": count,
        "columns": [
            {
                "name": name,
                "weight": 1,
                "levels": [
                    {"name": level, "blocks": 4 ** (len(levels) - place - 1)}
                    for place, level in enumerate(levels)
                ],
            }
            for name, levels in columns.items()
        ],
        "measures": [measure(name) for name in names],
        "directions": direction_words(),
        "require": [measure("k") | {"bound": 1, "shown": "1"}],
        "front_count": len(front),
        "ties": [0] * len(front),
        "points": {
            "count": count,
            "levels": encoded(made["levels"], "<u2"),
            "below": encoded(made["below"], "<i4"),
            "suppressed": encoded(made["suppressed"], "<i4"),
            "values": {n: encoded(made[n], "<f8") for n in names if n != "suppressed"},
        },
        "picks": _picks(made, len(front)),
    }
    detailed = min(detailed, len(front))
    view["details"] = {
        str(i): node_view(
            view,
            [int(level) for level in made["levels"][i]],
            {name: made[name][i].item() for name in [*names, "below"]},
        )
        for i in range(detailed)
    }
    matrix = np.arange(detailed * detailed, dtype=float).reshape(detailed, detailed)
    view["spread"] = {
        "indexes": list(range(detailed)),
        "properties": ["k"],
        "matrix": {"k": encoded(matrix, "<f8")},
    }
    return view


def _picks(made: dict[str, Any], front: int) -> list[dict[str, Any]]:
    chosen = []
    for least in (2, 5, 10, 50):
        reaching = np.flatnonzero(made["k"][:front] >= least)
        if len(reaching):
            best = int(reaching[np.argmin(made["glm"][reaching])])
            chosen.append({"says": f"k>={least}", "index": best})
    return [*chosen, {"says": "knee", "index": front // 2}]
