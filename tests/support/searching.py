"""Searches on small tables: a problem to solve, every candidate it has, keepers that remember."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from paretonym.errors import InfeasibleError
from paretonym.measures import Evaluator, Requirement, build, objective_of, parse
from paretonym.model.front import Direction, Front
from paretonym.model.job import Budget, Method, Rule
from paretonym.search import ChosenMethod, RunSettings, State, Target, find
from tests.support.brute_force import SmallTable
from tests.support.small_tables import engine_parts, small_tables

# every built-in measure, both directions where it has no natural one
OBJECTIVES = (
    "k", "glm", "distinct_l(sensitive)", "cm(target)", "s_k", "max:s_l(sensitive)",
    "min:s_l(sensitive)", "suppressed", "discernibility", "average_class_size",
    "worst_group_suppression(sensitive)", "loss_arithmetic", "loss_geometric",
)  # fmt: skip
RULES = st.sampled_from(["required", "staircase", "paper"])


@dataclass(frozen=True)
class Problem:
    """What a search is asked: the table, its objectives and what is allowed."""

    table: SmallTable
    texts: tuple[str, ...]
    rule: Rule = "staircase"
    limit: int = 0
    require: tuple[tuple[str, float | Fraction], ...] = ()
    epsilon: tuple[tuple[str, Fraction], ...] = ()

    def parts(self) -> tuple[Evaluator, tuple[Target, ...]]:
        histogram, lattice, context, _ = engine_parts(self.table, [])
        wanted = [parse(text) for text in self.texts]
        measures = [build(one, context) for one in wanted]
        require = [Requirement.of(build(parse(n), context), bound) for n, bound in self.require]
        evaluator = Evaluator(
            histogram, lattice, measures, context,
            require=require, limit=self.limit, rule=self.rule,
        )  # fmt: skip
        pairs = zip(wanted, measures, strict=True)
        return evaluator, tuple(Target(objective_of(w, m), m) for w, m in pairs)

    def find(
        self,
        method: Method,
        *,
        evaluations: int | None = None,
        seed: int = 0,
        settings: RunSettings | None = None,
    ) -> Front:
        evaluator, targets = self.parts()
        how = ChosenMethod(method, Budget(evaluations=evaluations) if evaluations else None, "")
        return find(
            evaluator, targets, how, seed=seed, epsilon=dict(self.epsilon), settings=settings
        )

    def find_or_not(self, method: Method, **options: object) -> Front | None:
        try:
            return self.find(method, **options)  # type: ignore[arg-type]
        except InfeasibleError:
            return None


@st.composite
def objective_sets(draw, most: int = 4) -> tuple[str, ...]:
    few = st.lists(
        st.sampled_from(OBJECTIVES), min_size=1, max_size=most,
        unique_by=lambda text: text.split(":")[-1],
    )  # fmt: skip
    return tuple(draw(few))


@st.composite
def problems(draw, *, boxes: bool = False, max_rows: int = 14) -> Problem:
    table = draw(small_tables(max_rows=max_rows))
    texts = draw(objective_sets())
    rows = len(table.rows)
    require: list[tuple[str, float | Fraction]] = []
    if draw(st.booleans()):
        require.append(("k", draw(st.integers(1, min(5, rows)))))
    if draw(st.integers(0, 3)) == 0:
        require.append(("distinct_l(sensitive)", draw(st.integers(1, 3))))
    if draw(st.integers(0, 3)) == 0:
        most = rows * sum(table.weights)
        require.append(("glm", draw(st.fractions(0, most, max_denominator=12))))
    sizes = st.fractions(Fraction(1, 4), 8, max_denominator=6)
    names = [text.split(":")[-1] for text in texts]
    epsilon = [(name, draw(sizes)) for name in names] if boxes and draw(st.booleans()) else []
    limit = draw(st.integers(0, min(5, rows - 1)))
    return Problem(table, texts, draw(RULES), limit, tuple(require), tuple(epsilon))


def every_candidate(problem: Problem) -> dict[tuple[tuple[int, ...], int], dict[str, float]]:
    """{(node, threshold): {objective: value}} of all that meet the requirements, node by node."""
    evaluator, targets = problem.parts()
    found = {}
    for node in nodes_of(evaluator):
        candidates = evaluator.score(node)
        good = evaluator.meets(candidates)
        values = {t.objective.name: candidates.values(t.measure) for t in targets}
        for i in np.flatnonzero(good):
            key = (node, int(candidates.suppress_below[i]))
            found[key] = {name: float(v.shown(int(i))) for name, v in values.items()}
    return found


def nodes_of(evaluator: Evaluator) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(count) for count in evaluator.lattice.levels)))


def true_entries(front: Front, truth: Mapping[tuple[tuple[int, ...], int], dict[str, float]]):
    """Every entry is a candidate of the lattice with the very values it states."""
    for entry in front.entries:
        key = (tuple(entry.levels.values()), entry.suppress_below)
        assert key in truth
        assert {n: float(v) for n, v in entry.values.items()} == truth[key]


def signed(front: Front) -> list[tuple[float, ...]]:
    """Vectors of the entries, smaller is better."""
    signs = [-1 if o.direction is Direction.MAX else 1 for o in front.objectives]
    names = [o.name for o in front.objectives]
    return [tuple(s * e.values[n] for s, n in zip(signs, names, strict=True))
            for e in front.entries]  # fmt: skip


def dominates(first: Sequence[float], second: Sequence[float]) -> bool:
    return first != second and all(a <= b for a, b in zip(first, second, strict=True))


def mutually_best(front: Front) -> bool:
    vectors = signed(front)
    return not any(dominates(a, b) for a in vectors for b in vectors)


class Recorder:
    """A keeper that takes every opportunity and keeps copies of all states."""

    def __init__(self) -> None:
        self.states: list[State] = []

    def is_due(self) -> bool:
        return True

    def keep(self, state: State) -> None:
        arrays = {name: np.array(array) for name, array in state.arrays.items()}
        self.states.append(State(arrays, dict(state.facts)))


# ---- a table of middle size


def middle_table() -> SmallTable:
    """120 rows; 4 x 4 x 4 x 3 x 3 = 576 nodes."""
    draw = np.random.default_rng(7)

    def chain(values: str, *widths: int) -> tuple[dict[str, str], ...]:
        groups = [{v: f"{w}-{i // w}" for i, v in enumerate(values)} for w in widths]
        return ({v: v for v in values}, *groups, dict.fromkeys(values, "*"))

    labels = (*[chain("abcdefgh", 2, 4)] * 3, *[chain("abcd", 2)] * 2)
    columns = [draw.choice(list(levels[0]), 120) for levels in labels]
    columns += [draw.choice(["s0", "s1", "s2"], 120), draw.choice(["t0", "t1"], 120)]
    rows = tuple(tuple(str(v) for v in row) for row in zip(*columns, strict=True))
    return SmallTable(rows, labels, (1, 1, 1, 1, 1))


MIDDLE = Problem(middle_table(), ("k", "glm", "s_k"), "staircase", 4)


def write_search_job(folder: Path, **changes: Any) -> Path:
    """The same table as a file with its job; the changes are made at the job's top level."""
    table = middle_table()
    lines = [",".join(table.names), *(",".join(row) for row in table.rows)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    order = {"q0": "abcdefgh", "q1": "abcdefgh", "q2": "abcdefgh", "q3": "abcd", "q4": "abcd"}
    widths = {8: [2, 4, 8], 4: [2, 4]}
    columns: dict[str, Any] = {
        name: {
            "role": "quasi",
            "hierarchy": {"order": list(letters), "groups_of": widths[len(letters)]},
        }
        for name, letters in order.items()
    }
    columns |= {"sensitive": {"role": "sensitive"}, "target": {"role": "target"}}
    job = {
        "table": "t.csv",
        "columns": columns,
        "objectives": ["k", "glm", "distinct_l(sensitive)"],
        "suppression": {"limit": 4},
        **changes,
    }
    (folder / "job.yaml").write_text(json.dumps(job))
    return folder / "job.yaml"
