"""The definitions in plain Python on plain rows: slow, obvious, sharing nothing with the engine."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import prod

Row = tuple[str, ...]


@dataclass(frozen=True)
class SmallTable:
    """Rows of text; the first columns are quasi-identifiers, then `sensitive`, then `target`.

    `labels[j][level][value]` is the label of a value of the j-th quasi-identifier.
    """

    rows: tuple[Row, ...]
    labels: tuple[tuple[dict[str, str], ...], ...]
    weights: tuple[int, ...]

    @property
    def quasi(self) -> int:
        return len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        return (*(f"q{j}" for j in range(self.quasi)), "sensitive", "target")

    def nodes(self):
        return itertools.product(*(range(len(levels)) for levels in self.labels))

    def column(self, name: str) -> list[str]:
        place = self.names.index(name)
        return [row[place] for row in self.rows]


def classes_of(table: SmallTable, node) -> dict[tuple[str, ...], list[int]]:
    groups = defaultdict(list)
    for number, row in enumerate(table.rows):
        groups[tuple(table.labels[j][node[j]][row[j]] for j in range(table.quasi))].append(number)
    return dict(groups)


def candidates(table: SmallTable, node, *, limit, rule, require_k=0, require_l=0):
    """(threshold, released classes) for every candidate of a node."""
    classes = classes_of(table, node)
    sensitive = table.column("sensitive")
    kept = {
        key: rows
        for key, rows in classes.items()
        if len(rows) >= require_k and len({sensitive[r] for r in rows}) >= require_l
    }
    forced = len(table.rows) - sum(map(len, kept.values()))
    if forced > limit or not kept:
        return []
    found = []
    for threshold in sorted({len(rows) for rows in kept.values()}):
        released = {key: rows for key, rows in kept.items() if len(rows) >= threshold}
        if len(table.rows) - sum(map(len, released.values())) <= limit:
            found.append((threshold, released))
    if rule == "required":
        return found[:1]
    return found[-1:] if rule == "paper" else found


def measures(table: SmallTable, node, released) -> dict[str, object]:
    """Every built-in measure of one released table."""
    n = len(table.rows)
    sensitive, target = table.column("sensitive"), table.column("target")
    out = {row for rows in released.values() for row in rows}
    gone = n - len(out)
    per_attribute = []
    for j in range(table.quasi):
        domain = len(table.labels[j][0])
        loss = Fraction(0)
        if domain > 1:
            under = Counter(table.labels[j][node[j]].values())
            for row in out:
                label = table.labels[j][node[j]][table.rows[row][j]]
                loss += Fraction(under[label] - 1, domain - 1)
            loss += gone
        per_attribute.append(loss)
    glm = sum((w * x for w, x in zip(table.weights, per_attribute, strict=True)), Fraction(0))
    squares = sum(len(rows) ** 2 for rows in released.values())
    by_value = Counter(sensitive)
    lost = Counter(sensitive[row] for row in range(n) if row not in out)
    total = sum(table.weights)
    return {
        "k": min(map(len, released.values())),
        "suppressed": gone,
        "distinct_l(sensitive)": min(
            len({sensitive[r] for r in rows}) for rows in released.values()
        ),
        "s_k": squares,
        "s_l(sensitive)": sum(
            c * c
            for rows in released.values()
            for c in Counter(sensitive[r] for r in rows).values()
        ),
        "glm": glm,
        "cm(target)": gone
        + sum(
            len(rows) - max(Counter(target[r] for r in rows).values()) for rows in released.values()
        ),
        "discernibility": squares + gone * n,
        "average_class_size": Fraction(n, len(released) + (gone > 0)),
        "loss_arithmetic": glm / (n * total),
        "loss_geometric": prod(
            (1 + float(x) / n) ** (w / total)
            for w, x in zip(table.weights, per_attribute, strict=True)
        )
        - 1,
        "worst_group_suppression(sensitive)": max(
            Fraction(lost[value], count) for value, count in by_value.items()
        ),
    }


def front(table: SmallTable, objectives, **options):
    """Non-dominated vectors (smaller is better) with their smallest node and number of ties."""
    found = defaultdict(list)
    for node in table.nodes():
        for threshold, released in candidates(table, node, **options):
            values = measures(table, node, released)
            vector = tuple(-values[m] if up else values[m] for m, up in objectives)
            found[vector].append((node, threshold))
    best = {}
    for vector, members in found.items():
        if not any(
            other != vector and all(a <= b for a, b in zip(other, vector, strict=True))
            for other in found
        ):
            best[vector] = (min(members), len(members) - 1)
    return best
